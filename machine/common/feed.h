/* SPDX-License-Identifier: MIT */
/*
 * How instructions and memory accesses enter the machine (implemented by machine/common/, called by machine/trace/
 * and by scenarios). Calls for one thread come in that thread's program order; the caller interleaves threads so that
 * the thread whose core is furthest behind in simulated time goes next (traffic_core_time()).
 */
#ifndef MACHINE_COMMON_FEED_H
#define MACHINE_COMMON_FEED_H

#include <stdint.h>
#include "machine/pmon/block.h"

struct traffic; /* caches, mesh, CHAs, memory, links, I/O of all sockets */

enum access_kind {
  ACCESS_LOAD,
  ACCESS_STORE,
  ACCESS_MODIFY /* load and store of one instruction */,
  ACCESS_PREFETCH,
  ACCESS_NT_STORE,
  ACCESS_FLUSH,
  ACCESS_LINE /* something with the whole line: `size` is one of enum line_act */,
  ACCESS_SLEEP /* no access: the core sleeps for `va` nanoseconds */,
  ACCESS_KIND_N
};

/* A line is flushed without waiting; written back and kept; sent to the LLC and kept; stored to as a whole without a
 * read, or speculatively so. */
enum line_act {
  LINE_ACT_FLUSH = 1,
  LINE_ACT_WRITE_BACK = 2,
  LINE_ACT_DEMOTE = 4,
  LINE_ACT_WHOLE = 8,
  LINE_ACT_HOPE = 16
};

/* What a program's system call makes of a part of its memory: unmapped; mapped by pages of 4 KB from now on; or, where
 * nothing of such a page was touched, of 2 MB (madvise); mapped anew by pages of 2 MB, of 1 GB. */
enum pages_kind { PAGES_NONE, PAGES_SMALL, PAGES_ADVISED, PAGES_2M, PAGES_1G, PAGES_KIND_N };
/* 2^`log2` times 2 MB (log2 at most 18), from the address `unit` times 2 MB on, a multiple of its size. */
struct pages_asked {
  uint64_t unit;
  uint8_t log2;
  uint8_t kind; /* enum pages_kind */
};

/* A basic block of `instructions` instructions in `bytes` bytes at virtual address `pc` begins on `core`. */
void traffic_block(struct traffic *t, unsigned core, uint64_t pc, uint32_t bytes, uint32_t instructions);
/* A data access of `size` bytes (1..64) at virtual address `va`. */
void traffic_access(struct traffic *t, unsigned core, uint64_t va, uint32_t size, enum access_kind kind);
/* Programs have so much memory at a virtual address, whether they have touched it or not. PMON_E_MEMORY. */
int traffic_memory_add(struct traffic *t, uint64_t va, uint64_t bytes);
/* Memory of a program gets other pages. Where map=identity decides, nothing happens. PMON_E_MEMORY. */
int traffic_pages(struct traffic *t, const struct pages_asked *asked);
/* The simulated time that `core` (counted over all sockets) has reached. */
fs_t traffic_core_time(const struct traffic *t, unsigned core);
/* A thread of `core` has ended: lines that its stores past the caches left incomplete go out. */
void traffic_core_end(struct traffic *t, unsigned core);
/* Whether it has such lines. */
bool traffic_core_combines(const struct traffic *t, unsigned core);
/* The thread that `core` works for now stops: its stores that wait in the store buffer ask for their lines. */
void traffic_stores_end(struct traffic *t, unsigned core);
/* No instructions come for `core` at present: it goes idle, and its time no longer holds others. */
void traffic_core_idle(struct traffic *t, unsigned core);
void traffic_core_wake(struct traffic *t, unsigned core);
/* Hardware threads that a core has: 1 or 2. What follows concerns that one of them, which is 0 at first. */
unsigned traffic_core_threads(const struct traffic *t);
void traffic_core_enter(struct traffic *t, unsigned core, unsigned thread);
/* The thread that was entered begins while the other one runs: it is as late. */
void traffic_core_join(struct traffic *t, unsigned core);
/* The thread that was entered runs. `other`: so does the other one, and while that does not wait, each has half of the
 * core's width, window and queues: then true. *ret_until: this is to be asked again. */
bool traffic_core_share(struct traffic *t, unsigned core, bool other, fs_t *ret_until);
/* An idle core stays so until that time at least. */
void traffic_core_sleep(struct traffic *t, unsigned core, fs_t until);

#endif

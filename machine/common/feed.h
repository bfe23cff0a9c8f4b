/* SPDX-License-Identifier: MIT */
/*
 * Entry of instructions and memory accesses into the machine (implemented by machine/common/, called by machine/trace/
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
  ACCESS_LINE /* an instruction on a whole line: `size` is one of enum line_act */,
  ACCESS_SLEEP /* no access: the core sleeps for `va` nanoseconds */,
  ACCESS_KIND_N
};

/* In order: flushes a line without waiting; writes it back and keeps it; sends it to the LLC and keeps it; stores the
 * whole line without reading it; does so speculatively. */
enum line_act {
  LINE_ACT_FLUSH = 1,
  LINE_ACT_WRITE_BACK = 2,
  LINE_ACT_DEMOTE = 4,
  LINE_ACT_WHOLE = 8,
  LINE_ACT_HOPE = 16
};

/* What a program's system call does to a part of its memory: unmaps it; maps it with 4 KB pages from now on; with 2 MB
 * pages, where nothing of such a page has been touched (madvise); maps it anew with 2 MB pages; with 1 GB pages. */
enum pages_kind { PAGES_NONE, PAGES_SMALL, PAGES_ADVISED, PAGES_2M, PAGES_1G, PAGES_KIND_N };
/* A part of memory: 2^`log2` times 2 MB (log2 at most 18) at address `unit` times 2 MB, aligned to its size. */
struct pages_asked {
  uint64_t unit;
  uint8_t log2;
  uint8_t kind; /* enum pages_kind */
};

/* Begins a basic block of `instructions` instructions in `bytes` bytes at virtual address `pc` on `core`. */
void traffic_block(struct traffic *t, unsigned core, uint64_t pc, uint32_t bytes, uint32_t instructions);
/* Performs a data access of `size` bytes (1..64) at virtual address `va`. */
void traffic_access(struct traffic *t, unsigned core, uint64_t va, uint32_t size, enum access_kind kind);
/* Declares `bytes` bytes of programs' memory at virtual address `va`, whether touched or not. PMON_E_MEMORY. */
int traffic_memory_add(struct traffic *t, uint64_t va, uint64_t bytes);
/* Changes the pages of a part of a program's memory. With map=identity it does nothing. PMON_E_MEMORY. */
int traffic_pages(struct traffic *t, const struct pages_asked *asked);
/* Returns the simulated time that `core` (counted over all sockets) has reached. */
fs_t traffic_core_time(const struct traffic *t, unsigned core);
/* Ends a thread of `core`: sends the write-combining buffers that its non-temporal stores have not filled, and lets the
 * stores in its store buffer request their lines. */
void traffic_core_end(struct traffic *t, unsigned core);
/* True if `core` has such write-combining buffers. */
bool traffic_core_combines(const struct traffic *t, unsigned core);
/* The current thread of `core` stops: the stores that wait in its store buffer request their lines. */
void traffic_stores_end(struct traffic *t, unsigned core);
/* Makes `core` idle, as it has no instructions at present: its time no longer holds up others. traffic_core_wake() ends
 * this: the core continues from the time of the active core that is furthest behind, or, if no core is active, from the
 * latest time of all. */
void traffic_core_idle(struct traffic *t, unsigned core);
void traffic_core_wake(struct traffic *t, unsigned core);
/* Returns the number of hardware threads of a core: 1 or 2. The functions above and below act on the hardware thread
 * entered last; initially thread 0. */
unsigned traffic_core_threads(const struct traffic *t);
void traffic_core_enter(struct traffic *t, unsigned core, unsigned thread);
/* The thread entered last begins while the other one runs: its time becomes the later one of both. */
void traffic_core_join(struct traffic *t, unsigned core);
/* The thread entered last runs. `other`: the other one runs, too. Returns true if they share the core: while the other
 * one does not wait, each has half of the core's width, window and queues. *ret_until: the time at which to call this
 * again. */
bool traffic_core_share(struct traffic *t, unsigned core, bool other, fs_t *ret_until);
/* Keeps an idle core idle until `until` at least. */
void traffic_core_sleep(struct traffic *t, unsigned core, fs_t until);

#endif

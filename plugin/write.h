/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calling thread's ring. trace.h has the functions that write into it. */
#ifndef PLUGIN_WRITE_H
#define PLUGIN_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include "machine/trace/ring.h"

#define WRITE_HIDDEN __attribute__((visibility("hidden")))

/* NULL: the thread has none yet. */
extern WRITE_HIDDEN __thread struct ring *write_ring __attribute__((tls_model("initial-exec")));
extern WRITE_HIDDEN uint64_t write_process_bits; /* the process's number, shifted to its position in an address */
extern WRITE_HIDDEN bool write_repeats_pages;    /* in a child: the parent's large pages have no records yet */

/* Called for each block, whose record is word `at` of the ring: prefetches, for writing, the host's line of a later
 * word. The reader's processor has had this line since the ring's last round. A store would wait for it, which takes
 * most of the emulator's time where the two processors share no cache (docs/design/018). */
enum { WRITE_AHEAD = 256 };
static inline void write_prefetch(const struct ring *r, uint64_t at)
{
  const uint64_t *word = &r->record[(at + WRITE_AHEAD) & (RING_RECORDS - 1)];
#ifdef __x86_64__
  __asm__ volatile("prefetchw %0" : : "m"(*word)); /* the builtin needs a compiler option for it */
#else
  __builtin_prefetch(word, 1);
#endif
}

/* Handles a block's rare cases, for the thread whose ring is `r` (NULL: none yet): attaches a ring, publishes, waits
 * for space. Returns the ring to write to. */
struct ring *write_at_limit(struct ring *r);
/* Writes one piece of a vector access: QEMU makes accesses of 16 and 32 bytes in pieces of 8. A second half is merged
 * into the record of the first, which the reader has not seen yet, because nothing is published between the accesses of
 * an instruction. The record cannot be from an earlier execution, because a block record precedes each execution. */
#define PIECE_BYTES UINT64_C(8)
static inline void write_piece(struct ring *r, uint64_t record)
{
  uint64_t at = r->head, *before = &r->record[(at - 1) & (RING_RECORDS - 1)];

  if (record - *before == PIECE_BYTES) {
    record = *before += UINT64_C(1) << RECORD_SIZE_SHIFT;
    at--;
    before = &r->record[(at - 1) & (RING_RECORDS - 1)];
    if (record - *before == 2 * PIECE_BYTES) {
      *before += UINT64_C(1) << RECORD_SIZE_SHIFT;
      r->head = at;
    }
    return;
  }
  r->record[at & (RING_RECORDS - 1)] = record;
  r->head = at + 1;
}
/* Writes a record that results from a system call; the thread's ring keeps room for some. */
void write_pages(uint64_t record);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sampled thread: its phases, and the records that it writes in each (plugin/sampled.h). */
#ifndef PLUGIN_SAMPLER_H
#define PLUGIN_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>
#include "machine/trace/ring.h"
#include "plugin/filter.h"

/* The thread's state that every callback reads. */
struct sampler_mine {
  struct filter *filter; /* between intervals the thread's filter, otherwise filter_none */
  int64_t left;          /* instructions until the next action is due */
};
extern __thread struct sampler_mine mine __attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline bool sampler_between(void)
{
  return mine.filter != &filter_none;
}

/* Counts a block of `count` instructions. True if it needs no work: the filter has its line, and no action is due. */
static inline bool sampler_block_passes(uint64_t block, uint32_t count)
{
  mine.left -= count;
  return __builtin_expect(mine.left > 0, 1) && filter_has_code(mine.filter, block);
}

/* Handles a block that sampler_block_passes() did not pass: writes its record if necessary, and performs the actions
 * that are due. */
void sampler_block(unsigned vcpu, void *data);
/* Between intervals: handles an access whose line the filter does not hold. */
void sampler_line(uint64_t va, bool store, uint64_t record);
/* While everything is written: updates whether the line is shared. */
void sampler_share(uint64_t va, bool store);
/* Handles a store that bypasses the caches, in any phase: no filter holds the line afterwards. */
void sampler_drop(uint64_t va);

/* While everything is written, accesses of a group are kept back until the block's earlier accesses are written.
 * sampler_later_add() keeps one back; sampler_later_write() writes those with ordinals below `ordinal`. */
void sampler_later_add(uint64_t record);
void sampler_later_write(unsigned ordinal);

#endif

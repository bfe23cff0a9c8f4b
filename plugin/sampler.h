/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sampled thread: its phases, and what it writes in them (plugin/sampled.h). */
#ifndef PLUGIN_SAMPLER_H
#define PLUGIN_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>
#include "machine/trace/ring.h"
#include "plugin/filter.h"

/* What callbacks look at. */
struct sampler_mine {
  struct filter *filter; /* the thread's between intervals, else filter_none */
  int64_t left;          /* instructions until there is something to do */
};
extern __thread struct sampler_mine mine __attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline bool sampler_between(void)
{
  return mine.filter != &filter_none;
}

/* Whether a block of `count` instructions passes without work: the filter has its line, and nothing is due. */
static inline bool sampler_block_passes(uint64_t block, uint32_t count)
{
  mine.left -= count;
  return __builtin_expect(mine.left > 0, 1) && filter_has_code(mine.filter, block);
}

/* A block that does not pass: writes it if it has to be written, and what else is due. */
void sampler_block(unsigned vcpu, void *data);
/* Between intervals: an access whose line the filter has not. */
void sampler_line(uint64_t va, bool store, uint64_t record);
/* Where everything is written: whether the line is shared from now on. */
void sampler_share(uint64_t va, bool store);
/* A store that bypasses the caches, anywhere: no thread has the line from now on. */
void sampler_drop(uint64_t va);

/* Where everything is written, accesses of groups are kept back until those before them are written: adds one; writes
 * those before that ordinal. */
void sampler_later_add(uint64_t record);
void sampler_later_write(unsigned ordinal);

#endif

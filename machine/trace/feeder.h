/* SPDX-License-Identifier: MIT */
/*
 * One thread's records as calls of the machine: pieces of accesses are put together, and what the records to come will
 * need is asked from the host's memory beforehand.
 */
#ifndef MACHINE_TRACE_FEEDER_H
#define MACHINE_TRACE_FEEDER_H

#include "machine/trace/source.h"
#include "machine/traffic/fast.h"

/* Records that are looked through ahead of the next, and at once, for what they will need. */
#define FEEDER_AHEAD 256
#define FEEDER_AT_ONCE 32

struct feeder_access {
  uint64_t va;
  uint32_t size, ordinal;
  enum access_kind kind;
};
/* Zeroed but for the core, which may be changed while nothing is held back. */
struct feeder {
  unsigned core;
  struct feeder_access held; /* until it is known whether the next record belongs to it; size 0: none */
  struct expected expected;
  const uint64_t *until, *record[EXPECT_LINES]; /* the next that was not looked through; those of the expected lines */
  uint64_t before;                              /* line of the last access that was looked through */
};

/* Feeds records until the core has reached `horizon` (fs); returns how many it took. An access that may go on in the
 * next window is held back. */
size_t feeder_feed(struct feeder *fd, struct traffic *t, const struct trace_window *w, uint64_t horizon);
/* Nothing comes soon: what was held back is all. */
void feeder_flush(struct feeder *fd, struct traffic *t);

#endif

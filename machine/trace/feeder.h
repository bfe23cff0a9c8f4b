/* SPDX-License-Identifier: MIT */
/*
 * Turns one thread's records into accesses of the machine. Pieces of accesses are joined, and the state that the next
 * records need is prefetched into the host's caches.
 */
#ifndef MACHINE_TRACE_FEEDER_H
#define MACHINE_TRACE_FEEDER_H

#include "machine/trace/dependence.h"
#include "machine/trace/source.h"
#include "machine/common/fast.h"

/* Number of records that are examined in advance. */
#define FEEDER_AHEAD 256
#define FEEDER_AT_ONCE 32

struct feeder_access {
  uint64_t va;
  uint32_t size, ordinal;
  enum access_kind kind;
};
/* What is left of a block's start that is not private: nothing, its code, or all but its branch. */
enum feeder_left { LEFT_NONE, LEFT_CODE, LEFT_ALL };
/* Zero-initialized except for the core and the table of dependences; the core may change while no access is kept back.
 */
struct feeder {
  unsigned core, thread; /* of the core's hardware threads */
  uint32_t shares;       /* 1: the core's other thread has half of its width */
  bool paced;            /* summaries of blocks are known, and followed */
  bool alone;            /* the same, and shares is 0 */
  bool apart, asks;      /* it feeds what is private to its core; what follows is not */
  enum feeder_left left; /* of the current block's start */
  uint64_t through;      /* dependence_place.behind of its last block */
  struct dependences dependences;
  struct feeder_access held; /* kept back until the next record shows whether it is complete; size 0: none */
  struct expected expected;
  const uint64_t *until, *record[EXPECT_LINES]; /* the first record not yet examined; the records of the expected
                                                 * lines */
  uint64_t before;                              /* line of the last examined access */
};

/* Feeds records until the core reaches `horizon` (fs); returns the number of consumed records. An access that may
 * continue in the next window is kept back. It stops before a mark. */
size_t feeder_feed(struct feeder *fd, struct traffic *t, const struct trace_window *w, uint64_t horizon);
/* The same of records that concern nothing but their core (traffic_core_is_private()), so that other host threads may
 * do this for other cores meanwhile. *ret_asks: what follows does not. Keeps nothing back. */
size_t feeder_feed_private(struct feeder *fd, struct traffic *t, const struct trace_window *w, uint64_t horizon,
                           bool *ret_asks);
/* feeder_expect.c: the second level missed in an access before `w->record[i]`. Prefetches into the host's caches the
 * state that the next records need. Each record is examined once. */
void feeder_prefetch_lines(struct feeder *fd, const struct traffic *t, const struct trace_window *w, size_t i);
/* No record follows soon: performs the access that was kept back. */
void feeder_flush(struct feeder *fd, struct traffic *t);

#endif

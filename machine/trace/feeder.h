/* SPDX-License-Identifier: MIT */
/*
 * Turns the records of one thread into accesses of the machine. Joins the pieces of accesses, and prefetches into the
 * host's caches the state that the next records need.
 */
#ifndef MACHINE_TRACE_FEEDER_H
#define MACHINE_TRACE_FEEDER_H

#include "machine/trace/dependence.h"
#include "machine/trace/source.h"
#include "machine/common/fast.h"

struct feeder_access {
  uint64_t va;
  uint32_t size, ordinal;
  enum access_kind kind;
};
/* The part of a block's start that is still to be done, because it was not private: none, its instruction fetch, or all
 * but its branch. */
enum feeder_pending { PENDING_NONE, PENDING_CODE, PENDING_ALL };
/* Records that were examined before they are fed (feeder_expect.c). */
struct feeder_ahead {
  struct expected expected;             /* their lines that miss L1 */
  const uint64_t *next;                 /* the first record that was not examined */
  const uint64_t *record[EXPECT_LINES]; /* of each expected line, with the same index */
  uint64_t line;                        /* of the last examined access */
  uint64_t asked;                       /* core_front.asked at the last examination */
};
/* Zero-initialized except for the core and the table of dependences. The core may change while no access is kept back.
 */
struct feeder {
  unsigned core, thread;       /* thread: the core's hardware thread */
  uint32_t shares;             /* 1: the core's other hardware thread has half of the core's width */
  bool paced;                  /* summaries of blocks are known, and set the time of blocks */
  bool alone;                  /* `paced`, and shares is 0 */
  bool apart, at_shared;       /* apart: it feeds only records private to its core; at_shared: the next record is not */
  enum feeder_pending pending; /* of the current block */
  const struct trace_window *window; /* that is being fed */
  const uint64_t *end;               /* of the records that the main loops may feed: a block */
  fs_t horizon, limit;               /* times at which they end, and at which they do more than start a block */
  struct dependences dependences;
  struct feeder_access held; /* kept back until the next record shows whether it is complete; size 0: none */
  struct feeder_ahead ahead;
};

/* Feeds records until the core reaches `horizon` (fs); returns the number of consumed records. An access that may
 * continue in the next window is kept back. It stops before a mark. */
size_t feeder_feed(struct feeder *fd, struct traffic *t, const struct trace_window *w, uint64_t horizon);
/* Does the same for records that are private to the core (traffic_core_is_private()), so that other host threads can
 * feed other cores at the same time. *ret_at_shared: the next record is not private. Does not keep an access back. */
size_t feeder_feed_private(struct feeder *fd, struct traffic *t, const struct trace_window *w, uint64_t horizon,
                           bool *ret_at_shared);
/* feeder_expect.c: an access before `w->record[i]` missed L2. Prefetches into the host's caches the state that the next
 * records need. Each record is examined once. */
void feeder_prefetch_lines(struct feeder *fd, const struct traffic *t, const struct trace_window *w, size_t i);
/* Performs the access that was kept back; called when no record follows soon. */
void feeder_flush(struct feeder *fd, struct traffic *t);

#endif

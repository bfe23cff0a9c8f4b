/* SPDX-License-Identifier: MIT */
/*
 * A round of threads on different cores. First each of them does what concerns its core alone
 * (traffic_core_is_private()), which several host threads do at once; then those that ask for something that others
 * have, too, do that one after another, in the order of their times. So what comes of it depends on no host thread.
 */
#ifndef MACHINE_TRACE_ROUND_H
#define MACHINE_TRACE_ROUND_H

#include "machine/trace/threads.h"

struct round_part {
  struct thread *thread;
  struct trace_window window;
  size_t taken;  /* records of it */
  bool asks;     /* the next record is not private */
  uint64_t time; /* which the thread has come to by then */
};
/* Zero-initialized but for what is its owner's to set: */
struct round {
  struct traffic *traffic;
  struct trace_source *source; /* whose host threads share the private parts */
  uint64_t horizon;            /* threads do not go on behind it */
  struct round_part *part;     /* by the threads' numbers */
  unsigned *order;             /* numbers of those that ask */
  unsigned n, room;
};

/* All threads take part that are before the horizon and have records to feed: none if `first`, which is furthest
 * behind, has none. 0; PMON_E_MEMORY, or what the source fails with: then none takes part. */
int round_gather(struct round *r, const struct threads *threads, const struct thread *first);
/* Feeds records of all that take part, and consumes these. */
void round_run(struct round *r);
void round_fini(struct round *r);

#endif

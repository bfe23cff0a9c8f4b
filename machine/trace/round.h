/* SPDX-License-Identifier: MIT */
/*
 * A round of threads on different cores. First, each thread performs the accesses that are private to its core
 * (traffic_core_is_private()); several host threads do this in parallel. Then the threads whose next access is not
 * private perform it one after another, in the order of their simulated times. The result therefore does not depend on
 * the host threads.
 */
#ifndef MACHINE_TRACE_ROUND_H
#define MACHINE_TRACE_ROUND_H

#include "machine/trace/threads.h"

struct round_part {
  struct thread *thread;
  struct trace_window window;
  size_t taken;   /* number of consumed records */
  bool at_shared; /* the next record is not private */
  uint64_t time;  /* simulated time that the thread has reached by then */
};
/* Zero-initialized except for the fields that the owner sets: */
struct round {
  struct traffic *traffic;
  struct trace_source *source; /* its host threads share the private parts */
  uint64_t horizon;            /* threads stop at this time */
  struct round_part *part;     /* the threads that take part */
  unsigned *order;             /* indices of the parts that have the `at_shared` bit */
  unsigned n, room;
};

/* Selects the threads that take part: all that are before the horizon and have records to feed; none if `first`, which
 * is furthest behind, has no records. Returns 0, PMON_E_MEMORY, or the failure of the source; after a failure no thread
 * takes part. */
int round_gather(struct round *r, const struct threads *threads, const struct thread *first);
/* Feeds and consumes records of all threads that take part. */
void round_run(struct round *r);
void round_fini(struct round *r);

#endif

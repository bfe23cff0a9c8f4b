/* SPDX-License-Identifier: MIT */
/* A workload of threads inside workload.c. */
#ifndef MACHINE_TRACE_WORKLOAD_STATE_H
#define MACHINE_TRACE_WORKLOAD_STATE_H

#include "machine/trace/feeder.h"
#include "machine/trace/workload.h"

enum thread_status { THREAD_ACTIVE, THREAD_IDLE, THREAD_DONE };

struct thread {
  unsigned number;
  enum thread_status status;
  uint64_t turn; /* number of its last time slice: threads of one core alternate */
  uint32_t open; /* regions that it began and did not end, where the workload stops at marks */
  struct feeder feeder;
};

/* A time slice that the end of a run interrupted. It continues first, so that the division into runs has no effect
 * on the result. */
struct turn {
  unsigned thread;
  bool open;
  uint64_t end;
};

struct workload {
  struct machine_workload base;
  struct trace_source *source;
  struct placement *placement;
  struct traffic *traffic;
  struct thread **thread; /* NULL: it has ended */
  unsigned *live;         /* numbers of the threads that have not, ascending */
  unsigned n, room, alive;
  uint64_t turns;
  struct turn turn;
  bool stops_at_marks, at_mark;
  struct trace_mark mark; /* of at_mark */
  unsigned mark_core;
  uint64_t until; /* of the run */
  struct dependence_table dependences;
  struct sampled_run *sampled; /* NULL: phases have no effect */
  uint64_t mark_fs;            /* a thread waits at a mark for the others to reach this time; UINT64_MAX: none does */
};

#endif

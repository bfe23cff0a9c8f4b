/* SPDX-License-Identifier: MIT */
/* The threads of a workload (workload.c): which one is next, and how those of one core share it. */
#ifndef MACHINE_TRACE_THREADS_H
#define MACHINE_TRACE_THREADS_H

#include "machine/trace/feeder.h"
#include "machine/trace/sampled.h"

enum thread_status { THREAD_ACTIVE, THREAD_IDLE, THREAD_DONE };

struct thread {
  unsigned number;
  enum thread_status status;
  uint64_t turn; /* number of its last time slice: threads of one hardware thread alternate */
  uint32_t open; /* regions that it began and did not end, where the workload stops at marks */
  struct feeder feeder;
  struct sampled_thread sampled; /* where only intervals are simulated in detail */
};

struct threads {
  struct thread **thread; /* NULL: it has ended */
  unsigned *live;         /* numbers of the threads that have not, ascending */
  unsigned n, room, alive;
  bool paired; /* both hardware threads of some core have, or had, a thread */
};

/* The simulated time that a thread has reached. */
static inline uint64_t thread_time(const struct traffic *t, const struct thread *th)
{
  return front_thread_time(traffic_front(t, th->feeder.core), th->feeder.thread);
}

/* Space for another thread; false: no memory. */
bool threads_make_room(struct threads *s);
/* The thread's state is no longer needed. */
void threads_drop(struct threads *s, struct thread *th);
/* Active threads of a core; those besides `th` of its own hardware thread (the same: true) or the core's other one. */
unsigned threads_active(const struct threads *s, unsigned core);
unsigned threads_active_beside(const struct threads *s, const struct thread *th, bool same);
/* Places a new thread, which is not in the list yet, on that hardware thread of its core that fewer threads have. */
void threads_place(struct threads *s, const struct traffic *t, struct thread *th);
/* The active thread that is furthest behind (among those of one hardware thread, the one with the oldest time slice),
 * and the time of the next one. NULL: none is active. */
struct thread *threads_furthest_behind(const struct threads *s, const struct traffic *t, uint64_t *ret_time,
                                       uint64_t *ret_next);
/* The least time of active threads, except that thread's. */
uint64_t threads_other_time(const struct threads *s, const struct traffic *t, unsigned thread);
/* The thread has a new time slice. Returns until when it has this share of its core at most. */
uint64_t threads_share(const struct threads *s, struct traffic *t, struct thread *th);

#endif

/* SPDX-License-Identifier: MIT */
/* The threads of a workload (workload.c): which one is next, and how those of one core share it. */
#ifndef MACHINE_TRACE_THREADS_H
#define MACHINE_TRACE_THREADS_H

#include "machine/common/parts.h"
#include "machine/trace/feeder.h"
#include "machine/trace/sampled.h"

enum thread_status { THREAD_ACTIVE, THREAD_IDLE, THREAD_DONE };

struct thread {
  unsigned number;
  enum thread_status status;
  unsigned place; /* of an active one, in threads.order */
  uint64_t turn;  /* number of its last time slice: threads of one hardware thread alternate */
  uint32_t open;  /* regions that it began and did not end, where the workload stops at marks */
  struct feeder feeder;
  struct sampled_thread sampled; /* where only intervals are simulated in detail */
};

/* An active thread's place in the order of time. The time is one that it had: it never goes back, so that who has the
 * least is found without a look at each, by looking again at those that seem to have it. */
struct order_entry {
  uint64_t time, turn;
  struct thread *thread;
};

struct threads {
  struct thread **thread; /* NULL: it has ended */
  unsigned *live;         /* numbers of the threads that have not, ascending */
  unsigned n, room, alive;
  struct order_entry *order;                    /* a heap of the active ones: place i is not behind 2i + 1 and 2i + 2 */
  unsigned active, idle, crowded;               /* crowded: active ones besides one of each core */
  uint16_t placed[MAX_SOCKETS * MAX_CORES][2];  /* threads of each hardware thread */
  uint16_t running[MAX_SOCKETS * MAX_CORES][2]; /* the active ones of these */
  bool paired;                                  /* both hardware threads of some core have, or had, a thread */
};

/* The simulated time that a thread has reached. */
static inline uint64_t thread_time(const struct traffic *t, const struct thread *th)
{
  return front_thread_time(traffic_front(t, th->feeder.core), th->feeder.thread);
}

/* Space for another thread; false: no memory. */
bool threads_make_room(struct threads *s);
/* Adds a new thread, for which there is room and whose core is known, on that hardware thread of the core that fewer
 * threads have. It is idle. */
void threads_add(struct threads *s, const struct traffic *t, struct thread *th);
void threads_set_status(struct threads *s, const struct traffic *t, struct thread *th, enum thread_status status);
/* The thread, which has ended, is no longer needed. */
void threads_drop(struct threads *s, struct thread *th);
void threads_fini(struct threads *s);
/* Active threads of a core; those besides `th` of its own hardware thread (the same: true) or the core's other one. */
unsigned threads_active(const struct threads *s, unsigned core);
unsigned threads_active_beside(const struct threads *s, const struct thread *th, bool same);
/* The active thread that is furthest behind (among those of one hardware thread, the one with the oldest time slice),
 * and the time of the next one. NULL: none is active. */
struct thread *threads_furthest_behind(struct threads *s, const struct traffic *t, uint64_t *ret_time,
                                       uint64_t *ret_next);
/* The least time of active threads, except that thread's; UINT64_MAX: there is no other. */
uint64_t threads_other_time(struct threads *s, const struct traffic *t, const struct thread *th);
/* The thread has a new time slice. Returns until when it has this share of its core at most. */
uint64_t threads_share(const struct threads *s, struct traffic *t, struct thread *th);

#endif

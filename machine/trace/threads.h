/* SPDX-License-Identifier: MIT */
/* The threads of a workload (workload.c): which one runs next, and how the threads of one core share it. */
#ifndef MACHINE_TRACE_THREADS_H
#define MACHINE_TRACE_THREADS_H

#include "machine/common/parts.h"
#include "machine/trace/feeder.h"
#include "machine/trace/sampled.h"

enum thread_status { THREAD_ACTIVE, THREAD_IDLE, THREAD_DONE };

struct thread {
  unsigned number;
  enum thread_status status;
  unsigned place; /* index of an active thread in threads.order */
  uint64_t turn;  /* number of its last time slice: threads of one hardware thread alternate */
  uint32_t open;  /* regions begun and not ended, if the workload stops at marks */
  struct feeder feeder;
  struct sampled_thread sampled; /* state of a run in which only intervals are simulated in detail */
};

/* An active thread's entry in a heap ordered by time. `time` may be out of date, but a thread's time never decreases:
 * the thread with the least time is found by updating only the entries at the top of the heap. */
struct order_entry {
  uint64_t time, turn;
  struct thread *thread;
};

struct threads {
  struct thread **thread; /* NULL: the thread has ended */
  unsigned *live;         /* numbers of the threads that have not ended, ascending */
  unsigned n, room, alive;
  struct order_entry *order; /* heap of the active threads: entry i does not come after entries 2i + 1 and 2i + 2 */
  unsigned active, idle, crowded;               /* crowded: active threads beyond the first of each core */
  uint16_t placed[MAX_SOCKETS * MAX_CORES][2];  /* number of threads of each hardware thread */
  uint16_t running[MAX_SOCKETS * MAX_CORES][2]; /* number of active threads of each hardware thread */
  bool paired;                                  /* both hardware threads of a core have, or have had, threads */
};

/* The simulated time that a thread has reached. */
static inline uint64_t thread_time(const struct traffic *t, const struct thread *th)
{
  return front_thread_time(traffic_front(t, th->feeder.core), th->feeder.thread);
}

/* Returns a zeroed thread, which threads_drop() or threads_fini() frees; NULL: no memory. Its blocks' places
 * (dependence.h) begin with a line of the host, as the places of calloc() would not. */
struct thread *threads_new(void);
/* Makes room for another thread; false: no memory. */
bool threads_make_room(struct threads *s);
/* Adds a new, idle thread, for which there is room and whose core is set, on the hardware thread of the core that has
 * fewer threads. */
void threads_add(struct threads *s, const struct traffic *t, struct thread *th);
void threads_set_status(struct threads *s, const struct traffic *t, struct thread *th, enum thread_status status);
/* Removes a thread that has ended, and frees it. */
void threads_drop(struct threads *s, struct thread *th);
void threads_fini(struct threads *s);
/* threads_active(): number of active threads of a core. threads_active_beside(): number of active threads besides `th`
 * on its hardware thread (`same`), or on the core's other hardware thread. */
unsigned threads_active(const struct threads *s, unsigned core);
unsigned threads_active_beside(const struct threads *s, const struct thread *th, bool same);
/* Returns the active thread that is furthest behind (on one hardware thread, the one with the oldest time slice), its
 * time, and the time of the next one. NULL: no thread is active. */
struct thread *threads_furthest_behind(struct threads *s, const struct traffic *t, uint64_t *ret_time,
                                       uint64_t *ret_next);
/* Returns the least time of the active threads other than `th`; UINT64_MAX: there is no other. */
uint64_t threads_other_time(struct threads *s, const struct traffic *t, const struct thread *th);
/* Sets the thread's share of its core for a new time slice. Returns the time until which the share is valid;
 * UINT64_MAX: without limit. */
uint64_t threads_share(const struct threads *s, struct traffic *t, struct thread *th);

#endif

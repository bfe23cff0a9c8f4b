/* SPDX-License-Identifier: MIT */
/*
 * Host threads besides the machine's. They read, decompress and decode ahead of the machine, and do parts of its
 * current work. A piece of work depends only on its own input and changes only its own result, so that the result does
 * not depend on which thread does it, or when.
 */
#ifndef MACHINE_TRACE_WORKERS_H
#define MACHINE_TRACE_WORKERS_H

#include <stdbool.h>

#define WORKERS_MOST 64u /* host threads, including the caller's */

struct workers;

/* A piece of work. The owner sets `run` and zero-initializes the rest; the work has not begun then. */
struct work {
  void (*run)(struct work *work);
  struct work *before, *next; /* neighbours in the list of work that waits for a thread */
  int state;                  /* enum work_state of workers.c */
};

/* Starts `threads` host threads besides the caller's, with all signals blocked; fewer if the host cannot start as many.
 * NULL: none could be started, or no memory; the functions below accept NULL. */
struct workers *workers_new(unsigned threads);
/* Does the same; up to `sharers` of the threads take part in workers_share(). workers_new() lets as many take part as
 * there are processors besides the caller's. */
struct workers *workers_new_sharing(unsigned threads, unsigned sharers);
/* Ends the threads and waits for them. No work that has begun may be left. */
void workers_free(struct workers *workers);

/* Queues the work: a thread may do it from now on; without threads, work_finish() does it. The owner must not touch
 * input and result before work_finish() or work_cancel(). */
void work_begin(struct workers *workers, struct work *work);
/* True between work_begin() and work_finish() or work_cancel(). */
bool work_has_begun(const struct work *work);
/* True if work that has begun is done, so that work_finish() will not wait. */
bool work_is_done(const struct work *work);
/* Waits until the work is done. If no thread has taken it yet, the caller does it. */
void work_finish(struct workers *workers, struct work *work);
/* Cancels the work if no thread has taken it yet; otherwise waits until it is done. */
void work_cancel(struct workers *workers, struct work *work);

/* Calls run(context, i) for each i below `n`, at most 65535, in any order, on the caller's thread and idle sharers;
 * returns when all calls have returned. It is meant for frequent work of a few microseconds: sharers do not sleep for
 * some time afterwards. */
void workers_share(struct workers *workers, void (*run)(void *context, unsigned i), void *context, unsigned n);

/* Returns the number of processors that this process may use. */
unsigned workers_host_threads(void);
/* Called between two looks at memory that another thread will change: the looks take less of the host's core. */
static inline void host_relax(void)
{
#ifdef __SSE2__
  __builtin_ia32_pause();
#endif
}

#endif

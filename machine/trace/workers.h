/* SPDX-License-Identifier: MIT */
/*
 * Host threads beside the machine's: they read, decompress and decode ahead what it will need next, and do parts of
 * what it does now. A piece of work depends on nothing but its own input and changes nothing but its own result, so
 * that it does not matter which thread does it, nor when.
 */
#ifndef MACHINE_TRACE_WORKERS_H
#define MACHINE_TRACE_WORKERS_H

#include <stdbool.h>

#define WORKERS_MOST 64u /* host threads, with the caller's */

struct workers;

/* A piece of work. The owner fills in `run`; zero-initialized otherwise, it has not begun. */
struct work {
  void (*run)(struct work *work);
  struct work *before, *next; /* of those that wait for a thread */
  int state;                  /* enum work_state of workers.c */
};

/* `threads` threads besides the caller's, which get no signals; fewer where the host gives no more. NULL: none, or no
 * memory; the functions below accept that. */
struct workers *workers_new(unsigned threads);
/* The same where up to `sharers` of them take part in workers_share(): else as many as have a processor beside the
 * caller's. */
struct workers *workers_new_sharing(unsigned threads, unsigned sharers);
/* Waits for the threads. No work may be left that has begun. */
void workers_free(struct workers *workers);

/* A thread may do the work from now on; without threads it waits for work_finish(). The owner leaves input and result
 * alone until work_finish() or work_cancel(). */
void work_begin(struct workers *workers, struct work *work);
/* Whether it has begun, and was not finished. */
bool work_has_begun(const struct work *work);
/* Whether work that has begun is done, so that work_finish() will not wait. */
bool work_is_done(const struct work *work);
/* Waits until it is done. If no thread has taken it yet, the caller does it. */
void work_finish(struct workers *workers, struct work *work);
/* If no thread has taken it yet, it will not be done; otherwise waits until it is done. */
void work_cancel(struct workers *workers, struct work *work);

/* Calls run(context, i) for each i below `n`, at most 65535, in any order on the caller's thread and sharers that have
 * nothing else to do, and returns when all is done. For work of a few microseconds that comes again and again: for some
 * time afterwards sharers do not sleep. */
void workers_share(struct workers *workers, void (*run)(void *context, unsigned i), void *context, unsigned n);

/* How many processors this process may use. */
unsigned workers_host_threads(void);

#endif

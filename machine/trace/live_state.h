/* SPDX-License-Identifier: MIT */
/* A running program as a source: what its start and end (live_open.c) and its records (live.c) have in common. */
#ifndef MACHINE_TRACE_LIVE_STATE_H
#define MACHINE_TRACE_LIVE_STATE_H

#include <pthread.h>
#include <sys/types.h>
#include "machine/trace/live.h"
#include "machine/trace/process.h"
#include "machine/trace/ring.h"
#include "machine/trace/workers.h"

/*
 * Every word of the shared memory may change at any time to any value: each traced process can write into it. What the
 * reader relies on is in its own memory: a slot's owner, positions, copies of words and names, whether the program has
 * ended.
 */
enum { COPY_WORDS = 16384 }; /* each piece costs two threads that wake each other */

struct live_thread {
  unsigned slot;
  pid_t process;
  bool ended;    /* the slot is free again */
  uint64_t read; /* words that were copied */
};

/* A slot's next words, and those behind them, which a host thread may copy meanwhile. */
struct live_copy {
  struct work work; /* copies words `from` to before `end` of the ring to the other half, as many as fit */
  const struct ring *ring;
  uint64_t from, end;
  ptrdiff_t copied; /* how many were; negative: they are damaged */
  bool used;        /* a thread that has not ended owns the slot */
  unsigned half;    /* that the next words are in */
  size_t n, taken;
  uint64_t word[2][COPY_WORDS];
};

struct live {
  struct trace_source base;
  struct ring_area *area;
  struct live_copy *copy; /* one per slot */
  char name[RING_NAMES][RING_NAME_BYTES];
  int fd, setup_fd;
  pid_t pid;
  bool gone; /* the program has ended; area->gone says so to the producers */
  int wait_status;
  bool lost; /* there is no status */
  pthread_t waiter;
  bool waiting, joined, finished;
  struct live_thread *thread; /* by serial number */
  unsigned n, room;
  unsigned most;  /* maximum number of simultaneous threads */
  unsigned waits; /* since the last search for terminated processes */
  struct live_stop *stop;
  bool forwarded; /* the program got the signal that requests the stop */
  struct process_stop request;
  unsigned left; /* number of threads still running when the first process ended */
};

extern const struct trace_source_ops live_ops;

/* live_copy.c: the next words of a thread that has none left, of those before `end`. PMON_E_SYNTAX: they are damaged.
 */
int live_copy_words(struct live *l, struct live_thread *t, uint64_t end);
/* As of struct trace_source. */
void live_copy_ahead(struct trace_source *s, unsigned threads);
/* No copying goes on. */
void live_copy_end(struct live *l);

static inline bool live_has_ended(const struct live *l)
{
  return __atomic_load_n(&l->gone, __ATOMIC_ACQUIRE);
}

#endif

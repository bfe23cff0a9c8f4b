/* SPDX-License-Identifier: MIT */
/* A running program as a source: the state shared by its start and end (live_open.c) and its records (live.c). */
#ifndef MACHINE_TRACE_LIVE_STATE_H
#define MACHINE_TRACE_LIVE_STATE_H

#include <pthread.h>
#include <sys/types.h>
#include "machine/trace/live.h"
#include "machine/trace/process.h"
#include "machine/trace/ring.h"
#include "machine/trace/workers.h"

/*
 * Every word of the shared memory may change at any time to any value: each traced process can write into it. The state
 * that the reader relies on is in the reader's own memory: a slot's owner, positions, copies of words and names, and
 * whether the program has ended.
 */
enum { COPY_WORDS = 16384 }; /* words copied in one piece; each piece costs two wake-ups between threads */

struct live_thread {
  unsigned slot;
  pid_t process;
  bool ended;     /* the slot is free again */
  uint64_t read;  /* number of words copied */
  uint64_t noted; /* position of live_note() */
};

/* The next words of a slot, and the words after them, which a host thread may copy at the same time. */
struct live_copy {
  struct work work; /* copies words `from` to before `end` of the ring, as many as fit, to the other half */
  const struct ring *ring;
  uint64_t from, end;
  ptrdiff_t copied; /* number of words copied; negative: the ring is damaged */
  bool used;        /* a thread that has not ended owns the slot */
  unsigned half;    /* the half that contains the next words */
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
  bool begun; /* the program may run: area->begins is the producers' copy */
  bool gone;  /* the program has ended; area->gone is the producers' copy */
  int wait_status;
  bool lost; /* the program's exit status is unknown */
  pthread_t waiter;
  bool waiting, joined;
  struct live_thread *thread; /* by serial number */
  unsigned n, room;
  unsigned most;  /* maximum number of simultaneous threads */
  bool watches;   /* the reader may watch for records before it sleeps: the host has another processor */
  unsigned waits; /* number of waits since the last search for terminated processes */
  struct live_stop *stop;
  bool (*interrupts)(void *user); /* as in the options */
  void *user;
  bool forwarded; /* the program got the stop request's signal */
  struct process_stop request;
  unsigned left; /* number of threads still running when the first process ended */
};

extern const struct trace_source_ops live_ops;

/* live_copy.c: copies the next words, before position `end`, of a thread that has used up its words. PMON_E_SYNTAX: the
 * ring is damaged. */
int live_copy_words(struct live *l, struct live_thread *t, uint64_t end);
/* trace_source.ahead */
void live_copy_ahead(struct trace_source *s, unsigned threads);
/* Ends all copying by host threads. */
void live_copy_end(struct live *l);

/* live_open.c: lets the program run; calls after the first do nothing. */
void live_begin(struct live *l);
/* live_open.c: waits for the end of the program, and takes its exit status; once. */
void live_join(struct live *l);

static inline bool live_has_ended(const struct live *l)
{
  return __atomic_load_n(&l->gone, __ATOMIC_ACQUIRE);
}

#endif

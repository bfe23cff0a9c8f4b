/* SPDX-License-Identifier: MIT */
/*
 * Sources of records: a running program, a binary trace, a lackey text. One interface, so that feeding the machine,
 * recording and converting are implemented once.
 *
 * A source has threads, numbered from 0 in the order of their start. Each thread's records (machine/trace/ring.h) are
 * delivered in program order through windows of memory that the source owns.
 */
#ifndef MACHINE_TRACE_SOURCE_H
#define MACHINE_TRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_ERROR_SIZE 512
#define TRACE_ANY UINT32_MAX

enum trace_pause { TRACE_REST = 1, TRACE_SLEEP };

enum trace_state {
  TRACE_RUNNING, /* more records may follow */
  TRACE_BLOCKED, /* the thread waits, for example in a system call; other threads need not wait for it */
  TRACE_ENDED    /* no records follow this window */
};

struct trace_window {
  const uint64_t *record;
  size_t n;
  enum trace_state state; /* the thread's state after the window is consumed */
};

struct traffic;
struct workers;
struct trace_source;
struct trace_source_ops {
  /* Sets *ret_threads to the number of threads started so far, and *ret_ended when no thread will be added. Does not
   * wait. Returns 0, a negative enum pmon_status, or TRACE_REST when a stop is requested. */
  int (*poll)(struct trace_source *s, unsigned *ret_threads, bool *ret_ended);
  /* Waits until `thread` (TRACE_ANY: any) has records, is blocked or has ended, or until that is impossible before
   * other threads' records are consumed. Returns without waiting: TRACE_REST when no record will come before the
   * caller lets the threads continue, and time stops until then; TRACE_SLEEP for the same while time passes. */
  int (*await)(struct trace_source *s, unsigned thread);
  /* The current records of `thread` (possibly none); valid until consume() of that thread or await(). */
  int (*window)(struct trace_source *s, unsigned thread, struct trace_window *ret_window);
  /* Consumes the first `n` records of the thread's window. */
  void (*consume)(struct trace_source *s, unsigned thread, size_t n);
  void (*free)(struct trace_source *s);
  /* Returns the region name that marks refer to by `number`, owned by the source; NULL: not known yet. A source without
   * marks has no such function. */
  const char *(*name)(struct trace_source *s, uint32_t number);
};

struct trace_source {
  const struct trace_source_ops *ops;
  char error[TRACE_ERROR_SIZE]; /* why the last call failed */
  /* Registers the memory that the programs have before they touch it (traffic_memory_add()). NULL: it is not known. */
  int (*memory)(const struct trace_source *s, struct traffic *t);
  /* Lets host threads do the source's work ahead of the reader: `threads` of them, including the reader's, until
   * free(). The delivered records are the same. NULL: the source does nothing ahead. */
  void (*ahead)(struct trace_source *s, unsigned threads);
  struct workers *workers; /* these host threads, with which the reader may share work; NULL: none */
};

static inline const char *trace_source_name(struct trace_source *s, uint32_t number)
{
  return s->ops->name ? s->ops->name(s, number) : NULL;
}

static inline void trace_source_ahead(struct trace_source *s, unsigned threads)
{
  if (s->ahead)
    s->ahead(s, threads);
}

static inline void trace_source_free(struct trace_source *s)
{
  if (s)
    s->ops->free(s);
}

/* Opens a trace file: binary (plain or zstd) or lackey text, distinguished by the first bytes. PMON_E_IO,
 * PMON_E_SYNTAX, PMON_E_MEMORY; the text is in error. */
int trace_open(const char *path, char *error, size_t error_size, struct trace_source **ret_source);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Where records come from: a running program, a binary trace, a lackey text. One interface, so that feeding the
 * machine, recording and converting are written once.
 *
 * A source has threads, numbered from 0 in the order in which they begin. Each thread's records (machine/trace/ring.h)
 * come in its program order through windows of memory that the source owns.
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
  TRACE_RUNNING, /* more records will come, or may */
  TRACE_BLOCKED, /* the thread waits for something (a system call): others need not wait for it */
  TRACE_ENDED    /* nothing comes after this window */
};

struct trace_window {
  const uint64_t *record;
  size_t n;
  enum trace_state state; /* of the thread once the window is consumed */
};

struct trace_source;
struct trace_source_ops {
  /* Sets *ret_threads to the number of threads begun so far and *ret_ended when no other will begin. Does not wait.
   * 0 or a negative enum pmon_status. */
  int (*poll)(struct trace_source *s, unsigned *ret_threads, bool *ret_ended);
  /* Waits until `thread` (TRACE_ANY: any) has records, is blocked or has ended; or until that cannot happen before
   * other threads' records are taken. Instead of waiting: TRACE_REST, when nothing will come before the caller has let
   * the threads go on, and time stands still until then; TRACE_SLEEP: the same, but time passes. */
  int (*await)(struct trace_source *s, unsigned thread);
  /* The records of `thread` at hand (maybe none); valid until consume() of that thread or await(). */
  int (*window)(struct trace_source *s, unsigned thread, struct trace_window *ret_window);
  /* Gives back the first `n` records of the thread's window. */
  void (*consume)(struct trace_source *s, unsigned thread, size_t n);
  void (*free)(struct trace_source *s);
};

struct trace_source {
  const struct trace_source_ops *ops;
  char error[TRACE_ERROR_SIZE]; /* why the last call failed */
};

static inline void trace_source_free(struct trace_source *s)
{
  if (s)
    s->ops->free(s);
}

/* Opens a trace file: binary (plain or zstd) or lackey text, told apart by how it begins. PMON_E_IO, PMON_E_SYNTAX,
 * PMON_E_MEMORY; the text is put into error. */
int trace_open(const char *path, char *error, size_t error_size, struct trace_source **ret_source);

#endif

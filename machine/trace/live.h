/* SPDX-License-Identifier: MIT */
/*
 * A running program as a source of records: the program, its child processes and the programs they execute, until it
 * ends.
 */
#ifndef MACHINE_TRACE_LIVE_H
#define MACHINE_TRACE_LIVE_H

#include <signal.h>
#include "machine/trace/launcher.h"
#include "machine/trace/source.h"

/* A request to stop a measurement: the signal's number and the number of signals, as their handler set them. late, set
 * when the source is freed: the program had not ended LIVE_END_SECONDS after the signal, and was killed. */
struct live_stop {
  volatile sig_atomic_t number, count;
  bool late;
};
enum { LIVE_END_SECONDS = 20 };

struct live_options {
  char *const *argv;         /* the command, NULL at the end */
  const char *qemu, *plugin; /* NULL: the launcher searches for it (machine/trace/launcher.h) */
  /* If number is not 0, await() does not wait, the program gets that signal, and trace_source_free() waits for its end;
   * a second signal kills it with all processes that it started. NULL: the program is killed when the source is freed
   * before its end. */
  struct live_stop *stop;
  unsigned line_bytes; /* not 0: instruction blocks end at lines of this many bytes */
  struct launch_sampling sampling;
  const struct signal_settings *signals; /* with which the program starts; NULL: this process's */
  /* Called while the whole program waits, and all that it has executed was consumed. True: the caller has something to
   * do at this point of the program; await() returns TRACE_REST. NULL: it has not. */
  bool (*interrupts)(void *user);
  void *user; /* of interrupts() */
};

struct live_result {
  int exit_code;         /* the program's exit status; 128 + signal when a signal terminated it */
  int signal;            /* 0: it exited normally */
  unsigned threads;      /* of all processes; a program after execve() has new threads */
  unsigned most;         /* maximum number of simultaneous threads */
  unsigned lost_threads; /* threads beyond the maximum number of traced threads */
  unsigned children;     /* child processes */
  unsigned unseen;       /* executed programs that could not be traced */
  unsigned unnamed;      /* dropped marks of regions: no readable name, or more names than can be recorded */
  bool forged;           /* the program has overwritten the four counts above: they are 0 */
  unsigned left;         /* threads of child processes still running when the command ended */
  bool flushes;          /* the program has instructions that flush or write back lines: they had no effect */
};

/* Starts the emulator. The program begins at the first poll(), runs until its rings are full, and continues as they are
 * read. Errors as launch_resolve() and launch_start(). The calling thread must live as long as the program, which is
 * terminated with it. */
int live_open(const struct live_options *options, char *error, size_t error_size, struct trace_source **ret_source);

/* Finds the program, the emulator and the plugin for live_open(), and starts nothing. Errors as launch_resolve(). */
int live_check(const struct live_options *options, char *error, size_t error_size);

/* Notes what the program has executed so far; returns whether all of that has been consumed. `s` is the source of
 * live_open(). A thread that cannot be noted for want of memory fails the next poll(). */
void live_note(struct trace_source *s);
bool live_has_passed(const struct trace_source *s);

/* Waits for the program's end if necessary, and returns its result. The records must have been consumed, otherwise the
 * program waits for space. `s` is the source of live_open(). PMON_E_NO_DEVICE: the plugin was never loaded; PMON_E_IO:
 * the program's exit status is lost; both with text in s->error. */
int live_result(struct trace_source *s, struct live_result *ret);

/* Writes notes to text, one per line: the possible differences of another run (several threads), and the parts of the
 * program that were not traced (programs that cannot be emulated, too many threads, processes that outlive the
 * command, instructions that flush lines). Empty: one thread, traced completely. */
void live_notes(const struct live_result *r, char *text, size_t text_size);

#endif

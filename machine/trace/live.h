/* SPDX-License-Identifier: MIT */
/*
 * A running program as a source of records: it, its child processes and what they execute, until it ends.
 */
#ifndef MACHINE_TRACE_LIVE_H
#define MACHINE_TRACE_LIVE_H

#include "machine/trace/source.h"

struct live_options {
  char *const *argv;         /* the command, NULL at the end */
  const char *qemu, *plugin; /* NULL: found by the launcher (machine/trace/launcher.h) */
  unsigned line_bytes;       /* not 0: instruction blocks end at lines of so many bytes */
};

struct live_result {
  int exit_code;         /* of the program; 128 + signal when one ended it */
  int signal;            /* 0: it exited by itself */
  unsigned threads;      /* of all processes; a program that replaces another has threads of its own */
  unsigned most;         /* of them at a time */
  unsigned lost_threads; /* beyond those that can be followed at a time */
  unsigned children;     /* child processes */
  unsigned unseen;       /* programs that were executed and could not be followed */
  unsigned left;         /* threads of child processes that went on when the command ended */
};

/* Starts the program; it runs until its rings are full and goes on as they are read. Errors as launch_resolve() and
 * launch_start(). The calling thread must live as long as the program, which ends with it. */
int live_open(const struct live_options *options, char *error, size_t error_size, struct trace_source **ret_source);

/* How the program ended; waits for it to end if it has not (its records must have been taken, or it waits for room).
 * `s` is what live_open() gave. PMON_E_NO_DEVICE with text in s->error: the plugin was never loaded. */
int live_result(struct trace_source *s, struct live_result *ret);

/* Says in words what another run can do differently (several threads) and what the machine could not see of the program
 * (programs that cannot be emulated, too many threads, what outlives it), one line each, into text; empty: one thread,
 * seen whole. */
void live_notes(const struct live_result *result, char *text, size_t text_size);

#endif

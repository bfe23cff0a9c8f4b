/* SPDX-License-Identifier: MIT */
/*
 * A running program as a source of records.
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
  int exit_code;             /* of the program; 128 + signal when one ended it */
  int signal;                /* 0: it exited by itself */
  unsigned threads, lost_threads, forks, execs;
};

/* Starts the program; it runs until its rings are full and goes on as they are read. Errors as launch_resolve() and
 * launch_start(). The calling thread must live as long as the program, which ends with it. */
int live_open(const struct live_options *options, char *error, size_t error_size, struct trace_source **ret_source);

/* How the program ended; waits for it to end if it has not (its records must have been taken, or it waits for room).
 * `s` is what live_open() gave. PMON_E_NO_DEVICE with text in s->error: the plugin was never loaded. */
int live_result(struct trace_source *s, struct live_result *ret);

/* Says in words what another run can do differently (several threads) and what the machine could not see of the program
 * (child processes, replaced programs, too many threads), one line each, into text; empty: one thread, seen whole. */
void live_notes(const struct live_result *result, char *text, size_t text_size);

#endif

/* SPDX-License-Identifier: MIT */
/* Other processes: whether they live, and requests to stop. */
#ifndef MACHINE_TRACE_PROCESS_H
#define MACHINE_TRACE_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include "src/base/signals.h"

/* Whether a process has terminated, independent of whether its parent waited for it. The main thread can terminate
 * before the others. */
bool process_is_dead(pid_t process);

/*
 * A command that is asked to stop, and all processes that it has started. They share no process group: a shell's job
 * control, setsid() and a terminal's need for this process in its foreground group forbid one of their own. They are
 * found as descendants in /proc. From the request on this process adopts those whose parents end
 * (PR_SET_CHILD_SUBREAPER), so that they stay descendants.
 */
enum { PROCESS_OTHERS = 16 };
struct process_stop {
  const struct signal_settings *signals; /* that the command was started with; NULL: not known */
  bool emulated;                         /* the child is its emulator, whose own signals say nothing of it */
  bool requested;
  unsigned n;
  pid_t other[PROCESS_OTHERS]; /* other children that this process had at the request */
};

/* Passes a request to stop on to a child. One that ignores SIGINT or SIGHUP, because it was started in the background
 * or by nohup, or has the signal ignored or blocked from its start, gets SIGTERM instead; if it has SIGTERM so from its
 * start, it is killed with its descendants, as nothing else ends it. On a host a signal that the child has set up
 * otherwise by now is passed on. A child that has chosen by itself to ignore SIGTERM gets it: a second request kills.
 */
void process_request_stop(struct process_stop *stop, pid_t process, int signal_number);

/* Kills the child and all its descendants. Without a request before, those whose parents have ended are not found. */
void process_kill_all(const struct process_stop *stop, pid_t process);

/* Waits for the end of a child that was asked to stop; kills all as soon as more than one signal came. `signals`: their
 * number, as a handler counts them; NULL: none come. */
void process_await_end(const struct process_stop *stop, pid_t process, const volatile sig_atomic_t *signals);

#endif

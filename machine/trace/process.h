/* SPDX-License-Identifier: MIT */
/* Other processes: whether they live, and requests to stop. */
#ifndef MACHINE_TRACE_PROCESS_H
#define MACHINE_TRACE_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include "src/base/signals.h"

/* True if a process has terminated, whether or not its parent has waited for it. The main thread can terminate before
 * the others. */
bool process_is_dead(pid_t process);

/* True if each thread of the process waits, for example in a system call: none is running, or in a short wait inside
 * the kernel. */
bool process_is_waiting(pid_t process);

/*
 * A command that is asked to stop, and all processes that it has started. They do not share a process group: a shell's
 * job control, setsid(), and the terminal, which needs this process in its foreground group, rule out a separate group.
 * They are found as descendants in /proc. From the request on, this process adopts those whose parents end
 * (PR_SET_CHILD_SUBREAPER), so that they stay descendants.
 */
enum { PROCESS_OTHERS = 16 };
struct process_stop {
  const struct signal_settings *signals; /* with which the command was started; NULL: unknown */
  bool emulated; /* the child is the command's emulator, whose signal settings are not the command's */
  bool requested;
  unsigned n;
  pid_t other[PROCESS_OTHERS]; /* children of this process at the request, other than the command */
};

/* Forwards a request to stop to a child. A child that ignores SIGINT or SIGHUP because it was started in the background
 * or by nohup, or that had the signal ignored or blocked at its start, gets SIGTERM instead; if it also had SIGTERM
 * ignored or blocked at its start, it is killed with its descendants, because nothing else ends it. On a real host, a
 * signal whose action the child has changed since is forwarded as it is. A child that has itself chosen to ignore
 * SIGTERM gets SIGTERM: a second request kills it. */
void process_request_stop(struct process_stop *stop, pid_t process, int signal_number);

/* Kills the child and all its descendants. Without an earlier request, descendants whose parents have ended are not
 * found. */
void process_kill_all(const struct process_stop *stop, pid_t process);

/* Waits for the end of a child that was asked to stop; kills it and its descendants when more than one signal has come.
 * `signals`: number of signals, as a handler counts them; NULL: none come. */
void process_await_end(const struct process_stop *stop, pid_t process, const volatile sig_atomic_t *signals);

#endif

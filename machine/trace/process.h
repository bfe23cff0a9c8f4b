/* SPDX-License-Identifier: MIT */
/* Other processes: whether they live, and requests to stop. */
#ifndef MACHINE_TRACE_PROCESS_H
#define MACHINE_TRACE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether a process has terminated, independent of whether its parent waited for it. The main thread can terminate
 * before the others. */
bool process_is_dead(pid_t process);

/* Passes a request to stop on to a child. A child that ignores SIGINT or SIGHUP, because it was started in the
 * background or by nohup, gets SIGTERM instead. */
void process_request_stop(pid_t process, int signal_number);

#endif

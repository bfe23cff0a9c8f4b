/* SPDX-License-Identifier: MIT */
/* Processes that are not children of this one. */
#ifndef MACHINE_TRACE_PROCESS_H
#define MACHINE_TRACE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether a process has terminated, independent of whether its parent waited for it. The main thread can terminate
 * before the others. */
bool process_is_dead(pid_t process);

#endif

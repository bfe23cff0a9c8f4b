/* SPDX-License-Identifier: MIT */
/* A process that is not our child. */
#ifndef MACHINE_TRACE_PROCESS_H
#define MACHINE_TRACE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether a process has ended, its parent having asked for it or not: the first of its threads can have, with others
 * left. */
bool process_is_dead(pid_t process);

#endif

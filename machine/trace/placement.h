/* SPDX-License-Identifier: MIT */
/*
 * Which core a thread runs on. The machine has no operating system that moves threads: a thread stays where it begins.
 */
#ifndef MACHINE_TRACE_PLACEMENT_H
#define MACHINE_TRACE_PLACEMENT_H

#include <stddef.h>

struct placement;

/* `policy` is "compact" (NULL too: cores of socket 0 first, then socket 1), "spread" (sockets in turn), or a list of
 * cores such as "0,64,1-3", counted over all sockets. PMON_E_SYNTAX, PMON_E_RANGE (a core the machine does not have),
 * PMON_E_MEMORY, with the text in error. */
int placement_new(const char *policy, unsigned sockets, unsigned cores_per_socket, char *error, size_t error_size,
                  struct placement **ret_placement);
void placement_free(struct placement *p);

/* The next thread gets `core`, whatever the policy says; several wishes are granted in order, -1 leaves one thread to
 * the policy. PMON_E_RANGE, PMON_E_MEMORY. */
int placement_wish(struct placement *p, int core);
/* A core for a new thread: the first, in the policy's order, of those that have the fewest threads. */
unsigned placement_take(struct placement *p);
/* The thread on `core` ended. */
void placement_release(struct placement *p, unsigned core);

#endif

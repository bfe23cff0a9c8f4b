/* SPDX-License-Identifier: MIT */
/*
 * The assignment of threads to cores. The machine has no operating system that moves threads: a thread keeps its first
 * core.
 */
#ifndef MACHINE_TRACE_PLACEMENT_H
#define MACHINE_TRACE_PLACEMENT_H

#include <stddef.h>

struct placement;

/* `policy` is "compact" (the default for NULL: cores of socket 0 first, then socket 1), "spread" (sockets
 * round-robin), or a list of cores such as "0,64,1-3", numbered over all sockets. PMON_E_SYNTAX, PMON_E_RANGE (a
 * core that the machine does not have, or that is listed twice), PMON_E_MEMORY, with the text in error. The
 * buffer for the error text takes two of the six parameters. */
int placement_new(const char *policy, unsigned sockets, unsigned cores_per_socket, char *error, size_t error_size,
                  struct placement **ret_placement);
void placement_free(struct placement *p);

/* Puts the next thread on `core`, independent of the policy. Several requests apply in order; -1 leaves one thread to
 * the policy. PMON_E_RANGE, PMON_E_MEMORY. */
int placement_wish(struct placement *p, int core);
/* Returns the core for a new thread: among the cores with the fewest threads, the first in the policy's order. */
unsigned placement_take(struct placement *p);
/* Records that the thread on `core` ended. */
void placement_release(struct placement *p, unsigned core);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The memory accesses of a whole guest as a source of records: QEMU's processors in system emulation, each a thread.
 * The guest is the clock: when its processors stand still, the source tells to rest, and no time passes.
 */
#ifndef MACHINE_TRACE_GUEST_H
#define MACHINE_TRACE_GUEST_H

#include "machine/trace/source.h"

struct guest;

/* `processors`: 1 to 256. PMON_E_IO, PMON_E_MEMORY with the reason in error. */
int guest_open(unsigned processors, char *error, size_t error_size, struct guest **ret_guest);
/* Its face for trace_workload_new(), which then owns it. */
struct trace_source *guest_source(struct guest *g);
/* For the plugin's arguments `shm` and `wake`. The latter can be polled: readable once there is something to be taken
 * after a rest; guest_quiet() makes it unreadable again. */
int guest_memory_fd(const struct guest *g);
int guest_wake_fd(const struct guest *g);
void guest_quiet(struct guest *g);
/* From now on the guest is to be followed; before, it runs unseen. */
void guest_follow(struct guest *g);
/* Whether that has begun: false when QEMU did not take the plugin. */
bool guest_followed(const struct guest *g);
/* The processors wait for an answer: all that they did can be taken, also what has not been shown yet. */
void guest_stands(struct guest *g, bool stands);
/* The processors wait for time to pass: the source tells to sleep instead of to rest. */
void guest_sleeps(struct guest *g, bool sleeps);

#endif

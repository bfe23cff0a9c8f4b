/* SPDX-License-Identifier: MIT */
/*
 * The memory accesses of a whole guest as a source of records: one thread per processor of QEMU's system emulation. The
 * guest determines the time: while its processors are stopped, the source returns TRACE_REST and no time passes.
 */
#ifndef MACHINE_TRACE_GUEST_H
#define MACHINE_TRACE_GUEST_H

#include "machine/trace/source.h"

struct guest;

/* `processors`: 1 to 256. PMON_E_IO, PMON_E_MEMORY with the reason in error. */
int guest_open(unsigned processors, char *error, size_t error_size, struct guest **ret_guest);
/* Returns the source for trace_workload_new(), which then owns it. */
struct trace_source *guest_source(struct guest *g);
/* Descriptors for the plugin's arguments `shm` and `wake`. The latter supports poll(): it becomes readable when
 * records are available after a rest; guest_quiet() resets it. */
int guest_memory_fd(const struct guest *g);
int guest_wake_fd(const struct guest *g);
void guest_quiet(struct guest *g);
/* Starts recording the guest's accesses; before, the guest runs without recording. */
void guest_follow(struct guest *g);
/* True if recording has started; false: QEMU did not load the plugin. */
bool guest_followed(const struct guest *g);
/* The processors are stopped until they get a response. All their records can be consumed, also unpublished ones. */
void guest_stands(struct guest *g, bool stands);
/* The processors are stopped until time passes: the source returns TRACE_SLEEP instead of TRACE_REST. */
void guest_sleeps(struct guest *g, bool sleeps);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A workload from a source of records: each thread runs on its core, interleaved by simulated time.
 */
#ifndef MACHINE_TRACE_WORKLOAD_H
#define MACHINE_TRACE_WORKLOAD_H

#include "machine/machine.h"
#include "machine/trace/placement.h"
#include "machine/trace/source.h"

/* Owns source and placement from the call on, also after a failure. live_result() can use the source until the
 * workload is freed. PMON_E_MEMORY. */
int trace_workload_new(struct trace_source *source, struct placement *placement,
                       struct machine_workload **ret_workload);

#endif

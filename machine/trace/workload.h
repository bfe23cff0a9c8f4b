/* SPDX-License-Identifier: MIT */
/*
 * A source of records as what feeds the machine: each thread on its core, interleaved by simulated time.
 */
#ifndef MACHINE_TRACE_WORKLOAD_H
#define MACHINE_TRACE_WORKLOAD_H

#include "machine/machine.h"
#include "machine/trace/placement.h"
#include "machine/trace/source.h"

/* Owns source and placement from then on, also when it fails. The source can still be asked (live_result()) until the
 * workload is freed. PMON_E_MEMORY. */
int trace_workload_new(struct trace_source *source, struct placement *placement,
                       struct machine_workload **ret_workload);

#endif

/* SPDX-License-Identifier: MIT */
/* Events by the kernel's own names, as Linux perf takes them: uncore_imc_0/cas_count_read/. */
#ifndef CLI_STAT_KERNEL_EVENTS_H
#define CLI_STAT_KERNEL_EVENTS_H

#include "cli/target/hardware.h"

/* Adds a list of events to a plan. If the host is of the plan's platform, names from the folders `events` of the
 * kernel's PMUs are accepted, and reported in the unit that the kernel states. An exit code. */
int kernel_events_add(struct cli *cli, const struct hardware *h, struct pmon_plan *plan, const char *list);

#endif

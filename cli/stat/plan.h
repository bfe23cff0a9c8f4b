/* SPDX-License-Identifier: MIT */
/* The plan of a measurement. */
#ifndef CLI_STAT_PLAN_H
#define CLI_STAT_PLAN_H

struct stat_run;

/* Completes and schedules the plan: with the default metrics, if nothing else is wanted, and with what --check and
 * --witness add. Warns of events that violate programming rules. An enum cli_exit. */
int stat_make_plan(struct stat_run *s);

#endif

/* SPDX-License-Identifier: MIT */
/* The rows of one event, as `pmon show` prints them. */
#ifndef PMON_CLI_FACTS_SHOW_ROWS_H
#define PMON_CLI_FACTS_SHOW_ROWS_H

#include "cli/common/cli.h"

/* Writes the event's code and the counters that can count it, each if it is the same in all rows of the event. */
void show_rows_counters(struct cli *cli, const struct pmon_event_info *e, uint32_t unit);
/* Writes a line for each umask of the event. */
void show_rows_umasks(struct cli *cli, const struct pmon_event_info *e, uint32_t unit);
/* Writes the units that count the row of a unit without instances, or that its registers have no known addresses. */
void show_rows_elsewhere(struct cli *cli, const struct pmon_event_info *e);

#endif

/* SPDX-License-Identifier: MIT */
/* Metrics with a parameter of which one session counts one value only (a filter that is in effect later than it is
 * written), and that patterns of names therefore leave out (pmon_metric_takes_one_value()). */
#ifndef PMON_CLI_ONE_VALUE_H
#define PMON_CLI_ONE_VALUE_H

#include "cli/common/cli.h"

/* A value for the user to see: "PCT_FREQ_BAND0.23". Returns `text`. */
const char *one_value_example(const struct pmon_metric_info *m, char *text, size_t size);

/* Warns of these metrics where patterns of the list match them and have left them out. */
void one_value_warn(const struct cli *cli, const char *list);

#endif

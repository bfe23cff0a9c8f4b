/* SPDX-License-Identifier: MIT */
/* Metrics whose parameter can have one value only in a session, because their filter takes effect later than it is
 * written. Patterns of names therefore leave them out (pmon_metric_takes_one_value()). */
#ifndef PMON_CLI_ONE_VALUE_H
#define PMON_CLI_ONE_VALUE_H

#include "cli/common/cli.h"

/* Writes an example for the user, with a value: "PCT_FREQ_BAND0.23". Returns `text`. */
const char *one_value_example(const struct pmon_metric_info *m, char *text, size_t size);

/* Warns of such metrics, if patterns of the list match them and have left them out. */
void one_value_warn(const struct cli *cli, const char *list);

#endif

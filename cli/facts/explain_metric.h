/* SPDX-License-Identifier: MIT */
/* `pmon explain METRIC`: how a number on the screen is computed. */
#ifndef CLI_FACTS_EXPLAIN_METRIC_H
#define CLI_FACTS_EXPLAIN_METRIC_H

#include "cli/common/cli.h"

/* Explains the metrics of this name; with a recording, with its counts. False: there is none; else *ret_exit is the
 * exit code. */
bool explain_metric(struct cli *cli, const struct cli_options *options, const char *name, int *ret_exit);

#endif

/* SPDX-License-Identifier: MIT */
/* How Linux perf's event files name units and number counters that cannot be programmed. */
#ifndef CLI_FACTS_PERF_H
#define CLI_FACTS_PERF_H

#include "cli/common/cli.h"

/* The umask that selects free-running counter `index` of a PMU (uncore_iio) beside event 0xff; 0: Linux has none. */
uint32_t perf_free_umask(const char *pmu, uint32_t index);

/* Writes the events that the options ask for as one event file of perf's. An exit code. */
int perf_list(struct cli *cli, const struct cli_options *options, uint32_t unit);

#endif

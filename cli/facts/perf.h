/* SPDX-License-Identifier: MIT */
/* Names of units and numbers of free-running and fixed counters in Linux perf's event files. */
#ifndef CLI_FACTS_PERF_H
#define CLI_FACTS_PERF_H

#include "cli/common/cli.h"

/* The umask that selects free-running counter `index` of a PMU (uncore_iio) with event 0xff; 0: Linux has none. */
uint32_t perf_freerunning_umask(const char *pmu, uint32_t index);

/* Writes the events selected by the options as one event file for perf. An exit code. */
int perf_list(struct cli *cli, const struct cli_options *options, uint32_t unit);

#endif

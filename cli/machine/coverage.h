/* SPDX-License-Identifier: MIT */
#ifndef CLI_MACHINE_COVERAGE_H
#define CLI_MACHINE_COVERAGE_H

#include "cli/common/cli.h"

/* unit: only this one's rows, NULL: all; totals: the sums alone. */
struct coverage_options {
  const char *unit;
  bool json, totals;
};

/* pmon machine coverage: each row of the platform's event tables, how the machine moves it, and percentages by unit. */
int cli_coverage(struct cli *cli, const struct coverage_options *options);

#endif

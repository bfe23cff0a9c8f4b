/* SPDX-License-Identifier: MIT */
#ifndef CLI_MACHINE_COVERAGE_H
#define CLI_MACHINE_COVERAGE_H

#include "cli/common/cli.h"

/* unit: only rows of this unit, NULL: all; totals: print only sums. */
struct coverage_options {
  const char *unit;
  bool json, totals;
};

/* pmon machine coverage: for each row of the platform's event tables, its cause in the machine; and percentages by
 * unit. */
int cli_coverage(struct cli *cli, const struct coverage_options *options);

#endif

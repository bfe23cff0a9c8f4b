/* SPDX-License-Identifier: MIT */
#ifndef CLI_COVERAGE_H
#define CLI_COVERAGE_H

#include "cli/cli.h"

/* pmon machine coverage: each row of the platform's event tables, how the machine moves it, and percentages by unit. */
int cli_coverage(struct cli *cli, bool json);

#endif

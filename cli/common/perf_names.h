/* SPDX-License-Identifier: MIT */
/* What options and commands of Linux perf are called here, for messages about those that pmon does not have. */
#ifndef CLI_COMMON_PERF_NAMES_H
#define CLI_COMMON_PERF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include "cli/common/cli.h"

/* The remedy for the option `given` ("-x", "--no-aggr", or an abbreviation, "--field-sep"), of which `rows` have the
 * counterpart; NULL: none is known. */
const char *perf_names_option(const char *given, const struct cli_option *const *rows, size_t n);

/* The remedy for a command of perf, or one that is looked for; NULL: none is known. */
const char *perf_names_command(const char *name);

#endif

/* SPDX-License-Identifier: MIT */
/* Names of the platform that are near to an unknown one, for error messages. */
#ifndef PMON_CLI_FACTS_NEAR_H
#define PMON_CLI_FACTS_NEAR_H

#include "cli/common/cli.h"

/* Which names are suggested; registers include the names of units. */
enum { NEAR_UNITS = 1, NEAR_REGISTERS = 2, NEAR_VALUES = 4, NEAR_GROUPS = 8, NEAR_METRICS = 16, NEAR_EVENTS = 32 };

/* Writes "; did you mean A, B or C?" into `out` for the names of these kinds that are near to `name`, or "" when none
 * is. */
void near_format(const struct cli *cli, unsigned kinds, const char *name, char *out, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/* Names in the guides that the platform does not have, as units' notes explain. */
#ifndef PMON_CLI_FACTS_NOTED_H
#define PMON_CLI_FACTS_NOTED_H

#include "cli/common/cli.h"

/* Finds the next unit, from *unit on, whose note has `name` (NAME or UNIT/NAME) as a whole word. A name without an
 * underscore is no name of a guide. Fills *info and moves *unit past it; false: there is none. */
bool noted_next(const struct cli *cli, const char *name, uint32_t *unit, struct pmon_unit_info *info);

#endif

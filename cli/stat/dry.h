/* SPDX-License-Identifier: MIT */
/* --dry-run: prints the register writes of a measurement with the registers' names, round by round. */
#ifndef CLI_STAT_DRY_H
#define CLI_STAT_DRY_H

#include "cli/common/cli.h"

/* Writes a line of the dry backend with the register's name behind it; the heading of the first round; and the writes
 * of the other rounds. */
void dry_print_write(struct cli *cli, const char *line);
void dry_print_first(struct cli *cli, const struct pmon_plan *plan, const struct pmon_session *session);
void dry_print_rest(struct cli *cli, const struct pmon_plan *plan, uint32_t packages);

#endif

/* SPDX-License-Identifier: MIT */
/* Devices of a scenario that request more than their links can move. */
#ifndef CLI_TARGET_LINKS_H
#define CLI_TARGET_LINKS_H

#include "cli/common/cli.h"
#include "machine/machine.h"

/* Prints a line for each stream of which the link moved less than 99 %. */
void links_report(struct cli *cli, struct machine *m);

#endif

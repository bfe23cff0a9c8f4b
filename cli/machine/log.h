/* SPDX-License-Identifier: MIT */
/* pmon machine check|replay|diff|rules: commands on logs of register accesses. */
#ifndef CLI_MACHINE_LOG_H
#define CLI_MACHINE_LOG_H

#include "cli/common/cli.h"

/* argv[0] is the subcommand. Returns -1 for any other subcommand, else the exit code. */
int cli_machine_log(struct cli *cli, int argc, char **argv);

#endif

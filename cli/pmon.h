/* SPDX-License-Identifier: MIT */
/* The whole command: its table of subcommands, and the function that main() calls. */
#ifndef CLI_PMON_H
#define CLI_PMON_H

#include "cli/common/cli.h"

/* Ends with NULL. */
extern const struct cli_command *const cli_commands[];
/* Returns the exit code. */
int pmon_main(int argc, char **argv);

#endif

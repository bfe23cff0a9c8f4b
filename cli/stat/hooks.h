/* SPDX-License-Identifier: MIT */
/* --pre and --post: shell commands that run before and after each measurement, while no counter is programmed. */
#ifndef CLI_STAT_HOOKS_H
#define CLI_STAT_HOOKS_H

#include "cli/common/cli.h"

/* Runs the shell command (NULL: none) of the option, and waits for its end. CLI_DONE, or an exit code after printing an
 * error: it failed, or a signal came. */
int stat_hook_run(const struct cli *cli, const char *option, const char *command);

#endif

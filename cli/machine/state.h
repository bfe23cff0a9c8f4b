/* SPDX-License-Identifier: MIT */
/* Files with a machine's register state (docs/logs.md). */
#ifndef CLI_MACHINE_STATE_H
#define CLI_MACHINE_STATE_H

#include "cli/common/cli.h"
#include "cli/target/target.h"

/* Load or save the state of the target's machine, or of its cores. CLI_DONE, or an exit code after an error message. */
int state_load_file(struct cli *cli, const char *path, const struct target *t);
int state_save_file(struct cli *cli, const char *path, const struct target *t);

#endif

/* SPDX-License-Identifier: MIT */
/* pmon machine mount: the machine's MSRs as files. */
#ifndef CLI_MACHINE_MOUNT_H
#define CLI_MACHINE_MOUNT_H

#include "cli/target/target.h"

/* `options->argv` is the folder, optionally followed by a command. The command's exit code, or an enum cli_exit after
 * printing an error. */
int cli_machine_mount(struct cli *cli, struct target_options *options, bool lenient);

#endif

/* SPDX-License-Identifier: MIT */
/* pmon machine mount: the machine's MSRs as files. */
#ifndef CLI_MACHINE_MOUNT_H
#define CLI_MACHINE_MOUNT_H

#include "cli/target/target.h"

/* `options->argv` is the folder, and the command behind it if there is one. The command's exit code, or one of ours
 * after telling the error. */
int cli_machine_mount(struct cli *cli, struct target_options *options);

#endif

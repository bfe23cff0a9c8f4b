/* SPDX-License-Identifier: MIT */
/* pmon machine describe: the parameters of an emulated machine. */
#ifndef CLI_MACHINE_DESCRIBE_H
#define CLI_MACHINE_DESCRIBE_H

#include <stdbool.h>
#include "cli/target/target.h"

/* Prints each parameter with its value and meaning. CLI_DONE, or an exit code after printing an error. */
int cli_machine_describe(struct cli *cli, const struct target_options *o, bool json);

#endif

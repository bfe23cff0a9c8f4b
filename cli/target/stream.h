/* SPDX-License-Identifier: MIT */
/* Montecito's cores with a stream of bundles on them. */
#ifndef CLI_TARGET_STREAM_H
#define CLI_TARGET_STREAM_H

#include "cli/target/target.h"
#include "machine/montecito/machine.h"

/* Creates a machine with the options' parameters that runs their file or generated stream, or has no program. The
 * caller frees it with montecito_machine_free(). CLI_DONE, or an exit code after printing an error; *ret_machine is set
 * only on CLI_DONE. */
int stream_open(struct cli *cli, const struct target_options *o, struct montecito_machine **ret_machine);

#endif

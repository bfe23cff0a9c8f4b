/* SPDX-License-Identifier: MIT */
/* Montecito's cores with a stream of bundles on them. */
#ifndef CLI_TARGET_STREAM_H
#define CLI_TARGET_STREAM_H

#include "cli/common/cli.h"
#include "machine/montecito/machine.h"

/* Creates a machine that runs the file `bundles` or the generated stream `generate`; with both NULL it has no program.
 * The caller frees it with montecito_machine_free(). CLI_DONE, or an exit code after printing an error; *ret_machine is
 * set only on CLI_DONE. */
int stream_open(struct cli *cli, const char *bundles, const char *generate, struct montecito_machine **ret_machine);

#endif

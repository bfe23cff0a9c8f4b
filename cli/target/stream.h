/* SPDX-License-Identifier: MIT */
/* Montecito's cores, and the stream of bundles that they run. */
#ifndef CLI_TARGET_STREAM_H
#define CLI_TARGET_STREAM_H

#include "cli/target/target.h"
#include "machine/montecito/machine.h"

/* Whether the options' input runs on such cores: bundles, a generated stream, or a command in the code of `model`
 * (NULL: unknown). */
bool stream_is_wanted(const struct target_options *o, const struct processor_model *model);

/* Creates a machine that runs the options' file of bundles, generated stream or command, which is a program in the
 * processor's own code; without any of them it has nothing to run. The caller frees it with montecito_machine_free(),
 * and with it *ret_program (NULL: no command). CLI_DONE, or an exit code after printing an error; *ret_machine is
 * set only on CLI_DONE. */
int stream_open(struct cli *cli, const struct target_options *o, struct montecito_machine **ret_machine,
                struct exec_program **ret_program);
/* Reports how a program ended: CLI_DONE after exit status 0. *ret_child, unless NULL: its exit status. */
int stream_result(struct cli *cli, const struct exec_program *program, const char *command, int *ret_child);

#endif

/* SPDX-License-Identifier: MIT */
/* --set and --preset: the parameters of the emulated machine of -p, or of the one that a stream of bundles implies. */
#ifndef CLI_TARGET_SETTINGS_H
#define CLI_TARGET_SETTINGS_H

#include "cli/target/target.h"

/* The model whose parameters --set means: that of -p, or of a stream of bundles; NULL: of machine_config. */
const struct processor_model *settings_model(struct cli *cli, const struct target_options *o);
/* NAME=VALUE, NAME of a preset: CLI_DONE, or an exit code after printing an error. */
int settings_set(struct cli *cli, struct target_options *o, const char *text);
int settings_load_preset(struct cli *cli, struct target_options *o, const char *name);
/* Makes the facts follow the machine's platform. */
int settings_follow_platform(struct cli *cli, struct target_options *o);

#endif

/* SPDX-License-Identifier: MIT */
/* The command's view of the emulated Montecito. */
#ifndef CLI_CORE_H
#define CLI_CORE_H

#include "cli/target.h"
#include "machine/core/core.h"

/* A machine that runs what --bundles or --generate say. CLI_DONE, or an exit code after telling the error. */
int core_open(struct cli *cli, const struct target_options *o, struct core_machine **ret_machine);

/* pmon machine run -p montecito: to the end of the stream; its account, the counters that the stream programmed, and
 * the rules it broke. */
int core_run(struct cli *cli, const struct target_options *o, bool json);

#endif

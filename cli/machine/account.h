/* SPDX-License-Identifier: MIT */
/* The machine's account of a run: the true counts, with which counters are compared. */
#ifndef CLI_MACHINE_ACCOUNT_H
#define CLI_MACHINE_ACCOUNT_H

#include <stdbool.h>
#include "cli/common/out.h"
#include "cli/target/target.h"

/* Prints the counts of the target's machine, for each socket and in total, as text or as one JSON line. Prints nothing
 * for a run that failed before any access. */
void account_write(struct out *out, const struct target *t, const struct machine_config *config, bool json,
                   bool failed);

#endif

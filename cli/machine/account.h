/* SPDX-License-Identifier: MIT */
/* The machine's own account of a run: the truth that counters are held against. */
#ifndef CLI_MACHINE_ACCOUNT_H
#define CLI_MACHINE_ACCOUNT_H

#include <stdbool.h>
#include "cli/common/out.h"
#include "cli/target/target.h"

/* Prints what happened in the target's machine, for each socket and in total, as text or as one JSON line. Of a run
 * that failed before anything happened it prints nothing. */
void account_write(struct out *out, const struct target *t, const struct machine_config *config, bool json,
                   bool failed);

#endif

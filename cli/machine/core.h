/* SPDX-License-Identifier: MIT */
/* The command's view of the emulated Montecito. */
#ifndef CLI_MACHINE_CORE_H
#define CLI_MACHINE_CORE_H

#include "cli/target/target.h"
#include "machine/montecito/machine.h"

/* What else is asked for: load, save: files of register states; NULL: none. */
struct core_run {
  bool json, check;
  const char *load, *save;
};

/* pmon machine run -p montecito: to the end of the stream; its account, the counters that the stream programmed,
 * interrupts, and the rules it broke. CLI_FAILED: some of its `expect` lines did not hold. */
int core_run(struct cli *cli, const struct target_options *o, const struct core_run *r);

#endif

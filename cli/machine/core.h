/* SPDX-License-Identifier: MIT */
/* The command's view of the emulated Montecito. */
#ifndef CLI_MACHINE_CORE_H
#define CLI_MACHINE_CORE_H

#include "cli/target/target.h"
#include "machine/montecito/machine.h"

/* Further options. load, save: files of register states; NULL: none. */
struct core_run {
  bool json, check;
  const char *load, *save;
};

/* pmon machine run -p montecito: runs the stream to its end; prints its account, the programmed counters, interrupts
 * and violations. CLI_FAILED: some of its `expect` lines failed. */
int core_run(struct cli *cli, const struct target_options *o, const struct core_run *r);

#endif

/* SPDX-License-Identifier: MIT */
/* Overflow attribution: the blocks or counters that a status register names. */
#ifndef CLI_FACTS_OVERFLOW_H
#define CLI_FACTS_OVERFLOW_H

#include "cli/common/cli.h"

/* For a decoded global status, writes the blocks that overflowed; for a block's status, the counters; for other
 * registers nothing. The positions of blocks are those of the discovery page of --replay, of this host, or of the
 * emulated machine. With --json, writes a member of the open object. CLI_DONE, or an exit code after printing an
 * error. */
int overflow_describe(struct cli *cli, const struct cli_options *o, const struct pmon_decoded *d);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * --sample-intervals: only intervals of a command are simulated in detail, and its values are estimates
 * (docs/design/020-sampled-mode.md).
 */
#ifndef CLI_STAT_SAMPLED_H
#define CLI_STAT_SAMPLED_H

#include <pmon/report.h>
#include "cli/common/cli.h"

struct stat_run;
struct target;

struct stat_sampled {
  double share;                /* of the instructions, to be simulated in detail; 0: all are */
  const struct target *target; /* the target that runs */
};

/* The option's value: a share in percent, or NULL. An enum cli_exit. */
int sampled_take_option(const struct cli *cli, struct stat_sampled *s, const char *value);
/* Refuses options that exclude sampling. CLI_DONE, or CLI_USAGE after printing an error. */
int sampled_check(const struct stat_run *s);
/* The same for the scheduled plan; also chooses the command's instructions that are simulated in detail. */
int sampled_plan(struct stat_run *s);
/* Begins a run, on the target that will be opened. */
void sampled_begin(struct stat_run *s, const struct target *t);
/* Returns how the values of the run that has ended were estimated. */
struct pmon_estimate sampled_estimate(const struct stat_sampled *s);

#endif

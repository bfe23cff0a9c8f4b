/* SPDX-License-Identifier: MIT */
/* Opens what a measurement reads: the host, a machine or a log, with the wrappers that check and log. */
#ifndef CLI_STAT_OPEN_H
#define CLI_STAT_OPEN_H

#include "cli/target/target.h"

struct stat_run;

/* Opens the backend: the host, with the command waiting to start, a machine, or a log. An enum cli_exit. */
int stat_open_backend(struct stat_run *s, struct target *t);
/* Puts the checking and logging wrappers around it. An enum cli_exit. */
int stat_wrap_backend(struct stat_run *s, struct target *t);
/* After an error of a replay: prints that the log does not fit. Returns `result`. A capture fits all options. */
int stat_fail_replay(const struct cli *cli, const char *path, int result);

#endif

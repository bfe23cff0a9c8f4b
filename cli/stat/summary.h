/* SPDX-License-Identifier: MIT */
/* --summary: the values of the whole measurement, after those of the intervals. */
#ifndef CLI_STAT_SUMMARY_H
#define CLI_STAT_SUMMARY_H

struct stat_run;

/* Prints the values of the whole recording, as if they were one interval. An enum cli_exit. */
int stat_print_summary(struct stat_run *s);

#endif

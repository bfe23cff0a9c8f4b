/* SPDX-License-Identifier: MIT */
/* The sessions of a measurement: opening, supervising, running and closing it. */
#ifndef CLI_STAT_MEASURE_H
#define CLI_STAT_MEASURE_H

struct stat_run;

/* Measures as the options state. Returns an enum cli_exit. */
int stat_measure(struct stat_run *s);

/* The steps of stat_measure(), for commands that measure in turns: opens what all runs need; one run, from the
 * machine's start to its end, whose report is kept in `repeats` if there are several runs; closes, and returns the exit
 * code for `result`. */
int stat_begin(struct stat_run *s);
int stat_measure_once(struct stat_run *s);
int stat_end(struct stat_run *s, int result);

#endif

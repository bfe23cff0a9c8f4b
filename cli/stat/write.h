/* SPDX-License-Identifier: MIT */
/* Writes reports to the output, in its form. */
#ifndef CLI_STAT_WRITE_H
#define CLI_STAT_WRITE_H

struct pmon_report;
struct stat_run;

/* Write a report, and that of a region. An enum pmon_status. */
int stat_write_report(struct stat_run *s, struct pmon_report *r);
int stat_write_region(struct stat_run *s, struct pmon_report *r);

#endif

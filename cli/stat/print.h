/* SPDX-License-Identifier: MIT */
/* Makes and prints reports: of an interval, a region, or the mean of runs. */
#ifndef CLI_STAT_PRINT_H
#define CLI_STAT_PRINT_H

#include <pmon/pmon.h>

struct stat_run;

/* Makes a report of the counts of a session since its start or last mark. An enum pmon_status. */
int stat_make_report(struct stat_run *s, struct pmon_session *session, uint32_t packages,
                     struct pmon_report **ret_report);
/* Prints the counts of a session since its start or last mark. */
int stat_print_report(struct stat_run *s, struct pmon_session *session, uint32_t packages);
/* Prints one result of regions; `info` names its region. */
int stat_print_region(struct stat_run *s, const struct pmon_session *view, uint32_t packages,
                      const struct pmon_region_info *info);
/* Prints the mean of all runs, and that of each region. */
int stat_print_mean(struct stat_run *s);
/* Reports that no printed value has a number because no counter could be used, and returns CLI_NO_HARDWARE if `result`
 * is CLI_DONE; else returns `result`. */
int stat_print_lost(const struct stat_run *s, int result);

#endif

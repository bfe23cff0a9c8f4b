/* SPDX-License-Identifier: MIT */
/*
 * Regions of the program, on the machine or the host, or of a log. They are not followed while samples are collected.
 * Each tick asks whether a region begins or ends now; if so, the run returns and the mark is processed, until no mark
 * is left.
 */
#ifndef CLI_STAT_REGIONS_H
#define CLI_STAT_REGIONS_H

#include "cli/target/target.h"

struct pmon_recording;
struct region_channel;
struct stat_run;

struct stat_marks {
  struct machine_workload *workload; /* of the machine, or */
  struct region_channel *channel;    /* of a command on the host, or */
  struct pmon_backend *replay;       /* the log; all NULL: regions are not followed */
  struct pmon_backend *log;          /* where marks are noted; NULL: there is no --log */
  struct target_mark mark;           /* the next mark */
  bool pending;
  uint64_t lost; /* marks that could not be processed */
};

bool stat_regions_wanted(const struct stat_run *s);
void stat_regions_follow(struct stat_run *s, const struct target *t);
bool stat_regions_pending(struct stat_marks *m);
bool stat_regions_take(struct stat_marks *m, struct pmon_session *session);
/* Ends all open regions and prints the results, if regions are followed. An enum cli_exit. */
int stat_regions_report(struct stat_run *s, struct pmon_session *session, uint32_t packages);
/* Prints the results of regions: the session's, or those of a recording (else NULL), which are loaded into the session.
 * An enum cli_exit. */
struct stat_regions {
  struct pmon_session *session;
  struct pmon_recording *recording;
  uint32_t packages;
};
int stat_regions_print(struct stat_run *s, const struct stat_regions *regions);

#endif

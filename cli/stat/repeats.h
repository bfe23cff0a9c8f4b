/* SPDX-License-Identifier: MIT */
/* Repeated runs (-r): their reports, until all have ended. */
#ifndef CLI_STAT_REPEATS_H
#define CLI_STAT_REPEATS_H

#include <pmon/pmon.h>
#include <pmon/regions.h>
#include "cli/common/cli.h"

struct region_run;
struct stat_run;

struct stat_repeats {
  uint32_t runs;                /* 0 and 1: one */
  bool compared;                /* of pmon diff, which reports when all runs have ended */
  struct pmon_report **reports; /* of the runs so far */
  uint32_t n;
  struct region_run *region_runs; /* the regions' reports of the runs so far */
  bool with_regions;              /* regions of repeated runs are followed */
};

/* Regions: each result is the mean of the runs that had the region and the thread (region_runs.c). Adds a region's
 * report of one run, and takes ownership of it: CLI_DONE, or an exit code after printing an error. */
int stat_region_runs_add(const struct cli *cli, struct stat_repeats *repeats, const struct pmon_region_info *info,
                         struct pmon_report *report);
/* Prints the mean of each region and thread, and frees the reports: an enum pmon_status. */
int stat_region_runs_print(struct stat_run *s);

#endif

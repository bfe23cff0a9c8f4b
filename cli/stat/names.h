/* SPDX-License-Identifier: MIT */
/* What results, logs and recordings name: the command, and where it was measured. */
#ifndef CLI_STAT_NAMES_H
#define CLI_STAT_NAMES_H

#include "cli/target/target.h"

struct pmon_recording_info;

struct stat_names {
  char backend[32];
  char machine[64];  /* the emulated machine that is counted, by its platform; "": real hardware */
  char clock[4][32]; /* clocks that a replayed log names */
  char host[128];    /* "": a machine is measured */
  double time;       /* when the measurement began, in seconds since 1970 (UTC); 0: simulated time */
  char command[256];
};

/* Writes the command or other input in one line, cut if it is long. */
void stat_names_describe_command(struct stat_names *n, const struct target_options *target);
/* Names the emulated machine that is measured unless something else is opened: that of the platform, or of the platform
 * that it imports. On the host, none. */
void stat_names_take_machine(struct stat_names *n, const struct pmon_platform *platform, bool host);
/* Names this host, and the time in the precision of a log, whose replay prints the same. */
void stat_names_take_host(struct stat_names *n);
/* Formats what was measured, and through which access method: "emr on perf", "EMULATED: emr on pmon's emr machine". */
void stat_names_format_place(const struct stat_names *n, const char *platform, char *text, size_t size);
/* Takes the names of a recording. */
void stat_names_take_recording(struct stat_names *n, const struct pmon_recording_info *info);

#endif

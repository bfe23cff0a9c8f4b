/* SPDX-License-Identifier: MIT */
/* The files that outlive a measurement beside its results: its recording with the page made of it, the log of accesses,
 * and the journal by which registers can be restored. */
#ifndef CLI_STAT_FILES_H
#define CLI_STAT_FILES_H

#include "cli/common/cli.h"

struct stat_run;

struct stat_files {
  const char *log_path;
  FILE *log;
  const char *record_path, *page_path; /* --record, --html */
  struct pmon_record *record;          /* during a measurement; NULL: nothing is recorded */
  bool recorded;                       /* a recording was begun */
  char journal[400];                   /* path; "": none */
  bool journal_given;
};

/* Opens the log, if one is wanted. An enum cli_exit. Closes it; false after printing that it is incomplete. */
int stat_files_open_log(const struct cli *cli, struct stat_files *f);
bool stat_files_close_log(const struct cli *cli, struct stat_files *f);

/* Takes --journal; NULL: without a path. CLI_DONE, or CLI_USAGE after printing an error. */
int stat_files_parse_journal(const struct cli *cli, struct stat_files *f, const char *path);
/* Sets the journal's path: the given one, or a default for backends whose registers outlive pmon, except the kernel's.
 * An enum cli_exit. */
int stat_files_choose_journal(struct stat_run *s);

/* Begins the recording, if one is wanted, with the session's devices. An enum cli_exit. */
int stat_files_begin_record(struct stat_run *s, const struct pmon_session *session);

#endif

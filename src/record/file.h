/* SPDX-License-Identifier: MIT */
/* What writing and reading recordings have in common. */
#ifndef PMON_RECORD_FILE_H
#define PMON_RECORD_FILE_H

#include <pmon/context.h>
#include <sqlite3.h>

enum { RECORD_ID = 0x504d4f4e, RECORD_VERSION = 3 }; /* "PMON" as SQLite's application_id; user_version */

/* The columns of a struct sample_total, for CREATE TABLE and for SELECT. */
#define RECORD_TOTAL                                                                                                   \
  "count REAL, seconds REAL, slices INTEGER, near_cc REAL, near_ct REAL, near_tt REAL, "                               \
  "near_pairs INTEGER, far_cc REAL, far_ct REAL, far_tt REAL, far_pairs INTEGER"
#define RECORD_TOTAL_NAMES                                                                                             \
  "count, seconds, slices, near_cc, near_ct, near_tt, near_pairs, far_cc, far_ct, far_tt, "                            \
  "far_pairs"

/* The number that a pragma has; -1: it cannot be read. */
int64_t record_pragma(sqlite3 *db, const char *name);

/* Fills the context's error record and returns `status`. */
int record_refuse(struct pmon_context *context, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts SQLite's last error into the context's error record, with what was done and the file. */
int record_fail(struct pmon_context *context, sqlite3 *db, int status, const char *what, const char *path);

#endif

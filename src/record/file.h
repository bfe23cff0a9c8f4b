/* SPDX-License-Identifier: MIT */
/* What writing and reading recordings have in common. */
#ifndef PMON_RECORD_FILE_H
#define PMON_RECORD_FILE_H

#include <pmon/context.h>
#include <sqlite3.h>

enum { RECORD_ID = 0x504d4f4e, RECORD_VERSION = 2 };     /* "PMON" as SQLite's application_id; user_version */

/* The number that a pragma has; -1: it cannot be read. */
int64_t record_pragma(sqlite3 *db, const char *name);

/* Puts SQLite's last error into the context's error record, with what was done and the file. */
int record_fail(struct pmon_context *context, sqlite3 *db, int status, const char *what, const char *path);

#endif

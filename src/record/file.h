/* SPDX-License-Identifier: MIT */
/* Common declarations for writing and reading recordings. */
#ifndef PMON_RECORD_FILE_H
#define PMON_RECORD_FILE_H

#include <pmon/record.h>
#include <sqlite3.h>
#include "src/record/total.h"

/* "PMON" as SQLite's application_id; user_version. */
enum { RECORD_ID = 0x504d4f4e, RECORD_VERSION = 7 };

/* Number of prepared queries: three each for the rows of intervals and regions, and those of all intervals together
 * (rows.c). */
enum { RECORD_PREPARED = 8 };

struct pmon_recording {
  struct pmon_context *context;
  char *path, *platform, *content, *backend, *command, *machine, *host;
  char *region; /* name of the region described last; NULL: none */
  char *device; /* texts of the device described last, one after the other; NULL: none */
  sqlite3 *db;
  struct record_prepared {
    const char *sql;
    sqlite3_stmt *stmt;
  } prepared[RECORD_PREPARED];
  uint64_t packages, steps, steps_left; /* work that a call may take, and what is left of it (read.c) */
  uint64_t length_ns;                   /* from the start of the first interval to the end of the last */
  double time;
  uint32_t rounds, intervals, events, regions;
  int error;            /* of SQLite, in a query for a number or a text */
  bool complete, whole; /* the recorder completed it; it has rows of all intervals together */
};

/* Maximum time in seconds since 1970, some thirty thousand years later; a later time is an error. */
#define RECORD_TIME_MOST 1e12

/* The column `shared` of a count: how its instance was counted. RECORD_SHARED: by the counter of another instance, so
 * that it is no part of totals. RECORD_UNLISTED: not at all, the discovery page does not list it, so that the processor
 * has no such unit. RECORD_UNREADABLE: the page lists it, and it cannot be read. Older versions take both for
 * RECORD_SHARED. */
enum record_place { RECORD_COUNTED, RECORD_SHARED, RECORD_UNLISTED, RECORD_UNREADABLE, RECORD_IN_RANGE };

/* Stands for all intervals together where a number of an interval is expected. */
enum { RECORD_WHOLE = -1 };

/* Returns the value of a pragma; -1: it cannot be read. */
int64_t record_pragma(sqlite3 *db, const char *name);

/* sqlite3_open_v2() of a file, with the flags. SQLite gives special meanings to some names; here each name is that of a
 * file. Returns SQLite's result. */
int record_open_sqlite(const char *path, int flags, sqlite3 **ret_db);

/* Opens a file for reading, without changing any file. Data that a killed recorder did not commit are left out. On
 * success and on failure, the caller closes *ret_db (NULL is allowed). PMON_OK, PMON_E_IO, PMON_E_SYNTAX,
 * PMON_E_MEMORY, PMON_E_RANGE (too large to be rolled back in memory). */
int record_open_database(struct pmon_context *context, const char *path, sqlite3 **ret_db);

/* Fills the context's error record and returns `status`. */
int record_refuse(struct pmon_context *context, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets the context's error record from the last error of SQLite: "PATH: cannot be WHAT: reason". Returns `status`. */
int record_fail(struct pmon_context *context, sqlite3 *db, int status, const char *what, const char *path);

/* Reports a damaged recording in the context's error record. PMON_E_SYNTAX. */
int record_damaged(const struct pmon_recording *r, const char *what);

/* Returns the number in the first column of the first row; 0: there is none, or SQLite's error is in *ret_error, which
 * is not changed otherwise. */
uint64_t record_query_number(sqlite3 *db, const char *sql, int *ret_error);

/* Return the value of a row of the table `meta`: a text, which the caller frees, or a number. NULL, 0: there is none,
 * or SQLite's error is in r->error. */
char *record_query_meta(struct pmon_recording *r, const char *key);
uint64_t record_query_meta_number(struct pmon_recording *r, const char *key);

/* Reports an error of a query that returned a number or a text (r->error). PMON_OK, PMON_E_SYNTAX. */
int record_check_queries(const struct pmon_recording *r);

/* Ends a query of several rows: `step` is the result of its last step. Returns `status`, or if that is PMON_OK and not
 * all rows could be read, PMON_E_SYNTAX. */
int record_end_rows(const struct pmon_recording *r, sqlite3_stmt *stmt, int status, int step);

/* Loads the counts of intervals or of a region into a session. The queries for times, counts and sums have the first
 * and last number as ?1 and ?2. PMON_OK, PMON_E_SYNTAX. */
struct record_queries {
  const char *times, *counts, *sums;
};
int record_load(struct pmon_recording *r, struct pmon_session *s, const struct record_queries *queries, int64_t first,
                int64_t last);

/* Finalizes the queries that record_load() has prepared. */
void record_end_queries(struct pmon_recording *r);

/* Refuses a platform with other tables than those of the recorded one (open.c). PMON_OK, PMON_E_INVALID. */
int record_check_platform(const struct pmon_recording *r, const struct pmon_platform *platform);

/* Loads the recorded machine's limits into a session without limits (limits.c). PMON_OK, PMON_E_SYNTAX,
 * PMON_E_MEMORY. */
int record_read_limits(struct pmon_recording *r, struct pmon_session *s);
/* Reads numbers of instances and of threads (parts.c). PMON_OK, PMON_E_SYNTAX, PMON_E_MEMORY. */
int record_read_parts(struct pmon_recording *r, struct pmon_session *s);

/* Checks that the regions are numbered consecutively, and are no more than a session can have (regions.c). PMON_OK,
 * PMON_E_SYNTAX. */
int record_check_regions(struct pmon_recording *r);

#endif

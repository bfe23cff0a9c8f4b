/* SPDX-License-Identifier: MIT */
/* What writing and reading recordings have in common. */
#ifndef PMON_RECORD_FILE_H
#define PMON_RECORD_FILE_H

#include <pmon/record.h>
#include <sqlite3.h>
#include "src/record/total.h"

/* "PMON" as SQLite's application_id; user_version. */
enum { RECORD_ID = 0x504d4f4e, RECORD_VERSION = 7 };

/* Prepared queries for the rows of intervals and regions: three each, and those of all intervals together (rows.c). */
enum { RECORD_PREPARED = 8 };

struct pmon_recording {
  struct pmon_context *context;
  char *path, *platform, *content, *backend, *command, *machine, *host;
  char *region; /* the name that was described last; NULL: none was */
  char *device; /* the texts of the device that was described last, one after the other; NULL: none was */
  sqlite3 *db;
  struct record_prepared {
    const char *sql;
    sqlite3_stmt *stmt;
  } prepared[RECORD_PREPARED];
  uint64_t packages, steps, steps_left; /* what a call may take, and what is left of it (read.c) */
  uint64_t length_ns;                   /* from the start of the first interval to the end of the last */
  double time;
  uint32_t rounds, intervals, events, regions;
  bool complete, whole; /* the recorder ended it; it has rows of all intervals together */
};

/* A time after this one, in seconds since 1970, is a mistake: it is some thirty thousand years later. */
#define RECORD_TIME_MOST 1e12

/* The number of all intervals together, in place of an interval's. */
enum { RECORD_WHOLE = -1 };

/* The number that a pragma has; -1: it cannot be read. */
int64_t record_pragma(sqlite3 *db, const char *name);

/* Opens a file for reading, without a change of it or of a file beside it. What a killed recorder did not commit is not
 * in it. Whatever is returned, *ret_db is closed by the caller (NULL is allowed). PMON_OK, PMON_E_IO, PMON_E_SYNTAX,
 * PMON_E_MEMORY, PMON_E_RANGE (too large to be rolled back in memory). */
int record_open_database(struct pmon_context *context, const char *path, sqlite3 **ret_db);

/* Fills the context's error record and returns `status`. */
int record_refuse(struct pmon_context *context, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets the context's error record from the last error of SQLite: "PATH: cannot be WHAT: reason". Returns `status`. */
int record_fail(struct pmon_context *context, sqlite3 *db, int status, const char *what, const char *path);

/* Fills the context's error record: the recording is damaged. PMON_E_SYNTAX. */
int record_damaged(const struct pmon_recording *r, const char *what);

/* The number in the first column of the first row; 0: there is none. */
uint64_t record_query_number(sqlite3 *db, const char *sql);

/* The counts of intervals or of a region into a session: queries for the times, the counts and the sums, whose ?1 and
 * ?2 are the first and the last number. PMON_OK, PMON_E_SYNTAX. */
struct record_queries {
  const char *times, *counts, *sums;
};
int record_load(struct pmon_recording *r, struct pmon_session *s, const struct record_queries *queries, int64_t first,
                int64_t last);

/* Ends the queries that record_load() has prepared. */
void record_end_queries(struct pmon_recording *r);

/* The recorded machine's limits, into a session without any (limits.c). PMON_OK, PMON_E_SYNTAX, PMON_E_MEMORY. */
int record_read_limits(struct pmon_recording *r, struct pmon_session *s);

/* Whether the regions are numbered one after the other, and no more than a session has (regions.c). PMON_OK,
 * PMON_E_SYNTAX. */
int record_check_regions(struct pmon_recording *r);

#endif

/* SPDX-License-Identifier: MIT */
/* A recording that is being written. */
#ifndef PMON_RECORD_WRITE_H
#define PMON_RECORD_WRITE_H

#include "src/record/file.h"

/* One counter's total, or the sum of a package's instances (instance -1), or of all instances (package also -1). */
struct record_cell {
  uint32_t item;
  int64_t package, instance;
  enum record_place place;
  struct sample_total total;
};

/* All intervals added up. `found`: 1 + index of each cell by its number in the session; 0: there is none yet. */
struct record_whole {
  struct record_cell *cells;
  uint32_t n, cap, *found;
};

struct pmon_record {
  const struct pmon_session *session;
  struct pmon_context *context;
  char *path;
  sqlite3 *db;
  sqlite3_stmt *add_interval, *add_count, *add_sum;
  struct record_whole whole;
  int64_t n;
  bool begun, failed; /* begun: the interval n is in the file, and continues; failed: some data are not in the file */
};

/* Executes `sql` with the texts and the number as ?1, ?2 and ?3. PMON_OK, PMON_E_IO. */
int record_add_row(sqlite3 *db, const char *sql, const char *first, const char *second, int64_t number);

/* Stores the session's limits (limits.c). PMON_OK, PMON_E_IO. */
int record_add_limits(struct pmon_record *r);

/* Stores numbers of instances and of threads (parts.c). PMON_OK, PMON_E_IO. */
int record_add_parts(struct pmon_record *r);

#endif

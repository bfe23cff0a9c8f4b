/* SPDX-License-Identifier: MIT */
/* Single statements. An error of a query is not taken for a missing row: a damaged file would have less data than it
 * was written with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/record/write.h"

/* Returns a copy of the first column of the first row; NULL: none, or *ret_error is set. */
static char *query_text(sqlite3 *db, const char *sql, const char *argument, int *ret_error)
{
  sqlite3_stmt *stmt = NULL;
  char *text = NULL;
  int step = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
  if (step == SQLITE_OK) {
    if (argument)
      sqlite3_bind_text(stmt, 1, argument, -1, SQLITE_TRANSIENT);
    step = sqlite3_step(stmt);
    if (step == SQLITE_ROW && sqlite3_column_text(stmt, 0))
      text = strdup((const char *)sqlite3_column_text(stmt, 0));
  }
  if (step != SQLITE_ROW && step != SQLITE_DONE)
    *ret_error = step;
  sqlite3_finalize(stmt);
  return text;
}

/* Returns the number at the beginning of a text, which is freed; 0: none. */
static uint64_t query_take_number(char *text)
{
  const uint64_t n = text ? (uint64_t)strtoll(text, NULL, 10) : 0;
  free(text);
  return n;
}

uint64_t record_query_number(sqlite3 *db, const char *sql, int *ret_error)
{
  return query_take_number(query_text(db, sql, NULL, ret_error));
}

char *record_query_meta(struct pmon_recording *r, const char *key)
{
  return query_text(r->db, "SELECT value FROM meta WHERE key = ?1", key, &r->error);
}

uint64_t record_query_meta_number(struct pmon_recording *r, const char *key)
{
  return query_take_number(record_query_meta(r, key));
}

int record_check_queries(const struct pmon_recording *r)
{
  return r->error
             ? record_refuse(r->context, PMON_E_SYNTAX, "%s: cannot be read: %s", r->path, sqlite3_errstr(r->error))
             : 0;
}

int record_end_rows(const struct pmon_recording *r, sqlite3_stmt *stmt, int status, int step)
{
  if (!status && step != SQLITE_DONE)
    status = record_fail(r->context, r->db, PMON_E_SYNTAX, "read", r->path);
  sqlite3_finalize(stmt);
  return status;
}

int64_t record_pragma(sqlite3 *db, const char *name)
{
  char text[64];
  sqlite3_stmt *stmt = NULL;
  int64_t value = -1;
  snprintf(text, sizeof text, "PRAGMA %s", name);
  if (sqlite3_prepare_v2(db, text, -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
    value = sqlite3_column_int64(stmt, 0);
  sqlite3_finalize(stmt);
  return value;
}

int record_add_row(sqlite3 *db, const char *sql, const char *first, const char *second, int64_t number)
{
  sqlite3_stmt *stmt = NULL;
  int result = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
  if (result == SQLITE_OK) {
    sqlite3_bind_text(stmt, 1, first, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(stmt, 2, second, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(stmt, 3, number);
    result = sqlite3_step(stmt);
  }
  sqlite3_finalize(stmt);
  return result == SQLITE_DONE ? 0 : PMON_E_IO;
}

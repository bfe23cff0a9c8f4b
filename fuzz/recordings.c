/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes recordings: a file is refused with a reason, or read, each interval and all of them together. An input that
 * begins like an SQLite file is the file itself. Any other input is lines of text, one for each row: the first letter
 * of the row's table (meta, k for clock, event, x for metric, part, interval, count, sum, region, C and S for the
 * counts and sums of regions), then its columns, each after a tab. A column "[1 2 3" is a blob of doubles.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pmon/pmon.h>
#include <pmon/record.h>
#include <sqlite3.h>
#include "fuzz/walk.h"

enum { SIZE_MAX_BYTES = 1 << 16, SPREAD = 30, INTERVALS = 3, ROWS = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TOTAL "count, seconds, slices, seen, round, turn, spread"
#define COUNT_COLUMNS "event, package, instance, shared, flags, " TOTAL
#define SUM_COLUMNS "event, package, " TOTAL

static const char schema[] =
    "PRAGMA application_id=1347243854; PRAGMA user_version=7;"
    "CREATE TABLE meta(key, value); CREATE TABLE clock(name, hz); CREATE TABLE event(id, name, selected);"
    "CREATE TABLE metric(id, name, equation); CREATE TABLE part(id, event, operands); CREATE TABLE interval(id, "
    "begin_ns, end_ns, freeze, freeze_ns, skew_ns);"
    "CREATE TABLE count(interval, " COUNT_COLUMNS ");"
    "CREATE TABLE sum(interval, " SUM_COLUMNS ");"
    "CREATE TABLE region(id, name, thread, calls, missing_ends, missing_begins, time_ns, freeze, freeze_ns, skew_ns);"
    "CREATE TABLE region_count(region, " COUNT_COLUMNS ");"
    "CREATE TABLE region_sum(region, " SUM_COLUMNS ");";

static const struct {
  char letter;
  const char *insert;
  int columns;
} tables[] = {{'m', "INSERT INTO meta VALUES(?,?)", 2},
              {'e', "INSERT INTO event VALUES(?,?,?)", 3},
              {'k', "INSERT INTO clock VALUES(?,?)", 2},
              {'x', "INSERT INTO metric VALUES(?,?,?)", 3},
              {'p', "INSERT INTO part VALUES(?,?,?)", 3},
              {'i', "INSERT INTO interval VALUES(?,?,?,?,?,?)", 6},
              {'c', "INSERT INTO count(interval, " COUNT_COLUMNS ") VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)", 13},
              {'s', "INSERT INTO sum(interval, " SUM_COLUMNS ") VALUES(?,?,?,?,?,?,?,?,?,?)", 10},
              {'r', "INSERT INTO region VALUES(?,?,?,?,?,?,?,?,?,?)", 10},
              {'C', "INSERT INTO region_count(region, " COUNT_COLUMNS ") VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)", 13},
              {'S', "INSERT INTO region_sum(region, " SUM_COLUMNS ") VALUES(?,?,?,?,?,?,?,?,?,?)", 10}};

/* Binds a list of numbers as a spread. */
static void bind_spread(sqlite3_stmt *stmt, int i, const char *text, size_t n)
{
  char copy[512] = "", *at = copy, *end;
  double v[SPREAD];
  int count = 0;
  memcpy(copy, text, n < sizeof copy ? n : sizeof copy - 1);
  for (; count < SPREAD; at = end) {
    v[count] = strtod(at, &end);
    if (end == at)
      break;
    count++;
  }
  sqlite3_bind_blob(stmt, i, v, count * (int)sizeof *v, SQLITE_TRANSIENT);
}

static void bind(sqlite3_stmt *stmt, int i, const char *text, size_t n)
{
  char number[64] = "", *end;
  if (!n)
    return; /* NULL */
  if (*text == '[') {
    bind_spread(stmt, i, text + 1, n - 1);
    return;
  }
  if (n < sizeof number)
    memcpy(number, text, n);
  const double real = strtod(number, &end);
  const long long whole = strtoll(number, NULL, 0);
  if (!*number || *end)
    sqlite3_bind_text(stmt, i, text, (int)n, SQLITE_TRANSIENT);
  else if (memchr(text, '.', n) || memchr(text, 'e', n) || memchr(text, 'n', n))
    sqlite3_bind_double(stmt, i, real);
  else
    sqlite3_bind_int64(stmt, i, whole);
}

static void add_row(sqlite3 *db, const char *line, size_t n)
{
  for (size_t t = 0; n > 1 && t < sizeof tables / sizeof *tables; t++) {
    sqlite3_stmt *stmt = NULL;
    if (tables[t].letter != *line || sqlite3_prepare_v2(db, tables[t].insert, -1, &stmt, NULL) != SQLITE_OK)
      continue;
    const char *at = line + 2, *const end = line + n;
    for (int i = 1; i <= tables[t].columns && at <= end; i++) {
      const char *tab = memchr(at, '\t', (size_t)(end - at));
      bind(stmt, i, at, (size_t)((tab ? tab : end) - at));
      at = (tab ? tab : end) + 1;
    }
    sqlite3_step(stmt);
    sqlite3_finalize(stmt);
  }
}

/* Returns the file that such lines make; freed by sqlite3_free(). */
static unsigned char *build(const char *text, size_t n, sqlite3_int64 *ret_size)
{
  unsigned char *file = NULL;
  sqlite3 *db;
  if (sqlite3_open(":memory:", &db) == SQLITE_OK && sqlite3_exec(db, schema, NULL, NULL, NULL) == SQLITE_OK) {
    for (size_t at = 0, rows = 0; at < n && rows < ROWS; rows++) {
      const char *end = memchr(text + at, '\n', n - at);
      const size_t length = end ? (size_t)(end - text) - at : n - at;
      add_row(db, text + at, length);
      at += length + 1;
    }
    file = sqlite3_serialize(db, "main", ret_size, 0);
  }
  sqlite3_close(db);
  return file;
}

static void fuzz_recordings_read_all(struct pmon_context *c, const char *name)
{
  struct pmon_recording *r;
  struct pmon_recording_info info = {.size = sizeof info};
  struct pmon_region_info region = {.size = sizeof region};
  const struct pmon_platform *p;
  struct pmon_plan *plan;
  struct pmon_session *session;
  if (pmon_recording_open(c, name, &r)) {
    if (!*pmon_context_error(c))
      abort();
    return;
  }
  pmon_recording_describe(r, &info);
  if (!pmon_platform_find(c, info.platform, &p) && !pmon_recording_plan(r, p, NULL, NULL, &plan)) {
    if (!pmon_recording_session(r, plan, &session)) {
      for (uint32_t i = 0; i < info.intervals && i < INTERVALS; i++)
        if (!pmon_recording_load(r, session, i))
          walk_report(plan, session);
      if (!pmon_recording_load(r, session, UINT32_MAX))
        walk_report(plan, session);
      for (uint32_t i = 0; i < info.regions && i < INTERVALS; i++)
        if (!pmon_recording_region_describe(r, i, &region) && !pmon_recording_load_region(r, session, i))
          walk_report(plan, session);
      pmon_session_close(session);
    }
    pmon_plan_free(plan);
  }
  pmon_recording_close(r);
}

/* SQLite opens files by name only. */
static char path[] = "/tmp/pmon-recording-XXXXXX";

static void remove_file(void)
{
  unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct pmon_context *c;
  static int fd = -1;
  sqlite3_int64 n = (sqlite3_int64)size;
  const bool raw = size > 15 && !memcmp(data, "SQLite format 3", 15);
  if (size > SIZE_MAX_BYTES || (!c && pmon_context_new(&c)))
    return 0;
  if (fd < 0 && ((fd = mkstemp(path)) < 0 || atexit(remove_file)))
    abort();
  unsigned char *file = raw ? NULL : build((const char *)data, size, &n);
  if ((raw || file) && !ftruncate(fd, 0) && pwrite(fd, raw ? data : file, (size_t)n, 0) == (ssize_t)n)
    fuzz_recordings_read_all(c, path);
  sqlite3_free(file);
  return 0;
}

/* SPDX-License-Identifier: MIT */
/* Rows of a recording: loads the counts of an interval or region into a session. */
#include <stdlib.h>
#include <string.h>
#include <pmon/record.h>
#include "src/record/file.h"
#include "src/session/absent.h"
#include "src/session/counts.h"
#include "src/session/private.h"

static bool is_number(sqlite3_stmt *stmt, int column)
{
  const int type = sqlite3_column_type(stmt, column);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* Adds the columns from `at` on to a total. */
static int take_total(struct pmon_recording *r, sqlite3_stmt *stmt, int at, struct sample_total *t)
{
  struct sample_total row;
  if (!record_total_read(stmt, at, r->rounds, &row))
    return record_damaged(r, "a count has an invalid value");
  record_total_add(t, &row);
  return 0;
}

/* Returns the item of a row, whose first column is its number; UINT32_MAX: there is none. */
static uint32_t take_item(const struct pmon_session *s, sqlite3_stmt *stmt)
{
  const int64_t item = sqlite3_column_int64(stmt, 0);
  return is_number(stmt, 0) && item >= 0 && item < session_items(s) ? (uint32_t)item : UINT32_MAX;
}

/* Takes the column `shared`; a value that this version does not know is RECORD_SHARED. */
static int take_place(struct pmon_session *s, uint32_t cell, int place)
{
  const bool absent = place >= RECORD_UNLISTED && place <= RECORD_IN_RANGE;
  s->cell_shared[cell] = place && !absent;
  if (absent && !s->presence && !(s->presence = calloc(s->n_cells, sizeof *s->presence)))
    return PMON_E_MEMORY;
  if (absent)
    s->presence[cell] = place == RECORD_UNLISTED     ? PRESENCE_UNLISTED
                        : place == RECORD_UNREADABLE ? PRESENCE_UNREADABLE
                                                     : PRESENCE_IN_RANGE;
  return 0;
}

/* Adds one row of counts. */
static int take_count(struct pmon_recording *r, struct pmon_session *s, sqlite3_stmt *stmt)
{
  const int64_t package = sqlite3_column_int64(stmt, 1), instance = sqlite3_column_int64(stmt, 2);
  const int64_t flags = sqlite3_column_int64(stmt, 4);
  const uint32_t item = take_item(s, stmt);
  const uint32_t instances = item == UINT32_MAX ? 0 : pmon_private_instances(s, session_item_event(s, item));
  if (!is_number(stmt, 1) || !is_number(stmt, 2) || package < 0 || package > 63 || !(s->packages >> package & 1) ||
      instance < 0 || instance >= instances)
    return record_damaged(r, "a count belongs to an event or instance that was not measured");
  if (flags & ~(int64_t)PMON_VALUE_FLAGS)
    return record_damaged(r, "a count has a flag that is unknown to this version");
  uint32_t cell = s->cell_of[item] + (uint32_t)package * instances + (uint32_t)instance;
  struct sample_total *t = &s->cells[cell];
  if (take_place(s, cell, sqlite3_column_int(stmt, 3)))
    return record_refuse(r->context, PMON_E_MEMORY, "no memory for a session");
  t->flags |= (uint32_t)flags;
  return take_total(r, stmt, 5, t);
}

/* Adds one row of sums over instances; package -1 is all. */
static int take_sum(struct pmon_recording *r, struct pmon_session *s, sqlite3_stmt *stmt)
{
  const int64_t package = sqlite3_column_int64(stmt, 1);
  const uint32_t item = take_item(s, stmt);
  struct sample_total *t = NULL;
  if (item != UINT32_MAX && is_number(stmt, 1) && package >= -1 && package < 64)
    t = pmon_private_sum(s, item, package < 0 ? PMON_ALL : (uint32_t)package);
  return t ? take_total(r, stmt, 2, t)
           : record_damaged(r, "a sum belongs to an event or package that was not measured");
}

/* Reads the times of the counts, and the freeze scope. The length of several intervals is the sum of their lengths,
 * without gaps between them. */
static int take_times(struct pmon_recording *r, struct pmon_session *s, sqlite3_stmt *times)
{
  const int64_t end_ns = sqlite3_column_int64(times, 1), long_ns = sqlite3_column_int64(times, 0);
  if (sqlite3_column_int64(times, 2) < 0 || long_ns < 0 || end_ns < long_ns)
    return record_damaged(r, "an interval ends before it begins");
  if (sqlite3_column_int64(times, 3) < 0 || sqlite3_column_int64(times, 3) > PMON_FREEZE_BOUNDARIES ||
      sqlite3_column_int64(times, 4) < 0 || sqlite3_column_int64(times, 5) < 0)
    return record_damaged(r, "the freeze scope or freeze time of an interval is invalid");
  s->now_ns = s->resume_ns = (uint64_t)end_ns;
  s->mark_ns = s->start_ns = (uint64_t)(end_ns - long_ns);
  s->freeze = (uint32_t)sqlite3_column_int(times, 3);
  s->ran = s->freeze == PMON_FREEZE_BOUNDARIES;
  s->freeze_ns = (uint64_t)sqlite3_column_int64(times, 4);
  s->skew_ns = (uint64_t)sqlite3_column_int64(times, 5);
  return 0;
}

/* Range of the rows: numbers of intervals, or of a region. */
struct numbers {
  int64_t first, last;
};

/* Returns the query, prepared once for all intervals or regions, because preparing takes longer than reading the rows
 * of one; NULL: it cannot be prepared. */
static sqlite3_stmt *prepare(struct pmon_recording *r, const char *sql)
{
  struct record_prepared *p = r->prepared;
  while (p->sql && p->sql != sql)
    if (++p == r->prepared + RECORD_PREPARED)
      return NULL;
  if (!p->sql && sqlite3_prepare_v3(r->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &p->stmt, NULL) == SQLITE_OK)
    p->sql = sql;
  return p->stmt;
}

void record_end_queries(struct pmon_recording *r)
{
  for (uint32_t i = 0; i < RECORD_PREPARED; i++)
    sqlite3_finalize(r->prepared[i].stmt);
}

/* Reads every row that `sql` finds. */
static int take_rows(struct pmon_recording *r, struct pmon_session *s, const char *sql, struct numbers numbers,
                     int (*take)(struct pmon_recording *r, struct pmon_session *s, sqlite3_stmt *stmt))
{
  sqlite3_stmt *stmt = prepare(r, sql);
  int status = 0, step = SQLITE_ERROR;
  if (stmt) {
    sqlite3_bind_int64(stmt, 1, numbers.first);
    sqlite3_bind_int64(stmt, 2, numbers.last);
    while (!status && (step = sqlite3_step(stmt)) == SQLITE_ROW)
      status = take(r, s, stmt);
  }
  if (!status && step != SQLITE_DONE)
    status = record_fail(r->context, r->db, PMON_E_SYNTAX, "read", r->path);
  sqlite3_reset(stmt);
  return status;
}

int record_load(struct pmon_recording *r, struct pmon_session *s, const struct record_queries *queries, int64_t first,
                int64_t last)
{
  const struct numbers numbers = {first, last};
  memset(s->cells, 0, s->n_cells * sizeof *s->cells);
  pmon_private_clear_sums(s);
  int status = take_rows(r, s, queries->times, numbers, take_times);
  if (!status)
    status = take_rows(r, s, queries->counts, numbers, take_count);
  if (!status)
    status = take_rows(r, s, queries->sums, numbers, take_sum);
  pmon_private_find_bursts(s);
  return status;
}

static const char times[] =
    "SELECT sum(end_ns - begin_ns), max(end_ns), min(end_ns - begin_ns), max(freeze), max(freeze_ns), max(skew_ns) "
    "FROM interval WHERE id BETWEEN ?1 AND ?2";
#define COUNTS "SELECT event, package, instance, shared, flags, " RECORD_TOTAL_NAMES " FROM count WHERE interval "
#define SUMS "SELECT event, package, " RECORD_TOTAL_NAMES " FROM sum WHERE interval "

/* The query for a range of numbers uses the key for any number of intervals. The recorder has stored the sums of all
 * intervals, unless it was killed. */
static int load_intervals(struct pmon_recording *r, struct pmon_session *s, int64_t first, int64_t last)
{
  static const struct record_queries some = {times, COUNTS "BETWEEN ?1 AND ?2", SUMS "BETWEEN ?1 AND ?2"},
                                     all = {times, COUNTS "= -1", SUMS "= -1"};
  r->steps_left = r->steps;
  return record_load(r, s, r->whole && !first && last >= (int64_t)r->intervals - 1 ? &all : &some, first, last);
}

int pmon_recording_load(struct pmon_recording *r, struct pmon_session *s, uint32_t interval)
{
  return interval == UINT32_MAX ? load_intervals(r, s, 0, INT64_MAX) : pmon_recording_load_span(r, s, interval, 1);
}

int pmon_recording_load_span(struct pmon_recording *r, struct pmon_session *s, uint32_t first, uint32_t n)
{
  if (!n || first >= r->intervals || n > r->intervals - first)
    return record_refuse(r->context, PMON_E_RANGE, "%s has only %u interval%s", r->path, r->intervals,
                         r->intervals == 1 ? "" : "s");
  return load_intervals(r, s, first, (int64_t)first + n - 1);
}

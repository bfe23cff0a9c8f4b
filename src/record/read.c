/* SPDX-License-Identifier: MIT */
/* Counts from a file into a session that has no backend. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <pmon/record.h>
#include "file.h"
#include "src/session/private.h"
#include "src/base/sized.h"

int record_damaged(const struct pmon_recording *r, const char *what)
{
  return record_refuse(r->context, PMON_E_SYNTAX, "%s: damaged recording: %s", r->path, what);
}

/* The first column of the first row, copied; NULL: there is none. */
static char *text_of_query(sqlite3 *db, const char *sql, const char *argument)
{
  sqlite3_stmt *stmt = NULL;
  char *text = NULL;
  if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK) {
    if (argument)
      sqlite3_bind_text(stmt, 1, argument, -1, SQLITE_TRANSIENT);
    if (sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_text(stmt, 0))
      text = strdup((const char *)sqlite3_column_text(stmt, 0));
  }
  sqlite3_finalize(stmt);
  return text;
}

static uint64_t number_of_query(sqlite3 *db, const char *sql, const char *argument)
{
  char *text = text_of_query(db, sql, argument);
  uint64_t n = text ? (uint64_t)strtoll(text, NULL, 10) : 0;
  free(text);
  return n;
}

uint64_t record_query_number(sqlite3 *db, const char *sql)
{
  return number_of_query(db, sql, NULL);
}

static int read_meta(struct pmon_recording *r)
{
  static const char sql[] = "SELECT value FROM meta WHERE key = ?1";
  r->platform = text_of_query(r->db, sql, "platform");
  r->content = text_of_query(r->db, sql, "platform_content");
  r->backend = text_of_query(r->db, sql, "backend");
  r->command = text_of_query(r->db, sql, "command");
  r->packages = number_of_query(r->db, sql, "packages");
  r->rounds = (uint32_t)number_of_query(r->db, sql, "rounds");
  r->intervals = (uint32_t)number_of_query(r->db, "SELECT count(*) FROM interval", NULL);
  r->events = (uint32_t)number_of_query(r->db, "SELECT count(*) FROM event", NULL);
  if (!r->platform || !r->backend || !r->command || !r->packages || !r->events)
    return record_damaged(r, "it does not say what was measured");
  r->machine = text_of_query(r->db, sql, "machine");
  if (!r->machine && !strcmp(r->backend, "machine")) /* written before recordings named their machine */
    r->machine = strdup(r->platform);
  if (number_of_query(r->db, "SELECT count(*) FROM count WHERE interval NOT IN (SELECT id FROM interval)", NULL))
    return record_damaged(r, "a count is of no interval that it has");
  return record_check_regions(r);
}

/* Recordings before this was stored count as complete. */
static void read_end(struct pmon_recording *r)
{
  r->complete = number_of_query(r->db, "SELECT value FROM meta WHERE key = 'complete'", NULL) == 1;
  r->length_ns = number_of_query(r->db, "SELECT max(end_ns) - min(begin_ns) FROM interval", NULL);
}

/*
 * A recording may come from anybody. It is data only: no views, triggers or virtual tables run when it is read, no
 * value is larger than a text that pmon writes, and a query stops after an amount of work that depends on the file's
 * size alone.
 */
enum { RECORD_TEXT = 1 << 20, RECORD_STEP = 10000, RECORD_STEPS_LEAST = 2000, RECORD_STEP_BYTES = 64 };

static int work_is_exceeded(void *user)
{
  struct pmon_recording *r = user;
  return r->steps_left == 0 || --r->steps_left == 0;
}

static int record_harden_database(struct pmon_recording *r)
{
  struct stat st;
  static const struct {
    int which, most;
  } limits[] = {
      {SQLITE_LIMIT_LENGTH, RECORD_TEXT}, {SQLITE_LIMIT_SQL_LENGTH, 1 << 14}, {SQLITE_LIMIT_COLUMN, 64},
      {SQLITE_LIMIT_EXPR_DEPTH, 32},      {SQLITE_LIMIT_COMPOUND_SELECT, 2},  {SQLITE_LIMIT_VDBE_OP, 1 << 14},
      {SQLITE_LIMIT_FUNCTION_ARG, 8},     {SQLITE_LIMIT_ATTACHED, 0},         {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64},
      {SQLITE_LIMIT_VARIABLE_NUMBER, 32}, {SQLITE_LIMIT_TRIGGER_DEPTH, 1},    {SQLITE_LIMIT_WORKER_THREADS, 0}};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    sqlite3_limit(r->db, limits[i].which, limits[i].most);
  if (sqlite3_db_config(r->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) != SQLITE_OK ||
      sqlite3_db_config(r->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL) != SQLITE_OK ||
      sqlite3_db_config(r->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL) != SQLITE_OK ||
      sqlite3_db_config(r->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL) != SQLITE_OK || stat(r->path, &st))
    return record_fail(r->context, r->db, PMON_E_IO, "read", r->path);
  r->steps = r->steps_left = RECORD_STEPS_LEAST + (uint64_t)st.st_size / RECORD_STEP_BYTES;
  sqlite3_progress_handler(r->db, RECORD_STEP, work_is_exceeded, r);
  return 0;
}

/* Only the tables and indices that pmon_record_new() makes: a view or a virtual table could compute without end. */
static int check_schema(struct pmon_recording *r)
{
  static const char tables[] = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN "
                               "('meta', 'clock', 'event', 'metric', 'interval', 'count', 'sum') AND rootpage > 0";
  static const char regions[] = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN "
                                "('region', 'region_count', 'region_sum') AND rootpage > 0";
  static const char others[] = "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index') OR "
                               "rootpage IS NULL OR rootpage = 0";
  if (number_of_query(r->db, others, NULL) || number_of_query(r->db, tables, NULL) != 7 ||
      number_of_query(r->db, regions, NULL) != 3)
    return record_damaged(r, "it has other tables than a recording");
  return 0;
}

int pmon_recording_open(struct pmon_context *context, const char *path, struct pmon_recording **ret_recording)
{
  struct pmon_recording *r = calloc(1, sizeof *r);
  int status = r && (r->path = strdup(path)) ? 0 : record_refuse(context, PMON_E_MEMORY, "no memory");
  if (!status) {
    r->context = context;
    status = record_open_database(context, path, &r->db);
  }
  if (!status)
    status = record_harden_database(r);
  if (!status && record_pragma(r->db, "application_id") != RECORD_ID)
    status = record_refuse(context, PMON_E_SYNTAX, "%s: not a recording; `pmon stat --record FILE` writes one", path);
  const int64_t version = status ? 0 : record_pragma(r->db, "user_version");
  if (!status && version != RECORD_VERSION)
    status = record_refuse(context, PMON_E_SYNTAX, "%s: format version %d is not supported, only %d is; record it anew",
                           path, (int)version, RECORD_VERSION);
  if (!status)
    status = check_schema(r);
  if (!status)
    status = read_meta(r);
  if (!status)
    read_end(r);
  if (status) {
    pmon_recording_close(r);
    return status;
  }
  *ret_recording = r;
  return 0;
}

void pmon_recording_close(struct pmon_recording *r)
{
  if (!r)
    return;
  sqlite3_close(r->db);
  free(r->path);
  free(r->region);
  free(r->platform);
  free(r->content);
  free(r->backend);
  free(r->machine);
  free(r->command);
  free(r);
}

int pmon_recording_describe(const struct pmon_recording *r, struct pmon_recording_info *info)
{
  struct pmon_recording_info full = {.platform = r->platform,
                                     .content = r->content ? r->content : "",
                                     .backend = r->backend,
                                     .machine = r->machine ? r->machine : "",
                                     .command = r->command,
                                     .intervals = r->intervals,
                                     .events = r->events,
                                     .packages = (uint32_t)__builtin_popcountll(r->packages),
                                     .rounds = r->rounds,
                                     .regions = r->regions,
                                     .complete = r->complete,
                                     .seconds = (double)r->length_ns * 1e-9};
  return sized_fill(info, &full, sizeof full)
             ? record_refuse(r->context, PMON_E_INVALID, "pmon_recording_describe: the size of its struct is not set")
             : 0;
}

/* The recorded events, each with its number in the recording. */
static int add_events(struct pmon_recording *r, struct pmon_plan *plan, bool selected)
{
  sqlite3_stmt *stmt = NULL;
  int status = 0, step = SQLITE_DONE;
  if (sqlite3_prepare_v2(r->db, "SELECT id, name, selected FROM event ORDER BY id", -1, &stmt, NULL) != SQLITE_OK)
    return record_fail(r->context, r->db, PMON_E_SYNTAX, "read", r->path);
  while (!status && (step = sqlite3_step(stmt)) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(stmt, 1);
    uint32_t index = 0;
    status = name ? pmon_private_add_event(plan, name, selected && sqlite3_column_int(stmt, 2), &index)
                  : record_damaged(r, "an event has no name");
    if (!status && index != sqlite3_column_int64(stmt, 0))
      status = record_damaged(r, "its events are not numbered one after the other");
  }
  if (!status && step != SQLITE_DONE)
    status = record_fail(r->context, r->db, PMON_E_SYNTAX, "read", r->path);
  sqlite3_finalize(stmt);
  return status;
}

/* The metrics selected in the recorded session. */
static int add_metrics(struct pmon_recording *r, struct pmon_plan *plan)
{
  sqlite3_stmt *stmt = NULL;
  int status = 0;
  if (sqlite3_prepare_v2(r->db,
                         "SELECT CASE WHEN equation IS NULL THEN name ELSE name || '=' || equation END"
                         " FROM metric ORDER BY id",
                         -1, &stmt, NULL) != SQLITE_OK)
    return record_fail(r->context, r->db, PMON_E_SYNTAX, "read", r->path);
  while (!status && sqlite3_step(stmt) == SQLITE_ROW)
    status = sqlite3_column_text(stmt, 0) ? pmon_plan_add_metrics(plan, (const char *)sqlite3_column_text(stmt, 0))
                                          : record_damaged(r, "a metric has no name");
  sqlite3_finalize(stmt);
  return status;
}

static int check_recorded(const struct pmon_recording *r, const struct pmon_plan *plan)
{
  if (plan->n_events <= r->events)
    return 0;
  return record_refuse(r->context, PMON_E_NO_DATA, "%s was not recorded",
                       pmon_event_name(plan->events[r->events].event));
}

int pmon_recording_plan(struct pmon_recording *r, const struct pmon_platform *platform, const char *events,
                        const char *metrics, struct pmon_plan **ret_plan)
{
  struct pmon_plan *plan;
  r->steps_left = r->steps;
  int status = pmon_plan_new(r->context, platform, &plan);
  if (status)
    return status;
  status = add_events(r, plan, !events && !metrics);
  if (!status && !events && !metrics)
    status = add_metrics(r, plan);
  if (!status && events)
    status = pmon_plan_add_events(plan, events);
  if (!status && metrics)
    status = pmon_plan_add_metrics(plan, metrics);
  if (!status)
    status = check_recorded(r, plan);
  if (status) {
    pmon_plan_free(plan);
    return status;
  }
  plan->scheduled = true;
  plan->schedule.rounds = r->rounds;
  *ret_plan = plan;
  return 0;
}

static int read_clocks(struct pmon_recording *r, struct pmon_session *s)
{
  sqlite3_stmt *stmt = NULL;
  int status = 0;
  uint32_t cap = 0;
  if (sqlite3_prepare_v2(r->db, "SELECT name, hz FROM clock", -1, &stmt, NULL) != SQLITE_OK)
    return record_fail(r->context, r->db, PMON_E_SYNTAX, "read", r->path);
  while (!status && sqlite3_step(stmt) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(stmt, 0);
    int64_t hz = sqlite3_column_int64(stmt, 1);
    status = pmon_private_grow(&s->clocks, s->n_clocks, &cap, sizeof *s->clocks);
    char *own = !status && name && hz > 0 ? strdup(name) : NULL;
    if (own)
      s->clocks[s->n_clocks++] = (struct pmon_clock){own, (uint64_t)hz};
    else
      status = record_damaged(r, "a clock has no name or no frequency");
  }
  sqlite3_finalize(stmt);
  return status;
}

int pmon_recording_session(struct pmon_recording *r, struct pmon_plan *plan, struct pmon_session **ret_session)
{
  struct pmon_session *s = calloc(1, sizeof *s);
  if (!s)
    return record_refuse(r->context, PMON_E_MEMORY, "no memory for a session");
  r->steps_left = r->steps;
  s->plan = plan;
  s->packages = r->packages;
  s->rounds = r->rounds;
  int status = pmon_private_make_cells(s) ? record_refuse(r->context, PMON_E_MEMORY, "no memory for a session") : 0;
  if (!status)
    status = read_clocks(r, s);
  if (status) {
    pmon_session_close(s);
    return status;
  }
  *ret_session = s;
  return 0;
}

static bool is_number(sqlite3_stmt *stmt, int column)
{
  const int type = sqlite3_column_type(stmt, column);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* Adds the column's number to *into, as long as it is one. */
static bool record_read_number(sqlite3_stmt *stmt, int column, double lowest, double *into)
{
  double v = sqlite3_column_double(stmt, column);
  *into += v;
  return is_number(stmt, column) && v >= lowest && v < 1e300;
}

static bool take_whole(sqlite3_stmt *stmt, int column, int64_t most, uint32_t *into)
{
  int64_t v = sqlite3_column_int64(stmt, column);
  if (!is_number(stmt, column) || v < 0 || v > most)
    return false;
  *into += (uint32_t)v;
  return true;
}

/* A round's number, or UINT32_MAX (-1 in the file): every round. */
static bool take_round(const struct pmon_recording *r, sqlite3_stmt *stmt, int column, uint32_t *into)
{
  const int64_t v = sqlite3_column_int64(stmt, column);
  *into = (uint32_t)v;
  return is_number(stmt, column) && v >= -1 && v < (int64_t)r->rounds;
}

/* The highest counts of a total; 0 stands for none. */
static bool take_peaks(const struct pmon_recording *r, sqlite3_stmt *stmt, int at, struct sample_total *t)
{
  bool good = true;
  for (int i = 0; good && i < SAMPLE_PEAKS; i++, at += 4) {
    struct sample_peak peak = {0};
    good = record_read_number(stmt, at, 0, &peak.count) && record_read_number(stmt, at + 1, 0, &peak.seconds) &&
           take_whole(stmt, at + 2, UINT32_MAX, &peak.turn) && take_round(r, stmt, at + 3, &peak.round);
    if (good)
      pmon_private_add_peak(t, &peak);
  }
  return good;
}

/* Adds to a total what the columns from `at` on hold. */
static int take_total(struct pmon_recording *r, sqlite3_stmt *stmt, int at, struct sample_total *t)
{
  const int64_t slices = sqlite3_column_int64(stmt, at + 2);
  bool good = record_read_number(stmt, at, 0, &t->count) && record_read_number(stmt, at + 1, 0, &t->seconds) &&
              take_whole(stmt, at + 2, UINT32_MAX, &t->slices) && take_whole(stmt, at + 3, slices, &t->seen) &&
              take_round(r, stmt, at + 4, &t->round);
  at += 5;
  for (int i = 0; good && i < 2; i++, at += 4)
    good = record_read_number(stmt, at, 0, &t->spread[i].cc) &&
           record_read_number(stmt, at + 1, -1e300, &t->spread[i].ct) &&
           record_read_number(stmt, at + 2, 0, &t->spread[i].tt) &&
           take_whole(stmt, at + 3, slices > i ? slices - i - 1 : 0, &t->spread[i].pairs);
  good = good && record_read_number(stmt, at, 0, &t->lengths) &&
         record_read_number(stmt, at + 1, 0, &t->length_squares) && take_peaks(r, stmt, at + 2, t);
  return good ? 0 : record_damaged(r, "a count is no number");
}

/* Adds one row of counts. */
static int take_count(struct pmon_recording *r, struct pmon_session *s, sqlite3_stmt *stmt)
{
  int64_t event = sqlite3_column_int64(stmt, 0), package = sqlite3_column_int64(stmt, 1),
          instance = sqlite3_column_int64(stmt, 2);
  if (!is_number(stmt, 0) || !is_number(stmt, 1) || !is_number(stmt, 2) || event < 0 || event >= s->plan->n_events ||
      package < 0 || package > 63 || !(s->packages >> package & 1) || instance < 0 ||
      instance >= pmon_private_instances(s, (uint32_t)event))
    return record_damaged(r, "a count is of nothing that was measured");
  uint32_t cell =
      s->cell_of[event] + (uint32_t)package * pmon_private_instances(s, (uint32_t)event) + (uint32_t)instance;
  struct sample_total *t = &s->cells[cell];
  s->cell_shared[cell] = sqlite3_column_int(stmt, 3) != 0;
  t->flags |= (uint32_t)sqlite3_column_int64(stmt, 4);
  return take_total(r, stmt, 5, t);
}

/* Adds one row of sums over instances; package -1 is all. */
static int take_sum(struct pmon_recording *r, struct pmon_session *s, sqlite3_stmt *stmt)
{
  int64_t event = sqlite3_column_int64(stmt, 0), package = sqlite3_column_int64(stmt, 1);
  struct sample_total *t = NULL;
  if (is_number(stmt, 0) && is_number(stmt, 1) && event >= 0 && event < s->plan->n_events && package >= -1 &&
      package < 64)
    t = pmon_private_sum(s, (uint32_t)event, package < 0 ? PMON_ALL : (uint32_t)package);
  return t ? take_total(r, stmt, 2, t) : record_damaged(r, "a sum is of nothing that was measured");
}

/* When the counts were taken, and how. Intervals together last as long as they do, without what lies between them. */
static int take_times(struct pmon_recording *r, struct pmon_session *s, sqlite3_stmt *times)
{
  const int64_t end_ns = sqlite3_column_int64(times, 1), long_ns = sqlite3_column_int64(times, 0);
  if (sqlite3_column_int64(times, 2) < 0 || long_ns < 0 || end_ns < long_ns)
    return record_damaged(r, "an interval ends before it begins");
  if (sqlite3_column_int64(times, 3) < 0 || sqlite3_column_int64(times, 3) > PMON_FREEZE_BOUNDARIES ||
      sqlite3_column_int64(times, 4) < 0 || sqlite3_column_int64(times, 5) < 0)
    return record_damaged(r, "it does not say how an interval was read");
  s->now_ns = s->resume_ns = (uint64_t)end_ns;
  s->mark_ns = s->start_ns = (uint64_t)(end_ns - long_ns);
  s->freeze = (uint32_t)sqlite3_column_int(times, 3);
  s->ran = s->freeze == PMON_FREEZE_BOUNDARIES;
  s->freeze_ns = (uint64_t)sqlite3_column_int64(times, 4);
  s->skew_ns = (uint64_t)sqlite3_column_int64(times, 5);
  return 0;
}

/* Takes every row that `sql` finds for an interval (-1: all of them). */
static int take_rows(struct pmon_recording *r, struct pmon_session *s, const char *sql, int64_t interval,
                     int (*take)(struct pmon_recording *r, struct pmon_session *s, sqlite3_stmt *stmt))
{
  sqlite3_stmt *stmt = NULL;
  int status = 0, step = SQLITE_ERROR;
  if (sqlite3_prepare_v2(r->db, sql, -1, &stmt, NULL) == SQLITE_OK) {
    sqlite3_bind_int64(stmt, 1, interval);
    while (!status && (step = sqlite3_step(stmt)) == SQLITE_ROW)
      status = take(r, s, stmt);
  }
  if (!status && step != SQLITE_DONE)
    status = record_fail(r->context, r->db, PMON_E_SYNTAX, "read", r->path);
  sqlite3_finalize(stmt);
  return status;
}

int record_load(struct pmon_recording *r, struct pmon_session *s, const struct record_queries *queries, int64_t number)
{
  memset(s->cells, 0, s->n_cells * sizeof *s->cells);
  pmon_private_clear_sums(s);
  int status = take_rows(r, s, queries->times, number, take_times);
  if (!status)
    status = take_rows(r, s, queries->counts, number, take_count);
  if (!status)
    status = take_rows(r, s, queries->sums, number, take_sum);
  pmon_private_find_bursts(s);
  return status;
}

int pmon_recording_load(struct pmon_recording *r, struct pmon_session *s, uint32_t interval)
{
  static const struct record_queries queries = {
      "SELECT sum(end_ns - begin_ns), max(end_ns), min(end_ns - begin_ns), max(freeze), max(freeze_ns), max(skew_ns) "
      "FROM interval WHERE ?1 < 0 OR id = ?1",
      "SELECT event, package, instance, shared, flags, " RECORD_TOTAL_NAMES " FROM count "
      "WHERE ?1 < 0 OR interval = ?1",
      "SELECT event, package, " RECORD_TOTAL_NAMES " FROM sum WHERE ?1 < 0 OR interval = ?1"};
  const int64_t chosen = interval == UINT32_MAX ? -1 : (int64_t)interval;
  r->steps_left = r->steps;
  if (chosen >= r->intervals)
    return record_refuse(r->context, PMON_E_RANGE, "%s has %u intervals", r->path, r->intervals);
  return record_load(r, s, &queries, chosen);
}

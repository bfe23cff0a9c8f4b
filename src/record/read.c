/* SPDX-License-Identifier: MIT */
/* Opens a recording, and makes plans and sessions without a backend from it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <pmon/record.h>
#include "src/base/sized.h"
#include "src/plan/metric.h"
#include "src/record/file.h"
#include "src/session/private.h"

#define RECORDED_PLACES 24576u /* 16 KB each with 60 instances */

static int read_meta(struct pmon_recording *r)
{
  r->platform = record_query_meta(r, "platform");
  r->content = record_query_meta(r, "platform_content");
  r->backend = record_query_meta(r, "backend");
  r->command = record_query_meta(r, "command");
  r->packages = record_query_meta_number(r, "packages");
  r->rounds = (uint32_t)record_query_meta_number(r, "rounds");
  r->intervals = (uint32_t)record_query_number(r->db, "SELECT count(*) FROM interval", &r->error);
  r->events = (uint32_t)record_query_number(r->db, "SELECT count(*) FROM event", &r->error);
  if (record_check_queries(r))
    return PMON_E_SYNTAX;
  if (!r->platform || !r->backend || !r->command || !r->packages || !r->events)
    return record_damaged(r, "the description of the measurement is incomplete");
  r->machine = record_query_meta(r, "machine");
  r->host = record_query_meta(r, "host");
  r->time = (double)record_query_meta_number(r, "time_us") * 1e-6;
  if (r->time >= RECORD_TIME_MOST)
    return record_damaged(r, "its start time is out of range");
  if (!r->machine && !strcmp(r->backend, "machine")) /* never real hardware, although no machine is named */
    r->machine = strdup(r->platform);
  /* The query uses the index: a recording may have millions of counts. */
  if (record_query_number(r->db,
                          "SELECT EXISTS (SELECT 1 FROM count WHERE interval < -1 OR interval >= (SELECT count(*) FROM "
                          "interval)) + EXISTS (SELECT 1 FROM interval WHERE id < 0 OR id >= (SELECT count(*) FROM "
                          "interval))",
                          &r->error))
    return record_damaged(r, "a count belongs to an interval that does not exist");
  r->whole = record_query_number(r->db, "SELECT EXISTS (SELECT 1 FROM count WHERE interval = -1)", &r->error);
  return record_check_regions(r);
}

/* Reads whether the recording is complete, and its length. */
static void read_end(struct pmon_recording *r)
{
  r->complete = record_query_meta_number(r, "complete") == 1;
  r->length_ns = record_query_number(r->db, "SELECT max(end_ns) - min(begin_ns) FROM interval", &r->error);
}

/*
 * A recording is not trusted. It is data only: no views, triggers or virtual tables run when it is read, no value is
 * larger than a text that pmon writes, and a query stops after an amount of work that depends on the file's size alone.
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

/* Accepts only the tables and indices that pmon_record_new() makes: a view or a virtual table could compute without
 * end. */
static int check_schema(struct pmon_recording *r)
{
  static const char tables[] =
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN "
      "('meta', 'clock', 'event', 'metric', 'part', 'interval', 'count', 'sum') AND rootpage > 0";
  static const char regions[] = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN "
                                "('region', 'region_count', 'region_sum') AND rootpage > 0";
  static const char others[] = "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index') OR "
                               "rootpage IS NULL OR rootpage = 0";
  if (record_query_number(r->db, others, &r->error) || record_query_number(r->db, tables, &r->error) != 8 ||
      record_query_number(r->db, regions, &r->error) != 3)
    return record_damaged(r, "its tables are not those of a recording");
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
    status = record_refuse(context, PMON_E_SYNTAX, "%s: format version %d is not supported, only %d; record again",
                           path, (int)version, RECORD_VERSION);
  if (!status)
    status = check_schema(r);
  if (!status)
    status = read_meta(r);
  if (!status) {
    read_end(r);
    status = record_check_queries(r);
  }
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
  record_end_queries(r);
  sqlite3_close(r->db);
  free(r->path);
  free(r->region);
  free(r->device);
  free(r->platform);
  free(r->content);
  free(r->backend);
  free(r->machine);
  free(r->host);
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
                                     .host = r->host ? r->host : "",
                                     .time = r->time,
                                     .seconds = (double)r->length_ns * 1e-9};
  return sized_fill(info, &full, sizeof full)
             ? record_refuse(r->context, PMON_E_INVALID, "pmon_recording_describe: the size of its struct is not set")
             : 0;
}

/* Adds the recorded events, each with its number in the recording. */
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
  return record_end_rows(r, stmt, status, step);
}

/* Adds the metrics selected in the recorded session; or only stores their equations, if the plan defines these. They
 * are one list, because an equation can use those behind it. */
static int add_metrics(struct pmon_recording *r, struct pmon_plan *plan)
{
  sqlite3_stmt *stmt = NULL;
  int status = 0, step = SQLITE_DONE;
  if (sqlite3_prepare_v2(r->db,
                         "SELECT CASE WHEN equation IS NULL THEN name ELSE name || '=' || equation END"
                         " FROM metric WHERE equation NOT NULL OR NOT ?1 ORDER BY id",
                         -1, &stmt, NULL) != SQLITE_OK)
    return record_fail(r->context, r->db, PMON_E_SYNTAX, "read", r->path);
  sqlite3_bind_int(stmt, 1, plan->defines_stored);
  sqlite3_str *list = sqlite3_str_new(r->db);
  while (!status && (step = sqlite3_step(stmt)) == SQLITE_ROW) {
    const char *const metric = (const char *)sqlite3_column_text(stmt, 0);
    if (metric)
      sqlite3_str_appendf(list, "%s%s", sqlite3_str_length(list) ? "," : "", metric);
    else
      status = record_damaged(r, "a metric has no name");
  }
  status = record_end_rows(r, stmt, status, step);
  if (!status && sqlite3_str_errcode(list))
    status = record_refuse(r->context, PMON_E_MEMORY, "no memory for a list of metrics");
  char *const names = sqlite3_str_finish(list);
  if (!status && names)
    status = pmon_plan_add_metrics(plan, names);
  sqlite3_free(names);
  return status;
}

/* Returns the name of a metric whose equation uses the event; "": none does. */
static const char *metric_with_event(const struct pmon_plan *plan, uint32_t event)
{
  for (uint32_t i = 0; i < plan->n_metrics; i++) {
    const struct metric *m = plan->metrics[i];
    for (uint32_t k = 0; k < m->expr->n_names; k++)
      if (m->names[k].kind == METRIC_EVENT && m->names[k].index == event)
        return m->name;
  }
  return "";
}

static int check_recorded(const struct pmon_recording *r, const struct pmon_plan *plan)
{
  if (plan->n_events <= r->events)
    return 0;
  const char *const metric = metric_with_event(plan, r->events);
  return record_refuse(r->context, PMON_E_NO_DATA, "%s%s%s was not recorded", metric, *metric ? ": " : "",
                       pmon_event_name(plan->events[r->events].event));
}

int pmon_recording_plan(struct pmon_recording *r, const struct pmon_platform *platform, const char *events,
                        const char *metrics, struct pmon_plan **ret_plan)
{
  struct pmon_plan *plan;
  r->steps_left = r->steps;
  int status = record_check_platform(r, platform);
  if (!status)
    status = pmon_plan_new(r->context, platform, &plan);
  if (status)
    return status;
  plan->recorded = true;
  status = add_events(r, plan, !events && !metrics);
  plan->defines_stored = metrics != NULL;
  if (!status && (metrics || !events))
    status = add_metrics(r, plan);
  plan->defines_stored = false;
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
  int status = 0, step = SQLITE_DONE;
  uint32_t cap = 0;
  if (sqlite3_prepare_v2(r->db, "SELECT name, hz FROM clock", -1, &stmt, NULL) != SQLITE_OK)
    return record_fail(r->context, r->db, PMON_E_SYNTAX, "read", r->path);
  while (!status && (step = sqlite3_step(stmt)) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(stmt, 0);
    int64_t hz = sqlite3_column_int64(stmt, 1);
    status = pmon_private_grow(&s->clocks, s->n_clocks, &cap, sizeof *s->clocks);
    char *own = !status && name && hz >= 0 ? strdup(name) : NULL;
    if (own)
      s->clocks[s->n_clocks++] = (struct pmon_clock){own, (uint64_t)hz};
    else
      status = record_damaged(r, "a clock has no name or an invalid frequency");
  }
  return record_end_rows(r, stmt, status, step);
}

/* Reads a part of an event's counts, or another use of it; parts are numbered consecutively after the events. */
static int take_part(const struct pmon_recording *r, struct pmon_session *s, sqlite3_stmt *stmt)
{
  const int64_t part = sqlite3_column_int64(stmt, 0) - r->events, event = sqlite3_column_int64(stmt, 1);
  const char *operands = (const char *)sqlite3_column_text(stmt, 2);
  if (sqlite3_column_type(stmt, 0) != SQLITE_INTEGER || part < 0 || part > s->n_parts ||
      part >= PARTS_OF_AN_EVENT * (int64_t)r->events || event < 0 || event >= r->events || !operands ||
      (part < s->n_parts && s->parts[part].event != event))
    return record_damaged(r, "a part belongs to an event that does not exist");
  if (part == s->n_parts) {
    if (pmon_private_grow(&s->parts, s->n_parts, &s->cap_parts, sizeof *s->parts))
      return record_refuse(r->context, PMON_E_MEMORY, "no memory for a session");
    s->parts[s->n_parts++] = (struct session_part){.event = (uint32_t)event, .next = UINT32_MAX};
  }
  return pmon_private_add_part_use(s, operands, (uint32_t)event, (uint32_t)part)
             ? record_refuse(r->context, PMON_E_MEMORY, "no memory for a session")
             : 0;
}

static int read_parts(struct pmon_recording *r, struct pmon_session *s)
{
  sqlite3_stmt *stmt = NULL;
  int status = 0, step = SQLITE_DONE;
  if (sqlite3_prepare_v2(r->db, "SELECT id, event, operands FROM part ORDER BY id", -1, &stmt, NULL) != SQLITE_OK)
    return record_fail(r->context, r->db, PMON_E_SYNTAX, "read", r->path);
  while (!status && (step = sqlite3_step(stmt)) == SQLITE_ROW)
    status = take_part(r, s, stmt);
  return record_end_rows(r, stmt, status, step);
}

int pmon_recording_session(struct pmon_recording *r, struct pmon_plan *plan, struct pmon_session **ret_session)
{
  /* The session has a place for each event on each package up to the highest one, even without counts in the file. */
  const uint64_t places = (uint64_t)plan->n_events * (64 - (unsigned)__builtin_clzll(r->packages | 1));
  if (places > RECORDED_PLACES)
    return record_refuse(r->context, PMON_E_RANGE, "%s: %llu events times packages, more than %u", r->path,
                         (unsigned long long)places, RECORDED_PLACES);
  struct pmon_session *s = calloc(1, sizeof *s);
  if (!s)
    return record_refuse(r->context, PMON_E_MEMORY, "no memory for a session");
  r->steps_left = r->steps;
  s->plan = plan;
  s->packages = r->packages;
  s->rounds = r->rounds;
  int status = read_parts(r, s);
  if (!status && pmon_private_make_cells(s))
    status = record_refuse(r->context, PMON_E_MEMORY, "no memory for a session");
  if (!status)
    status = read_clocks(r, s);
  if (!status)
    status = record_read_limits(r, s);
  if (!status)
    status = record_read_parts(r, s);
  if (!status)
    status = record_check_queries(r);
  if (status) {
    pmon_session_close(s);
    return status;
  }
  *ret_session = s;
  return 0;
}

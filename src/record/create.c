/* SPDX-License-Identifier: MIT */
/* Makes the file of a recording: its tables, and the description of the measurement. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <pmon/record.h>
#include "src/record/write.h"
#include "src/platform/platform.h"
#include "src/session/private.h"
#include "src/base/sized.h"

enum { BUSY_MS = 2000 }; /* maximum wait for a reader that has locked the file */

static const char schema[] =
    "PRAGMA synchronous=OFF; BEGIN; PRAGMA application_id=1347243854; PRAGMA user_version=7;"
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);"
    "CREATE TABLE clock(name TEXT, hz INTEGER);"
    "CREATE TABLE event(id INTEGER PRIMARY KEY, name TEXT, selected INTEGER);"
    "CREATE TABLE metric(id INTEGER PRIMARY KEY, name TEXT, equation TEXT);"
    "CREATE TABLE machine_limit(name TEXT, package INTEGER, number REAL);"
    "CREATE TABLE device(package INTEGER, unit TEXT, instance INTEGER, port INTEGER, address TEXT, name TEXT,"
    " link_bytes_per_second REAL);"
    "CREATE TABLE instances(event INTEGER, package INTEGER, number REAL);"
    "CREATE TABLE part(id INTEGER, event INTEGER, operands TEXT);"
    "CREATE TABLE interval(id INTEGER PRIMARY KEY, begin_ns INTEGER, end_ns INTEGER, freeze INTEGER,"
    " freeze_ns INTEGER, skew_ns INTEGER);"
    "CREATE TABLE count(interval INTEGER, event INTEGER, package INTEGER, instance INTEGER, shared INTEGER,"
    " flags INTEGER, " RECORD_TOTAL ", PRIMARY KEY(interval, event, package, instance)) WITHOUT ROWID;"
    "CREATE TABLE sum(interval INTEGER, event INTEGER, package INTEGER, " RECORD_TOTAL ","
    " PRIMARY KEY(interval, event, package)) WITHOUT ROWID;"
    "CREATE TABLE region(id INTEGER PRIMARY KEY, name TEXT, thread INTEGER, calls INTEGER, missing_ends INTEGER,"
    " missing_begins INTEGER, time_ns INTEGER, freeze INTEGER, freeze_ns INTEGER, skew_ns INTEGER);"
    "CREATE TABLE region_count(region INTEGER, event INTEGER, package INTEGER, instance INTEGER, shared INTEGER,"
    " flags INTEGER, " RECORD_TOTAL ", PRIMARY KEY(region, event, package, instance)) WITHOUT ROWID;"
    "CREATE TABLE region_sum(region INTEGER, event INTEGER, package INTEGER, " RECORD_TOTAL ","
    " PRIMARY KEY(region, event, package)) WITHOUT ROWID;";

static int add_meta(struct pmon_record *r, const struct pmon_record_head *head)
{
  const struct pmon_platform *p = r->session->plan->platform;
  static const char sql[] = "INSERT INTO meta VALUES(?1, coalesce(?2, ?3))";
  int status = record_add_row(r->db, sql, "platform", db_text(p->db, p->row->name), 0);
  if (!status && *p->db->content)
    status = record_add_row(r->db, sql, "platform_content", p->db->content, 0);
  if (!status)
    status = record_add_row(r->db, sql, "backend", head->backend ? head->backend : "", 0);
  if (!status)
    status = record_add_row(r->db, sql, "command", head->command ? head->command : "", 0);
  if (!status && head->host && *head->host)
    status = record_add_row(r->db, sql, "host", head->host, 0);
  if (!status && head->time > 0 && head->time < RECORD_TIME_MOST)
    status = record_add_row(r->db, sql, "time_us", NULL, (int64_t)(head->time * 1e6 + 0.5));
  if (!status && head->machine && *head->machine)
    status = record_add_row(r->db, sql, "machine", head->machine, 0);
  if (!status)
    status = record_add_row(r->db, sql, "packages", NULL, (int64_t)r->session->packages);
  return status ? status : record_add_row(r->db, sql, "rounds", NULL, r->session->rounds);
}

static int add_plan(struct pmon_record *r)
{
  const struct pmon_session *s = r->session;
  const struct metric *m;
  int status = 0;
  for (uint32_t i = 0; !status && i < s->n_clocks; i++)
    status = record_add_row(r->db, "INSERT INTO clock VALUES(?1, coalesce(?2, ?3))", s->clocks[i].name, NULL,
                            (int64_t)s->clocks[i].hz);
  for (uint32_t i = 0; !status && i < s->plan->n_events; i++)
    status =
        record_add_row(r->db, "INSERT INTO event(id, name, selected) SELECT count(*), ?1, coalesce(?2, ?3) FROM event",
                       pmon_event_name(s->plan->events[i].event), NULL, s->plan->events[i].selected);
  for (uint32_t i = 0; !status && (m = pmon_private_metric_selected(s->plan, i)); i++) {
    char name[256];
    snprintf(name, sizeof name, "%s%s%s", m->equation ? "" : m->unit, m->equation || !*m->unit ? "" : "/", m->name);
    status = record_add_row(r->db, "INSERT INTO metric(name, equation) VALUES(?1, ?2)", name, m->equation, 0);
  }
  for (uint32_t i = 0; !status && i < s->n_part_uses; i++) {
    const struct session_part_use *use = &s->part_uses[i];
    char event[16];
    snprintf(event, sizeof event, "%u", use->event);
    status = record_add_row(r->db, "INSERT INTO part VALUES(?3, ?1, ?2)", event, use->operands,
                            s->plan->n_events + use->part);
  }
  return status;
}

/* Checks whether a file may be replaced: an empty file, or a recording, unless it is incomplete and has intervals,
 * which would be lost; only regular files. */
static int check_replaceable(struct pmon_context *context, const char *path, const struct stat *st)
{
  sqlite3 *db = NULL;
  const bool file = S_ISREG(st->st_mode);
  bool own = file && !st->st_size;
  int status = 0, error = SQLITE_OK;
  if (file && !own && !(status = record_open_database(context, path, &db))) {
    const bool recording = record_pragma(db, "application_id") == RECORD_ID;
    /* A recorder that was killed before its first commit leaves an empty database. */
    own = recording || record_pragma(db, "schema_version") == 0;
    if (recording && record_pragma(db, "user_version") == RECORD_VERSION &&
        (record_query_number(db, "SELECT count(*) FROM interval", &error) || error) &&
        !record_query_number(db, "SELECT value FROM meta WHERE key = 'complete'", &error))
      status = record_refuse(
          context, PMON_E_INVALID,
          "%s: exists and is an incomplete recording (`pmon report %s` prints it); choose another file, or "
          "remove it",
          path, path);
  }
  sqlite3_close(db);
  return own || status == PMON_E_MEMORY
             ? status
             : record_refuse(context, PMON_E_INVALID,
                             "%s: exists and is not a recording, so it is not replaced; choose another file", path);
}

/* Makes an empty file, never through a link that another user made. */
static int record_create_file(struct pmon_context *context, const char *path)
{
  struct stat st;
  int status = stat(path, &st) ? 0 : check_replaceable(context, path, &st);
  if (!status && unlink(path) && errno != ENOENT)
    status = record_refuse(context, PMON_E_IO, "%s: cannot be replaced: %s", path, strerror(errno));
  if (status)
    return status;
  const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0)
    return record_refuse(context, PMON_E_IO, "%s: cannot be written: %s", path, strerror(errno));
  close(fd);
  return 0;
}

int pmon_record_new(const struct pmon_session *session, const char *path, const struct pmon_record_head *head,
                    struct pmon_record **ret_record)
{
  struct pmon_context *context = session->plan->context;
  struct pmon_record_head full = {0};
  int status = head ? sized_take(&full, sizeof full, head) : 0;
  if (status)
    return record_refuse(context, status, "pmon_record_new: head: its size is not set, or it has an unknown member");
  struct pmon_record *r = calloc(1, sizeof *r);
  status = record_create_file(context, path);
  if (status || !r || !(r->path = strdup(path))) {
    free(r);
    return status ? status : record_refuse(context, PMON_E_MEMORY, "no memory for a recording");
  }
  r->session = session;
  r->context = context;
  if (record_open_sqlite(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, &r->db) != SQLITE_OK ||
      sqlite3_busy_timeout(r->db, BUSY_MS) != SQLITE_OK || sqlite3_exec(r->db, schema, NULL, NULL, NULL) != SQLITE_OK ||
      add_meta(r, &full) || add_plan(r) || record_add_limits(r) || record_add_parts(r) ||
      sqlite3_exec(r->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK ||
      sqlite3_prepare_v2(r->db, "REPLACE INTO interval VALUES(?,?,?,?,?,?)", -1, &r->add_interval, NULL) != SQLITE_OK ||
      sqlite3_prepare_v2(r->db, "INSERT INTO count VALUES(?,?,?,?,?,?, " RECORD_TOTAL_MARKS ")", -1, &r->add_count,
                         NULL) != SQLITE_OK ||
      sqlite3_prepare_v2(r->db, "INSERT INTO sum VALUES(?,?,?, " RECORD_TOTAL_MARKS ")", -1, &r->add_sum, NULL) !=
          SQLITE_OK) {
    status = record_fail(context, r->db, PMON_E_IO, "written", path);
    r->failed = true;
    pmon_record_close(r);
    return status;
  }
  *ret_record = r;
  return 0;
}

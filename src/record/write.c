/* SPDX-License-Identifier: MIT */
/* A session's counts into a file. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <pmon/record.h>
#include "file.h"
#include "src/platform/platform.h"
#include "src/session/private.h"
#include "src/base/sized.h"

struct pmon_record {
  const struct pmon_session *session;
  struct pmon_context *context;
  char *path;
  sqlite3 *db;
  sqlite3_stmt *add_interval, *add_count, *add_sum;
  int64_t n;
  bool begun, failed; /* the interval n is in the file, and continues; something is not in the file */
};

enum { BUSY_MS = 2000 }; /* how long a reader of the file may keep it from being written */

static const char schema[] =
    "PRAGMA synchronous=OFF; BEGIN; PRAGMA application_id=1347243854; PRAGMA user_version=6;"
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);"
    "CREATE TABLE clock(name TEXT, hz INTEGER);"
    "CREATE TABLE event(id INTEGER PRIMARY KEY, name TEXT, selected INTEGER);"
    "CREATE TABLE metric(id INTEGER PRIMARY KEY, name TEXT, equation TEXT);"
    "CREATE TABLE part(id INTEGER, event INTEGER, operands TEXT);"
    "CREATE TABLE interval(id INTEGER PRIMARY KEY, begin_ns INTEGER, end_ns INTEGER, freeze INTEGER,"
    " freeze_ns INTEGER, skew_ns INTEGER);"
    "CREATE TABLE count(interval INTEGER, event INTEGER, package INTEGER, instance INTEGER, shared INTEGER,"
    " flags INTEGER, " RECORD_TOTAL ");"
    "CREATE TABLE sum(interval INTEGER, event INTEGER, package INTEGER, " RECORD_TOTAL ");"
    "CREATE TABLE region(id INTEGER PRIMARY KEY, name TEXT, thread INTEGER, calls INTEGER, missing_ends INTEGER,"
    " missing_begins INTEGER, time_ns INTEGER, freeze INTEGER, freeze_ns INTEGER, skew_ns INTEGER);"
    "CREATE TABLE region_count(region INTEGER, event INTEGER, package INTEGER, instance INTEGER, shared INTEGER,"
    " flags INTEGER, " RECORD_TOTAL ");"
    "CREATE TABLE region_sum(region INTEGER, event INTEGER, package INTEGER, " RECORD_TOTAL ");"
    "CREATE INDEX count_by_region ON region_count(region); CREATE INDEX sum_by_region ON region_sum(region);"
    "CREATE INDEX by_interval ON count(interval); CREATE INDEX sum_by_interval ON sum(interval);";

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

int record_refuse(struct pmon_context *context, int status, const char *format, ...)
{
  char text[1024];
  va_list ap;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  return pmon_private_fail(context, status, text);
}

int record_fail(struct pmon_context *context, sqlite3 *db, int status, const char *what, const char *path)
{
  const int code = db ? sqlite3_system_errno(db) : 0;
  return record_refuse(context, status, "%s: cannot be %s: %s", path, what,
                       !db    ? "no memory"
                       : code ? strerror(code)
                              : sqlite3_errmsg(db));
}

/* One row: `sql` with the texts and the number in the places of ?1, ?2 and ?3. */
static int add_row(sqlite3 *db, const char *sql, const char *first, const char *second, int64_t number)
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

static int add_meta(struct pmon_record *r, const struct pmon_record_head *head)
{
  const struct pmon_platform *p = r->session->plan->platform;
  static const char sql[] = "INSERT INTO meta VALUES(?1, coalesce(?2, ?3))";
  int status = add_row(r->db, sql, "platform", db_text(p->db, p->row->name), 0);
  if (!status && *p->db->content)
    status = add_row(r->db, sql, "platform_content", p->db->content, 0);
  if (!status)
    status = add_row(r->db, sql, "backend", head->backend ? head->backend : "", 0);
  if (!status)
    status = add_row(r->db, sql, "command", head->command ? head->command : "", 0);
  if (!status && head->machine && *head->machine)
    status = add_row(r->db, sql, "machine", head->machine, 0);
  if (!status)
    status = add_row(r->db, sql, "packages", NULL, (int64_t)r->session->packages);
  return status ? status : add_row(r->db, sql, "rounds", NULL, r->session->rounds);
}

static int add_plan(struct pmon_record *r)
{
  const struct pmon_session *s = r->session;
  const struct metric *m;
  int status = 0;
  for (uint32_t i = 0; !status && i < s->n_clocks; i++)
    status = add_row(r->db, "INSERT INTO clock VALUES(?1, coalesce(?2, ?3))", s->clocks[i].name, NULL,
                     (int64_t)s->clocks[i].hz);
  for (uint32_t i = 0; !status && i < s->plan->n_events; i++)
    status = add_row(r->db, "INSERT INTO event(id, name, selected) SELECT count(*), ?1, coalesce(?2, ?3) FROM event",
                     pmon_event_name(s->plan->events[i].event), NULL, s->plan->events[i].selected);
  for (uint32_t i = 0; !status && (m = pmon_private_metric_selected(s->plan, i)); i++) {
    char name[256];
    snprintf(name, sizeof name, "%s%s%s", m->equation ? "" : m->unit, m->equation || !*m->unit ? "" : "/", m->name);
    status = add_row(r->db, "INSERT INTO metric(name, equation) VALUES(?1, ?2)", name, m->equation, 0);
  }
  for (uint32_t i = 0; !status && i < s->n_part_uses; i++) {
    const struct session_part_use *use = &s->part_uses[i];
    char event[16];
    snprintf(event, sizeof event, "%u", use->event);
    status = add_row(r->db, "INSERT INTO part VALUES(?3, ?1, ?2)", event, use->operands, s->plan->n_events + use->part);
  }
  return status;
}

/* Whether a file may be replaced: an empty one, or a recording, unless what it has would be lost with it; never what is
 * no file. */
static int check_replaceable(struct pmon_context *context, const char *path, const struct stat *st)
{
  sqlite3 *db = NULL;
  const bool file = S_ISREG(st->st_mode);
  bool own = file && !st->st_size;
  int status = 0;
  if (file && !own && !(status = record_open_database(context, path, &db))) {
    const bool recording = record_pragma(db, "application_id") == RECORD_ID;
    /* Of a recorder that was killed before its first commit, only an empty database is left. */
    own = recording || record_pragma(db, "schema_version") == 0;
    if (recording && record_pragma(db, "user_version") == RECORD_VERSION &&
        record_query_number(db, "SELECT count(*) FROM interval") &&
        !record_query_number(db, "SELECT value FROM meta WHERE key = 'complete'"))
      status = record_refuse(
          context, PMON_E_IO,
          "%s: exists and is an incomplete recording (`pmon report %s` prints it); choose another file, or "
          "remove it",
          path, path);
  }
  sqlite3_close(db);
  return own || status == PMON_E_MEMORY
             ? status
             : record_refuse(context, PMON_E_IO,
                             "%s: exists and is not a recording, so it is not replaced; choose another file", path);
}

/* Makes an empty file; never through a link that somebody else put there. */
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
  if (sqlite3_open_v2(path, &r->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
      sqlite3_busy_timeout(r->db, BUSY_MS) != SQLITE_OK || sqlite3_exec(r->db, schema, NULL, NULL, NULL) != SQLITE_OK ||
      add_meta(r, &full) || add_plan(r) || sqlite3_exec(r->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK ||
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

/* A row: whole numbers, then a total. */
static int add_total(sqlite3_stmt *stmt, const int64_t *whole, int n, const struct sample_total *t)
{
  int column = 1;
  for (int i = 0; i < n; i++)
    sqlite3_bind_int64(stmt, column++, whole[i]);
  sqlite3_bind_double(stmt, column++, t->count);
  sqlite3_bind_double(stmt, column++, t->seconds);
  sqlite3_bind_int64(stmt, column++, t->slices);
  sqlite3_bind_int64(stmt, column++, t->seen);
  sqlite3_bind_int64(stmt, column++, t->round == UINT32_MAX ? -1 : (int64_t)t->round);
  for (int i = 0; i < 2; i++) {
    sqlite3_bind_double(stmt, column++, t->spread[i].cc);
    sqlite3_bind_double(stmt, column++, t->spread[i].ct);
    sqlite3_bind_double(stmt, column++, t->spread[i].tt);
    sqlite3_bind_int64(stmt, column++, t->spread[i].pairs);
  }
  sqlite3_bind_double(stmt, column++, t->lengths);
  sqlite3_bind_double(stmt, column++, t->length_squares);
  for (int i = 0; i < SAMPLE_PEAKS; i++) {
    sqlite3_bind_double(stmt, column++, t->peak[i].count);
    sqlite3_bind_double(stmt, column++, t->peak[i].seconds);
    sqlite3_bind_int64(stmt, column++, t->peak[i].turn);
    sqlite3_bind_int64(stmt, column++, t->peak[i].round == UINT32_MAX ? -1 : (int64_t)t->peak[i].round);
  }
  int result = sqlite3_step(stmt);
  sqlite3_reset(stmt);
  return result == SQLITE_DONE ? 0 : PMON_E_IO;
}

/* Counts on their way into the file: those of the session, or of one of its regions. */
struct record_rows {
  const struct pmon_session *session;
  sqlite3_stmt *counts, *sums;
  int64_t number; /* of the interval or region */
};

static int add_cell(const struct record_rows *rows, uint32_t item, uint32_t package, uint32_t instance)
{
  const struct pmon_session *s = rows->session;
  uint32_t cell = s->cell_of[item] + package * pmon_private_instances(s, session_item_event(s, item)) + instance;
  const struct sample_total *t = &s->cells[cell];
  const int64_t whole[] = {rows->number, item, package, instance, s->cell_shared[cell], t->flags};
  return add_total(rows->counts, whole, sizeof whole / sizeof *whole, t);
}

/* The sums of an item over instances: of each package, and of all (-1). */
static int add_sums(const struct record_rows *rows, uint32_t item)
{
  for (uint32_t package = 0; package <= rows->session->n_packages; package++) {
    const bool all = package == rows->session->n_packages;
    const struct sample_total *t = pmon_private_sum(rows->session, item, all ? PMON_ALL : package);
    if (!t || !t->slices)
      continue;
    const int64_t whole[] = {rows->number, item, all ? -1 : (int64_t)package};
    if (add_total(rows->sums, whole, sizeof whole / sizeof *whole, t))
      return PMON_E_IO;
  }
  return 0;
}

static int add_rows(const struct record_rows *rows)
{
  const struct pmon_session *s = rows->session;
  int status = 0;
  for (uint32_t item = 0; !status && item < session_items(s); item++) {
    const uint64_t instances = s->plan->events[session_item_event(s, item)].instances;
    for (uint32_t package = 0; !status && package < 64; package++)
      for (uint64_t left = s->packages >> package & 1 ? instances : 0; !status && left; left &= left - 1)
        status = add_cell(rows, item, package, (uint32_t)__builtin_ctzll(left));
  }
  for (uint32_t item = 0; !status && item < session_items(s); item++)
    status = add_sums(rows, item);
  return status;
}

/* Ends a transaction: what it added is in the file, or none of it is. */
static int end_transaction(struct pmon_record *r, int status)
{
  if (!status && sqlite3_exec(r->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
    status = PMON_E_IO;
  if (status) {
    r->failed = true;
    record_fail(r->context, r->db, status, "written", r->path);
    sqlite3_exec(r->db, "ROLLBACK", NULL, NULL, NULL);
  }
  return status;
}

/* The rows of the interval n that an update wrote. */
static int drop_rows(struct pmon_record *r)
{
  int status = add_row(r->db, "DELETE FROM count WHERE interval = ?3", NULL, NULL, r->n);
  return status ? status : add_row(r->db, "DELETE FROM sum WHERE interval = ?3", NULL, NULL, r->n);
}

int pmon_record_update(struct pmon_record *r)
{
  const struct pmon_session *s = r->session;
  int status = sqlite3_exec(r->db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK ? 0 : PMON_E_IO;
  sqlite3_bind_int64(r->add_interval, 1, r->n);
  sqlite3_bind_int64(r->add_interval, 2, (int64_t)s->mark_ns);
  sqlite3_bind_int64(r->add_interval, 3, (int64_t)s->now_ns);
  sqlite3_bind_int64(r->add_interval, 4, pmon_private_frozen(s));
  sqlite3_bind_int64(r->add_interval, 5, (int64_t)s->freeze_ns);
  sqlite3_bind_int64(r->add_interval, 6, (int64_t)s->skew_ns);
  if (!status && sqlite3_step(r->add_interval) != SQLITE_DONE)
    status = PMON_E_IO;
  sqlite3_reset(r->add_interval);
  if (!status && r->begun)
    status = drop_rows(r);
  if (!status)
    status = add_rows(&(struct record_rows){s, r->add_count, r->add_sum, r->n});
  status = end_transaction(r, status);
  r->begun = r->begun || !status;
  return status;
}

int pmon_record_add(struct pmon_record *r)
{
  int status = pmon_record_update(r);
  r->n++;
  r->begun = false;
  return status;
}

static int add_region(struct pmon_record *r, uint32_t i, sqlite3_stmt *head, struct record_rows *rows)
{
  struct pmon_region_info info = {.size = sizeof info};
  const struct pmon_session *view = pmon_session_region(r->session, i);
  if (!view || pmon_session_region_describe(r->session, i, &info))
    return PMON_E_IO;
  const int64_t whole[] = {(int64_t)info.thread,         (int64_t)info.calls,   (int64_t)info.missing_ends,
                           (int64_t)info.missing_begins, (int64_t)view->now_ns, pmon_private_frozen(view),
                           (int64_t)view->freeze_ns,     (int64_t)view->skew_ns};
  sqlite3_bind_int64(head, 1, i);
  sqlite3_bind_text(head, 2, info.name, -1, SQLITE_TRANSIENT);
  for (int k = 0; k < (int)(sizeof whole / sizeof *whole); k++)
    sqlite3_bind_int64(head, k + 3, whole[k]);
  const int step = sqlite3_step(head);
  sqlite3_reset(head);
  rows->session = view;
  rows->number = i;
  return step == SQLITE_DONE ? add_rows(rows) : PMON_E_IO;
}

int pmon_record_add_regions(struct pmon_record *r)
{
  sqlite3_stmt *head = NULL;
  struct record_rows rows = {0};
  int status = PMON_E_IO;
  if (sqlite3_exec(r->db, "BEGIN; DELETE FROM region; DELETE FROM region_count; DELETE FROM region_sum", NULL, NULL,
                   NULL) == SQLITE_OK &&
      sqlite3_prepare_v2(r->db, "INSERT INTO region VALUES(?,?,?,?,?,?,?,?,?,?)", -1, &head, NULL) == SQLITE_OK &&
      sqlite3_prepare_v2(r->db, "INSERT INTO region_count VALUES(?,?,?,?,?,?, " RECORD_TOTAL_MARKS ")", -1,
                         &rows.counts, NULL) == SQLITE_OK &&
      sqlite3_prepare_v2(r->db, "INSERT INTO region_sum VALUES(?,?,?, " RECORD_TOTAL_MARKS ")", -1, &rows.sums, NULL) ==
          SQLITE_OK)
    status = 0;
  for (uint32_t i = 0; !status && pmon_session_region(r->session, i); i++)
    status = add_region(r, i, head, &rows);
  status = end_transaction(r, status);
  sqlite3_finalize(head);
  sqlite3_finalize(rows.counts);
  sqlite3_finalize(rows.sums);
  return status;
}

int pmon_record_close(struct pmon_record *r)
{
  int status = 0;
  if (!r)
    return 0;
  if (!r->failed && add_row(r->db, "INSERT INTO meta VALUES('complete', ?3)", NULL, NULL, 1))
    status = record_fail(r->context, r->db, PMON_E_IO, "written", r->path);
  sqlite3_finalize(r->add_interval);
  sqlite3_finalize(r->add_count);
  sqlite3_finalize(r->add_sum);
  if (sqlite3_close(r->db) != SQLITE_OK)
    status = record_fail(r->context, r->db, PMON_E_IO, "completed", r->path);
  free(r->path);
  free(r);
  return status;
}

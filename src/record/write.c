/* SPDX-License-Identifier: MIT */
/* Writes a session's counts into a file: rows of intervals, of regions, and of all intervals together. */
#include <stdlib.h>
#include <string.h>
#include <pmon/record.h>
#include "src/record/file.h"
#include "src/record/write.h"
#include "src/session/absent.h"
#include "src/session/counts.h"
#include "src/session/private.h"

/* Executes a statement with `n` whole numbers, followed by a total. */
static int add_total(sqlite3_stmt *stmt, const int64_t *whole, int n, const struct sample_total *t)
{
  for (int i = 0; i < n; i++)
    sqlite3_bind_int64(stmt, i + 1, whole[i]);
  record_total_bind(stmt, n + 1, t);
  int result = sqlite3_step(stmt);
  sqlite3_reset(stmt);
  return result == SQLITE_DONE ? 0 : PMON_E_IO;
}

/* The statements for rows, and the number of their interval or region. */
struct record_rows {
  sqlite3_stmt *counts, *sums;
  int64_t number;
};

static int add_count(const struct record_rows *rows, const struct record_cell *c)
{
  const int64_t whole[] = {rows->number, c->item, c->package, c->instance, c->place, c->total.flags};
  return add_total(rows->counts, whole, sizeof whole / sizeof *whole, &c->total);
}

static int add_sum(const struct record_rows *rows, const struct record_cell *c)
{
  const int64_t whole[] = {rows->number, c->item, c->package};
  return add_total(rows->sums, whole, sizeof whole / sizeof *whole, &c->total);
}

/* Passes a session's counts to `use`, cell by cell, in the order of the rows. */
struct record_walk {
  int (*use)(const struct record_walk *walk, const struct record_cell *cell);
  const struct record_rows *rows; /* use_as_row(): writes each cell as a row */
  struct record_whole *whole;     /* use_in_whole(): adds each cell of the session here */
  const struct pmon_session *session;
};

/* Passes the sums of an item over instances: of all packages (-1), and of each package. */
static int walk_sums(const struct record_walk *walk, const struct pmon_session *s, uint32_t item)
{
  int status = 0;
  for (uint32_t package = 0; !status && package <= s->n_packages; package++) {
    const bool all = !package;
    const struct sample_total *t = pmon_private_sum(s, item, all ? PMON_ALL : package - 1);
    if (t && t->slices)
      status = walk->use(walk, &(struct record_cell){item, all ? -1 : (int64_t)package - 1, -1, RECORD_COUNTED, *t});
  }
  return status;
}

/* Returns how the instance of a cell was counted; `whole` is the cell of the whole event. */
static enum record_place place_of(const struct pmon_session *s, uint32_t cell, uint32_t whole)
{
  const uint32_t presence = s->presence ? s->presence[whole] : PRESENCE_UNKNOWN;
  if (presence == PRESENCE_UNLISTED)
    return RECORD_UNLISTED;
  if (s->cell_shared[cell])
    return RECORD_SHARED;
  return presence == PRESENCE_UNREADABLE ? RECORD_UNREADABLE
         : presence == PRESENCE_IN_RANGE ? RECORD_IN_RANGE
                                         : RECORD_COUNTED;
}

static int walk_cells(const struct record_walk *walk, const struct pmon_session *s, uint32_t item)
{
  const uint32_t event = session_item_event(s, item), n = pmon_private_instances(s, event);
  int status = 0;
  for (uint32_t package = 0; !status && package < 64; package++)
    for (uint64_t left = s->packages >> package & 1 ? s->plan->events[event].instances : 0; !status && left;
         left &= left - 1) {
      const uint32_t instance = (uint32_t)__builtin_ctzll(left), place = package * n + instance;
      const uint32_t cell = s->cell_of[item] + place;
      status = walk->use(walk, &(struct record_cell){item, package, instance,
                                                     place_of(s, cell, s->cell_of[event] + place), s->cells[cell]});
    }
  return status;
}

static int walk_session(const struct record_walk *walk, const struct pmon_session *s)
{
  int status = 0;
  for (uint32_t item = 0; !status && item < session_items(s); item++)
    status = walk_cells(walk, s, item);
  for (uint32_t item = 0; !status && item < session_items(s); item++)
    status = walk_sums(walk, s, item);
  return status;
}

static int use_as_row(const struct record_walk *walk, const struct record_cell *c)
{
  return c->instance < 0 ? add_sum(walk->rows, c) : add_count(walk->rows, c);
}

/* The number of a cell among the session's cells and the sums of its items: of all packages (-1), and of each. */
static size_t number_of(const struct pmon_session *s, const struct record_cell *c)
{
  if (c->instance < 0)
    return s->n_cells + (size_t)c->item * (s->n_packages + 1) + (size_t)(c->package + 1);
  const uint32_t n = pmon_private_instances(s, session_item_event(s, c->item));
  return s->cell_of[c->item] + (size_t)c->package * n + (size_t)c->instance;
}

/*
 * Finds the cell for all intervals together, and adds it if it is new. pmon_record_close() writes these cells, so that
 * a reader need not add up the rows of all intervals.
 */
static struct record_cell *whole_cell(struct record_whole *w, const struct pmon_session *s, const struct record_cell *c)
{
  if (!w->found)
    w->found = calloc(s->n_cells + (size_t)session_items(s) * (s->n_packages + 1) + 1, sizeof *w->found);
  if (!w->found)
    return NULL;
  uint32_t *const found = &w->found[number_of(s, c)];
  if (*found)
    return &w->cells[*found - 1];
  if (pmon_private_grow(&w->cells, w->n, &w->cap, sizeof *w->cells))
    return NULL;
  w->cells[w->n] = (struct record_cell){c->item, c->package, c->instance, RECORD_COUNTED, {.round = UINT32_MAX}};
  *found = ++w->n;
  return &w->cells[*found - 1];
}

static int use_in_whole(const struct record_walk *walk, const struct record_cell *c)
{
  struct record_cell *const own = whole_cell(walk->whole, walk->session, c);
  if (!own)
    return PMON_E_MEMORY;
  own->place = c->place;
  record_total_add(&own->total, &c->total);
  return 0;
}

/* Ends a transaction: either all of its rows are in the file, or none. */
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

/* Deletes the rows of interval n that an update has written. */
static int drop_rows(struct pmon_record *r)
{
  int status = record_add_row(r->db, "DELETE FROM count WHERE interval = ?3", NULL, NULL, r->n);
  return status ? status : record_add_row(r->db, "DELETE FROM sum WHERE interval = ?3", NULL, NULL, r->n);
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
    status = walk_session(
        &(struct record_walk){use_as_row, &(struct record_rows){r->add_count, r->add_sum, r->n}, NULL, s}, s);
  status = end_transaction(r, status);
  r->begun = r->begun || !status;
  return status;
}

int pmon_record_add(struct pmon_record *r)
{
  int status = pmon_record_update(r);
  if (!status && walk_session(&(struct record_walk){use_in_whole, NULL, &r->whole, r->session}, r->session)) {
    r->failed = true;
    status = record_refuse(r->context, PMON_E_MEMORY, "no memory for the sums of a recording's intervals");
  }
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
  rows->number = i;
  return step == SQLITE_DONE ? walk_session(&(struct record_walk){use_as_row, rows, NULL, view}, view) : PMON_E_IO;
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

/* Writes the rows of all intervals together, as interval RECORD_WHOLE, and the mark of a complete recording. A single
 * interval has these rows already. */
static int end_record(struct pmon_record *r)
{
  const struct record_rows rows = {r->add_count, r->add_sum, RECORD_WHOLE};
  int status = sqlite3_exec(r->db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK ? 0 : PMON_E_IO;
  for (uint32_t i = 0; !status && r->n > 1 && i < r->whole.n; i++)
    status = use_as_row(&(struct record_walk){use_as_row, &rows, NULL, r->session}, &r->whole.cells[i]);
  if (!status)
    status = record_add_row(r->db, "INSERT INTO meta VALUES('complete', ?3)", NULL, NULL, 1);
  return end_transaction(r, status);
}

int pmon_record_close(struct pmon_record *r)
{
  int status = 0;
  if (!r)
    return 0;
  if (!r->failed)
    status = end_record(r);
  sqlite3_finalize(r->add_interval);
  sqlite3_finalize(r->add_count);
  sqlite3_finalize(r->add_sum);
  if (sqlite3_close(r->db) != SQLITE_OK)
    status = record_fail(r->context, r->db, PMON_E_IO, "completed", r->path);
  free(r->whole.cells);
  free(r->whole.found);
  free(r->path);
  free(r);
  return status;
}

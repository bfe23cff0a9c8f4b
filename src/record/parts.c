/* SPDX-License-Identifier: MIT */
/* What INSTANCES and THREADS_PER_CORE of equations are in a recording: the table `instances`, and a row of `meta`. */
#include <math.h>
#include <stdlib.h>
#include <pmon/platform.h>
#include "src/record/write.h"
#include "src/session/private.h"

enum { PACKAGES = 64 };
#define MOST_PARTS 1e6 /* a row with more is damaged */

static bool event_is_summed(const struct pmon_session *s, uint32_t event)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  return !pmon_unit_describe(s->plan->platform, pmon_event_unit(s->plan->events[event].event), &unit) && unit.summed;
}

/* Stores how many PMUs or CPUs each count of a summed unit is the sum of. */
int record_add_parts(struct pmon_record *r)
{
  const struct pmon_session *s = r->session;
  const double threads = pmon_private_threads_per_core(s);
  sqlite3_stmt *stmt = NULL;
  int result = sqlite3_prepare_v2(r->db, "INSERT INTO instances VALUES(?,?,?)", -1, &stmt, NULL);
  if (result == SQLITE_OK && threads > 0 &&
      record_add_row(r->db, "INSERT INTO meta VALUES(?1, coalesce(?2, ?3))", "threads_per_core", NULL,
                     (int64_t)threads))
    result = SQLITE_ERROR;
  for (uint32_t i = 0; result == SQLITE_OK && i < s->plan->n_events; i++)
    for (uint32_t package = 0; result == SQLITE_OK && event_is_summed(s, i) && package < s->n_packages; package++) {
      const double parts = pmon_private_count_instances(s, i, package);
      if (!(parts > 0))
        continue;
      sqlite3_bind_int64(stmt, 1, i);
      sqlite3_bind_int64(stmt, 2, package);
      sqlite3_bind_double(stmt, 3, parts);
      result = sqlite3_step(stmt) == SQLITE_DONE ? sqlite3_reset(stmt) : SQLITE_ERROR;
    }
  sqlite3_finalize(stmt);
  return result == SQLITE_OK ? 0 : PMON_E_IO;
}

static int take_parts(const struct pmon_recording *r, struct pmon_session *s, sqlite3_stmt *stmt)
{
  const int64_t event = sqlite3_column_int64(stmt, 0), package = sqlite3_column_int64(stmt, 1);
  const double parts = sqlite3_column_double(stmt, 2);
  if (event < 0 || event >= s->plan->n_events || package < 0 || package >= PACKAGES || !(parts > 0) ||
      parts > MOST_PARTS)
    return record_damaged(r, "a number of instances belongs to no event, or is invalid");
  s->recorded_parts[event * PACKAGES + package] = parts;
  return 0;
}

int record_read_parts(struct pmon_recording *r, struct pmon_session *s)
{
  sqlite3_stmt *stmt = NULL;
  int status = 0, step = SQLITE_DONE;
  s->recorded_threads = (double)record_query_number(
      r->db, "SELECT value FROM meta WHERE key = 'threads_per_core' AND value BETWEEN 1 AND 64", &r->error);
  /* Older recordings have no such table. */
  if (!record_query_number(r->db, "SELECT count(*) FROM sqlite_schema WHERE name = 'instances'", &r->error))
    return 0;
  s->recorded_parts = calloc((size_t)s->plan->n_events * PACKAGES + 1, sizeof *s->recorded_parts);
  if (!s->recorded_parts)
    return record_refuse(r->context, PMON_E_MEMORY, "no memory for a session");
  if (sqlite3_prepare_v2(r->db, "SELECT event, package, number FROM instances", -1, &stmt, NULL) != SQLITE_OK)
    return record_fail(r->context, r->db, PMON_E_SYNTAX, "read", r->path);
  while (!status && (step = sqlite3_step(stmt)) == SQLITE_ROW)
    status = take_parts(r, s, stmt);
  return record_end_rows(r, stmt, status, step);
}

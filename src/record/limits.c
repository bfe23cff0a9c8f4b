/* SPDX-License-Identifier: MIT */
/* The recorded machine's limits: the table `machine_limit`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/platform.h>
#include "src/record/write.h"
#include "src/session/private.h"

/* Maximum values; a row with a higher one is damaged. */
enum { MOST_LIMITS = 1024, MOST_PACKAGE = 63, MOST_NAME = 63 };

int record_add_limits(struct pmon_record *r)
{
  const struct pmon_session *s = r->session;
  sqlite3_stmt *stmt = NULL;
  int result = sqlite3_prepare_v2(r->db, "INSERT INTO machine_limit VALUES(?,?,?)", -1, &stmt, NULL);
  for (uint32_t i = 0; result == SQLITE_OK && i < s->n_limits; i++) {
    const struct pmon_limit *l = &s->limits[i];
    sqlite3_bind_text(stmt, 1, l->name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(stmt, 2, l->package == PMON_ALL ? -1 : (int64_t)l->package);
    sqlite3_bind_double(stmt, 3, l->number);
    result = sqlite3_step(stmt) == SQLITE_DONE ? sqlite3_reset(stmt) : SQLITE_ERROR;
  }
  sqlite3_finalize(stmt);
  return result == SQLITE_OK ? 0 : PMON_E_IO;
}

static int take_limit(const struct pmon_recording *r, struct pmon_session *s, sqlite3_stmt *stmt, uint32_t *cap)
{
  const char *name = (const char *)sqlite3_column_text(stmt, 0);
  const int64_t package = sqlite3_column_int64(stmt, 1);
  const double number = sqlite3_column_double(stmt, 2);
  if (!name || !*name || strlen(name) > MOST_NAME || package < -1 || package > MOST_PACKAGE || !isfinite(number) ||
      number <= 0 || s->n_limits == MOST_LIMITS)
    return record_damaged(r, "a limit of its machine has no name, or an invalid number");
  char *own = pmon_private_grow(&s->limits, s->n_limits, cap, sizeof *s->limits) ? NULL : strdup(name);
  if (!own)
    return record_refuse(r->context, PMON_E_MEMORY, "no memory for a session");
  s->limits[s->n_limits++] = (struct pmon_limit){own, package < 0 ? PMON_ALL : (uint32_t)package, number};
  return 0;
}

int record_read_limits(struct pmon_recording *r, struct pmon_session *s)
{
  sqlite3_stmt *stmt = NULL;
  uint32_t cap = 0;
  int status = 0, step = SQLITE_DONE;
  /* Older recordings have no such table. */
  if (!record_query_number(r->db, "SELECT count(*) FROM sqlite_schema WHERE name = 'machine_limit'", &r->error))
    return 0;
  if (sqlite3_prepare_v2(r->db, "SELECT name, package, number FROM machine_limit", -1, &stmt, NULL) != SQLITE_OK)
    return record_fail(r->context, r->db, PMON_E_SYNTAX, "read", r->path);
  while (!status && (step = sqlite3_step(stmt)) == SQLITE_ROW)
    status = take_limit(r, s, stmt, &cap);
  return record_end_rows(r, stmt, status, step);
}

/* SPDX-License-Identifier: MIT */
/* Regions of a recording. Each is loaded alone, so that a file with many regions takes no more memory than one
 * region. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/regions.h>
#include "src/base/sized.h"
#include "src/record/file.h"

/* Work that a region may take in addition to its share of the file: for look-ups in an index. */
enum { REGION_STEPS = 8 };

int record_check_regions(struct pmon_recording *r)
{
  const uint64_t n = record_query_number(r->db, "SELECT count(*) FROM region", &r->error);
  if (n > PMON_REGIONS_MAX ||
      record_query_number(r->db,
                          "SELECT count(DISTINCT id) FROM region WHERE typeof(id) = 'integer' AND id >= 0 "
                          "AND id < (SELECT count(*) FROM region)",
                          &r->error) != n)
    return record_damaged(r, "its regions are not numbered consecutively");
  if (record_query_number(r->db, "SELECT count(*) FROM region_count WHERE region NOT IN (SELECT id FROM region)",
                          &r->error))
    return record_damaged(r, "a count belongs to a region that does not exist");
  r->regions = (uint32_t)n;
  return 0;
}

/* Sets the limit for reading one region: the limits of all regions add up to that of the whole file. */
static int region_begin_work(struct pmon_recording *r, uint32_t i)
{
  r->steps_left = r->regions ? REGION_STEPS + r->steps / r->regions : 0;
  return i < r->regions ? 0
                        : record_refuse(r->context, PMON_E_RANGE, "%s has only %u region result%s", r->path, r->regions,
                                        r->regions == 1 ? "" : "s");
}

/* Reads a row: a name and whole numbers; the thread may be any number. */
static int region_take_row(struct pmon_recording *r, sqlite3_stmt *stmt, struct pmon_region_info *full)
{
  const char *name = (const char *)sqlite3_column_text(stmt, 0);
  bool good = name && *name && sqlite3_column_type(stmt, 1) == SQLITE_INTEGER;
  for (int i = 2; good && i < 6; i++)
    good = sqlite3_column_type(stmt, i) == SQLITE_INTEGER && sqlite3_column_int64(stmt, i) >= 0;
  if (!good)
    return record_damaged(r, "a region has no name, or an invalid number");
  char *copy = strdup(name);
  if (!copy)
    return record_refuse(r->context, PMON_E_MEMORY, "no memory for a region");
  free(r->region);
  r->region = copy;
  *full = (struct pmon_region_info){.name = copy,
                                    .thread = (uint64_t)sqlite3_column_int64(stmt, 1),
                                    .calls = (uint64_t)sqlite3_column_int64(stmt, 2),
                                    .missing_ends = (uint64_t)sqlite3_column_int64(stmt, 3),
                                    .missing_begins = (uint64_t)sqlite3_column_int64(stmt, 4),
                                    .seconds = (double)sqlite3_column_int64(stmt, 5) * 1e-9};
  return 0;
}

int pmon_recording_region_describe(struct pmon_recording *r, uint32_t i, struct pmon_region_info *info)
{
  static const char sql[] =
      "SELECT name, thread, calls, missing_ends, missing_begins, time_ns FROM region WHERE id = ?1";
  struct pmon_region_info full;
  sqlite3_stmt *stmt = NULL;
  int status = region_begin_work(r, i);
  if (status)
    return status;
  if (sqlite3_prepare_v2(r->db, sql, -1, &stmt, NULL) == SQLITE_OK && sqlite3_bind_int64(stmt, 1, i) == SQLITE_OK &&
      sqlite3_step(stmt) == SQLITE_ROW)
    status = region_take_row(r, stmt, &full);
  else
    status = record_fail(r->context, r->db, PMON_E_SYNTAX, "read", r->path);
  sqlite3_finalize(stmt);
  if (status)
    return status;
  return sized_fill(info, &full, sizeof full)
             ? record_refuse(r->context, PMON_E_INVALID,
                             "pmon_recording_region_describe: the size of its struct is not set")
             : 0;
}

int pmon_recording_load_region(struct pmon_recording *r, struct pmon_session *s, uint32_t i)
{
  static const struct record_queries queries = {
      "SELECT time_ns, time_ns, time_ns, freeze, freeze_ns, skew_ns FROM region WHERE id = ?1",
      "SELECT event, package, instance, shared, flags, " RECORD_TOTAL_NAMES " FROM region_count WHERE region = ?1",
      "SELECT event, package, " RECORD_TOTAL_NAMES " FROM region_sum WHERE region = ?1"};
  int status = region_begin_work(r, i);
  return status ? status : record_load(r, s, &queries, i, i);
}

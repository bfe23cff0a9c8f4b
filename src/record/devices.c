/* SPDX-License-Identifier: MIT */
/* Devices of a recording: the table `device`. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/platform.h>
#include <pmon/record.h>
#include "src/base/sized.h"
#include "src/record/file.h"
#include "src/record/write.h"

/* Maximum values; a row with a higher one is damaged. */
enum { MOST_PACKAGE = 63, MOST_INSTANCE = 63, MOST_PORT = 31 };

int pmon_record_add_device(struct pmon_record *r, const struct pmon_device *device)
{
  struct pmon_device full = {0};
  sqlite3_stmt *stmt = NULL;
  int status = sized_take(&full, sizeof full, device);
  if (!status && (!full.unit || !full.address))
    status = PMON_E_INVALID;
  if (status)
    return record_refuse(r->context, status, "pmon_record_add_device: its size, unit or address is not set");
  int result = sqlite3_prepare_v2(r->db, "INSERT INTO device VALUES(?,?,?,?,?,?,?)", -1, &stmt, NULL);
  if (result == SQLITE_OK) {
    sqlite3_bind_int64(stmt, 1, full.package);
    sqlite3_bind_text(stmt, 2, full.unit, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(stmt, 3, full.instance);
    sqlite3_bind_int64(stmt, 4, full.port == PMON_ALL ? -1 : (int64_t)full.port);
    sqlite3_bind_text(stmt, 5, full.address, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(stmt, 6, full.name ? full.name : "", -1, SQLITE_TRANSIENT);
    sqlite3_bind_double(stmt, 7, full.link_bytes_per_second);
    result = sqlite3_step(stmt);
  }
  sqlite3_finalize(stmt);
  if (result == SQLITE_DONE)
    return 0;
  r->failed = true;
  return record_fail(r->context, r->db, PMON_E_IO, "written", r->path);
}

static bool number_within(sqlite3_stmt *stmt, int column, int64_t least, int64_t most)
{
  const int64_t n = sqlite3_column_int64(stmt, column);
  return sqlite3_column_type(stmt, column) == SQLITE_INTEGER && n >= least && n <= most;
}

/* Copies a row's texts into one block of the recording. */
static int device_take_row(struct pmon_recording *r, sqlite3_stmt *stmt, struct pmon_device *full)
{
  const char *texts[3] = {(const char *)sqlite3_column_text(stmt, 1), (const char *)sqlite3_column_text(stmt, 4),
                          (const char *)sqlite3_column_text(stmt, 5)};
  size_t n = 0, lengths[3];
  bool good = number_within(stmt, 0, 0, MOST_PACKAGE) && number_within(stmt, 2, 0, MOST_INSTANCE) &&
              number_within(stmt, 3, -1, MOST_PORT);
  for (int i = 0; good && i < 3; i++) {
    good = texts[i] != NULL;
    n += lengths[i] = good ? strlen(texts[i]) + 1 : 0;
  }
  if (!good)
    return record_damaged(r, "a device has no name, or an invalid place");
  char *block = malloc(n);
  if (!block)
    return record_refuse(r->context, PMON_E_MEMORY, "no memory for a device");
  free(r->device);
  r->device = block;
  for (int i = 0; i < 3; block += lengths[i++])
    texts[i] = memcpy(block, texts[i], lengths[i]);
  const int64_t port = sqlite3_column_int64(stmt, 3);
  const double link = sqlite3_column_double(stmt, 6);
  *full = (struct pmon_device){.unit = texts[0],
                               .package = (uint32_t)sqlite3_column_int64(stmt, 0),
                               .instance = (uint32_t)sqlite3_column_int64(stmt, 2),
                               .port = port < 0 ? PMON_ALL : (uint32_t)port,
                               .address = texts[1],
                               .name = texts[2],
                               .link_bytes_per_second = isfinite(link) && link > 0 ? link : 0};
  return 0;
}

static bool has_devices(struct pmon_recording *r)
{
  return record_query_number(r->db, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'device'",
                             &r->error) > 0;
}

/* Older recordings have no column for links. */
static int prepare_device(sqlite3 *db, const char *link, sqlite3_stmt **ret_stmt)
{
  char sql[160];
  snprintf(sql, sizeof sql,
           "SELECT package, unit, instance, port, address, name, %s FROM device ORDER BY rowid LIMIT 1 OFFSET ?1",
           link);
  return sqlite3_prepare_v2(db, sql, -1, ret_stmt, NULL);
}

int pmon_recording_device(struct pmon_recording *r, uint32_t i, struct pmon_device *device)
{
  struct pmon_device full = {0};
  sqlite3_stmt *stmt = NULL;
  int status;
  r->steps_left = r->steps;
  const uint64_t n = has_devices(r) ? record_query_number(r->db, "SELECT count(*) FROM device", &r->error) : 0;
  if (record_check_queries(r))
    return PMON_E_SYNTAX;
  if (i >= n)
    return record_refuse(r->context, PMON_E_RANGE, "%s has only %" PRIu64 " device%s", r->path, n, n == 1 ? "" : "s");
  if (prepare_device(r->db, "link_bytes_per_second", &stmt) == SQLITE_OK ||
      prepare_device(r->db, "0", &stmt) == SQLITE_OK) {
    sqlite3_bind_int64(stmt, 1, i);
    const int step = sqlite3_step(stmt);
    status = step == SQLITE_ROW    ? device_take_row(r, stmt, &full)
             : step == SQLITE_DONE ? record_damaged(r, "a device is missing")
                                   : record_fail(r->context, r->db, PMON_E_SYNTAX, "read", r->path);
  } else
    status = record_fail(r->context, r->db, PMON_E_SYNTAX, "read", r->path);
  sqlite3_finalize(stmt);
  if (!status && sized_fill(device, &full, sizeof full))
    status = record_refuse(r->context, PMON_E_INVALID, "pmon_recording_device: device: its size is not set");
  return status;
}

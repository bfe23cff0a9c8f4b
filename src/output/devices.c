/* SPDX-License-Identifier: MIT */
/* Values by device: rows of ports of I/O stacks are named after the devices behind them. */
#include <stdlib.h>
#include <string.h>
#include "src/base/array.h"
#include "src/base/sized.h"
#include "src/output/report.h"

void report_free_devices(struct pmon_report *report)
{
  for (uint32_t i = 0; i < report->n_devices; i++) {
    free(report->devices[i].unit);
    free(report->devices[i].text);
  }
  free(report->devices);
  report->devices = NULL;
  report->n_devices = 0;
}

int pmon_report_add_device(struct pmon_report *report, const struct pmon_device *device)
{
  struct pmon_device full = {0};
  struct buffer text = {0};
  int status = sized_take(&full, sizeof full, device);
  if (status)
    return status;
  if (!full.unit || !full.address)
    return PMON_E_INVALID;
  if (array_grow(&report->devices, report->n_devices, &report->cap_devices, sizeof *report->devices))
    return PMON_E_MEMORY;
  buffer_add(&text, "%s%s%s", full.address, full.name && *full.name ? " " : "", full.name ? full.name : "");
  char *unit = strdup(full.unit);
  if (!unit || text.failed) {
    free(unit);
    free(text.data);
    return PMON_E_MEMORY;
  }
  report->devices[report->n_devices++] =
      (struct report_device){unit, text.data, full.package, full.instance, full.port, full.link_bytes_per_second};
  return 0;
}

static bool is_behind(const struct report_device *d, const struct report_row *row)
{
  return d->package == row->package && d->instance == row->instance && row->instance_unit &&
         !strcmp(d->unit, row->instance_unit) &&
         (d->port == PMON_ALL ? (row->ports & (row->ports - 1)) != 0 : d->port < 32 && row->ports >> d->port & 1);
}

/* "0000:18:00.0 NAME; 0000:19:00.0 NAME (socket 0, stack 2, port A)"; a row of several ports names the stack only. */
static char *device_text(const struct pmon_report *r, const struct report_row *row, bool *ret_known)
{
  struct buffer b = {0};
  uint32_t n = 0;
  for (uint32_t i = 0; i < r->n_devices; i++)
    if (is_behind(&r->devices[i], row))
      buffer_add(&b, "%s%s", n++ ? "; " : "", r->devices[i].text);
  *ret_known = n > 0;
  buffer_add(&b, "%s (%s %u, stack %u", n ? "" : "no known device", r->package, row->package, row->instance);
  if (row->ports && !(row->ports & (row->ports - 1)))
    buffer_add(&b, ", port %c", 'A' + __builtin_ctz(row->ports));
  buffer_add(&b, ")");
  if (!b.failed)
    return b.data;
  free(b.data);
  return NULL;
}

/* Flags a port's value above the bandwidth of its link, which holds for each direction separately. */
static void flag_beyond_link(const struct pmon_report *r, struct report_row *row)
{
  static const double tolerance = 1.02; /* of clocks, as for bounds of units */
  for (uint32_t i = 0; i < r->n_devices; i++) {
    const struct report_device *d = &r->devices[i];
    if (d->link > 0 && d->port != PMON_ALL && is_behind(d, row) && !(row->ports & (row->ports - 1)) &&
        row->value.valid && row->value.low > d->link * tolerance && row->unit && !strcmp(row->unit, "bytes/s"))
      row->value.flags |= PMON_VALUE_IMPLAUSIBLE;
  }
}

/* Names a row after its device; *ret_kept: a device is known, or the row counted something. PMON_E_MEMORY. */
static int name_by_device(const struct pmon_report *r, struct report_row *row, bool *ret_kept)
{
  bool known = false;
  *ret_kept = false;
  if (row->instance == PMON_ALL || !row->ports)
    return 0;
  char *text = device_text(r, row, &known);
  if (!text)
    return PMON_E_MEMORY;
  free(row->device);
  row->where = row->device = text;
  flag_beyond_link(r, row);
  *ret_kept = known || (row->value.valid && row->value.number > 0);
  return 0;
}

/* Makes the rows of each device adjacent, in the order in which devices and values were added. */
static int gather_devices(struct pmon_report *report)
{
  struct report_row *rows = malloc((report->n_rows + !report->n_rows) * sizeof *rows);
  uint32_t n = 0;
  if (!rows)
    return PMON_E_MEMORY;
  for (uint32_t i = 0; i < report->n_rows; i++) {
    const char *where = report->rows[i].where;
    for (uint32_t k = i; where && k < report->n_rows; k++)
      if (report->rows[k].where && !strcmp(report->rows[k].where, where)) {
        rows[n++] = report->rows[k];
        if (k > i)
          report->rows[k].where = NULL; /* taken */
      }
  }
  memcpy(report->rows, rows, n * sizeof *rows);
  free(rows);
  return 0;
}

int pmon_report_by_device(struct pmon_report *report)
{
  bool any = false, kept = false;
  uint32_t n = 0;
  for (uint32_t i = 0; i < report->n_rows; i++)
    any |= report->rows[i].instance != PMON_ALL && report->rows[i].ports;
  if (!any)
    return PMON_E_NO_DATA;
  int status = 0;
  for (uint32_t i = 0; i < report->n_rows; i++) {
    struct report_row *row = &report->rows[i];
    if (!status)
      status = name_by_device(report, row, &kept);
    if (status || kept)
      report->rows[n++] = *row;
    else
      report_free_row(row);
  }
  report->n_rows = n;
  return status ? status : gather_devices(report);
}

/* SPDX-License-Identifier: MIT */
/* A report as one line of CSV, with a column for each value: spreadsheets, pandas and gnuplot plot it directly. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "src/output/data.h"
#include "src/output/report.h"

/* Writes the name of a value's column: the name, its scope unless it is the total, and its unit: "MEM_BANDWIDTH socket
 * 0 (bytes/s)". */
static void wide_name(const struct pmon_report *r, const struct report_row *row, char *text, size_t size)
{
  char scope[512] = "";
  if (row->device)
    snprintf(scope, sizeof scope, " %s", row->device);
  else if (row->instance != PMON_ALL)
    snprintf(scope, sizeof scope, " %s %u %s %u", r->package, row->package,
             row->instance_unit ? row->instance_unit : "instance", row->instance);
  else if (row->package != PMON_ALL)
    snprintf(scope, sizeof scope, " %s %u", r->package, row->package);
  snprintf(text, size, "%s%s%s%s%s", row->name, scope, *row->unit ? " (" : "", row->unit, *row->unit ? ")" : "");
}

void report_format_wide_header(const struct pmon_report *r, struct buffer *b)
{
  char name[640];
  buffer_add(b, "begin_seconds,end_seconds,seconds,time,host,backend,machine,platform,interval,region,thread,calls");
  for (uint32_t i = 0; i < r->n_rows; i++) {
    wide_name(r, &r->rows[i], name, sizeof name);
    buffer_add(b, ",");
    buffer_add_csv(b, name);
  }
  buffer_add(b, ",reason,emulated\r\n");
}

/* Adds why values are missing, in the order of the columns. */
static void wide_reasons(const struct pmon_report *r, struct buffer *b)
{
  struct buffer text = {0};
  char name[640];
  for (uint32_t i = 0; i < r->n_rows; i++)
    if (!r->rows[i].value.valid) {
      wide_name(r, &r->rows[i], name, sizeof name);
      buffer_add(&text, "%s%s: %s", text.n ? "; " : "", name, r->rows[i].value.reason);
    }
  b->failed |= text.failed;
  if (text.n && !text.failed)
    buffer_add_csv(b, text.data);
  free(text.data);
}

void report_format_wide(const struct pmon_report *r, struct buffer *b)
{
  const char *const texts[] = {r->host, r->backend, r->machine, r->platform};
  if (r->region)
    buffer_add(b, ",,%.9f,", r->seconds);
  else
    buffer_add(b, "%.9f,%.9f,%.9f,", report_begin_seconds(r), r->end_seconds, r->seconds);
  if (r->time > 0)
    buffer_add(b, "%.6f", r->time);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    buffer_add(b, ",");
    buffer_add_csv(b, texts[i] ? texts[i] : "");
  }
  buffer_add(b, ",");
  if (r->interval)
    buffer_add(b, "%u", r->interval);
  buffer_add(b, ",");
  data_add_region(b, r);
  for (uint32_t i = 0; i < r->n_rows; i++) {
    buffer_add(b, ",");
    if (r->rows[i].value.valid)
      buffer_add_real(b, r->rows[i].value.number);
  }
  buffer_add(b, ",");
  wide_reasons(r, b);
  buffer_add(b, ",%s\r\n", data_emulated(r->machine));
}

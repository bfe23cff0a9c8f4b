/* SPDX-License-Identifier: MIT */
/* A report for programs: CSV (RFC 4180) and JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/output/data.h"
#include "src/base/escape.h"
#include "src/output/report.h"

const char *data_emulated(const char *machine)
{
  return machine ? "EMULATED" : "";
}

void report_format_csv_header(struct buffer *b)
{
  buffer_add(b, "begin_seconds,end_seconds,seconds,name,package,unit_name,instance,value,unit,sigma,low,high,fraction,"
                "flags,reason,runs,deviation,freeze,freeze_seconds,skew_seconds,region,thread,calls,backend,machine,"
                "platform,interval,host,time,device,share,emulated\r\n");
}

void data_add_region(struct buffer *b, const struct pmon_report *r)
{
  buffer_add_csv(b, r->region ? r->region : "");
  buffer_add(b, ",");
  if (r->region && r->thread != PMON_REGION_ALL_THREADS)
    buffer_add(b, "%" PRIu64, r->thread);
  buffer_add(b, ",");
  if (r->region)
    buffer_add(b, "%" PRIu64, r->calls);
}

/* Adds the last columns but the device, the share and EMULATED: the region; the access method, the emulated machine
 * (empty: real hardware), the platform, the number of the interval (empty: the whole measurement), the host and the
 * time. */
static void write_csv_region(const struct pmon_report *r, struct buffer *b)
{
  data_add_region(b, r);
  buffer_add(b, ",");
  buffer_add_csv(b, r->backend ? r->backend : "");
  buffer_add(b, ",");
  buffer_add_csv(b, r->machine ? r->machine : "");
  buffer_add(b, ",");
  buffer_add_csv(b, r->platform ? r->platform : "");
  buffer_add(b, ",");
  if (r->interval)
    buffer_add(b, "%u", r->interval);
  buffer_add(b, ",");
  buffer_add_csv(b, r->host ? r->host : "");
  buffer_add(b, ",");
  if (r->time > 0 && isfinite(r->time))
    buffer_add(b, "%.6f", r->time);
}

/* Cells of a line, each with the comma after it. A text may be NULL; a number that is not known is empty, and so is the
 * index PMON_ALL. */
static void csv_add_text(struct buffer *b, const char *text)
{
  buffer_add_csv(b, text ? text : "");
  buffer_add(b, ",");
}

static void csv_add_number(struct buffer *b, bool known, double v)
{
  if (known && isfinite(v))
    buffer_add_real(b, v);
  buffer_add(b, ",");
}

static void csv_add_index(struct buffer *b, uint32_t index)
{
  if (index != PMON_ALL)
    buffer_add(b, "%u", index);
  buffer_add(b, ",");
}

static void csv_add_flags(struct buffer *b, uint32_t flags)
{
  const char *join = "";
  for (unsigned bit = 0; report_flag_name(bit); bit++)
    if (flags >> bit & 1) {
      buffer_add(b, "%s%s", join, report_flag_name(bit));
      join = " ";
    }
  buffer_add(b, ",");
}

void report_format_csv(const struct pmon_report *r, struct buffer *b)
{
  for (uint32_t i = 0; i < r->n_rows; i++) {
    const struct report_row *row = &r->rows[i];
    const struct pmon_value *v = &row->value;
    if (r->region)
      buffer_add(b, ",,%.9f,", r->seconds);
    else
      buffer_add(b, "%.9f,%.9f,%.9f,", report_begin_seconds(r), r->end_seconds, r->seconds);
    csv_add_text(b, row->name);
    csv_add_index(b, row->package);
    csv_add_text(b, row->instance_unit);
    csv_add_index(b, row->instance);
    csv_add_number(b, v->valid, v->number);
    csv_add_text(b, row->unit);
    csv_add_number(b, v->valid, v->sigma);
    csv_add_number(b, v->valid, v->low);
    csv_add_number(b, v->valid, v->high);
    buffer_add(b, "%.6g,", v->fraction);
    csv_add_flags(b, v->flags);
    csv_add_text(b, v->valid ? "" : v->reason);
    buffer_add(b, "%u,", r->runs);
    csv_add_number(b, v->valid, row->deviation);
    buffer_add(b, "%s,", report_freeze_name(r->freeze));
    if (r->freeze)
      buffer_add(b, "%.9f,%.9f", r->freeze_seconds, r->skew_seconds);
    buffer_add(b, "%s,", r->freeze ? "" : ",");
    write_csv_region(r, b);
    buffer_add(b, ",");
    csv_add_text(b, row->device);
    csv_add_number(b, v->valid && row->share > 0, row->share);
    buffer_add(b, "%s\r\n", data_emulated(r->machine));
  }
}

/* The first key of an object has no comma before it. */
void data_add_key(struct buffer *b, const char *key)
{
  buffer_add(b, "%s\"%s\":", b->data[b->n - 1] == '{' ? "" : ",", key);
}

/* Control characters and bytes that are not UTF-8 are escaped, so that any name is valid JSON. */
void data_add_text(struct buffer *b, const char *key, const char *s)
{
  data_add_key(b, key);
  if (!s) {
    buffer_add(b, "null");
    return;
  }
  buffer_add(b, "\"");
  for (size_t n = strlen(s), length; n; s += length, n -= length) {
    uint32_t code = (unsigned char)*s;
    length = escape_decode(s, n, &code);
    if (!length || !escape_plain(s, length, LINES_ESCAPED))
      buffer_add(b, "\\u%04x", code);
    else
      buffer_add(b, "%s%.*s", *s == '"' || *s == '\\' ? "\\" : "", (int)length, s);
    length += !length;
  }
  buffer_add(b, "\"");
}

/* JSON has no numbers that are not finite. */
void data_add_json_number(struct buffer *b, const char *key, bool valid, double v)
{
  data_add_key(b, key);
  if (valid && isfinite(v))
    buffer_add_real(b, v);
  else
    buffer_add(b, "null");
}

static void add_json_row(struct buffer *b, const struct report_row *row)
{
  const struct pmon_value *v = &row->value;
  buffer_add(b, "{");
  data_add_text(b, "name", row->name);
  data_add_json_number(b, "package", row->package != PMON_ALL, row->package);
  data_add_text(b, "unit_name", row->instance_unit);
  data_add_json_number(b, "instance", row->instance != PMON_ALL, row->instance);
  data_add_json_number(b, "value", v->valid, v->number);
  data_add_text(b, "unit", row->unit);
  data_add_json_number(b, "sigma", v->valid, v->sigma);
  data_add_json_number(b, "low", v->valid, v->low);
  data_add_json_number(b, "high", v->valid, v->high);
  data_add_json_number(b, "fraction", true, v->fraction);
  data_add_key(b, "flags");
  buffer_add(b, "[");
  for (unsigned bit = 0; report_flag_name(bit); bit++)
    if (v->flags >> bit & 1)
      buffer_add(b, "%s\"%s\"", v->flags & ((1u << bit) - 1) ? "," : "", report_flag_name(bit));
  buffer_add(b, "]");
  data_add_text(b, "reason", v->valid ? NULL : v->reason);
  data_add_json_number(b, "deviation", v->valid, row->deviation);
  data_add_text(b, "of", row->of);
  data_add_json_number(b, "base", row->base > 0, row->base);
  if (row->device)
    data_add_text(b, "device", row->device);
  if (v->valid && row->share > 0)
    data_add_json_number(b, "share", true, row->share);
  buffer_add(b, "}");
}

static void add_json_invariant(struct buffer *b, const struct pmon_invariant_violation *invariant, uint32_t i)
{
  buffer_add(b, "%s{", i ? "," : "");
  data_add_text(b, "invariant", invariant->name);
  data_add_text(b, "unit_name", invariant->unit);
  data_add_json_number(b, "package", invariant->package != PMON_ALL, invariant->package);
  data_add_json_number(b, "instance", invariant->instance != PMON_ALL, invariant->instance);
  data_add_text(b, "holds", invariant->holds);
  data_add_json_number(b, "left", true, invariant->left);
  data_add_json_number(b, "right", true, invariant->right);
  data_add_text(b, "brief", invariant->brief);
  data_add_text(b, "cite", invariant->cite);
  buffer_add(b, "}");
}

static void add_json_region(struct buffer *b, const struct pmon_report *r)
{
  data_add_text(b, "region", r->region);
  data_add_json_number(b, "thread", r->thread != PMON_REGION_ALL_THREADS, (double)r->thread);
  data_add_json_number(b, "calls", true, (double)r->calls);
  data_add_json_number(b, "missing_ends", true, (double)r->missing_ends);
  data_add_json_number(b, "missing_begins", true, (double)r->missing_begins);
}

/* Only for values that are estimates. */
static void add_json_sampled(struct buffer *b, const struct pmon_estimate *e)
{
  data_add_key(b, "sampled");
  buffer_add(b, "{");
  data_add_json_number(b, "fraction", true, e->fraction);
  data_add_json_number(b, "instructions", true, (double)e->instructions);
  data_add_json_number(b, "intervals", true, (double)e->intervals);
  data_add_json_number(b, "time_error", true, e->error);
  data_add_json_number(b, "bound", true, e->bound);
  buffer_add(b, "}");
}

void data_add_origin(struct buffer *b, const struct data_origin *from)
{
  data_add_text(b, "platform", from->platform);
  data_add_text(b, "backend", from->backend);
  data_add_key(b, "emulated");
  buffer_add(b, "%s", from->machine ? "true" : "false");
  data_add_text(b, "machine", from->machine);
  data_add_text(b, "command", from->command);
}

void report_format_json(const struct pmon_report *r, struct buffer *b)
{
  buffer_add(b, "{");
  if (b->failed)
    return;
  data_add_origin(b, &(struct data_origin){r->platform, r->backend, r->machine, r->command});
  data_add_text(b, "host", r->host);
  data_add_json_number(b, "time", r->time > 0, r->time);
  data_add_json_number(b, "interval", r->interval, r->interval);
  data_add_json_number(b, "packages", true, r->packages);
  data_add_json_number(b, "rounds", true, r->rounds);
  data_add_json_number(b, "runs", true, r->runs);
  /* Rounded to nanoseconds: the difference of two times has meaningless digits. */
  data_add_json_number(b, "begin_seconds", !r->region, round(report_begin_seconds(r) * 1e9) / 1e9);
  data_add_json_number(b, "end_seconds", !r->region, r->end_seconds);
  data_add_json_number(b, "seconds", true, r->seconds);
  data_add_text(b, "freeze", r->freeze ? report_freeze_name(r->freeze) : NULL);
  data_add_json_number(b, "freeze_seconds", r->freeze, r->freeze_seconds);
  data_add_json_number(b, "skew_seconds", r->freeze, r->skew_seconds);
  if (r->region)
    add_json_region(b, r);
  if (r->sampled.fraction > 0)
    add_json_sampled(b, &r->sampled);
  data_add_key(b, "values");
  buffer_add(b, "[");
  for (uint32_t i = 0; i < r->n_rows; i++) {
    if (i)
      buffer_add(b, ",");
    add_json_row(b, &r->rows[i]);
  }
  buffer_add(b, "]");
  data_add_json_number(b, "invariants_checked", true, r->invariants_checked);
  data_add_key(b, "invariants_violated");
  buffer_add(b, "[");
  for (uint32_t i = 0; i < r->n_violations; i++)
    add_json_invariant(b, &r->violations[i], i);
  buffer_add(b, "]}\n");
}

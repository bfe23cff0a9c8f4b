/* SPDX-License-Identifier: MIT */
/* A report for programs: CSV (RFC 4180) and JSON. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report.h"

/* A field, quoted where it has to be. */
static void add_field(struct buffer *b, const char *s)
{
  if (!s[strcspn(s, ",\"\r\n")]) {
    buffer_add(b, "%s", s);
    return;
  }
  buffer_add(b, "\"");
  for (; *s; s++)
    buffer_add(b, *s == '"' ? "\"\"" : "%c", *s);
  buffer_add(b, "\"");
}

/* Whole numbers as such, others with all their digits. */
static void add_number(struct buffer *b, double v)
{
  if (v == floor(v) && fabs(v) < 9007199254740992.0)
    buffer_add(b, "%.0f", v);
  else
    buffer_add(b, "%.17g", v);
}

void report_format_csv_header(struct buffer *b)
{
  buffer_add(b, "end_seconds,seconds,name,package,unit_name,instance,value,unit,sigma,fraction,flags,reason\r\n");
}

void report_format_csv(const struct pmon_report *r, struct buffer *b)
{
  for (uint32_t i = 0; i < r->n_rows; i++) {
    const struct report_row *row = &r->rows[i];
    buffer_add(b, "%.9f,%.9f,", r->end_seconds, r->seconds);
    add_field(b, row->name);
    buffer_add(b, ",");
    if (row->package != PMON_ALL)
      buffer_add(b, "%u", row->package);
    buffer_add(b, ",");
    add_field(b, row->instance_unit ? row->instance_unit : "");
    buffer_add(b, ",");
    if (row->instance != PMON_ALL)
      buffer_add(b, "%u", row->instance);
    buffer_add(b, ",");
    if (row->value.valid)
      add_number(b, row->value.number);
    buffer_add(b, ",");
    add_field(b, row->unit);
    buffer_add(b, ",");
    if (row->value.valid)
      add_number(b, row->value.sigma);
    buffer_add(b, ",%.6g,", row->value.fraction);
    const char *join = "";
    for (unsigned bit = 0; report_flag_name(bit); bit++)
      if (row->value.flags >> bit & 1) {
        buffer_add(b, "%s%s", join, report_flag_name(bit));
        join = " ";
      }
    buffer_add(b, ",");
    add_field(b, row->value.valid ? "" : row->value.reason);
    buffer_add(b, "\r\n");
  }
}

static json_t *number_or_null(bool valid, double v)
{
  if (!valid)
    return json_null();
  return v == floor(v) && fabs(v) < 9007199254740992.0 ? json_integer((json_int_t)v) : json_real(v);
}

static json_t *index_or_null(uint32_t v)
{
  return v == PMON_ALL ? json_null() : json_integer(v);
}

static json_t *text_or_null(const char *s)
{
  json_t *text = s ? json_string(s) : json_null();
  return text ? text : json_string("?");    /* not UTF-8 */
}

static int add_row(json_t *values, const struct report_row *row)
{
  json_t *flags = json_array(), *o = json_object();
  int failed = !flags || !o;
  for (unsigned bit = 0; !failed && report_flag_name(bit); bit++)
    if (row->value.flags >> bit & 1)
      failed |= json_array_append_new(flags, json_string(report_flag_name(bit)));
  failed |= json_object_set_new(o, "name", text_or_null(row->name));
  failed |= json_object_set_new(o, "package", index_or_null(row->package));
  failed |= json_object_set_new(o, "unit_name", text_or_null(row->instance_unit));
  failed |= json_object_set_new(o, "instance", index_or_null(row->instance));
  failed |= json_object_set_new(o, "value", number_or_null(row->value.valid, row->value.number));
  failed |= json_object_set_new(o, "unit", text_or_null(row->unit));
  failed |= json_object_set_new(o, "sigma", number_or_null(row->value.valid, row->value.sigma));
  failed |= json_object_set_new(o, "fraction", json_real(row->value.fraction));
  failed |= json_object_set_new(o, "flags", flags);
  failed |= json_object_set_new(o, "reason", row->value.valid ? json_null() : text_or_null(row->value.reason));
  return json_array_append_new(values, o) || failed ? PMON_E_MEMORY : 0;
}

int report_format_json(const struct pmon_report *r, struct buffer *b)
{
  json_t *o = json_object(), *values = json_array();
  int status = o && values ? 0 : PMON_E_MEMORY, failed = 0;
  for (uint32_t i = 0; !status && i < r->n_rows; i++)
    status = add_row(values, &r->rows[i]);
  failed |= json_object_set_new(o, "platform", text_or_null(r->platform));
  failed |= json_object_set_new(o, "backend", text_or_null(r->backend));
  failed |= json_object_set_new(o, "command", text_or_null(r->command));
  failed |= json_object_set_new(o, "packages", json_integer(r->packages));
  failed |= json_object_set_new(o, "rounds", json_integer(r->rounds));
  failed |= json_object_set_new(o, "end_seconds", json_real(r->end_seconds));
  failed |= json_object_set_new(o, "seconds", json_real(r->seconds));
  failed |= json_object_set_new(o, "values", values);
  char *text = status || failed ? NULL : json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(15));
  if (text)
    buffer_add(b, "%s\n", text);
  free(text);
  json_decref(o);
  return text ? 0 : PMON_E_MEMORY;
}

/* SPDX-License-Identifier: MIT */
/* A comparison as CSV and JSON for programs. */
#include <math.h>
#include "src/output/compare.h"
#include "src/output/data.h"

void comparison_format_csv_header(struct buffer *b)
{
  buffer_add(b, "a_name,b_name,name,package,unit_name,instance,unit,a,a_low,a_high,b,b_low,b_high,change,low,high,"
                "ratio,p,p_adjusted,method,n_a,n_b,significant,reason,machine,emulated\r\n");
}

static void add_csv_value(struct buffer *b, bool known, double number)
{
  if (known && isfinite(number))
    buffer_add_real(b, number);
  buffer_add(b, ",");
}

static void add_csv_side(struct buffer *b, const struct pmon_value *v)
{
  add_csv_value(b, v->valid, v->number);
  add_csv_value(b, v->valid, v->low);
  add_csv_value(b, v->valid, v->high);
}

static void add_csv_row(const struct pmon_comparison *c, const struct compared *r, struct buffer *b)
{
  const struct pmon_comparison_row *row = &r->row;
  const bool known = row->method != PMON_NOT_COMPARED;
  const char *const texts[] = {c->a.name, c->b.name, r->name};
  for (int i = 0; i < 3; i++) {
    buffer_add_csv(b, texts[i]);
    buffer_add(b, ",");
  }
  add_csv_value(b, row->package != PMON_ALL, row->package);
  buffer_add_csv(b, r->instance_unit ? r->instance_unit : "");
  buffer_add(b, ",");
  add_csv_value(b, row->instance != PMON_ALL, row->instance);
  buffer_add_csv(b, r->unit);
  buffer_add(b, ",");
  add_csv_side(b, &row->a);
  add_csv_side(b, &row->b);
  const double numbers[] = {row->change, row->low, row->high, row->ratio, row->p, row->adjusted};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    add_csv_value(b, known, numbers[i]);
  buffer_add(b, "%s,%u,%u,%d,", comparison_method_name(row->method), row->n_a, row->n_b, row->significant);
  buffer_add_csv(b, known ? "" : row->a.valid ? row->b.reason : row->a.reason);
  buffer_add(b, ",");
  buffer_add_csv(b, c->b.machine ? c->b.machine : "");
  buffer_add(b, ",%s%s\r\n", data_emulated(c->a.machine ? c->a.machine : c->b.machine),
             !c->a.machine == !c->b.machine ? ""
             : c->a.machine                 ? " (a)"
                                            : " (b)");
}

void comparison_format_csv(const struct pmon_comparison *c, struct buffer *b)
{
  for (uint32_t i = 0; i < c->n; i++)
    add_csv_row(c, &c->rows[i], b);
}

static void add_json_side(struct buffer *b, const char *key, const struct compared_side *side)
{
  data_add_key(b, key);
  buffer_add(b, "{");
  data_add_text(b, "name", side->name);
  data_add_origin(b, &(struct data_origin){side->platform, side->backend, side->machine, side->command});
  data_add_json_number(b, "seconds", true, side->seconds);
  data_add_json_number(b, "runs", true, side->runs);
  data_add_json_number(b, "intervals", true, side->intervals);
  buffer_add(b, "}");
}

static void add_json_value(struct buffer *b, const char *key, const struct pmon_value *v)
{
  data_add_key(b, key);
  buffer_add(b, "{");
  data_add_json_number(b, "value", v->valid, v->number);
  data_add_json_number(b, "low", v->valid, v->low);
  data_add_json_number(b, "high", v->valid && isfinite(v->high), v->high);
  data_add_text(b, "reason", v->valid ? NULL : v->reason);
  buffer_add(b, "}");
}

static void add_json_row(struct buffer *b, const struct compared *r)
{
  const struct pmon_comparison_row *row = &r->row;
  const bool known = row->method != PMON_NOT_COMPARED;
  buffer_add(b, "{");
  data_add_text(b, "name", r->name);
  data_add_json_number(b, "package", row->package != PMON_ALL, row->package);
  data_add_text(b, "unit_name", r->instance_unit);
  data_add_json_number(b, "instance", row->instance != PMON_ALL, row->instance);
  data_add_text(b, "unit", r->unit);
  add_json_value(b, "a", &row->a);
  add_json_value(b, "b", &row->b);
  data_add_json_number(b, "change", known, row->change);
  data_add_json_number(b, "low", known && isfinite(row->low), row->low);
  data_add_json_number(b, "high", known && isfinite(row->high), row->high);
  data_add_json_number(b, "ratio", known && isfinite(row->ratio), row->ratio);
  data_add_json_number(b, "p", known, row->p);
  data_add_json_number(b, "p_adjusted", known, row->adjusted);
  data_add_text(b, "method", comparison_method_name(row->method));
  data_add_json_number(b, "n_a", true, row->n_a);
  data_add_json_number(b, "n_b", true, row->n_b);
  data_add_key(b, "significant");
  buffer_add(b, "%s}", row->significant ? "true" : "false");
}

void comparison_format_json(const struct pmon_comparison *c, struct buffer *b)
{
  buffer_add(b, "{");
  if (b->failed)
    return;
  add_json_side(b, "a", &c->a);
  add_json_side(b, "b", &c->b);
  data_add_key(b, "values");
  buffer_add(b, "[");
  for (uint32_t i = 0; i < c->n; i++) {
    buffer_add(b, "%s", i ? "," : "");
    add_json_row(b, &c->rows[i]);
  }
  buffer_add(b, "]}\n");
}

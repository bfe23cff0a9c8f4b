/* SPDX-License-Identifier: MIT */
#include "src/platform/platform.h"
#include <string.h>
#include "src/base/text.h"
#include "src/base/words.h"
#include "src/facts/index.h"
#include "src/platform/context.h"

int pmon_platform_find(struct pmon_context *context, const char *name, const struct pmon_platform **ret_platform)
{
  char known[256];
  struct writer w = {known, sizeof known, 0};
  for (uint32_t i = 0; i < context->n_platforms; i++) {
    const struct pmon_platform *p = context->platforms[i];
    if (text_is(text_of(name), db_text(p->db, p->row->name))) {
      *ret_platform = p;
      return PMON_OK;
    }
    const char *other = db_text(p->db, p->row->name);
    words_write(&w, i, context->n_platforms, other, strlen(other));
  }
  write_end(&w);
  return context_fail(context, PMON_E_UNKNOWN, 1, "no platform \"%s\"; expected %s, or a platform file", name, known);
}

static bool is_cpu(const struct db *db, const struct db_cpu *cpu, const char *vendor, const uint32_t signature[3])
{
  return strcmp(db_text(db, cpu->vendor), vendor) == 0 && cpu->family == signature[0] && cpu->model == signature[1] &&
         signature[2] >= cpu->stepping_lo && signature[2] <= cpu->stepping_hi;
}

int pmon_platform_find_cpu(struct pmon_context *context, const char *vendor, const uint32_t signature[3],
                           const struct pmon_platform **ret_platform)
{
  for (uint32_t i = 0; i < context->n_platforms; i++) {
    const struct pmon_platform *p = context->platforms[i];
    for (uint32_t c = 0; c < p->row->cpus.n; c++)
      if (is_cpu(p->db, &p->db->cpus[p->row->cpus.first + c], vendor, signature)) {
        *ret_platform = p;
        return PMON_OK;
      }
  }
  return context_fail(context, PMON_E_NO_DEVICE, 0, "no platform for processor %s family %u model %u stepping %u",
                      vendor, signature[0], signature[1], signature[2]);
}

const struct pmon_platform *pmon_platform_get(struct pmon_context *context, uint32_t i)
{
  return i < context->n_platforms ? context->platforms[i] : NULL;
}

/* The word for a package: Montecito's register files are those of one hardware thread (docs/formats.md, "Units"). */
static const char *package_word(const struct pmon_platform *platform)
{
  const struct db *db = platform->db;
  const struct db_span units = platform->row->units;
  for (uint32_t i = units.first; i < units.first + units.n; i++)
    if (db->units[i].places.n)
      return db->places[db->units[i].places.first].space >= PMON_SPACE_PMC ? "thread" : "socket";
  return "socket";
}

int pmon_platform_describe(const struct pmon_platform *platform, struct pmon_platform_info *info)
{
  const struct db *db = platform->db;
  const struct db_platform *r = platform->row;
  struct pmon_platform_info full = {
      .name = db_text(db, r->name),
      .title = db_text(db, r->title),
      .cite = db_text(db, r->origin.cite),
      .note = db_text(db, r->origin.note),
      .units = r->units.n,
      .metrics = r->metrics.n,
      .base = db_text(db, r->base),
      .package = package_word(platform),
      .content = db->content,
      .processors = r->cpus.n,
  };
  return CONTEXT_FILL(platform->context, info, full);
}

const char *platform_format_units(const struct pmon_platform *p, char *text, size_t size)
{
  struct writer w = {text, size, 0};
  const struct db_span units = p->row->units;
  for (uint32_t i = 0; i < units.n; i++) {
    const char *name = db_text(p->db, p->db->units[units.first + i].name);
    write_text(&w, i ? "" : "; expected ");
    words_write(&w, i, units.n, name, strlen(name));
  }
  write_end(&w);
  return text;
}

int pmon_unit_find(const struct pmon_platform *platform, const char *name, uint32_t *ret_unit)
{
  struct platform_unit_name found;
  char names[256];
  if (!platform_find_unit(platform, text_of(name), &found))
    return context_fail(platform->context, PMON_E_UNKNOWN, 1, "%s has no unit \"%s\"%s",
                        db_text(platform->db, platform->row->name), name,
                        platform_format_units(platform, names, sizeof names));
  *ret_unit = found.unit - platform->row->units.first;
  return PMON_OK;
}

static struct pmon_unit_info unit_info(const struct db *db, const struct db_unit *u)
{
  return (struct pmon_unit_info){
      .size = sizeof(struct pmon_unit_info),
      .name = db_text(db, u->name),
      .title = db_text(db, u->title),
      .cite = db_text(db, u->origin.cite),
      .note = db_text(db, u->origin.note),
      .prefix = db_text(db, u->prefix),
      .perf = db_text(db, u->perf),
      .pfm = db_text(db, u->pfm),
      .alias = db_text(db, u->alias),
      .clock = db_text(db, u->clock),
      .instances = u->instances,
      .counters = u->counters,
      .width_bits = u->width_bits,
      .registers = u->registers.n,
      .discovery = u->discovery,
      .source = db_text(db, u->origin.source),
      .unsure = (u->flags & DB_UNSURE) != 0,
      .perf_only = (u->flags & DB_PERF_ONLY) != 0,
      .summed = (u->flags & DB_SUMMED) != 0,
      .root_port = u->root_port,
      .root_buses = db_text(db, u->root_buses),
      .witness = db_text(db, u->witness),
      .own_witness = (u->flags & DB_OWN_WITNESS) != 0,
  };
}

bool platform_get_unit(const struct pmon_platform *platform, uint32_t unit, struct pmon_unit_info *info)
{
  if (unit >= platform->row->units.n)
    return false;
  *info = unit_info(platform->db, &platform->db->units[platform_unit_row(platform, unit)]);
  return true;
}

int pmon_unit_describe(const struct pmon_platform *platform, uint32_t unit, struct pmon_unit_info *info)
{
  struct pmon_unit_info full;
  if (!platform_get_unit(platform, unit, &full))
    return context_fail_range(platform->context, "unit", unit, platform->row->units.n);
  return CONTEXT_FILL(platform->context, info, full);
}

int pmon_unit_describe_instance(const struct pmon_platform *platform, uint32_t unit, uint32_t instance,
                                struct pmon_unit_info *info)
{
  if (unit >= platform->row->units.n)
    return context_fail_range(platform->context, "unit", unit, platform->row->units.n);
  const struct db *db = platform->db;
  const struct db_unit *u = &db->units[platform_unit_row(platform, unit)];
  if (instance >= u->instances)
    return context_fail_range(platform->context, "instance", instance, u->instances);
  struct pmon_unit_info full = unit_info(db, u);
  full.counters = db_unit_counters(db, u, instance);
  full.width_bits = db_unit_width(db, u, instance);
  return CONTEXT_FILL(platform->context, info, full);
}

static bool platform_get_metric(const struct pmon_platform *platform, uint32_t metric, struct pmon_metric_info *info)
{
  if (metric >= platform->row->metrics.n)
    return false;
  const struct db *db = platform->db;
  const struct db_metric *m = &db->metrics[platform->row->metrics.first + metric];
  *info = (struct pmon_metric_info){
      .size = sizeof *info,
      .name = db_text(db, m->name),
      .unit = m->unit == DB_NONE ? "" : db_text(db, db->units[m->unit].name),
      .brief = db_text(db, m->brief),
      .equation = db_text(db, m->equation),
      .printed = db_text(db, m->printed),
      .result = db_text(db, m->result),
      .cite = db_text(db, m->origin.cite),
      .note = db_text(db, m->origin.note),
      .source = db_text(db, m->origin.source),
      .stale = db_text(db, m->stale),
      .param = db_text(db, m->param),
      .param_lo = m->param_lo,
      .param_hi = m->param_hi,
      .per_second = (m->flags & DB_PER_SECOND) != 0,
      .default_place = m->default_place,
      .of = db_text(db, m->of),
      .alias = db_text(db, m->alias),
      .unsure = (m->flags & DB_UNSURE) != 0,
  };
  return true;
}

int pmon_metric_describe(const struct pmon_platform *platform, uint32_t metric, struct pmon_metric_info *info)
{
  struct pmon_metric_info full;
  if (!platform_get_metric(platform, metric, &full))
    return context_fail_range(platform->context, "metric", metric, platform->row->metrics.n);
  return CONTEXT_FILL(platform->context, info, full);
}

int pmon_rule_describe(const struct pmon_platform *platform, uint32_t rule, struct pmon_rule_info *info)
{
  if (rule >= platform->row->rules.n)
    return context_fail_range(platform->context, "rule", rule, platform->row->rules.n);
  const struct db *db = platform->db;
  const struct db_rule *g = &db->rules[platform->row->rules.first + rule];
  struct pmon_rule_info full = {
      .name = db_text(db, g->name),
      .brief = db_text(db, g->brief),
      .cite = db_text(db, g->origin.cite),
      .note = db_text(db, g->origin.note),
      .unit = g->unit == DB_NONE ? "" : db_text(db, db->units[g->unit].name),
      .test = db_text(db, g->test),
      .on = db_text(db, g->on),
      .when = db_text(db, g->when),
      .needs = db_text(db, g->needs),
      .advice = (g->flags & DB_ADVICE) != 0,
  };
  return CONTEXT_FILL(platform->context, info, full);
}

bool platform_get_values(const struct pmon_platform *platform, uint32_t values, struct pmon_values_info *info)
{
  if (values >= platform->row->values.n)
    return false;
  const struct db *db = platform->db;
  const struct db_values *v = &db->values[platform->row->values.first + values];
  *info = (struct pmon_values_info){
      .size = sizeof *info,
      .name = db_text(db, v->name),
      .cite = db_text(db, v->origin.cite),
      .note = db_text(db, v->origin.note),
      .source = db_text(db, v->origin.source),
      .rows = v->rows.n,
      .unsure = (v->flags & DB_UNSURE) != 0,
      .form = v->flags & DB_FORM ? db_text(db, v->form) : "",
      .form_hi = {v->form_hi[0], v->form_hi[1]},
      .form_lo = {v->form_lo[0], v->form_lo[1]},
  };
  return true;
}

int pmon_values_describe(const struct pmon_platform *platform, uint32_t values, struct pmon_values_info *info)
{
  struct pmon_values_info full;
  if (!platform_get_values(platform, values, &full))
    return context_fail_range(platform->context, "list of values", values, platform->row->values.n);
  return CONTEXT_FILL(platform->context, info, full);
}

bool platform_get_value(const struct pmon_platform *platform, uint32_t values, uint32_t row,
                        struct pmon_value_info *info)
{
  const struct db *db = platform->db;
  if (values >= platform->row->values.n)
    return false;
  const struct db_span rows = db->values[platform->row->values.first + values].rows;
  if (row >= rows.n)
    return false;
  const struct db_value *v = &db->value_rows[rows.first + row];
  *info = (struct pmon_value_info){
      .size = sizeof *info, .name = db_text(db, v->name), .meaning = db_text(db, v->meaning), .value = v->value};
  return true;
}

int pmon_value_describe(const struct pmon_platform *platform, uint32_t values, uint32_t row,
                        struct pmon_value_info *info)
{
  struct pmon_value_info full;
  if (!platform_get_value(platform, values, row, &full))
    return values < platform->row->values.n
               ? context_fail(platform->context, PMON_E_RANGE, 0, "list of values %u has no row %u", values, row)
               : context_fail_range(platform->context, "list of values", values, platform->row->values.n);
  return CONTEXT_FILL(platform->context, info, full);
}

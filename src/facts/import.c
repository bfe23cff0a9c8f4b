/* SPDX-License-Identifier: MIT */
/*
 * `import`: makes a platform from another one. Blocks of the new platform replace those of the same name. References of
 * an imported row are resolved again by name, so that a replaced layout also applies to imported units.
 */
#include <stdlib.h>
#include <string.h>
#include "src/facts/parser.h"

static int refer(struct builder *b, enum ref_kind kind, uint32_t row, db_str name, struct facts_pos pos)
{
  struct facts_ref ref = {kind, row, name, pos};
  return vec_append(&b->refs, &ref, 1) ? 0 : PMON_E_MEMORY;
}

static int import_push_row(struct builder *b, enum rows kind, const void *row, uint32_t from, uint32_t *ret_row)
{
  *ret_row = builder_push(b, kind, row, build_pos(b, kind, from));
  return *ret_row == DB_NONE ? PMON_E_MEMORY : 0;
}

static bool import_has_row(struct builder *b, enum rows kind, db_str name)
{
  return build_find(b, kind, text_of(build_text(b, name))) != DB_NONE;
}

static int take_layout(struct builder *b, uint32_t from)
{
  struct db_layout layout = *build_layouts(b, from);
  struct db_span fields = layout.fields;
  uint32_t base = layout.base, row, at;
  struct facts_pos pos = build_pos(b, ROWS_layouts, from);
  if (import_has_row(b, ROWS_layouts, layout.name))
    return 0;
  layout.fields.first = build_count(b, ROWS_fields);
  layout.base = DB_NONE;
  int status = import_push_row(b, ROWS_layouts, &layout, from, &row);
  if (!status && base != DB_NONE)
    status = refer(b, REF_LAYOUT_BASE, row, build_layouts(b, base)->name, pos);
  for (uint32_t i = fields.first; !status && i < fields.first + fields.n; i++) {
    struct db_field f = *build_fields(b, i);
    uint32_t values = f.values;
    f.values = DB_NONE;
    status = import_push_row(b, ROWS_fields, &f, i, &at);
    if (!status && values != DB_NONE)
      status = refer(b, REF_FIELD_VALUES, at, build_values(b, values)->name, pos);
  }
  return status;
}

static int import_unit(struct builder *b, uint32_t from)
{
  struct db_unit unit = *build_units(b, from);
  struct db_span registers = unit.registers, imports = unit.imports;
  struct facts_pos pos = build_pos(b, ROWS_units, from);
  uint32_t row, at;
  if (import_has_row(b, ROWS_units, unit.name))
    return 0;
  unit.registers.first = build_count(b, ROWS_registers);
  unit.imports.first = build_count(b, ROWS_imports);
  int status = import_push_row(b, ROWS_units, &unit, from, &row);
  if (!status && unit.clock)
    status = refer(b, REF_UNIT_CLOCK, row, unit.clock, pos);
  for (uint32_t i = registers.first; !status && i < registers.first + registers.n; i++) {
    struct db_register r = *build_registers(b, i);
    status = import_push_row(b, ROWS_registers, &r, i, &at);
    if (!status)
      status = refer(b, REF_REGISTER_LAYOUT, at, build_layouts(b, r.layout)->name, pos);
  }
  for (uint32_t i = imports.first; !status && i < imports.first + imports.n; i++) {
    struct db_import import = *build_imports(b, i);
    status = import_push_row(b, ROWS_imports, &import, i, &at);
    if (!status)
      status = refer(b, REF_IMPORT_SET, at, build_sets(b, import.set)->name, pos);
  }
  return status;
}

/* Returns the name that stands for a unit's name in any case. */
static int unit_name_once(struct builder *b, db_str unit, db_str *ret_name)
{
  *ret_name = unit;
  return build_claim(b, names_family(CLAIM_UNIT_NAMES, 0), unit, unit, ret_name);
}

/* Claims the platform's own metrics. Metrics of different units may share a name; their units are not looked up yet. */
static int claim_metrics(struct builder *b)
{
  const uint32_t first = b->start[ROWS_metrics], n = build_count(b, ROWS_metrics) - first;
  db_str *units = calloc(n + 1, sizeof *units);
  uint32_t earlier;
  int status = units ? 0 : PMON_E_MEMORY;
  for (uint32_t i = 0; !status && i < b->refs.n; i++) {
    const struct facts_ref *ref = vec_at(&b->refs, i);
    if (ref->kind == REF_METRIC_UNIT)
      status = unit_name_once(b, ref->name, &units[ref->row - first]);
  }
  for (uint32_t i = 0; !status && i < n; i++)
    status = build_claim(b, names_family(CLAIM_IMPORTED_METRICS, units[i]), build_metrics(b, first + i)->name,
                         first + i, &earlier);
  free(units);
  return status;
}

/* Claims what the platform has itself, before others are imported. */
static int claim_own(struct builder *b)
{
  uint32_t earlier;
  int status = claim_metrics(b);
  for (uint32_t i = b->start[ROWS_events]; !status && i < build_count(b, ROWS_events); i++)
    status = build_claim(b, names_family(CLAIM_EVENTS, build_events(b, i)->set), build_events(b, i)->name, i, &earlier);
  return status;
}

/* Whether `text` matches `pattern`, in which one * matches any letters. */
static bool umask_fits(const char *text, const char *pattern)
{
  const char *star = strchr(pattern, '*');
  const size_t n = strlen(text), before = star ? (size_t)(star - pattern) : 0, behind = star ? strlen(star + 1) : 0;
  if (!star)
    return !strcmp(text, pattern);
  return n >= before + behind && !strncmp(text, pattern, before) && !strcmp(text + n - behind, star + 1);
}

/* Removes the omitted umasks from an imported event. The umasks are copied, because both platforms have them. */
static int omit_umasks(struct builder *b, struct db_event *e, const struct event_omission *omission)
{
  const struct db_span umasks = e->umasks;
  const char *pattern = build_text(b, omission->pattern);
  e->umasks = (struct db_span){build_count(b, ROWS_umasks), 0};
  for (uint32_t i = umasks.first; i < umasks.first + umasks.n; i++) {
    const struct db_umask umask = *build_umasks(b, i);
    uint32_t row;
    if (umask_fits(build_text(b, umask.name), pattern))
      continue;
    const int status = import_push_row(b, ROWS_umasks, &umask, i, &row);
    if (status)
      return status;
    e->umasks.n++;
  }
  if (e->umasks.n < umasks.n)
    return 0;
  return builder_fail(b, PMON_E_UNKNOWN, omission->pos, "a umask of the imported event %s expected, none matches '%s'",
                      build_text(b, e->name), pattern);
}

/* Applies all omissions of this event. */
static int omit_from(struct builder *b, struct db_event *e)
{
  int status = builder_need_steps(b, b->omissions.n);
  for (uint32_t i = 0; !status && i < b->omissions.n; i++) {
    struct event_omission *o = vec_at(&b->omissions, i);
    if (o->set != e->set || !text_is(text_of(build_text(b, e->name)), build_text(b, o->event)))
      continue;
    o->set = DB_NONE; /* it has been applied */
    status = omit_umasks(b, e, o);
  }
  return status;
}

static int take_set(struct builder *b, uint32_t from)
{
  struct db_set set = *build_sets(b, from);
  struct db_span events = set.events;
  uint32_t row = build_find(b, ROWS_sets, text_of(build_text(b, set.name))), at;
  int status = row == DB_NONE ? import_push_row(b, ROWS_sets, &set, from, &row) : 0;
  for (uint32_t i = events.first; !status && i < events.first + events.n; i++) {
    struct db_event e = *build_events(b, i);
    uint32_t overlay = e.overlay;
    uint32_t own = build_count(b, ROWS_events);
    status = build_claim(b, names_family(CLAIM_EVENTS, row), e.name, own, &own);
    if (status || own < build_count(b, ROWS_events))
      continue;
    e.set = row;
    e.overlay = DB_NONE;
    if ((status = omit_from(b, &e)) != 0)
      break;
    status = import_push_row(b, ROWS_events, &e, i, &at);
    if (!status && overlay != DB_NONE)
      status = refer(b, REF_EVENT_OVERLAY, at, build_layouts(b, overlay)->name, build_pos(b, ROWS_events, i));
  }
  return status;
}

/* Adds the sets that imported units name, without events; files may fill them. */
static int take_empty_sets(struct builder *b, struct db_span sets)
{
  int status = 0;
  for (uint32_t i = sets.first; !status && i < sets.first + sets.n; i++) {
    struct db_set set = {.name = build_sets(b, i)->name};
    uint32_t row;
    if (!import_has_row(b, ROWS_sets, set.name))
      status = import_push_row(b, ROWS_sets, &set, i, &row);
  }
  return status;
}

static int take_values(struct builder *b, uint32_t from)
{
  struct db_values values = *build_values(b, from);
  uint32_t row;
  return import_has_row(b, ROWS_values, values.name) ? 0 : import_push_row(b, ROWS_values, &values, from, &row);
}

static int take_clock(struct builder *b, uint32_t from)
{
  struct db_clock clock = *build_clocks(b, from);
  uint32_t row;
  return import_has_row(b, ROWS_clocks, clock.name) ? 0 : import_push_row(b, ROWS_clocks, &clock, from, &row);
}

static int take_metric(struct builder *b, uint32_t from)
{
  struct db_metric m = *build_metrics(b, from);
  uint32_t row, unit = m.unit, own = build_count(b, ROWS_metrics);
  db_str unit_name = 0;
  int status = unit_name_once(b, unit == DB_NONE ? 0 : build_units(b, unit)->name, &unit_name);
  if (!status)
    status = build_claim(b, names_family(CLAIM_IMPORTED_METRICS, unit_name), m.name, own, &own);
  if (status || own < build_count(b, ROWS_metrics))
    return status;
  m.unit = DB_NONE;
  m.default_place = 0;
  status = import_push_row(b, ROWS_metrics, &m, from, &row);
  if (status || unit == DB_NONE)
    return status;
  return refer(b, REF_METRIC_UNIT, row, build_units(b, unit)->name, build_pos(b, ROWS_metrics, from));
}

static int take_invariant(struct builder *b, uint32_t from)
{
  struct db_invariant r = *build_invariants(b, from);
  uint32_t row;
  if (import_has_row(b, ROWS_invariants, r.name))
    return 0;
  int status = import_push_row(b, ROWS_invariants, &r, from, &row);
  if (status || r.unit == DB_NONE)
    return status;
  return refer(b, REF_INVARIANT_UNIT, row, build_units(b, r.unit)->name, build_pos(b, ROWS_invariants, from));
}

static int take_rule(struct builder *b, uint32_t from)
{
  struct db_rule g = *build_rules(b, from);
  uint32_t row;
  if (import_has_row(b, ROWS_rules, g.name))
    return 0;
  int status = import_push_row(b, ROWS_rules, &g, from, &row);
  if (status || g.unit == DB_NONE)
    return status;
  return refer(b, REF_RULE_UNIT, row, build_units(b, g.unit)->name, build_pos(b, ROWS_rules, from));
}

static int take_span(struct builder *b, struct db_span span, int (*take)(struct builder *b, uint32_t from))
{
  int status = 0;
  for (uint32_t i = span.first; !status && i < span.first + span.n; i++)
    status = take(b, i);
  return status;
}

int import_platforms(struct builder *b)
{
  int status = b->imports.n ? claim_own(b) : 0;
  for (uint32_t i = 0; !status && i < b->imports.n; i++) {
    struct platform_import import = *(const struct platform_import *)vec_at(&b->imports, i);
    struct db_platform from = *build_platforms(b, import.row);
    if (import.registers_only) {
      status = take_empty_sets(b, from.sets);
      from.sets = from.metrics = from.groups = from.members = from.invariants = (struct db_span){0, 0};
    }
    const struct {
      struct db_span span;
      int (*take)(struct builder *b, uint32_t from);
    } kinds[] = {
        {from.layouts, take_layout},
        {from.values, take_values},
        {from.clocks, take_clock},
        {from.units, import_unit},
        {from.sets, take_set},
        {from.metrics, take_metric},
        {from.groups, import_metric_group},
        {from.members, import_group_member},
        {from.invariants, take_invariant},
        {from.rules, take_rule},
    };
    for (size_t k = 0; !status && k < sizeof kinds / sizeof *kinds; k++)
      status = take_span(b, kinds[k].span, kinds[k].take);
  }
  for (uint32_t i = 0; !status && i < b->omissions.n; i++) {
    const struct event_omission *o = vec_at(&b->omissions, i);
    if (o->set != DB_NONE)
      status = builder_fail(b, PMON_E_UNKNOWN, o->pos, "an event of an imported platform expected, not %s",
                            build_text(b, o->event));
  }
  b->imports.n = b->omissions.n = 0;
  return status;
}

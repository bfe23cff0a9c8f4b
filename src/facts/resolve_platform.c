/* SPDX-License-Identifier: MIT */
/* Resolves the references of a parsed platform, and assigns its rows to their owners. */
#include <stdlib.h>
#include "src/facts/parser.h"

static int place_own_registers(struct builder *b)
{
  for (uint32_t i = 0; i < b->own_places.n; i++) {
    const struct own_place *own = vec_at(&b->own_places, i);
    uint32_t at = builder_push(b, ROWS_places, &own->place, build_pos(b, ROWS_registers, own->reg));
    if (at == DB_NONE)
      return PMON_E_MEMORY;
    struct db_register *r = build_registers(b, own->reg);
    if (!r->n_own++)
      r->own_place = at;
  }
  b->own_places.n = 0;
  return 0;
}

/* A set that no file fills yet is empty if it has a unit's name; otherwise the name is an error. */
static int import_set(struct builder *b, struct facts_ref ref)
{
  struct text name = text_of(build_text(b, ref.name));
  uint32_t set = build_find(b, ROWS_sets, name);
  if (set == DB_NONE) {
    if (build_find(b, ROWS_units, name) == DB_NONE)
      return builder_fail(b, PMON_E_UNKNOWN, ref.pos, "name of an event set expected, not '%s'", name.s);
    struct db_set row = {.name = ref.name};
    set = builder_push(b, ROWS_sets, &row, ref.pos);
  }
  build_imports(b, ref.row)->set = set;
  return set == DB_NONE ? PMON_E_MEMORY : 0;
}

static int resolve_fixup(struct builder *b, struct facts_ref ref)
{
  static const struct {
    enum rows rows;
    const char *expected;
  } kinds[] = {
      [REF_FIELD_VALUES] = {ROWS_values, "name of a `values` block"},
      [REF_LAYOUT_BASE] = {ROWS_layouts, "name of a layout"},
      [REF_REGISTER_LAYOUT] = {ROWS_layouts, "name of a layout"},
      [REF_IMPORT_SET] = {ROWS_sets, ""},
      [REF_EVENT_OVERLAY] = {ROWS_layouts, "name of an overlay"},
      [REF_METRIC_UNIT] = {ROWS_units, "name of a unit"},
      [REF_INVARIANT_UNIT] = {ROWS_units, "name of a unit"},
      [REF_RULE_UNIT] = {ROWS_units, "name of a unit"},
      [REF_UNIT_CLOCK] = {ROWS_clocks, "name of a clock"},
  };
  if (ref.kind == REF_IMPORT_SET)
    return import_set(b, ref);
  const char *name = build_text(b, ref.name);
  uint32_t row = build_find(b, kinds[ref.kind].rows, text_of(name));
  bool overlay = row != DB_NONE && kinds[ref.kind].rows == ROWS_layouts && (build_layouts(b, row)->flags & DB_OVERLAY);
  if (row == DB_NONE || (kinds[ref.kind].rows == ROWS_layouts && overlay != (ref.kind == REF_EVENT_OVERLAY)))
    return builder_fail(b, PMON_E_UNKNOWN, ref.pos, "%s expected, not '%s'", kinds[ref.kind].expected, name);
  switch (ref.kind) {
  case REF_FIELD_VALUES: build_fields(b, ref.row)->values = row; break;
  case REF_LAYOUT_BASE: build_layouts(b, ref.row)->base = row; break;
  case REF_REGISTER_LAYOUT: build_registers(b, ref.row)->layout = row; break;
  case REF_EVENT_OVERLAY: build_events(b, ref.row)->overlay = row; break;
  case REF_METRIC_UNIT: build_metrics(b, ref.row)->unit = row; break;
  case REF_INVARIANT_UNIT: build_invariants(b, ref.row)->unit = row; break;
  case REF_RULE_UNIT: build_rules(b, ref.row)->unit = row; break;
  case REF_UNIT_CLOCK:
  case REF_IMPORT_SET: break;
  }
  return 0;
}

struct event_at {
  struct db_event event;
  struct facts_pos pos;
};

/* Computes where the events of each set begin, in the order of the sets. */
static void count_events(struct builder *b, const struct event_at *all, uint32_t n, uint32_t first)
{
  for (uint32_t s = b->start[ROWS_sets]; s < build_count(b, ROWS_sets); s++)
    build_sets(b, s)->events = (struct db_span){0, 0};
  for (uint32_t i = 0; i < n; i++)
    build_sets(b, all[i].event.set)->events.n++;
  for (uint32_t s = b->start[ROWS_sets]; s < build_count(b, ROWS_sets); s++) {
    struct db_span *span = &build_sets(b, s)->events;
    span->first = first;
    first += span->n;
    span->n = 0;
  }
}

/* Brings the events of each set together, in the order of the files: a set may come from several. */
static int group_events(struct builder *b)
{
  uint32_t first = b->start[ROWS_events], n = build_count(b, ROWS_events) - first;
  struct event_at *all = n ? malloc(n * sizeof *all) : NULL;
  if (n && !all)
    return PMON_E_MEMORY;
  for (uint32_t i = 0; i < n; i++)
    all[i] = (struct event_at){*build_events(b, first + i), build_pos(b, ROWS_events, first + i)};
  count_events(b, all, n, first);
  for (uint32_t i = 0; i < n; i++) {
    struct db_span *span = &build_sets(b, all[i].event.set)->events;
    const uint32_t to = span->first + span->n++;
    *build_events(b, to) = all[i].event;
    *(struct facts_pos *)vec_at(&b->pos[ROWS_events], to) = all[i].pos;
  }
  free(all);
  return 0;
}

static void assign_spans(const struct builder *b, struct db_platform *platform)
{
#define SPAN(member)                                                                                                   \
  platform->member = (struct db_span){b->start[ROWS_##member], build_count(b, ROWS_##member) - b->start[ROWS_##member]}
  SPAN(cpus);
  SPAN(clocks);
  SPAN(layouts);
  SPAN(values);
  SPAN(units);
  SPAN(sets);
  SPAN(metrics);
  SPAN(groups);
  SPAN(members);
  SPAN(invariants);
  SPAN(rules);
#undef SPAN
}

int resolve_platform(struct builder *b, struct db_platform *platform)
{
  platform->base = platform->name;
  if (b->imports.n && b->user) /* a compiled-in platform has a machine of its own, or none */
    platform->base = build_platforms(b, ((const struct platform_import *)vec_at(&b->imports, 0))->row)->base;
  int status = import_platforms(b);
  if (!status)
    status = check_names(b);
  if (!status)
    status = place_own_registers(b);
  for (uint32_t i = 0; !status && i < b->refs.n; i++)
    status = resolve_fixup(b, *(const struct facts_ref *)vec_at(&b->refs, i));
  b->refs.n = 0;
  /* An overlay is as wide as its base. */
  for (uint32_t i = b->start[ROWS_layouts]; !status && i < build_count(b, ROWS_layouts); i++) {
    struct db_layout *layout = build_layouts(b, i);
    if (layout->base != DB_NONE)
      layout->width = build_layouts(b, layout->base)->width;
  }
  if (!status)
    status = group_events(b);
  assign_spans(b, platform);
  return status;
}

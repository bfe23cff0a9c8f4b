/* SPDX-License-Identifier: MIT */
/* Resolves names to rows, and orders rows into the runs that a platform's spans describe. */
#include <stdlib.h>
#include "src/facts/parser.h"

static db_str row_name(const struct builder *b, enum rows kind, uint32_t i)
{
  /* In each of these kinds the name is the first member. */
  return *(const db_str *)vec_at(&b->rows[kind], i);
}

static bool enter_row(struct builder *b, enum rows kind, uint32_t row)
{
  uint32_t earlier;
  return !build_claim(b, names_family(kind, 0), row_name(b, kind, row), row, &earlier) &&
         (kind != ROWS_units || !build_claim_list(b, kind, 0, build_units(b, row)->alias, row));
}

uint32_t build_find(struct builder *b, enum rows kind, struct text name)
{
  /* Enters the rows added since the last search. */
  for (uint32_t *i = &b->entered[kind]; *i < build_count(b, kind); ++*i)
    if (!enter_row(b, kind, *i)) {
      b->no_memory = true;
      return DB_NONE;
    }
  return names_find(&b->names, b->pool.data, names_family(kind, 0), name);
}

int build_claim(struct builder *b, uint64_t family, db_str name, uint32_t row, uint32_t *ret_row)
{
  const struct names_entry entry = {family, name, (uint32_t)strlen(build_text(b, name)), row};
  return names_add(&b->names, b->pool.data, &entry, ret_row) ? 0 : PMON_E_MEMORY;
}

uint32_t build_claimed(struct builder *b, uint32_t claim, uint32_t owner, struct text name)
{
  return builder_step(b, 1) ? names_find(&b->names, b->pool.data, names_family(claim, owner), name) : DB_NONE;
}

int build_claim_list(struct builder *b, uint32_t claim, uint32_t owner, db_str list, uint32_t row)
{
  const char *pool = b->pool.data;
  uint32_t earlier;
  for (db_str at = list; pool[at]; at += pool[at] == ',') {
    const struct names_entry entry = {names_family(claim, owner), at, (uint32_t)strcspn(pool + at, ","), row};
    if (!names_add(&b->names, pool, &entry, &earlier))
      return PMON_E_MEMORY;
    at += entry.n;
  }
  return 0;
}

uint32_t build_find_field(struct builder *b, uint32_t layout, struct text name)
{
  struct db_span span = build_layouts(b, layout)->fields;
  if (!builder_step(b, span.n + 1))
    return DB_NONE;
  for (uint32_t i = span.first; i < span.first + span.n; i++) {
    const struct db_field *f = build_fields(b, i);
    if (!f->reserved && (text_is(name, build_text(b, f->name)) || text_in_list(name, build_text(b, f->alias))))
      return i;
  }
  return DB_NONE;
}

static int check_fail_name(struct builder *b, enum rows kind, uint32_t i, uint32_t earlier)
{
  const struct facts_pos at = build_pos(b, kind, earlier);
  return builder_fail(b, PMON_E_CONFLICT, build_pos(b, kind, i),
                      "a new name expected, '%s' is already defined at %s:%u", build_text(b, row_name(b, kind, i)),
                      build_text(b, at.file), at.line);
}

int check_row_name(struct builder *b, enum rows kind, struct db_span span)
{
  int status = 0;
  for (uint32_t i = span.first; !status && i < span.first + span.n; i++) {
    uint32_t earlier = i;
    status = build_claim(b, names_family(CLAIM_ROWS + kind, span.first), row_name(b, kind, i), i, &earlier);
    if (!status && earlier != i)
      status = check_fail_name(b, kind, i, earlier);
  }
  return status;
}

struct alias_claim {
  uint32_t row;
  db_str at;
  uint32_t n, alias; /* 0 or 1 */
  bool name_too;     /* an alias that equals the row's own name is refused, too */
  const char *what;
};

/* Claims a name for a row of a family: its own name, or an alias. */
static int claim_part(struct builder *b, enum rows kind, uint32_t first, const struct alias_claim *c)
{
  const struct names_entry entry = {names_family(CLAIM_ALIASES + kind, first), c->at, c->n, c->row * 2 + c->alias};
  uint32_t earlier;
  if (!names_add(&b->names, b->pool.data, &entry, &earlier))
    return PMON_E_MEMORY;
  const uint32_t other = earlier / 2, other_alias = earlier % 2;
  if ((other == c->row && (!c->name_too || other_alias == c->alias)) || (!c->alias && !other_alias))
    return 0;
  const uint32_t wrong = other_alias ? other : c->row, has = other_alias ? c->row : other;
  return builder_fail(b, PMON_E_CONFLICT, build_pos(b, kind, wrong),
                      "a different alias expected, '%.*s' already belongs to %s %s", (int)c->n, build_text(b, c->at),
                      c->what, build_text(b, row_name(b, kind, has)));
}

int check_row_aliases(struct builder *b, enum rows kind, struct db_span span)
{
  int status = 0;
  for (uint32_t i = span.first; !status && i < span.first + span.n; i++) {
    const char *pool = b->pool.data;
    const db_str name = row_name(b, kind, i);
    const db_str alias = kind == ROWS_units ? build_units(b, i)->alias : build_events(b, i)->alias;
    struct alias_claim c = {.row = i,
                            .at = name,
                            .n = (uint32_t)strlen(pool + name),
                            .name_too = kind == ROWS_events,
                            .what = kind == ROWS_events ? "event" : "unit"};
    status = claim_part(b, kind, span.first, &c);
    c.alias = 1;
    for (db_str at = alias; !status && pool[at]; at += pool[at] == ',') {
      c.at = at;
      c.n = (uint32_t)strcspn(pool + at, ",");
      at += c.n;
      status = claim_part(b, kind, span.first, &c);
    }
  }
  return status;
}

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

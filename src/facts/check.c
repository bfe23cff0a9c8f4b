/* SPDX-License-Identifier: MIT */
/* Checks that a platform's blocks agree with each other: layouts and units here, events in check_events.c. */
#include "src/facts/parser.h"

/* An overlay must not make reserved bits writable, nor use a name that the register has for other bits. */
static int check_overlaid_field(struct builder *b, const struct db_layout *base, uint32_t i)
{
  for (uint32_t k = base->fields.first; k < base->fields.first + base->fields.n; k++) {
    const struct db_field *own = build_fields(b, i), *below = build_fields(b, k);
    if (below->reserved && own->access == DB_RW && own->lo <= below->hi && below->lo <= own->hi)
      return builder_fail(b, PMON_E_CONFLICT, build_pos(b, ROWS_fields, i),
                          "bits of a field of %s expected, bits %u:%u are reserved", build_text(b, base->name),
                          below->hi, below->lo);
    const struct text name = text_of(build_text(b, own->name));
    if (!below->reserved && (own->hi != below->hi || own->lo != below->lo) &&
        (text_is(name, build_text(b, below->name)) || text_in_list(name, build_text(b, below->alias))))
      return builder_fail(b, PMON_E_CONFLICT, build_pos(b, ROWS_fields, i),
                          "a different name expected, in %s field %.60s is bits %u:%u", build_text(b, base->name),
                          name.s, below->hi, below->lo);
  }
  return 0;
}

static int check_overlaid(struct builder *b, const struct db_layout *overlay)
{
  const struct db_layout *base = build_layouts(b, overlay->base);
  int status = 0;
  for (uint32_t i = overlay->fields.first; !status && i < overlay->fields.first + overlay->fields.n; i++)
    status = check_overlaid_field(b, base, i);
  return status;
}

static int check_overlays(struct builder *b, struct db_span layouts)
{
  for (uint32_t i = layouts.first; i < layouts.first + layouts.n; i++) {
    const struct db_layout *layout = build_layouts(b, i);
    if (!layout->fields.n || !(layout->flags & DB_OVERLAY))
      continue;
    const struct db_field *top = build_fields(b, layout->fields.first);
    if (top->hi >= layout->width)
      return builder_fail(b, PMON_E_RANGE, build_pos(b, ROWS_fields, layout->fields.first),
                          "bits below %u expected, the width of %s", layout->width,
                          build_text(b, build_layouts(b, layout->base)->name));
    int status = check_overlaid(b, layout);
    if (status)
      return status;
  }
  return 0;
}

static int check_field_values(struct builder *b, struct db_span layouts)
{
  for (uint32_t i = layouts.first; i < layouts.first + layouts.n; i++) {
    struct db_span fields = build_layouts(b, i)->fields;
    for (uint32_t f = fields.first; f < fields.first + fields.n; f++) {
      const struct db_field *field = build_fields(b, f);
      if (field->values == DB_NONE)
        continue;
      unsigned width = field->hi - field->lo + 1u;
      struct db_span rows = build_values(b, field->values)->rows;
      const int status = builder_need_steps(b, rows.n);
      if (status)
        return status;
      for (uint32_t v = rows.first; width < 64 && v < rows.first + rows.n; v++)
        if (build_value_rows(b, v)->value >> width)
          return builder_fail(b, PMON_E_RANGE, build_pos(b, ROWS_value_rows, v),
                              "a value of %u bit%s expected, as wide as field %s", width, width == 1 ? "" : "s",
                              build_text(b, field->name));
    }
  }
  return 0;
}

static int check_register_alias(struct builder *b, const struct names *all, uint32_t row)
{
  const char *pool = b->pool.data;
  for (db_str at = build_registers(b, row)->alias; pool[at]; at += pool[at] == ',') {
    const struct text t = {pool + at, strcspn(pool + at, ",")};
    at += (db_str)t.n;
    if (names_find(all, pool, 0, t) != DB_NONE)
      return builder_fail(b, PMON_E_CONFLICT, build_pos(b, ROWS_registers, row),
                          "a different alias expected, '%.*s' is the name of a register", (int)t.n, t.s);
  }
  return 0;
}

/* Several registers with different numbers may share a name, but it must not be a register's alias. */
static int check_register_names(struct builder *b, struct db_span registers)
{
  struct names all; /* families: 0 for each name, 1 for each name with each number */
  int status = 0;
  names_init(&all);
  for (uint32_t i = registers.first; !status && i < registers.first + registers.n; i++) {
    const struct db_register *r = build_registers(b, i);
    const uint32_t n = (uint32_t)strlen(build_text(b, r->name));
    uint32_t any, earlier;
    if (!names_add(&all, b->pool.data, &(struct names_entry){names_family(0, 0), r->name, n, i}, &any) ||
        !names_add(&all, b->pool.data, &(struct names_entry){names_family(1, r->index), r->name, n, i}, &earlier))
      status = PMON_E_MEMORY;
    else if (earlier != i)
      status = builder_fail(b, PMON_E_CONFLICT, build_pos(b, ROWS_registers, i),
                            "a new name expected, register '%s' already exists", build_text(b, r->name));
  }
  for (uint32_t i = registers.first; !status && i < registers.first + registers.n; i++)
    status = check_register_alias(b, &all, i);
  names_fini(&all);
  return status;
}

static int check_registers(struct builder *b, uint32_t row)
{
  const struct db_unit *unit = build_units(b, row);
  struct facts_pos pos = build_pos(b, ROWS_units, row);
  uint32_t ctl = 0, ctr = 0, end = unit->registers.first + unit->registers.n;
  for (uint32_t i = unit->registers.first; i < end; i++) {
    const struct db_register *r = build_registers(b, i);
    unsigned width = build_layouts(b, r->layout)->width;
    ctl += r->role == PMON_ROLE_CTL ? r->count : 0;
    ctr += r->role == PMON_ROLE_CTR ? r->count : 0;
    if (r->width > width || (r->role == PMON_ROLE_CTR && unit->width_bits > width))
      return builder_fail(b, PMON_E_RANGE, build_pos(b, ROWS_registers, i), "a width of at most %u bits expected",
                          width);
    if ((r->role == PMON_ROLE_CTL || r->role == PMON_ROLE_CTR) && r->index != unit->first_counter)
      return builder_fail(b, PMON_E_CONFLICT, build_pos(b, ROWS_registers, i),
                          "index %u expected, the unit's first counter", unit->first_counter);
    if (r->n_own && (unit->instances % r->n_own))
      return builder_fail(b, PMON_E_CONFLICT, build_pos(b, ROWS_registers, i),
                          "a number of places that divides %u instances evenly expected, not %u", unit->instances,
                          r->n_own);
  }
  if (unit->registers.n && ctr != unit->counters)
    return builder_fail(b, PMON_E_CONFLICT, pos, "%u register%s of role ctr expected, there are %u", unit->counters,
                        unit->counters == 1 ? "" : "s", ctr);
  if (ctl && ctl != unit->counters)
    return builder_fail(b, PMON_E_CONFLICT, pos, "%u register%s of role ctl expected, there are %u", unit->counters,
                        unit->counters == 1 ? "" : "s", ctl);
  return 0;
}

/* Returns the only register row of a role; NULL: none, or several. */
static const struct db_register *only_register(const struct builder *b, const struct db_unit *unit, uint32_t role)
{
  const struct db_register *found = NULL;
  uint32_t n = 0;
  for (uint32_t i = unit->registers.first; i < unit->registers.first + unit->registers.n; i++)
    if (build_registers(b, i)->role == role) {
      found = build_registers(b, i);
      n++;
    }
  return n == 1 ? found : NULL;
}

/* An exception's offset replaces that of one row, which must follow its unit. */
static int check_exception_offsets(struct builder *b, const struct db_unit *unit, uint32_t row)
{
  const struct db_exception *e = build_exceptions(b, row);
  const struct {
    const char *name;
    uint32_t role, offset;
  } roles[] = {{"unit_status", PMON_ROLE_UNIT_STATUS, e->status},
               {"ctl", PMON_ROLE_CTL, e->ctl},
               {"ctr", PMON_ROLE_CTR, e->ctr}};
  for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
    const struct db_register *r = only_register(b, unit, roles[i].role);
    if (roles[i].offset != DB_NONE && (!r || r->own_place != DB_NONE))
      return builder_fail(b, PMON_E_CONFLICT, build_pos(b, ROWS_exceptions, row),
                          "one register of role %s with an "
                          "offset expected in this unit",
                          roles[i].name);
  }
  return 0;
}

static int check_exceptions(struct builder *b, const struct db_unit *unit)
{
  for (uint32_t i = unit->exceptions.first; i < unit->exceptions.first + unit->exceptions.n; i++) {
    const struct db_exception *e = build_exceptions(b, i);
    const struct facts_pos pos = build_pos(b, ROWS_exceptions, i);
    const struct db_register *ctr = only_register(b, unit, PMON_ROLE_CTR);
    int status = builder_need_steps(b, 4 * unit->registers.n);
    if (status)
      return status;
    if (e->last >= unit->instances)
      return builder_fail(b, PMON_E_RANGE, pos, "an instance below %u expected", unit->instances);
    if (e->counters != DB_NONE && e->counters > unit->counters)
      return builder_fail(b, PMON_E_RANGE, pos, "at most %u counters expected, the number in the unit's `counters`",
                          unit->counters);
    if (e->width_bits != DB_NONE && ctr && e->width_bits > build_layouts(b, ctr->layout)->width)
      return builder_fail(b, PMON_E_RANGE, pos, "a width of at most %u bits expected",
                          build_layouts(b, ctr->layout)->width);
    for (uint32_t k = unit->exceptions.first; k < i && builder_step(b, 1); k++)
      if (e->first <= build_exceptions(b, k)->last && e->last >= build_exceptions(b, k)->first)
        return builder_fail(b, PMON_E_CONFLICT, pos, "at most one `except` per instance expected");
    status = check_exception_offsets(b, unit, i);
    if (status)
      return status;
  }
  return 0;
}

static int check_unit(struct builder *b, uint32_t row)
{
  const struct db_unit *unit = build_units(b, row);
  struct facts_pos pos = build_pos(b, ROWS_units, row);
  if (!unit->title)
    return builder_fail(b, PMON_E_SYNTAX, pos, "title expected in this unit");
  if ((unit->flags & DB_PERF_ONLY) && (unit->places.n || !*build_text(b, unit->perf)))
    return builder_fail(b, PMON_E_CONFLICT, pos, "`perf` and no `at` expected in a unit with `access perf`");
  if ((unit->flags & DB_SUMMED) && unit->instances != 1)
    return builder_fail(b, PMON_E_CONFLICT, pos, "`instances 1` expected of a summed unit");
  if (!(unit->flags & DB_PERF_ONLY) && unit->places.n != unit->instances)
    return builder_fail(b, PMON_E_CONFLICT, pos, "`at` for %u instance%s expected, there are %u", unit->instances,
                        unit->instances == 1 ? "" : "s", unit->places.n);
  if (unit->counters && !unit->width_bits)
    return builder_fail(b, PMON_E_RANGE, pos, "width of the counters expected");
  for (uint32_t i = unit->imports.first; i < unit->imports.first + unit->imports.n; i++)
    for (uint32_t k = unit->imports.first; k < i && builder_step(b, 1); k++)
      if (build_imports(b, i)->set == build_imports(b, k)->set)
        return builder_fail(b, PMON_E_CONFLICT, build_pos(b, ROWS_imports, i),
                            "another event set expected, the unit already has this one");
  int status = check_exceptions(b, unit);
  status = status ? status : check_filter_settings(b, unit);
  if (!status)
    status = check_register_names(b, unit->registers);
  return status ? status : check_registers(b, row);
}

/* Before names are looked up: each must identify one row. */
int check_names(struct builder *b)
{
  static const enum rows kinds[] = {ROWS_clocks, ROWS_layouts, ROWS_values, ROWS_units, ROWS_invariants, ROWS_rules};
  int status = 0;
  for (size_t i = 0; !status && i < sizeof kinds / sizeof *kinds; i++) {
    uint32_t first = b->start[kinds[i]];
    status = check_row_name(b, kinds[i], (struct db_span){first, build_count(b, kinds[i]) - first});
  }
  return status;
}

int check_platform(struct builder *b, const struct db_platform *p)
{
  int status = check_row_aliases(b, ROWS_units, p->units);
  if (!status)
    status = check_overlays(b, p->layouts);
  if (!status)
    status = check_field_values(b, p->layouts);
  for (uint32_t i = p->units.first; !status && i < p->units.first + p->units.n; i++)
    status = check_unit(b, i);
  if (!status)
    status = check_events(b, p);
  if (!status)
    status = check_equations(b, p);
  if (!status)
    status = check_groups(b, p);
  return status ? status : check_rules(b, p);
}

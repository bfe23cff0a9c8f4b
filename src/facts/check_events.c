/* SPDX-License-Identifier: MIT */
/* Checks events against the units that import their set: counters, codes, umasks, control fields, filters. */
#include "src/facts/parser.h"

/* Steps: each event and umask takes memory in each unit that has it (full_name.c), even if units share the set. */
enum { EVENT_STEPS = 64 };

/* The unit against which an event is checked. */
struct host {
  const struct db_unit *unit;
  uint32_t set;
  uint32_t overlay;
};

static uint64_t field_max(const struct db_field *f)
{
  unsigned width = f->hi - f->lo + 1u;
  return width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static bool has_control(struct builder *b, const struct db_unit *unit)
{
  for (uint32_t i = unit->registers.first; i < unit->registers.first + unit->registers.n && builder_step(b, 1); i++)
    if (build_registers(b, i)->role == PMON_ROLE_CTL)
      return true;
  return false;
}

/* Finds a field of the event's overlay or of the unit's counter control. */
static const struct db_field *control_field(struct builder *b, const struct host *h, struct text name)
{
  uint32_t field = h->overlay == DB_NONE ? DB_NONE : build_find_field(b, h->overlay, name);
  const uint32_t end = h->unit->registers.first + h->unit->registers.n;
  for (uint32_t i = h->unit->registers.first; field == DB_NONE && i < end && builder_step(b, 1); i++) {
    const struct db_register *r = build_registers(b, i);
    if (r->role == PMON_ROLE_CTL)
      field = build_find_field(b, r->layout, name);
  }
  return field == DB_NONE ? NULL : build_fields(b, field);
}

/* Finds REGISTER.FIELD of a filter or fixed control register: its name or the end after an underscore. */
static const struct db_field *filter_field(struct builder *b, const struct db_unit *unit, struct text name)
{
  const char *dot = memchr(name.s, '.', name.n);
  uint32_t field = DB_NONE, end = unit->registers.first + unit->registers.n;
  for (uint32_t i = unit->registers.first; dot && field == DB_NONE && i < end && builder_step(b, 1); i++) {
    const struct db_register *r = build_registers(b, i);
    if ((r->role == PMON_ROLE_FILTER || r->role == PMON_ROLE_FIXED_CTL) &&
        text_is_end((struct text){name.s, (size_t)(dot - name.s)}, build_text(b, r->name)))
      field = build_find_field(b, r->layout, (struct text){dot + 1, (size_t)(name.s + name.n - dot) - 1});
  }
  return field == DB_NONE ? NULL : build_fields(b, field);
}

static const struct db_field *setting_field(struct builder *b, const struct host *h, struct text name)
{
  const struct db_field *f = control_field(b, h, name);
  return f ? f : filter_field(b, h->unit, name);
}

static int check_value(struct builder *b, const struct host *h, const char *name, uint64_t value, struct facts_pos pos)
{
  const struct db_field *f = setting_field(b, h, text_of(name));
  if (!f && !value)
    return 0;
  if (!f)
    return builder_fail(b, PMON_E_UNKNOWN, pos, "a control field of unit %s expected, not '%s'",
                        build_text(b, h->unit->name), name);
  if (value > field_max(f))
    return builder_fail(b, PMON_E_RANGE, pos, "a value of %u bit%s expected for field %s of unit %s, not 0x%llx",
                        f->hi - f->lo + 1u, f->hi == f->lo ? "" : "s", name, build_text(b, h->unit->name),
                        (unsigned long long)value);
  return 0;
}

static int check_settings(struct builder *b, const struct host *h, struct db_span settings)
{
  int status = 0;
  for (uint32_t i = settings.first; !status && i < settings.first + settings.n; i++) {
    const struct db_setting *s = build_settings(b, i);
    const char *name = build_text(b, s->name);
    struct facts_pos pos = build_pos(b, ROWS_settings, i);
    if (!setting_field(b, h, text_of(name)))
      return builder_fail(b, PMON_E_UNKNOWN, pos, "a control field of unit %s expected, not '%s'",
                          build_text(b, h->unit->name), name);
    status = check_value(b, h, name, s->value, pos);
  }
  return status;
}

static int check_counters(struct builder *b, const struct host *h, uint32_t mask, struct facts_pos pos)
{
  uint32_t first = h->unit->first_counter, end = first + h->unit->counters;
  if (end < 32 && mask >> end)
    return builder_fail(b, PMON_E_RANGE, pos, "counters below %u expected for unit %s", end,
                        build_text(b, h->unit->name));
  if (mask & ~(UINT32_MAX << first))
    return builder_fail(b, PMON_E_RANGE, pos, "counters from %u on expected for unit %s", first,
                        build_text(b, h->unit->name));
  return 0;
}

/* An item of `REGISTER.FIELD[|REGISTER.FIELD...][!],...`; REGISTER is FILTER, FILTER1, CTL, or the register's name. */
static bool filter_exists(struct builder *b, const struct db_unit *unit, struct text t)
{
  const char *dot = memchr(t.s, '.', t.n);
  if (!dot)
    return false;
  struct text reg = {t.s, (size_t)(dot - t.s)}, field = {dot + 1, t.n - reg.n - 1};
  for (uint32_t i = unit->registers.first; i < unit->registers.first + unit->registers.n && builder_step(b, 1); i++) {
    const struct db_register *r = build_registers(b, i);
    bool by_role = (r->role == PMON_ROLE_FILTER && reg.n >= 6 && text_same(reg.s, "filter", 6)) ||
                   (r->role == PMON_ROLE_CTL && text_is(reg, "ctl"));
    if ((by_role || text_is(reg, build_text(b, r->name))) && build_find_field(b, r->layout, field) != DB_NONE)
      return true;
  }
  return false;
}

static int check_filters(struct builder *b, const struct host *h, const char *list, struct facts_pos pos)
{
  while (*list) {
    size_t n = strcspn(list, ",|"), bare = n && list[n - 1] == '!' ? n - 1 : n;
    struct text t = {list, bare};
    const char *dot = memchr(t.s, '.', t.n);
    bool overlay = dot && h->overlay != DB_NONE &&
                   build_find_field(b, h->overlay, (struct text){dot + 1, (size_t)(t.s + t.n - dot) - 1}) != DB_NONE;
    if (!overlay && !filter_exists(b, h->unit, t))
      return builder_fail(b, PMON_E_UNKNOWN, pos, "REGISTER.FIELD of unit %s expected in filters, not '%.*s'",
                          build_text(b, h->unit->name), (int)bare, list);
    list += n + (list[n] != 0);
  }
  return 0;
}

static int check_umasks(struct builder *b, const struct host *h, const struct db_event *e)
{
  int status = 0;
  for (uint32_t i = e->groups.first; !status && i < e->groups.first + e->groups.n; i++)
    status = check_value(b, h, "umask", build_masks(b, i)->bits, build_pos(b, ROWS_masks, i));
  for (uint32_t i = e->umasks.first; !status && i < e->umasks.first + e->umasks.n; i++) {
    const struct db_umask *u = build_umasks(b, i);
    const struct db_umask_extra *extra = build_umask_extras(b, u->extra);
    struct facts_pos pos = build_pos(b, ROWS_umasks, i);
    status = check_counters(b, h, u->counters, pos);
    if (!status)
      status = check_settings(b, h, u->settings);
    if (!status)
      status = check_filters(b, h, build_text(b, extra->filters), pos);
    if (!status)
      status = check_value(b, h, "umask", u->value | extra->any, pos);
    if (!status && (u->value & extra->any))
      status = builder_fail(b, PMON_E_CONFLICT, pos, "a umask value without the bits of its `any` expected");
  }
  return status;
}

static int check_fixed(struct builder *b, const struct host *h, const struct db_event *e, struct facts_pos pos)
{
  const struct db_unit *unit = h->unit;
  for (uint32_t i = unit->registers.first; i < unit->registers.first + unit->registers.n && builder_step(b, 1); i++) {
    const struct db_register *r = build_registers(b, i);
    if (r->role == e->fixed_role && e->fixed_index - r->index < r->count)
      return check_settings(b, h, e->settings);
  }
  return builder_fail(b, PMON_E_UNKNOWN, pos, "a counter of unit %s expected", build_text(b, unit->name));
}

static int check_event(struct builder *b, struct host *h, uint32_t row)
{
  struct db_event *e = build_events(b, row);
  struct facts_pos pos = build_pos(b, ROWS_events, row);
  uint32_t n = h->unit->counters;
  h->overlay = e->overlay;
  if (e->fixed_role != PMON_ROLE_N)
    return check_fixed(b, h, e, pos);
  if (!(e->flags & DB_COUNTERS_GIVEN) && !e->counters)
    e->counters = (n < 32 ? (1u << n) - 1 : UINT32_MAX) << h->unit->first_counter;
  int status = check_counters(b, h, e->counters, pos);
  if (!status)
    status = check_filters(b, h, build_text(b, e->filters), pos);
  if (!status && has_control(b, h->unit)) {
    status = check_value(b, h, "ev_sel", e->code, pos);
    if (!status)
      status = check_settings(b, h, e->settings);
    if (!status)
      status = check_umasks(b, h, e);
  }
  return status;
}

/* Checks an event by itself: its umasks must have unique names and at most one default. */
static int check_alone(struct builder *b, uint32_t row)
{
  const struct db_event *e = build_events(b, row);
  unsigned defaults = 0;
  for (uint32_t i = e->umasks.first; i < e->umasks.first + e->umasks.n; i++)
    if ((build_umasks(b, i)->flags & DB_DEFAULT) && defaults++)
      return builder_fail(b, PMON_E_CONFLICT, build_pos(b, ROWS_umasks, i), "at most one default umask of %s expected",
                          build_text(b, e->name));
  int status = check_row_name(b, ROWS_umasks, e->umasks);
  for (uint32_t i = e->umasks.first; !status && i < e->umasks.first + e->umasks.n; i++)
    status = build_claim_list(b, CLAIM_UMASK_ALIASES, e->umasks.first,
                              build_umask_extras(b, build_umasks(b, i)->extra)->alias, i);
  return status;
}

static int check_import(struct builder *b, const struct db_unit *unit, const struct db_import *import)
{
  struct host h = {unit, import->set, DB_NONE};
  struct db_span events = build_sets(b, import->set)->events;
  int status = has_control(b, unit) ? check_settings(b, &h, import->settings) : 0;
  for (uint32_t i = events.first; !status && i < events.first + events.n; i++) {
    status = builder_need_steps(b, EVENT_STEPS * (1 + build_events(b, i)->umasks.n));
    if (!status)
      status = check_event(b, &h, i);
  }
  return status;
}

/* Refuses a set that no unit has: its events would be read and never seen. */
static int check_set_used(struct builder *b, const struct db_platform *p, uint32_t set)
{
  const struct db_set *row = build_sets(b, set);
  const int status = builder_need_steps(b, p->units.n);
  if (status)
    return status;
  for (uint32_t u = p->units.first; u < p->units.first + p->units.n; u++) {
    const struct db_span imports = build_units(b, u)->imports;
    for (uint32_t i = imports.first; i < imports.first + imports.n && builder_step(b, 1); i++)
      if (build_imports(b, i)->set == set)
        return 0;
  }
  return !row->events.n ? 0
                        : builder_fail(b, PMON_E_UNKNOWN, build_pos(b, ROWS_events, row->events.first),
                                       "an event set that a unit uses expected, no unit has `events %s`",
                                       build_text(b, row->name));
}

int check_events(struct builder *b, const struct db_platform *p)
{
  int status = 0;
  for (uint32_t s = p->sets.first; !status && s < p->sets.first + p->sets.n; s++) {
    struct db_span events = build_sets(b, s)->events;
    status = check_set_used(b, p, s);
    if (!status)
      status = check_row_name(b, ROWS_events, events);
    if (!status)
      status = check_row_aliases(b, ROWS_events, events);
    for (uint32_t i = events.first; !status && i < events.first + events.n; i++)
      status = check_alone(b, i);
  }
  for (uint32_t u = p->units.first; !status && u < p->units.first + p->units.n; u++) {
    const struct db_unit *unit = build_units(b, u);
    for (uint32_t i = unit->imports.first; !status && i < unit->imports.first + unit->imports.n; i++)
      status = check_import(b, unit, build_imports(b, i));
  }
  return status;
}

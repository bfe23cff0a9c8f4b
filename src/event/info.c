/* SPDX-License-Identifier: MIT */
/* Describes events and umasks as plain info structs, one after the other. */
#include <string.h>
#include "src/base/bits.h"
#include "src/event/row.h"
#include "src/platform/context.h"

/* Adds settings to the info: umask_ext to a member of its own, the rest to the list; later ones override. */
static void add_settings(const struct db *db, struct db_span span, struct pmon_event_info *info)
{
  const uint32_t most = sizeof info->fields / sizeof info->fields[0];
  for (uint32_t i = span.first; i < span.first + span.n; i++) {
    const char *name = db_text(db, db->settings[i].name);
    uint32_t k = 0;
    if (text_is(text_of(name), "umask_ext")) {
      info->ext |= db->settings[i].value;
      continue;
    }
    while (k < info->n_fields && !text_is(text_of(name), info->fields[k].name))
      k++;
    if (k < most)
      info->fields[k] = (struct pmon_event_field){name, db->settings[i].value};
    if (k == info->n_fields && k < most)
      info->n_fields++;
  }
}

static void add_umask(const struct db *db, const struct db_umask *u, struct pmon_event_info *info)
{
  const struct db_umask_extra *extra = db_umask_extra(db, u);
  info->umask = db_text(db, u->name);
  info->brief = db_text(db, u->sentence);
  info->umask_value |= u->value;
  info->unsure = info->unsure || (u->flags & DB_UNSURE) != 0;
  info->states = info->states || (u->flags & DB_STATES) != 0;
  info->is_default = (u->flags & DB_DEFAULT) != 0;
  if (extra->origin.cite)
    info->cite = db_text(db, extra->origin.cite);
  if (extra->origin.note)
    info->note = db_text(db, extra->origin.note);
  if (extra->origin.source)
    info->source = db_text(db, extra->origin.source);
  if (extra->max_inc)
    info->max_inc = extra->max_inc;
  if (extra->filters)
    info->filters = db_text(db, extra->filters);
  add_settings(db, u->settings, info);
}

static enum pmon_level level_of(const struct db *db, const struct db_event *e)
{
  for (uint32_t i = e->attrs.first; e->flags & DB_LEVEL && i < e->attrs.first + e->attrs.n; i++)
    if (!strcmp(db_text(db, db->attrs[i].key), "gauge"))
      return !strcmp(db_text(db, db->attrs[i].value), "mean") ? PMON_LEVEL_MEAN : PMON_LEVEL_SUM;
  return PMON_LEVEL_NONE;
}

enum pmon_level event_level(const struct pmon_event *event)
{
  return event->event == DB_NONE ? PMON_LEVEL_NONE : level_of(event->db, &event->db->events[event->event]);
}

static void add_event(const struct db *db, const struct db_event *e, struct pmon_event_info *info)
{
  info->event = db_text(db, e->name);
  info->alias = db_text(db, e->alias);
  info->category = db_text(db, e->category);
  info->brief = info->event_brief = db_text(db, e->brief);
  info->cite = db_text(db, e->origin.cite);
  info->note = info->event_note = db_text(db, e->origin.note);
  info->source = db_text(db, e->origin.source);
  info->filters = db_text(db, e->filters);
  info->result = db_text(db, e->result);
  info->scale = e->scale;
  info->code = e->fixed_role == PMON_ROLE_N ? (uint32_t)e->code : 0;
  info->max_inc = e->max_inc;
  info->unsure = (e->flags & DB_UNSURE) != 0;
  info->exclusive = (e->flags & DB_EXCLUSIVE) != 0;
  info->states = (e->flags & DB_STATES) != 0;
  info->level = level_of(db, e);
  info->has_umasks = e->umasks.n > 0;
  info->overlay = e->overlay == DB_NONE ? "" : db_text(db, db->layouts[e->overlay].name);
  for (uint32_t i = 0; i < e->attrs.n && info->n_attrs < sizeof info->attrs / sizeof info->attrs[0]; i++) {
    const struct db_attr *a = &db->attrs[e->attrs.first + i];
    info->attrs[info->n_attrs++] = (struct pmon_event_attr){db_text(db, a->key), db_text(db, a->value)};
  }
  add_settings(db, e->settings, info);
}

/* Fills the info from the row, which must be bound: the event's properties, then those of the import and of the umasks,
 * which override them. */
static void describe_row(const struct pmon_platform *p, const struct event_row *row, struct pmon_event_info *info)
{
  const struct db *db = p->db;
  *info = (struct pmon_event_info){
      .platform = db_text(db, p->row->name),
      .unit = db_text(db, db->units[row->unit].name),
      .alias = "",
      .category = "",
      .brief = "",
      .event_brief = "",
      .cite = "",
      .note = "",
      .event_note = "",
      .source = "",
      .filters = "",
      .result = "",
      .overlay = "",
      .kind = row->kind,
      .counters = row->counters,
  };
  if (row->event == DB_NONE)
    return;
  add_event(db, &db->events[row->event], info);
  if (row->import != DB_NONE) {
    const struct db_import *import = &db->imports[row->import];
    add_settings(db, import->settings, info);
    if (import->cite)
      info->cite = db_text(db, import->cite);
  }
  for (uint32_t i = 0; i < row->n_umasks; i++)
    add_umask(db, &db->umasks[row->umasks[i]], info);
}

/* Whether the unit lists the events of the import. A shared set is listed once: by the unit that has the set's name, or
 * else by the first unit that imports it. */
static bool is_listed(const struct pmon_platform *p, uint32_t unit, uint32_t import)
{
  const struct db *db = p->db;
  if (db->imports[import].settings.n)
    return true;
  for (uint32_t i = 0; i < p->row->units.n; i++) {
    uint32_t other = p->row->units.first + i;
    if (text_is(text_of(db_text(db, db->units[other].name)), db_text(db, db->sets[db->imports[import].set].name)))
      return other == unit;
  }
  for (uint32_t i = p->row->units.first; i < unit; i++)
    for (uint32_t k = 0; k < db->units[i].imports.n; k++)
      if (db->imports[db->units[i].imports.first + k].set == db->imports[import].set &&
          !db->imports[db->units[i].imports.first + k].settings.n)
        return false;
  return true;
}

/* The rows of an iteration: all that are listed, those that are listed under one unit, or all that one unit counts. */
enum rows { ROWS_OF_ALL_UNITS, ROWS_OF_UNIT, ROWS_COUNTED_BY_UNIT };

/* Moves the cursor to the first import, event and row at or after it that exist; false: past the last. The cursor
 * counts within its unit, the import's set and the event: umask 0 is the bare event, n the n-th umask. */
static bool cursor_skip_to_row(const struct pmon_platform *p, enum rows rows, struct pmon_event_cursor *c)
{
  const struct db *db = p->db;
  for (; c->unit < p->row->units.n; c->unit++, c->import = c->event = c->umask = 0) {
    const struct db_unit *u = &db->units[platform_unit_row(p, c->unit)];
    for (; c->import < u->imports.n; c->import++, c->event = c->umask = 0) {
      uint32_t import = u->imports.first + c->import;
      if (rows != ROWS_COUNTED_BY_UNIT && !c->event && !c->umask &&
          !is_listed(p, platform_unit_row(p, c->unit), import))
        continue;
      struct db_span events = db->sets[db->imports[import].set].events;
      for (; c->event < events.n; c->event++, c->umask = 0) {
        const struct db_event *e = &db->events[events.first + c->event];
        if (c->umask == 0 && e->umasks.n && !(e->flags & DB_BARE))
          c->umask = 1;
        if (c->umask <= e->umasks.n)
          return true;
      }
    }
    if (rows != ROWS_OF_ALL_UNITS)
      return false;
  }
  return false;
}

static void fill_row(const struct pmon_platform *p, const struct pmon_event_cursor *c, struct event_row *row)
{
  const struct db *db = p->db;
  uint32_t unit = platform_unit_row(p, c->unit), import = db->units[unit].imports.first + c->import;
  uint32_t event = db->sets[db->imports[import].set].events.first + c->event;
  *row = (struct event_row){.db = db,
                            .unit = unit,
                            .import = import,
                            .event = event,
                            .n_umasks = c->umask > 0,
                            .umasks = {c->umask ? db->events[event].umasks.first + c->umask - 1 : 0}};
  if (row_bind(row))
    return;
  /* The unit of a shared set has no registers; the facts alone determine its counters. */
  uint32_t own = c->umask ? db->umasks[row->umasks[0]].counters : 0;
  row->counters = own ? own : db->events[event].counters;
}

static bool event_next(const struct pmon_platform *platform, uint32_t unit, enum rows rows,
                       struct pmon_event_cursor *cursor, struct pmon_event_info *info)
{
  if (unit != UINT32_MAX && cursor->unit != unit) {
    if (cursor->unit)
      return false;
    *cursor = (struct pmon_event_cursor){.unit = unit};
  }
  if (!cursor_skip_to_row(platform, rows, cursor))
    return false;
  int status = pmon_event_at(platform, cursor, info);
  cursor->umask++;
  return status == PMON_OK;
}

bool pmon_event_next(const struct pmon_platform *platform, uint32_t unit, struct pmon_event_cursor *cursor,
                     struct pmon_event_info *info)
{
  return event_next(platform, unit, unit == UINT32_MAX ? ROWS_OF_ALL_UNITS : ROWS_OF_UNIT, cursor, info);
}

bool event_next_counted(const struct pmon_platform *platform, uint32_t unit, struct pmon_event_cursor *cursor,
                        struct pmon_event_info *info)
{
  return event_next(platform, unit, ROWS_COUNTED_BY_UNIT, cursor, info);
}

static bool exists(const struct pmon_platform *p, const struct pmon_event_cursor *c)
{
  const struct db *db = p->db;
  if (c->unit >= p->row->units.n || c->import >= db->units[platform_unit_row(p, c->unit)].imports.n)
    return false;
  uint32_t import = db->units[platform_unit_row(p, c->unit)].imports.first + c->import;
  struct db_span events = db->sets[db->imports[import].set].events;
  return c->event < events.n && c->umask <= db->events[events.first + c->event].umasks.n;
}

int pmon_event_at(const struct pmon_platform *platform, const struct pmon_event_cursor *cursor,
                  struct pmon_event_info *info)
{
  if (!exists(platform, cursor))
    return context_fail(platform->context, PMON_E_RANGE, 0, "no event there: unit %u, import %u, event %u, umask %u",
                        cursor->unit, cursor->import, cursor->event, cursor->umask);
  struct event_row row;
  struct pmon_event_info full;
  fill_row(platform, cursor, &row);
  describe_row(platform, &row, &full);
  return CONTEXT_FILL(platform->context, info, full);
}

const char *pmon_event_umask_brief(const struct pmon_platform *platform, const struct pmon_event_cursor *cursor)
{
  struct event_row row;
  if (!exists(platform, cursor))
    return "";
  fill_row(platform, cursor, &row);
  return row.n_umasks ? db_text(row.db, row.db->umasks[row.umasks[0]].brief) : "";
}

int pmon_event_describe(const struct pmon_event *event, struct pmon_event_info *info)
{
  struct event_row row = {
      .db = event->db,
      .unit = event->unit,
      .import = event->import,
      .event = event->event,
      .n_umasks = event->n_umasks,
      .kind = event->kind,
      .counters = event->counters,
  };
  memcpy(row.umasks, event->umasks, sizeof row.umasks);
  struct pmon_event_info full;
  describe_row(event->platform, &row, &full);
  if (event->brief)
    full.brief = event->brief;
  return CONTEXT_FILL(event->platform->context, info, full);
}

bool event_is_relative(const struct pmon_event *event)
{
  const struct db *db = event->db;
  for (uint32_t i = 0; i < event->n_registers; i++) {
    const uint32_t layout = db->registers[event->registers[i].reg].layout;
    const struct db_span fields = layout == DB_NONE ? (struct db_span){0, 0} : db->layouts[layout].fields;
    for (uint32_t f = fields.first; f < fields.first + fields.n; f++)
      if (db->fields[f].access == DB_VIRT && bits_mask(db->fields[f].hi, db->fields[f].lo) & event->registers[i].mask)
        return true;
  }
  return false;
}

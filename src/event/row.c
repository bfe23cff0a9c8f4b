/* SPDX-License-Identifier: MIT */
#include "src/event/row.h"
#include "src/facts/field.h"
#include "src/facts/index.h"

uint32_t layout_field(const struct db *db, uint32_t layout, const char *name)
{
  return layout == DB_NONE ? DB_NONE : db_find_field(db, layout, name, strlen(name));
}

uint32_t layout_enable(const struct db *db, uint32_t layout)
{
  return layout == DB_NONE ? DB_NONE : db->layouts[layout].enable;
}

uint32_t layout_code(const struct db *db, uint32_t layout)
{
  return layout == DB_NONE ? DB_NONE : db->layouts[layout].code;
}

uint32_t layout_umask(const struct db *db, uint32_t layout)
{
  return layout == DB_NONE ? DB_NONE : db->layouts[layout].umask;
}

uint32_t layout_ext(const struct db *db, uint32_t layout)
{
  return layout == DB_NONE ? DB_NONE : db->layouts[layout].ext;
}

uint32_t layout_code_ext(const struct db *db, uint32_t layout)
{
  return layout == DB_NONE ? DB_NONE : db->layouts[layout].code_ext;
}

bool row_bind(struct event_row *row)
{
  const struct db *db = row->db;
  const struct db_unit *u = &db->units[row->unit];
  const struct db_event *e = row->event == DB_NONE ? NULL : &db->events[row->event];
  row->ctr_index = 0;
  if (!e || e->fixed_role == PMON_ROLE_N) {
    row->kind = PMON_EVENT_PROGRAMMED;
    row->ctl = u->ctl;
    row->ctr = u->ctr;
    row->counters = (uint32_t)(bits_below(u->counters) << u->first_counter);
    if (row->n_umasks && db->umasks[row->umasks[0]].counters)
      row->counters &= db->umasks[row->umasks[0]].counters;
    else if (e && e->counters)
      row->counters &= e->counters;
    for (uint32_t i = 1; i < row->n_umasks; i++)
      if (db->umasks[row->umasks[i]].counters)
        row->counters &= db->umasks[row->umasks[i]].counters;
    return row->ctl != DB_NONE && row->ctr != DB_NONE;
  }
  row->counters = 1;
  row->kind = e->fixed_role == PMON_ROLE_FREERUNNING ? PMON_EVENT_FREERUNNING : PMON_EVENT_FIXED;
  row->ctr = platform_register(db, row->unit, e->fixed_role, e->fixed_index);
  row->ctl = DB_NONE;
  if (row->ctr == DB_NONE)
    return false;
  row->ctr_index = e->fixed_index - db->registers[row->ctr].index;
  if (row->kind == PMON_EVENT_FIXED)
    row->ctl = platform_register(db, row->unit, PMON_ROLE_FIXED_CTL, e->settings.n ? 0 : e->fixed_index);
  return true;
}

static inline void set_field(struct event_register *r, const struct db_field *field, uint64_t value)
{
  uint64_t mask = field_mask(field);
  r->value = (r->value & ~mask) | (value << field->lo & mask);
  r->mask |= mask;
}

static struct event_register *row_find_register(struct event_row *row, uint32_t reg)
{
  uint32_t i = 0;
  while (i < row->n_registers && row->registers[i].reg != reg)
    i++;
  if (i == ROW_REGISTERS)
    return NULL;
  if (i == row->n_registers)
    row->registers[row->n_registers++] = (struct event_register){reg, 0, 0};
  return &row->registers[i];
}

bool row_set(struct event_row *row, const struct event_setting *setting)
{
  struct event_register *r = row_find_register(row, setting->reg);
  if (!r)
    return false;
  set_field(r, &row->db->fields[setting->field], setting->value);
  return true;
}

/* Sets a field of the control register, registers[0]. */
static inline bool row_push_register(struct event_row *row, uint32_t field, uint64_t value)
{
  if (field == DB_NONE)
    return false;
  row->n_settings++;
  set_field(&row->registers[0], &row->db->fields[field], value);
  return true;
}

/* Finds the field that a setting names: of the control register, the event's overlay, or a filter register. */
static bool setting_field(const struct event_row *row, uint32_t layout, const struct db_setting *setting,
                          struct event_setting *ret_where)
{
  const struct db *db = row->db;
  *ret_where = (struct event_setting){row->ctl, setting->field, 0};
  if (setting->field - db->layouts[layout].fields.first < db->layouts[layout].fields.n)
    return true; /* resolved when the tables were made, and this unit has the same layout */
  if (setting->filter - db->units[row->unit].registers.first < db->units[row->unit].registers.n) {
    ret_where->reg = setting->filter;
    return true;
  }
  const char *name = db_text(db, setting->name);
  uint32_t field = layout_field(db, layout, name);
  if (field == DB_NONE)
    field = layout_field(db, row->event == DB_NONE ? DB_NONE : db->events[row->event].overlay, name);
  *ret_where = (struct event_setting){row->ctl, field, 0};
  return field != DB_NONE || db_find_filter(db, row->unit, text_of(name), &ret_where->reg, &ret_where->field);
}

/* Applies settings. `add`: their bits are added to those of an earlier row, as for combined umasks. */
static bool push_span(struct event_row *row, uint32_t layout, struct db_span span, bool add)
{
  const struct db *db = row->db;
  for (uint32_t i = span.first; i < span.first + span.n; i++) {
    struct event_setting where;
    if (!setting_field(row, layout, &db->settings[i], &where))
      return false;
    struct event_register *r = where.reg == row->ctl ? &row->registers[0] : row_find_register(row, where.reg);
    if (!r)
      return false;
    const struct db_field *field = &db->fields[where.field];
    set_field(r, field, db->settings[i].value | (add ? field_get(field, r->value) : 0));
    row->n_settings++;
  }
  return true;
}

static bool complete_programmed(struct event_row *row, const struct db_layout *layout)
{
  const struct db *db = row->db;
  const struct db_event *e = &db->events[row->event];
  uint32_t id = (uint32_t)(layout - db->layouts);
  struct db_span by_import = row->import == DB_NONE ? (struct db_span){0, 0} : db->imports[row->import].settings;
  if ((e->code && !row_push_register(row, layout->code, e->code)) ||
      (e->settings.n && !push_span(row, id, e->settings, false)) ||
      (by_import.n && !push_span(row, id, by_import, false)))
    return false;
  uint64_t value = 0;
  for (uint32_t i = 0; i < row->n_umasks; i++)
    value |= db->umasks[row->umasks[i]].value;
  if (value && !row_push_register(row, layout->umask, value))
    return false;
  for (uint32_t i = 0; i < row->n_umasks; i++) {
    struct db_span own = db->umasks[row->umasks[i]].settings;
    if (own.n && !push_span(row, id, own, i > 0 || row->import != DB_NONE))
      return false;
  }
  return true;
}

/* Sets the presets: values that every event needs unless it, or the user, sets another. */
static bool push_presets(struct event_row *row, const struct db_layout *layout)
{
  for (uint32_t i = layout->fields.first; i < layout->fields.first + layout->fields.n; i++)
    if (row->db->fields[i].preset && !row_push_register(row, i, row->db->fields[i].preset))
      return false;
  return true;
}

bool row_complete(struct event_row *row)
{
  const struct db *db = row->db;
  row->n_settings = row->n_registers = 0;
  row->registers[0] = (struct event_register){row->ctl, 0, 0};
  if (row->ctl == DB_NONE)
    return true;
  row->n_registers = 1;
  const struct db_layout *layout = &db->layouts[db->registers[row->ctl].layout];
  /* If a control register has an enable bit, it is part of every event (E5-2600 guide, 2.1: .en). */
  if ((layout->enable != DB_NONE && !row_push_register(row, layout->enable, 1)) ||
      (layout->flags & DB_PRESET && !push_presets(row, layout)))
    return false;
  if (row->event == DB_NONE)
    return true;
  return row->kind == PMON_EVENT_PROGRAMMED
             ? complete_programmed(row, layout)
             : push_span(row, (uint32_t)(layout - db->layouts), db->events[row->event].settings, false);
}

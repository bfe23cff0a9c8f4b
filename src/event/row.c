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
  if (!e || e->fixed_role == DB_ROLE_N) {
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
  row->kind = e->fixed_role == DB_ROLE_FREE ? PMON_EVENT_FREE : PMON_EVENT_FIXED;
  row->ctr = platform_register(db, row->unit, e->fixed_role, e->fixed_index);
  row->ctl = DB_NONE;
  if (row->ctr == DB_NONE)
    return false;
  row->ctr_index = e->fixed_index - db->registers[row->ctr].index;
  if (row->kind == PMON_EVENT_FIXED)
    row->ctl = platform_register(db, row->unit, DB_ROLE_FIXED_CTL, e->fixed_index);
  return true;
}

static bool push(struct event_row *row, uint32_t field, uint64_t value)
{
  if (field == DB_NONE || row->n_settings == ROW_SETTINGS)
    return false;
  row->settings[row->n_settings++] = (struct event_setting){ row->ctl, field, value };
  return true;
}

/* REGISTER.FIELD of a filter register of the row's unit: the register's name or its end behind an underscore. */
static bool filter_field(const struct event_row *row, struct text name, struct event_setting *ret_where)
{
  const struct db *db = row->db;
  struct db_span regs = db->units[row->unit].registers;
  const char *dot = memchr(name.s, '.', name.n);
  for (uint32_t i = regs.first; dot && i < regs.first + regs.n; i++) {
    struct text reg = { name.s, (size_t)(dot - name.s) };
    uint32_t field = DB_NONE;
    if (db->registers[i].role == DB_ROLE_FILTER && text_is_end(reg, db_text(db, db->registers[i].name)))
      field = layout_field(db, db->registers[i].layout, dot + 1);
    if (field == DB_NONE)
      continue;
    *ret_where = (struct event_setting){ i, field, 0 };
    return true;
  }
  return false;
}

/* The field that a setting names: of the control register, the event's overlay, or a filter register. */
static bool setting_field(const struct event_row *row, uint32_t layout, const struct db_setting *setting,
                          struct event_setting *ret_where)
{
  const struct db *db = row->db;
  *ret_where = (struct event_setting){ row->ctl, setting->field, 0 };
  if (setting->field - db->layouts[layout].fields.first < db->layouts[layout].fields.n)
    return true;                 /* found when the tables were made, and this unit has the same layout */
  const char *name = db_text(db, setting->name);
  uint32_t field = layout_field(db, layout, name);
  if (field == DB_NONE)
    field = layout_field(db, row->event == DB_NONE ? DB_NONE : db->events[row->event].overlay, name);
  *ret_where = (struct event_setting){ row->ctl, field, 0 };
  return field != DB_NONE || filter_field(row, text_of(name), ret_where);
}

/* Settings of a later row of the same kind add their bits: umasks that are combined. */
static bool push_span(struct event_row *row, uint32_t layout, struct db_span span, bool add)
{
  const struct db *db = row->db;
  for (uint32_t i = span.first; i < span.first + span.n; i++) {
    struct event_setting where;
    if (row->n_settings == ROW_SETTINGS || !setting_field(row, layout, &db->settings[i], &where))
      return false;
    where.value = db->settings[i].value;
    for (uint32_t k = 0; add && k < row->n_settings; k++)
      if (row->settings[k].field == where.field && row->settings[k].reg == where.reg)
        where.value |= row->settings[k].value;
    row->settings[row->n_settings++] = where;
  }
  return true;
}

static bool settle_programmed(struct event_row *row, const struct db_layout *layout)
{
  const struct db *db = row->db;
  const struct db_event *e = &db->events[row->event];
  uint32_t id = (uint32_t)(layout - db->layouts);
  struct db_span by_import = row->import == DB_NONE ? (struct db_span){ 0, 0 } : db->imports[row->import].settings;
  if ((e->code && !push(row, layout->code, e->code)) || (e->settings.n && !push_span(row, id, e->settings, false)) ||
      (by_import.n && !push_span(row, id, by_import, false)))
    return false;
  uint64_t value = 0;
  for (uint32_t i = 0; i < row->n_umasks; i++)
    value |= db->umasks[row->umasks[i]].value;
  if (value && !push(row, layout->umask, value))
    return false;
  for (uint32_t i = 0; i < row->n_umasks; i++) {
    struct db_span own = db->umasks[row->umasks[i]].settings;
    if (own.n && !push_span(row, id, own, i > 0 || row->import != DB_NONE))
      return false;
  }
  return true;
}

/* What every event needs unless it, or the user, says otherwise. */
static bool push_presets(struct event_row *row, const struct db_layout *layout)
{
  for (uint32_t i = layout->fields.first; i < layout->fields.first + layout->fields.n; i++)
    if (row->db->fields[i].preset && !push(row, i, row->db->fields[i].preset))
      return false;
  return true;
}

bool row_settle(struct event_row *row)
{
  const struct db *db = row->db;
  row->n_settings = 0;
  if (row->ctl == DB_NONE)
    return true;
  const struct db_layout *layout = &db->layouts[db->registers[row->ctl].layout];
  /* Where a control register has an enable bit it is part of every event (E5-2600 guide, 2.1: .en). */
  if ((layout->enable != DB_NONE && !push(row, layout->enable, 1)) ||
      (layout->flags & DB_PRESET && !push_presets(row, layout)))
    return false;
  return row->kind != PMON_EVENT_PROGRAMMED || row->event == DB_NONE || settle_programmed(row, layout);
}

uint64_t settings_value(const struct db *db, const struct event_setting *settings, uint32_t n, uint32_t reg,
                        uint64_t *ret_mask)
{
  uint64_t value = 0, mask = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (settings[i].reg != reg)
      continue;
    const struct db_field *f = &db->fields[settings[i].field];
    value = field_set(f, value, settings[i].value);
    mask |= field_mask(f);
  }
  if (ret_mask)
    *ret_mask = mask;
  return value;
}

/* SPDX-License-Identifier: MIT */
/* Filter registers that act on more than the event that asks for them (`narrows`, `acts`), and the fields that belong
 * to the use of one (`with`): an address range is in effect once other registers enable it (Montecito 3.3.5 to 3.3.7).
 */
#include "src/event/event.h"
#include "src/event/resolver.h"
#include "src/facts/field.h"
#include "src/facts/index.h"
#include "src/facts/rule.h"

bool event_is_narrowed(const struct db *db, uint32_t event, uint32_t reg)
{
  const struct db_register *r = &db->registers[reg];
  const struct db_span attrs = event == DB_NONE ? (struct db_span){0, 0} : db->events[event].attrs;
  for (uint32_t i = attrs.first; r->narrows_key && i < attrs.first + attrs.n; i++)
    if (text_is(text_of(db_text(db, r->narrows_key)), db_text(db, db->attrs[i].key)) &&
        text_is(text_of(db_text(db, r->narrows_value)), db_text(db, db->attrs[i].value)))
      return true;
  return false;
}

static const struct db_field *field_named(const struct db *db, uint32_t layout, struct text name)
{
  const uint32_t field = db_find_field(db, layout, name.s, name.n);
  return field == DB_NONE ? NULL : &db->fields[field];
}

static uint64_t bits_of_fields(const struct db *db, uint32_t layout, struct rule_act act)
{
  struct text name;
  uint64_t bits = 0;
  while (rule_act_field(&act, &name)) {
    const struct db_field *f = field_named(db, layout, name);
    bits |= f ? field_mask(f) : db->layouts[layout].writable; /* `*` */
  }
  return bits;
}

static bool control_satisfies(const struct db *db, uint32_t layout, uint64_t control, struct text when)
{
  struct rule_condition c;
  while (when.n && rule_condition(&when, &c)) {
    const struct db_field *f = field_named(db, layout, c.left.field);
    if (!f || !rule_value_holds(&c, field_get(f, control) & c.mask))
      return false;
  }
  return true;
}

uint64_t event_filter_bits(const struct db *db, struct event_control control, uint32_t reg)
{
  struct text rest = text_of(db_text(db, db->registers[reg].acts));
  struct rule_act act;
  uint64_t bits = 0;
  while (control.ctl != DB_NONE && rest.n && rule_act(&rest, &act))
    if (control_satisfies(db, db->registers[control.ctl].layout, control.value, act.when))
      bits |= bits_of_fields(db, db->registers[reg].layout, act);
  return bits;
}

/* The bits of the register that the setting is about: those of a virtual field are no bits of it. */
static uint64_t setting_bits(const struct db *db, const struct event_setting *s)
{
  struct event_setting resolved = *s;
  if (db->fields[s->field].access == DB_VIRT && !resolver_relative_field(db, s, &resolved))
    return UINT64_MAX;
  return field_mask(&db->fields[resolved.field]);
}

/* When the field acts on an event, in words of the control's fields. */
static struct text find_when(const struct db *db, const struct event_setting *s)
{
  struct text rest = text_of(db_text(db, db->registers[s->reg].acts));
  struct rule_act act = {.when = {"", 0}};
  while (rest.n && rule_act(&rest, &act) &&
         !(bits_of_fields(db, db->registers[s->reg].layout, act) & setting_bits(db, s)))
    ;
  return act.when;
}

int resolver_check_use(const struct resolver *r, uint64_t control)
{
  const struct db *db = r->db;
  for (uint32_t i = 0; i < r->n_attrs; i++) {
    const struct event_setting *s = &r->attrs[i].setting;
    const struct db_field *f = &db->fields[s->field];
    /* What lets everything pass has no effect anywhere. */
    if (!r->attrs[i].at || !db->registers[s->reg].acts || (f->access != DB_VIRT && s->value == f->reset) ||
        setting_bits(db, s) & event_filter_bits(db, (struct event_control){r->row.ctl, control}, s->reg))
      continue;
    const struct text when = find_when(db, s);
    return resolver_fail(r, PMON_E_CONFLICT, r->attrs[i].at,
                         "column %u: %s does not act on this event: it acts on those with %.*s",
                         spelling_column(r->s, r->attrs[i].at), db_text(db, f->name), (int)when.n, when.s);
  }
  return PMON_OK;
}

static bool is_written(const struct resolver *r, uint32_t reg, uint32_t field)
{
  for (uint32_t i = 0; i < r->n_attrs; i++)
    if (r->attrs[i].at && r->attrs[i].setting.reg == reg && r->attrs[i].setting.field == field)
      return true;
  return false;
}

static bool is_used(const struct resolver *r, uint32_t reg)
{
  for (uint32_t i = 0; i < r->n_attrs; i++)
    if (r->attrs[i].at && r->attrs[i].setting.reg == reg)
      return true;
  return false;
}

/* The setting that another use made of the field, not the text; NULL: none. */
static struct event_setting *find_setting(struct resolver *r, struct event_setting where)
{
  for (uint32_t i = 0; i < r->n_attrs; i++)
    if (!r->attrs[i].at && r->attrs[i].setting.reg == where.reg && r->attrs[i].setting.field == where.field)
      return &r->attrs[i].setting;
  return NULL;
}

/* Adds the settings of one use that are made at that point: first the unconditional ones of all uses, then those that
 * only narrow other settings, then those of fields without a setting. A field that several set gets the bits that all
 * of them want. */
static int add_settings(struct resolver *r, struct db_span with, enum db_setting_when when)
{
  const struct db *db = r->db;
  int status = PMON_OK;
  for (uint32_t k = with.first; !status && k < with.first + with.n; k++) {
    const struct db_setting *s = &db->settings[k];
    struct event_setting where = {.value = s->value};
    if (s->when != when || !db_find_filter(db, r->row.unit, text_of(db_text(db, s->name)), &where.reg, &where.field) ||
        is_written(r, where.reg, where.field))
      continue;
    struct event_setting *other = find_setting(r, where);
    if (other && when != DB_SETTING_ALONE)
      other->value &= where.value;
    else if (!other && when != DB_SETTING_BESIDE)
      status = resolver_add(r, where, NULL);
  }
  return status;
}

int resolver_with(struct resolver *r)
{
  static const enum db_setting_when order[] = {DB_SETTING_ALWAYS, DB_SETTING_BESIDE, DB_SETTING_ALONE};
  const struct db *db = r->db;
  const struct db_span regs = db->units[r->row.unit].registers;
  int status = PMON_OK;
  for (size_t pass = 0; !status && pass < sizeof order / sizeof *order; pass++) {
    for (uint32_t i = regs.first; !status && i < regs.first + regs.n; i++)
      if (db->registers[i].with.n && is_used(r, i))
        status = add_settings(r, db->registers[i].with, order[pass]);
    if (!status && r->row.event != DB_NONE)
      status = add_settings(r, db->events[r->row.event].with, order[pass]);
  }
  return status;
}

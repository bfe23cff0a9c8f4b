/* SPDX-License-Identifier: MIT */
/* On which events a filter register acts: also on others than the one that sets it (`narrows`, `acts`, `excludes`). */
#include <string.h>
#include "src/event/event.h"
#include "src/event/resolver.h"
#include "src/facts/field.h"
#include "src/facts/index.h"
#include "src/facts/rule.h"

/* True if the value is one of the alternatives, `A|B|C`. */
static bool is_alternative(const char *alternatives, const char *value)
{
  const size_t n = strlen(value);
  for (const char *at = alternatives; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
    if (!strncmp(at, value, n) && (!at[n] || at[n] == '|'))
      return true;
  return false;
}

bool event_is_narrowed(const struct db *db, uint32_t event, uint32_t reg)
{
  const struct db_register *r = &db->registers[reg];
  const struct db_span attrs = event == DB_NONE ? (struct db_span){0, 0} : db->events[event].attrs;
  for (uint32_t i = attrs.first; r->narrows_key && i < attrs.first + attrs.n; i++)
    if (text_is(text_of(db_text(db, r->narrows_key)), db_text(db, db->attrs[i].key)) &&
        is_alternative(db_text(db, r->narrows_value), db_text(db, db->attrs[i].value)))
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
    bits |= f ? field_mask(f) : db->layouts[layout].writable; /* `*`: all */
  }
  return bits;
}

bool resolver_satisfies(const struct db *db, uint32_t layout, uint64_t control, struct text when)
{
  struct rule_condition c;
  while (when.n && rule_condition(&when, &c)) {
    const struct db_field *f = field_named(db, layout, c.left.field);
    if (!f || !rule_value_holds(&c, field_get(f, control) & c.mask))
      return false;
  }
  return true;
}

/* Returns the bits that the lines `acts` or `excludes` name for the control. */
static uint64_t bits_of_lines(const struct db *db, struct event_control control, uint32_t reg, db_str lines)
{
  struct text rest = text_of(db_text(db, lines));
  struct rule_act act;
  uint64_t bits = 0;
  while (control.ctl != DB_NONE && rest.n && rule_act(&rest, &act))
    if (resolver_satisfies(db, db->registers[control.ctl].layout, control.value, act.when))
      bits |= bits_of_fields(db, db->registers[reg].layout, act);
  return bits;
}

/* Returns the bits of the register's fields that act on the control's event. */
static uint64_t bits_acting(const struct db *db, struct event_control control, uint32_t reg)
{
  const struct db_register *r = &db->registers[reg];
  if (r->idle)
    return control.ctl != DB_NONE && control.event == DB_NONE ? db->layouts[r->layout].writable : 0;
  return bits_of_lines(db, control, reg, r->acts);
}

uint64_t event_filter_bits(const struct db *db, struct event_control control, uint32_t reg)
{
  return bits_acting(db, control, reg) | bits_of_lines(db, control, reg, db->registers[reg].excludes);
}

/* Returns the register bits that the setting sets; for a virtual field, those of the field to which it resolves. */
static uint64_t setting_bits(const struct db *db, const struct event_setting *s)
{
  struct event_setting resolved = *s;
  if (db->fields[s->field].access == DB_VIRT && !resolver_relative_field(db, s, &resolved))
    return UINT64_MAX;
  return field_mask(&db->fields[resolved.field]);
}

bool resolver_acts(const struct db *db, const struct event_setting *s, struct event_control control)
{
  return setting_bits(db, s) & bits_acting(db, control, s->reg);
}

const char *resolver_acts_with(const struct db *db, const struct event_setting *s, struct event_control control,
                               uint64_t *ret_value)
{
  const uint32_t layout = db->registers[control.ctl].layout;
  struct text rest = text_of(db_text(db, db->registers[s->reg].acts));
  struct rule_act act;
  struct rule_condition c;
  while (rest.n && rule_act(&rest, &act)) {
    struct text when = act.when;
    if (!(bits_of_fields(db, db->registers[s->reg].layout, act) & setting_bits(db, s)) || !rule_condition(&when, &c) ||
        when.n || c.order != ORDER_EQUAL || c.n_values != 1)
      continue;
    const uint32_t field = db_find_field(db, layout, c.left.field.s, c.left.field.n);
    if (field == DB_NONE || field == layout_code(db, layout) || field == layout_umask(db, layout))
      continue;
    *ret_value = c.values[0];
    return db_text(db, db->fields[field].name);
  }
  return NULL;
}

struct text resolver_excluded(const struct db *db, const struct event_setting *s, struct event_control control)
{
  struct text rest = text_of(db_text(db, db->registers[s->reg].excludes));
  struct rule_act act;
  while (rest.n && rule_act(&rest, &act))
    if (bits_of_fields(db, db->registers[s->reg].layout, act) & setting_bits(db, s) &&
        resolver_satisfies(db, db->registers[control.ctl].layout, control.value, act.when))
      return act.when;
  return (struct text){"", 0};
}

/* SPDX-License-Identifier: MIT */
/* Programming rules of the facts that a register's value violates, alone or with the values of the registers that its
 * event also sets. Rules that depend on other registers, or on the order of accesses, are checked where these are
 * known: machine/check/. */
#include "src/encode/rules.h"

#include <string.h>
#include "src/event/event.h"
#include "src/facts/field.h"
#include "src/facts/rule.h"
#include "src/platform/context.h"

static bool rule_names_register(const struct encode_value *v, const struct db_rule *g)
{
  const char *on = db_text(v->db, g->on), *name = db_text(v->db, v->db->registers[v->reg].name);
  for (size_t n; *on; on += n, on += *on == ',') {
    struct text t = {on, n = strcspn(on, ",")};
    if (text_is(t, pmon_role_name((enum pmon_role)v->db->registers[v->reg].role)) || text_is(t, name))
      return true;
    uint64_t index;
    const size_t stem = strlen(name);
    if (v->index != UINT32_MAX && t.n > stem && text_same(t.s, name, stem) &&
        text_number((struct text){t.s + stem, t.n - stem}, &index) &&
        index == v->db->registers[v->reg].index + v->index)
      return true;
  }
  return false;
}

static const struct db_field *rule_field(const struct encode_value *v, uint32_t reg, struct text name)
{
  const struct db_span fields = v->db->layouts[v->db->registers[reg].layout].fields;
  for (uint32_t i = fields.first; i < fields.first + fields.n; i++)
    if (text_is(name, db_text(v->db, v->db->fields[i].name)))
      return &v->db->fields[i];
  return NULL;
}

/* Finds a filter that acts on the control's event, or only on a raw code, although the event does not set it: sessions
 * give it its reset value. */
static bool find_left_out(const struct encode_value *v, struct text name, uint32_t *ret_reg, uint64_t *ret_value)
{
  const struct db_span registers = v->db->units[v->unit].registers;
  const struct event_control control = {v->reg, DB_NONE, v->value};
  bool found = false;
  for (uint32_t i = registers.first; !found && i < registers.first + registers.n; i++) {
    const struct db_register *r = &v->db->registers[i];
    const struct pmon_register_id id = {.unit = v->unit - v->platform->row->units.first, .reg = i - registers.first};
    found = r->role == PMON_ROLE_FILTER && r->layout != DB_NONE && !(r->idle && v->event) &&
            text_is(name, db_text(v->db, r->name)) && event_filter_bits(v->db, control, i);
    if (found) {
      *ret_reg = i;
      *ret_value = platform_reset_value(v->platform, &id);
    }
  }
  return found;
}

/* Finds the value of another register of that name. */
static bool find_beside(const struct encode_value *v, struct text name, uint32_t *ret_reg, uint64_t *ret_value)
{
  const struct db_span registers = v->db->units[v->unit].registers;
  for (uint32_t i = 0; v->beside && i < v->beside->n; i++) {
    const struct pmon_image_register *r = &v->beside->registers[i];
    const uint32_t reg = registers.first + r->id.reg;
    if (!text_is(name, db_text(v->db, v->db->registers[reg].name)) || v->db->registers[reg].layout == DB_NONE)
      continue;
    *ret_reg = reg;
    *ret_value = r->value;
    return true;
  }
  return v->beside && v->db->registers[v->reg].role == PMON_ROLE_CTL && find_left_out(v, name, ret_reg, ret_value);
}

/* Finds a register's whole value: its own, or another register's. */
static bool rule_register(const struct encode_value *v, struct text name, uint64_t *ret)
{
  uint32_t reg;
  *ret = v->value;
  return text_is(name, db_text(v->db, v->db->registers[v->reg].name)) || find_beside(v, name, &reg, ret);
}

/* Finds the value of one side of a condition. False: the known values do not determine it. */
static bool rule_number(const struct encode_value *v, const struct rule_side *side, uint64_t *ret)
{
  if (side->event) {
    *ret = v->event ? v->event->max_inc : 0;
    return *ret != 0; /* 0: the guide does not state it */
  }
  uint32_t reg = v->reg;
  uint64_t value = v->value;
  if (side->reg.n && !text_is(side->reg, db_text(v->db, v->db->registers[v->reg].name)) &&
      !find_beside(v, side->reg, &reg, &value))
    return false;
  const struct db_field *f = rule_field(v, reg, side->field);
  if (f)
    *ret = field_get(f, value);
  return f || (!side->reg.n && rule_register(v, side->field, ret));
}

/* Returns 1, 0, or -1: the value alone does not determine it. */
static int rule_property_holds(const struct encode_value *v, const struct rule_condition *c)
{
  const char *word = "";
  if (c->refers || c->left.reg.n || !v->event)
    return -1;
  if (text_is(c->left.field, "name"))
    word = v->event->event;
  for (uint32_t i = 0; i < v->event->n_attrs; i++)
    if (text_is(c->left.field, v->event->attrs[i].key))
      word = v->event->attrs[i].value;
  return rule_text_holds(c, word);
}

static int rule_holds(const struct encode_value *v, const struct rule_condition *c)
{
  uint64_t value, other;
  if (rule_is_text(&c->left))
    return rule_property_holds(v, c);
  if (!rule_number(v, &c->left, &value))
    return -1;
  value &= c->mask;
  if (c->refers)
    return rule_number(v, &c->right, &other) ? rule_compare(c->order, value, other & c->mask) : -1;
  return rule_value_holds(c, value);
}

/* Returns 1: all conditions of the text hold; 0: one does not hold; -1: one is unknown. */
static int rule_all_hold(const struct encode_value *v, db_str text)
{
  struct text rest = text_of(db_text(v->db, text));
  struct rule_condition c;
  int all = 1;
  while (rest.n && rule_condition(&rest, &c)) {
    const int holds = rule_holds(v, &c);
    if (holds == 0)
      return 0;
    all = holds < 0 ? -1 : all;
  }
  return all;
}

const struct db_rule *encode_next_violation(const struct encode_value *v, uint32_t *at)
{
  const struct db_span rules = v->platform->row->rules;
  for (; *at < rules.n; ++*at) {
    const struct db_rule *g = &v->db->rules[rules.first + *at];
    if (g->test || g->flags & DB_ADVICE || (g->unit != DB_NONE && g->unit != v->unit) || !rule_names_register(v, g) ||
        rule_all_hold(v, g->when) != 1 || rule_all_hold(v, g->needs) != 0)
      continue;
    ++*at;
    return g;
  }
  return NULL;
}

/* SPDX-License-Identifier: MIT */
/* Programming rules about a filter register: of fields that exclude each other, a round programs one (327043
 * 2.3.3.3). */
#include "src/facts/field.h"
#include "src/facts/rule.h"
#include "src/platform/platform.h"
#include "src/plan/plan.h"

/* Returns the field of the register that a condition compares with numbers; NULL: it compares something else. */
static const struct db_field *field_of_condition(const struct db *db, uint32_t reg, const struct rule_condition *c)
{
  if (c->refers || c->left.event || c->left.reg.n)
    return NULL;
  const struct db_span fields = db->layouts[db->registers[reg].layout].fields;
  for (uint32_t i = fields.first; i < fields.first + fields.n; i++)
    if (text_is(c->left.field, db_text(db, db->fields[i].name)))
      return &db->fields[i];
  return NULL;
}

/* True if the rule applies to the value that the event needs in the register. */
static bool is_about(const struct db *db, const struct db_rule *rule, uint32_t reg, const struct schedule_need *need)
{
  struct text rest = text_of(db_text(db, rule->when));
  struct rule_condition c;
  if (rule->test || !text_is(text_of(db_text(db, rule->on)), pmon_role_name(PMON_ROLE_FILTER)))
    return false;
  while (rest.n && rule_condition(&rest, &c)) {
    const struct db_field *f = field_of_condition(db, reg, &c);
    if (!f || (need->mask & field_mask(f)) != field_mask(f) ||
        !rule_value_holds(&c, field_get(f, need->value) & c.mask))
      return false;
  }
  return true;
}

/* Adds fields that the rule requires to be 0: other events in the round must not set them. */
static void add_needs(const struct db *db, const struct db_rule *rule, uint32_t reg, struct schedule_need *need)
{
  struct text rest = text_of(db_text(db, rule->needs));
  struct rule_condition c;
  while (rest.n && rule_condition(&rest, &c)) {
    const struct db_field *f = field_of_condition(db, reg, &c);
    if (f && c.order == ORDER_EQUAL && c.n_values == 1 && !c.values[0] && !field_get(f, need->value))
      need->mask |= field_mask(f);
  }
}

void filter_rules_need(const struct pmon_plan *plan, const struct pmon_register_id *id, struct schedule_need *need)
{
  const struct db *db = plan->platform->db;
  const struct db_span rules = plan->platform->row->rules;
  const uint32_t unit = platform_unit_row(plan->platform, id->unit), reg = db->units[unit].registers.first + id->reg;
  for (uint32_t i = rules.first; i < rules.first + rules.n; i++)
    if (db->rules[i].unit == unit && is_about(db, &db->rules[i], reg, need))
      add_needs(db, &db->rules[i], reg, need);
}

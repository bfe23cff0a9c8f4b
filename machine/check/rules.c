/* SPDX-License-Identifier: MIT */
/* Loads the rules from the facts, evaluates their conditions, and collects the findings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/check/state.h"
#include "src/facts/field.h"

static uint32_t rule_load_terms(const struct checker *c, const struct db_rule *g, db_str text, struct term *terms,
                                bool *deferred)
{
  struct text rest = text_of(db_text(c->db, text));
  struct rule_condition from;
  uint32_t n = 0;
  while (n < CHECK_TERMS && rest.n && rule_condition(&rest, &from)) {
    *deferred |= term_make(c, g, &from, &terms[n++]);
  }
  return n;
}

int rules_load(struct checker *c)
{
  struct db_span span = c->platform->row->rules;
  c->rules = calloc(span.n + 1, sizeof *c->rules);
  if (!c->rules)
    return PMON_E_MEMORY;
  for (; c->n_rules < span.n; c->n_rules++) {
    struct rule *r = &c->rules[c->n_rules];
    r->row = &c->db->rules[span.first + c->n_rules];
    r->test = r->row->test ? rule_test_find(text_of(db_text(c->db, r->row->test))) : RULE_N;
    r->n_when = rule_load_terms(c, r->row, r->row->when, r->when, &r->deferred);
    r->n_needs = rule_load_terms(c, r->row, r->row->needs, r->needs, &r->deferred);
  }
  return PMON_OK;
}

static bool rule_is_about(const struct checker *c, const struct rule *r, const struct seen *s)
{
  const char *on = db_text(c->db, r->row->on);
  uint32_t index;
  if (r->row->unit != DB_NONE && r->row->unit != s->unit)
    return false;
  for (size_t n; *on; on += n, on += *on == ',') {
    struct text t = {on, n = strcspn(on, ",")};
    if (text_is(t, pmon_role_name(seen_role(c, s))) ||
        (register_named(c->db, s->reg, t, &index) &&
         (index == s->index || text_is(t, db_text(c->db, c->db->registers[s->reg].name)))))
      return true;
  }
  return !*db_text(c->db, r->row->on);
}

const struct rule *rule_find(const struct checker *c, enum rule_test test, const struct seen *s)
{
  for (uint32_t i = 0; i < c->n_rules; i++)
    if (c->rules[i].test == test && rule_is_about(c, &c->rules[i], s))
      return &c->rules[i];
  return NULL;
}

static bool findings_grow(struct checker *c)
{
  size_t room = c->cap_findings ? 2 * c->cap_findings : 32;
  struct check_finding *list = realloc(c->findings, room * sizeof *list);
  if (!list) {
    c->out_of_memory = true;
    return false;
  }
  c->findings = list;
  c->cap_findings = room;
  return true;
}

struct check_finding *finding_add(struct checker *c, const struct rule *r, const struct seen *s,
                                  const struct db_field *f, uint64_t bits)
{
  const char *name = db_text(c->db, r->row->name);
  const struct pmon_register_id id = {s->unit - c->platform->row->units.first,
                                      s->reg - c->db->units[s->unit].registers.first, s->instance, s->index};
  for (size_t i = 0; i < c->n_findings; i++) {
    struct check_finding *old = &c->findings[i];
    if (old->rule == name && old->address.package == s->address.package && old->address.space == s->address.space &&
        old->address.device == s->address.device && old->address.offset == s->address.offset &&
        !(f && f->reserved && bits & ~old->bits)) {
      old->times++;
      return NULL;
    }
  }
  if (c->n_findings == c->cap_findings && !findings_grow(c))
    return NULL;
  struct check_finding *found = &c->findings[c->n_findings++];
  *found = (struct check_finding){.time_ns = c->now_ns,
                                  .access = c->accesses,
                                  .address = s->address,
                                  .unit = db_text(c->db, c->db->units[s->unit].name),
                                  .row = db_text(c->db, c->db->registers[s->reg].name),
                                  .bits = bits,
                                  .value = s->value,
                                  .rule = name,
                                  .brief = db_text(c->db, r->row->brief),
                                  .cite = db_text(c->db, r->row->origin.cite),
                                  .advice = (r->row->flags & DB_ADVICE) != 0,
                                  .times = 1};
  pmon_register_name(c->platform, &id, found->name, sizeof found->name);
  if (f && f->reserved)
    snprintf(found->field, sizeof found->field, "reserved %u:%u", f->hi, f->lo);
  else if (f)
    snprintf(found->field, sizeof found->field, "%s", db_text(c->db, f->name));
  c->errors += !found->advice;
  return found;
}

/* A rule about one register is judged when that register is written; a rule about several registers is deferred
 * until time passes. */
void rules_conditions(const struct look *l, bool deferred)
{
  for (uint32_t i = 0; i < l->c->n_rules; i++) {
    const struct rule *r = &l->c->rules[i];
    const struct db_field *field = NULL;
    int all = 1, good = 1;
    if (r->test != RULE_N || r->deferred != deferred || !rule_is_about(l->c, r, l->s))
      continue;
    for (uint32_t k = 0; all == 1 && k < r->n_when; k++)
      all = term_holds(l->c, &r->when[k], l, &field);
    field = NULL;
    for (uint32_t k = 0; good && k < r->n_needs; k++)
      good = term_holds(l->c, &r->needs[k], l, &field);
    if (all == 1 && good == 0)
      finding_add(l->c, r, l->s, field, field ? field_mask(field) : UINT64_MAX);
  }
}

/* SPDX-License-Identifier: MIT */
#include "src/plan/umask_sets.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/event/row.h"
#include "src/facts/field.h"
#include "src/facts/rule.h"

enum { ONE_SET = SETS_RESOURCE | (SETS_RESOURCE - 1) };

static const char *event_property(const struct pmon_plan *plan, uint32_t item, const char *key)
{
  struct pmon_event_info info = {.size = sizeof info};
  if (pmon_event_describe(plan->events[item].event, &info))
    return "";
  for (uint32_t i = 0; i < info.n_attrs; i++)
    if (!strcmp(info.attrs[i].key, key))
      return info.attrs[i].value;
  return "";
}

/* Parses the counters of `4+5+8,6+7+9`, or a single `5`; the first counter of each run leads it. */
static void add_halves(struct schedule_item *item, const char *list)
{
  while (*list && item->n_halves < SCHEDULE_HALVES) {
    struct schedule_half *half = &item->halves[item->n_halves];
    char *end;
    *half = (struct schedule_half){.lead = SCHEDULE_COUNTERS};
    for (;; list = end + 1) {
      unsigned long n = strtoul(list, &end, 10);
      if (end == list || n >= SCHEDULE_COUNTERS)
        return;
      half->lead = half->lead == SCHEDULE_COUNTERS ? (uint32_t)n : half->lead;
      half->counters |= 1u << n;
      if (*end != '+')
        break;
    }
    item->n_halves++;
    list = end + (*end == ',');
  }
}

/* Returns the selection of the leading counter for the others of its half: the set, and, if they share them, umask and
 * .all. */
static uint64_t choice_of(const struct pmon_event *e, const char *set, bool shared)
{
  const uint32_t layout = e->db->registers[e->ctl].layout;
  const uint32_t fields[] = {layout_umask(e->db, layout), layout_field(e->db, layout, "all")};
  uint64_t choice = 0;
  for (; *set; set++)
    choice = choice * 31 + (unsigned char)*set;
  for (size_t i = 0; shared && i < sizeof fields / sizeof *fields; i++)
    if (fields[i] != DB_NONE)
      choice = choice << 8 | field_get(&e->db->fields[fields[i]], e->registers[0].value);
  return choice;
}

/* Adds the need GROUP.N: the group is a shared resource of the unit, N the value that the event needs. GROUP.umask: the
 * value is `row`, the event with its umask. */
static void need_group(struct schedule_item *item, const char *text, uint64_t row)
{
  const char *dot = strrchr(text, '.');
  uint32_t hash = 0;
  if (!dot || item->n_needs == SCHEDULE_NEEDS)
    return;
  for (const char *c = text; c < dot; c++)
    hash = hash * 31 + (unsigned char)*c;
  item->needs[item->n_needs++] =
      (struct schedule_need){.resource = SETS_RESOURCE | (hash & (SETS_RESOURCE - 1)),
                             .value = strcmp(dot, ".umask") != 0 ? strtoull(dot + 1, NULL, 10) : row,
                             .mask = UINT64_MAX,
                             .kept = true};
}

/* Returns the guide's rule that only events of one set count at a time on the unit (rule with `test one-set`); NULL:
 * none. */
static const struct db_rule *one_set_rule(const struct pmon_event *e)
{
  const struct db_span span = e->platform->row->rules;
  for (uint32_t i = span.first; i < span.first + span.n; i++) {
    const struct db_rule *g = &e->db->rules[i];
    if (g->unit == e->unit && g->test && rule_test_find(text_of(db_text(e->db, g->test))) == RULE_ONE_SET)
      return g;
  }
  return NULL;
}

/* Adds the set as a shared resource if the unit has that rule. */
static void need_set(const struct pmon_event *e, struct schedule_item *item)
{
  if (e->event != DB_NONE && item->n_needs < SCHEDULE_NEEDS && one_set_rule(e))
    item->needs[item->n_needs++] = (struct schedule_need){
        .resource = ONE_SET, .value = e->db->events[e->event].set, .mask = UINT64_MAX, .kept = true};
}

const char *sets_cite(const struct pmon_event *e, uint32_t resource)
{
  const struct db_rule *rule = resource == ONE_SET ? one_set_rule(e) : NULL;
  return rule ? db_text(e->db, rule->origin.cite) : "";
}

static const char *event_text(const struct pmon_event *e)
{
  return e->event != DB_NONE ? db_text(e->db, e->db->events[e->event].name) : "";
}

void sets_prepare(const struct pmon_plan *plan, struct schedule_item *items)
{
  for (uint32_t i = 0; i < plan->n_events; i++) {
    const struct pmon_event *e = plan->events[i].event;
    char set[32], lead[8], through[32];
    if (items[i].always || !e->n_registers)
      continue;
    snprintf(set, sizeof set, "%s", event_property(plan, i, "set"));
    snprintf(lead, sizeof lead, "%s", event_property(plan, i, "lead"));
    snprintf(through, sizeof through, "%s", event_property(plan, i, "through"));
    const char *one = event_property(plan, i, "one");
    need_group(&items[i], one, *one ? choice_of(e, event_text(e), true) : 0);
    need_set(e, &items[i]);
    if (*lead) {
      need_group(&items[i], set, 0);
      add_halves(&items[i], lead);
      items[i].halves[0].counters = UINT32_MAX;
    } else {
      add_halves(&items[i], through);
    }
    items[i].choice = items[i].n_halves ? choice_of(e, set, *through) : 0;
  }
}

/* SPDX-License-Identifier: MIT */
#include "sets.h"
#include <stdlib.h>
#include <string.h>
#include "src/event/event.h"
#include "src/facts/guideline.h"

enum { NO_LEAD = 32, ONE_SET = SETS_RESOURCE | (SETS_RESOURCE - 1) };

static const char *property(const struct pmon_plan *plan, uint32_t item, const char *key)
{
  struct pmon_event_info info = {.size = sizeof info};
  if (pmon_event_describe(plan->events[item].event, &info))
    return "";
  for (uint32_t i = 0; i < info.n_attrs; i++)
    if (!strcmp(info.attrs[i].key, key))
      return info.attrs[i].value;
  return "";
}

/* `4,6` as bits */
static uint32_t counter_bits(const char *list)
{
  uint32_t bits = 0;
  while (*list) {
    char *end;
    unsigned long n = strtoul(list, &end, 10);
    if (end == list || n > 31)
      return 0;
    bits |= 1u << n;
    list = end + (*end == ',');
  }
  return bits;
}

static uint32_t lead_of(const struct pmon_plan *plan, uint32_t item)
{
  uint32_t bits = counter_bits(property(plan, item, "lead"));
  return bits ? (uint32_t)__builtin_ctz(bits) : NO_LEAD;
}

/* GROUP.N: the group is a resource of the unit, N what the event wants of it. */
static void need_group(struct schedule_item *item, const char *text)
{
  const char *dot = strrchr(text, '.');
  uint32_t hash = 0;
  if (!dot || item->n_needs == SCHEDULE_NEEDS)
    return;
  for (const char *c = text; c < dot; c++)
    hash = hash * 31 + (unsigned char)*c;
  item->needs[item->n_needs++] = (struct schedule_need){
    .resource = SETS_RESOURCE | (hash & (SETS_RESOURCE - 1)), .value = strtoull(dot + 1, NULL, 10), .mask = UINT64_MAX};
}

/* The guide's rule for the unit that events of one set count at a time (guideline with `test one-set`), or NULL. */
static const struct db_guideline *one_set_rule(const struct pmon_event *e)
{
  const struct db_span span = e->platform->row->guidelines;
  for (uint32_t i = span.first; i < span.first + span.n; i++) {
    const struct db_guideline *g = &e->db->guidelines[i];
    if (g->unit == e->unit && g->test && guideline_test_find(text_of(db_text(e->db, g->test))) == GUIDELINE_ONE_SET)
      return g;
  }
  return NULL;
}

/* Where there is that rule, the set is a resource too. */
static void need_set(const struct pmon_event *e, struct schedule_item *item)
{
  if (e->event != DB_NONE && item->n_needs < SCHEDULE_NEEDS && one_set_rule(e))
    item->needs[item->n_needs++] = (struct schedule_need){
      .resource = ONE_SET, .value = e->db->events[e->event].set, .mask = UINT64_MAX };
}

const char *sets_cite(const struct pmon_event *e, uint32_t resource)
{
  const struct db_guideline *rule = resource == ONE_SET ? one_set_rule(e) : NULL;
  return rule ? db_text(e->db, rule->origin.cite) : "";
}

/* The counters that every event of the unit which can be on `lead` can be on too. */
static uint32_t exchangeable(const struct pmon_plan *plan, const struct schedule_item *items, uint32_t unit,
                             uint32_t lead)
{
  uint32_t counters = UINT32_MAX;
  for (uint32_t i = 0; i < plan->n_events; i++)
    if (items[i].unit == unit && !items[i].always && items[i].counters >> lead & 1)
      counters &= items[i].counters;
  return counters;
}

void sets_prepare(const struct pmon_plan *plan, struct schedule_item *items)
{
  for (uint32_t i = 0; i < plan->n_events; i++) {
    if (items[i].always)
      continue;
    uint32_t alone = counter_bits(property(plan, i, "alone"));
    items[i].counters &= alone ? alone : UINT32_MAX;
    need_group(&items[i], property(plan, i, "one"));
    need_set(plan->events[i].event, &items[i]);
    if (lead_of(plan, i) != NO_LEAD)
      need_group(&items[i], property(plan, i, "set"));
  }
  for (uint32_t i = 0; i < plan->n_events; i++) {
    uint32_t lead = items[i].always ? NO_LEAD : lead_of(plan, i);
    if (lead != NO_LEAD)
      items[i].counters &= exchangeable(plan, items, items[i].unit, lead);
  }
}

static bool beside(const struct schedule_item *items, const struct schedule_slot *a, const struct schedule_slot *b)
{
  return a->round == b->round && (a->instances & b->instances) && items[a->item].unit == items[b->item].unit &&
         !items[b->item].always;
}

void sets_settle(const struct pmon_plan *plan, const struct schedule_item *items, struct schedule_plan *schedule)
{
  for (uint32_t i = 0; i < schedule->n_slots; i++) {
    struct schedule_slot *slot = &schedule->slots[i], *there = NULL;
    uint32_t lead = items[slot->item].always ? NO_LEAD : lead_of(plan, slot->item);
    if (lead == NO_LEAD)
      continue;
    for (uint32_t k = 0; k < schedule->n_slots; k++)
      if (beside(items, slot, &schedule->slots[k]) && schedule->slots[k].counter == lead)
        there = &schedule->slots[k];
    if (there && lead_of(plan, there->item) == lead)
      continue;                                  /* one of the set is on it; others cannot be of another set */
    if (there)
      there->counter = slot->counter;
    slot->counter = lead;
  }
}

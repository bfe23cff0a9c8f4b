/* SPDX-License-Identifier: MIT */
/*
 * Items that need no multiplexing: an item with a counter that is free in every round counts all the time, and its
 * count is not an estimate. A unit whose events all fit is not multiplexed because those of another unit do not.
 */
#include <stdlib.h>
#include "src/schedule/solver.h"

static bool meet(const struct schedule_slot *a, const struct schedule_slot *b, const struct schedule_item *items)
{
  return items[a->item].unit == items[b->item].unit && (a->instances & b->instances) != 0;
}

/* True if `counter` is free in every round on the item's instances. */
static bool is_free(const struct schedule_problem *p, const struct schedule_plan *plan, uint32_t item, uint32_t counter)
{
  const struct schedule_slot own = {.item = item, .instances = p->items[item].instances};
  for (uint32_t i = 0; i < plan->n_slots; i++) {
    const struct schedule_slot *s = &plan->slots[i];
    if (s->item != item && s->counter == counter && !p->items[s->item].always && meet(&own, s, p->items))
      return false;
  }
  return true;
}

/* True if other items' registers cannot change what the item counts: a filter is programmed for each round's own items,
 * and a counter that leads others selects what they count. */
static bool stands_alone(const struct schedule_problem *p, uint32_t item)
{
  const struct schedule_item *own = &p->items[item];
  if (own->always || own->n_halves)
    return false;
  for (uint32_t i = 0; i < own->n_needs; i++)
    if (!own->needs[i].kept)
      return false;
  for (uint32_t i = 0; own->n_needs && i < p->n_items; i++)
    if (p->items[i].unit == own->unit && bank_conflict(own, &p->items[i], NULL))
      return false;
  return true;
}

/* True if the counter selects what items on other counters of the unit count: these need it in their rounds. */
static bool is_lead(const struct schedule_problem *p, uint32_t unit, uint32_t counter)
{
  for (uint32_t i = 0; i < p->n_items; i++)
    for (uint32_t k = 0; p->items[i].unit == unit && k < p->items[i].n_halves; k++)
      if (p->items[i].halves[k].lead == counter)
        return true;
  return false;
}

/* Returns the number of slots of other items in the round. */
static uint32_t others_in_round(const struct schedule_plan *plan, uint32_t round, uint32_t item)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < plan->n_slots; i++)
    n += plan->slots[i].round == round && plan->slots[i].item != item;
  return n;
}

/* True if no round becomes empty without the item. */
static bool may_leave(const struct schedule_plan *plan, uint32_t item)
{
  for (uint32_t i = 0; i < plan->n_slots; i++)
    if (plan->slots[i].item == item && !others_in_round(plan, plan->slots[i].round, item))
      return false;
  return true;
}

/* Makes the item's slots of its first round slots of every round, and removes those of other rounds. */
static void keep_running(struct schedule_plan *plan, uint32_t item, uint32_t counter)
{
  uint32_t n = 0, round = UINT32_MAX;
  for (uint32_t i = 0; i < plan->n_slots; i++)
    if (plan->slots[i].item == item && plan->slots[i].round < round)
      round = plan->slots[i].round;
  for (uint32_t i = 0; i < plan->n_slots; i++) {
    struct schedule_slot s = plan->slots[i];
    if (s.item == item && s.round != round)
      continue;
    if (s.item == item) {
      s.round = UINT32_MAX;
      s.counter = counter;
    }
    plan->slots[n++] = s;
  }
  plan->n_slots = n;
}

/* Lets the item count in every round if possible; true: it does. */
static bool find_steady(const struct schedule_problem *p, struct schedule_plan *plan, uint32_t item)
{
  if (!stands_alone(p, item) || !may_leave(plan, item))
    return false;
  for (uint32_t counter = 0; counter < SCHEDULE_COUNTERS; counter++)
    if (p->items[item].counters >> counter & 1 && !is_lead(p, p->items[item].unit, counter) &&
        is_free(p, plan, item, counter)) {
      keep_running(plan, item, counter);
      return true;
    }
  return false;
}

static bool is_steady(const struct schedule_plan *plan, uint32_t item)
{
  for (uint32_t i = 0; i < plan->n_slots; i++)
    if (plan->slots[i].item == item)
      return plan->slots[i].round == UINT32_MAX;
  return true;
}

/* An item that moves to another counter frees its own, which may suit an earlier item: hence the repetition. */
void solver_find_steady(const struct schedule_problem *p, struct schedule_plan *plan)
{
  for (bool changed = plan->rounds > 1; changed;) {
    changed = false;
    for (uint32_t item = 0; item < p->n_items; item++)
      changed |= !is_steady(plan, item) && find_steady(p, plan, item);
  }
}

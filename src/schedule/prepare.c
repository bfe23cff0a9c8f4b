/* SPDX-License-Identifier: MIT */
/* Before the search: what is possible at all, and what has to be placed together. */
#include "solver.h"

#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>

/* Whether `n` items fit into one round together; `conflict` (may be NULL) gets the reason when not. */
bool solver_fits(const struct solver *s, const uint32_t *set, uint32_t n, struct schedule_conflict *conflict)
{
  for (uint32_t b = 0; b < s->banks.n; b++) {
    const struct bank *bank = &s->banks.banks[b];
    uint32_t here[SCHEDULE_COUNTERS], k = 0;
    uint8_t counters[SCHEDULE_COUNTERS];
    for (uint32_t i = 0; i < n; i++) {
      const struct schedule_item *item = &s->p->items[set[i]];
      if (item->always || !bank_has(bank, item))
        continue;
      uint32_t resource = 0;
      for (uint32_t j = 0; j < k; j++) {
        if (!bank_conflict(&s->p->items[here[j]], item, &resource))
          continue;
        if (conflict)
          *conflict = (struct schedule_conflict){.reason = SCHEDULE_SHARED, .resource = resource};
        return false;
      }
      if (k == SCHEDULE_COUNTERS)
        return false;
      here[k++] = set[i];
    }
    if (k && !bank_match(s->p->items, here, k, counters)) {
      if (conflict)
        *conflict = (struct schedule_conflict){
            .reason = bank_match_alone(s->p->items, here, k, counters) ? SCHEDULE_LEADS : SCHEDULE_TOO_MANY};
      return false;
    }
  }
  return true;
}

/* Tries all subsets of `size` of a group's items, in order, for one that does not fit. */
static bool find_misfit(const struct solver *s, const struct schedule_group *g, uint32_t size,
                        struct schedule_conflict *conflict)
{
  uint32_t pick[SCHEDULE_CONFLICT], set[SCHEDULE_CONFLICT];
  for (uint32_t i = 0; i < size; i++)
    pick[i] = i;
  for (;;) {
    for (uint32_t i = 0; i < size; i++)
      set[i] = g->items[pick[i]];
    if (!solver_fits(s, set, size, conflict)) {
      conflict->n = size;
      memcpy(conflict->items, set, size * sizeof *set);
      return true;
    }
    uint32_t i = size;
    while (i && pick[i - 1] == g->n - size + i - 1)
      i--;
    if (!i)
      return false;
    pick[i - 1]++;
    for (; i < size; i++)
      pick[i] = pick[i - 1] + 1;
  }
}

/* Each item must have a counter, and each strict group must fit. */
int solver_check(const struct solver *s, struct schedule_conflict *conflict)
{
  for (uint32_t i = 0; i < s->p->n_items; i++)
    if (!s->p->items[i].always && !s->p->items[i].counters) {
      *conflict = (struct schedule_conflict){.reason = SCHEDULE_NO_COUNTER, .n = 1, .items = {i}};
      return PMON_E_UNSCHEDULABLE;
    }
  for (uint32_t g = 0; g < s->p->n_groups; g++) {
    const struct schedule_group *group = &s->p->groups[g];
    if (!group->strict || solver_fits(s, group->items, group->n, NULL))
      continue;
    for (uint32_t size = 2; size <= group->n && size <= SCHEDULE_CONFLICT; size++)
      if (find_misfit(s, group, size, conflict))
        return PMON_E_UNSCHEDULABLE;
    *conflict = (struct schedule_conflict){.reason = SCHEDULE_TOO_MANY, .n = 1, .items = {group->items[0]}};
    return PMON_E_UNSCHEDULABLE;
  }
  return 0;
}

/* Groups that fit become bundles, and so does each item that is in none of those. */
int solver_make_bundles(struct solver *s)
{
  const struct schedule_problem *p = s->p;
  bool *covered = calloc(p->n_items + 1, sizeof *covered);
  s->bundles = calloc(p->n_items + p->n_groups + 1, sizeof *s->bundles);
  if (!covered || !s->bundles) {
    free(covered);
    return PMON_E_MEMORY;
  }
  for (uint32_t g = 0; g < p->n_groups; g++) {
    const struct schedule_group *group = &p->groups[g];
    if (group->n < 2 || !solver_fits(s, group->items, group->n, NULL))
      continue;
    s->bundles[s->n_bundles++] = (struct bundle){.items = group->items, .n = group->n};
    for (uint32_t i = 0; i < group->n; i++)
      covered[group->items[i]] = true;
  }
  for (uint32_t i = 0; i < p->n_items; i++) {
    if (covered[i] || p->items[i].always)
      continue;
    s->bundles[s->n_bundles] = (struct bundle){.n = 1, .one = i};
    s->n_bundles++;
  }
  for (uint32_t b = 0; b < s->n_bundles; b++)
    if (!s->bundles[b].items)
      s->bundles[b].items = &s->bundles[b].one;
  free(covered);
  return 0;
}

/* Bundles that meet on a bank, directly or through others, form one part; a part is named by its lowest bank. */
int solver_make_parts(struct solver *s)
{
  s->part_of_bank = calloc(s->banks.n + 1, sizeof *s->part_of_bank);
  if (!s->part_of_bank)
    return PMON_E_MEMORY;
  for (uint32_t b = 0; b < s->banks.n; b++)
    s->part_of_bank[b] = b;
  for (uint32_t k = 0; k < s->n_bundles; k++) {
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < s->bundles[k].n; i++) {
      const struct schedule_item *item = &s->p->items[s->bundles[k].items[i]];
      for (uint32_t b = 0; !item->always && b < s->banks.n; b++) {
        if (!bank_has(&s->banks.banks[b], item))
          continue;
        uint32_t root = part_root(s->part_of_bank, b), low = first < root ? first : root;
        s->part_of_bank[first == UINT32_MAX ? root : first] = s->part_of_bank[root] = low;
        first = low;
      }
    }
    s->bundles[k].part = first;
  }
  return 0;
}

/* SPDX-License-Identifier: MIT */
/* Preparation of the search: checks placements, and finds the items that must be placed together. */
#include "src/schedule/solver.h"

#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>

/* True if `n` items fit into one round together; otherwise `conflict` (may be NULL) gets the reason. */
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

enum { MISFIT_EFFORT = 100000 };

/* Tries subsets of `size` items of a group, in order, until one does not fit, while *effort lasts. */
static bool find_misfit(const struct solver *s, const struct schedule_group *g, uint32_t size, uint32_t *effort,
                        struct schedule_conflict *conflict)
{
  uint32_t pick[SCHEDULE_CONFLICT], set[SCHEDULE_CONFLICT];
  for (uint32_t i = 0; i < size; i++)
    pick[i] = i;
  while (*effort) {
    --*effort;
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
  return false;
}

/* Finds the smallest part of a group that has fewer counters than items, on any bank; 0: there is none. */
static uint32_t find_overfull(const struct solver *s, const struct schedule_group *g, uint32_t *ret_items)
{
  uint32_t best = 0, *set = calloc(g->n, sizeof *set);
  for (uint32_t b = 0; set && b < s->banks.n; b++) {
    uint32_t places[SCHEDULE_COUNTERS + 1], n = 0;
    for (uint32_t i = 0; i < g->n; i++)
      if (!s->p->items[g->items[i]].always && bank_has(&s->banks.banks[b], &s->p->items[g->items[i]]))
        set[n++] = g->items[i];
    n = bank_overfull(s->p->items, set, n, places);
    if (!n || (best && best <= n))
      continue;
    best = n;
    for (uint32_t i = 0; i < n; i++)
      ret_items[i] = set[places[i]];
  }
  free(set);
  return best;
}

/* Removes items that a misfit does not need, if the search for the smallest one would take too long. */
static void reduce(const struct solver *s, const struct schedule_group *g, struct schedule_conflict *conflict)
{
  uint32_t n = g->n, *set = calloc(n, sizeof *set);
  for (uint32_t i = 0; set && i < n; i++)
    set[i] = g->items[i];
  for (uint32_t i = n; set && i-- > 0;) {
    uint32_t left_out = set[i];
    memmove(&set[i], &set[i + 1], (n - i - 1) * sizeof *set);
    if (solver_fits(s, set, n - 1, NULL)) {
      memmove(&set[i + 1], &set[i], (n - i - 1) * sizeof *set);
      set[i] = left_out;
    } else {
      n--;
    }
  }
  *conflict = (struct schedule_conflict){.reason = SCHEDULE_TOO_MANY};
  if (set)
    solver_fits(s, set, n, conflict);
  conflict->n = !set ? 0 : n < SCHEDULE_CONFLICT ? n : SCHEDULE_CONFLICT;
  for (uint32_t i = 0; i < conflict->n; i++)
    conflict->items[i] = set[i];
  free(set);
}

/* Finds the reason why a group does not fit. Two items may need different values of a register, or a part may have more
 * items than counters; the smallest such part is found without a search. A larger search is needed only if counters
 * lead others. */
static void explain_misfit(const struct solver *s, const struct schedule_group *g, struct schedule_conflict *conflict)
{
  uint32_t items[SCHEDULE_COUNTERS + 1], effort = UINT32_MAX;
  bool led = false;
  if (g->n > 1 && find_misfit(s, g, 2, &effort, conflict))
    return;
  uint32_t overfull = find_overfull(s, g, items);
  for (uint32_t i = 0; i < g->n; i++)
    led = led || s->p->items[g->items[i]].n_halves;
  effort = led ? MISFIT_EFFORT : 0;
  for (uint32_t size = 3; size <= g->n && size <= SCHEDULE_CONFLICT && (!overfull || size < overfull); size++)
    if (find_misfit(s, g, size, &effort, conflict))
      return;
  if (!overfull || overfull > SCHEDULE_CONFLICT) {
    reduce(s, g, conflict);
    return;
  }
  *conflict = (struct schedule_conflict){.reason = SCHEDULE_TOO_MANY, .n = overfull};
  memcpy(conflict->items, items, overfull * sizeof *items);
}

/* Checks that each item has a counter, and that each strict group fits. */
int solver_check(const struct solver *s, struct schedule_conflict *conflict)
{
  for (uint32_t i = 0; i < s->p->n_items; i++)
    if (!s->p->items[i].always &&
        (!s->p->items[i].counters || (s->p->items[i].n_halves && !solver_fits(s, &i, 1, NULL)))) {
      *conflict = (struct schedule_conflict){.reason = SCHEDULE_NO_COUNTER, .n = 1, .items = {i}};
      return PMON_E_UNSCHEDULABLE;
    }
  for (uint32_t g = 0; g < s->p->n_groups; g++) {
    const struct schedule_group *group = &s->p->groups[g];
    if (!group->strict || solver_fits(s, group->items, group->n, NULL))
      continue;
    explain_misfit(s, group, conflict);
    return PMON_E_UNSCHEDULABLE;
  }
  return 0;
}

static void add_bundle(struct solver *s, const uint32_t *items, uint32_t n, bool *covered)
{
  s->bundles[s->n_bundles++] = (struct bundle){.items = items, .n = n};
  for (uint32_t i = 0; i < n; i++)
    covered[items[i]] = true;
}

/* Splits a group that does not fit: a bundle gets the first item, and each later one that fits together with those
 * before; the rest is split in the same way. Each bundle takes places in `room`; `left` has room for the group's
 * items. */
static uint32_t *split_group(struct solver *s, const struct schedule_group *group, uint32_t *room, bool *left,
                             bool *covered)
{
  for (uint32_t i = 0; i < group->n; i++)
    left[i] = !s->p->items[group->items[i]].always;
  for (uint32_t first = 0; first < group->n; first++) {
    uint32_t n = 0;
    if (!left[first])
      continue;
    for (uint32_t i = first; i < group->n; i++) {
      room[n] = group->items[i];
      if (!left[i] || (n && !solver_fits(s, room, n + 1, NULL)))
        continue;
      n++;
      left[i] = false;
    }
    if (n < 2)
      continue;
    add_bundle(s, room, n, covered);
    room += n;
  }
  return room;
}

/* Makes bundles of groups that fit, of parts of other groups, and of each item that is in none of these. */
int solver_make_bundles(struct solver *s)
{
  const struct schedule_problem *p = s->p;
  size_t in_groups = 0;
  for (uint32_t g = 0; g < p->n_groups; g++)
    in_groups += p->groups[g].n;
  bool *covered = calloc(p->n_items + 1, sizeof *covered), *left = calloc(in_groups + 1, sizeof *left);
  s->bundles = calloc(p->n_items + p->n_groups + in_groups + 1, sizeof *s->bundles);
  s->split = calloc(in_groups + 1, sizeof *s->split);
  if (!covered || !left || !s->bundles || !s->split) {
    free(covered);
    free(left);
    return PMON_E_MEMORY;
  }
  uint32_t *room = s->split;
  for (uint32_t g = 0; g < p->n_groups; g++) {
    const struct schedule_group *group = &p->groups[g];
    if (group->n < 2)
      continue;
    if (solver_fits(s, group->items, group->n, NULL))
      add_bundle(s, group->items, group->n, covered);
    else
      room = split_group(s, group, room, left, covered);
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
  free(left);
  return 0;
}

/* Joins bundles that share a bank, directly or through others, to parts; the number of a part is that of its lowest
 * bank. */
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

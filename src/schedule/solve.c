/* SPDX-License-Identifier: MIT */
/*
 * The search. Items are first put into bundles (a group that fits one round, or one item alone); bundles that share no
 * bank of counters are independent and are solved separately. A part of single items without shared registers and
 * halves has a closed solution (bank_spread). Any other part starts with a greedy plan, which branch and bound improves
 * until the lower bound is reached, the search is complete, or the effort is spent.
 */
#include "src/schedule/solver.h"

#include <stdlib.h>
#include <pmon/status.h>

enum { EFFORT = 20000, SEARCH_BUNDLES = 48 };

static bool round_has(const struct solver *s, uint32_t round, uint32_t item)
{
  for (uint32_t i = 0; i < s->n_in_round[round]; i++)
    if (s->rounds[round][i] == item)
      return true;
  return false;
}

/* Adds a bundle's items to a round if they fit; *ret_before is the round's previous length, to undo it. */
static bool round_add(struct solver *s, uint32_t round, const struct bundle *bundle, uint32_t *ret_before)
{
  uint32_t before = s->n_in_round[round], n = before;
  for (uint32_t i = 0; i < bundle->n; i++)
    if (!s->p->items[bundle->items[i]].always && !round_has(s, round, bundle->items[i]))
      s->rounds[round][n++] = bundle->items[i];
  if (n != before && !solver_fits(s, s->rounds[round], n, NULL))
    return false;
  s->n_in_round[round] = n;
  *ret_before = before;
  return true;
}

static uint32_t overlap(const struct solver *s, uint32_t round, const struct bundle *bundle)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < bundle->n; i++)
    n += round_has(s, round, bundle->items[i]);
  return n;
}

/* First fit; prefers the round that already has most of the bundle's items. */
static void solve_greedy(struct solver *s)
{
  s->used = 0;
  for (uint32_t k = 0; k < s->n_order; k++) {
    const struct bundle *bundle = &s->bundles[s->order[k]];
    uint32_t before;
    bool placed = false;
    for (uint32_t want = bundle->n == 1 ? 1 : bundle->n + 1; want-- > 0 && !placed;)
      for (uint32_t r = 0; r < s->used && !placed; r++)
        if ((bundle->n == 1 || overlap(s, r, bundle) == want) && round_add(s, r, bundle, &before)) {
          s->best_round[s->order[k]] = r;
          placed = true;
        }
    if (placed)
      continue;
    s->n_in_round[s->used] = 0;
    round_add(s, s->used, bundle, &before);
    s->best_round[s->order[k]] = s->used++;
  }
  s->best = s->used;
}

static void search(struct solver *s, uint32_t k)
{
  if (k == s->n_order) {
    s->best = s->used;
    for (uint32_t i = 0; i < s->n_order; i++)
      s->best_round[s->order[i]] = s->now_round[s->order[i]];
    return;
  }
  const struct bundle *bundle = &s->bundles[s->order[k]];
  for (uint32_t r = 0; r <= s->used; r++) {
    if (s->best <= s->bound || (r == s->used && s->used + 1 >= s->best))
      return;
    if (!s->effort) {
      s->exhausted = true;
      return;
    }
    s->effort--;
    bool fresh = r == s->used;
    uint32_t before;
    if (fresh)
      s->n_in_round[r] = 0;
    if (!round_add(s, r, bundle, &before))
      continue;
    s->used += fresh;
    s->now_round[s->order[k]] = r;
    search(s, k + 1);
    s->used -= fresh;
    s->n_in_round[r] = before;
    if (fresh)
      return;
  }
}

/* Lists the items of the part's bundles that use bank `b`, each once. */
static uint32_t items_of_bank(const struct solver *s, uint32_t b, uint32_t *set)
{
  uint32_t n = 0;
  for (uint32_t k = 0; k < s->n_order; k++)
    for (uint32_t i = 0; i < s->bundles[s->order[k]].n; i++) {
      uint32_t item = s->bundles[s->order[k]].items[i], have = 0;
      if (s->p->items[item].always || !bank_has(&s->banks.banks[b], &s->p->items[item]))
        continue;
      while (have < n && set[have] != item)
        have++;
      if (have == n)
        set[n++] = item;
    }
  return n;
}

/* Returns a lower bound: items of which each two need different values of a shared register take a round each. They are
 * chosen greedily in order. */
static uint32_t clique_bound(const struct solver *s, uint32_t *set, uint32_t n)
{
  uint32_t k = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t j = 0;
    while (j < k && bank_conflict(&s->p->items[set[j]], &s->p->items[set[i]], NULL))
      j++;
    if (j < k)
      continue;
    uint32_t item = set[i];
    set[i] = set[k];
    set[k++] = item;
  }
  return k;
}

static uint32_t lower_bound(const struct solver *s, uint32_t part, uint32_t *set)
{
  uint32_t bound = 1;
  for (uint32_t b = 0; b < s->banks.n; b++) {
    if (part_root(s->part_of_bank, b) != part)
      continue;
    uint32_t n = items_of_bank(s, b, set);
    uint32_t hall = bank_lower_bound(s->p->items, set, n), clique = clique_bound(s, set, n);
    bound = hall > bound ? hall : bound;
    bound = clique > bound ? clique : bound;
  }
  return bound;
}

/* The closed solution, if the part is one bank of single items without shared registers and halves. */
static bool solve_spread(struct solver *s, uint32_t part, uint32_t *set, uint8_t *counters, uint32_t *round_of)
{
  uint32_t banks = 0;
  for (uint32_t b = 0; b < s->banks.n; b++)
    banks += part_root(s->part_of_bank, b) == part;
  if (banks != 1)
    return false;
  for (uint32_t k = 0; k < s->n_order; k++) {
    const struct bundle *bundle = &s->bundles[s->order[k]];
    const struct schedule_item *first = &s->p->items[bundle->items[0]];
    if (bundle->n != 1 || first->n_needs || first->n_halves)
      return false;
    set[k] = bundle->items[0];
  }
  if (!bank_spread(s->p->items, set, s->n_order, s->bound, counters, round_of))
    return false;
  for (uint32_t k = 0; k < s->n_order; k++)
    s->best_round[s->order[k]] = round_of[k];
  s->best = s->bound;
  return true;
}

/* Sorts bundles: larger ones first, then those with fewer counters to choose from, then in the given order. */
static void sort_order(struct solver *s)
{
  for (uint32_t i = 1; i < s->n_order; i++) {
    uint32_t moving = s->order[i], k = i;
    const struct bundle *m = &s->bundles[moving];
    int freedom = __builtin_popcount(s->p->items[m->items[0]].counters);
    for (; k; k--) {
      const struct bundle *o = &s->bundles[s->order[k - 1]];
      if (o->n > m->n || (o->n == m->n && __builtin_popcount(s->p->items[o->items[0]].counters) <= freedom))
        break;
      s->order[k] = s->order[k - 1];
    }
    s->order[k] = moving;
  }
}

static int solve_part(struct solver *s, uint32_t part, struct schedule_plan *plan)
{
  uint32_t n = s->p->n_items + 1;
  uint32_t *set = calloc(2 * n, sizeof *set);
  uint8_t *counters = calloc(n, 1);
  if (!set || !counters) {
    free(set);
    free(counters);
    return PMON_E_MEMORY;
  }
  s->n_order = 0;
  for (uint32_t k = 0; k < s->n_bundles; k++)
    if (s->bundles[k].part != UINT32_MAX && part_root(s->part_of_bank, s->bundles[k].part) == part)
      s->order[s->n_order++] = k;
  sort_order(s);
  s->bound = lower_bound(s, part, set);
  if (!solve_spread(s, part, set, counters, set + n)) {
    solve_greedy(s);
    s->effort = s->p->effort ? s->p->effort : EFFORT;
    s->exhausted = false;
    s->used = 0;
    if (s->best > s->bound && s->n_order <= SEARCH_BUNDLES)
      search(s, 0);
    else if (s->best > s->bound)
      s->exhausted = true;
    if (!s->exhausted)
      s->bound = s->best;
  }
  plan->rounds = s->best > plan->rounds ? s->best : plan->rounds;
  plan->lower_bound = s->bound > plan->lower_bound ? s->bound : plan->lower_bound;
  free(set);
  free(counters);
  return 0;
}

static int compare_slots(const void *a, const void *b)
{
  const struct schedule_slot *x = a, *y = b;
  if (x->round != y->round)
    return x->round < y->round ? -1 : 1;
  if (x->item != y->item)
    return x->item < y->item ? -1 : 1;
  return (x->instances > y->instances) - (x->instances < y->instances);
}

/* Assigns the items of one round and bank, each once, to their counters. */
static void place_round(const struct solver *s, uint32_t round, uint32_t b, struct schedule_plan *plan)
{
  uint32_t set[SCHEDULE_COUNTERS], n = 0;
  uint8_t counters[SCHEDULE_COUNTERS];
  for (uint32_t k = 0; k < s->n_bundles; k++) {
    if (s->bundles[k].part == UINT32_MAX || s->best_round[k] != round)
      continue;
    for (uint32_t i = 0; i < s->bundles[k].n; i++) {
      uint32_t item = s->bundles[k].items[i], have = 0;
      if (s->p->items[item].always || !bank_has(&s->banks.banks[b], &s->p->items[item]))
        continue;
      while (have < n && set[have] != item)
        have++;
      if (have == n && n < SCHEDULE_COUNTERS)
        set[n++] = item;
    }
  }
  if (!n || !bank_match(s->p->items, set, n, counters))
    return;
  for (uint32_t i = 0; i < n; i++)
    plan->slots[plan->n_slots++] = (struct schedule_slot){
        .round = round, .item = set[i], .counter = counters[i], .instances = s->banks.banks[b].instances};
}

static int make_slots(struct solver *s, struct schedule_plan *plan)
{
  size_t most = s->p->n_items;
  for (uint32_t k = 0; k < s->n_bundles; k++)
    most += (size_t)s->bundles[k].n * s->banks.n;
  plan->slots = calloc(most + 1, sizeof *plan->slots);
  if (!plan->slots)
    return PMON_E_MEMORY;
  for (uint32_t r = 0; r < plan->rounds; r++)
    for (uint32_t b = 0; b < s->banks.n; b++)
      place_round(s, r, b, plan);
  for (uint32_t i = 0; i < s->p->n_items; i++)
    if (s->p->items[i].always)
      plan->slots[plan->n_slots++] =
          (struct schedule_slot){.round = UINT32_MAX, .item = i, .instances = s->p->items[i].instances};
  solver_find_steady(s->p, plan);
  qsort(plan->slots, plan->n_slots, sizeof *plan->slots, compare_slots);
  return 0;
}

static int alloc_rounds(struct solver *s)
{
  uint32_t n = s->n_bundles + 1;
  s->order = calloc(n, sizeof *s->order);
  s->best_round = calloc(n, sizeof *s->best_round);
  s->now_round = calloc(n, sizeof *s->now_round);
  s->n_in_round = calloc(n, sizeof *s->n_in_round);
  s->rounds = calloc(n, sizeof *s->rounds);
  if (!s->order || !s->best_round || !s->now_round || !s->n_in_round || !s->rounds)
    return PMON_E_MEMORY;
  /* A round never holds more items than fit, plus one bundle that is being tried. */
  uint32_t largest = 1;
  for (uint32_t k = 0; k < s->n_bundles; k++)
    largest = s->bundles[k].n > largest ? s->bundles[k].n : largest;
  size_t room = (size_t)s->banks.n * SCHEDULE_COUNTERS + largest + 1;
  if (room > (size_t)s->p->n_items + largest + 1)
    room = (size_t)s->p->n_items + largest + 1;
  for (s->cap_rounds = 0; s->cap_rounds < n; s->cap_rounds++) {
    s->rounds[s->cap_rounds] = calloc(room, sizeof **s->rounds);
    if (!s->rounds[s->cap_rounds])
      return PMON_E_MEMORY;
  }
  return 0;
}

static void solver_fini(struct solver *s)
{
  for (uint32_t r = 0; s->rounds && r < s->cap_rounds; r++)
    free(s->rounds[r]);
  free(s->rounds);
  free(s->n_in_round);
  free(s->now_round);
  free(s->best_round);
  free(s->order);
  free(s->part_of_bank);
  free(s->split);
  free(s->bundles);
  bank_list_fini(&s->banks);
}

int schedule_solve(const struct schedule_problem *problem, struct schedule_conflict *conflict,
                   struct schedule_plan *ret_plan)
{
  struct solver s = {.p = problem};
  struct schedule_plan plan = {0};
  int status = bank_list_init(&s.banks, problem->items, problem->n_items);
  if (!status)
    status = solver_check(&s, conflict);
  if (!status)
    status = solver_make_bundles(&s);
  if (!status)
    status = solver_make_parts(&s);
  if (!status)
    status = alloc_rounds(&s);
  for (uint32_t b = 0; !status && b < s.banks.n; b++)
    if (part_root(s.part_of_bank, b) == b)
      status = solve_part(&s, b, &plan);
  if (!status && !plan.rounds && problem->n_items)
    plan.rounds = plan.lower_bound = 1;
  if (!status)
    status = make_slots(&s, &plan);
  solver_fini(&s);
  if (!status)
    *ret_plan = plan;
  return status;
}

void schedule_plan_fini(struct schedule_plan *plan)
{
  free(plan->slots);
  *plan = (struct schedule_plan){0};
}

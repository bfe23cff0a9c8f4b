/* SPDX-License-Identifier: MIT */
/* Compares plans with brute force on small random problems, and checks the invariants of plans of any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/status.h>
#include "src/schedule/schedule.h"

enum { MOST = 7 };

static uint32_t seed;

static uint32_t dice(uint32_t n)
{
  seed = seed * 1664525 + 1013904223;
  return (seed >> 16) % n;
}

static bool agree(const struct schedule_item *a, const struct schedule_item *b)
{
  for (uint32_t i = 0; i < a->n_needs; i++)
    for (uint32_t k = 0; k < b->n_needs; k++)
      if (a->needs[i].resource == b->needs[k].resource &&
          ((a->needs[i].value ^ b->needs[k].value) & a->needs[i].mask & b->needs[k].mask))
        return false;
  return true;
}

/* True if an item with halves is on the lead counter of one of them, or behind a lead counter with its choice. */
static bool is_led(const struct schedule_item *it, uint32_t counter, const struct schedule_item *const on[4])
{
  for (uint32_t h = 0; h < it->n_halves; h++) {
    const struct schedule_item *leader = on[it->halves[h].lead];
    if (it->halves[h].counters >> counter & 1)
      return it->halves[h].lead == counter || (leader && leader->n_halves && leader->choice == it->choice);
  }
  return !it->n_halves;
}

/* Written from the rules only: tries every counter for every item of `set`, all on one instance. */
static bool place_all(const struct schedule_item *items, uint32_t set, uint32_t item,
                      const struct schedule_item *on[2][4])
{
  while (item < MOST && !(set >> item & 1))
    item++;
  bool led = true;
  for (uint32_t i = 0; i < 8 && item == MOST; i++)
    led = led && (!on[i / 4][i % 4] || is_led(on[i / 4][i % 4], i % 4, on[i / 4]));
  if (item == MOST)
    return led;
  const struct schedule_item *it = &items[item];
  for (uint32_t c = 0; c < 4; c++) {
    if (!(it->counters >> c & 1) || on[it->unit][c])
      continue;
    on[it->unit][c] = it;
    if (place_all(items, set, item + 1, on))
      return true;
    on[it->unit][c] = NULL;
  }
  return false;
}

/* An item's instances may be on different counters, so that each instance is placed separately. */
static bool fits_brute(const struct schedule_item *items, uint32_t set)
{
  for (uint32_t instance = 0; instance < 3; instance++) {
    struct schedule_item only[MOST];
    uint32_t here = 0;
    for (uint32_t i = 0; i < MOST; i++) {
      if (!(set >> i & 1) || !(items[i].instances >> instance & 1))
        continue;
      for (uint32_t k = 0; k < i; k++)
        if (here >> k & 1 && items[k].unit == items[i].unit && !agree(&items[k], &items[i]))
          return false;
      only[i] = items[i];
      only[i].instances = 1;
      here |= 1u << i;
    }
    const struct schedule_item *on[2][4] = {{NULL}};
    if (!place_all(only, here, 0, on))
      return false;
  }
  return true;
}

/* Returns the smallest number of fitting sets that cover all items, each group inside one set. */
static uint32_t rounds_brute(const uint32_t *bundles, uint32_t n, uint32_t k, uint32_t *rounds, uint32_t used,
                             const struct schedule_item *items, uint32_t best)
{
  if (used >= best)
    return best;
  if (k == n)
    return used;
  for (uint32_t r = 0; r <= used; r++) {
    uint32_t before = r == used ? 0 : rounds[r];
    if (!fits_brute(items, before | bundles[k]))
      continue;
    rounds[r] = before | bundles[k];
    best = rounds_brute(bundles, n, k + 1, rounds, used + (r == used), items, best);
    rounds[r] = before;
  }
  return best;
}

static void random_items(struct schedule_item *items, uint32_t n, bool needs, bool halves)
{
  static const uint32_t masks[] = {15, 15, 1, 3, 12, 8, 6, 7};
  for (uint32_t i = 0; i < n; i++) {
    items[i] = (struct schedule_item){
        .unit = dice(5) == 0, .instances = dice(3) ? 7 : 1 + dice(7), .counters = masks[dice(8)]};
    if (needs && dice(2)) {
      items[i].n_needs = 1;
      items[i].needs[0] = (struct schedule_need){.resource = dice(2), .value = dice(4), .mask = 1 + dice(3)};
    }
    if (halves && dice(3)) {
      items[i].n_halves = 2;
      items[i].halves[0] = (struct schedule_half){.lead = 0, .counters = 3};
      items[i].halves[1] = (struct schedule_half){.lead = 2, .counters = 12};
      items[i].choice = dice(2);
      items[i].counters = dice(3) ? 15 : 13; /* like every item with halves, it can be on a lead counter */
    }
  }
}

static void check_plan(const struct schedule_problem *p, const struct schedule_plan *plan)
{
  for (uint32_t i = 0; i < p->n_items; i++) {
    uint64_t covered = 0;
    for (uint32_t s = 0; s < plan->n_slots; s++)
      if (plan->slots[s].item == i)
        covered |= plan->slots[s].instances & p->items[i].instances;
    assert_true(covered == p->items[i].instances);
  }
  for (uint32_t a = 0; a < plan->n_slots; a++) {
    const struct schedule_slot *x = &plan->slots[a];
    assert_true(x->round < plan->rounds || (x->round == UINT32_MAX && plan->rounds > 1));
    assert_true(p->items[x->item].counters >> x->counter & 1);
    for (uint32_t b = 0; b < a; b++) {
      const struct schedule_slot *y = &plan->slots[b];
      const struct schedule_item *i = &p->items[x->item], *k = &p->items[y->item];
      if ((x->round != y->round && x->round != UINT32_MAX && y->round != UINT32_MAX) || i->unit != k->unit ||
          !(x->instances & y->instances))
        continue;
      assert_true(x->item != y->item || x->round == y->round);
      assert_int_not_equal(x->counter, y->counter);
      assert_true(agree(i, k));
    }
  }
}

/* Nothing is multiplexed for which a counter is free in every round, except the last item of a round. */
static void check_steady(const struct schedule_problem *p, const struct schedule_plan *plan)
{
  uint32_t in_round[MOST + 2] = {0};
  for (uint32_t a = 0; a < plan->n_slots; a++)
    if (plan->slots[a].round != UINT32_MAX)
      in_round[plan->slots[a].round] |= 1u << plan->slots[a].item;
  for (uint32_t a = 0; a < plan->n_slots && plan->rounds > 1; a++) {
    const struct schedule_slot *x = &plan->slots[a];
    const struct schedule_item *i = &p->items[x->item];
    uint32_t busy = 0;
    if (x->round == UINT32_MAX || i->n_needs || !(in_round[x->round] & ~(1u << x->item)))
      continue;
    bool alone_elsewhere = false;
    for (uint32_t r = 0; r < plan->rounds; r++)
      alone_elsewhere |= in_round[r] == 1u << x->item;
    for (uint32_t b = 0; b < plan->n_slots; b++) {
      const struct schedule_slot *y = &plan->slots[b];
      if (y->item != x->item && p->items[y->item].unit == i->unit && (y->instances & i->instances))
        busy |= 1u << y->counter;
    }
    for (uint32_t k = 0; k < p->n_items; k++)
      alone_elsewhere |= p->items[k].unit == i->unit && p->items[k].n_halves;
    assert_true(alone_elsewhere || !(i->counters & ~busy));
  }
}

static bool in_one_round(const struct schedule_plan *plan, const struct schedule_group *g)
{
  for (uint32_t r = 0; r < plan->rounds; r++) {
    uint32_t here = 0;
    for (uint32_t i = 0; i < g->n; i++)
      for (uint32_t s = 0; s < plan->n_slots; s++)
        if ((plan->slots[s].round == r || plan->slots[s].round == UINT32_MAX) && plan->slots[s].item == g->items[i]) {
          here++;
          break;
        }
    if (here == g->n)
      return true;
  }
  return false;
}

static void compare_with_brute(bool needs, bool grouped, bool halves)
{
  for (int test = 0; test < 400; test++) {
    struct schedule_item items[MOST] = {{0}};
    uint32_t n = 2 + dice(MOST - 1), members[2][2], bundles[MOST + 2], n_bundles = 0, rounds[MOST + 2], covered = 0;
    struct schedule_group groups[2];
    random_items(items, n, needs, halves);
    struct schedule_problem p = {.items = items, .n_items = n, .groups = groups};
    for (uint32_t g = 0; grouped && g < 2; g++) {
      members[g][0] = dice(n);
      members[g][1] = (members[g][0] + 1 + dice(n - 1)) % n;
      groups[g] = (struct schedule_group){.items = members[g], .n = 2};
      p.n_groups++;
      uint32_t set = 1u << members[g][0] | 1u << members[g][1];
      if (fits_brute(items, set)) {
        bundles[n_bundles++] = set;
        covered |= set;
      }
    }
    for (uint32_t i = 0; i < n; i++)
      if (!(covered >> i & 1))
        bundles[n_bundles++] = 1u << i;
    struct schedule_plan plan, again;
    struct schedule_conflict conflict;
    assert_int_equal(schedule_solve(&p, &conflict, &plan), 0);
    assert_int_equal(schedule_solve(&p, &conflict, &again), 0);
    check_plan(&p, &plan);
    check_steady(&p, &plan);
    assert_int_equal(plan.rounds, rounds_brute(bundles, n_bundles, 0, rounds, 0, items, n_bundles + 1));
    assert_int_equal(plan.lower_bound, plan.rounds);
    assert_int_equal(plan.n_slots, again.n_slots);
    assert_memory_equal(plan.slots, again.slots, plan.n_slots * sizeof *plan.slots);
    for (uint32_t g = 0; g < p.n_groups; g++)
      assert_int_equal(in_one_round(&plan, &groups[g]), fits_brute(items, 1u << members[g][0] | 1u << members[g][1]));
    schedule_plan_fini(&plan);
    schedule_plan_fini(&again);
  }
}

static void counters_alone(void **state)
{
  (void)state;
  seed = 1;
  compare_with_brute(false, false, false);
}

static void with_shared_registers(void **state)
{
  (void)state;
  seed = 2;
  compare_with_brute(true, false, false);
}

static void with_groups(void **state)
{
  (void)state;
  seed = 3;
  compare_with_brute(true, true, false);
}

static void with_counters_that_lead(void **state)
{
  (void)state;
  seed = 5;
  compare_with_brute(false, false, true);
  compare_with_brute(true, true, true);
}

static void always_running_items_take_no_counter(void **state)
{
  (void)state;
  struct schedule_item items[3] = {{.instances = 1, .counters = 1},
                                   {.instances = 1, .always = true, .counters = 1},
                                   {.instances = 1, .counters = 1}};
  struct schedule_problem p = {.items = items, .n_items = 3};
  struct schedule_plan plan;
  struct schedule_conflict conflict;
  assert_int_equal(schedule_solve(&p, &conflict, &plan), 0);
  assert_int_equal(plan.rounds, 2);
  assert_int_equal(plan.n_slots, 3);
  assert_true(plan.slots[2].item == 1 && plan.slots[2].round == UINT32_MAX);
  schedule_plan_fini(&plan);
}

/* Two items share counter 0, which leads their half; the third finds a counter outside the half free in both rounds. If
 * its filter need is met by the filter's default, it counts all the time; if it or another item needs another value, it
 * counts in its own round only. */
static void items_beside_led_ones_run_always(void **state)
{
  static const struct schedule_half half = {.lead = 0, .counters = UINT32_MAX};
  static const struct {
    struct schedule_need own, other;
    bool always;
  } rows[] = {{{1, 0, 0xff, true}, {1, 0, 0xff, true}, true},
              {{1, 5, 0xff, false}, {1, 5, 0xff, false}, false},
              {{1, 0, 0xff, true}, {1, 5, 0xff, false}, false}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct schedule_item items[3] = {
        {.instances = 1, .counters = 3, .n_halves = 1, .halves = {half}, .choice = 1},
        {.instances = 1, .counters = 1, .n_halves = 1, .halves = {half}, .choice = 2, .n_needs = 1},
        {.instances = 1, .counters = 3, .n_needs = 1}};
    struct schedule_problem p = {.items = items, .n_items = 3};
    struct schedule_plan plan;
    struct schedule_conflict conflict;
    bool always = false;
    items[1].needs[0] = rows[i].other;
    items[2].needs[0] = rows[i].own;
    assert_int_equal(schedule_solve(&p, &conflict, &plan), 0);
    assert_int_equal(plan.rounds, 2);
    for (uint32_t k = 0; k < plan.n_slots; k++)
      if (plan.slots[k].item == 2 && plan.slots[k].round == UINT32_MAX) {
        always = true;
        assert_int_equal(plan.slots[k].counter, 1);
      }
    assert_int_equal(always, rows[i].always);
    schedule_plan_fini(&plan);
  }
}

static void conflicts_name_the_smallest_set(void **state)
{
  (void)state;
  struct schedule_item items[5] = {{.instances = 1, .counters = 15},
                                   {.instances = 1, .counters = 1},
                                   {.instances = 1, .counters = 15},
                                   {.instances = 1, .counters = 1},
                                   {.instances = 1, .counters = 15}};
  uint32_t members[] = {0, 1, 2, 3, 4};
  struct schedule_group g = {.items = members, .n = 5, .strict = true};
  struct schedule_problem p = {.items = items, .n_items = 5, .groups = &g, .n_groups = 1};
  struct schedule_plan plan;
  struct schedule_conflict c;
  assert_int_equal(schedule_solve(&p, &c, &plan), PMON_E_UNSCHEDULABLE);
  assert_int_equal(c.reason, SCHEDULE_TOO_MANY);
  assert_int_equal(c.n, 2);
  assert_true(c.items[0] == 1 && c.items[1] == 3);
  items[3].counters = 2;
  for (uint32_t i = 2; i < 5; i += 2) {
    items[i].n_needs = 1;
    items[i].needs[0] = (struct schedule_need){.resource = 9, .value = i, .mask = 0xff};
  }
  g.n = 5;
  assert_int_equal(schedule_solve(&p, &c, &plan), PMON_E_UNSCHEDULABLE);
  assert_int_equal(c.reason, SCHEDULE_SHARED);
  assert_int_equal(c.resource, 9);
  assert_true(c.n == 2 && c.items[0] == 2 && c.items[1] == 4);
  items[0].counters = 0;
  assert_int_equal(schedule_solve(&p, &c, &plan), PMON_E_UNSCHEDULABLE);
  assert_true(c.reason == SCHEDULE_NO_COUNTER && c.n == 1 && c.items[0] == 0);
}

/* In random groups that do not fit, no smaller part is already a conflict. */
static void conflicts_are_as_small_as_any(void **state)
{
  (void)state;
  uint32_t misfits = 0;
  seed = 6;
  for (int test = 0; test < 600; test++) {
    struct schedule_item items[MOST] = {{0}};
    uint32_t n = 2 + dice(MOST - 1), members[MOST], smallest = 0;
    random_items(items, n, test % 2, test % 3 == 0);
    for (uint32_t i = 0; i < n; i++)
      members[i] = i;
    struct schedule_group g = {.items = members, .n = n, .strict = true};
    struct schedule_problem p = {.items = items, .n_items = n, .groups = &g, .n_groups = 1};
    for (uint32_t set = 1; set < 1u << n; set++)
      if (!fits_brute(items, set) && (!smallest || __builtin_popcount(set) < __builtin_popcount(smallest)))
        smallest = set;
    struct schedule_plan plan;
    struct schedule_conflict c;
    if (!smallest) {
      assert_int_equal(schedule_solve(&p, &c, &plan), 0);
      schedule_plan_fini(&plan);
      continue;
    }
    assert_int_equal(schedule_solve(&p, &c, &plan), PMON_E_UNSCHEDULABLE);
    uint32_t named = 0;
    for (uint32_t i = 0; i < c.n; i++)
      named |= 1u << c.items[i];
    assert_int_equal(__builtin_popcount(named), __builtin_popcount(smallest));
    assert_false(fits_brute(items, named));
    misfits++;
  }
  assert_true(misfits > 100);
}

/* More items than a conflict can name, and fewer counters: the conflict names as many as it can. */
static void a_large_conflict_is_cut(void **state)
{
  enum { ITEMS = 20 };
  struct schedule_item items[ITEMS] = {{.unit = 0}};
  uint32_t members[ITEMS];
  const struct schedule_group group = {.items = members, .n = ITEMS, .strict = true};
  const struct schedule_problem p = {.items = items, .groups = &group, .n_items = ITEMS, .n_groups = 1};
  struct schedule_plan plan;
  struct schedule_conflict c;
  (void)state;
  for (uint32_t i = 0; i < ITEMS; i++) {
    items[i].instances = 1;
    items[i].counters = (1u << (ITEMS - 1)) - 1;
    members[i] = i;
  }
  assert_int_equal(schedule_solve(&p, &c, &plan), PMON_E_UNSCHEDULABLE);
  assert_int_equal(c.reason, SCHEDULE_TOO_MANY);
  assert_int_equal(c.n, SCHEDULE_CONFLICT);
}

static void large_problems_meet_their_bound(void **state)
{
  (void)state;
  enum { N = 200 };
  struct schedule_item *items = calloc(N, sizeof *items);
  seed = 4;
  random_items(items, N, false, false);
  for (uint32_t i = 0; i < N; i++) {
    items[i].unit = i % 5;
    items[i].instances = UINT64_MAX;
  }
  struct schedule_problem p = {.items = items, .n_items = N};
  struct schedule_plan plan;
  struct schedule_conflict c;
  assert_int_equal(schedule_solve(&p, &c, &plan), 0);
  check_plan(&p, &plan);
  assert_int_equal(plan.rounds, plan.lower_bound);
  schedule_plan_fini(&plan);
  free(items);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(counters_alone),
                                     cmocka_unit_test(with_shared_registers),
                                     cmocka_unit_test(with_groups),
                                     cmocka_unit_test(with_counters_that_lead),
                                     cmocka_unit_test(always_running_items_take_no_counter),
                                     cmocka_unit_test(items_beside_led_ones_run_always),
                                     cmocka_unit_test(conflicts_name_the_smallest_set),
                                     cmocka_unit_test(conflicts_are_as_small_as_any),
                                     cmocka_unit_test(a_large_conflict_is_cut),
                                     cmocka_unit_test(large_problems_meet_their_bound)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

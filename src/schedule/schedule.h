/* SPDX-License-Identifier: MIT */
/*
 * Scheduling: assigns each event a counter and a round, in as few rounds as possible.
 *
 * The scheduler knows items (the events to count), the banks of counters for which they compete (the instances of a
 * unit), and shared registers (a filter that affects several counters of an instance). It knows no register layout: a
 * shared register is a number, and two items are compatible if their values are equal in the bits that both need.
 */
#ifndef PMON_SCHEDULE_H
#define PMON_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

enum schedule_limit { SCHEDULE_NEEDS = 32, SCHEDULE_COUNTERS = 32, SCHEDULE_CONFLICT = 16, SCHEDULE_HALVES = 2 };

/* The item needs `value` in the bits of `mask` of the unit's shared register `resource`. kept: the register keeps this
 * value in each round in which no item needs another one. */
struct schedule_need {
  uint32_t resource;
  uint64_t value, mask;
  bool kept;
};

/* Counters whose selection depends on the counter `lead`. An item is on the lead of one of its halves, or on another
 * counter of that half while an item with the same `choice` and the same halves is on the lead. */
struct schedule_half {
  uint32_t lead, counters;
};

/* An item counts on all of its instances in the same round. */
struct schedule_item {
  uint32_t unit;
  uint64_t instances; /* bit n: it counts on instance n */
  uint32_t counters;  /* bit n: counter n can count it */
  bool always;        /* has a counter of its own (fixed, free-running): counts in every round */
  uint32_t n_needs;
  struct schedule_need needs[SCHEDULE_NEEDS];
  uint32_t n_halves;
  struct schedule_half halves[SCHEDULE_HALVES];
  uint64_t choice;
};

/* Items that should be in one round. strict: it is an error if they do not fit; otherwise they are split into parts
 * that do. */
struct schedule_group {
  const uint32_t *items;
  uint32_t n;
  bool strict;
};

struct schedule_problem {
  const struct schedule_item *items;
  const struct schedule_group *groups;
  uint32_t n_items, n_groups;
  uint32_t effort; /* maximum of search steps for a part without a closed solution; 0: the default */
};

/* Item `item` counts on `counter` of the instances in `instances`, in round `round`. UINT32_MAX: in every round; this
 * holds for items with their own counter, and for items with a counter that is free in all rounds. */
struct schedule_slot {
  uint32_t round, item, counter;
  uint64_t instances;
};

struct schedule_plan {
  struct schedule_slot *slots; /* ordered by round, item, instance */
  uint32_t n_slots, rounds;
  uint32_t lower_bound; /* no plan can have fewer rounds; equal to `rounds` if the plan is proved to be the shortest */
};

enum schedule_reason {
  SCHEDULE_NO_COUNTER, /* the item has no usable counter */
  SCHEDULE_TOO_MANY,   /* more items than counters that they may use */
  SCHEDULE_LEADS,      /* as before, because the counters that lead a half limit the selection */
  SCHEDULE_SHARED,     /* two items need different values of `resource` */
  SCHEDULE_LATCHED     /* as before, and separate rounds do not help; set by the caller, not by the scheduler */
};

/* The smallest set of items that cannot run together. */
struct schedule_conflict {
  enum schedule_reason reason;
  uint32_t n, items[SCHEDULE_CONFLICT], resource;
};

/* Makes the plan; the same problem always gives the same plan. The caller frees the slots with schedule_plan_fini().
 * PMON_OK; PMON_E_UNSCHEDULABLE with *conflict filled (the smallest, then the first); PMON_E_MEMORY. */
int schedule_solve(const struct schedule_problem *problem, struct schedule_conflict *conflict,
                   struct schedule_plan *ret_plan);
void schedule_plan_fini(struct schedule_plan *plan);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Events onto counters: which event counts on which counter in which round, in as few rounds as possible.
 *
 * The scheduler knows items (what has to be counted), the banks of counters that they compete for (the instances of a
 * unit), and shared registers (a filter that several counters of an instance look at). It knows no register layout:
 * a shared register is a number, and two items agree about it when their values are equal in the bits both need.
 */
#ifndef PMON_SCHEDULE_H
#define PMON_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

enum schedule_limit { SCHEDULE_NEEDS = 32, SCHEDULE_COUNTERS = 32, SCHEDULE_CONFLICT = 16, SCHEDULE_HALVES = 2 };

/* `value` in the bits of `mask` of the unit's shared register `resource`. kept: the register has this value in each
 * round in which no item needs another. */
struct schedule_need {
  uint32_t resource;
  uint64_t value, mask;
  bool kept;
};

/* Counters of which `lead` selects what the others count: an item is on the lead of one of its halves, or on another
 * counter of it while one of the same `choice` and the same halves is on the lead. */
struct schedule_half {
  uint32_t lead, counters;
};

/* An item counts on all of its instances in the same round. */
struct schedule_item {
  uint32_t unit;
  uint64_t instances; /* bit n: it counts on instance n */
  uint32_t counters;  /* bit n: counter n can take it */
  bool always;        /* has a counter of its own (fixed, free-running): runs in every round */
  uint32_t n_needs;
  struct schedule_need needs[SCHEDULE_NEEDS];
  uint32_t n_halves;
  struct schedule_half halves[SCHEDULE_HALVES];
  uint64_t choice;
};

/* Items that belong into one round. strict: it is an error when they do not fit; else they are then split into parts
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
  uint32_t effort; /* search steps for the part that has no closed solution; 0: the default */
};

/* Item `item` counts on `counter` of the instances in `instances`, in round `round`. UINT32_MAX: in every one, as items
 * with a counter of their own do, and those that find a counter which is free in all rounds. */
struct schedule_slot {
  uint32_t round, item, counter;
  uint64_t instances;
};

struct schedule_plan {
  struct schedule_slot *slots; /* ordered by round, item, instance */
  uint32_t n_slots, rounds;
  uint32_t lower_bound; /* no plan can have fewer rounds; equal to `rounds` when the plan is proved shortest */
};

enum schedule_reason {
  SCHEDULE_NO_COUNTER, /* the item names no counter at all */
  SCHEDULE_TOO_MANY,   /* more items than the counters they may use */
  SCHEDULE_LEADS,      /* the same, since counters that lead a half can select only so much */
  SCHEDULE_SHARED,     /* two items want `resource` differently */
  SCHEDULE_LATCHED     /* the same, and rounds do not help; the caller's, not the scheduler's */
};

/* The smallest set of items that cannot run together. */
struct schedule_conflict {
  enum schedule_reason reason;
  uint32_t n, items[SCHEDULE_CONFLICT], resource;
};

/* Makes the plan; the same problem gives the same plan. The slots are the caller's: schedule_plan_fini().
 * PMON_OK; PMON_E_UNSCHEDULABLE with *conflict filled (first by size, then by order); PMON_E_MEMORY. */
int schedule_solve(const struct schedule_problem *problem, struct schedule_conflict *conflict,
                   struct schedule_plan *ret_plan);
void schedule_plan_fini(struct schedule_plan *plan);

#endif

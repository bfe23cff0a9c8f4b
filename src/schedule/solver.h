/* SPDX-License-Identifier: MIT */
/* The solver's state, and its preparation (prepare.c) before the search (solve.c). */
#ifndef PMON_SCHEDULE_SOLVER_H
#define PMON_SCHEDULE_SOLVER_H

#include "bank.h"

struct bundle {
  const uint32_t *items;
  uint32_t n, one, part;
}; /* items points to `one` for a single item */

struct solver {
  const struct schedule_problem *p;
  struct bank_list banks;
  struct bundle *bundles;
  uint32_t n_bundles;
  uint32_t *split; /* items of bundles that are parts of groups */
  uint32_t *part_of_bank;
  uint32_t *order; /* bundles of the part being solved */
  uint32_t n_order;
  /* the rounds being filled: the items of each */
  uint32_t **rounds, *n_in_round;
  uint32_t used, cap_rounds;
  uint32_t *best_round; /* of each bundle */
  uint32_t *now_round;
  uint32_t best, bound, effort;
  bool exhausted;
};

/* Whether `n` items fit into one round together; `conflict` (may be NULL) gets the reason when not. */
bool solver_fits(const struct solver *s, const uint32_t *set, uint32_t n, struct schedule_conflict *conflict);

/* Each item must have a counter, and each strict group must fit: else PMON_E_UNSCHEDULABLE. */
int solver_check(const struct solver *s, struct schedule_conflict *conflict);

/* Groups that fit become bundles, and so do the largest parts of others that fit, and each item that is in none of
 * those. PMON_E_MEMORY. */
int solver_make_bundles(struct solver *s);

/* Bundles that meet on a bank, directly or through others, form one part; a part is named by its lowest bank.
 * PMON_E_MEMORY. */
int solver_make_parts(struct solver *s);

/* Items for which a counter is free in every round get slots of every round (steady.c). */
void solver_find_steady(const struct schedule_problem *p, struct schedule_plan *plan);

static inline uint32_t part_root(const uint32_t *part, uint32_t b)
{
  while (part[b] != b)
    b = part[b];
  return b;
}

#endif

/* SPDX-License-Identifier: MIT */
/* The solver's state, and its preparation (prepare.c) before the search (solve.c). */
#ifndef PMON_SCHEDULE_SOLVER_H
#define PMON_SCHEDULE_SOLVER_H

#include "src/schedule/bank.h"

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
  /* the rounds being filled, with the items of each */
  uint32_t **rounds, *n_in_round;
  uint32_t used, cap_rounds;
  uint32_t *best_round; /* round of each bundle */
  uint32_t *now_round;
  uint32_t best, bound, effort;
  bool exhausted;
};

/* True if `n` items fit into one round together; otherwise `conflict` (may be NULL) gets the reason. */
bool solver_fits(const struct solver *s, const uint32_t *set, uint32_t n, struct schedule_conflict *conflict);

/* Checks that each item has a counter, and that each strict group fits: else PMON_E_UNSCHEDULABLE. */
int solver_check(const struct solver *s, struct schedule_conflict *conflict);

/* Makes bundles of groups that fit, of the largest parts of other groups that fit, and of each item that is in none of
 * these. PMON_E_MEMORY. */
int solver_make_bundles(struct solver *s);

/* Joins bundles that share a bank, directly or through others, to parts; the number of a part is that of its lowest
 * bank. PMON_E_MEMORY. */
int solver_make_parts(struct solver *s);

/* Gives items for which a counter is free in every round slots of every round (steady.c). */
void solver_find_steady(const struct schedule_problem *p, struct schedule_plan *plan);

static inline uint32_t part_root(const uint32_t *part, uint32_t b)
{
  while (part[b] != b)
    b = part[b];
  return b;
}

#endif

/* SPDX-License-Identifier: MIT */
/* How the coder (visits.h) finds the rule that predicts an access: by what would have predicted it the last times. */
#ifndef MACHINE_TRACE_VISITS_LEARN_H
#define MACHINE_TRACE_VISITS_LEARN_H

#include "machine/trace/visits.h"

/* What the coder knows of a slot besides. It is brought up to date where the slot's rule fails, and with each access of
 * a slot that is not predicted. */
struct visit_learn {
  int64_t change;                  /* of the address, last time */
  int32_t distance[VISIT_SOURCES]; /* from recent accesses, last time */
  uint64_t fits;                   /* a bit for each rule that would have predicted the last time */
  uint32_t missed;                 /* the number of the block's visit in which the rule failed last */
  uint8_t doubt;                   /* how often it failed soon after another failure */
  uint8_t proofs;                  /* how often in a row one of `fits` would have predicted it */
  uint8_t shorter, need;           /* how often in a row a shorter offset would do, and the longest of these */
};

/* What is to be stored of an access. */
struct visit_choice {
  bool changed;             /* not as predicted */
  enum visit_change change; /* the slot's rule is already set to it */
  int64_t offset;
  unsigned length; /* code of the offset's */
};

/* The code of the shortest length. */
static inline unsigned visit_length(int64_t offset)
{
  const uint64_t m = offset < 0 ? ~(uint64_t)offset : (uint64_t)offset;

  return !offset ? 0 : m < 1u << 7 ? 1 : m < 1u << 15 ? 2 : m < 1u << 23 ? 3 : m < UINT64_C(1) << 31 ? 4 : 5;
}

/* The slot's next access, in the block's visit of that number, is `record`, which its rule does not predict.
 * RULE_FREE's offset is to be stored in any case. */
struct visit_choice visit_choose(const struct visit_model *m, struct visit_slot *s, struct visit_learn *l,
                                 uint64_t record, uint32_t visit);

#endif

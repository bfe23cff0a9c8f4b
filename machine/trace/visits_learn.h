/* SPDX-License-Identifier: MIT */
/* How the coder (visits.h) chooses the rule that predicts an access: it tests which rules would have predicted the
 * recent ones. */
#ifndef MACHINE_TRACE_VISITS_LEARN_H
#define MACHINE_TRACE_VISITS_LEARN_H

#include "machine/trace/visits.h"

/* The coder's additional state of a slot. It is updated when the slot's rule fails, and at each access of a slot with
 * RULE_FREE. */
struct visit_learn {
  int64_t change;                  /* of the address, at the last update */
  int32_t distance[VISIT_SOURCES]; /* from recent accesses, at the last update */
  uint64_t fits;                   /* one bit per rule that would have predicted the access at the last update */
  uint32_t missed;                 /* number of the block's visit in which the rule failed last */
  uint8_t doubt;                   /* number of failures that came soon after the previous one */
  uint8_t proofs;        /* RULE_FREE: number of consecutive accesses that one of `fits` would have predicted */
  uint8_t shorter, need; /* RULE_FREE: number of consecutive accesses with shorter offsets; the longest of these */
};

/* The data to be stored for an access. */
struct visit_choice {
  bool changed;             /* stored as a change of the visit */
  enum visit_change change; /* the slot already has the new rule */
  int64_t offset;
  unsigned length; /* code of the offset's length */
};

/* Returns the code of the shortest length that holds the offset. */
static inline unsigned visit_length(int64_t offset)
{
  const uint64_t m = offset < 0 ? ~(uint64_t)offset : (uint64_t)offset;

  return !offset ? 0 : m < 1u << 7 ? 1 : m < 1u << 15 ? 2 : m < 1u << 23 ? 3 : m < UINT64_C(1) << 31 ? 4 : 5;
}

/* Chooses how to store `record`, the slot's access in the block's visit number `visit`, which the slot's rule does not
 * predict. The caller stores RULE_FREE's offset in any case. */
struct visit_choice visit_choose(const struct visit_model *m, struct visit_slot *s, struct visit_learn *l,
                                 uint64_t record, uint32_t visit);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What a block of instructions takes when nothing is missed, worked out from a summary of its instructions, and the
 * branch that ends it.
 */
#ifndef MACHINE_COMMON_PACE_H
#define MACHINE_COMMON_PACE_H

#include "machine/common/fast.h"

/* How many instructions of each kind follow each other in the block's longest chain from a register to the same one at
 * its end; of dividers, all of the block's; what holds up the core. */
enum pace_part {
  PACE_ALU,
  PACE_LOAD,
  PACE_MUL,
  PACE_DIV,
  PACE_FADD,
  PACE_FMUL,
  PACE_FDIV,
  PACE_VECTOR,
  PACE_CHAIN_N,
  PACE_DIVS = PACE_CHAIN_N,
  PACE_FDIVS,
  PACE_LOCKED,
  PACE_FENCES,
  PACE_SERIAL,
  PACE_BRANCH,
  PACE_PARTS
};

/* A block's pace: in 1/256 of a core's cycle, and what comes with it. */
#define PACE_SHIFT 8
enum {
  PACE_UNKNOWN = 1,
  PACE_IS_BRANCH = 2,
  PACE_HOLDS = 4,
  PACE_SPLIT = 8 /* in several lines; set by who knows the block */
};
struct pace {
  uint32_t cycles; /* in 1/256 */
  uint16_t holds;  /* whole cycles of instructions that wait for all before them; not in `cycles` */
  uint8_t flags;
};
void pace_of(const struct traffic *t, const uint8_t parts[PACE_PARTS], uint32_t instructions, struct pace *ret_pace);

/* Its cycles where its thread has half of the core's width. */
uint32_t pace_shared(const struct traffic *t, uint32_t cycles, uint32_t instructions);

/* Gshare (S. McFarling, Combining Branch Predictors, WRL TN-36, 1993): counters of two bits, found by the branch's
 * address and whether the last branches were taken; they begin as weakly taken. What the place has of the address of
 * which `behind` is behind the branch: */
static inline uint64_t pace_branch(uint64_t behind)
{
  return (behind ^ behind >> 12) & (PREDICTOR - 1);
}
/* Whether the prediction was right of a branch with that pace_branch(). */
static inline bool pace_predicts(struct core_front *f, uint64_t branch, bool taken)
{
  /* Weakly taken is 0, strongly 1; 4 beside it: the prediction was wrong, which says nothing the next time. From 8 on:
   * of a branch that was taken. */
  static const uint8_t next[16] = {7, 4, 2, 2, 7, 4, 2, 2, 1, 1, 7, 4, 1, 1, 7, 4};
  uint8_t *counter = &f->taken[(branch ^ f->history) & (PREDICTOR - 1)];
  const uint64_t way = taken;
  const uint8_t now = next[*counter + 8 * way];
  f->history = 2 * f->history + way;
  f->branches++;
  *counter = now;
  return !(now & 4);
}
/* A branch was predicted wrongly, as is known at `resolved`. */
void pace_mispredict(struct traffic *t, unsigned core, fs_t resolved);
/* All loads and stores before are done, and then `cycles` pass. */
void pace_hold(struct traffic *t, unsigned core, uint32_t cycles);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The time of a basic block without cache misses, computed from a summary of its instructions, and the prediction of
 * the branch that ends it.
 */
#ifndef MACHINE_COMMON_PACE_H
#define MACHINE_COMMON_PACE_H

#include "machine/common/fast.h"

/* The summary of a block: instructions of each kind in its longest dependence chain from a register to the same
 * register at its end; all of its divisions; instructions that hold up the core; whether it ends with a branch. */
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

/* A block's pace, in 1/256 of a core cycle, and its flags. */
#define PACE_SHIFT 8
enum {
  PACE_UNKNOWN = 1,
  PACE_IS_BRANCH = 2,
  PACE_HOLDS = 4,
  PACE_SPLIT = 8 /* in several lines; set by a caller who knows the block */
};
struct pace {
  uint32_t cycles; /* in 1/256 */
  uint16_t holds;  /* whole cycles of instructions that wait for all before them; not in `cycles` */
  uint8_t flags;
};
void pace_of(const struct traffic *t, const uint8_t parts[PACE_PARTS], uint32_t instructions, struct pace *ret_pace);

/* Returns a block's cycles when its thread has half of the core's width. */
uint32_t pace_shared(const struct traffic *t, uint32_t cycles, uint32_t instructions);

/* Gshare (S. McFarling, Combining Branch Predictors, WRL TN-36, 1993): 2-bit counters, indexed by the branch's address
 * and the outcomes of the last branches; they begin as weakly taken. Returns the address's part of the index; `behind`
 * is the address after the branch. */
static inline uint64_t pace_branch(uint64_t behind)
{
  return (behind ^ behind >> 12) & (PREDICTOR - 1);
}
/* Predicts a branch with index `branch` from pace_branch(), and trains the predictor. Returns whether the prediction
 * was right. */
static inline bool pace_predicts(struct core_front *f, uint64_t branch, bool taken)
{
  /* Weakly taken is 0, strongly taken 1, strongly not taken 2, weakly not taken 3. 4 is added after a wrong prediction,
   * and ignored at the next one. Rows from 8 on: the branch was taken. */
  static const uint8_t next[16] = {7, 4, 2, 2, 7, 4, 2, 2, 1, 1, 7, 4, 1, 1, 7, 4};
  uint8_t *counter = &f->taken[(branch ^ f->history) & (PREDICTOR - 1)];
  const uint64_t way = taken;
  const uint8_t now = next[*counter + 8 * way];
  f->history = 2 * f->history + way;
  f->branches++;
  *counter = now;
  return !(now & 4);
}
/* The core mispredicted a branch, which is resolved at `resolved`: it waits until then and for the penalty. */
void pace_mispredict(struct traffic *t, unsigned core, fs_t resolved);
/* Waits until all earlier loads and stores are done, and then for `cycles` cycles. */
void pace_hold(struct traffic *t, unsigned core, uint32_t cycles);

#endif

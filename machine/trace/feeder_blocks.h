/* SPDX-License-Identifier: MIT */
/* How a block starts: the branch before it, its time, and its instruction fetch. Private to the feeder. */
#ifndef MACHINE_TRACE_FEEDER_BLOCKS_H
#define MACHINE_TRACE_FEEDER_BLOCKS_H

#include "machine/trace/dependence_watch.h"
#include "machine/trace/feeder_access.h"

/* In the following functions `p` is the place of the block, which the dependences have as the current one, and `branch`
 * the after_branch of the block before. feed_unusual() starts a block that lies in several lines, holds up the core, or
 * has no known pace, after its branch; feed_slower() one whose summary is not used, or that runs while the core's other
 * hardware thread has half of the core's width. feed_fetch() fetches the lines of block `r`. */
void feed_unusual(struct feeder *fd, struct traffic *t, struct core_front *front, struct dependence_place *p);
void feed_slower(struct feeder *fd, struct traffic *t, struct core_front *front, struct dependence_place *p,
                 uint64_t branch);
void feed_fetch(struct traffic *t, struct core_front *front, uint64_t r);
/* Apart: these do the part of feed_unusual() or feed_fetch() that is private; true if that is everything. */
bool feed_unusual_apart(struct feeder *fd, struct traffic *t, struct core_front *front, struct dependence_place *p);
bool feed_fetch_apart(struct feeder *fd, struct traffic *t, uint64_t r);
/* Does the rest of the current block's start. */
void feed_finish_pending(struct feeder *fd, struct traffic *t);

/* Predicts the branch with which the block before `r` may have ended; `branch` is that block's after_branch. */
static inline void feed_branch(struct feeder *fd, struct traffic *t, struct core_front *front, uint64_t branch,
                               uint64_t r)
{
  const bool taken = (branch ^ r << DEPENDENCE_AFTER_SHIFT) >> DEPENDENCE_AFTER_SHIFT;

  if (branch && !pace_predicts(front, branch, taken))
    pace_mispredict(t, fd->core, dependence_flags(&fd->dependences));
}

/* Starts a block while the feeder is `alone`. false: `apart`, and a part of the start is not done. */
static inline __attribute__((always_inline)) bool feed_block(struct feeder *fd, struct traffic *t,
                                                             struct core_front *front, struct dependence_place *p,
                                                             uint64_t branch, uint64_t r, bool apart)
{
  feed_branch(fd, t, front, branch, r);
  if (__builtin_expect(p->flags & (PACE_UNKNOWN | PACE_HOLDS | PACE_SPLIT), 0)) {
    if (apart)
      return feed_unusual_apart(fd, t, front, p);
    feed_unusual(fd, t, front, p);
    return true;
  }
  front_block_pass(front, p->cycles, p->instructions);
  if (front_block_recent(front, record_line(r)))
    return true;
  if (apart)
    return feed_fetch_apart(fd, t, r);
  feed_fetch(t, front, r);
  return true;
}

#endif

/* SPDX-License-Identifier: MIT */
/* Blocks that the feeder's main loop does not start. */
#include "machine/trace/feeder_blocks.h"

void feed_fetch(struct traffic *t, struct core_front *front, uint64_t r)
{
  traffic_block_slow(t, front, record_address(r), record_bytes(r));
}

/* Starts a block that has no known pace, holds up the core, or runs while the core's other hardware thread has half of
 * its width. */
static __attribute__((noinline)) void feed_special(struct feeder *fd, struct traffic *t, struct core_front *front,
                                                   struct dependence_place *p)
{
  const uint64_t r = p->record;

  if (p->flags & PACE_UNKNOWN) {
    if (p->cycles != fd->dependences.known)
      p->record &= NOTE_BLOCK_KEY; /* must be looked up again */
    front_block(t, front, record_address(r), record_bytes(r), record_count(r));
    return;
  }
  front_block_pass(front, fd->shares ? pace_shared(t, p->cycles, p->instructions) : p->cycles, p->instructions);
  if (p->flags & PACE_SPLIT || !front_block_recent(front, record_line(r)))
    feed_fetch(t, front, r);
  if (p->flags & PACE_HOLDS)
    pace_hold(t, fd->core, p->holds);
}

/* Most of these blocks lie in two lines. Every call is a tail call, so that there are no registers to save. */
void feed_unusual(struct feeder *fd, struct traffic *t, struct core_front *front, struct dependence_place *p)
{
  if (p->flags & (PACE_UNKNOWN | PACE_HOLDS)) {
    feed_special(fd, t, front, p);
    return;
  }
  front_block_pass(front, p->cycles, p->instructions);
  traffic_block_slow(t, front, record_address(p->record), record_bytes(p->record));
}

void feed_slower(struct feeder *fd, struct traffic *t, struct core_front *front, struct dependence_place *p,
                 uint64_t branch)
{
  const uint64_t r = p->record;

  if (!fd->paced) {
    front_block(t, front, record_address(r), record_bytes(r), record_count(r));
    return;
  }
  feed_branch(fd, t, front, branch, r);
  feed_special(fd, t, front, p);
}

/* Notes that a part of the current block's start is not private, so that the feeder is not done with it. Returns
 * false. */
static bool feed_set_pending(struct feeder *fd, enum feeder_pending pending)
{
  fd->pending = pending;
  fd->at_shared = true;
  return false;
}

bool feed_fetch_apart(struct feeder *fd, struct traffic *t, uint64_t r)
{
  return traffic_block_apart(t, fd->core, record_address(r), record_bytes(r)) || feed_set_pending(fd, PENDING_CODE);
}

bool feed_unusual_apart(struct feeder *fd, struct traffic *t, struct core_front *front, struct dependence_place *p)
{
  if (p->flags & PACE_UNKNOWN)
    return feed_set_pending(fd, PENDING_ALL);
  front_block_pass(front, p->cycles, p->instructions);
  if (!feed_fetch_apart(fd, t, p->record))
    return false;
  if (p->flags & PACE_HOLDS)
    pace_hold(t, fd->core, p->holds);
  return true;
}

void feed_finish_pending(struct feeder *fd, struct traffic *t)
{
  struct core_front *front = traffic_front(t, fd->core);
  struct dependence_place *p = fd->dependences.now;

  if (fd->pending == PENDING_ALL) {
    feed_special(fd, t, front, p);
  } else {
    feed_fetch(t, front, p->record);
    if (p->flags & PACE_HOLDS)
      pace_hold(t, fd->core, p->holds);
  }
  fd->pending = PENDING_NONE;
}

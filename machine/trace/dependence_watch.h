/* SPDX-License-Identifier: MIT */
/*
 * What is asked of dependences (machine/trace/dependence.h) for every block and access while a load is under way:
 * inline, because a call would cost as much as the answer.
 */
#ifndef MACHINE_TRACE_DEPENDENCE_WATCH_H
#define MACHINE_TRACE_DEPENDENCE_WATCH_H

#include "machine/trace/dependence.h"

/* Whether an address of the current block may not be known yet. */
static inline bool dependence_waits(const struct dependences *d)
{
  return d->later && d->now->flow.addresses & d->later;
}

/* While it watches: the block ends, and the one of that place begins at `now`, before `until`. */
static inline void dependence_cross(struct dependences *d, struct dependence_place *p, fs_t now)
{
  const struct dependence_flow *f = &d->now->flow;

  d->now = p;
  d->behind = p->flow.of;
  if (!d->later)
    return;
  if (__builtin_expect(d->late_end[-1].ready <= now, 0))
    dependence_arrive(d, now);
  if (d->later & f->touches)
    dependence_pass(d, f);
}

/* When all of these sources are there; 0: they are. */
static inline fs_t dependence_all(const struct dependences *d, uint64_t sources)
{
  const struct dependence_late *l = d->late_first;

  if (!(sources & d->later))
    return 0;
  while (!(l->of & sources))
    l++;
  return l->ready;
}

/* While it watches: when the flags are there that the last block sets; 0: they are. */
static inline fs_t dependence_flags(const struct dependences *d)
{
  return d->watches ? dependence_all(d, UINT64_C(1) << NOTE_FLAGS) : 0;
}

/* While it watches: the data of a load with that ordinal are there at `done`. What nothing depends on is left out. */
static inline void dependence_loaded(struct dependences *d, unsigned ordinal, fs_t done)
{
  const uint64_t bit = UINT64_C(1) << ((NOTE_REGISTERS + ordinal) & 63);

  d->until = done > d->until ? done : d->until;
  if (ordinal >= NOTE_LOADS || !((d->now->flow.feeds | d->now->flow.addresses) & bit))
    return;
  if (!d->later)
    d->late_first = d->late_end = d->late + 2 * DEPENDENCE_LATE;
  else if (__builtin_expect(d->later & bit || done <= d->late_first->ready || d->late_first == d->late, 0)) {
    dependence_late_add(d, bit, done);
    return;
  }
  *--d->late_first = (struct dependence_late){done, bit};
  d->later |= bit;
}

/* While it watches: when the address of the access with that ordinal is known; 0: from the start. */
static inline fs_t dependence_ready(struct dependences *d, unsigned ordinal)
{
  const uint64_t wanted = NOTE_ACCESS << (RECORD_NOTE_SHIFT - NOTE_NUMBER_SHIFT) | ordinal;

  while (d->behind[-1] >> NOTE_NUMBER_SHIFT < wanted)
    d->behind--;
  const uint64_t found = d->behind[-1];
  return found >> NOTE_NUMBER_SHIFT == wanted ? dependence_all(d, found & NOTE_SOURCES) : 0;
}

#endif

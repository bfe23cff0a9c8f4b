/* SPDX-License-Identifier: MIT */
/*
 * Queries of dependences (machine/trace/dependence.h) for every block and access while a load is in flight: inline,
 * because a call would cost as much as the query itself.
 */
#ifndef MACHINE_TRACE_DEPENDENCE_WATCH_H
#define MACHINE_TRACE_DEPENDENCE_WATCH_H

#include "machine/trace/dependence.h"

/* True if an address of the current block may depend on data in flight. */
static inline bool dependence_waits(const struct dependences *d)
{
  return d->in_flight && d->now->flow.addresses & d->in_flight;
}

/* As dependence_propagate_all(), which is the rare case: the data in flight have more than two arrival times, or the
 * sources that the block uses are not those of the last query. */
static inline __attribute__((always_inline)) void dependence_propagate(struct dependences *d,
                                                                       const struct dependence_flow *f)
{
  struct dependence_late *l = d->late_first;
  const uint64_t used = l->of & f->feeds;
  uint64_t last = l->of & f->keeps;

  if (used) {
    if (f->of[DEPENDENCE_ASKED] != used) {
      dependence_propagate_all(d, f);
      return;
    }
    last |= f->of[DEPENDENCE_ANSWER];
  }
  uint64_t all = last;
  if (d->late_end != l + 1) {
    if (d->late_end != l + 2 || l[1].of & f->feeds) {
      dependence_propagate_all(d, f);
      return;
    }
    all |= l[1].of & f->keeps;
    if (all == last) {
      d->late_end--;
      d->soonest = l->ready;
    } else if (!last) {
      d->late_first++;
    }
    l[1].of = all & ~last;
  }
  l->of = last;
  d->in_flight = all;
}

/* Only while tracking: ends the current block at `now`, which is before `until`, and starts the block of place `p`. */
static inline void dependence_next_block(struct dependences *d, struct dependence_place *p, fs_t now)
{
  const struct dependence_flow *f = &d->now->flow;

  d->now = p;
  d->next_note = p->flow.of;
  if (__builtin_expect(d->soonest <= now, 0))
    dependence_arrive(d, now);
  if (d->in_flight & f->touches)
    dependence_propagate(d, f);
}

/* Returns the time at which all of these sources are available; 0: they are now. */
static inline fs_t dependence_all(const struct dependences *d, uint64_t sources)
{
  const struct dependence_late *l = d->late_first;

  if (!(sources & d->in_flight))
    return 0;
  while (!(l->of & sources))
    l++;
  return l->ready;
}

/* Returns the time at which the flags set by the last block are available; 0: they are now. */
static inline fs_t dependence_flags(const struct dependences *d)
{
  return d->watches ? dependence_all(d, UINT64_C(1) << NOTE_FLAGS) : 0;
}

/* Only while tracking: the data of the load with that ordinal arrive at `done`. Data on which nothing depends are not
 * tracked. */
static inline void dependence_loaded(struct dependences *d, unsigned ordinal, fs_t done)
{
  const uint64_t bit = UINT64_C(1) << ((NOTE_REGISTERS + ordinal) & 63);

  d->until = done > d->until ? done : d->until;
  if (ordinal >= NOTE_LOADS || !((d->now->flow.feeds | d->now->flow.addresses) & bit))
    return;
  if (!d->in_flight) {
    d->late_first = d->late_end = d->late + 2 * DEPENDENCE_LATE;
    d->soonest = done;
  } else if (__builtin_expect(d->in_flight & bit || done <= d->late_first->ready || d->late_first == d->late, 0)) {
    dependence_late_add(d, bit, done);
    return;
  }
  *--d->late_first = (struct dependence_late){done, bit};
  d->in_flight |= bit;
}

/* Only if dependence_waits(): returns the time at which the address of the access with that ordinal is known; 0: from
 * the start. */
static inline fs_t dependence_ready(struct dependences *d, unsigned ordinal)
{
  const uint64_t wanted = NOTE_ACCESS << (RECORD_NOTE_SHIFT - NOTE_NUMBER_SHIFT) | ordinal;

  while (d->next_note[-1] >> NOTE_NUMBER_SHIFT < wanted)
    d->next_note--;
  const uint64_t found = d->next_note[-1];
  if (found >> NOTE_NUMBER_SHIFT != wanted)
    return 0;
  /* most wait for the data that arrive last; the note's other bits are those of no source */
  return d->late_first->of & found ? d->late_first->ready : dependence_all(d, found & NOTE_SOURCES);
}

#endif

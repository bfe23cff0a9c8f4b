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
  return d->later && d->now->addresses & d->later;
}

/* While it watches: when the flags are there that the last block sets; 0: they are. */
static inline fs_t dependence_flags(const struct dependences *d)
{
  return d->watches && d->later >> NOTE_FLAGS & 1 ? d->ready[NOTE_FLAGS] : 0;
}

/* The block whose place is `p` becomes the current one. */
static inline void dependence_enter(struct dependences *d, struct dependence_place *p)
{
  const uint64_t key = d->block & NOTE_BLOCK_KEY;

  if (__builtin_expect(p->key != key || p->blocks != d->table->n_blocks + 1, 0))
    dependence_notes_find(d, key, p);
  d->now = p;
  d->next = 0;
}

/* While it watches: the data of a load with that ordinal are there at `done`. What nothing depends on is left out. */
static inline void dependence_loaded(struct dependences *d, unsigned ordinal, fs_t done)
{
  const unsigned i = NOTE_REGISTERS + ordinal;
  const uint64_t bit = UINT64_C(1) << (i & 63);

  d->until = done > d->until ? done : d->until;
  if (!d->now)
    dependence_enter(d, dependence_place(d, d->block));
  if (ordinal < NOTE_LOADS && d->now->uses & bit && (!(d->later & bit) || done > d->ready[i])) {
    d->ready[i] = done;
    d->later |= bit;
  }
}

/* When all of these sources are there. */
static inline fs_t dependence_all(const struct dependences *d, uint64_t sources)
{
  fs_t all = 0;

  for (; sources; sources &= sources - 1) {
    const fs_t one = d->ready[__builtin_ctzll(sources)];

    all = one > all ? one : all;
  }
  return all;
}

/* While it watches: when the address of the access with that ordinal is known; 0: from the begin. */
static inline fs_t dependence_ready(struct dependences *d, unsigned ordinal)
{
  const struct dependence_place *p = d->now;
  const uint64_t *note = d->table->note + p->first;

  while (d->next < p->accesses && record_note_number(note[d->next]) < ordinal)
    d->next++;
  return d->next < p->accesses && record_note_number(note[d->next]) == ordinal
             ? dependence_all(d, note[d->next] & d->later)
             : 0;
}

/* The registers that depend on those sources, which the block that ends uses and which were not there, and that are not
 * there `now` either: their times. */
static inline uint64_t dependence_results(struct dependences *d, uint64_t sources, fs_t now)
{
  const struct dependence_place *p = d->now;
  const uint64_t *note = d->table->note + p->first + p->accesses, *end = d->table->note + p->first + p->n;
  uint64_t set = 0;
  fs_t after[NOTE_REGISTERS];

  for (; note < end; note++) {
    const unsigned number = record_note_number(*note);

    if (!(*note & sources))
      continue;
    after[number] = dependence_all(d, *note & sources);
    set |= (uint64_t)(after[number] > now) << number;
  }
  for (uint64_t left = set; left; left &= left - 1) {
    const unsigned number = (unsigned)__builtin_ctzll(left);

    d->ready[number] = after[number];
    d->soonest = after[number] < d->soonest ? after[number] : d->soonest;
  }
  return set;
}

/* Of the registers that are later, those that are so `now` still. */
static inline uint64_t dependence_remain(struct dependences *d, uint64_t later, fs_t now)
{
  d->soonest = UINT64_MAX;
  for (uint64_t left = later; left; left &= left - 1) {
    const fs_t ready = d->ready[__builtin_ctzll(left)];

    if (ready <= now)
      later &= ~(left & -left);
    else if (ready < d->soonest)
      d->soonest = ready;
  }
  return later;
}

/* While it watches: the block ends, and the one with that record and place begins at `now`. */
static inline void dependence_cross(struct dependences *d, uint64_t block, struct dependence_place *p, fs_t now)
{
  const uint64_t registers = (UINT64_C(1) << NOTE_REGISTERS) - 1;
  uint64_t later = d->later;

  d->block = block;
  if (d->until <= now) {
    d->watches = false;
    d->now = NULL;
    return;
  }
  if (later) {
    const uint64_t used = d->now->uses & later;

    later &= registers & ~d->now->sets;
    later |= used ? dependence_results(d, used, now) : 0;
    if (d->soonest <= now)
      later = dependence_remain(d, later, now);
    d->later = later;
  }
  d->now = NULL;
  if (later)
    dependence_enter(d, p);
}

#endif

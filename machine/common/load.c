/* SPDX-License-Identifier: MIT */
/*
 * A load that misses L1: it takes a fill buffer, requests its line from L2, and is in the window until its data arrive.
 * It starts when its address is known.
 */
#include "machine/common/miss.h"
#include "machine/common/queues.h"

/* The longest time from an instruction to the start of its load: resources are booked no further ahead (slots.h). */
#define AHEAD_FS UINT64_C(500000000)

/* Takes a fill buffer for a load that waits for its address. The load holds the buffer from its start on; the core does
 * not wait. */
static inline fs_t *load_fill_waiting(struct traffic *t, struct core *c, struct translation *known, fs_t *at)
{
  if (__builtin_expect(*at > c->front.time + AHEAD_FS, 0))
    core_wait(c, &c->totals.load_stall_fs, *at - AHEAD_FS);
  fs_t *buffer = buffer_take(t, c->waiting, &c->next_waiting, *at);
  *at = fs_later(*at + core_dtlb(t, c, known), *buffer);
  return buffer;
}

/* Takes a fill buffer for a load whose address is known; the core waits for the buffer. */
static inline fs_t *load_fill_ready(struct traffic *t, struct core *c, struct translation *known, fs_t *at)
{
  stores_ask(t, c, c->front.time);
  *at = c->front.time;
  fs_t *fill = fill_take(t, c, at);
  core_wait(c, &c->totals.load_stall_fs, *at);
  *at += core_dtlb(t, c, known);
  return fill;
}

/* Adds a load whose data arrive at `done` to the window, unless they arrive before the core could have to wait for
 * them. */
static inline void load_enter(struct traffic *t, struct core *c, fs_t done)
{
  if (done > c->front.time + c->window_fs)
    window_add(t, c, done);
}

/* Load of a line that the L1 prefetcher has not fetched. Returns the time at which the data arrive. */
static inline __attribute__((always_inline)) fs_t load_fetch(struct traffic *t, struct core *c, uint64_t virtual,
                                                             struct translation *known)
{
  struct core_front *f = &c->front;
  const uint64_t line = translation_line(known, virtual);
  fs_t at = f->ready;
  fs_t *buffer = at > f->time ? load_fill_waiting(t, c, known, &at) : load_fill_ready(t, c, known, &at);
  const fs_t done = *buffer = core_l2_load(t, c, line, known->page, at);
  f->filling[virtual & 63] = (struct on_way){virtual, done};
  if (t->prefetch)
    prefetch_train(t, c, line, known->page, false);
  if (t->prefetch_l1)
    prefetch_next(t, c, virtual, line, known->page);
  load_enter(t, c, done);
  return done;
}

/* Load of a line that the L1 prefetcher has fetched, and that arrives at `done`. Returns this time; 0: the data have
 * arrived already. */
static __attribute__((noinline)) fs_t load_fetched(struct traffic *t, struct core *c, uint64_t virtual,
                                                   const struct translation *known, fs_t done)
{
  c->front.filling[virtual & 63] = (struct on_way){virtual, done};
  if (t->prefetch_l1)
    prefetch_next(t, c, virtual, translation_line(known, virtual), known->page);
  if (done <= c->front.time)
    return 0;
  load_enter(t, c, done);
  return done;
}

void core_load(struct traffic *t, struct core *c, uint64_t virtual, struct translation *known)
{
  const fs_t ahead = prefetch_take(c, virtual);
  const fs_t done = ahead ? load_fetched(t, c, virtual, known, ahead) : load_fetch(t, c, virtual, known);
  c->arrived |= !done;
  c->front.done = fs_later(c->front.done, done);
}

fs_t traffic_load_missed(struct traffic *t, struct core_front *front, uint64_t va, uint32_t size, fs_t ready)
{
  struct core *c = (struct core *)(void *)front; /* struct core begins with it */
  const uint64_t virtual = va >> 6;
  fs_t done = 0;
  (void)size; /* the access lies within a line; test doubles record this */
  core_advance(t, c);
  c->missed = false;
  front->ready = ready;
  struct translation *known = core_translation(t, c, virtual);
  if (__builtin_expect(!known, 0)) {
    c->totals.read_l1_misses++;
  } else {
    const fs_t ahead = prefetch_take(c, virtual);
    if (__builtin_expect(ahead != 0, 0)) {
      done = load_fetched(t, c, virtual, known, ahead);
      c->totals.read_l1_misses += done != 0;
    } else {
      done = load_fetch(t, c, virtual, known);
      c->totals.read_l1_misses++;
    }
  }
  front->ready = 0;
  if (c->missed) /* not added: gcc would add to both totals in one vector register */
    c->totals.read_llc_misses++;
  return done;
}

/* SPDX-License-Identifier: MIT */
/*
 * A load that misses L1: it takes a fill buffer, requests its line from L2, and is in the window until its data arrive.
 * It starts when its address is known.
 */
#include "machine/common/miss.h"
#include "machine/common/queues.h"

/* The longest time from an instruction to the start of its load: resources are booked no further ahead (slots.h). */
#define AHEAD_FS UINT64_C(500000000)

/* Waits for a fill buffer, which becomes the next one. Returns the time at which the load starts. The core waits unless
 * the load waits for its address: then it holds the buffer from its start on. `dtlb`: the time from the load to its
 * translation. */
static __attribute__((noinline)) fs_t load_wait(struct core *c, enum fill_kind kind, fs_t dtlb, fs_t at)
{
  buffer_find(&c->fill, kind, at);
  if (kind == FILL_WAITING)
    return fs_later(at + dtlb, *c->fill.next[kind]) - dtlb;
  core_wait(c, &c->totals.load_stall_fs, *c->fill.next[kind]);
  return c->front.time;
}

/* The prefetchers of L2 and of L1 request lines after a load whose address is known at `ready`. Not inline, because few
 * loads come here. */
static __attribute__((noinline)) void load_stream(struct traffic *t, struct core *c, const struct translation *known,
                                                  fs_t ready)
{
  const fs_t before = c->front.ready;
  c->front.ready = ready;
  stream_go_on(t, c, known->stream, known->page, false);
  c->front.ready = before;
}
static __attribute__((noinline)) void load_prefetch(struct traffic *t, struct core *c, uint64_t virtual,
                                                    const struct translation *known, fs_t ready)
{
  const fs_t before = c->front.ready;
  c->front.ready = ready;
  prefetch_next_line(t, c, virtual, translation_line(known, virtual), known->page);
  c->front.ready = before;
}

/* Load of a line that the L1 prefetcher has not fetched. Returns the time at which the data arrive. */
static inline __attribute__((always_inline)) fs_t load_fetch(struct traffic *t, struct core *c, uint64_t virtual,
                                                             struct translation *known, fs_t ready)
{
  struct core_front *f = &c->front;
  const uint64_t line = translation_line(known, virtual);
  /* Whether the load waits for its address is no branch, because the host could not predict it. */
  const enum fill_kind kind = ready > f->time ? FILL_WAITING : FILL_READY;
  if (__builtin_expect(f->time >= c->queues.ask_at, 0) && kind == FILL_READY)
    stores_ask_slowly(t, c, f->time);
  if (__builtin_expect(ready > f->time + AHEAD_FS, 0))
    core_wait(c, &c->totals.load_stall_fs, ready - AHEAD_FS);
  fs_t at = fs_later(ready, f->time);
  const fs_t dtlb = core_dtlb(t, c, known);
  if (__builtin_expect(*c->fill.next[kind] > at, 0))
    at = load_wait(c, kind, dtlb, at);
  fs_t *buffer = buffer_take(&c->fill, kind);
  const fs_t done = *buffer = core_l2_load(t, c, line, known->page, at + dtlb);
  f->filling[virtual & 63] = (struct on_way){virtual, done};
  if (stream_follow(known->stream, (struct in_page){known->first, (int)(virtual & 63)}) && t->prefetch)
    load_stream(t, c, known, ready);
  if (__builtin_expect(prefetch_has_next(c, virtual, line), 0) && t->prefetch_l1)
    load_prefetch(t, c, virtual, known, ready);
  return window_add(t, c, done);
}

/* Load of a line that the L1 prefetcher has fetched, and that arrives at `done`. Returns this time; 0: the data have
 * arrived already. */
static __attribute__((noinline)) fs_t load_fetched(struct traffic *t, struct core *c, uint64_t virtual,
                                                   const struct translation *known, fs_t ready)
{
  const fs_t done = prefetch_take(c, virtual);
  c->front.filling[virtual & 63] = (struct on_way){virtual, done};
  if (t->prefetch_l1 && prefetch_has_next(c, virtual, translation_line(known, virtual)))
    load_prefetch(t, c, virtual, known, ready);
  if (done <= c->front.time)
    return 0;
  return window_add(t, c, done);
}

void core_load(struct traffic *t, struct core *c, uint64_t virtual, struct translation *known)
{
  const fs_t ready = c->front.ready;
  const fs_t done =
      prefetch_has(c, virtual) ? load_fetched(t, c, virtual, known, ready) : load_fetch(t, c, virtual, known, ready);
  c->arrived |= !done;
  c->front.done = fs_later(c->front.done, done);
}

fs_t traffic_load_missed(struct traffic *t, struct core_front *front, uint64_t address, fs_t ready)
{
  struct core *c = (struct core *)(void *)front; /* struct core begins with it */
  const uint64_t virtual = front_line(address);
  first_fill(&front->l1d, virtual);
  front->accesses[ACCESS_LOAD]++;
  core_advance(t, c);
  c->missed = false;
  struct translation *known = core_translation(t, c, virtual);
  fs_t done = 0;
  if (__builtin_expect(!known, 0)) {
    c->totals.read_l1_misses++;
  } else if (__builtin_expect(prefetch_has(c, virtual), 0)) {
    done = load_fetched(t, c, virtual, known, ready);
    c->totals.read_l1_misses += done != 0;
  } else {
    c->totals.read_l1_misses++;
    done = load_fetch(t, c, virtual, known, ready);
  }
  if (c->missed) /* not added: gcc would add to both totals in one vector register */
    c->totals.read_llc_misses++;
  return done;
}

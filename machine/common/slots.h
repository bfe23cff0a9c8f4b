/* SPDX-License-Identifier: MIT */
/*
 * A resource that serves one request at a time (a link, a pipeline, a data bus), booked by time and not in the order of
 * calls: requests are simulated one after another, but their steps overlap in simulated time. Time is divided into
 * buckets; a booking takes its duration from the first bucket at or after its time that has room, so a step booked far
 * ahead does not delay one that is booked later for an earlier time. Within the latest unbroken run of bookings they
 * also follow each other exactly.
 */
#ifndef MACHINE_COMMON_SLOTS_H
#define MACHINE_COMMON_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include "machine/pmon/block.h"

#define SLOTS_SHIFT 24 /* a bucket is 16.8 ns */
#define SLOTS_BUCKETS 64u
#define SLOTS_LENGTH (1u << SLOTS_SHIFT)

static inline fs_t fs_later(fs_t a, fs_t b)
{
  return a > b ? a : b;
}

struct slots_run {
  fs_t begin, end;
};
/* bucket: the beginning of a bucket plus the time in it that is used, at most to its end; an entry before the bucket is
 * an earlier one's, so that all of the bucket is free. */
struct slots {
  struct slots_run run;
  fs_t bucket[SLOTS_BUCKETS];
};

/* As slots_book(), where the first bucket has no room, or belongs to a later time already. */
fs_t slots_book_slowly(struct slots_run *run, fs_t *bucket, size_t stride, fs_t at, uint32_t duration);

/* Adds a booking that could begin at `start`, after the others of its bucket, to the run. If it overlaps the run, it
 * follows the run. Returns its beginning. */
static inline fs_t slots_run_join(struct slots_run *run, fs_t start, uint32_t duration)
{
  if (start >= run->end)
    run->begin = start;
  else if (start + duration > run->begin)
    start = run->end;
  else /* in a gap before the run */
    return start;
  run->end = start + duration;
  return start;
}

/* Books `duration` (at most a bucket) at `at` or later. Returns the time at which it begins. A booking may run over
 * into the next bucket, so that no time is lost where durations do not divide a bucket, and none is booked twice. The
 * buckets are `stride` apart. */
static inline fs_t slots_book(struct slots_run *run, fs_t *bucket, size_t stride, fs_t at, uint32_t duration)
{
  const fs_t begin = at & ~(fs_t)(SLOTS_LENGTH - 1);
  fs_t *b = &bucket[(at >> SLOTS_SHIFT) % SLOTS_BUCKETS * stride];
  const fs_t free = fs_later(*b, begin), end = free + duration;
  if (__builtin_expect(end > begin + SLOTS_LENGTH, 0)) /* no room, or the entry of a later bucket */
    return slots_book_slowly(run, bucket, stride, at, duration);
  *b = end;
  return slots_run_join(run, fs_later(free, at), duration);
}

static inline fs_t slots_take(struct slots *s, fs_t at, uint32_t duration)
{
  return slots_book(&s->run, s->bucket, 1, at, duration);
}

/* A fixed number of entries (of a queue, a tracker), each held until a time; HOLDERS_OPEN: this is not known yet. */
#define MAX_HOLDERS 256u
#define HOLDERS_OPEN ((fs_t)INT64_MAX)
#define HOLDERS_GROUP 8u
/* No entry is free before none_before. least: the earliest time of each group of entries, unless its bit of `stale` is
 * set. */
struct holders {
  uint32_t n, next, stale;
  fs_t none_before, least[MAX_HOLDERS / HOLDERS_GROUP], until[MAX_HOLDERS];
};

/* Returns the first of `n` entries that is free at `at`; n: none is. `until`: the times until which they are held,
 * below 2^63. For an odd `n`, this reads one more time. */
static inline uint32_t entries_first(const fs_t *until, uint32_t n, fs_t at)
{
#ifdef __SSE2__
  const __m128i after = _mm_set1_epi64x((long long)(at + 1));
  for (uint32_t k = 0; k < n; k += 2) {
    __m128i left = _mm_sub_epi64(_mm_loadu_si128((const __m128i *)(const void *)(until + k)), after);
    unsigned over = (unsigned)_mm_movemask_pd(_mm_castsi128_pd(left)); /* the signs: whose time has passed */
    if (over) {
      k += !(over & 1);
      return k < n ? k : n;
    }
  }
  return n;
#else
  uint32_t k = 0;
  while (k < n && until[k] > at)
    k++;
  return k;
#endif
}
static inline uint32_t holders_first(const struct holders *h, fs_t at)
{
  return entries_first(h->until, h->n, at);
}

/* Holds entry `i` until `until`. */
static inline void holders_keep(struct holders *h, uint32_t i, fs_t until)
{
  h->until[i] = until;
  h->stale |= 1u << i / HOLDERS_GROUP;
  h->none_before = until < h->none_before ? until : h->none_before;
}

/* Returns the earliest time of the entries from `k` to before `end`, and of `soonest`. */
static inline fs_t holders_least(const fs_t *until, uint32_t k, uint32_t end, fs_t soonest)
{
  const fs_t *p = until + k, *const last = until + end;
  for (; last - p >= 4; p += 4) { /* two halves that do not depend on each other */
    const fs_t a = p[0] < p[1] ? p[0] : p[1], b = p[2] < p[3] ? p[2] : p[3], least = a < b ? a : b;
    soonest = least < soonest ? least : soonest;
  }
  for (; p < last; p++)
    soonest = *p < soonest ? *p : soonest;
  return soonest;
}

/* Returns the entry that is free first when all are in use: `i`, or the first of those that are free sooner. */
static inline uint32_t holders_soonest(struct holders *h, uint32_t i)
{
  const uint32_t groups = (h->n + HOLDERS_GROUP - 1) / HOLDERS_GROUP;
  for (; h->stale; h->stale &= h->stale - 1) {
    const uint32_t group = (uint32_t)__builtin_ctz(h->stale), first = group * HOLDERS_GROUP;
    const uint32_t end = first + HOLDERS_GROUP;
    h->least[group] = holders_least(h->until, first, end < h->n ? end : h->n, UINT64_MAX);
  }
  h->none_before = holders_least(h->least, 0, groups, UINT64_MAX);
  if (h->until[i] == h->none_before)
    return i;
  for (i = 0; h->least[i] != h->none_before; i++)
    ;
  for (i *= HOLDERS_GROUP; h->until[i] != h->none_before; i++)
    ;
  return i;
}

/* True if an entry is free at `at`. */
static inline bool holders_free(struct holders *h, fs_t at)
{
  if (at < h->none_before)
    return false;
  if (h->until[h->next] <= at || holders_first(h, at) < h->n)
    return true;
  holders_soonest(h, h->next);
  return false;
}

/* Returns an entry that is free at *at, or the one that is free first; then *at becomes that time. */
static inline uint32_t holders_take(struct holders *h, fs_t *at)
{
  uint32_t i = h->next;
  if (h->until[i] > *at) {
    const uint32_t first = *at < h->none_before ? h->n : holders_first(h, *at);
    if (first == h->n) {
      i = holders_soonest(h, i);
      *at = h->until[i];
    } else {
      i = first;
    }
  }
  h->next = i + 1 == h->n ? 0 : i + 1;
  return i;
}

/* Returns the one of a few entries that is free first; *at becomes the time at which it can be taken. */
static inline unsigned few_take(const fs_t *until, unsigned n, fs_t *at)
{
  unsigned first = 0;
  for (unsigned i = 1; i < n; i++)
    if (until[i] < until[first])
      first = i;
  *at = until[first] > *at ? until[first] : *at;
  return first;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/filter.h"

#include <stdlib.h>
#include <string.h>
#include "machine/trace/ring.h"

enum { SHARED_LINES = 1 << 16 };

struct filter filter_none; /* FILTER_NO_LINE is 0 */

/* Other threads read a filter without a lock: the memory of a released filter is kept for the next owner. If two
 * threads access a line at the same moment, the filters may miss once that it is shared. */
static struct filter *filters[RING_THREADS];
static bool used[RING_THREADS];
static unsigned most;  /* filters below this index have been in use */
static unsigned lives; /* filters in use now */
static uint64_t shared[SHARED_LINES];
static bool has_shared;

void filter_clear(struct filter *f)
{
  for (unsigned i = 0; i < FILTER_LINES / 4; i++)
    __atomic_store_n(&f->lines[i], FILTER_NO_LINE, __ATOMIC_RELAXED);
  memset(f->code, 0, sizeof f->code);
}

static bool filter_make(unsigned i)
{
  struct filter *const before = __atomic_load_n(&filters[i], __ATOMIC_RELAXED); /* set by an earlier owner of used[i] */
  struct filter *f = before ? before : aligned_alloc(64, sizeof *f);

  if (!f)
    return false;
  filter_clear(f);
  __atomic_store_n(&filters[i], f, __ATOMIC_RELEASE);
  for (unsigned n = __atomic_load_n(&most, __ATOMIC_RELAXED); n <= i;)
    if (__atomic_compare_exchange_n(&most, &n, i + 1, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
      break;
  return true;
}

struct filter *filter_claim(void)
{
  unsigned i = 0;

  while (i < RING_THREADS && __atomic_exchange_n(&used[i], true, __ATOMIC_ACQUIRE))
    i++;
  if (i == RING_THREADS)
    return NULL;
  if (filter_make(i)) {
    __atomic_add_fetch(&lives, 1, __ATOMIC_ACQ_REL);
    return filters[i];
  }
  __atomic_store_n(&used[i], false, __ATOMIC_RELEASE);
  return NULL;
}

/* When only one thread is left, no line is shared, and its filter may hold any line again. */
static void shared_forget(void)
{
  if (!__atomic_exchange_n(&has_shared, false, __ATOMIC_ACQ_REL))
    return;
  for (unsigned i = 0; i < SHARED_LINES; i++)
    __atomic_store_n(&shared[i], 0, __ATOMIC_RELAXED);
}

void filter_release(struct filter *f)
{
  for (unsigned i = 0; f && i < RING_THREADS; i++)
    if (__atomic_load_n(&filters[i], __ATOMIC_RELAXED) == f) {
      filter_clear(f);
      if (__atomic_sub_fetch(&lives, 1, __ATOMIC_ACQ_REL) == 1)
        shared_forget();
      __atomic_store_n(&used[i], false, __ATOMIC_RELEASE);
      return;
    }
}

void filters_fork(void)
{
  memset(used, 0, sizeof used);
  memset(shared, 0, sizeof shared);
  most = lives = 0;
  has_shared = false;
}

bool filter_has_others(void)
{
  return __atomic_load_n(&lives, __ATOMIC_ACQUIRE) > 1;
}

static struct filter *filter_at(unsigned i)
{
  return __atomic_load_n(&filters[i], __ATOMIC_ACQUIRE);
}

bool filter_shared(const struct filter *mine, uint64_t va, bool store)
{
  const unsigned n = __atomic_load_n(&most, __ATOMIC_ACQUIRE);
  uint64_t *known = &shared[va >> FILTER_LINE_SHIFT & (SHARED_LINES - 1)];
  bool is = false;

  if (!filter_has_others())
    return false;
  if (__atomic_load_n(known, __ATOMIC_RELAXED) == va >> FILTER_LINE_SHIFT)
    return true;
  for (unsigned i = 0; i < n; i++) {
    struct filter *f = filter_at(i);
    uint16_t *place = f && f != mine ? filter_place(f, va) : NULL;
    const uint16_t entry = place ? __atomic_load_n(place, __ATOMIC_RELAXED) : FILTER_NO_LINE;

    if (!filter_entry_is(entry, va) || !(store || entry & FILTER_STORED))
      continue;
    __atomic_store_n(place, FILTER_NO_LINE, __ATOMIC_RELAXED);
    is = true;
  }
  if (is) {
    __atomic_store_n(known, va >> FILTER_LINE_SHIFT, __ATOMIC_RELAXED);
    __atomic_store_n(&has_shared, true, __ATOMIC_RELEASE);
  }
  return is;
}

void filter_drop(uint64_t va)
{
  const unsigned n = __atomic_load_n(&most, __ATOMIC_ACQUIRE);

  for (unsigned i = 0; i < n; i++) {
    struct filter *f = filter_at(i);
    uint16_t *place = f ? filter_place(f, va) : NULL;

    if (place && filter_entry_is(__atomic_load_n(place, __ATOMIC_RELAXED), va))
      __atomic_store_n(place, FILTER_NO_LINE, __ATOMIC_RELAXED);
  }
}

/* SPDX-License-Identifier: MIT */
/* Prefetches into the host's caches the state that the next records need. */
#include "machine/trace/feeder.h"
#include "machine/trace/ring.h"

/* Collects lines of the records from fd->until on that are not the most recent lines of their L1 sets. Most records
 * repeat the previous line. */
static void lines_take(struct feeder *fd, const struct core_front *f, const uint64_t *end)
{
  struct expected *e = &fd->expected;

  for (; fd->until < end && e->taken - e->gone < EXPECT_LINES; fd->until++) {
    const uint64_t r = *fd->until, line = record_address(r) >> 6;

    if (line == fd->before || r & (RECORD_BLOCK | RECORD_NOTE))
      continue;
    fd->before = line;
    if (front_has(f, line))
      continue;
    fd->record[e->taken % EXPECT_LINES] = fd->until;
    e->of[e->taken++ % EXPECT_LINES].line = line;
  }
}

void feeder_prefetch_lines(struct feeder *fd, const struct traffic *t, const struct trace_window *w, size_t i)
{
  const uint64_t *here = w->record + i, *end = w->record + w->n;
  struct expected *e = &fd->expected;

  if (end - here > FEEDER_AHEAD)
    end = here + FEEDER_AHEAD;
  if ((uintptr_t)fd->until < (uintptr_t)here ||
      (uintptr_t)fd->until > (uintptr_t)end) { /* fd->until is in another window */
    fd->until = here;
    e->gone = e->taken;
  }
  while (e->gone < e->taken && fd->record[e->gone % EXPECT_LINES] < here)
    e->gone++;
  if (end - fd->until > FEEDER_AT_ONCE)
    end = fd->until + FEEDER_AT_ONCE;
  lines_take(fd, traffic_front(t, fd->core), end);
  traffic_expect(t, fd->core, e);
}

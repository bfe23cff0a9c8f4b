/* SPDX-License-Identifier: MIT */
/* Prefetches into the host's caches the state that the next records need. */
#include "machine/trace/feeder.h"
#include "machine/trace/ring.h"

/* The number of records that are examined ahead, in all and in one call. */
enum { AHEAD = 256, AT_ONCE = 32 };

/* Examines the records up to before `end`, and collects their lines that are not the most recent lines of their L1
 * sets. Most records repeat the previous line. */
static void lines_take(struct feeder_ahead *a, const struct core_front *f, const uint64_t *end)
{
  struct expected *e = &a->expected;

  for (; a->next < end && e->taken - e->gone < EXPECT_LINES; a->next++) {
    const uint64_t r = *a->next, line = record_address(r) >> 6;

    if (line == a->line || r & (RECORD_BLOCK | RECORD_NOTE))
      continue;
    a->line = line;
    if (front_has(f, line))
      continue;
    a->record[e->taken % EXPECT_LINES] = a->next;
    e->of[e->taken++ % EXPECT_LINES].line = line;
  }
}

void feeder_prefetch_lines(struct feeder *fd, const struct traffic *t, const struct trace_window *w, size_t i)
{
  const uint64_t *here = w->record + i, *end = w->record + w->n;
  struct feeder_ahead *a = &fd->ahead;
  struct expected *e = &a->expected;
  const struct core_front *front = traffic_front(t, fd->core);

  a->asked = front->asked;
  if (fd->apart) /* other host threads may be changing what this reads */
    return;
  if (end - here > AHEAD)
    end = here + AHEAD;
  if ((uintptr_t)a->next < (uintptr_t)here || (uintptr_t)a->next > (uintptr_t)end) { /* it is in another window */
    a->next = here;
    e->gone = e->taken;
  }
  while (e->gone < e->taken && a->record[e->gone % EXPECT_LINES] < here)
    e->gone++;
  if (end - a->next > AT_ONCE)
    end = a->next + AT_ONCE;
  lines_take(a, front, end);
  traffic_expect(t, fd->core, e);
}

/* SPDX-License-Identifier: MIT */
/* The cycles in which some queue of a memory controller is not empty (817509 2.3.2, free-running counters). Each queue
 * of its channels and sub-channels reports its times in order, but the queues' times come in any order. A cycle in
 * which several queues are not empty counts once. */
#include "machine/common/memory.h"

/* Reports the times before `until`; none that is earlier follows. */
static void active_report(struct active_times *a, fs_t until)
{
  uint32_t over = 0;
  for (uint32_t i = 0; i < a->n && a->span[i].from < until; i++) {
    const fs_t end = a->span[i].until < until ? a->span[i].until : until;
    block_freerunning_span(a->block, a->counter, a->span[i].from, end, 1);
    a->span[i].from = end;
    over += end == a->span[i].until;
  }
  a->n -= over;
  if (over && a->n)
    memmove(a->span, a->span + over, a->n * sizeof *a->span);
  a->done = until > a->done ? until : a->done;
}

void active_add(struct active_times *a, fs_t from, fs_t until)
{
  if (!a)
    return;
  from = from > a->done ? from : a->done;
  if (until <= from)
    return;
  if (a->n == ACTIVE_SPANS) {
    active_report(a, a->span[ACTIVE_SPANS / 2].from);
    from = from > a->done ? from : a->done;
  }
  uint32_t last = a->n;
  while (last && a->span[last - 1].from > until)
    last--;
  uint32_t first = last;
  while (first && a->span[first - 1].until >= from)
    first--;
  if (first < last) { /* merges these */
    from = a->span[first].from < from ? a->span[first].from : from;
    until = a->span[last - 1].until > until ? a->span[last - 1].until : until;
  }
  const uint32_t behind = a->n - last;
  if (behind && last != first + 1)
    memmove(a->span + first + 1, a->span + last, behind * sizeof *a->span);
  a->span[first].from = from;
  a->span[first].until = until;
  a->n = first + 1 + behind;
}

void active_advance(struct active_times *a, fs_t until)
{
  if (a)
    active_report(a, until);
}

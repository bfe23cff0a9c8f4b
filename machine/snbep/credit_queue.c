/* SPDX-License-Identifier: MIT */
/* The short queues and the credits of the ring's stops and links. Requests are worked out one after another, but their
 * steps overlap in time: an entry that is held later on is free now. */
#include "machine/snbep/uncore.h"

void snb_queue_init(struct snb_queue *q, struct snb_hold *hold, unsigned n)
{
  q->hold = hold;
  q->n = (uint8_t)n;
}

static bool hold_covers(const struct snb_queue *q, const struct snb_hold *h, fs_t at)
{
  return at < h->until && (h->from <= at || q->reserved);
}

unsigned snb_queue_find(struct snb_queue *q, fs_t *at)
{
  unsigned best = q->next;
  for (unsigned i = 0; hold_covers(q, &q->hold[best], *at) && i < q->n; i++)
    if (!hold_covers(q, &q->hold[i], *at) || q->hold[i].until < q->hold[best].until)
      best = i;
  if (hold_covers(q, &q->hold[best], *at))
    *at = q->hold[best].until;
  return best;
}

fs_t snb_queue_room(const struct snb_queue *q, unsigned n, fs_t at)
{
  fs_t until[SNB_QUEUE];
  unsigned busy = 0, free = 0;
  for (unsigned i = q->next; free < n && !hold_covers(q, &q->hold[i], at); free++)
    i = i + 1 == q->n ? 0 : i + 1;
  if (free == n)
    return at;
  for (unsigned i = 0; i < q->n; i++) {
    if (!hold_covers(q, &q->hold[i], at))
      continue;
    unsigned k = busy++;
    for (; k && until[k - 1] > q->hold[i].until; k--)
      until[k] = until[k - 1];
    until[k] = q->hold[i].until;
  }
  return q->n - busy >= n ? at : until[n - (q->n - busy) - 1];
}

bool snb_queue_full(struct snb_queue *q, fs_t at, fs_t ret_span[2])
{
  const fs_t room = snb_queue_room(q, 1, at), from = at > q->full ? at : q->full;
  if (room <= from)
    return false;
  ret_span[0] = from;
  ret_span[1] = q->full = room;
  return true;
}

/* SPDX-License-Identifier: MIT */
/* The short queues and the credits of the ring's stops and links. Requests are simulated one after another, but their
 * steps overlap in time: an entry that is held at a later time only is free now. */
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
  fs_t release[SNB_QUEUE]; /* the first n, in order */
  unsigned free = 0, known = 0;
  for (unsigned i = q->next, left = q->n; left; left--, i = i + 1 == q->n ? 0 : i + 1) {
    const struct snb_hold *h = &q->hold[i];
    if (!hold_covers(q, h, at)) {
      if (++free == n)
        return at;
      continue;
    }
    if (known == n && h->until >= release[n - 1])
      continue;
    unsigned k = known < n ? known++ : n - 1;
    for (; k && release[k - 1] > h->until; k--)
      release[k] = release[k - 1];
    release[k] = h->until;
  }
  return release[n - free - 1];
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

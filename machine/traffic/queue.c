/* SPDX-License-Identifier: MIT */
/* The short queues and credit pools of the ring's stops. */
#include "machine/traffic/snb.h"

uint8_t snb_queue_take(struct snb_queue *q, fs_t *at)
{
  uint8_t first = q->next;
  if (q->until[first] > *at) {
    for (uint8_t i = 0; i < q->n; i++)
      first = q->until[i] < q->until[first] ? i : first;
    *at = q->until[first] > *at ? q->until[first] : *at;
  }
  q->next = (uint8_t)(first + 1 == q->n ? 0 : first + 1);
  return first;
}

void snb_queue_hold(struct snb_queue *q, uint8_t entry, fs_t until) { q->until[entry] = until; }

fs_t snb_queue_room(const struct snb_queue *q, fs_t at)
{
  fs_t room = q->until[q->next];
  for (uint8_t i = 0; i < q->n && room > at; i++)
    room = q->until[i] < room ? q->until[i] : room;
  return room > at ? room : at;
}

bool snb_queue_full(struct snb_queue *q, fs_t at, fs_t ret_span[2])
{
  const fs_t room = snb_queue_room(q, at), from = at > q->full ? at : q->full;
  if (room <= from)
    return false;
  ret_span[0] = from;
  ret_span[1] = q->full = room;
  return true;
}

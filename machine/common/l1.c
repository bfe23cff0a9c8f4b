/* SPDX-License-Identifier: MIT */
#include "machine/common/l1.h"

/* No part of its callers, which would have its array on their stack at each look-up. */
__attribute__((noinline, cold)) void first_number(struct first_set *s)
{
  int16_t used[FIRST_WAYS] = {0};
  for (uint32_t i = 0; i < FIRST_WAYS; i++)
    for (uint32_t k = 0; k < FIRST_WAYS; k++)
      used[i] = (int16_t)(used[i] + (s->used[k] && s->used[k] <= s->used[i]));
  for (uint32_t i = 0; i < FIRST_WAYS; i++)
    s->used[i] = used[i];
  s->uses = FIRST_WAYS;
}

bool first_touch(const struct first_level *l, uint64_t line)
{
  return *first_recent(l, line) >> 2 == line || first_swap(l, line) || first_find_other(l, line);
}

/* Of the ways besides `but`, the one that was used last; there may be none. */
static uint32_t first_latest(const struct first_set *s, uint32_t ways, uint32_t but)
{
  uint32_t latest = but ? 0 : 1;
  for (uint32_t i = 0; i < ways; i++)
    if (i != but && s->used[i] > s->used[latest])
      latest = i;
  return latest;
}

void first_drop(const struct first_level *l, uint64_t line, bool invalidate)
{
  uint64_t *recent = first_recent(l, line);
  struct first_set *s = &l->set[line & l->mask];
  s->entry[s->first] = *recent;
  const uint32_t way = first_find(s, l->ways, line);
  if (way == FIRST_WAYS || !s->entry[way])
    return;
  if (invalidate) {
    s->entry[way] = 0;
    s->low[way] = 0;
    s->used[way] = 0;
    if (way == s->first && l->ways > 1)
      s->first = first_latest(s, l->ways, way);
    s->second = first_latest(s, l->ways, s->first) ^ FIRST_SECOND;
  } else {
    s->entry[way] &= ~UINT64_C(3);
  }
  *recent = s->entry[s->first];
}

/* SPDX-License-Identifier: MIT */
#include "machine/common/l1.h"

/* In untouched memory, each way of set 0 would hold line 0. This writes what is read first; the rest is written before
 * the set is first used, so that memory is touched only where lines are. */
static void first_begin(const struct first_level *l)
{
  l->recent[0] = l->second[0] = FIRST_NONE;
  l->order[0].uses = FIRST_USES - 1;
}

struct first_level first_part(const struct first_level *all, uint64_t from, uint64_t sets, uint32_t ways)
{
  struct first_level l = {.recent = all->recent + from,
                          .second = all->second + from,
                          .order = all->order + from,
                          .set = all->set + from,
                          .mask = sets - 1,
                          .ways = ways,
                          .all = (1u << ways) - 1};
  for (uint32_t i = ways; i < FIRST_WAYS; i++)
    l.beyond[i] = FIRST_USES;
  first_begin(&l);
  return l;
}

__attribute__((noinline, cold)) void first_number(const struct first_level *l, uint64_t line)
{
  struct first_set *s = &l->set[line & l->mask];
  int16_t used[FIRST_WAYS] = {0};
  for (uint32_t i = 0; i < FIRST_WAYS; i++)
    for (uint32_t k = 0; k < FIRST_WAYS; k++)
      used[i] = (int16_t)(used[i] + (s->used[k] && s->used[k] <= s->used[i]));
  for (uint32_t i = 0; i < FIRST_WAYS; i++) {
    s->used[i] = used[i];
    s->entry[i] = used[i] ? s->entry[i] : FIRST_NONE;
  }
  l->order[line & l->mask].uses = FIRST_WAYS;
}

/* Looks up a line that is none of the two most recent ones. */
static bool first_look_up(const struct first_level *l, uint64_t line)
{
  if (first_finds(l, line))
    return true;
  first_fill(l, line);
  return false;
}

bool first_touch(const struct first_level *l, uint64_t line)
{
  return *first_recent(l, line) >> 2 == line || first_swap(l, line) || first_look_up(l, line);
}

/* Returns the most recently used of the ways other than `but`; there may be none. */
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
  const uint64_t i = line & l->mask;
  struct first_order *o = &l->order[i];
  struct first_set *s = &l->set[i];
  s->entry[o->first] = l->recent[i];
  const uint32_t way = first_find(l, s, line);
  if (way == FIRST_WAYS || !s->used[way])
    return;
  if (invalidate) {
    s->entry[way] = FIRST_NONE;
    s->low[way] = 0;
    s->used[way] = 0;
    if (way == o->first && l->ways > 1)
      o->first = (uint8_t)first_latest(s, l->ways, way);
    o->second = (uint8_t)(first_latest(s, l->ways, o->first) ^ FIRST_SECOND);
  } else {
    s->entry[way] &= ~UINT64_C(3);
  }
  l->recent[i] = s->entry[o->first];
  l->second[i] = s->entry[o->second ^ FIRST_SECOND];
}

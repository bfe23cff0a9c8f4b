/* SPDX-License-Identifier: MIT */
#include "machine/common/l1.h"

bool first_swap(const struct first_level *l, uint64_t line)
{
  struct first_set *s = &l->set[line & l->mask];
  const uint64_t order = s->order ^ FIRST_ORDER, second = s->entry[order >> 4 & 15];
  if (second >> 2 != line || l->ways < 2)
    return false;
  const uint64_t both = (order >> 4 ^ order) & 15;
  uint64_t *recent = first_recent(l, line);
  s->entry[order & 15] = *recent;
  s->order ^= both << 4 | both;
  *recent = second;
  return true;
}

bool first_touch(const struct first_level *l, uint64_t line)
{
  return first_find_or_fill(l, line);
}

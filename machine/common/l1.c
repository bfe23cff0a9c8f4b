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
  uint64_t *recent = first_recent(l, line);
  struct first_set *s = &l->set[line & l->mask];
  if (*recent >> 2 == line)
    return true;
  const uint64_t order = s->order ^ FIRST_ORDER;
  s->entry[order & 15] = *recent;
  uint32_t way = first_find(s, l->ways, line);
  const bool found = way < FIRST_WAYS;
  if (!found) {
    way = order >> 4 * (l->ways - 1) & 15;
    s->low[way] = (uint32_t)line;
    s->entry[way] = line << 2;
  }
  const uint64_t before = first_before(order, way);
  *recent = s->entry[way];
  s->order = ((order & ~(before << 4 | 15)) | (order & before) << 4 | way) ^ FIRST_ORDER;
  return found;
}

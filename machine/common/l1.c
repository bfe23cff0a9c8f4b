/* SPDX-License-Identifier: MIT */
#include "machine/common/l1.h"

bool first_touch(const struct first_level *l, uint64_t line)
{
  return first_find_or_fill(l, line);
}

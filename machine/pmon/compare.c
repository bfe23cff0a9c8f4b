/* SPDX-License-Identifier: MIT */
#include "machine/pmon/compare.h"

bool compare_holds(enum compare compare, uint64_t value, uint64_t with)
{
  switch (compare) {
  case COMPARE_EQUAL: return value == with;
  case COMPARE_UNEQUAL: return value != with;
  case COMPARE_LESS: return value < with;
  case COMPARE_MOST: return value <= with;
  case COMPARE_LEAST: return value >= with;
  case COMPARE_MORE: return value > with;
  case COMPARE_ANY:
  case COMPARE_N: break;
  }
  return true;
}

const char *compare_name(enum compare compare)
{
  static const char *const names[COMPARE_N] = {"", "==", "!=", "<", "<=", ">=", ">"};
  return compare < COMPARE_N ? names[compare] : "";
}

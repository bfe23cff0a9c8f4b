/* SPDX-License-Identifier: MIT */
/* How scenarios and streams say what a value has to be. */
#ifndef MACHINE_PMON_COMPARE_H
#define MACHINE_PMON_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

enum compare {
  COMPARE_ANY,
  COMPARE_EQUAL,
  COMPARE_UNEQUAL,
  COMPARE_LESS,
  COMPARE_MOST,
  COMPARE_LEAST,
  COMPARE_MORE,
  COMPARE_N
};

/* Whether a value compares as it should, and how that is written ("==", "" for ANY). */
bool compare_holds(enum compare compare, uint64_t value, uint64_t with);
const char *compare_name(enum compare compare);

#endif

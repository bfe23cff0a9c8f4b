/* SPDX-License-Identifier: MIT */
/* Comparisons of scenarios and streams with expected values. */
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

/* compare_holds(): true if a value satisfies the comparison. compare_name(): its operator ("==", "" for ANY). */
bool compare_holds(enum compare compare, uint64_t value, uint64_t with);
const char *compare_name(enum compare compare);

#endif

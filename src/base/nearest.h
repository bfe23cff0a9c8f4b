/* SPDX-License-Identifier: MIT */
/* The names nearest to one that does not exist. */
#ifndef PMON_BASE_NEAREST_H
#define PMON_BASE_NEAREST_H

#include <stddef.h>
#include <stdint.h>
#include "src/base/text.h"

#define NEAREST_N 5

struct nearest_name {
  uint32_t distance;
  uint32_t a, b;
  struct text name;
};

/* Candidates seen so far, the best first; begin with {.n = 0, .name = ...}. */
struct nearest {
  struct text name;
  uint32_t n;
  struct nearest_name best[NEAREST_N];
};

/* Looks at a candidate; a and b are the caller's, to know it again. Candidates too far away are not kept. */
void nearest_add(struct nearest *near, struct text name, uint32_t a, uint32_t b);

/* The same, by the candidate's beginning of the unknown name's length: for patterns, whose end is open. */
void nearest_add_beginning(struct nearest *near, struct text name, uint32_t a, uint32_t b);

/* Edits (insert, delete, replace, swap two neighbours) that make one name of the other, case apart; `limit` + 1 or
 * more means more than `limit`. Names longer than 64 characters are compared in their first 64. */
uint32_t nearest_distance(struct text a, struct text b, uint32_t limit);

/* Writes "; did you mean A, B or C?" into `out`, or "" when there is nothing near. */
void nearest_format(const struct nearest *near, char *out, size_t size);

#endif

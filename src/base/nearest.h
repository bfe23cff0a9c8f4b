/* SPDX-License-Identifier: MIT */
/* Finds the names nearest to an unknown one. */
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

/* The nearest candidates so far, best first; begin with {.n = 0, .name = ...}. */
struct nearest {
  struct text name;
  uint32_t n;
  struct nearest_name best[NEAREST_N];
};

/* Adds a candidate; a and b identify it to the caller. Candidates that are too far away are not kept. */
void nearest_add(struct nearest *near, struct text name, uint32_t a, uint32_t b);

/* Adds a candidate by its beginning, of the unknown name's length: for patterns, whose end is open. */
void nearest_add_beginning(struct nearest *near, struct text name, uint32_t a, uint32_t b);

/* Returns the number of edits (insert, delete, replace, swap two adjacent characters) from one name to the other,
 * ignoring case; `limit` + 1 or more means more than `limit`. Only the first 64 characters are compared. */
uint32_t nearest_distance(struct text a, struct text b, uint32_t limit);

/* Replaces the word BW, as other tools' names of metrics have it, with BANDWIDTH, in `longer`. Returns the name itself
 * without that word. */
struct text nearest_spell_out(struct text name, char *longer, size_t size);

/* Writes "; did you mean A, B or C?" into `out`, or "" if no name is near. */
void nearest_format(const struct nearest *near, char *out, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/* Cases of a kind of workload: how many intervals contain the true count, and how wide they are. */
#ifndef TESTS_UNCERTAINTY_TALLY_H
#define TESTS_UNCERTAINTY_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <pmon/value.h>
#include "tests/uncertainty/measure.h"

/* Classes of counts: up to 50, 199, 1000, and more. */
enum { TALLY_CLASSES = 4 };

/* Relative to the true count; only counts of at least TALLY_MEANT, for which a relative width is meaningful. */
struct tally_list {
  double *part;
  size_t n;
};

struct tally {
  unsigned of_class[TALLY_CLASSES], held_of[TALLY_CLASSES], unknown_of[TALLY_CLASSES];
  unsigned plain, plain_held;
  struct tally_list width, error, plain_width, plain_error;
};

struct tally_case {
  const struct pmon_value *value;
  double truth;
  bool has_plain;
  struct plain plain;
};

void tally_add(struct tally *t, const struct tally_case *one);
void tally_merge(struct tally *into, const struct tally *from);
void tally_fini(struct tally *t);
/* Returns the number of values that are numbers. */
unsigned tally_cases(const struct tally *t);

/* `table`: as a Markdown table. */
void tally_print_head(bool table, const char *platform);
/* Prints a row. A share of correct intervals that is too small for the number of cases counts as a failure. */
void tally_print(bool table, const char *name, const struct tally *t);
/* Prints such a row for each class of counts. */
void tally_print_classes(const struct tally *t);
unsigned tally_failures(void);
extern unsigned tally_least; /* percent of the intervals that must contain the true count */

#endif

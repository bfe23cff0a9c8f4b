/* SPDX-License-Identifier: MIT */
/* Cases of a kind of workload: how many intervals contained the truth, and how wide they were. */
#ifndef TESTS_UNCERTAINTY_TALLY_H
#define TESTS_UNCERTAINTY_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <pmon/value.h>
#include "tests/uncertainty/measure.h"

/* Classes of counts: up to 50, 199, 1000, and more. */
enum { TALLY_CLASSES = 4 };

/* Widths and errors are relative to the truth, of counts from TALLY_MEANT on, of which a part means something. */
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
/* How many values were numbers. */
unsigned tally_cases(const struct tally *t);

/* `table`: as a table of Markdown. */
void tally_print_head(bool table, const char *platform);
/* Prints a row; too few held intervals of many cases are counted as a failure. */
void tally_print(bool table, const char *name, const struct tally *t);
/* The same for each class of counts. */
void tally_print_classes(const struct tally *t);
unsigned tally_failures(void);
extern unsigned tally_least; /* percent of the cases that have to hold */

#endif

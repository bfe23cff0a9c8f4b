/* SPDX-License-Identifier: MIT */
/* The invented platform of tests/facts/toy/, read with one of its files replaced. */
#ifndef TESTS_FACTS_TOY_H
#define TESTS_FACTS_TOY_H

#include "src/facts/facts.h"

/* suffix: ".reg" and so on, NULL: nothing is replaced; text: replaces toy/toy.SUFFIX. base: as in facts_input. */
struct toy {
  const char *suffix, *text;
  size_t size;
  const struct db *base;
};
int toy_load(const struct toy *toy, struct text_error *error, struct db **ret_db);

/* Returns a whole file below tests/facts/, which the caller frees. */
char *toy_read(const char *name, size_t *ret_size);

#endif

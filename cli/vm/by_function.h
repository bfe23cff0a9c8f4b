/* SPDX-License-Identifier: MIT */
/* The checker's findings by the function of the guest's kernel that made their first access. */
#ifndef CLI_VM_BY_FUNCTION_H
#define CLI_VM_BY_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include "cli/common/out.h"
#include "vm/callers.h"

/* A function, and how many registers its findings concern. */
struct by_function {
  const struct symbol *function;
  size_t violations, known, advices; /* known: violations that the baseline has */
};

struct by_functions {
  struct by_function *at;
  size_t n;
};

/* Room for `most` functions. False: no memory. by_function_free() in any case. */
bool by_function_init(struct by_functions *b, size_t most);
void by_function_free(struct by_functions *b);
/* Counts a finding; one whose function has no name is left out. */
void by_function_add(struct by_functions *b, const struct callers_chain *by, bool advice, bool known);
/* A line for each function, in the order of their first findings: "function NAME [MODULE]: 5 violations (5 known), 0
 * advices". Returns the length that the text of function `i` has without a line's end, as snprintf(). */
int by_function_format(const struct by_functions *b, size_t i, char *text, size_t size);
/* The member "functions": an array with an object for each. */
void by_function_write_json(const struct by_functions *b, struct out *out);
/* The element <properties> of a test suite, with one property for each; nothing when there is no function. */
void by_function_write_junit(const struct by_functions *b, struct out *out);

#endif

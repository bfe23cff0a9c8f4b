/* SPDX-License-Identifier: MIT */
/* Groups the checker's findings by the function of the guest's kernel that made their first access. */
#ifndef CLI_VM_BY_FUNCTION_H
#define CLI_VM_BY_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include "cli/common/out.h"
#include "vm/callers.h"

/* A function, and the number of registers that its findings concern. */
struct by_function {
  const struct symbol *function;
  size_t violations, known, advices; /* known: violations that the baseline has */
};

struct by_functions {
  struct by_function *at;
  size_t n;
};

/* Makes room for `most` functions. False: no memory. Call by_function_free() in any case. */
bool by_function_init(struct by_functions *b, size_t most);
void by_function_free(struct by_functions *b);
/* Counts a finding; a finding whose function has no name is left out. */
void by_function_add(struct by_functions *b, const struct callers_chain *by, bool advice, bool known);
/* Formats the line of function `i`, in the order of their first findings: "function NAME [MODULE]: 5 violations (5
 * known), 0 advisories". Returns the length without a line's end, as snprintf(). */
int by_function_format(const struct by_functions *b, size_t i, char *text, size_t size);
/* Writes the member "functions": an array with an object for each. */
void by_function_write_json(const struct by_functions *b, struct out *out);
/* Writes the element <properties> of a test suite, with one property for each; nothing if there is no function. */
void by_function_write_junit(const struct by_functions *b, struct out *out);

#endif

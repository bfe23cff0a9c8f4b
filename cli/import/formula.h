/* SPDX-License-Identifier: MIT */
/* Formulas of Intel's metric files and of Linux perf's MetricExpr, written as equations of fact files. */
#ifndef CLI_IMPORT_FORMULA_H
#define CLI_IMPORT_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

enum { FORMULA_REASON = 200 };

/* `name` returns the equation of a name in the formula, allocated by malloc(); NULL with the reason. */
struct formula {
  const char *text;
  char *(*name)(void *user, const char *word, size_t n, char reason[FORMULA_REASON]);
  void *user;
  char reason[FORMULA_REASON]; /* why there is no equation */
  bool large;                  /* only because it is too long or nested too deeply */
};

/* Returns the equation, allocated by malloc(); NULL with the reason in f->reason.
 *
 *   value   = or [ "if" or "else" value ]
 *   or      = and { "or" and },  and = compare { "and" compare }
 *   compare = sum [ ("<" | ">" | "<=" | ">=" | "==" | "!=") sum ]
 *   primary = number | name | "(" value ")" | ("min" | "max" | "d_ratio") "(" value { "," value } ")"
 */
char *formula_translate(struct formula *f);

#endif

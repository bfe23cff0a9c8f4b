/* SPDX-License-Identifier: MIT */
/*
 * Differences that are explained: tables of data/audit whose rows say where a difference is (one or more columns), what
 * it is, the verdict and why. Every difference needs a row, and every row a difference.
 */
#ifndef PMON_AUDIT_EXPLAIN_H
#define PMON_AUDIT_EXPLAIN_H

#include <stddef.h>
#include "tests/audit/table.h"

struct explain {
  const char *name; /* of the file, below data/audit */
  struct table table;
  size_t places;  /* columns before `what` */
  unsigned *used; /* how often each row explained something */
  unsigned unexplained;
};

/* Reads data/audit/NAME. Returns 0; else there is no such file or it is no table of that kind. The name stays the
 * caller's, the rest is for explain_close(). */
int explain_open(struct explain *explain, const char *name);

/* A difference: where, as many texts as the file has columns for it, and what. `*` in the file stands for any text, `-`
 * for none. Prints it when no row explains it, ready to be filled in there. */
void explain_difference(struct explain *explain, const char *const place[], const char *what);

/* The number of rows that nothing needed or that lack verdict or reason; prints each. */
unsigned explain_stale(const struct explain *explain);

void explain_close(struct explain *explain);

#endif

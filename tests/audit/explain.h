/* SPDX-License-Identifier: MIT */
/*
 * Explained differences: tables of data/audit whose rows state the place of a difference (one or more columns), the
 * difference, the verdict and the reason. Every difference needs a row, and every row a difference.
 */
#ifndef PMON_AUDIT_EXPLAIN_H
#define PMON_AUDIT_EXPLAIN_H

#include <stddef.h>
#include "tests/audit/table.h"

struct explain {
  const char *name; /* of the file, below data/audit */
  struct table table;
  size_t places;  /* columns before `what` */
  unsigned *used; /* how many differences each row explained */
  unsigned unexplained;
};

/* Reads data/audit/NAME. Returns 0; otherwise the file does not exist or is not such a table. The caller keeps owning
 * the name; explain_close() frees the rest. */
int explain_open(struct explain *explain, const char *name);

/* Reports a difference: its place, one text for each of the file's columns of places, and its text. In the file `*`
 * matches any text, `-` none. If no row explains the difference, it is printed as a row to be completed. */
void explain_difference(struct explain *explain, const char *const place[], const char *what);

/* Returns the number of rows that explained nothing or that lack a verdict or reason; prints each. */
unsigned explain_stale(const struct explain *explain);

void explain_close(struct explain *explain);

#endif

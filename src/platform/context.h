/* SPDX-License-Identifier: MIT */
/* The context inside the library: tables, platforms, error record. */
#ifndef PMON_PLATFORM_CONTEXT_H
#define PMON_PLATFORM_CONTEXT_H

#include <pmon/context.h>
#include "src/facts/db.h"
#include "src/platform/platform.h"

struct pmon_context {
  struct context_tables *tables;    /* users' tables, newest first */
  struct pmon_platform **platforms; /* users' first, then the compiled-in ones */
  uint32_t n_platforms;
  int status;
  uint32_t column;
  uint32_t before; /* characters of the caller's text before the part that is parsed: added to columns */
  bool no_columns; /* what is parsed is not a part of the caller's text: errors have no column */
  char error[2048];
};

/* Fills the error record and returns `status`. column: from 1, or 0. Texts that are too long are cut. */
int context_fail(struct pmon_context *c, int status, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* context_fail() with a text that begins with "column N"; the format begins with ": " or ", ". */
int context_fail_at(struct pmon_context *c, int status, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Until context_end_part(), with the result of this call, errors are in a part of the caller's text, which begins after
 * `by` characters of it. Parts may contain parts. */
uint32_t context_begin_part(struct pmon_context *c, uint32_t by);
void context_end_part(struct pmon_context *c, uint32_t before);

/* sized_fill() and sized_take() for the function `name`, with its failure in the error record. */
int context_fill(struct pmon_context *c, const char *name, void *to, const void *full, size_t known);
int context_take(struct pmon_context *c, const char *name, void *full, size_t known, const void *from);
#define CONTEXT_FILL(context, to, full) context_fill((context), __func__, (to), &(full), sizeof(full))
#define CONTEXT_TAKE(context, full, from) context_take((context), __func__, &(full), sizeof(full), (from))

/* Refuses a number that is not below `n`: "WHAT 7: there are 3". PMON_E_RANGE. */
int context_fail_range(struct pmon_context *c, const char *what, uint64_t i, uint64_t n);

/* Records that the addresses of a unit are not known. PMON_E_UNSUPPORTED. */
int context_fail_perf_only(struct pmon_context *c, const char *unit);

/* Takes over tables, with their platforms from row `first` on; the tables are freed when that fails. PMON_OK,
 * PMON_E_MEMORY. */
int context_add_tables(struct pmon_context *c, struct db *db, uint32_t first);

#endif

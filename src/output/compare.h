/* SPDX-License-Identifier: MIT */
/* A comparison inside the library. */
#ifndef PMON_OUTPUT_COMPARE_H
#define PMON_OUTPUT_COMPARE_H

#include <pmon/compare.h>
#include "src/output/report.h"

struct compared {
  struct pmon_comparison_row row;
  char *name, *unit, *instance_unit, *where;
  uint32_t place; /* in the order of the first report */
};

struct compared_side {
  char *name, *platform, *command, *machine, *backend; /* machine NULL: real hardware */
  double seconds;
  uint32_t runs, intervals;
};

struct pmon_comparison {
  struct compared_side a, b;
  struct compared *rows;
  uint32_t n, cap, columns;
  bool color, per_second;
};

void comparison_format_text(const struct pmon_comparison *c, struct buffer *b);
void comparison_format_csv_header(struct buffer *b);
void comparison_format_csv(const struct pmon_comparison *c, struct buffer *b);
void comparison_format_json(const struct pmon_comparison *c, struct buffer *b);

/* The name of an enum pmon_comparison_method. */
const char *comparison_method_name(uint32_t method);

#endif

/* SPDX-License-Identifier: MIT */
/* The matrix of checks and cells, as text, JSON and JUnit report. */
#ifndef CLI_BENCH_MATRIX_H
#define CLI_BENCH_MATRIX_H

#include "cli/bench/cell.h"

/* Cells in one run may have different suites; checks of the same name share a row. */
struct bench_matrix {
  const struct bench_cell *cell;
  unsigned n;
  const char *module;                   /* NULL: the kernels' own */
  const char *qemu, *checks, *baseline; /* options that the command for a failed check repeats; NULL: not given */
  const char *only;                     /* the checks that are run; NULL: all */
};

void matrix_write_text(const struct bench_matrix *m, struct out *out);
/* For folder_save(), with a struct bench_matrix. */
void matrix_write_json(const void *matrix, struct out *out);
void matrix_write_junit(const void *matrix, struct out *out);

#endif

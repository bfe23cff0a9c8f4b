/* SPDX-License-Identifier: MIT */
/* Runs the cells, several at a time. */
#ifndef CLI_BENCH_CELLS_H
#define CLI_BENCH_CELLS_H

#include "cli/bench/cell.h"
#include "cli/bench/child.h"

struct bench_run {
  struct cli *cli;
  const char *qemu, *only, *timeout, *gdb; /* NULL: none */
  const char *baseline;                    /* a file; NULL: each cell's own */
  unsigned jobs;
  bool log; /* each guest's accesses are also written to a file */
};

/* Runs `pmon vm` for each cell, prints a line on standard error when a guest ends, and judges it. CLI_DONE, or an exit
 * code after a message (no file, process or memory); the cells have the guests' results. No guest runs afterwards;
 * w->ended_by: a signal that ends this process came. */
int cells_run(const struct bench_run *r, struct child_watch *w, struct bench_cell *cell, unsigned n);

#endif

/* SPDX-License-Identifier: MIT */
/* One cell of the matrix: a guest on a processor, with a number of sockets, a kernel and perhaps a driver. */
#ifndef CLI_BENCH_CELL_H
#define CLI_BENCH_CELL_H

#include <limits.h>
#include <sys/types.h>
#include "cli/bench/suite.h"

enum bench_verdict {
  BENCH_PASSED,
  BENCH_FAILED,
  BENCH_SKIPPED,
  BENCH_ABSENT
}; /* ABSENT: the guest did not reach the check */

/* The result of a check in a cell. */
struct cell_check {
  enum bench_verdict verdict;
  unsigned good, of; /* of its counts and commands: the good ones, and all */
};

/* The check number of a failure that concerns the whole guest, and no single check. */
enum { BENCH_GUEST = INT_MAX };

/* A failure, as a line for people. */
struct cell_failure {
  unsigned check; /* n_checks of the suite: the programming rules; BENCH_GUEST */
  char *text;
};

struct bench_cell {
  const char *platform, *kernel, *module; /* kernel: a bzImage, NULL: Debian's; module NULL: the kernel's */
  const char *label;                      /* of the kernel: as the user wrote it, or "default" */
  const char *known;                      /* the baseline's text */
  const char *snapshot;                   /* a folder of guests' snapshots; NULL: none */
  const struct bench_suite *suite;
  struct bench_shape shape;
  bool all_processors;    /* the kernel needs the number of processors that it gets by default */
  bool removed;           /* the folder is removed after the run */
  char folder[4096 + 32]; /* of its files */
  pid_t pid;              /* 0: not started, or ended */
  int exit_code;          /* of `pmon vm` */
  double started, seconds;
  struct cell_check *check; /* one for each check of the suite, and one for the rules */
  struct cell_failure *failure;
  unsigned n_failures;
};

/* Judges the guest's output and the report of `pmon vm`; c->check has room for the suite's checks and the rules. False:
 * no memory. */
bool cell_judge(struct bench_cell *c, const char *output, const char *report, const char *only);
void cell_free(struct bench_cell *c);

#endif

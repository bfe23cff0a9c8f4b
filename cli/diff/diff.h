/* SPDX-License-Identifier: MIT */
/* The parts of `pmon diff`: options and output (diff.c), where the values come from (sides.c), limits (budget.c). */
#ifndef CLI_DIFF_DIFF_H
#define CLI_DIFF_DIFF_H

#include <pmon/compare.h>
#include "cli/stat/run.h"

/* A measurement: a recording, or a command to measure. */
struct diff_side {
  const char *name;
  struct stat_run stat;
  struct pmon_report *whole;
  struct pmon_report **parts; /* runs or intervals */
  uint32_t n_parts;
  bool runs;
};

/* The options that apply to all sides. */
struct diff_request {
  struct stat_lists lists; /* none: those of the recordings, or the default metrics */
  uint32_t breakdown;
};

/* Reads the values of a recording. CLI_DONE, or an exit code after printing an error. */
int diff_load(struct diff_side *side, const char *path, const struct diff_request *request);
/* Measures the commands of `n` sides alternately, run by run, so that a host that gets slower or faster does so for
 * all. Each side's `stat` has its command and `runs`. */
int diff_measure(struct diff_side *sides, uint32_t n, const struct diff_request *request);
/* Returns the side for pmon_comparison_new(); its parts belong to `side`. */
struct pmon_side diff_side_of(const struct diff_side *side);
void diff_side_fini(struct diff_side *side);

/* A limit for scripts: NAME OP NUMBER, as in "MEM_READ_BANDWIDTH > +5%" (docs: pmon-diff(1)). */
struct budget {
  const char *text;
  char *name; /* the caller of budget_parse() frees it */
  bool above; /* > or >=; else < or <= */
  enum { BUDGET_PERCENT, BUDGET_CHANGE, BUDGET_VALUE } kind;
  double limit;
};

/* Parses a limit. CLI_DONE, or CLI_USAGE after printing an error. */
int budget_parse(const struct cli *cli, const char *text, struct budget *ret_budget);
/* Whether the comparison is within the limit; prints a line if it is not, or if that is uncertain. CLI_DONE, CLI_FAILED
 * (it is not), or CLI_USAGE (there is no such value). */
int budget_check(const struct cli *cli, const struct budget *budget, const struct pmon_comparison *comparison);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Baselines: known violations of the programming rules by a guest's software. A line has four columns: the rule; a
 * pattern of the register's name; the bits that may be concerned, in hexadecimal, or -; the reason. Empty lines and
 * lines that begin with # are skipped.
 */
#ifndef CLI_VM_BASELINE_H
#define CLI_VM_BASELINE_H

#include "cli/common/cli.h"
#include "machine/check/check.h"

/* The texts belong to the baseline. */
struct baseline_line {
  const char *rule, *pattern, *reason;
  uint64_t bits;
  unsigned number;
  bool used; /* it covered a finding */
};

struct baseline {
  struct baseline_line *line;
  size_t n;
  char *text;
};

/* Loads a baseline. CLI_DONE, or CLI_USAGE after a message with the line and what is expected there. Call
 * baseline_free() in any case. */
int baseline_load(struct cli *cli, const char *path, struct baseline *ret);
void baseline_free(struct baseline *b);
/* Returns the line that covers all bits of the violation; NULL: it is new. */
const struct baseline_line *baseline_find(struct baseline *b, const struct check_finding *f);

#endif

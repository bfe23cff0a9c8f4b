/* SPDX-License-Identifier: MIT */
/* Prints a checker's findings. */
#ifndef CLI_COMMON_FINDINGS_H
#define CLI_COMMON_FINDINGS_H

#include "cli/common/cli.h"
#include "machine/check/check.h"

/* findings_write() and findings_print() end the checker's stream (check_end()). */

/* Writes the findings to `out`: a few lines each, or with `json` an object a line. */
void findings_write(struct out *out, struct checker *c, bool json);

/* Write members of a finding's JSON object: the violated rule; and the register, its place, and the value written. */
void finding_write_rule(struct out *out, const struct check_finding *f);
void finding_write_register(struct out *out, const struct check_finding *f);

/* Writes "12 accesses, 1 violation, 0 advisories", with `checked` "12 accesses checked: 1 violation, ...". */
struct findings_counts {
  uint64_t accesses;
  size_t violations, advisories;
  bool checked;
};
void findings_format_counts(const struct findings_counts *counts, char *text, size_t size);

/* Prints the findings of a run that also produced other results, to standard error. CLI_FAILED if a violation is more
 * severe than advice, else CLI_DONE. */
int findings_print(struct cli *cli, struct checker *c);

#endif

/* SPDX-License-Identifier: MIT */
/* What a checker found, told. */
#ifndef CLI_COMMON_FINDINGS_H
#define CLI_COMMON_FINDINGS_H

#include "cli/common/cli.h"
#include "machine/check/check.h"

/* Writes what was found to `out`: a few lines each, or with `json` an object a line. */
void findings_write(struct out *out, const struct checker *c, bool json);

/* The same for a run that measured something else: to standard error. CLI_FAILED when a rule was broken that is more
 * than advice, else CLI_DONE. */
int findings_print(struct cli *cli, const struct checker *c);

#endif

/* SPDX-License-Identifier: MIT */
/* CSV with another separator of columns than the comma: the same lines, quoted where the new separator requires it. */
#ifndef CLI_STAT_SEPARATOR_H
#define CLI_STAT_SEPARATOR_H

#include <stdbool.h>
#include <pmon/report.h>
#include "cli/common/cli.h"
#include "src/base/buffer.h"

enum { SEPARATOR_MOST = 8 };

/* Begins as zeros. */
struct separator {
  char text[SEPARATOR_MOST + 1]; /* "": CSV keeps its commas */
  struct buffer field, lines;    /* the field that is being read; the lines that are written next */
  bool quoted, closing;          /* inside quotes; after a quote inside them, which ends them or stands for one */
};

/* Takes the separator of an option; `\t` is a tab. Quotes, line ends and the characters of numbers and names separate
 * nothing: programs that split lines without reading quotes would split values. CLI_DONE, or CLI_USAGE after printing
 * an error. */
int separator_take(const struct cli *cli, struct separator *s, const char *option, const char *text);

/* Writes the next part of CSV to `sink` with the separator. PMON_OK, PMON_E_MEMORY, or the sink's result. */
int separator_write(struct separator *s, const char *bytes, size_t n, pmon_sink sink, void *user);

void separator_fini(struct separator *s);

#endif

/* SPDX-License-Identifier: MIT */
/* A tool checked against known counts: its command, and the numbers that its output must have (docs/bench.md). */
#ifndef CLI_BENCH_TOOL_H
#define CLI_BENCH_TOOL_H

#include "cli/common/cli.h"

enum tool_verdict { TOOL_RIGHT, TOOL_WRONG, TOOL_MISSING };

/* One number that a tool prints. */
struct tool_value {
  char *name, *pattern; /* an extended regular expression; the number is its first group, or the whole match */
  char *reason;         /* why it is known to be wrong; NULL: it must be right */
  double want;
  double tolerance; /* the largest deviation, as a share of `want`; if `want` is 0, the largest number */
  double got;
  enum tool_verdict verdict;
};

/* Lines with options of `pmon vm`, or of a scenario. */
struct tool_texts {
  char **text;
  unsigned n;
};

struct bench_tool {
  char *platform, *command;
  struct tool_texts options, with, scenario; /* options: pairs */
  struct tool_value *value;
  unsigned n;
};

/* Reads the lines of a bench file. CLI_DONE, or CLI_USAGE after a message. Call tool_free() in any case. */
int tool_parse(struct cli *cli, const char *path, const char *text, struct bench_tool *t);
/* Parses `NAME COUNT TOLERANCE REGEX`, with the tolerance in per cent or 0. CLI_DONE, or CLI_USAGE after a message that
 * begins with `where`. */
int tool_add_value(struct cli *cli, const char *where, const char *text, struct bench_tool *t);
void tool_free(struct bench_tool *t);

/* Reads the number with which the first `size` characters of a text begin. It may have commas between its digits, an
 * exponent, and K, M, G or T for powers of 1000 after it. False: none. */
bool tool_number(const char *text, size_t size, double *ret);
/* Finds each value in the output, and judges it. */
void tool_judge(struct bench_tool *t, const char *output);
/* Whether each value is right, or known to be wrong. */
bool tool_passed(const struct bench_tool *t);

/* For folder_save(), with a struct bench_tool. */
void tool_write_text(const void *tool, struct out *out);
void tool_write_json(const void *tool, struct out *out);
void tool_write_junit(const void *tool, struct out *out);

#endif

/* SPDX-License-Identifier: MIT */
/* The form of the results, and their destination: standard output, or the file of -o. */
#ifndef CLI_STAT_OUTPUT_H
#define CLI_STAT_OUTPUT_H

#include <pmon/report.h>
#include "cli/stat/separator.h"

struct stat_output {
  struct cli *cli; /* has standard output */
  enum pmon_format format;
  struct separator separator; /* -x */
  enum pmon_order order;
  uint32_t breakdown, top;
  bool breakdown_given; /* by an option */
  bool by_device;       /* --by device */
  bool histogram;       /* --histogram */
  bool header_written;  /* of CSV */
  const char *path;     /* -o; NULL: standard output */
  struct out *file;
  bool failed;
};

/* Options for how values are printed, which other commands also take; handles one of them, by its code. An enum
 * cli_exit. (print_options.c) */
extern const struct cli_option stat_print_options[];
int stat_output_take_option(struct stat_output *o, int code, const char *value);
/* --csv or --json: one of them. CLI_DONE, or CLI_USAGE after printing an error. */
int stat_output_take_format(struct stat_output *o, enum pmon_format format);
/* Rejects those that exclude each other; -x alone selects CSV. CLI_DONE, or CLI_USAGE after printing an error. */
int stat_output_check(struct stat_output *o);
/* Without --per-socket and --per-unit, chooses the scopes of results: lines of intervals have totals only. */
uint32_t stat_output_default_breakdown(const struct stat_output *o, bool intervals);

/* Opens the file (output.c); an enum cli_exit. Closes it; `failed`: not all results were written to it. */
int stat_output_open(struct stat_output *o);
void stat_output_close(struct stat_output *o);
/* A sink of results, whose user is the struct stat_output. 0. */
int stat_output_write(void *user, const char *bytes, size_t n);

#endif

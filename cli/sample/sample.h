/* SPDX-License-Identifier: MIT */
/* `pmon sample` in its parts: options and collecting (sample.c), telling (sample_tell.c). */
#ifndef CLI_SAMPLE_SAMPLE_H
#define CLI_SAMPLE_SAMPLE_H

#include <pmon/sample.h>
#include "cli/stat/stat.h"

enum { SAMPLE_TOP = 10, SAMPLE_COUNT = 100 };

struct sample_run {
  struct stat_run stat;
  const char *event, *source_text;
  uint32_t count, top;
  struct pmon_sample_source wanted;
  struct pmon_sample *samples;
  size_t n, cap;
  bool failed; /* no memory for more */
};

/* The samples as a table of the hottest addresses; for CSV and JSON, one alone. */
void sample_print_tables(struct sample_run *r);
void sample_print_header(struct sample_run *r);
void sample_print_record(struct sample_run *r, const struct pmon_sample *sample);

#endif

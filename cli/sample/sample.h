/* SPDX-License-Identifier: MIT */
/* The parts of `pmon sample`: options and collection (sample.c), output (print.c). */
#ifndef CLI_SAMPLE_SAMPLE_H
#define CLI_SAMPLE_SAMPLE_H

#include <pmon/sample.h>
#include "cli/stat/run.h"

enum { SAMPLE_TOP = 10, SAMPLE_COUNT = 100, SAMPLE_PROGRAMS = 4 };

struct exec_program; /* machine/montecito/exec/program.h */

struct sample_run {
  struct stat_run stat;
  const char *event, *source_text;
  uint32_t count, top;
  struct pmon_sample_source wanted;
  struct pmon_sample *samples;
  size_t n, cap;
  struct exec_program *programs[SAMPLE_PROGRAMS]; /* for symbols and instructions, by hardware thread; NULL: none */
  unsigned n_programs;                            /* of the command; 1: all threads run it */
  bool annotate;
  bool failed; /* out of memory for further samples */
};

/* Print all samples as tables of the most frequent addresses; for CSV and JSON, a single sample. The line with the
 * names of CSV's columns precedes the first sample; it is printed once, also if there are no samples. */
void sample_print_tables(struct sample_run *r);
void sample_print_header(struct sample_run *r);
/* Describes the samples that were lost, in one line without its end; false: none were. */
bool sample_describe_loss(const struct sample_run *r, char *text, size_t size);
void sample_print_record(struct sample_run *r, const struct pmon_sample *sample);

#endif

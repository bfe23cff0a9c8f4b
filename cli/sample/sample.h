/* SPDX-License-Identifier: MIT */
/* The parts of `pmon sample`: options and collection (sample.c), single samples (record.c), tables (tables.c). */
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

/* ---- record.c ---- */

/* Writes a text to the destination of the results. */
void sample_write(struct sample_run *r, const char *text);

/* Whether samples of that kind have a slot: fetches are identified by their cache line, retired instructions by their
 * bundle. */
bool sample_has_slot(uint32_t kind);
/* Whether the slot is known: the trace buffer has no slot for a branch that was not taken. */
bool sample_slot_is_known(const struct pmon_sample *s);

/* Prints a single sample as CSV or JSON. The line with the names of CSV's columns precedes the first sample; it is
 * printed once, also if there are no samples. */
void sample_print_header(struct sample_run *r);
void sample_print_record(struct sample_run *r, const struct pmon_sample *sample);

/* ---- tables.c ---- */

/* Prints all samples as tables of the most frequent addresses. */
void sample_print_tables(struct sample_run *r);
/* Describes the samples that were lost, in one line without its end; false: none were. */
bool sample_describe_loss(const struct sample_run *r, char *text, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/* The code of a sampled program: the function and instruction at an address, and its listing. */
#ifndef CLI_SAMPLE_CODE_H
#define CLI_SAMPLE_CODE_H

#include <stddef.h>
#include <stdint.h>

struct pmon_sample;
struct sample_run;

/* Reads the files of the command's programs again, for their symbols. Without a file, the functions below return
 * nothing. */
void sample_code_open(struct sample_run *r);
void sample_code_close(struct sample_run *r);
/* Returns the number, from 0, of the command's program to which the sample belongs. */
unsigned sample_code_program(const struct sample_run *r, const struct pmon_sample *sample);
/* Returns the slot of the only branch in the sample's bundle; SAMPLE_NO_SLOT: there is none, or there are several. */
enum { SAMPLE_NO_SLOT = 3 };
unsigned sample_code_branch(const struct sample_run *r, const struct pmon_sample *sample);
/* Writes "function+0x10  ld8 r4=[r5]" for a sample's instruction pointer; SAMPLE_NO_SLOT: only the function. Empty:
 * unknown. */
void sample_code_describe(const struct sample_run *r, const struct pmon_sample *sample, unsigned slot, char *text,
                          size_t size);
/* Prints each function that has samples, with the samples of each bundle. */
void sample_code_annotate(struct sample_run *r);

#endif

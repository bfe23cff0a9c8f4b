/* SPDX-License-Identifier: MIT */
/*
 * The readers of trace files, each a source. Own `in` from then on, also when they fail.
 */
#ifndef MACHINE_TRACE_READER_H
#define MACHINE_TRACE_READER_H

#include "machine/trace/input.h"
#include "machine/trace/source.h"

/* The binary format; `head` are the `n` bytes already taken from `in`. A damaged or torn file is an error that names
 * the byte, after all complete chunks before it have been delivered. */
int pmt_source_new(struct trace_input *in, const uint8_t *head, size_t n, char *error, size_t error_size,
                   struct trace_source **ret_source);

/* What `valgrind --tool=lackey --trace-mem=yes` prints; lines that begin with "==" or "--" are Valgrind's own talk. A
 * line that is not one is an error that names it, after all lines before it have been delivered. */
int lackey_source_new(struct trace_input *in, const uint8_t *head, size_t n, char *error, size_t error_size,
                      struct trace_source **ret_source);

/* What trace_open() does with an input: looks how it begins and chooses. */
int trace_source_of_input(struct trace_input *in, char *error, size_t error_size, struct trace_source **ret_source);

#endif

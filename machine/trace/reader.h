/* SPDX-License-Identifier: MIT */
/*
 * The readers of trace files; each is a source. They own `in` from the call on, also when they fail. Two of the six
 * parameters are the caller's buffer for the error text.
 */
#ifndef MACHINE_TRACE_READER_H
#define MACHINE_TRACE_READER_H

#include "machine/trace/input.h"
#include "machine/trace/source.h"

/* The binary format; `head` are the first `n` bytes, already read from `in`. A damaged or truncated file is an error
 * that names the offset; all complete chunks before it are delivered first. */
int pmt_source_new(struct trace_input *in, const uint8_t *head, size_t n, char *error, size_t error_size,
                   struct trace_source **ret_source);

/* The output of `valgrind --tool=lackey --trace-mem=yes`; lines that begin with "==" or "--" are Valgrind's
 * messages. An invalid line is an error that names it; all lines before it are delivered first. */
int lackey_source_new(struct trace_input *in, const uint8_t *head, size_t n, char *error, size_t error_size,
                      struct trace_source **ret_source);

/* Recognises the format of an input by its first bytes, for trace_open(). */
int trace_source_of_input(struct trace_input *in, char *error, size_t error_size, struct trace_source **ret_source);

#endif

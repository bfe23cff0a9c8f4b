/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a trace, from a file or from memory. zstd input is decompressed.
 */
#ifndef MACHINE_TRACE_INPUT_H
#define MACHINE_TRACE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_input;

/* PMON_E_IO, PMON_E_MEMORY with the text in error. */
int trace_input_open(const char *path, char *error, size_t error_size, struct trace_input **ret_input);
/* Reads `bytes` bytes at `data`, which the caller owns. `name` is the name in error messages. */
int trace_input_memory(const char *name, const void *data, size_t bytes, struct trace_input **ret_input);
void trace_input_close(struct trace_input *in);

/* Fills `to` with up to `size` bytes; *ret_n is smaller only at the end. PMON_E_IO: the file cannot be read;
 * PMON_E_SYNTAX: the compressed data are damaged or truncated. *ret_n counts the bytes before the failure;
 * trace_input_error() has the text. */
int trace_input_read(struct trace_input *in, void *to, size_t size, size_t *ret_n);
const char *trace_input_error(const struct trace_input *in);
const char *trace_input_name(const struct trace_input *in);
/* Number of bytes delivered so far, after decompression. */
uint64_t trace_input_offset(const struct trace_input *in);
/* True if reading never waits for a writer: memory, or a regular file. */
bool trace_input_has_all(const struct trace_input *in);
/* True if the input is compressed: offsets count decompressed bytes. */
bool trace_input_is_compressed(const struct trace_input *in);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Writes the binary trace format (docs/trace-format.md).
 */
#ifndef MACHINE_TRACE_WRITER_H
#define MACHINE_TRACE_WRITER_H

#include "machine/trace/source.h"

struct trace_writer;

struct trace_writer_options {
  const char *path;   /* created, or overwritten */
  const char *origin; /* one line of text for the header: what was recorded */
  bool zstd;
};

/* PMON_E_INVALID (no file can be made there), PMON_E_IO (it cannot be written), PMON_E_MEMORY; the text in error. */
int trace_writer_new(const struct trace_writer_options *options, char *error, size_t error_size,
                     struct trace_writer **ret_writer);

/* Each returns 0, or PMON_E_IO or PMON_E_MEMORY, once and for all: trace_writer_error() says what happened. After
 * trace_writer_finish() a plain file then ends behind the last complete chunk: what was recorded until then is kept. */
int trace_writer_append(struct trace_writer *w, unsigned thread, const uint64_t *record, size_t n);
/* The thread waits for something from here on, or ended. */
int trace_writer_idle(struct trace_writer *w, unsigned thread);
int trace_writer_end(struct trace_writer *w, unsigned thread);
/* Writes the chunks that are being filled: what is written afterwards, of any thread, comes later. */
int trace_writer_flush(struct trace_writer *w);
/* Writes all that is left, the end record, and hands it to the disk. The writer can only be freed afterwards. */
int trace_writer_finish(struct trace_writer *w);

const char *trace_writer_error(const struct trace_writer *w);
/* Records taken, and those of them that are in the file. */
uint64_t trace_writer_records(const struct trace_writer *w);
uint64_t trace_writer_written(const struct trace_writer *w);
void trace_writer_free(struct trace_writer *w);

/* Writes all that comes out of `source`, and finishes the file. A failure of the source is its own (source->error), one
 * of the writer the writer's; *ret_writer_failed tells which. */
int trace_copy(struct trace_source *source, struct trace_writer *w, bool *ret_writer_failed);

#endif

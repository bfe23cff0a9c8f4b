/* SPDX-License-Identifier: MIT */
/*
 * Writes the binary trace format (docs/trace-format.md).
 */
#ifndef MACHINE_TRACE_WRITER_H
#define MACHINE_TRACE_WRITER_H

#include "machine/trace/source.h"

struct trace_writer;

struct trace_writer_options {
  const char *path;   /* created or overwritten */
  const char *origin; /* one line of text for the header: the recorded command */
  bool zstd;          /* compressed, in frames of some megabytes */
  /* NULL, or called after each chunk. */
  void (*progress)(void *user, const struct trace_writer *w);
  void *user;
};

/* PMON_E_INVALID (the file cannot be created), PMON_E_IO (it cannot be written), PMON_E_MEMORY; the text is in error.
 */
int trace_writer_new(const struct trace_writer_options *options, char *error, size_t error_size,
                     struct trace_writer **ret_writer);

/* Each returns 0, or PMON_E_IO or PMON_E_MEMORY for this and all later calls; trace_writer_error() has the text.
 * After a failure trace_writer_finish() ends the file after the last complete chunk, or frame if it is compressed, so
 * the records up to there are kept. */
int trace_writer_append(struct trace_writer *w, unsigned thread, const uint64_t *record, size_t n);
/* Writes the name of the next region, counted from 0. Call it before any record that refers to the name. */
int trace_writer_name(struct trace_writer *w, const char *name);
/* Write that the thread starts to wait; that it has ended. */
int trace_writer_idle(struct trace_writer *w, unsigned thread);
int trace_writer_end(struct trace_writer *w, unsigned thread);
/* Writes the incomplete chunks: later records, of any thread, come after them. */
int trace_writer_flush(struct trace_writer *w);
/* Writes the remaining records and the end record, and closes the file, so that errors of its file system are seen. It
 * does not wait for the disk: for gigabytes that takes minutes, and only a crash of the host would lose the recording,
 * which can be made again. Afterwards the writer can only be freed. */
int trace_writer_finish(struct trace_writer *w);

const char *trace_writer_error(const struct trace_writer *w);
/* Number of accepted records, and of those in the file. */
uint64_t trace_writer_records(const struct trace_writer *w);
uint64_t trace_writer_written(const struct trace_writer *w);
/* Bytes in the file. */
uint64_t trace_writer_size(const struct trace_writer *w);
void trace_writer_free(struct trace_writer *w);

/* Writes all records of `source`, or those until a stop is requested (struct live_stop), and finishes the file. The
 * text of a failure is in source->error if the source failed, in trace_writer_error() if the writer failed;
 * *ret_writer_failed distinguishes them. */
int trace_copy(struct trace_source *source, struct trace_writer *w, bool *ret_writer_failed);

#endif

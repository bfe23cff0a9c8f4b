/* SPDX-License-Identifier: MIT */
/* Chunks of a recorded trace (pmt.h) as they are in the file: read in batches, also by a host thread ahead of the
 * reader. */
#ifndef MACHINE_TRACE_PMT_READER_H
#define MACHINE_TRACE_PMT_READER_H

#include "machine/trace/pmt.h"
#include "machine/trace/reader.h"
#include "machine/trace/workers.h"

struct chunk {
  struct chunk *next;
  uint32_t tag, thread, bytes, records;
  uint64_t at;       /* file offset */
  bool followed;     /* for the end record: further data follow it */
  uint8_t payload[]; /* `bytes` and PMT_PADDING more bytes */
};

/* The result of the work, in the order of the file; the owner accesses it only when the work is finished. */
struct pmt_reader {
  struct work work; /* reads a batch */
  struct trace_input *in;
  uint32_t version;
  unsigned most; /* maximum number of chunks in a batch */
  struct chunk *first, **last;
  bool ended; /* nothing follows the chunks read so far */
  int failed; /* status of the failure that ended reading, after the chunks read so far */
  char error[TRACE_ERROR_SIZE];
};

/* Owns `in` from the call on. */
void pmt_reader_init(struct pmt_reader *r, struct trace_input *in);
/* The reader's work must not be active. */
void pmt_reader_fini(struct pmt_reader *r);

#define PMT_DAMAGED "the file is damaged: copy or record it again"
/* Formats a message that names the file, the byte offset and a remedy; returns PMON_E_SYNTAX. */
int pmt_error_text(const struct trace_input *in, uint64_t at, const char *what, const char *remedy,
                   char error[TRACE_ERROR_SIZE]);
/* Reads the rest of the header after the `n` bytes that identified the format. Returns 0, or the status of the failure,
 * which is also stored in r->failed. */
int pmt_read_header(struct pmt_reader *r, const uint8_t *head, size_t n);

void chunks_free(struct chunk *c);

/* Returns the memory in bytes that the chunk takes. It has no payload if it only marks that a thread waits. */
static inline size_t chunk_memory(const struct chunk *c)
{
  return sizeof *c + c->bytes + PMT_PADDING;
}

#endif

/* SPDX-License-Identifier: MIT */
/* Chunks of a recorded trace (pmt.h) as they stand in its file: read in batches, which a host thread may do ahead. */
#ifndef MACHINE_TRACE_PMT_READER_H
#define MACHINE_TRACE_PMT_READER_H

#include "machine/trace/pmt.h"
#include "machine/trace/reader.h"
#include "machine/trace/workers.h"

struct chunk {
  struct chunk *next;
  uint32_t tag, thread, bytes, records;
  uint64_t at;       /* its offset in the file; later chunks have greater ones */
  bool followed;     /* of the end record: data follow it */
  uint8_t payload[]; /* `bytes` and PMT_PADDING more bytes */
};

/* The work's result, in the order of the file; its owner looks at it only when the work is finished. */
struct pmt_reader {
  struct work work; /* reads a batch */
  struct trace_input *in;
  uint32_t version;
  unsigned most; /* chunks of a batch */
  struct chunk *first, **last;
  bool ended; /* nothing follows what was read so far */
  int failed; /* status of the failure that ended reading, behind what was read */
  char error[TRACE_ERROR_SIZE];
};

/* Owns `in` from the call on. */
void pmt_reader_init(struct pmt_reader *r, struct trace_input *in);
/* No work of it may have begun. */
void pmt_reader_fini(struct pmt_reader *r);

#define PMT_DAMAGED "the file is damaged: copy it again, or record again"
/* A message that names the file, the byte and what helps; returns PMON_E_SYNTAX. */
int pmt_error_text(const struct trace_input *in, uint64_t at, const char *what, const char *remedy,
                   char error[TRACE_ERROR_SIZE]);
/* Reads the rest of the header after the `n` bytes that identified the format. 0, or the status of the failure, which
 * is in r->failed, too. */
int pmt_read_header(struct pmt_reader *r, const uint8_t *head, size_t n);

void chunks_free(struct chunk *c);

/* Bytes of memory that the chunk takes, which has no payload if it says nothing but that a thread waits. */
static inline size_t chunk_memory(const struct chunk *c)
{
  return sizeof *c + c->bytes + PMT_PADDING;
}

#endif

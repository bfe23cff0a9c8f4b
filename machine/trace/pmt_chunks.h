/* SPDX-License-Identifier: MIT */
/* Chunks of a recorded trace (pmt.h), read from its file into the queues of their threads. */
#ifndef MACHINE_TRACE_PMT_CHUNKS_H
#define MACHINE_TRACE_PMT_CHUNKS_H

#include "machine/trace/pmt.h"
#include "machine/trace/reader.h"

struct chunk {
  struct chunk *next;
  uint32_t tag, bytes, records;
  uint64_t at;       /* its offset in the file; later chunks have greater ones */
  uint8_t payload[]; /* `bytes` and PMT_PADDING more bytes */
};

/* What decoding takes: it exists from a thread's first records to its end. */
struct pmt_decoder {
  struct pmt_coder coder;
  uint64_t record[PMT_CHUNK_RECORDS];
};

struct pmt_thread {
  struct pmt_decoder *decoder; /* NULL: there is none */
  struct chunk *first, **last;
  uint32_t n, taken;            /* decoded records, consumed records */
  uint64_t at;                  /* of the decoded chunk */
  bool blocked, ended, drained; /* drained: its end was delivered */
};

struct pmt_source {
  struct trace_source base;
  struct trace_input *in;
  struct pmt_thread **thread;
  unsigned *live;                   /* numbers of the threads that are not drained, ascending */
  unsigned n, n_live, running;      /* running: threads whose end was not read */
  struct chunk *names, **last_name; /* of regions; their number is that in the list */
  uint32_t n_names;
  uint64_t queued; /* number of payload bytes in all queues */
  uint64_t slept_ns;
  uint64_t records; /* number of records read, to compare with the end record */
  bool done;        /* the end of the file was reached */
  int failed;       /* status of the failure that ended reading; reported after all earlier records are delivered */
};

/* Ends reading with a message that names the file and the byte; returns PMON_E_SYNTAX. */
int pmt_report_damage(struct pmt_source *p, uint64_t at, const char *what);

/* Reads the rest of the header after the `n` bytes that identified the format. 0, or the status of the failure. */
int pmt_read_header(struct pmt_source *p, const uint8_t *head, size_t n);

/* Reads the next chunk into its thread's queue. Sets p->done at the end of the file or after a failure. */
void pmt_read_chunk(struct pmt_source *p);

#endif

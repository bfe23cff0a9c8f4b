/* SPDX-License-Identifier: MIT */
/* Chunks of a recorded trace (pmt_reader.h), queued per thread, and decoded. */
#ifndef MACHINE_TRACE_PMT_CHUNKS_H
#define MACHINE_TRACE_PMT_CHUNKS_H

#include "machine/trace/pmt_reader.h"

/* The state for decoding, allocated from a thread's first records to its end. */
struct pmt_decoder {
  struct work work; /* decodes `chunk` ahead of the reader */
  const struct chunk *chunk;
  struct visit_model *model; /* version 5 and later */
  struct pmt_coder *coder;   /* versions before 5 */
  uint64_t slept_ns;         /* of the last decoded chunk */
  bool decoded;              /* the last chunk was valid */
  uint64_t *to;              /* destination of the decoded records */
  uint64_t *record;          /* records of the thread's current chunk */
  uint64_t *ahead;           /* records of the chunk that is decoded ahead; NULL: none so far */
};

struct pmt_thread {
  struct pmt_decoder *decoder; /* NULL: none */
  struct chunk *first, **last;
  uint32_t n, taken;            /* number of decoded records, of consumed records */
  uint64_t at;                  /* file offset of the decoded chunk */
  bool blocked, ended, drained; /* drained: its end was delivered */
};

struct pmt_source {
  struct trace_source base;
  struct pmt_reader reader;
  struct chunk *batch; /* chunks that are read and not yet queued */
  struct pmt_thread **thread;
  unsigned *live;                   /* numbers of the threads that are not drained, ascending */
  unsigned n, n_live, running;      /* running: number of threads whose end has not been read */
  unsigned n_ahead;                 /* number of decoders with memory for decoding ahead */
  struct chunk *names, **last_name; /* names of regions; a name's number is its index in the list */
  uint32_t n_names;
  uint64_t queued;  /* bytes of memory of all queued chunks */
  uint64_t payload; /* payload bytes among these */
  uint64_t slept_ns;
  uint64_t records; /* number of records read, to compare with the end record */
  bool done;        /* the end of the file was reached */
  int failed;       /* status of the failure that ended reading; reported after all earlier records are delivered */
};

/* Ends reading with a message that names the file, the byte offset and a remedy; returns PMON_E_SYNTAX. */
int pmt_report(struct pmt_source *p, uint64_t at, const char *what, const char *remedy);

/* Reads the next chunk into its thread's queue. Sets p->done at the end of the file or after a failure. */
void pmt_read_chunk(struct pmt_source *p);

/* pmt_decode.c: allocates the memory for a thread's next records, if it has none. false: no memory. */
bool pmt_decoder_need(const struct pmt_source *p, struct pmt_thread *t);
/* Decodes the chunk, which follows the last one, into `t->n` records. false: it is invalid. */
bool pmt_decode_chunk(struct pmt_source *p, struct pmt_thread *t, const struct chunk *c);
/* Starts decoding the thread's next chunk ahead, if that chunk is queued and holds records, and no other decoding of
 * the thread is active. */
void pmt_decode_ahead(struct pmt_source *p, unsigned thread);
/* Cancels decoding the chunk ahead, if that has started. */
void pmt_decode_cancel(struct pmt_source *p, const struct chunk *c);
void pmt_decoder_free(struct pmt_source *p, struct pmt_thread *t);

/* Lets host threads read and decode ahead of the caller from now on: `threads` of them, including the caller's. */
void pmt_work_ahead(struct pmt_source *p, unsigned threads);
/* Makes the batch that has been read p->batch, if p->batch is used up; `wait`: waits for it if necessary. */
void pmt_take_batch(struct pmt_source *p, bool wait);

#endif

/* SPDX-License-Identifier: MIT */
/* Chunks of a recorded trace (pmt_reader.h), in the queues of their threads, and decoded. */
#ifndef MACHINE_TRACE_PMT_CHUNKS_H
#define MACHINE_TRACE_PMT_CHUNKS_H

#include "machine/trace/pmt_reader.h"

/* What decoding takes: it exists from a thread's first records to its end. */
struct pmt_decoder {
  struct work work; /* decodes `chunk` ahead */
  const struct chunk *chunk;
  struct visit_model *model; /* since version 5 */
  struct pmt_coder *coder;   /* before */
  uint64_t slept_ns;         /* of the last decoded chunk */
  bool decoded;              /* it could be */
  uint64_t *to;              /* where it is decoded to */
  uint64_t *record;          /* of the thread's current chunk */
  uint64_t *ahead;           /* of the one that is decoded ahead; NULL: none ever was */
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
  struct pmt_reader reader;
  struct chunk *batch; /* read, and not queued yet */
  struct pmt_thread **thread;
  unsigned *live;                   /* numbers of the threads that are not drained, ascending */
  unsigned n, n_live, running;      /* running: threads whose end was not read */
  unsigned n_ahead;                 /* decoders that have memory to decode ahead */
  struct chunk *names, **last_name; /* of regions; their number is that in the list */
  uint32_t n_names;
  uint64_t queued;  /* bytes of memory of the chunks in all queues */
  uint64_t payload; /* of these, bytes of payload */
  uint64_t slept_ns;
  uint64_t records; /* number of records read, to compare with the end record */
  bool done;        /* the end of the file was reached */
  int failed;       /* status of the failure that ended reading; reported after all earlier records are delivered */
};

/* Ends reading with a message that names the file, the byte and what helps; returns PMON_E_SYNTAX. */
int pmt_report(struct pmt_source *p, uint64_t at, const char *what, const char *remedy);

/* Reads the next chunk into its thread's queue. Sets p->done at the end of the file or after a failure. */
void pmt_read_chunk(struct pmt_source *p);

/* pmt_decode.c: a thread's next records. Whether there is memory for them, where there were none before. */
bool pmt_decoder_need(const struct pmt_source *p, struct pmt_thread *t);
/* Decodes the chunk, which follows the last one, as `t->n` records; false: it cannot be. */
bool pmt_decode_chunk(struct pmt_source *p, struct pmt_thread *t, const struct chunk *c);
/* Begins to decode the thread's next chunk, if that is known and of records, and nothing else is under way. */
void pmt_decode_ahead(struct pmt_source *p, unsigned thread);
/* The chunk will not be decoded, if that has begun. */
void pmt_decode_cancel(struct pmt_source *p, const struct chunk *c);
void pmt_decoder_free(struct pmt_source *p, struct pmt_thread *t);

/* Reading and decoding is done by host threads ahead of the caller from now on, of which `threads` are to be used
 * with the caller's. */
void pmt_work_ahead(struct pmt_source *p, unsigned threads);
/* A batch that has been read becomes p->batch, if that is used up; `wait`: also if it was not read yet. */
void pmt_take_batch(struct pmt_source *p, bool wait);

#endif

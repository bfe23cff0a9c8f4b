/* SPDX-License-Identifier: MIT */
/* Decoding of chunks: on demand, or ahead of that by a host thread (workers.h). */
#include <stdlib.h>
#include "machine/trace/pmt_chunks.h"

/* Number of chunks in a batch that is read ahead. */
#define BATCH 4u

/* Maximum number of threads whose chunks are decoded ahead: each takes memory, and there are no more host threads. */
#define AHEAD_MOST WORKERS_MOST

static uint64_t *decoder_records(void)
{
  return malloc(PMT_CHUNK_RECORDS * sizeof(uint64_t));
}

static void decoder_run(struct work *w)
{
  struct pmt_decoder *d = (struct pmt_decoder *)w;
  const struct chunk *c = d->chunk;

  d->slept_ns = 0;
  if (d->model) {
    d->decoded = visits_decode(d->model, c->payload, c->bytes, d->to, c->records, &d->slept_ns);
    return;
  }
  d->coder->slept_ns = 0;
  d->decoded = pmt_decode(d->coder, c->payload, c->bytes, d->to, c->records);
  d->slept_ns = d->coder->slept_ns;
}

static void decoder_free(struct pmt_decoder *d)
{
  free(d->model);
  free(d->coder);
  free(d->record);
  free(d->ahead);
  free(d);
}

bool pmt_decoder_need(const struct pmt_source *p, struct pmt_thread *t)
{
  struct pmt_decoder *d = t->decoder;

  if (d)
    return true;
  d = calloc(1, sizeof *d);
  if (!d)
    return false;
  if (p->reader.version >= PMT_VERSION_VISITS)
    d->model = calloc(1, sizeof *d->model);
  else
    d->coder = calloc(1, sizeof *d->coder);
  d->record = decoder_records();
  if ((!d->model && !d->coder) || !d->record) {
    decoder_free(d);
    return false;
  }
  d->work.run = decoder_run;
  t->decoder = d;
  return true;
}

bool pmt_decode_chunk(struct pmt_source *p, struct pmt_thread *t, const struct chunk *c)
{
  struct pmt_decoder *d = t->decoder;

  if (work_has_begun(&d->work)) { /* for this chunk, which follows the last one */
    work_finish(p->base.workers, &d->work);
    d->ahead = d->record;
    d->record = d->to;
  } else {
    d->chunk = c;
    d->to = d->record;
    decoder_run(&d->work);
  }
  p->slept_ns += d->slept_ns;
  return d->decoded;
}

void pmt_decode_ahead(struct pmt_source *p, unsigned thread)
{
  const struct pmt_thread *t = p->thread[thread];
  struct pmt_decoder *d = t->decoder;
  const struct chunk *c = t->first;

  if (!p->base.workers || !d || work_has_begun(&d->work))
    return;
  if (!c) {
    pmt_take_batch(p, false);
    for (c = p->batch; c && c->thread != thread;)
      c = c->next;
  }
  if (!c || c->tag != PMT_RECORDS || !c->records || c->records > PMT_CHUNK_RECORDS)
    return; /* an invalid chunk of the batch is detected when it is queued */
  if (!d->ahead) {
    if (p->n_ahead == AHEAD_MOST || !(d->ahead = decoder_records()))
      return;
    p->n_ahead++;
  }
  d->chunk = c;
  d->to = d->ahead;
  work_begin(p->base.workers, &d->work);
}

void pmt_decode_cancel(struct pmt_source *p, const struct chunk *c)
{
  struct pmt_decoder *d = c->thread < p->n ? p->thread[c->thread]->decoder : NULL;

  if (d && work_has_begun(&d->work) && d->chunk == c)
    work_cancel(p->base.workers, &d->work);
}

void pmt_decoder_free(struct pmt_source *p, struct pmt_thread *t)
{
  struct pmt_decoder *d = t->decoder;

  if (!d)
    return;
  work_cancel(p->base.workers, &d->work);
  p->n_ahead -= d->ahead != NULL;
  decoder_free(d);
  t->decoder = NULL;
}

void pmt_work_ahead(struct pmt_source *p, unsigned threads)
{
  if (p->base.workers || threads < 2 || !trace_input_has_all(p->reader.in) ||
      !(p->base.workers = workers_new(threads - 1)))
    return;
  p->reader.most = BATCH;
  if (!p->reader.ended)
    work_begin(p->base.workers, &p->reader.work);
}

/* SPDX-License-Identifier: MIT */
/* A binary trace as a source: delivers the records of its threads, and its chunks in order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/trace/pmt_chunks.h"

/* Maximum number of bytes of queued chunks while the reader searches for the next chunk of one thread. */
#define READ_AHEAD (UINT64_C(64) << 20)

/* Called when the thread's end has been delivered: frees its decoder. Its number and its end chunk remain; the chunk no
 * longer counts as queued. */
static void pmt_drain_thread(struct pmt_source *p, unsigned thread)
{
  struct pmt_thread *t = p->thread[thread];
  unsigned i = 0;

  if (t->drained)
    return;
  t->drained = true;
  if (t->first) {
    p->queued -= chunk_memory(t->first);
    p->payload -= t->first->bytes;
  }
  pmt_decoder_free(p, t);
  while (p->live[i] != thread)
    i++;
  p->n_live--;
  memmove(p->live + i, p->live + i + 1, (p->n_live - i) * sizeof *p->live);
}

/* Decodes chunks from the queue until there are records or the thread waits, or the queue is empty. *ret_ended: the
 * next chunk is the thread's end. */
static int pmt_decode_next(struct pmt_source *p, unsigned thread, bool *ret_ended)
{
  struct pmt_thread *t = p->thread[thread];
  struct chunk *c;

  *ret_ended = false;
  while (t->taken == t->n && !t->blocked && (c = t->first)) {
    bool ok = true;

    if (c->tag == PMT_END) {
      *ret_ended = true; /* stays in the queue, so that later calls return the same */
      return 0;
    }
    t->first = c->next;
    if (!t->first)
      t->last = &t->first;
    p->queued -= chunk_memory(c);
    p->payload -= c->bytes;
    t->blocked = c->tag == PMT_IDLE;
    t->n = c->records;
    t->taken = 0;
    t->at = c->at;
    if (c->records && !pmt_decoder_need(p, t)) {
      t->n = 0;
      free(c);
      p->done = true;
      snprintf(p->base.error, sizeof p->base.error, "out of memory for %u threads", p->n_live);
      return p->failed = PMON_E_MEMORY;
    }
    if (c->records)
      ok = pmt_decode_chunk(p, t, c);
    if (!ok) {
      t->n = 0;
      pmt_report(p, c->at, "undecodable records in the chunk", PMT_DAMAGED);
      free(c);
      return p->failed;
    }
    if (p->slept_ns > PMT_SLEEP_NS) {
      t->n = 0;
      pmt_report(p, c->at, "sleeps of more than 60 s in total", "record a shorter run");
      free(c);
      return p->failed;
    }
    free(c);
    pmt_decode_ahead(p, thread);
  }
  return 0;
}

static bool pmt_thread_is_drained(const struct pmt_source *p)
{
  for (unsigned i = 0; i < p->n_live; i++) {
    const struct pmt_thread *t = p->thread[p->live[i]];

    if (t->taken != t->n || (t->first && t->first->tag != PMT_END))
      return false;
  }
  return true;
}

static int pmt_poll(struct trace_source *s, unsigned *ret_threads, bool *ret_ended)
{
  struct pmt_source *p = (struct pmt_source *)s;

  if (!p->n && !p->done)
    pmt_read_chunk(p);
  *ret_threads = p->n;
  *ret_ended = p->done;
  return p->failed && pmt_thread_is_drained(p) ? p->failed : 0;
}

/* True if the event that the thread waits for has happened: all records of the other threads before its next chunk are
 * consumed. */
static bool pmt_thread_may_continue(const struct pmt_source *p, const struct pmt_thread *t)
{
  if (!t->first)
    return false;
  for (unsigned i = 0; i < p->n_live; i++) {
    const struct pmt_thread *o = p->thread[p->live[i]];
    uint64_t at = o->taken != o->n ? o->at : o->first && o->first->tag != PMT_END ? o->first->at : UINT64_MAX;

    if (at < t->first->at)
      return false;
  }
  return true;
}

static int pmt_window(struct trace_source *s, unsigned thread, struct trace_window *ret)
{
  struct pmt_source *p = (struct pmt_source *)s;
  struct pmt_thread *t = p->thread[thread];
  bool ended;
  int rc = pmt_decode_next(p, thread, &ended);

  while (rc == 0 && t->blocked && t->taken == t->n && pmt_thread_may_continue(p, t)) {
    t->blocked = false;
    rc = pmt_decode_next(p, thread, &ended);
  }
  *ret = (struct trace_window){.n = t->n - t->taken, .state = TRACE_RUNNING};
  if (ret->n)
    ret->record = t->decoder->record + t->taken;
  if (ended || (p->done && !ret->n && !t->first))
    ret->state = TRACE_ENDED;
  else if (t->blocked)
    ret->state = TRACE_BLOCKED;
  if (ret->state == TRACE_ENDED && !ret->n)
    pmt_drain_thread(p, thread);
  if (rc == 0 && ret->state == TRACE_ENDED && p->failed && pmt_thread_is_drained(p))
    rc = p->failed;
  return rc;
}

/* Reads chunks until the thread has records; limits the memory for other threads' records. */
static int pmt_await(struct trace_source *s, unsigned thread)
{
  struct pmt_source *p = (struct pmt_source *)s;
  const uint64_t before = p->queued, payload = p->payload;
  const unsigned n = p->n;

  if (thread == TRACE_ANY) { /* a chunk that marks a waiting or ended thread is not enough */
    while (!p->done && p->payload == payload && p->n == n && p->queued < before + READ_AHEAD)
      pmt_read_chunk(p);
    return 0;
  }
  while (!p->done && !p->thread[thread]->first &&
         ((p->queued < READ_AHEAD && p->n_live < PMT_RUNNING) || p->queued == before))
    pmt_read_chunk(p);
  return 0;
}

static void pmt_consume(struct trace_source *s, unsigned thread, size_t n)
{
  struct pmt_source *p = (struct pmt_source *)s;

  p->thread[thread]->taken += (uint32_t)n;
}

static void pmt_free(struct trace_source *s)
{
  struct pmt_source *p = (struct pmt_source *)s;

  for (unsigned i = 0; i < p->n; i++) {
    pmt_decoder_free(p, p->thread[i]);
    chunks_free(p->thread[i]->first);
    free(p->thread[i]);
  }
  work_cancel(p->base.workers, &p->reader.work);
  workers_free(p->base.workers);
  chunks_free(p->batch);
  chunks_free(p->names);
  free(p->thread);
  free(p->live);
  pmt_reader_fini(&p->reader);
  free(p);
}

static const char *pmt_name(struct trace_source *s, uint32_t number)
{
  const struct chunk *c = ((struct pmt_source *)s)->names;

  for (; c && number; number--)
    c = c->next;
  return c ? (const char *)c->payload : NULL;
}

static void pmt_ahead(struct trace_source *s, unsigned threads)
{
  pmt_work_ahead((struct pmt_source *)s, threads);
}

static const struct trace_source_ops pmt_ops = {pmt_poll, pmt_await, pmt_window, pmt_consume, pmt_free, pmt_name};

int pmt_source_new(struct trace_input *in, const uint8_t *head, size_t n, char *error, size_t error_size,
                   struct trace_source **ret_source)
{
  struct pmt_source *p = calloc(1, sizeof *p);
  int rc;

  if (!p) {
    snprintf(error, error_size, "out of memory");
    trace_input_close(in);
    return PMON_E_MEMORY;
  }
  p->base.ops = &pmt_ops;
  p->base.ahead = pmt_ahead;
  p->last_name = &p->names;
  pmt_reader_init(&p->reader, in);
  rc = pmt_read_header(&p->reader, head, n);
  if (rc < 0) {
    snprintf(error, error_size, "%s", p->reader.error);
    pmt_free(&p->base);
    return rc;
  }
  *ret_source = &p->base;
  return 0;
}

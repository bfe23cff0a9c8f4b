/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/trace/pmt.h"
#include "machine/trace/reader.h"

/* Maximum number of encoded bytes in memory while the reader searches for the next chunk of one thread. */
#define READ_AHEAD (UINT64_C(64) << 20)

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

static int pmt_report_damage(struct pmt_source *p, uint64_t at, const char *what)
{
  p->done = true;
  p->failed = PMON_E_SYNTAX;
  snprintf(p->base.error, sizeof p->base.error, "%.300s: %s at byte %llu%s", trace_input_name(p->in), what,
           (unsigned long long)at, trace_input_is_compressed(p->in) ? " of the decompressed data" : "");
  return p->failed;
}

/* Reads exactly `n` bytes; otherwise records a failure. */
static bool pmt_read_bytes(struct pmt_source *p, uint8_t *to, size_t n, uint64_t at, const char *what)
{
  size_t k;
  int rc = trace_input_read(p->in, to, n, &k);

  if (rc < 0) {
    p->done = true;
    p->failed = rc;
    snprintf(p->base.error, sizeof p->base.error, "%s", trace_input_error(p->in));
    return false;
  }
  if (k == n)
    return true;
  pmt_report_damage(p, at + k, what);
  return false;
}

static bool pmt_add_thread(struct pmt_source *p)
{
  struct pmt_thread **list = realloc(p->thread, (p->n + 1) * sizeof *list);
  unsigned *live = realloc(p->live, (p->n + 1) * sizeof *live);

  p->thread = list ? list : p->thread;
  p->live = live ? live : p->live;
  if (!list || !live || !(list[p->n] = calloc(1, sizeof **list))) {
    p->done = true;
    p->failed = PMON_E_MEMORY;
    snprintf(p->base.error, sizeof p->base.error, "out of memory for %u threads", p->n + 1);
    return false;
  }
  list[p->n]->last = &list[p->n]->first;
  live[p->n_live++] = p->n++;
  p->running++;
  return true;
}

/* The thread's end is delivered: its number and the end remain. */
static void pmt_drain_thread(struct pmt_source *p, unsigned thread)
{
  struct pmt_thread *t = p->thread[thread];
  unsigned i = 0;

  if (t->drained)
    return;
  t->drained = true;
  free(t->decoder);
  t->decoder = NULL;
  while (p->live[i] != thread)
    i++;
  p->n_live--;
  memmove(p->live + i, p->live + i + 1, (p->n_live - i) * sizeof *p->live);
}

/* Whether a chunk's header is valid; its checksum is correct. */
static bool pmt_check_chunk(struct pmt_source *p, const struct chunk *c, uint32_t thread)
{
  switch (c->tag) {
  case PMT_RECORDS:
    return thread <= p->n && thread < PMT_THREADS && (thread == p->n || !p->thread[thread]->ended) &&
           c->records <= PMT_CHUNK_RECORDS && (c->records != 0) == (c->bytes != 0);
  case PMT_IDLE:
  case PMT_END: return thread < p->n && !c->bytes && !c->records && !p->thread[thread]->ended;
  case PMT_NAME:
    return thread == p->n_names && thread < PMT_NAMES && c->bytes && c->bytes <= PMT_NAME_BYTES && !c->records &&
           !memchr(c->payload, 0, c->bytes);
  case PMT_DONE: return thread == p->n && c->bytes == 8 && !c->records && pmt_get64(c->payload) == p->records;
  default: return false;
  }
}

/* The end record was read: no bytes may follow. */
static void pmt_finish(struct pmt_source *p, uint64_t at)
{
  uint8_t more;
  size_t k;
  int rc = trace_input_read(p->in, &more, 1, &k);

  p->done = true;
  if (rc < 0) {
    p->failed = rc;
    snprintf(p->base.error, sizeof p->base.error, "%s", trace_input_error(p->in));
  } else if (k) {
    pmt_report_damage(p, at, "data after the end record");
  }
}

static void pmt_queue_chunk(struct pmt_source *p, struct chunk *c, uint32_t thread)
{
  struct pmt_thread *t;

  if (thread == p->n && p->running == PMT_RUNNING) {
    pmt_report_damage(p, c->at, "more threads at the same time than pmon follows");
    free(c);
    return;
  }
  if (thread == p->n && !pmt_add_thread(p)) {
    free(c);
    return;
  }
  t = p->thread[thread];
  t->ended = c->tag == PMT_END; /* no chunk of this thread may follow */
  p->running -= t->ended;
  *t->last = c;
  t->last = &c->next;
  p->queued += c->bytes;
  p->records += c->records;
}

/* Reads the next chunk into its thread's queue. Sets p->done at the end of the file or after a failure. */
static void pmt_read_chunk(struct pmt_source *p)
{
  uint64_t at = trace_input_offset(p->in);
  uint8_t h[PMT_CHUNK_HEADER_BYTES];
  uint32_t bytes, thread;
  struct chunk *c;

  if (!pmt_read_bytes(p, h, sizeof h, at, "the file ends before its end record,"))
    return;
  thread = pmt_get32(h + 4);
  bytes = pmt_get32(h + 8);
  if (bytes > PMT_CHUNK_BYTES) {
    pmt_report_damage(p, at, "invalid chunk header");
    return;
  }
  c = calloc(1, sizeof *c + bytes + PMT_PADDING);
  if (!c) {
    p->done = true;
    p->failed = PMON_E_MEMORY;
    snprintf(p->base.error, sizeof p->base.error, "out of memory");
    return;
  }
  c->tag = pmt_get32(h);
  c->bytes = bytes;
  c->records = pmt_get32(h + 12);
  c->at = at;
  if (!pmt_read_bytes(p, c->payload, bytes, at + sizeof h, "the file ends in a chunk,")) {
    free(c);
  } else if (pmt_checksum(h, c->payload, bytes) != pmt_get64(h + 16)) {
    free(c);
    pmt_report_damage(p, at, "wrong checksum of the chunk");
  } else if (!pmt_check_chunk(p, c, thread)) {
    free(c);
    pmt_report_damage(p, at, "unexpected chunk");
  } else if (c->tag == PMT_DONE) {
    free(c);
    pmt_finish(p, at + sizeof h + bytes);
  } else if (c->tag == PMT_NAME) {
    *p->last_name = c; /* zeros follow the text */
    p->last_name = &c->next;
    p->n_names++;
  } else {
    pmt_queue_chunk(p, c, thread);
  }
}

/* Decodes chunks from the queue until there are records, or a mark, or the queue is empty. */
static int pmt_decode_next(struct pmt_source *p, struct pmt_thread *t, bool *ret_ended)
{
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
    p->queued -= c->bytes;
    t->blocked = c->tag == PMT_IDLE;
    t->n = c->records;
    t->taken = 0;
    t->at = c->at;
    if (c->records && !t->decoder && !(t->decoder = calloc(1, sizeof *t->decoder))) {
      t->n = 0;
      free(c);
      p->done = true;
      snprintf(p->base.error, sizeof p->base.error, "out of memory for %u threads", p->n_live);
      return p->failed = PMON_E_MEMORY;
    }
    const uint64_t slept_ns = t->decoder ? t->decoder->coder.slept_ns : 0;
    if (c->records)
      ok = pmt_decode(&t->decoder->coder, c->payload, c->bytes, t->decoder->record, c->records);
    if (!ok) {
      t->n = 0;
      pmt_report_damage(p, c->at, "undecodable records in the chunk");
      free(c);
      return p->failed;
    }
    p->slept_ns += t->decoder ? t->decoder->coder.slept_ns - slept_ns : 0;
    if (p->slept_ns > PMT_SLEEP_NS) {
      t->n = 0;
      pmt_report_damage(p, c->at, "sleeps of more than 60 s together");
      free(c);
      return p->failed;
    }
    free(c);
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

/* Whether the event that the thread waits for has happened: all records of the other threads before its next chunk
 * are consumed. */
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
  int rc = pmt_decode_next(p, t, &ended);

  while (rc == 0 && t->blocked && t->taken == t->n && pmt_thread_may_continue(p, t)) {
    t->blocked = false;
    rc = pmt_decode_next(p, t, &ended);
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

/* Reads chunks until the thread has records, up to a maximum amount of memory for other threads' records. */
static int pmt_await(struct trace_source *s, unsigned thread)
{
  struct pmt_source *p = (struct pmt_source *)s;
  uint64_t before = p->queued;
  unsigned n = p->n;

  if (thread == TRACE_ANY) {
    while (!p->done && p->queued == before && p->n == n)
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

static void chunks_free(struct chunk *c)
{
  for (struct chunk *next; c; c = next) {
    next = c->next;
    free(c);
  }
}

static void pmt_free(struct trace_source *s)
{
  struct pmt_source *p = (struct pmt_source *)s;

  for (unsigned i = 0; i < p->n; i++) {
    chunks_free(p->thread[i]->first);
    free(p->thread[i]->decoder);
    free(p->thread[i]);
  }
  chunks_free(p->names);
  free(p->thread);
  free(p->live);
  trace_input_close(p->in);
  free(p);
}

static const char *pmt_name(struct trace_source *s, uint32_t number)
{
  const struct chunk *c = ((struct pmt_source *)s)->names;

  for (; c && number; number--)
    c = c->next;
  return c ? (const char *)c->payload : NULL;
}

static const struct trace_source_ops pmt_ops = {pmt_poll, pmt_await, pmt_window, pmt_consume, pmt_free, pmt_name};

/* Reads the rest of the header after the bytes that identified the format. */
static int pmt_read_header(struct pmt_source *p, const uint8_t *head, size_t n)
{
  uint8_t h[PMT_HEADER_BYTES];
  uint32_t origin;

  memcpy(h, head, n);
  if (!pmt_read_bytes(p, h + n, sizeof h - n, n, "the file ends in its header,"))
    return p->failed;
  if (!pmt_get32(h + 8) || pmt_get32(h + 8) > PMT_VERSION) {
    pmt_report_damage(p, 8, "unknown version of the format");
    return p->failed;
  }
  origin = pmt_get32(h + 12);
  if (origin > PMT_ORIGIN_MAX) {
    pmt_report_damage(p, 12, "invalid length of the origin text");
    return p->failed;
  }
  for (uint32_t i = 0; i < origin; i++) {
    uint8_t letter;

    if (!pmt_read_bytes(p, &letter, 1, sizeof h + i, "the file ends in its header,"))
      return p->failed;
  }
  return 0;
}

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
  p->last_name = &p->names;
  p->in = in;
  rc = pmt_read_header(p, head, n);
  if (rc < 0) {
    snprintf(error, error_size, "%s", p->base.error);
    pmt_free(&p->base);
    return rc;
  }
  *ret_source = &p->base;
  return 0;
}

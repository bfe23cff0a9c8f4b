/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/trace/pmt_chunks.h"

int pmt_report_damage(struct pmt_source *p, uint64_t at, const char *what)
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

void pmt_read_chunk(struct pmt_source *p)
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

int pmt_read_header(struct pmt_source *p, const uint8_t *head, size_t n)
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

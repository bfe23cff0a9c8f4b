/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/trace/pmt_chunks.h"

int pmt_report(struct pmt_source *p, uint64_t at, const char *what, const char *remedy)
{
  p->done = true;
  return p->failed = pmt_error_text(p->reader.in, at, what, remedy, p->base.error);
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

/* True if a chunk is valid in its place; its checksum has been checked. */
static bool pmt_check_chunk(struct pmt_source *p, const struct chunk *c)
{
  const uint32_t thread = c->thread;

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

static void pmt_queue_chunk(struct pmt_source *p, struct chunk *c)
{
  const uint32_t thread = c->thread;
  struct pmt_thread *t;

  if (thread == p->n && p->running == PMT_RUNNING) {
    pmt_report(p, c->at, "more simultaneous threads than pmon supports", "record the program with fewer");
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
  p->queued += chunk_memory(c);
  p->payload += c->bytes;
  p->records += c->records;
  if (t->first == c)
    pmt_decode_ahead(p, thread);
}

/* Handles the end record, after which no bytes may follow. */
static void pmt_finish(struct pmt_source *p, const struct chunk *c)
{
  p->done = true;
  p->failed = p->reader.failed;
  if (p->failed)
    snprintf(p->base.error, sizeof p->base.error, "%s", p->reader.error);
  else if (c->followed)
    pmt_report(p, c->at + PMT_CHUNK_HEADER_BYTES + c->bytes, "data after the end record", PMT_DAMAGED);
}

void pmt_read_chunk(struct pmt_source *p)
{
  pmt_take_batch(p, true);
  struct chunk *c = p->batch;
  if (!c) { /* a valid file ends with the end record, so reading failed */
    p->done = true;
    p->failed = p->reader.failed;
    snprintf(p->base.error, sizeof p->base.error, "%s", p->reader.error);
    return;
  }
  p->batch = c->next;
  c->next = NULL;
  if (!pmt_check_chunk(p, c)) {
    pmt_report(p, c->at, "unexpected chunk", PMT_DAMAGED);
    pmt_decode_cancel(p, c);
    free(c);
  } else if (c->tag == PMT_DONE) {
    pmt_finish(p, c);
    free(c);
  } else if (c->tag == PMT_NAME) {
    *p->last_name = c; /* zeros follow the payload and terminate the text */
    p->last_name = &c->next;
    p->n_names++;
  } else {
    pmt_queue_chunk(p, c);
  }
}

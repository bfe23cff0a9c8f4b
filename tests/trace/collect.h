/* SPDX-License-Identifier: MIT */
/*
 * Collects all records of a source by thread, and its final status; makes a random stream of records.
 */
#ifndef TESTS_TRACE_COLLECT_H
#define TESTS_TRACE_COLLECT_H

#include <stdlib.h>
#include <string.h>
#include "machine/trace/reader.h"
#include "machine/trace/ring.h"

#define COLLECT_THREADS 4

struct collected {
  uint64_t *record[COLLECT_THREADS];
  size_t n[COLLECT_THREADS], total;
  unsigned threads;
  int status; /* 0, or the status with which the source failed */
  char error[TRACE_ERROR_SIZE];
};

static inline void collect_window(struct collected *c, struct trace_source *s, unsigned thread, bool *any, bool *ended)
{
  struct trace_window w;

  c->status = s->ops->window(s, thread, &w);
  if (c->status < 0)
    return;
  *any |= w.n != 0;
  *ended = !w.n && w.state == TRACE_ENDED;
  c->record[thread] = realloc(c->record[thread], (c->n[thread] + w.n + 1) * sizeof(uint64_t));
  if (w.n)
    memcpy(c->record[thread] + c->n[thread], w.record, w.n * sizeof(uint64_t));
  c->n[thread] += w.n;
  c->total += w.n;
  s->ops->consume(s, thread, w.n);
}

/* Reads `s` to its end and frees it. */
static inline void collect(struct trace_source *s, struct collected *c)
{
  bool all = false;

  *c = (struct collected){0};
  while (c->status == 0 && !all) {
    bool any = false, ended = false;

    c->status = s->ops->poll(s, &c->threads, &ended);
    all = ended;
    for (unsigned i = 0; i < c->threads && i < COLLECT_THREADS && c->status == 0; i++) {
      bool over = false;

      collect_window(c, s, i, &any, &over);
      all &= over;
    }
    if (c->status == 0 && !any && !all)
      c->status = s->ops->await(s, TRACE_ANY);
  }
  if (c->status < 0)
    memcpy(c->error, s->error, sizeof c->error);
  trace_source_free(s);
}

static inline void collected_free(struct collected *c)
{
  for (unsigned i = 0; i < COLLECT_THREADS; i++)
    free(c->record[i]);
}

/* xorshift: equal seeds give equal streams. */
static inline uint64_t random_next(uint64_t *seed)
{
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

/* Writes blocks of a small program and accesses of all sizes at near and far addresses; ordinals are numbered as by a
 * decoder. */
static inline void random_records(uint64_t seed, uint64_t *record, size_t n)
{
  unsigned ordinal = RECORD_MAX_COUNT;
  bool fresh = true;

  for (size_t i = 0; i < n; i++) {
    uint64_t r = random_next(&seed), va = r >> 8;

    if (i == 0 || r % 4 == 0) {
      uint64_t place = r >> 20 & 63;

      record[i] = record_block(0x400000 + place * 40, 1 + (uint32_t)place, 1 + (uint32_t)place % 63);
      ordinal = RECORD_MAX_COUNT;
      fresh = true;
      continue;
    }
    va = r & 16 ? 0x7ffc00000000 + va % 256 : r & 32 ? 0x10000000 + va % 100000 : va;
    if (fresh || r & 64)
      ordinal = (ordinal + 1) & RECORD_MAX_COUNT;
    fresh = false;
    record[i] = record_access(va, (unsigned)(r >> 60) % 7, r & 128, ordinal);
    if (!(r >> 48 & 63))
      record[i] |= (r & 128) ? RECORD_PAST_CACHES : RECORD_FLUSH;
  }
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The most frequent path of a load that misses L1: its translation is known, it hits L2, and it advances no stream.
 * Inline, because calls and the registers that they save would cost as much again. Other paths continue in l2.c,
 * l1_prefetch.c and l2_prefetch.c. Private to the room.
 */
#ifndef MACHINE_COMMON_MISS_H
#define MACHINE_COMMON_MISS_H

#include "machine/common/core.h"

/* l2.c: as core_l2_load(), for a line that is not in core.settled. */
fs_t core_l2_load_other(struct traffic *t, struct core *c, uint64_t line, struct page *page, fs_t at);
/* l1_prefetch.c: fetches the next line, unless it is in L1 or prefetched already, or no fill buffer is free. */
void prefetch_next_line(struct traffic *t, struct core *c, uint64_t virtual, uint64_t line, struct page *page);
/* l2_prefetch.c: requests lines ahead of a stream. */
void stream_go_on(struct traffic *t, struct core *c, struct stream *s, struct page *page, bool store);

/* Records the most recently used line of an L2 set, if a load of it changes nothing in L2; 0: unknown. */
static inline void l2_settled_set(struct core *c, uint64_t line, uint64_t settled)
{
  c->settled[line & c->settled_mask] = settled;
}

/* Returns the time at which L2 delivers a line that hits, for a look-up at `looked`. */
static inline fs_t l2_give(const struct traffic *t, struct core *c, uint64_t line, fs_t looked)
{
  if (__builtin_expect(looked < c->on_way_last, 0)) {
    const struct on_way *w = &c->on_way[line & 63];
    if (w->line == line && w->done > looked)
      return w->done;
  }
  return slots_take(&c->from_l2, looked, t->time.l2_line);
}

/* As core_l2(), for a load. Most lines that hit are the most recent ones of their sets. These need no look-up in the
 * set itself, which would use more host memory than stays in the host's L1. */
static inline __attribute__((always_inline)) fs_t core_l2_load(struct traffic *t, struct core *c, uint64_t line,
                                                               struct page *page, fs_t at)
{
  if (c->settled[line & c->settled_mask] != line)
    return core_l2_load_other(t, c, line, page, at);
  c->totals.l2_hits++;
  return l2_give(t, c, line, at + t->time.l2);
}

static inline unsigned stream_of(uint64_t page)
{
  return (unsigned)((page ^ page >> 9) % STREAMS);
}

/* Returns the last line that a stream requested. */
static inline uint64_t stream_line(const struct stream *s)
{
  return s->first | (uint64_t)s->ahead;
}

/* A line, as the first one of its page and its number in the page. */
struct in_page {
  uint64_t first;
  int number;
};
static inline struct in_page in_page_of(uint64_t line)
{
  return (struct in_page){line & ~UINT64_C(63), (int)(line & 63)};
}

/* True if a line continues the stream of its page: it is one to four lines further in the stream's direction. */
static inline bool stream_goes_on(const struct stream *s, struct in_page line)
{
  const unsigned step = (unsigned)((line.number - s->last) * s->direction) - 1;
  return (step | (s->first ^ line.first)) < 4; /* one branch: the host could not predict two */
}

/* Moves a stream to a line that continues it. */
static inline void stream_continue(struct stream *s, struct in_page line)
{
  s->last = (int16_t)line.number;
  s->hits = (uint8_t)(s->hits < 8 ? s->hits + 1 : 8);
  if ((s->ahead - line.number) * s->direction < 0)
    s->ahead = (int16_t)line.number;
}

/* Begins a stream at a line that does not continue it. Whether the last line was in the same page is no branch. */
static inline void stream_begin(struct stream *s, struct in_page line)
{
  const int step = line.number - s->last;
  const bool same = s->first == line.first;
  s->ahead = (int16_t)line.number;
  if (__builtin_expect(!step, 0) && same) /* the same line again */
    return;
  s->first = line.first;
  s->last = (int16_t)line.number;
  s->direction = (int8_t)((step >> 31 | 1) & -(int)same);
  s->hits = 0;
}

/* Moves the stream of a line's page to the line. Returns whether the line continues the stream. */
static inline bool stream_follow(struct stream *s, struct in_page line)
{
  const bool goes_on = stream_goes_on(s, line);
  if (goes_on)
    stream_continue(s, line);
  else
    stream_begin(s, line);
  return goes_on;
}

/* Moves a continued stream to the next line to request, if it may request `n` more. False: no line is left. */
static inline bool stream_next(const struct traffic *t, struct stream *s, int n)
{
  const int edge = s->direction > 0 ? 63 : 0;
  if (!n || s->ahead == edge || (s->ahead - s->last) * s->direction >= (int)t->ahead)
    return false;
  s->ahead = (int16_t)(s->ahead + s->direction);
  return true;
}

/* Returns how far into the next page a stream may request, after its last line of this page, with `n` requests left; 0:
 * not at all. */
static inline int stream_beyond(const struct traffic *t, const struct stream *s, int n)
{
  const int edge = s->direction > 0 ? 63 : 0, most = (int)t->ahead - (edge - s->last) * s->direction;
  return n && t->next_page && s->ahead == edge && most > 0 ? most : 0;
}

/* Trains the stream of an access's page. Only with traffic.prefetch. */
static inline void prefetch_train(struct traffic *t, struct core *c, uint64_t line, struct page *page, bool store)
{
  struct stream *s = &c->streams[stream_of(line >> PAGE_LINES_SHIFT)];
  if (stream_follow(s, in_page_of(line)))
    stream_go_on(t, c, s, page, store);
}

/* True if the load of a line follows a recent load of the previous line, so that the L1 prefetcher may fetch the next
 * one. */
static inline bool prefetch_has_next(const struct core *c, uint64_t virtual, uint64_t line)
{
  return c->front.filling[(virtual - 1) & 63].line == virtual - 1 && (line & 63) != 63;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The most frequent way of a load that its first level has not: its translation is there, its second level has the
 * line, and no stream goes on. Inline, because calls and what they save would cost as much again. What leaves this way
 * is in l2.c, l1_prefetch.c and l2_prefetch.c. Private to the room.
 */
#ifndef MACHINE_COMMON_MISS_H
#define MACHINE_COMMON_MISS_H

#include "machine/common/core.h"

/* l2.c: a load that core.settled does not answer. */
fs_t core_l2_load_other(struct traffic *t, struct core *c, uint64_t line, struct page *page, fs_t at);
/* l1_prefetch.c: fetches the next line, unless something speaks against it. */
void prefetch_next_line(struct traffic *t, struct core *c, uint64_t virtual, uint64_t line, struct page *page);
/* l2_prefetch.c: asks for lines in front of where a stream is. */
void stream_go_on(struct traffic *t, struct core *c, struct stream *s, struct page *page, bool store);

/* The most recent line of its set in L2 from now on, whose load changes nothing; 0: not known. */
static inline void second_settle(struct core *c, uint64_t line, uint64_t settled)
{
  c->settled[line & c->settled_mask] = settled;
}

/* When L2, which was looked up at that time, gives a line that it has. */
static inline fs_t l2_give(const struct traffic *t, struct core *c, uint64_t line, fs_t looked)
{
  if (__builtin_expect(looked < c->on_way_last, 0)) {
    const struct on_way *w = &c->on_way[line & 63];
    if (w->line == line && w->done > looked)
      return w->done;
  }
  return slots_take(&c->from_l2, looked, t->time.l2_line);
}

/* As core_l2() for a load. Most lines that come back were the last ones of their sets, so that the set itself, which is
 * more of the host's memory than stays in its first level, is not looked at. */
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

/* The last line that a stream asked for. */
static inline uint64_t stream_line(const struct stream *s)
{
  return s->page << PAGE_LINES_SHIFT | (uint64_t)s->ahead;
}

/* Whether a stream goes on at a line of its page. */
static inline bool stream_goes_on(const struct stream *s, uint64_t line)
{
  return s->page == line >> PAGE_LINES_SHIFT && (unsigned)(((int)(line & 63) - s->last) * s->direction) - 1 < 4;
}

/* The stream of a line's page has come to the line; whether it goes on from there. Without branches on what the host
 * cannot foresee. */
static inline bool stream_follow(struct stream *s, uint64_t line)
{
  const uint64_t page = line >> PAGE_LINES_SHIFT;
  const unsigned same = s->page == page;
  const int16_t here = (int16_t)(line & 63);
  const int step = here - s->last;
  s->last = here;
  if (same & ((unsigned)(step * s->direction) - 1 < 4)) {
    s->hits = (uint8_t)(s->hits < 8 ? s->hits + 1 : 8);
    if ((s->ahead - here) * s->direction < 0)
      s->ahead = here;
    return true;
  }
  const int kept = -(int)(same & !step), direction = step ? step >> 31 | 1 : s->direction;
  s->page = page;
  s->ahead = here;
  s->direction = (int8_t)(direction & -(int)same);
  s->hits = (uint8_t)(s->hits & kept);
  return false;
}

/* Moves a stream that has gone on to the next line that it asks for, while it may ask for `n` more; false: for none. */
static inline bool stream_next(const struct traffic *t, struct stream *s, int n)
{
  const int edge = s->direction > 0 ? 63 : 0;
  if (!n || s->ahead == edge || (s->ahead - s->last) * s->direction >= (int)t->ahead)
    return false;
  s->ahead = (int16_t)(s->ahead + s->direction);
  return true;
}

/* How far a stream that asks for no more of its page may ask in the page behind, with `n` left; 0: not there. */
static inline int stream_beyond(const struct traffic *t, const struct stream *s, int n)
{
  const int edge = s->direction > 0 ? 63 : 0, most = (int)t->ahead - (edge - s->last) * s->direction;
  return n && t->next_page && s->ahead == edge && most > 0 ? most : 0;
}

/* What an access makes of its page's stream. */
static inline void prefetch_train(struct traffic *t, struct core *c, uint64_t line, struct page *page, bool store)
{
  struct stream *s = &c->streams[stream_of(line >> PAGE_LINES_SHIFT)];
  if (c->l2.sets && stream_follow(s, line))
    stream_go_on(t, c, s, page, store);
}

/* Whether the load of a line follows one of the line before, so that the first level's prefetcher may fetch the next
 * one. */
static inline bool prefetch_has_next(const struct core *c, uint64_t virtual, uint64_t line)
{
  return c->front.filling[(virtual - 1) & 63].line == virtual - 1 && (line & 63) != 63;
}

/* What the first level's prefetcher makes of a load: one behind another that came lately fetches the next line. */
static inline void prefetch_next(struct traffic *t, struct core *c, uint64_t virtual, uint64_t line, struct page *page)
{
  if (prefetch_has_next(c, virtual, line))
    prefetch_next_line(t, c, virtual, line, page);
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The most frequent way of a load that its first level has not: its translation is there, its second level has the
 * line, and no stream goes on. Inline, because calls and what they save would cost as much again. What leaves this way
 * is in l2.c, l1_prefetch.c and l2_prefetch.c. Private to the room.
 */
#ifndef MACHINE_COMMON_MISS_H
#define MACHINE_COMMON_MISS_H

#include "machine/common/core.h"

/* l2.c: the load of a line that L2 has not, or where there is none. */
fs_t core_l2_load_missed(struct traffic *t, struct core *c, uint64_t line, struct page *page, fs_t at);
/* l2.c: looks a line up that is not the most recent one, and makes it that. */
bool l2_find_other(const struct cache *l2, uint64_t line);
/* l1_prefetch.c: fetches the next line, unless something speaks against it. */
void prefetch_next_line(struct traffic *t, struct core *c, uint64_t virtual, uint64_t line, struct page *page);
/* l2_prefetch.c: asks for lines in front of where a stream is. */
void stream_go_on(struct traffic *t, struct core *c, struct stream *s, struct page *page, bool store);

/* When L2, which was looked up at that time, gives a line that it has. */
static inline fs_t l2_give(const struct traffic *t, struct core *c, uint64_t line, fs_t looked)
{
  const struct on_way *w = &c->on_way[line & 63];
  return w->line == line && w->done > looked ? w->done : slots_take(&c->from_l2, looked, t->time.l2_line);
}

/* As core_l2() for a load. Most lines that come back were the last ones of their sets. */
static inline __attribute__((always_inline)) fs_t core_l2_load(struct traffic *t, struct core *c, uint64_t line,
                                                               struct page *page, fs_t at)
{
  if (!c->l2.sets)
    return core_l2_load_missed(t, c, line, page, at);
  const struct tags set = cache_set(&c->l2, 0, line);
  if (!cache_recent(set, line) && !l2_find_other(&c->l2, line))
    return core_l2_load_missed(t, c, line, page, at);
  uint16_t *rest = tags_rest(set);
  rest[0] = (uint16_t)((rest[0] & ~ENTRY_PREFETCHED) | ENTRY_IN_L1);
  c->totals.l2_hits++;
  return l2_give(t, c, line, at + t->time.l2);
}

static inline unsigned stream_of(uint64_t page)
{
  return (unsigned)((page ^ page >> 9) % STREAMS);
}

/* The stream of a line's page has come to the line; NULL: it does not go on from there. */
static inline struct stream *stream_follow(struct core *c, uint64_t line)
{
  const uint64_t page = line >> PAGE_LINES_SHIFT;
  struct stream *s = &c->streams[stream_of(page)];
  const int here = (int)(line & 63), step = here - s->last, direction = step > 0 ? 1 : -1;
  s->last = (int16_t)here;
  if (s->page != page) {
    *s = (struct stream){.page = page, .last = (int16_t)here, .ahead = (int16_t)here};
    return NULL;
  }
  if (!step) {
    s->ahead = (int16_t)here;
    return NULL;
  }
  if (direction != s->direction || step * direction > 4) {
    s->ahead = (int16_t)here;
    s->direction = (int8_t)direction;
    s->hits = 0;
    return NULL;
  }
  s->hits = (uint8_t)(s->hits < 8 ? s->hits + 1 : 8);
  if ((s->ahead - here) * direction < 0)
    s->ahead = (int16_t)here;
  return s;
}

/* What an access makes of its page's stream. */
static inline void prefetch_train(struct traffic *t, struct core *c, uint64_t line, struct page *page, bool store)
{
  struct stream *s = c->l2.sets ? stream_follow(c, line) : NULL;
  if (s)
    stream_go_on(t, c, s, page, store);
}

/* What the first level's prefetcher makes of a load: one behind another that came lately fetches the next line. */
static inline void prefetch_next(struct traffic *t, struct core *c, uint64_t virtual, uint64_t line, struct page *page)
{
  if (c->front.filling[(virtual - 1) & 63].line == virtual - 1 && (line & 63) != 63)
    prefetch_next_line(t, c, virtual, line, page);
}

#endif

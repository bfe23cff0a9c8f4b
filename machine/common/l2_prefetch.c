/* SPDX-License-Identifier: MIT */
/* The L2's stream prefetcher: tracks the lines that miss L1 within a page, and prefetches the next lines once the
 * misses have a direction. When L2 has no free miss entry, the prefetch goes to the LLC. */
#include "machine/common/miss.h"

/* The operations of a prefetch: into L2, and into the LLC when L2 has no free miss entry. */
struct ahead {
  enum tor_op l2, llc;
};

enum asked { ASKED_LLC, ASKED_L2 };

/* Prefetches a line that misses L2. */
static __attribute__((noinline)) enum asked line_fetch(struct traffic *t, struct core *c, uint64_t line,
                                                       struct page *page, struct ahead ask)
{
  fs_t at = fs_later(c->front.ready, c->front.time);
  c->totals.prefetches++;
  core_set_began(t, c);
  if (holders_free(&c->mshr, at)) {
    struct request r = core_request(c, line, page, ask.l2, at + t->time.l2);
    core_l2_miss(t, c, &r, ENTRY_PREFETCHED, false);
    return ASKED_L2;
  }
  struct request r = core_request(c, line, page, ask.llc, at);
  struct answer a;
  request_place(t, &r);
  t->uncore->request(t, &r, &a);
  return ASKED_LLC;
}

void prefetch_code(struct traffic *t, struct core *c, uint64_t line, struct page *page)
{
  if (c->l2.sets && (line & 63) != 63 && !core_l2_has(c, line + 1))
    line_fetch(t, c, line + 1, page, (struct ahead){OP_CRD_PREF, OP_LLC_PREF_CODE});
}

/* Prefetches the line of a stream, which misses L2. */
static __attribute__((noinline)) void stream_fetch(struct traffic *t, struct core *c, const struct stream *s,
                                                   struct page *page, struct ahead ask)
{
  const uint64_t line = stream_line(s);
  const enum asked asked = line_fetch(t, c, line, page, ask);
  const uint64_t next = line + (uint64_t)((int64_t)s->direction * (int)t->degree);
  t->uncore->prefetch_tags(t, c->socket, next); /* into the host's caches, while this line is simulated */
  if (asked == ASKED_L2)                        /* else the next line will not evict one from L2 */
    host_prefetch_eviction(t, c, cache_line(cache_set(&c->l2, 0, next), c->l2.ways - 1));
}

/* Prefetches the line to which a stream has moved, unless L2 has it. */
static inline void stream_ask(struct traffic *t, struct core *c, const struct stream *s, struct page *page,
                              struct ahead ask)
{
  if (!core_l2_has(c, stream_line(s)))
    stream_fetch(t, c, s, page, ask);
}

/* True if a page is in programs' memory, touched or not. */
static bool memory_has(const struct traffic *t, uint64_t number)
{
  for (unsigned i = 0; i < t->n_memory; i++)
    if (number >= t->memory[i].first && number < t->memory[i].end)
      return true;
  return false;
}

/* Returns the page after `page` in a direction, in the program's memory; NULL: there is none. */
static struct page *page_beyond(struct traffic *t, const struct core *c, const struct page *page, int direction)
{
  const uint64_t number = page->number + (uint64_t)(int64_t)direction;
  struct page *beyond = address_find(&t->map, number);
  return beyond || !memory_has(t, number) ? beyond : address_page(&t->map, number, c->socket, -1);
}

/* Limits for the page after `page`: lines that may be requested at once, and how far from its edge. */
struct reach {
  struct page *page;
  int n, most;
};

/* Continues a stream that has reached the end of its page in the next page. It is public that processors do so (Intel's
 * optimization manual: next-page prefetcher); how far is the model's own. */
static void stream_cross(struct traffic *t, struct core *c, const struct stream *from, const struct reach *reach,
                         struct ahead ask)
{
  const int8_t direction = from->direction;
  const int edge = direction > 0 ? -1 : 64;
  struct page *beyond = page_beyond(t, c, reach->page, direction);
  if (!beyond || stream_of(beyond->frame) == stream_of(from->first >> PAGE_LINES_SHIFT))
    return;
  struct stream *s = &c->streams[stream_of(beyond->frame)];
  if (s->first != beyond->frame << PAGE_LINES_SHIFT)
    *s = (struct stream){beyond->frame << PAGE_LINES_SHIFT, (int16_t)edge, (int16_t)edge, direction, from->hits};
  if (s->direction != direction)
    return;
  for (int i = 0; i < reach->n && (s->ahead - edge) * direction < reach->most; i++) {
    s->ahead = (int16_t)(s->ahead + direction);
    stream_ask(t, c, s, beyond, ask);
  }
}

void stream_go_on(struct traffic *t, struct core *c, struct stream *s, struct page *page, bool store)
{
  const bool apart = t->uncore->features & UNCORE_RFO_PREFETCH;
  const struct ahead ask = {store ? OP_RFO_PREF : OP_DRD_PREF, store && apart ? OP_LLC_PREF_RFO : OP_LLC_PREF};
  int n = (int)t->degree;
  for (; stream_next(t, s, n); n--)
    stream_ask(t, c, s, page, ask);
  const int most = stream_beyond(t, s, n);
  if (most)
    stream_cross(t, c, s, &(struct reach){page, n, most}, ask);
}

bool prefetch_covers(const struct core *c, uint64_t line)
{
  const struct stream *s = &c->streams[stream_of(line >> PAGE_LINES_SHIFT)];
  return s->first == (line & ~UINT64_C(63)) && s->hits && ((int)(line & 63) - s->ahead) * s->direction <= 0;
}

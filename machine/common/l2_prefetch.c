/* SPDX-License-Identifier: MIT */
/* The L2's stream prefetcher: tracks the lines that miss L1 within a page, and prefetches the next lines once the
 * misses have a direction. When L2 has no free miss entry, the prefetch goes to the LLC. */
#include "machine/common/request.h"
#include "machine/common/core.h"

static unsigned stream_of(uint64_t page)
{
  return (unsigned)((page ^ page >> 9) % STREAMS);
}

static struct stream *stream_find(struct core *c, uint64_t page)
{
  struct stream *s = &c->streams[stream_of(page)];
  if (s->page != page)
    *s = (struct stream){.page = page, .last = -1};
  return s;
}

/* What is asked of L2, or when that has no room of the LLC. */
struct ahead {
  enum tor_op l2, llc;
};

enum asked { ASKED_NOTHING, ASKED_LLC, ASKED_L2 };

static enum asked line_ask(struct traffic *t, struct core *c, uint64_t line, struct page *page, struct ahead ask)
{
  if (cache_find(cache_set(&c->l2, 0, line), line) < c->l2.ways)
    return ASKED_NOTHING;
  fs_t at = fs_later(c->front.ready, c->front.time);
  c->totals.prefetches++;
  if (holders_free(&c->mshr, at)) {
    core_l2(t, c, line, page, ask.l2, at);
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
  if (c->l2.sets && (line & 63) != 63)
    line_ask(t, c, line + 1, page, (struct ahead){OP_CRD_PREF, OP_LLC_PREF_CODE});
}

void prefetch_train(struct traffic *t, struct core *c, uint64_t line, struct page *page, bool store)
{
  if (!c->l2.sets)
    return;
  struct stream *s = stream_find(c, line >> PAGE_LINES_SHIFT);
  int here = (int)(line & 63), step = here - s->last;
  if (s->last < 0 || !step) {
    s->last = (int16_t)here;
    s->ahead = s->last;
    return;
  }
  int8_t direction = step > 0 ? 1 : -1;
  s->hits = direction == s->direction && step * direction <= 4 ? (uint8_t)(s->hits < 8 ? s->hits + 1 : 8) : 0;
  if (direction != s->direction || !s->hits)
    s->ahead = (int16_t)here;
  s->direction = direction;
  s->last = (int16_t)here;
  if (!s->hits)
    return;
  const bool apart = t->uncore->features & UNCORE_RFO_PREFETCH;
  const struct ahead ask = {store ? OP_RFO_PREF : OP_DRD_PREF, store && apart ? OP_LLC_PREF_RFO : OP_LLC_PREF};
  int ahead = s->ahead;
  if ((ahead - here) * direction < 0)
    ahead = here;
  for (uint32_t i = 0; i < t->degree && (ahead - here) * direction < (int)t->ahead; i++) {
    ahead += direction;
    if (ahead < 0 || ahead > 63)
      break;
    s->ahead = (int16_t)ahead;
    const enum asked asked = line_ask(t, c, line - (line & 63) + (unsigned)ahead, page, ask);
    if (!asked)
      continue;
    uint64_t next = line + (uint64_t)((int64_t)(ahead - here) + direction * (int)t->degree);
    t->uncore->prefetch_tags(t, c->socket, next); /* the host's caches get it while this one is worked out */
    if (asked == ASKED_L2)                        /* else that one will not make room in L2 yet */
      leaving_ask(t, c, cache_line(cache_set(&c->l2, 0, next), c->l2.ways - 1));
  }
}

bool prefetch_covers(const struct core *c, uint64_t line)
{
  const uint64_t page = line >> PAGE_LINES_SHIFT;
  const struct stream *s = &c->streams[stream_of(page)];
  return s->page == page && s->hits && ((int)(line & 63) - s->ahead) * s->direction <= 0;
}

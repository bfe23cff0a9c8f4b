/* SPDX-License-Identifier: MIT */
/* A core behind its first-level caches: L2, prefetches, uncached accesses, page walks. */
#ifndef MACHINE_COMMON_CORE_H
#define MACHINE_COMMON_CORE_H

#include "machine/common/request.h"

/* A core's request at `at`, without the place of its line (request_place()). */
static inline struct request core_request(const struct core *c, uint64_t line, struct page *page, enum tor_op op,
                                          fs_t at)
{
  return (struct request){.line = line,
                          .page = page,
                          .socket = c->socket,
                          .tile = c->tile,
                          .core = c->index,
                          .tid = c->tid,
                          .op = op,
                          .at = at};
}

/* core_init.c: sets of its first levels and of their TLBs. */
uint64_t core_first_sets(const uint64_t *value);
void core_init(struct traffic *t, struct core *c, unsigned number);
/* Its clock's cycle takes so long from now on. */
void core_pace_set(const struct traffic *t, struct core *c, fs_t cycle);

/* core.c: a virtual line's physical one and its page; false: no memory for a new page. */
bool core_translate(struct traffic *t, struct core *c, uint64_t line, uint64_t *ret_line, struct page **ret_page);
void core_sleep(struct traffic *t, struct core *c, fs_t duration);

/* l2.c: a line that the first levels have not; when its data are there. Each miss of the first levels ends here: the
 * six parameters stay in registers. */
fs_t core_l2(struct traffic *t, struct core *c, uint64_t line, struct page *page, enum tor_op op, fs_t at);
/* Asks for a line that L2 has not, or not for writing; when the data are there. */
fs_t core_l2_miss(struct traffic *t, struct core *c, struct request *r, uint64_t flags);
/* Takes a line from all of a core's levels, or leaves it there for reading only; whether it was modified. */
bool core_drop(struct traffic *t, struct core *c, uint64_t line, bool invalidate);
/* The same of the first levels alone. */
void core_front_drop(struct traffic *t, struct core *c, uint64_t line, bool invalidate);

/* uncached.c: a non-temporal store within a line; what is left of such; a line flushed from everywhere. */
void core_stream(struct traffic *t, struct core *c, uint64_t va, uint32_t size);
void core_stream_end(struct traffic *t, struct core *c);
void core_flush(struct traffic *t, struct core *c, uint64_t virtual);

/* line_instructions.c: what instructions do with whole lines; a page whose translation is missing. */
void core_line(struct traffic *t, struct core *c, uint64_t va, uint32_t act);
void core_walk(struct traffic *t, struct core *c, const struct page *page);

/* How long a load or store waits for a translation that the first-level TLB has not, but the second. Looked up for
 * lines that the first level has not. */
static inline fs_t core_dtlb(const struct traffic *t, const struct core *c, const struct page *page)
{
  const struct first_level *l = page->bits ? &c->dtlb[page->bits / LEVEL_BITS] : c->dtlb;
  const uint64_t number = (page->number >> page->bits) + 1;
  return *first_recent(l, number) >> 2 == number || first_touch(l, number) ? 0 : t->time.dtlb;
}

/* l2_prefetch.c: the line behind missing code. What an access makes of its page's stream: miss.h */
void prefetch_code(struct traffic *t, struct core *c, uint64_t line, struct page *page);
/* Whether the line lies behind what has been asked for in its page, so that its tags were looked up not long ago. */
bool prefetch_covers(const struct core *c, uint64_t line);

/* When a virtual line is there that the first level's prefetcher has fetched, once; 0: it has not. */
static inline fs_t prefetch_take(struct core *c, uint64_t virtual)
{
  struct on_way *w = &c->ahead[virtual % L1_AHEAD];
  if (w->line != virtual)
    return 0;
  w->line = UINT64_MAX;
  return w->done;
}

/* host_prefetch.c: a line that will leave its second level (0: none) is asked from the host's memory as far as that
 * counts. */
void leaving_ask(const struct traffic *t, const struct core *c, uint64_t line);

#endif

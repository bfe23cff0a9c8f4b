/* SPDX-License-Identifier: MIT */
/* A core behind its first-level caches: L2, prefetches, uncached accesses, page walks. */
#ifndef MACHINE_COMMON_CORE_H
#define MACHINE_COMMON_CORE_H

#include "machine/common/register_keep.h"
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

/* The core asks for something that is not its own: what others see of when it began. */
static inline void core_asks(struct traffic *t, const struct core *c)
{
  t->began = c->began;
}

/* core_init.c: sets of its first levels and of their TLBs. */
uint64_t core_first_sets(const uint64_t *value);
void core_init(struct traffic *t, struct core *c, unsigned number);
/* Its clock's cycle takes so long from now on. */
void core_pace_set(const struct traffic *t, struct core *c, fs_t cycle);

/* core.c: its core has not got the translation of a page; false: there is no memory for a new page. */
bool core_page_translate(struct traffic *t, struct core *c, uint64_t number);
/* The translation of a virtual line; NULL: no memory for a new page. */
static inline const struct translation *core_translation(struct traffic *t, struct core *c, uint64_t line)
{
  const uint64_t number = line >> PAGE_LINES_SHIFT;
  const struct translation *known = &c->translation[number & (TRANSLATIONS - 1)];
  REGISTER_KEEP(known);
  return known->complement == ~number || core_page_translate(t, c, number) ? known : NULL;
}
/* A virtual line's physical one. */
static inline uint64_t translation_line(const struct translation *known, uint64_t line)
{
  return known->frame << PAGE_LINES_SHIFT | (line & ((1u << PAGE_LINES_SHIFT) - 1));
}
/* Both, and its page; false: no memory. */
static inline bool core_translate(struct traffic *t, struct core *c, uint64_t line, uint64_t *ret_line,
                                  struct page **ret_page)
{
  const struct translation *known = core_translation(t, c, line);
  if (!known)
    return false;
  *ret_line = translation_line(known, line);
  *ret_page = known->page;
  return true;
}
void core_sleep(struct traffic *t, struct core *c, fs_t duration);

/* core.c: devices and clocks come up to the time of a core that is behind them. */
void core_advance_slowly(struct traffic *t, struct core *c);
static inline bool core_is_behind(const struct traffic *t, const struct core *c)
{
  const fs_t now = c->front.time;
  return __builtin_expect(now < t->reached || !c->active || t->next_dma < now || t->next_condition <= now, 0);
}
/* Brings devices and clocks up to the time of the core; called before anything that takes time. */
static inline void core_advance(struct traffic *t, struct core *c)
{
  const fs_t now = c->front.time;
  if (core_is_behind(t, c))
    core_advance_slowly(t, c);
  c->began = now;
}
/* private.c: whether a line of code that the first level has not is in the core's L2, with what is prefetched behind
 * it. */
bool core_code_is_private(const struct traffic *t, const struct core *c, uint64_t virtual);
/* load.c: the load of a line that the first level has not; what it makes of front.done and `arrived`. */
void core_load(struct traffic *t, struct core *c, uint64_t virtual, const struct translation *known);

/* The second level's state of a line; LINE_I: it has not got it. */
static inline enum line_state second_state(const struct core *c, uint64_t line)
{
  const struct tags set = cache_set(&c->l2, 0, line);
  const uint32_t way = cache_recent(set, line) ? 0 : cache_find(set, line);
  return way < set.ways ? (enum line_state)(cache_get(set, way) & ENTRY_STATE) : LINE_I;
}
static inline bool second_has(const struct core *c, uint64_t line)
{
  return c->settled[line & c->settled_mask] == line || second_state(c, line) != LINE_I;
}

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

/* core.c: the same of what is not the most recent entry of its set. */
fs_t core_dtlb_other(const struct traffic *t, const struct core *c, const struct page *page);
/* How long a load or store waits for a translation that the first-level TLB has not, but the second. Looked up for
 * lines that the first level has not. */
static inline fs_t core_dtlb(const struct traffic *t, const struct core *c, const struct translation *known)
{
  return __builtin_expect(*known->tlb == known->tlb_entry, 1) ? 0 : core_dtlb_other(t, c, known->page);
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

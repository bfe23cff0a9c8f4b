/* SPDX-License-Identifier: MIT */
/* A core below its L1 caches: L2, prefetches, uncached accesses, page walks. */
#ifndef MACHINE_COMMON_CORE_H
#define MACHINE_COMMON_CORE_H

#include "machine/common/register_keep.h"
#include "machine/common/request.h"

/* Returns a core's request at time `at`; request_place() fills in the line's CHA and home. */
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

/* Call this before a request that leaves the core's private caches: it sets the time when the core's access began. */
static inline void core_set_began(struct traffic *t, const struct core *c)
{
  t->began = c->began;
}

/* core_init.c: returns the number of sets in a core's L1 caches. */
uint64_t core_first_sets(const uint64_t *value);
void core_init(struct traffic *t, struct core *c, unsigned number);
/* From now on a cycle of the core's clock takes `cycle` femtoseconds. */
void core_pace_set(const struct traffic *t, struct core *c, fs_t cycle);

/* core.c: adds the translation of page `number`, which the core lacks. False: no memory for a new page. */
bool core_page_translate(struct traffic *t, struct core *c, uint64_t number);
/* Returns the translation of a virtual line; NULL: no memory for a new page. */
static inline struct translation *core_translation(struct traffic *t, struct core *c, uint64_t line)
{
  const uint64_t number = line >> PAGE_LINES_SHIFT;
  struct translation *known = &c->translation[number & (TRANSLATIONS - 1)];
  REGISTER_KEEP(known);
  return known->complement == ~number || core_page_translate(t, c, number) ? known : NULL;
}
/* Returns the physical line of a virtual one. */
static inline uint64_t translation_line(const struct translation *known, uint64_t line)
{
  return known->first | (line & ((1u << PAGE_LINES_SHIFT) - 1));
}
/* Translates a virtual line to its physical line and page. False: no memory for a new page. */
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

/* core.c: brings the core's time up to the time that the machine has reached, then devices and conditions up to the
 * core's time; wakes a halted core. core_is_behind(): whether any of this is necessary. core_may_be_behind(): cheaper,
 * but may be true although nothing is necessary. */
void core_advance_slowly(struct traffic *t, struct core *c);
static inline bool core_is_behind(const struct traffic *t, const struct core *c)
{
  const fs_t now = c->front.time;
  return __builtin_expect(now < t->reached || !c->active || t->next_dma < now || t->next_condition <= now, 0);
}
static inline bool core_may_be_behind(const struct core_front *f)
{
  return __builtin_expect(f->time >= f->due, 0);
}
/* Brings the core, devices and conditions up to one time. Called before anything that takes simulated time. */
static inline void core_advance(struct traffic *t, struct core *c)
{
  const fs_t now = c->front.time;
  if (core_may_be_behind(&c->front))
    core_advance_slowly(t, c);
  c->began = now;
}
/* private.c: true if L2 holds a line of code that misses L1, and the next line if that would be prefetched. */
bool core_code_is_private(const struct traffic *t, const struct core *c, uint64_t virtual);
/* load.c: performs the load of a virtual line that misses L1; updates front.done and `arrived`. */
void core_load(struct traffic *t, struct core *c, uint64_t virtual, struct translation *known);

/* Returns the state of a line in L2; LINE_I: L2 does not hold it. */
static inline enum line_state core_l2_state(const struct core *c, uint64_t line)
{
  const struct tags set = cache_set(&c->l2, 0, line);
  const uint32_t way = cache_recent(set, line) ? 0 : cache_find(set, line);
  return way < set.cache->ways ? cache_state(set, way) : LINE_I;
}
static inline bool core_l2_has(const struct core *c, uint64_t line)
{
  return c->settled[line & c->settled_mask] == line || core_l2_state(c, line) != LINE_I;
}

/* l2.c: requests a line that misses L1, at time `at`. Returns the time at which its data arrive. All L1 misses come
 * here except loads (miss.h), so the six parameters stay in registers. */
fs_t core_l2(struct traffic *t, struct core *c, uint64_t line, struct page *page, enum tor_op op, fs_t at);
/* Requests a line that misses L2, or that L2 may not write. `flags` are those of its entry. `found`: L2 may have it.
 * Returns the time at which its data arrive. */
fs_t core_l2_miss(struct traffic *t, struct core *c, struct request *r, uint64_t flags, bool found);
/* Invalidates a line in all of a core's caches, or without `invalidate` leaves it there for reading only. Returns
 * whether it was modified. */
bool core_drop(struct traffic *t, struct core *c, uint64_t line, bool invalidate);
/* As core_drop(), for the L1 caches alone. */
void core_front_drop(struct traffic *t, struct core *c, uint64_t line, bool invalidate);

/* uncached.c: performs a non-temporal store within a line; sends all write-combining buffers; flushes a line from all
 * caches of the machine. */
void core_stream(struct traffic *t, struct core *c, uint64_t va, uint32_t size);
void core_stream_end(struct traffic *t, struct core *c);
void core_flush(struct traffic *t, struct core *c, uint64_t virtual);

/* line_instructions.c: performs an instruction on a whole line (enum line_act); walks the page tables for a page whose
 * translation is missing. */
void core_line(struct traffic *t, struct core *c, uint64_t va, uint32_t act);
void core_walk(struct traffic *t, struct core *c, const struct page *page);

/* core.c: as core_dtlb(), for a page that does not have the TLB entry that it had last. */
fs_t core_dtlb_other(const struct traffic *t, struct core *c, struct translation *known);
/* Returns how long a load or store waits for its translation: 0 if the first-level TLB holds it, else the latency of
 * the second-level TLB. Only accesses that miss L1 look it up. */
static inline fs_t core_dtlb(const struct traffic *t, struct core *c, struct translation *known)
{
  if (__builtin_expect(known->tlb->number != known->tlb_number, 0))
    return core_dtlb_other(t, c, known);
  known->tlb->used = ++c->dtlb_uses;
  return 0;
}

/* l2_prefetch.c: prefetches the line after a missing line of code. Streams of data: prefetch_train() in miss.h. */
void prefetch_code(struct traffic *t, struct core *c, uint64_t line, struct page *page);
/* True if the stream of its page has already requested the line, so that its tags were looked up recently. */
bool prefetch_covers(const struct core *c, uint64_t line);

/* True if the L1 prefetcher has fetched a virtual line. */
static inline bool prefetch_has(const struct core *c, uint64_t virtual)
{
  return c->ahead[virtual % L1_AHEAD].line == virtual;
}
/* Returns the time at which a virtual line that the L1 prefetcher has fetched arrives, and forgets the line; 0: the
 * prefetcher has not fetched it. */
static inline fs_t prefetch_take(struct core *c, uint64_t virtual)
{
  struct on_way *w = &c->ahead[virtual % L1_AHEAD];
  if (w->line != virtual)
    return 0;
  w->line = UINT64_MAX;
  return w->done;
}

/* host_prefetch.c: prefetches the host memory that the eviction of `line` from L2 will read; nothing for line 0. */
void host_prefetch_eviction(const struct traffic *t, const struct core *c, uint64_t line);

#endif

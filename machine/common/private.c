/* SPDX-License-Identifier: MIT */
/*
 * Private accesses, which concern one core alone: they hit L1, or they hit L2 and no prefetcher requests a line that L2
 * lacks. Nothing here changes the machine: a host thread that finds an access private may perform it while other host
 * threads do the same for other cores.
 */
#include "machine/common/core.h"
#include "machine/common/miss.h"

/* True if a stream that continues at the line requests only lines that L2 has. `s` is a copy. */
static bool stream_is_private(const struct traffic *t, const struct core *c, struct stream *s, uint64_t line)
{
  stream_follow(s, in_page_of(line));
  int n = (int)t->degree;
  for (; stream_next(t, s, n); n--)
    if (!core_l2_has(c, stream_line(s)))
      return false;
  return !stream_beyond(t, s, n);
}

/* True if both prefetchers, for the line and the next one, request only lines that L2 has. `fetched`: by the L1
 * prefetcher. */
static __attribute__((noinline)) bool next_is_private(const struct traffic *t, const struct core *c, uint64_t line,
                                                      bool fetched)
{
  struct stream s = c->streams[stream_of(line >> PAGE_LINES_SHIFT)];
  if (!core_l2_has(c, line + 1))
    return false;
  if (!fetched && !stream_goes_on(&s, in_page_of(line)))
    stream_follow(&s, in_page_of(line));
  else if (!fetched && !stream_is_private(t, c, &s, line))
    return false;
  return !stream_goes_on(&s, in_page_of(line + 1)) || stream_is_private(t, c, &s, line + 1);
}

/* True if L1 has the line, for a store with permission to write. A set that has to be renumbered does not count: it may
 * be untouched memory. */
static bool first_serves(const struct core_front *f, uint64_t line, bool store)
{
  const struct first_level *l = &f->l1d;
  const uint64_t recent = *first_recent(l, line);
  const struct first_set *s = &l->set[line & l->mask];
  const uint32_t way = recent >> 2 == line ? FIRST_WAYS : first_find(l, s, line);
  const uint64_t entry = recent >> 2 == line ? recent : way < FIRST_WAYS ? s->entry[way] : FIRST_NONE;
  return entry >> 2 == line && !first_tired(l, line) && (!store || entry & L1_WRITABLE);
}

static const struct translation *translation_known(const struct core *c, uint64_t virtual)
{
  const uint64_t number = virtual >> PAGE_LINES_SHIFT;
  const struct translation *known = &c->translation[number & (TRANSLATIONS - 1)];
  return known->complement == ~number ? known : NULL;
}

/* True if a line that misses L1, or that L1 may not write, is private with the prefetches that it causes. L2 and its
 * streams are not involved in a line that the L1 prefetcher has fetched. */
static inline bool line_is_private(const struct traffic *t, const struct core *c, uint64_t virtual, bool load,
                                   bool store)
{
  const struct translation *known = translation_known(c, virtual);
  if (!known)
    return false;
  const uint64_t line = translation_line(known, virtual);
  const bool fetched = load && c->ahead[virtual % L1_AHEAD].line == virtual;
  if (!fetched && (store ? core_l2_state(c, line) < LINE_E : !core_l2_has(c, line)))
    return false;
  if (load && t->prefetch_l1 && prefetch_has_next(c, virtual, line))
    return next_is_private(t, c, line, fetched);
  const struct stream *now = &c->streams[stream_of(line >> PAGE_LINES_SHIFT)];
  if (fetched || !t->prefetch || !stream_goes_on(now, in_page_of(line)))
    return true;
  struct stream s = *now;
  return stream_is_private(t, c, &s, line);
}

bool traffic_load_is_private(const struct traffic *t, const struct core_front *front, uint64_t line)
{
  const struct core *c = (const struct core *)(const void *)front; /* struct core begins with it */
  return !core_is_behind(t, c) && line_is_private(t, c, line, true, false);
}

/* Where misses fill the LLC, or there is no L2, each miss concerns other cores. */
bool traffic_cores_go_apart(const struct traffic *t)
{
  return t->core->l2.sets && !t->fill && t->core->front.follow != FOLLOW_NONE;
}

bool traffic_core_is_private(const struct traffic *t, unsigned core)
{
  const struct core *c = &t->core[core];
  return !c->queues.unasked && c->active && c->front.time >= t->reached;
}

bool traffic_access_is_private(const struct traffic *t, unsigned core, uint64_t va, uint32_t size,
                               enum access_kind kind)
{
  const struct core *c = &t->core[core];
  const uint64_t first = va >> 6, last = (va + size - 1) >> 6;
  const bool store = kind == ACCESS_STORE || kind == ACCESS_MODIFY;
  if (kind > ACCESS_MODIFY || last - first > 1 || core_is_behind(t, c))
    return false;
  if (!first_serves(&c->front, first, store))
    return last == first && line_is_private(t, c, first, kind == ACCESS_LOAD, store);
  return last == first || first_serves(&c->front, last, store);
}

bool core_code_is_private(const struct traffic *t, const struct core *c, uint64_t virtual)
{
  const struct translation *known = translation_known(c, virtual);
  if (!known || !known->page->code)
    return false;
  const uint64_t line = translation_line(known, virtual);
  return core_l2_has(c, line) && (!t->code_ahead || (line & 63) == 63 || core_l2_has(c, line + 1));
}

/* SPDX-License-Identifier: MIT */
/*
 * Prefetches, into the host's caches, the memory that upcoming accesses will read. The machine's state does not change,
 * so results are the same with and without it.
 *
 * A few lines at a time: a host drops prefetches while one or two dozen are outstanding, and waiting for one of these
 * costs as much as a thousand instructions.
 */
#include "machine/common/core.h"

/* How many lines each step is ahead of the access, and how many lines it takes at once. */
enum { AT_ONCE = 2 };
static const uint8_t reach[] = {[EXPECT_TABLE] = 16, [EXPECT_PAGE] = 12, [EXPECT_SECOND] = 8, [EXPECT_TAGS] = 4};

/* Returns the page if the core has its translation, else NULL. */
static const struct page *page_known(const struct core *c, uint64_t number)
{
  const struct translation *known = &c->translation[number & (TRANSLATIONS - 1)];
  return known->complement == ~number ? known->page : NULL;
}

/* For a line that misses L2, prefetches its tags in LLC and snoop filter, and those of the line that it will evict from
 * L2. */
static void tags_ask(const struct traffic *t, const struct core *c, uint64_t line)
{
  const struct tags set = cache_set(&c->l2, 0, line);
  if (cache_find(set, line) < set.cache->ways)
    return;
  if (!prefetch_covers(c, line))
    t->uncore->prefetch_tags(t, c->socket, line);
  host_prefetch_eviction(t, c, cache_line(set, set.cache->ways - 1));
}

void host_prefetch_eviction(const struct traffic *t, const struct core *c, uint64_t line)
{
  if (!line)
    return;
  host_prefetch(address_frame(&t->map, line));
  t->uncore->prefetch_tags(t, c->socket, line);
}

/* The lines that are due for a step. expect_due() counts them as done. */
struct due {
  uint64_t from, end;
};

static inline struct due expect_due(struct expected *e, enum expect_step step)
{
  const uint64_t before = step ? e->done[step - 1] : e->taken, most = e->gone + reach[step];
  const uint64_t from = e->done[step] > e->gone ? e->done[step] : e->gone;
  uint64_t end = before < most ? before : most;
  end = end < from + AT_ONCE ? end : from + AT_ONCE;
  e->done[step] = end > from ? end : from;
  return (struct due){from, e->done[step]};
}

static inline void tables_ask(const struct traffic *t, const struct core *c, struct expected *e)
{
  for (struct due d = expect_due(e, EXPECT_TABLE); d.from < d.end; d.from++) {
    const unsigned i = d.from % EXPECT_LINES;
    const uint64_t number = e->of[i].line >> PAGE_LINES_SHIFT;
    if (!(e->of[i].page = page_known(c, number)))
      address_ask(&t->map, number);
  }
}

/* A page that was not accessed so far stays NULL; nothing is known of its lines. */
static inline void pages_ask(const struct traffic *t, struct expected *e)
{
  for (struct due d = expect_due(e, EXPECT_PAGE); d.from < d.end; d.from++) {
    const unsigned i = d.from % EXPECT_LINES;
    if (!e->of[i].page)
      e->of[i].page = address_find(&t->map, e->of[i].line >> PAGE_LINES_SHIFT);
    if (e->of[i].page)
      host_prefetch(e->of[i].page);
  }
}

static inline void seconds_ask(const struct core *c, struct expected *e)
{
  for (struct due d = expect_due(e, EXPECT_SECOND); d.from < d.end; d.from++) {
    const unsigned i = d.from % EXPECT_LINES;
    if (!e->of[i].page)
      continue;
    e->of[i].line = e->of[i].page->frame << PAGE_LINES_SHIFT | (e->of[i].line & 63);
    cache_ask(cache_set(&c->l2, 0, e->of[i].line));
  }
}

static inline void all_tags_ask(const struct traffic *t, const struct core *c, struct expected *e)
{
  for (struct due d = expect_due(e, EXPECT_TAGS); d.from < d.end; d.from++)
    if (e->of[d.from % EXPECT_LINES].page)
      tags_ask(t, c, e->of[d.from % EXPECT_LINES].line);
}

void traffic_expect(const struct traffic *t, unsigned core, struct expected *e)
{
  const struct core *c = &t->core[core];
  if (!c->l2.sets)
    return;
  if (e->done[EXPECT_TABLE] <= e->gone) { /* none is in flight: the next lines do all steps at once */
    tables_ask(t, c, e);
    pages_ask(t, e);
    seconds_ask(c, e);
    all_tags_ask(t, c, e);
  } else {
    all_tags_ask(t, c, e);
    seconds_ask(c, e);
    pages_ask(t, e);
    tables_ask(t, c, e);
  }
}

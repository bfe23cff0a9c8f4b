/* SPDX-License-Identifier: MIT */
/*
 * Accesses that are known to come soon: what working them out will read is asked from the host's memory beforehand.
 * Nothing of the machine changes, so results are the same with and without.
 *
 * A few lines a time: a host forgets some of what is asked for while a dozen or two of such are under way, and waiting for
 * one of these costs as much as a thousand instructions.
 */
#include "machine/traffic/state.h"

/* How many lines ahead of the access each step is, and how many it takes at once. */
enum { AT_ONCE = 2 };
static const uint8_t reach[EXPECT_STEPS] = { [EXPECT_TABLE] = 16, [EXPECT_PAGE] = 12, [EXPECT_SECOND] = 8, [EXPECT_TAGS] = 4 };

/* Where the page is found, unless the core has its translation. */
static const struct page *page_known(const struct core *c, uint64_t number)
{
  const struct translation *known = &c->translation[number & (TRANSLATIONS - 1)];
  return known->number == number ? known->page : NULL;
}

/* Tags in LLC and snoop filter of what the second level has not, and of the line that will make room there. */
static void tags_ask(const struct traffic *t, const struct core *c, uint64_t line)
{
  const struct tags set = cache_set(&c->l2, 0, line);
  if (cache_find(set, line) < set.ways)
    return;
  if (!prefetch_covers(c, line))
    t->uncore->ask_ahead(t, c->socket, line);
  leaving_ask(t, c, cache_line(set, set.ways - 1));
}

void leaving_ask(const struct traffic *t, const struct core *c, uint64_t line)
{
  if (!line)
    return;
  host_ask(address_frame(&t->map, line));
  t->uncore->ask_ahead(t, c->socket, line);
}

/* A page that nobody has touched yet is NULL, and nothing is known of its lines. */
static void step_take(const struct traffic *t, const struct core *c, struct expected *e, unsigned step, uint32_t i)
{
  uint64_t *line = &e->of[i].line;
  const struct page **page = &e->of[i].page;
  const uint64_t number = *line >> PAGE_LINES_SHIFT;
  switch (step) {
  case EXPECT_TABLE:
    if (!(*page = page_known(c, number)))
      address_ask(&t->map, number);
    return;
  case EXPECT_PAGE:
    if (*page || (*page = address_find(&t->map, number)))
      host_ask(*page);
    return;
  case EXPECT_SECOND:
    if (!*page)
      return;
    *line = (*page)->frame << PAGE_LINES_SHIFT | (*line & 63);
    cache_ask(&c->l2, 0, *line);
    return;
  default:
    if (*page)
      tags_ask(t, c, *line);
  }
}

static void step_go(const struct traffic *t, const struct core *c, struct expected *e, unsigned step)
{
  uint32_t end = step ? e->done[step - 1] : e->taken;
  uint32_t from = e->done[step] > e->gone ? e->done[step] : e->gone;
  end = end < e->gone + reach[step] ? end : e->gone + reach[step];
  for (unsigned n = 0; from < end && n < AT_ONCE; from++, n++)
    step_take(t, c, e, step, from % EXPECT_LINES);
  e->done[step] = from;
}

void traffic_expect(const struct traffic *t, unsigned core, struct expected *e)
{
  const struct core *c = &t->core[core];
  if (!c->l2.sets)
    return;
  if (e->done[EXPECT_TABLE] <= e->gone)        /* none is on its way: the next ones take all steps at once */
    for (unsigned step = 0; step < EXPECT_STEPS; step++)
      step_go(t, c, e, step);
  else
    for (unsigned step = EXPECT_STEPS; step--;)
      step_go(t, c, e, step);
}

/* SPDX-License-Identifier: MIT */
/* Accesses that are known to come soon: what working them out will read is asked from the host's memory beforehand.
 * Nothing of the machine changes, so results are the same with and without. */
#include "machine/traffic/state.h"

/* The lines' tags in LLC and snoop filter, and those of the line that will make room in L2. */
static void miss_expect(const struct traffic *t, const struct core *c, uint64_t line)
{
  struct tags set = cache_set(&c->l2, 0, line);
  if (cache_find(set, line) < set.ways)
    return;
  t->uncore->ask_ahead(t, c->socket, line);
  uint64_t last = cache_line(set, set.ways - 1);
  if (!last)
    return;
  t->uncore->ask_ahead(t, c->socket, last);
  host_ask(address_frame(&t->map, last));
}

void traffic_expect(const struct traffic *t, unsigned core, uint64_t virtual, enum expect_step step)
{
  const struct core *c = &t->core[core];
  uint64_t number = virtual >> PAGE_LINES_SHIFT;
  const struct translation *known = &c->translation[number & (TRANSLATIONS - 1)];
  const struct page *page = known->page;
  if (!c->l2.sets)
    return;
  if (known->number != number) {
    if (step == EXPECT_FIRST) {
      address_ask(&t->map, number);
      return;
    }
    page = address_find(&t->map, number);
    if (!page)
      return;
    if (step == EXPECT_SECOND) {
      host_ask(page);
      return;
    }
  } else if (step == EXPECT_FIRST) {
    return;
  }
  uint64_t line = (known->number == number ? known->frame : page->frame) << PAGE_LINES_SHIFT | (virtual & 63);
  if (step == EXPECT_SECOND) {
    host_ask(page);
    cache_ask(&c->l2, 0, line);
  } else {
    miss_expect(t, c, line);
  }
}

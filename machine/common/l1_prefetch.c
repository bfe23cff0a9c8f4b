/* SPDX-License-Identifier: MIT */
/*
 * The L1 data prefetcher (DCU prefetcher; Intel 64 and IA-32 Architectures Optimization Reference Manual, "Data
 * Prefetching to L1 Data Cache"): the load of a line after a recent load of the previous line fetches the next line,
 * within the page, unless other misses need the fill buffers. Fetched lines are separate from L1 until they are loaded,
 * and evict nothing there before (the model's own).
 */
#include "machine/common/miss.h"
#include "machine/common/queues.h"

static bool first_has(const struct first_level *l, uint64_t line)
{
  const struct first_set *s = &l->set[line & l->mask];
  return *first_recent(l, line) >> 2 == line || first_find(l, s, line) < FIRST_WAYS;
}

void prefetch_next_line(struct traffic *t, struct core *c, uint64_t virtual, uint64_t line, struct page *page)
{
  struct core_front *f = &c->front;
  const uint64_t next = virtual + 1;
  const fs_t at = fs_later(f->ready, f->time);
  if (*c->fill.next[FILL_READY] > at || c->ahead[next % L1_AHEAD].line == next || first_has(&f->l1d, next))
    return;
  fs_t *fill = buffer_take(&c->fill, FILL_READY);
  *fill = core_l2(t, c, line + 1, page, OP_DRD, at);
  c->ahead[next % L1_AHEAD] = (struct on_way){next, *fill};
  prefetch_train(t, c, line + 1, page, false);
}

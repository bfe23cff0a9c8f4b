/* SPDX-License-Identifier: MIT */
/*
 * The store buffer. A store requests its line when a fill buffer is free for it, in the order of stores, and not before
 * the core's time has reached that time: so requests of all cores are made in order of time, however many stores a core
 * is ahead (docs/design/016).
 */
#include "machine/common/miss.h"
#include "machine/common/queues.h"

fs_t window_add_slowly(struct traffic *t, struct core *c, fs_t done)
{
  if (c->queues.window_n)
    window_retire(t, c);
  window_write(c, done);
  if (!c->queues.window_n++)
    stall_set(t, c, BLOCK_MOST);
  return done;
}

void buffer_find(struct fill_buffers *b, enum fill_kind kind, fs_t at)
{
  fs_t *until = b->until[kind], **next = &b->next[kind];
  const uint32_t n = (uint32_t)(b->last[kind] - until) + 1;
  /* Not a search that goes from each entry to one that is free sooner: each step would read what the one before
   * finds. */
  const fs_t soonest = holders_least(until, 0, n, **next);
  if (**next != soonest)
    *next = &until[entries_first(until, n, fs_later(soonest, at))];
}

/* Takes a fill buffer for the next store: one that is free at *at, or the one that is free first; then *at becomes that
 * time. The buffer found before is still the soonest while it has not been taken: the buffers' times only grow. */
static fs_t *store_fill(const struct traffic *t, struct core *c, fs_t *at)
{
  struct core_queues *q = &c->queues;
  fs_t *until = c->fill.until[FILL_READY], **next = &c->fill.next[FILL_READY];
  bool soonest_is_later = false;
  if (**next > *at) {
    const bool known = q->ask_fill < t->mlp && until[q->ask_fill] == q->ask_at;
    const fs_t soonest = known ? q->ask_at : holders_least(until, 0, t->mlp, **next);
    if (**next != soonest)
      *next = &until[entries_first(until, t->mlp, fs_later(soonest, *at))];
    soonest_is_later = soonest > *at;
  }
  fs_t *fill = buffer_take(&c->fill, FILL_READY);
  q->ask_fill = soonest_is_later ? (uint32_t)(fill - until) : UINT32_MAX;
  *at = fs_later(*at, *fill);
  return fill;
}

/* Lets L1 write the line. */
static void store_own(struct core *c, uint64_t virtual)
{
  uint64_t *recent = first_recent(&c->front.l1d, virtual);
  if (*recent >> 2 == virtual)
    *recent |= L1_WRITABLE | L1_DIRTY;
}

/* Makes the first of the stores that have not requested their lines do so at `at`, with a fill buffer that is free
 * then. */
static void store_ask(struct traffic *t, struct core *c, fs_t *fill, fs_t at)
{
  struct core_queues *q = &c->queues;
  const unsigned first = (q->store_first + q->store_n - q->unasked) % STORES;
  const uint64_t line = q->store[first].line;
  struct page *page = address_frame(&t->map, line);
  q->unasked--;
  *fill = core_l2(t, c, line, page, OP_RFO, at);
  q->store_done = fs_later(q->store_done, *fill);
  q->store[first].done = q->store_done;
  store_own(c, page->number << PAGE_LINES_SHIFT | (line & 63));
  if (t->prefetch) {
    const fs_t known = c->front.ready;
    c->front.ready = at;
    prefetch_train(t, c, line, page, true);
    c->front.ready = known;
  }
}

void stores_ask_slowly(struct traffic *t, struct core *c, fs_t until)
{
  struct core_queues *q = &c->queues;
  while (q->unasked) {
    fs_t at = fs_later(q->store[(q->store_first + q->store_n - q->unasked) % STORES].done, c->front.time);
    fs_t *fill = store_fill(t, c, &at);
    q->ask_at = at;
    if (at > until)
      return;
    store_ask(t, c, fill, at);
  }
  q->ask_at = HOLDERS_OPEN;
}

void core_store(struct traffic *t, struct core *c, uint64_t virtual, uint64_t line)
{
  struct core_queues *q = &c->queues;
  store_enter(t, c);
  const unsigned last = (q->store_first + q->store_n++) % STORES;
  q->store[last].number = queue_stores(&c->front) - 1;
  q->store[last].done = c->front.ready;
  q->store[last].line = line;
  if (!q->unasked++)
    q->ask_at = 0;
  store_own(c, virtual);
  stores_ask(t, c, c->l2.sets ? c->front.time : HOLDERS_OPEN - 1); /* without L2 in the order of accesses */
  if (q->store_n == 1 || q->unasked == 1)
    stall_set(t, c, BLOCK_MOST);
}

void stores_end(struct traffic *t, struct core *c)
{
  if (c->queues.unasked)
    stores_ask(t, c, HOLDERS_OPEN - 1);
}

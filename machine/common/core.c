/* SPDX-License-Identifier: MIT */
/*
 * A core: its L1 caches and its outstanding loads and stores, as far as a trace describes them. A load starts when its
 * address is known (core_front.ready); queues.h limits how far a core runs ahead of a miss.
 */
#include "machine/common/request.h"
#include "machine/common/conditions.h"
#include "machine/common/devices.h"
#include "machine/common/miss.h"
#include "machine/common/queues.h"

#define FS_PER_NS 1000000ull
#define HIT_CYCLES 5 /* latency of a load that hits L1; the model's own */

/* Returns the first entry of a page's set in the TLB. */
static struct tlb_entry *tlb_set(const struct tlb *l, uint64_t number)
{
  return l->entry + (number & l->mask) * l->ways;
}

__attribute__((cold)) bool core_page_translate(struct traffic *t, struct core *c, uint64_t number)
{
  struct page *page = address_page(&t->map, number, c->socket, -1);
  if (!page)
    return false;
  core_set_began(t, c);
  if (t->walks)
    core_walk(t, c, page);
  const uint64_t of_size = (page->number >> page->bits) + 1;
  struct tlb_entry *entry = tlb_set(&c->dtlb[page->bits / LEVEL_BITS], of_size);
  struct stream *stream = &c->streams[stream_of(page->frame)];
  c->translation[number & (TRANSLATIONS - 1)] =
      (struct translation){~number, page->frame << PAGE_LINES_SHIFT, page, entry, of_size, stream};
  return true;
}

fs_t core_dtlb_other(const struct traffic *t, struct core *c, struct translation *known)
{
  const struct tlb *l = &c->dtlb[known->page->bits / LEVEL_BITS];
  struct tlb_entry *e = tlb_set(l, known->tlb_number), *oldest = e;
  const struct tlb_entry *const end = e + l->ways;
  for (; e < end && e->number != known->tlb_number; e++)
    oldest = e->used < oldest->used ? e : oldest;
  known->tlb = e < end ? e : oldest;
  *known->tlb = (struct tlb_entry){known->tlb_number, ++c->dtlb_uses};
  return e < end ? 0 : t->time.dtlb;
}

/* Advances the core to the time that the machine has reached, then devices and conditions to the time of the core, and
 * wakes a halted core. */
void core_advance_slowly(struct traffic *t, struct core *c)
{
  if (c->front.time < t->reached)
    core_idle_until(c, t->reached);
  if (t->next_dma < c->front.time)
    devices_run(t, c->front.time);
  if (t->next_condition <= c->front.time)
    conditions_run(t, c->front.time);
  if (!c->active) /* after the events during its sleep */
    t->uncore->core_active(t, c, true, c->front.time);
  const fs_t dma = t->next_dma < UINT64_MAX ? t->next_dma + 1 : UINT64_MAX;
  c->front.due = core_is_behind(t, c) ? 0 : dma < t->next_condition ? dma : t->next_condition;
}

fs_t traffic_load_hit(struct traffic *t, struct core_front *front, uint64_t line, fs_t ready)
{
  struct core *c = (struct core *)(void *)front; /* struct core begins with it */
  const fs_t start = fs_later(c->front.time, ready), hit = start + HIT_CYCLES * (fs_t)t->time.core;
  const struct on_way *w = &c->front.filling[line & 63];
  return window_add(t, c, w->line == line ? fs_later(hit, w->done) : hit);
}

/* Requests a line that misses L1, or that L1 may not write, for an instruction or data access. */
static void line_fetch(struct traffic *t, struct core *c, uint64_t virtual, enum tor_op op)
{
  struct translation *known = core_translation(t, c, virtual);
  if (!known)
    return;
  struct page *page = known->page;
  const uint64_t line = translation_line(known, virtual);
  struct core_front *f = &c->front;
  if (op == OP_CRD) { /* the core cannot go on without instructions */
    if (!page->code)  /* no write otherwise: another core may be reading it */
      page->code = true;
    queues_wait(t, c, &c->totals.fetch_stall_fs, core_l2(t, c, line, page, op, f->time));
    if (t->code_ahead)
      prefetch_code(t, c, line, page);
    return;
  }
  if (op != OP_RFO) {
    core_load(t, c, virtual, known);
    return;
  }
  prefetch_take(c, virtual);
  const fs_t ready = f->ready;
  f->ready = fs_later(ready, f->time) + core_dtlb(t, c, known);
  core_store(t, c, virtual, line);
  f->ready = ready;
}

/* Fetches a line of code that misses L1. */
static __attribute__((noinline)) void code_fetch(struct traffic *t, struct core *c, uint64_t line)
{
  first_fill(&c->front.l1i, line);
  c->totals.fetch_l1_misses++;
  c->missed = false;
  line_fetch(t, c, line, OP_CRD);
  c->totals.fetch_llc_misses += c->missed;
}

/* Executes code of a line. False: `apart`, and the line is not private. */
static inline bool code_line(struct traffic *t, struct core *c, uint64_t line, bool apart)
{
  struct core_front *f = &c->front;
  const bool missed = line != f->fetch_line && *first_recent(&f->l1i, line) != line << 2 && !first_finds(&f->l1i, line);
  if (missed && apart && !core_code_is_private(t, c, line))
    return false;
  f->fetch_line = line;
  if (missed)
    code_fetch(t, c, line);
  return true;
}

/* Begins a block that may have to wait, that devices or conditions precede, or that lies in more than two lines. */
static __attribute__((noinline)) void block_lines(struct traffic *t, struct core *c, uint64_t pc, uint32_t bytes)
{
  uint64_t line = pc >> 6;
  const uint64_t last = (pc + bytes - (bytes != 0)) >> 6;
  core_advance(t, c);
  if (c->front.instructions >= c->front.stall_at)
    queues_check(t, c, bytes);
  c->front.fetch_lines += last - line; /* the first one is counted already */
  for (; line <= last; line++)
    code_line(t, c, line, false);
}

/* True if the one or two lines of a block are the most recently used ones of their sets. */
static inline bool lines_are_recent(const struct core_front *f, uint64_t line, uint64_t last)
{
  return *first_recent(&f->l1i, last) == last << 2 &&
         (line == f->fetch_line || *first_recent(&f->l1i, line) == line << 2);
}

/* Begins a block of one or two lines that are not all the most recently used ones of their sets. */
static __attribute__((noinline)) void block_other(struct traffic *t, struct core *c, uint64_t line, uint64_t last)
{
  code_line(t, c, line, false);
  if (last != line)
    code_line(t, c, last, false);
}

/* Most of these blocks lie in one or two lines, and nothing waits. Every call is a tail call, so that there are no
 * registers to save. */
void traffic_block_slow(struct traffic *t, struct core_front *f, uint64_t pc, uint32_t bytes)
{
  struct core *c = (struct core *)(void *)f; /* struct core begins with it */
  const uint64_t line = pc >> 6, last = (pc + bytes - 1) >> 6;
  if (last - line > 1 || f->instructions >= f->stall_at || core_may_be_behind(f)) {
    block_lines(t, c, pc, bytes);
    return;
  }
  c->began = f->time;
  f->fetch_lines += last - line;
  if (lines_are_recent(f, line, last))
    f->fetch_line = last;
  else
    block_other(t, c, line, last);
}

bool traffic_block_apart(struct traffic *t, unsigned core, uint64_t pc, uint32_t bytes)
{
  struct core *c = &t->core[core];
  struct core_front *f = &c->front;
  const uint64_t first = pc >> 6, last = (pc + bytes - (bytes != 0)) >> 6;
  if (core_is_behind(t, c))
    return false;
  c->began = f->time;
  if (f->instructions >= f->stall_at)
    queues_check(t, c, bytes);
  if (last - first <= 1 && lines_are_recent(f, first, last)) {
    f->fetch_line = last;
  } else {
    for (uint64_t line = first; line <= last; line++)
      if (!code_line(t, c, line, true))
        return false;
  }
  f->fetch_lines += last - first;
  return true;
}

/* Looks up the lines of a data access in L1. Returns those that missed: bit 0 the first one, bit 1 the second. */
static unsigned lines_touch(struct traffic *t, struct core *c, uint64_t first, uint64_t last, bool store)
{
  unsigned missing = 0;
  for (uint64_t line = first; line <= last; line++) {
    if (!first_touch(&c->front.l1d, line))
      missing |= 1u << (line - first);
    else if (store && !(*first_recent(&c->front.l1d, line) & L1_WRITABLE))
      line_fetch(t, c, line, OP_RFO); /* first write to a line that was requested for reading */
  }
  return missing;
}

/* Requests the lines of an access that missed L1, and counts one miss. Where misses fill the LLC, an access over two
 * lines looks up both there if either missed (as cachegrind does). */
static void access_miss(struct traffic *t, struct core *c, uint64_t first, uint64_t last, enum access_kind kind)
{
  bool read = kind == ACCESS_LOAD || kind == ACCESS_MODIFY, write = kind == ACCESS_STORE || kind == ACCESS_NT_STORE;
  c->missed = c->arrived = false;
  for (uint64_t line = first; line <= last; line++)
    line_fetch(t, c, line, write || kind == ACCESS_MODIFY ? OP_RFO : OP_DRD);
  c->totals.read_l1_misses += read && !c->arrived;
  c->totals.read_llc_misses += read && c->missed;
  c->totals.write_l1_misses += write;
  c->totals.write_llc_misses += write && c->missed;
}

static void core_sleep(struct traffic *t, struct core *c, fs_t duration)
{
  core_stream_end(t, c);
  stores_end(t, c);
  while (c->queues.window_n)
    window_retire(t, c);
  if (!c->accompanied)
    t->uncore->core_active(t, c, false, core_reached(c));
  core_idle_until(c, c->front.time + duration);
  c->front.stall_at = 0; /* the next access ends the stall: a report now would be too early */
}

/* Performs an access that traffic_access_slow() has not completed. */
static __attribute__((noinline)) void access_other(struct traffic *t, struct core *c, uint64_t va, uint32_t size,
                                                   enum access_kind kind)
{
  uint64_t first = va >> 6, last = (va + size - 1) >> 6;
  bool store = kind == ACCESS_STORE || kind == ACCESS_MODIFY;
  core_advance(t, c);
  if (kind == ACCESS_SLEEP) {
    core_sleep(t, c, va * FS_PER_NS);
    return;
  }
  if (kind == ACCESS_NT_STORE && last == first) {
    core_stream(t, c, va, size);
    return;
  }
  if (kind == ACCESS_FLUSH) {
    core_set_began(t, c);
    core_flush(t, c, first);
    return;
  }
  if (kind == ACCESS_LINE) {
    core_set_began(t, c);
    core_line(t, c, va, size);
    return;
  }
  unsigned missing = lines_touch(t, c, first, last, store && !t->fill);
  if (!missing) {
    for (uint64_t line = first; store && t->fill && line <= last; line++)
      *first_recent(&c->front.l1d, line) |= L1_WRITABLE | L1_DIRTY;
    return;
  }
  if (!t->fill) /* requests only the missing lines */
    first = missing == 2 ? last : first, last = missing == 1 ? first : last;
  access_miss(t, c, first, last, kind);
}

void traffic_store_missed(struct traffic *t, unsigned core, uint64_t va, uint32_t size)
{
  struct core *c = &t->core[core];
  (void)size; /* the access lies within a line; test doubles record this */
  core_advance(t, c);
  c->missed = c->arrived = false;
  line_fetch(t, c, va >> 6, OP_RFO);
  c->totals.write_l1_misses++;
  c->totals.write_llc_misses += c->missed;
}

/* True if both lines of an access are among the two most recently used ones of their sets. */
static inline bool access_is_near(const struct core_front *f, uint64_t line, enum access_kind kind)
{
  const uint64_t lacks = kind == ACCESS_LOAD ? FRONT_LACKS_LOAD : FRONT_LACKS_STORE;
  return front_near(f, line, lacks) && front_near(f, line + 1, lacks);
}

void traffic_access_slow(struct traffic *t, unsigned core, uint64_t va, uint32_t size, enum access_kind kind)
{
  struct core *c = &t->core[core];
  const uint64_t line = va >> 6, last = (va + size - 1) >> 6;
  if (last == line + 1 && kind <= ACCESS_MODIFY && !core_is_behind(t, c) && access_is_near(&c->front, line, kind)) {
    c->began = c->front.time;
    return;
  }
  if ((va & 63) + size <= 64 && kind <= ACCESS_MODIFY) {
    if (!first_touch(&c->front.l1d, line)) {
      core_advance(t, c);
      access_miss(t, c, line, line, kind);
      return;
    }
    if (kind == ACCESS_LOAD || (*first_recent(&c->front.l1d, line) & L1_DIRTY))
      return;
    if (!t->fill && !core_is_behind(t, c)) { /* devices that run in between may take the line */
      c->began = c->front.time;
      if (!(*first_recent(&c->front.l1d, line) & L1_WRITABLE))
        line_fetch(t, c, line, OP_RFO);
      return;
    }
  }
  access_other(t, c, va, size, kind);
}

void traffic_access(struct traffic *t, unsigned core, uint64_t va, uint32_t size, enum access_kind kind)
{
  traffic_access_fast(t, core, va, size, kind);
}

void traffic_block(struct traffic *t, unsigned core, uint64_t pc, uint32_t bytes, uint32_t instructions)
{
  traffic_block_fast(t, core, pc, bytes, instructions);
}

fs_t traffic_core_time(const struct traffic *t, unsigned core)
{
  return t->core[core].front.time;
}

/* A live program's thread may have no records only because of its host. So nothing retires here. */
void traffic_stores_end(struct traffic *t, unsigned core)
{
  stores_end(t, &t->core[core]);
}

void traffic_core_idle(struct traffic *t, unsigned core)
{
  struct core *c = &t->core[core];
  stores_end(t, c);
  while (c->queues.window_n)
    window_retire(t, c);
  c->front.stall_at = 0; /* its next block wakes it */
  c->accompanied = false;
  t->uncore->core_active(t, c, false, core_reached(c));
}

void traffic_core_wake(struct traffic *t, unsigned core)
{
  struct core *c = &t->core[core];
  fs_t now = UINT64_MAX;
  c->overlap += core_overlap(c);
  c->accompanied = false;
  c->front.time = core_reached(c);
  for (unsigned i = 0; i < t->n_cores; i++)
    if (t->core[i].active && t->core[i].front.time < now)
      now = t->core[i].front.time;
  if (now == UINT64_MAX) /* none runs: what wakes this core comes after what the others did last */
    now = traffic_now(t);
  if (now > c->front.time)
    core_idle_until(c, now);
  c->slice_began = c->front.time;
  core_advance(t, c);
  queues_check(t, c, 0);
}

void traffic_core_sleep(struct traffic *t, unsigned core, fs_t until)
{
  struct core *c = &t->core[core];
  core_stream_end(t, c);
  if (until > c->front.time)
    core_idle_until(c, until);
}

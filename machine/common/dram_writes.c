/* SPDX-License-Identifier: MIT */
/* Write drain: when a sub-channel's write queue has filled up to its upper mark, or has been left alone for a while,
 * the channel turns to writing (a "major mode", guide 2.3, MAJOR_MODES) and issues the writes in an order that keeps
 * rows open. */
#include "machine/common/memory.h"

/* How long a write waits while reads are preferred; the guide does not say. */
#define WRITE_PATIENCE_FS 5000000000ull /* 5 us */

/* Returns the time at which the column command of a write could be issued, apart from the bus, if rows may be opened
 * from `at` on. */
static fs_t write_possible(const struct traffic *t, const struct pch *p, const struct queued_write *w, fs_t at)
{
  const struct bank *b = &p->bank[w->bank];
  at = fs_later(at, w->at);
  const fs_t ready = fs_later(at, b->ready);
  if (!b->open)
    return ready + t->time.rcd;
  return b->row == w->row ? ready : fs_later(ready, fs_later(at, b->precharge_ready) + t->time.rp) + t->time.rcd;
}

/* The progress of a drain: number of writes so far; the time at which their data end (none: the earliest column
 * command); the beginning of the drain, after which writes that arrive are not part of it. */
struct drain_progress {
  uint32_t n;
  fs_t end, present;
};

/* A write of the queue, and when its column command could be issued. */
struct chosen {
  uint32_t i;
  fs_t column;
};

/* Chooses the next write: the oldest that is ready when the bus is, at `column`, else the one that is ready first. So
 * two rows of one bank do not delay the other writes. */
static struct chosen write_choose(const struct traffic *t, const struct pch *p, fs_t at,
                                  const struct drain_progress *progress)
{
  struct chosen first = {0, UINT64_MAX};
  const fs_t column = progress->n ? progress->end - t->time.cl : progress->end;
  if (p->drain == DRAIN_STARVED || p->write[0].since + WRITE_PATIENCE_FS < at)
    return (struct chosen){0, column};
  for (uint32_t i = 0; i < p->n_writes && i < p->wpq.n && first.column > column; i++) {
    const fs_t possible = p->write[i].at > progress->present ? UINT64_MAX : write_possible(t, p, &p->write[i], at);
    if (possible < first.column)
      first = (struct chosen){i, possible};
  }
  return first;
}

void write_enter(const struct traffic *t, struct channel *c, unsigned pch, struct queued_write *w)
{
  struct pch *p = &c->pch[pch];
  const fs_t arrived = w->at;
  w->holder = holders_take(&p->wpq, &w->at);
  holders_keep(&p->wpq, w->holder, HOLDERS_OPEN);
  mem_state_span(c, &t->uncore->memory[MEM_WPQ_FULL][pch], &p->wpq_full, (fs_t[]){arrived, w->at});
  mem_pulse(t, c, MEM_WPQ_INSERTS, pch, w->at);
  mem_pulse(t, c, (enum memory_event)(MEM_WPQ_PRIO + w->importance), pch, w->at);
  w->since = w->at;
}

/* Reports the wait of a queued write, which leaves the queue with its column command. */
static void write_leaves(const struct traffic *t, struct channel *c, unsigned pch, const struct queued_write *w,
                         fs_t column)
{
  struct pch *p = &c->pch[pch];
  holders_keep(&p->wpq, w->holder, column);
  mem_span(c, &t->uncore->memory[MEM_WPQ_OCCUPANCY][pch], w->at, column);
  fs_t from = w->at > p->wpq_ne ? w->at : p->wpq_ne;
  if (column <= from)
    return;
  mem_span(c, &t->uncore->memory[MEM_WPQ_NE][pch], from, column);
  active_add(c->writes_active, from, column);
  p->wpq_ne = column;
}

/* Issues a queued write; a write that arrived when the queue was full takes its entry. Returns the time at which its
 * data end. */
static fs_t write_issue(struct traffic *t, struct socket *s, const struct dram_access *how, uint32_t i)
{
  struct channel *c = how->channel;
  struct pch *p = &c->pch[how->pch];
  struct queued_write w = p->write[i];
  p->n_writes--;
  memmove(&p->write[i], &p->write[i + 1], (p->n_writes - i) * sizeof *p->write);
  struct dram_access a = *how;
  a.row = w.row;
  a.bank = w.bank;
  a.write = true;
  a.at = how->at > w.at ? how->at : w.at;
  fs_t data = bank_access(t, s, &a), column = data - t->time.cl;
  s->totals.wpq_inside--;
  write_leaves(t, c, how->pch, &w, column);
  if (p->n_writes >= p->wpq.n)
    write_enter(t, c, how->pch, &p->write[p->wpq.n - 1]);
  mem_pulse(t, c, how->urgency == URGENCY_CRITICAL ? MEM_CAS_WRITE_RMM : MEM_CAS_WRITE_WMM, how->pch, column);
  return data + t->time.burst;
}

fs_t writes_force(struct traffic *t, struct socket *s, const struct dram_access *place, uint32_t entry)
{
  struct dram_access a = *place;
  a.urgency = URGENCY_CRITICAL;
  a.from = a.at;
  writes_pass(t, a.channel, a.pch, a.at);
  mem_pulse(t, a.channel, (enum memory_event)(MEM_WPQ_PRIO + IMPORTANCE_CRITICAL), a.pch, a.at);
  return write_issue(t, s, &a, entry) + t->time.wtr;
}

void writes_pass(struct traffic *t, struct channel *c, unsigned pch, fs_t until)
{
  struct pch *p = &c->pch[pch];
  fs_t first = UINT64_MAX;
  for (uint32_t i = 0; i < p->n_writes && i < p->wpq.n; i++) {
    struct queued_write *w = &p->write[i];
    if (w->at >= until)
      continue;
    first = w->at < first ? w->at : first;
    mem_span(c, &t->uncore->memory[MEM_WPQ_OCCUPANCY][pch], w->at, until);
    w->at = until; /* no drain can begin earlier: those that were due are done */
  }
  first = first > p->wpq_ne ? first : p->wpq_ne;
  if (first >= until || first == UINT64_MAX)
    return;
  mem_span(c, &t->uncore->memory[MEM_WPQ_NE][pch], first, until);
  active_add(c->writes_active, first, until);
  p->wpq_ne = until;
}

void mode_pass(struct traffic *t, struct channel *c, unsigned pch, enum memory_event mode, const fs_t span[2])
{
  struct pch *p = &c->pch[pch];
  const fs_t from = span[0] > p->mode_since ? span[0] : p->mode_since;
  if (pch || span[1] <= from)
    return;
  if (from > p->mode_since)
    mem_span(c, &t->uncore->memory[MEM_READ_MODE][0], p->mode_since, from);
  mem_span(c, &t->uncore->memory[mode][0], from, span[1]);
  p->mode_since = span[1];
}

/* The major mode of each kind of drain, and the events of its beginning and end where nothing starves. */
static const struct {
  enum memory_event mode, begins, ends;
} drains[] = {[DRAIN_PREFERRED] = {MEM_WRITE_MODE, MEM_TO_WRITE_MODE, MEM_TO_READ_MODE},
              [DRAIN_IDLE] = {MEM_WRITE_MODE, MEM_TO_WRITE_MODE, MEM_TO_READ_MODE},
              [DRAIN_STARVED] = {MEM_WRITES_STARVED_MODE, MEM_PR_TO_SW, MEM_SW_TO_PR}};

void modes_settle(const struct traffic *t, struct channel *c, unsigned pch, fs_t at)
{
  struct mode_end *e = &c->pch[pch].end;
  if (e->at && at >= e->at) {
    mem_pulse(t, c, drains[e->of].ends, pch, e->at);
    e->at = 0;
  }
  if (e->starved && at >= e->starved) {
    mem_pulse(t, c, MEM_SR_TO_PR, pch, e->starved);
    e->starved = 0;
  }
}

void modes_starved(struct traffic *t, struct channel *c, unsigned pch, fs_t column)
{
  struct pch *p = &c->pch[pch];
  if (p->end.at && p->end.of == DRAIN_PREFERRED) {
    mem_pulse(t, c, MEM_PW_TO_SR, pch, p->end.at);
    p->end.at = 0;
    p->end.starved = column;
  } else if (p->end.starved && column > p->end.starved) {
    p->end.starved = column;
  }
  if (p->end.starved)
    mode_pass(t, c, pch, MEM_READS_STARVED_MODE, (fs_t[]){p->write_until, p->end.starved});
}

/* Returns the number of writes in the queue at `at`. */
static uint32_t writes_present(const struct pch *p, fs_t at)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->n_writes && i < p->wpq.n; i++)
    n += p->write[i].since <= at;
  return n;
}

/* Reports the beginning of a drain. A drain that follows another at once, or cuts the time of starved reads short, does
 * not begin in read mode. */
static void mode_begins(const struct traffic *t, struct channel *c, unsigned pch, fs_t begin)
{
  struct pch *p = &c->pch[pch];
  modes_settle(t, c, pch, begin - 1);
  const bool starved = p->drain == DRAIN_STARVED, follows = p->end.at != 0;
  if (p->end.starved && !starved)
    mem_pulse(t, c, MEM_SR_TO_PW, pch, begin);
  else if (follows && p->end.of == DRAIN_STARVED && !starved)
    mem_pulse(t, c, MEM_SW_TO_PW, pch, begin);
  else if (!follows || starved != (p->end.of == DRAIN_STARVED)) {
    modes_settle(t, c, pch, UINT64_MAX);
    mem_pulse(t, c, drains[p->drain].begins, pch, begin);
  }
  p->end = (struct mode_end){0};
  if (t->subs > 1 && p->drain == DRAIN_PREFERRED &&
      writes_present(&c->pch[!pch], begin) <= t->config.value[CONFIG_DRAM_WPQ_LOW])
    mem_pulse(t, c, MEM_MODE_ALONE, pch, begin);
}

/* Returns the time at which the column command of a write may follow the reads already issued: after their data and the
 * turnaround of the bus. */
static fs_t reads_over(const struct traffic *t, const struct pch *p, fs_t at)
{
  const fs_t data = at + t->time.cl;
  return p->bus.run.begin <= data && p->bus.run.end > data ? p->bus.run.end + t->time.rtw - t->time.cl : at;
}

/* Issues writes of a drain until `leave` are left, or none that had arrived when it began (which later ones exist
 * depends on how far the machine has run), or the bus would wait longer for the next write's data than a turnaround to
 * reads and back takes. */
static void drain_issue(struct traffic *t, struct socket *s, const struct dram_access *how, uint32_t leave,
                        struct drain_progress *progress)
{
  const struct pch *p = &how->channel->pch[how->pch];
  const fs_t turn = t->time.wtr_s + t->time.cl + t->time.rtw;
  while (p->n_writes > leave &&
         (!leave || !progress->n || p->write[leave].since <= progress->present)) { /* in order of arrival */
    const struct chosen next = write_choose(t, p, how->at, progress);
    if (next.column == UINT64_MAX || (leave && progress->n && next.column + t->time.cl > progress->end + turn))
      return;
    progress->end = fs_later(progress->end, write_issue(t, s, how, next.i));
    progress->n++;
  }
}

/* Determines when the next drain is due, after a drain or the arrival of a write. */
static void drain_plan(const struct traffic *t, struct pch *p)
{
  const uint64_t high = t->config.value[CONFIG_DRAM_WPQ_HIGH];
  if (p->n_writes >= high)
    p->due = fs_later(p->write[high - 1].since, p->write_until);
}

void writes_drain(struct traffic *t, struct socket *s, const struct dram_access *from, uint32_t leave)
{
  struct channel *c = from->channel;
  const unsigned pch = from->pch;
  struct pch *p = &c->pch[pch];
  if (p->n_writes <= leave)
    return;
  const fs_t begin = fs_later(from->at, p->write_until), opens = fs_later(begin, reads_over(t, p, begin));
  struct drain_progress progress = {.end = opens, .present = begin};
  const struct dram_access how = {.channel = c,
                                  .pch = pch,
                                  .at = begin,
                                  .from = opens,
                                  .urgency = p->drain == DRAIN_STARVED ? URGENCY_STARVED : URGENCY_NORMAL};
  bank_refresh(t, s, c, pch, begin); /* brings the rows up to `begin`, whichever request looked at them last */
  bank_idle(t, s, c, pch, begin);
  writes_pass(t, c, pch, begin);
  drain_issue(t, s, &how, leave, &progress);
  p->due = 0;
  if (!progress.n)
    return;
  const fs_t end = progress.end + t->time.wtr_s;
  s->totals.drains++;
  if (p->drain != DRAIN_IDLE || !mem_reported(t, MEM_CAS_WRITE_IDLE)) { /* else reads still have priority */
    mode_begins(t, c, pch, opens);
    mode_pass(t, c, pch, drains[p->drain].mode, (fs_t[]){opens, end});
    p->end = (struct mode_end){end, 0, p->drain};
    mem_pulses(t, c, MEM_WRITE_PUSHED_OUT, pch, end, writes_present(p, end));
  }
  p->write_from = begin;
  p->write_until = end;
  p->last = fs_later(p->last, end);
  drain_plan(t, p);
}

static void drain_idle(struct traffic *t, struct socket *s, const struct dram_access *from)
{
  struct pch *p = &from->channel->pch[from->pch];
  p->drain = DRAIN_IDLE;
  writes_drain(t, s, from, 0);
  p->drain = DRAIN_PREFERRED;
}

/* Returns the time of the first drain, and its sub-channel: a drain that is due by until[0], or one of writes left
 * alone by until[1]. Drains that are due before the latter go first. UINT64_MAX: none. */
static fs_t drain_first(const struct traffic *t, const struct channel *c, const fs_t until[2], unsigned *ret_pch,
                        bool *ret_idle)
{
  fs_t first = UINT64_MAX;
  *ret_idle = false;
  for (unsigned i = 0; i < t->subs; i++) {
    const struct pch *p = &c->pch[i];
    /* Not before the oldest write has arrived: a drain would find none. */
    const fs_t at = fs_later(p->last + t->time.wc_age, p->write[0].at);
    if (p->n_writes && at <= until[1] && at < first)
      first = at, *ret_pch = i, *ret_idle = true;
  }
  const fs_t due = *ret_idle ? fs_later(first, until[0]) : until[0];
  for (unsigned i = 0; i < t->subs; i++) {
    const struct pch *p = &c->pch[i];
    if (p->due && p->due <= due && (p->due < first || (*ret_idle && p->due == first)))
      first = p->due, *ret_pch = i, *ret_idle = false;
  }
  return first;
}

void writes_pass_due(struct traffic *t, struct socket *s, struct channel *c, fs_t due, fs_t idle)
{
  unsigned pch = 0;
  bool is_idle;
  for (fs_t at; (at = drain_first(t, c, (fs_t[]){due, idle}, &pch, &is_idle)) != UINT64_MAX;) {
    const struct dram_access from = {.channel = c, .pch = pch, .at = at};
    if (is_idle)
      drain_idle(t, s, &from);
    else
      writes_drain(t, s, &from, (uint32_t)t->config.value[CONFIG_DRAM_WPQ_LOW]);
  }
}

void writes_added(struct traffic *t, struct socket *s, struct channel *c, unsigned pch)
{
  struct pch *p = &c->pch[pch];
  if (!p->due)
    drain_plan(t, p);
  while (p->n_writes == MAX_WRITES)
    writes_pass_time(t, s, c, p->due, 0);
}

void writes_starved(struct traffic *t, struct socket *s, struct channel *c, unsigned pch, fs_t at)
{
  struct pch *p = &c->pch[pch];
  const uint32_t low = (uint32_t)t->config.value[CONFIG_DRAM_WPQ_LOW];
  uint32_t old = 0;
  while (old < p->n_writes && p->write[old].since + WRITE_PATIENCE_FS < at)
    old++;
  if (!old || !mem_reported(t, MEM_WRITES_STARVED_MODE))
    return;
  p->drain = DRAIN_STARVED;
  const struct dram_access from = {.channel = c, .pch = pch, .at = at};
  writes_drain(t, s, &from, p->n_writes - old);
  p->drain = DRAIN_PREFERRED;
  if (p->n_writes > low) /* above the low mark: these writes go, too */
    writes_drain(t, s, &from, low);
}

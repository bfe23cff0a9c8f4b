/* SPDX-License-Identifier: MIT */
/* The commands of a sub-channel: which of them an access needs, when they may be issued (8.2 of the reference machine's
 * timing: JEDEC DDR5), and refresh. */
#include "machine/common/memory.h"
#include "machine/common/register_keep.h"

/* The banks that a refresh takes: all of its rank, or the same one of each group. */
struct refresh_banks {
  unsigned first, end, step;
};
static struct refresh_banks refresh_banks(const struct traffic *t, unsigned rank, fs_t due)
{
  const unsigned first = rank * 32 + (t->same_bank ? (unsigned)(due / t->time.refi % 4) : 0);
  return (struct refresh_banks){first, rank * 32 + 32, t->same_bank ? 4 : 1};
}

/* Closes the rows of banks for refresh, which begins when all of them are precharged. */
static void banks_close(struct traffic *t, struct socket *s, struct pch *p, const struct refresh_banks *of, fs_t at)
{
  const unsigned rank = of->first / 32;
  fs_t begin = at;
  for (unsigned i = of->first; i < of->end; i += of->step) {
    const struct bank *b = &p->bank[i];
    begin = fs_later(begin, b->open ? fs_later(at, b->precharge_ready) + t->time.rp : b->ready);
  }
  for (unsigned i = of->first; i < of->end; i += of->step) {
    struct bank *b = &p->bank[i];
    s->totals.refresh_closed += b->open;
    s->totals.rows_open -= b->open;
    p->n_open[rank] -= b->open;
    b->open = false;
    b->ready = begin + t->time.refresh;
  }
  if (t->same_bank)
    p->activate_from[rank] = fs_later(p->activate_from[rank], begin + t->time.refresh_apart);
}

/* Closes a row that has been idle long enough by `at`. */
static void row_idle(struct traffic *t, struct socket *s, const struct dram_access *a, struct bank *b)
{
  struct pch *p = &a->channel->pch[a->pch];
  fs_t end = b->used + t->time.idle;
  if (!b->open || end > a->at)
    return;
  mem_pulse(t, a->channel, MEM_PRE_IDLE, a->pch, end);
  b->open = false;
  b->ready = fs_later(b->ready, end + t->time.rp);
  p->n_open[(unsigned)(b - p->bank) / 32]--;
  s->totals.precharges++;
  s->totals.rows_open--;
}

/* Returns the earliest time of a refresh: when it is due, unless a limit holds the rank back; then it is overdue, and
 * goes first when the limit ends. 0: memory in self-refresh needs none. */
static fs_t refresh_time(const struct traffic *t, const struct channel *c, unsigned rank, fs_t due)
{
  return power_self_refresh(t, c, due) ? 0 : limits_pass(t, c, rank, due);
}

/* Returns the time at which a due refresh is issued: it lets outstanding requests to its banks go first, up to a limit,
 * after which it goes first. */
static fs_t refresh_postpone(const struct traffic *t, const struct pch *p, const struct refresh_banks *of, fs_t due)
{
  fs_t given = due;
  if (p->used[of->first / 32] <= due)
    return due;
  for (unsigned i = of->first; i < of->end; i += of->step)
    given = fs_later(given, p->bank[i].used);
  return given < due + t->time.postpone ? given : due + t->time.postpone;
}

/* Handles the refreshes of an idle rank all at once, if no counter observes them and no access can meet them any more:
 * issues those before self-refresh, or skips those during it. Self-refresh lasts until the access, and needs no refresh
 * commands, whether or not counters observe them. */
static void refresh_at_rest(const struct traffic *t, struct socket *s, const struct dram_access *a, unsigned rank)
{
  struct pch *p = &a->channel->pch[a->pch];
  const fs_t refi = t->time.refi, first = p->refresh[rank], last = a->at - refi;
  const fs_t sleeps = power_self_refresh_begin(t, a->channel);
  const bool asleep = sleeps <= first;
  const uint64_t n = (asleep || sleeps > last ? last - first : sleeps - first + refi - 1) / refi;
  if (p->n_open[rank] || p->used[rank] > first || a->channel->limits)
    return;
  if (!asleep && mem_wanted(t, a->channel, MEM_REFRESH, a->pch, first + (n - 1) * refi))
    return;
  p->refresh[rank] += n * refi;
  p->refreshed |= (uint32_t)!asleep << rank;
  s->totals.refreshes += asleep ? 0 : n;
}

/* Issues all refreshes of a rank that are due by the time of an access to its sub-channel, and not postponed. */
static void rank_refresh(struct traffic *t, struct socket *s, const struct dram_access *a, unsigned rank)
{
  struct channel *c = a->channel;
  struct pch *p = &c->pch[a->pch];
  for (; p->refresh[rank] <= a->at; p->refresh[rank] += t->time.refi) {
    if (p->refresh[rank] + 4 * t->time.refi < a->at)
      refresh_at_rest(t, s, a, rank);
    const fs_t due = p->refresh[rank];
    const struct refresh_banks of = refresh_banks(t, rank, due);
    const fs_t possible = refresh_time(t, c, rank, due);
    if (!possible)
      continue;
    const fs_t given = possible > due ? possible : refresh_postpone(t, p, &of, due);
    p->refresh_look[rank] = given;
    if (given > a->at && possible == due)
      return;
    const struct dram_access closing = {.channel = c, .pch = a->pch, .at = given};
    for (unsigned i = of.first; p->n_open[rank] && i < of.end; i += of.step)
      row_idle(t, s, &closing, &p->bank[i]);
    if (p->n_open[rank] && !t->same_bank)
      mem_pulse(t, c, MEM_PRE_ALL, a->pch, given);
    p->refreshed |= 1u << rank;
    if (p->n_open[rank] || p->used[rank] > due || given + t->time.refi > a->at)
      banks_close(t, s, p, &of, given);
    const bool late = possible > due || (given > due && given == due + t->time.postpone);
    mem_pulse(t, c, late ? MEM_REFRESH_PANIC : MEM_REFRESH, a->pch, given);
    s->totals.refreshes++;
  }
  p->refresh_look[rank] = p->refresh[rank];
}

void bank_refresh(struct traffic *t, struct socket *s, struct channel *c, unsigned p, fs_t until)
{
  const struct dram_access a = {.channel = c, .pch = p, .at = until};
  for (unsigned rank = 0; rank < t->config.value[CONFIG_DRAM_RANKS]; rank++)
    rank_refresh(t, s, &a, rank);
}

void bank_idle(struct traffic *t, struct socket *s, struct channel *c, unsigned p, fs_t until)
{
  const struct dram_access a = {.channel = c, .pch = p, .at = until};
  for (unsigned rank = 0; rank < t->config.value[CONFIG_DRAM_RANKS]; rank++)
    for (unsigned i = rank * 32; c->pch[p].n_open[rank] && i < rank * 32 + 32; i++)
      row_idle(t, s, &a, &c->pch[p].bank[i]);
}

/* Determines which refreshes a channel in self-refresh needed, before an access wakes it: the depth of its sleep is
 * known only until then. */
static void sleep_refresh(struct traffic *t, struct socket *s, struct channel *c, fs_t at)
{
  for (unsigned p = 0; p < t->subs && power_self_refresh(t, c, at); p++)
    bank_refresh(t, s, c, p, at);
}

/* Returns the event for an access; `first` is that of reads, which those of writes and of underfill reads follow. */
static enum memory_event access_event(const struct dram_access *a, enum memory_event first)
{
  return (enum memory_event)(first + (a->write ? 1u : a->underfill ? 2u : 0));
}

static enum memory_event by_urgency(const struct dram_access *a, enum memory_event first)
{
  return (enum memory_event)(first + (unsigned)a->urgency);
}

/* Returns the time to which an activate at `at` has to move, with `before` others before it; `at`: it may be issued. */
static fs_t activate_move(const fs_t ends[ACTIVATES], fs_t window, fs_t at, unsigned before)
{
  if (before >= 4 && ends[before - 4] > at)
    return ends[before - 4];
  for (unsigned after = 1; after <= 4 && before + after <= ACTIVATES; after++) { /* five, `after` of them later */
    const fs_t first = after == 4 ? at + window : before + after >= 4 ? ends[before + after - 4] : 0;
    if (first > ends[before + after - 1] - window)
      return ends[before] - window;
  }
  return at;
}

/* Books an activate of a rank at `at` or later. Returns its time: of any five, the last comes a window after the first.
 * They are booked in the order of requests, but one that waits for its bank does not delay one that is issued before
 * it. `ends`: for the latest activates, in order, the ends of the windows that they begin. */
static fs_t activate_book(fs_t ends[ACTIVATES], fs_t window, fs_t at)
{
  unsigned before = ACTIVATES;
  for (fs_t next = at;; at = next) {
    for (before = ACTIVATES; before && ends[before - 1] > at + window;)
      before--;
    next = activate_move(ends, window, at, before);
    if (next == at)
      break;
  }
  if (before) { /* else it is older than those remembered */
    memmove(ends, ends + 1, (before - 1) * sizeof *ends);
    ends[before - 1] = at + window;
  }
  return at;
}

/* Opens the access's row. Returns the earliest time of its column command. */
static fs_t row_open(struct traffic *t, struct socket *s, const struct dram_access *a, struct bank *b)
{
  struct pch *p = &a->channel->pch[a->pch];
  unsigned rank = a->bank >> 5;
  fs_t activate = fs_later(fs_later(a->at, p->activate_from[rank]), b->ready);
  if (b->open) {
    fs_t precharge = fs_later(a->at, b->precharge_ready);
    mem_pulse(t, a->channel, access_event(a, MEM_PRE_READ), a->pch, precharge);
    s->totals.precharges++;
    activate = fs_later(activate, precharge + t->time.rp);
  } else {
    s->totals.rows_open++;
    p->n_open[rank]++;
  }
  const fs_t possible = activate;
  activate = activate_book(p->activates[rank], t->time.faw, possible);
  if (activate > possible) /* four in a window: these go first */
    mem_pulse(t, a->channel, MEM_ACTIVATE_DEFERRED, a->pch, possible);
  mem_pulse(t, a->channel, by_urgency(a, a->write ? MEM_ACT_WRITE_PRIO : MEM_ACT_READ_PRIO), a->pch, activate);
  mem_pulse(t, a->channel, access_event(a, MEM_ACT_READ), a->pch, activate);
  s->totals.activates++;
  b->open = true;
  b->row = a->row;
  b->precharge_ready = activate + t->time.ras;
  return activate + t->time.rcd;
}

/* Returns the event of an access's column command. */
static enum memory_event column_of(const struct traffic *t, const struct dram_access *a)
{
  if (a->write && a->channel->pch[a->pch].drain == DRAIN_IDLE && mem_reported(t, MEM_CAS_WRITE_IDLE))
    return MEM_CAS_WRITE_IDLE;
  if (a->underfill)
    return t->closed ? MEM_CAS_UNDERFILL_PRE : MEM_CAS_UNDERFILL;
  if (t->closed)
    return a->write ? MEM_CAS_WRITE_PRE : MEM_CAS_READ_PRE;
  return a->write ? MEM_CAS_WRITE : MEM_CAS_READ;
}

static __attribute__((noinline)) void column_report(const struct traffic *t, const struct dram_access *a, fs_t column)
{
  mem_pulse(t, a->channel, column_of(t, a), a->pch, column);
  mem_pulse(t, a->channel, access_event(a, MEM_CAS_READ_LEN), a->pch, column);
  mem_pulse(t, a->channel, by_urgency(a, a->write ? MEM_CAS_WRITE_PRIO : MEM_CAS_READ_PRIO), a->pch, column);
  if (a->urgency == URGENCY_CRITICAL)
    mem_pulse(t, a->channel, a->write ? MEM_MINOR_WRITE : MEM_MINOR_READ, a->pch, column);
}

fs_t bank_access(struct traffic *t, struct socket *s, const struct dram_access *asked)
{
  struct dram_access now = *asked, *a = &now;
  const unsigned rank = a->bank >> 5;
  if (mem_reported(t, MEM_SELF_REFRESH) || a->channel->limits) {
    sleep_refresh(t, s, a->channel, a->at);
    a->at = limits_pass(t, a->channel, rank, power_wake(t, a->channel, a->at));
  }
  struct pch *p = &a->channel->pch[a->pch];
  struct bank *b = &p->bank[a->bank];
  REGISTER_KEEP(p);
  REGISTER_KEEP(b);
  if (p->refresh_look[rank] <= a->at)
    rank_refresh(t, s, a, rank);
  if (p->refreshed >> rank & 1) { /* the first request after a refresh may have to wait for it */
    p->refreshed &= ~(1u << rank);
    if (b->ready > a->at)
      mem_pulse(t, a->channel, a->write ? MEM_WRITE_DEFERRED : MEM_READ_DEFERRED, a->pch, a->at);
  }
  row_idle(t, s, a, b);
  fs_t column;
  if (b->open && b->row == a->row) {
    s->totals.row_hits++;
    column = fs_later(a->at, b->ready);
  } else {
    column = row_open(t, s, a, b);
  }
  column = fs_later(column, a->from);
  if (!a->write)
    column = fs_later(column, p->wrote[a->bank >> 2]);
  fs_t data = slots_take(&p->bus, column + t->time.cl, t->time.burst);
  column = data - t->time.cl;
  if (a->write)
    p->wrote[a->bank >> 2] = data + t->time.burst + t->time.wtr;
  fs_t end = a->write ? data + t->time.burst + t->time.wr : column + t->time.rtp;
  b->precharge_ready = fs_later(b->precharge_ready, end);
  b->ready = column + t->time.ccd;
  b->used = column;
  p->used[rank] = fs_later(p->used[rank], column);
  if (t->closed) {
    b->open = false;
    b->ready = b->precharge_ready + t->time.rp;
    p->n_open[a->bank >> 5]--;
    s->totals.rows_open--;
    s->totals.auto_precharges++;
  }
  if (!block_ignores_reports(a->channel->block, column))
    column_report(t, a, column);
  power_pass(t, a->channel, a->at);
  if (column > a->channel->busy_until)
    a->channel->busy_until = column;
  *(a->write ? &s->totals.cas_writes : &s->totals.cas_reads) += 1;
  return data;
}

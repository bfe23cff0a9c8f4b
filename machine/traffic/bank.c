/* SPDX-License-Identifier: MIT */
/* The commands of a sub-channel: which of them an access needs, when they may be given (8.2 of the reference
 * machine's timing: JEDEC DDR5), and refresh. */
#include "machine/traffic/state.h"

static fs_t later(fs_t a, fs_t b) { return a > b ? a : b; }

static bool told(const struct traffic *t, enum memory_event e) { return t->uncore->memory[e][0].told; }

/* Closes every row of a rank for refresh. */
static void rank_close(struct traffic *t, struct socket *s, struct pch *p, unsigned rank)
{
  for (unsigned i = rank * 32; i < rank * 32 + 32; i++) {
    fs_t ready = p->refresh[rank] + t->time.rfc * (1 + p->owed[rank]);
    if (p->bank[i].open) {
      s->totals.refresh_closed++;
      s->totals.rows_open--;
      p->bank[i].open = false;
      ready += t->time.rp;
    }
    p->bank[i].ready = later(p->bank[i].ready, ready);
  }
  p->n_open[rank] = 0;
}

static void row_idle(struct traffic *t, struct socket *s, struct channel *c, unsigned pch, struct bank *b, fs_t at)
{
  fs_t end = b->used + t->time.idle;
  if (!b->open || end > at)
    return;
  mem_pulse(t, c, MEM_PRE_IDLE, pch, end);
  b->open = false;
  b->ready = later(b->ready, end + t->time.rp);
  c->pch[pch].n_open[(unsigned)(b - c->pch[pch].bank) / 32]--;
  s->totals.precharges++;
  s->totals.rows_open--;
}

/* A refresh is put off while reads wait, up to eight times (JEDEC's limit for DDR3); then it goes first. When there is
 * nothing else to do, what is owed is made up for. Memory that refreshes itself needs none. */
enum { OWED_MOST = 8 };
enum refresh_need { REFRESH_NONE, REFRESH_DUE, REFRESH_OVERDUE };

static enum refresh_need refresh_need(const struct traffic *t, const struct channel *c, struct pch *p, unsigned rank)
{
  if (!told(t, MEM_REFRESH_PANIC))
    return REFRESH_DUE;
  if (power_self_refresh(t, c, p->refresh[rank])) {
    p->owed[rank] = 0;
    return REFRESH_NONE;
  }
  if (p->rpq_ne <= p->refresh[rank])
    return REFRESH_DUE;
  if (p->owed[rank] == OWED_MOST)
    return REFRESH_OVERDUE;
  p->owed[rank]++;
  return REFRESH_NONE;
}

static void refresh_report(struct traffic *t, struct socket *s, struct channel *c, unsigned pch, unsigned rank,
                           enum refresh_need need)
{
  struct pch *p = &c->pch[pch];
  const unsigned n = need == REFRESH_DUE ? 1u + p->owed[rank] : 1;
  for (unsigned i = 0; i < n; i++)
    mem_pulse(t, c, need == REFRESH_DUE ? MEM_REFRESH : MEM_REFRESH_PANIC, pch, p->refresh[rank]);
  s->totals.refreshes += n;
  if (need == REFRESH_DUE)
    p->owed[rank] = 0;
}

static void rank_refresh(struct traffic *t, struct socket *s, struct channel *c, unsigned pch, unsigned rank,
                         fs_t until)
{
  struct pch *p = &c->pch[pch];
  for (; p->refresh[rank] <= until; p->refresh[rank] += t->time.refi) {
    for (unsigned i = rank * 32; p->n_open[rank] && i < rank * 32 + 32; i++)
      row_idle(t, s, c, pch, &p->bank[i], p->refresh[rank]);
    const enum refresh_need need = refresh_need(t, c, p, rank);
    if (need == REFRESH_NONE)
      continue;
    if (p->n_open[rank])
      mem_pulse(t, c, MEM_PRE_ALL, pch, p->refresh[rank]);
    if (p->n_open[rank] || p->refresh[rank] + t->time.refi > until)
      rank_close(t, s, p, rank);
    refresh_report(t, s, c, pch, rank, need);
  }
}

void bank_refresh(struct traffic *t, struct socket *s, struct channel *c, unsigned p, fs_t until)
{
  for (unsigned rank = 0; rank < t->config.value[CONFIG_DRAM_RANKS]; rank++)
    rank_refresh(t, s, c, p, rank, until);
}

void bank_idle(struct traffic *t, struct socket *s, struct channel *c, unsigned p, fs_t until)
{
  for (unsigned rank = 0; rank < t->config.value[CONFIG_DRAM_RANKS]; rank++)
    for (unsigned i = rank * 32; c->pch[p].n_open[rank] && i < rank * 32 + 32; i++)
      row_idle(t, s, c, p, &c->pch[p].bank[i], until);
}

/* Opens the access's row; returns when its column command may be given. */
static fs_t row_open(struct traffic *t, struct socket *s, const struct dram_access *a, struct bank *b)
{
  struct pch *p = &a->channel->pch[a->pch];
  unsigned rank = a->bank >> 5;
  fs_t activate = later(a->at, b->ready);
  if (b->open) {
    fs_t precharge = later(a->at, b->precharge_ready);
    mem_pulse(t, a->channel, a->write ? MEM_PRE_WRITE : MEM_PRE_READ, a->pch, precharge);
    s->totals.precharges++;
    activate = later(activate, precharge + t->time.rp);
  } else {
    s->totals.rows_open++;
    p->n_open[rank]++;
  }
  uint8_t *oldest = &p->activate_next[rank];
  activate = later(activate, p->activates[rank][*oldest]);      /* four in a window */
  p->activates[rank][*oldest] = activate + t->time.faw;
  *oldest = (uint8_t)((*oldest + 1) & 3);
  mem_pulse(t, a->channel, a->write ? MEM_ACT_WRITE_PRIO : MEM_ACT_READ_PRIO, a->pch, activate);
  mem_pulse(t, a->channel, a->write ? MEM_ACT_WRITE : MEM_ACT_READ, a->pch, activate);
  s->totals.activates++;
  b->open = true;
  b->row = a->row;
  b->precharge_ready = activate + t->time.ras;
  return activate + t->time.rcd;
}

/* What its column command is called. */
static enum memory_event column_of(const struct traffic *t, const struct dram_access *a)
{
  if (a->write && a->channel->pch[a->pch].idle && told(t, MEM_CAS_WRITE_IDLE))
    return MEM_CAS_WRITE_IDLE;
  if (a->underfill)
    return MEM_CAS_UNDERFILL;
  if (t->closed)
    return a->write ? MEM_CAS_WRITE_PRE : MEM_CAS_READ_PRE;
  return a->write ? MEM_CAS_WRITE : MEM_CAS_READ;
}

fs_t bank_access(struct traffic *t, struct socket *s, const struct dram_access *asked)
{
  struct dram_access now = *asked, *a = &now;
  if (told(t, MEM_DLL_OFF) || a->channel->n_limits)
    a->at = limits_pass(a->channel, a->bank >> 5, power_wake(t, a->channel, a->at));
  struct pch *p = &a->channel->pch[a->pch];
  struct bank *b = &p->bank[a->bank];
  if (p->refresh[a->bank >> 5] <= a->at)
    rank_refresh(t, s, a->channel, a->pch, a->bank >> 5, a->at);
  row_idle(t, s, a->channel, a->pch, b, a->at);
  fs_t column;
  if (b->open && b->row == a->row) {
    s->totals.row_hits++;
    column = later(a->at, b->ready);
  } else {
    column = row_open(t, s, a, b);
  }
  fs_t data = slots_take(&p->bus, column + t->time.cl, t->time.burst);
  column = data - t->time.cl;
  fs_t end = a->write ? data + t->time.burst + t->time.wr : column + t->time.rtp;
  b->precharge_ready = later(b->precharge_ready, end);
  b->ready = column + 2 * (fs_t)t->time.burst;            /* tCCD_L */
  b->used = column;
  if (t->closed) {
    b->open = false;
    b->ready = b->precharge_ready + t->time.rp;
    p->n_open[a->bank >> 5]--;
    s->totals.rows_open--;
    s->totals.auto_precharges++;
  }
  mem_pulse(t, a->channel, column_of(t, a), a->pch, column);
  mem_pulse(t, a->channel, a->write ? MEM_CAS_WRITE_LEN : MEM_CAS_READ_LEN, a->pch, column);
  mem_pulse(t, a->channel, a->write ? MEM_CAS_WRITE_PRIO : MEM_CAS_READ_PRIO, a->pch, column);
  power_pass(t, a->channel, a->at);
  if (column > a->channel->busy_until)
    a->channel->busy_until = column;
  *(a->write ? &s->totals.cas_writes : &s->totals.cas_reads) += 1;
  return data;
}

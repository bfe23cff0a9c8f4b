/* SPDX-License-Identifier: MIT */
/* The commands of a sub-channel: which of them an access needs, when they may be given (8.2 of the reference
 * machine's timing: JEDEC DDR5), and refresh. */
#include "machine/traffic/state.h"

static fs_t later(fs_t a, fs_t b) { return a > b ? a : b; }

/* Closes every row of a rank for refresh. */
static void rank_close(struct traffic *t, struct socket *s, struct pch *p, unsigned rank)
{
  for (unsigned i = rank * 32; i < rank * 32 + 32; i++) {
    fs_t ready = p->refresh[rank] + t->time.rfc;
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
  block_pulse(c->block, IMC_PRE_COUNT, PRE_PGT(pch), 0, end, 1);
  b->open = false;
  b->ready = later(b->ready, end + t->time.rp);
  c->pch[pch].n_open[(unsigned)(b - c->pch[pch].bank) / 32]--;
  s->totals.precharges++;
  s->totals.rows_open--;
}

static void rank_refresh(struct traffic *t, struct socket *s, struct channel *c, unsigned pch, unsigned rank,
                         fs_t until)
{
  struct pch *p = &c->pch[pch];
  for (; p->refresh[rank] <= until; p->refresh[rank] += t->time.refi) {
    for (unsigned i = rank * 32; p->n_open[rank] && i < rank * 32 + 32; i++)
      row_idle(t, s, c, pch, &p->bank[i], p->refresh[rank]);
    if (p->n_open[rank])
      block_pulse(c->block, IMC_DRAM_PRE_ALL, IMC_PCH(pch), 0, p->refresh[rank], 1);
    if (p->n_open[rank] || p->refresh[rank] + t->time.refi > until)
      rank_close(t, s, p, rank);
    block_pulse(c->block, IMC_DRAM_REFRESH, REFRESH_HIGH(pch), 0, p->refresh[rank], 1);
    s->totals.refreshes++;
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
    block_pulse(a->channel->block, IMC_PRE_COUNT, a->write ? PRE_WR(a->pch) : PRE_RD(a->pch), 0, precharge, 1);
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
  block_pulse(a->channel->block, IMC_ACT_PRIO, EMR_UMASK(a->write ? 0x08 : 0x01) | CAS_PCH(a->pch), 0, activate, 1);
  block_pulse(a->channel->block, IMC_ACT_COUNT, a->write ? ACT_WR(a->pch) : ACT_RD(a->pch), 0, activate, 1);
  s->totals.activates++;
  b->open = true;
  b->row = a->row;
  b->precharge_ready = activate + t->time.ras;
  return activate + t->time.rcd;
}

fs_t bank_access(struct traffic *t, struct socket *s, const struct dram_access *a)
{
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
  uint64_t kind = a->write ? CAS_WR_NONPRE : CAS_RD_REG;
  if (t->closed) {
    kind = a->write ? CAS_WR_PRE : CAS_RD_PRE_REG;
    b->open = false;
    b->ready = b->precharge_ready + t->time.rp;
    p->n_open[a->bank >> 5]--;
    s->totals.rows_open--;
    s->totals.auto_precharges++;
  }
  block_pulse(a->channel->block, IMC_CAS_COUNT, kind | CAS_PCH(a->pch), 0, column, 1);
  block_pulse(a->channel->block, IMC_CAS_ISSUED_REQ_LEN, EMR_UMASK(a->write ? 0x04 : 0x01) | CAS_PCH(a->pch), 0, column,
              1);
  block_pulse(a->channel->block, a->write ? IMC_WR_CAS_PRIO : IMC_RD_CAS_PRIO, EMR_UMASK(a->pch ? 0x08 : 0x01), 0,
              column, 1);
  power_pass(t, a->channel, a->at);
  if (column > a->channel->busy_until)
    a->channel->busy_until = column;
  *(a->write ? &s->totals.cas_writes : &s->totals.cas_reads) += 1;
  return data;
}

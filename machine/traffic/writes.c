/* SPDX-License-Identifier: MIT */
/* Write drain: when a sub-channel's write queue has filled up to its upper mark, or has been left alone for a while,
 * the channel turns to writing (a "major mode", guide 2.3, MAJOR_MODES) and gives the commands in the order that
 * keeps rows open. */
#include "machine/traffic/state.h"

/* The next write to give: the oldest to an open row, else the oldest. */
static uint32_t write_choose(const struct pch *p)
{
  for (uint32_t i = 0; i < p->n_writes; i++) {
    const struct bank *b = &p->bank[p->write[i].bank];
    if (b->open && b->row == p->write[i].row)
      return i;
  }
  return 0;
}

/* Gives one write of the queue; when its data are over. */
static fs_t write_give(struct traffic *t, struct socket *s, struct channel *c, unsigned pch, fs_t at)
{
  struct pch *p = &c->pch[pch];
  uint32_t i = write_choose(p);
  struct queued_write w = p->write[i];
  p->n_writes--;
  memmove(&p->write[i], &p->write[i + 1], (p->n_writes - i) * sizeof *p->write);
  struct dram_access a = { c, pch, w.row, w.bank, true, false, at > w.at ? at : w.at };
  fs_t data = bank_access(t, s, &a), column = data - t->time.cl;
  p->wpq.until[w.holder] = column;
  s->totals.wpq_inside--;
  mem_span(c, &t->uncore->memory[MEM_WPQ_OCCUPANCY][pch], w.at, column);
  mem_pulse(t, c, MEM_CAS_WRITE_WMM, pch, column);
  fs_t from = w.at > p->wpq_ne ? w.at : p->wpq_ne;
  if (column > from) {
    mem_span(c, &t->uncore->memory[MEM_WPQ_NE][pch], from, column);
    if (pch == 0 && c->free_block)
      block_free_span(c->free_block, IMC_FREE_WPQ_CYCLES, from, column, 1);
    p->wpq_ne = column;
  }
  return data + t->time.burst;
}

void writes_pass(struct traffic *t, struct channel *c, unsigned pch, fs_t until)
{
  struct pch *p = &c->pch[pch];
  fs_t first = UINT64_MAX;
  for (uint32_t i = 0; i < p->n_writes; i++) {
    struct queued_write *w = &p->write[i];
    if (w->at >= until)
      continue;
    first = w->at < first ? w->at : first;
    mem_span(c, &t->uncore->memory[MEM_WPQ_OCCUPANCY][pch], w->at, until);
    w->at = until;                    /* no drain can begin before: what was due has been done */
  }
  first = first > p->wpq_ne ? first : p->wpq_ne;
  if (first >= until || first == UINT64_MAX)
    return;
  mem_span(c, &t->uncore->memory[MEM_WPQ_NE][pch], first, until);
  if (pch == 0 && c->free_block)
    block_free_span(c->free_block, IMC_FREE_WPQ_CYCLES, first, until, 1);
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

void writes_drain(struct traffic *t, struct socket *s, struct channel *c, unsigned pch, uint32_t leave, fs_t at)
{
  struct pch *p = &c->pch[pch];
  if (p->n_writes <= leave)
    return;
  fs_t begin = at > p->write_until ? at : p->write_until, end = begin;
  bank_refresh(t, s, c, pch, begin);  /* which rows are open then, whoever looked last */
  bank_idle(t, s, c, pch, begin);
  writes_pass(t, c, pch, begin);
  while (p->n_writes > leave) {
    fs_t over = write_give(t, s, c, pch, begin);
    end = over > end ? over : end;
  }
  end += t->time.wtr;
  s->totals.drains++;
  if (!p->idle || !t->uncore->memory[MEM_CAS_WRITE_IDLE][0].told) {     /* else reads would still come first */
    mem_pulse(t, c, MEM_TO_WRITE_MODE, pch, begin);
    mem_pulse(t, c, MEM_TO_READ_MODE, pch, end);
    mode_pass(t, c, pch, MEM_WRITE_MODE, (fs_t[]){ begin, end });
  }
  p->write_from = begin;
  p->write_until = end;
  if (end > p->last)
    p->last = end;
}

void writes_idle(struct traffic *t, struct socket *s, struct channel *c, unsigned pch, fs_t until)
{
  struct pch *p = &c->pch[pch];
  if (!p->n_writes || p->last + t->time.wc_age > until)
    return;
  p->idle = true;
  writes_drain(t, s, c, pch, 0, p->last + t->time.wc_age);
  p->idle = false;
}

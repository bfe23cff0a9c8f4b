/* SPDX-License-Identifier: MIT */
/* A memory controller's channels: read and write queues of the two sub-channels (PCH). Reads are scheduled as they
 * come, each bank by itself, and whichever is ready first takes the bus; writes wait until enough have gathered
 * (dram_writes.c). */
#include "machine/common/memory.h"
#include "machine/common/register_keep.h"

/* How long an underfill read lets others go first, how long a drain may keep a read waiting, and how long the
 * correction of a bit takes: the guides do not say. */
#define PATIENCE_FS 200000000ull      /* 200 ns */
#define READ_PATIENCE_FS 100000000ull /* 100 ns */
enum { ECC_CLOCKS = 4 };

void dram_init(struct traffic *t, struct socket *s)
{
  unsigned ranks = (unsigned)t->config.value[CONFIG_DRAM_RANKS];
  for (unsigned c = 0; c < t->imcs * t->channels; c++) {
    s->channel[c].socket = (uint8_t)s->index;
    s->channel[c].number = (uint8_t)c;
    for (unsigned p = 0; p < t->subs; p++) {
      struct pch *q = &s->channel[c].pch[p];
      q->rpq.n = (uint32_t)t->config.value[CONFIG_DRAM_RPQ];
      q->wpq.n = (uint32_t)t->config.value[CONFIG_DRAM_WPQ];
      for (unsigned r = 0; r < ranks; r++) /* ranks and channels refresh one after the other */
        q->refresh[r] = q->refresh_look[r] = t->time.refi * (1 + r * 16 + c * 2 + p) / (ranks * 16) + 1;
    }
  }
}

/* Reports a read that overtakes an earlier one because its row is open or its bank is free (PREEMPTION in 327043,
 * 2.5.8). */
static void order_report(struct traffic *t, struct channel *c, unsigned pch, fs_t accepted, fs_t column)
{
  struct pch *p = &c->pch[pch];
  if (column >= p->slowest.column) {
    p->slowest.accepted = accepted;
    p->slowest.column = column;
  } else if (accepted >= p->slowest.accepted) {
    mem_pulse(t, c, MEM_READ_PAST_READ, pch, column);
  }
}

/* Issues a queued write to the line of a read first: reads never take data from the queue. Returns the time at which
 * the read may follow; 0: nothing delays it, or a drain that read_begin() sees. */
static fs_t read_behind(struct traffic *t, struct socket *s, struct channel *c, const struct dram_request *r, fs_t at)
{
  const unsigned pch = r->place->pch;
  struct pch *p = &c->pch[pch];
  uint32_t i = 0;
  const uint32_t n = p->n_writes < p->wpq.n ? p->n_writes : p->wpq.n;
  while (i < n && (p->write[i].line != r->line || p->write[i].since > at))
    i++;
  if (i == n)
    return 0;
  mem_pulse(t, c, MEM_WPQ_READ_HIT, pch, at);
  if (mem_reported(t, MEM_MINOR_READ))
    return writes_force(t, s, &(struct dram_access){.channel = c, .pch = pch, .at = at}, i);
  writes_drain(t, s, &(struct dram_access){.channel = c, .pch = pch, .at = at}, 0);
  return 0;
}

/* Sets *at to the earliest time of a read's column command. Returns its urgency. */
static enum urgency read_begin(struct traffic *t, struct socket *s, struct channel *c, const struct dram_request *r,
                               fs_t *at)
{
  const unsigned pch = r->place->pch;
  struct pch *p = &c->pch[pch];
  const fs_t accepted = *at, forced = read_behind(t, s, c, r, accepted);
  if (forced) {
    *at = forced;
    return URGENCY_CRITICAL;
  }
  if (accepted < p->write_from || accepted >= p->write_until)
    return URGENCY_NORMAL;
  *at = p->write_until;
  mem_pulse(t, c, MEM_READ_PUSHED_OUT, pch, accepted);
  return mem_reported(t, MEM_READS_STARVED_MODE) && *at > accepted + READ_PATIENCE_FS ? URGENCY_STARVED
                                                                                      : URGENCY_NORMAL;
}

static enum memory_event importance_event(enum memory_event first, enum importance i, enum urgency u)
{
  return (enum memory_event)(first + (unsigned)(u == URGENCY_CRITICAL ? IMPORTANCE_CRITICAL : i));
}

/* The order and time of a read's issue. */
struct read_issue {
  enum urgency urgency;
  bool after_drain;
  fs_t accepted, column, data, end;
};

static __attribute__((noinline)) void read_report(const struct traffic *t, struct channel *c,
                                                  const struct dram_request *r, const struct read_issue *g)
{
  const struct event_name(*names)[2] = t->uncore->memory;
  const unsigned pch = r->place->pch;
  mem_pulse(t, c, MEM_RPQ_INSERTS, pch, g->accepted);
  mem_pulse(t, c, importance_event(MEM_RPQ_PRIO, r->importance, g->urgency), pch, g->accepted);
  mem_span(c, &names[MEM_RPQ_OCCUPANCY][pch], g->accepted, g->column);
  mem_pulse(t, c, g->after_drain ? MEM_CAS_READ_WMM : MEM_CAS_READ_RMM, pch, g->column);
  mem_pulse(t, c, MEM_RDB_INSERTS, pch, g->data);
  mem_span(c, &names[MEM_RDB_OCCUPANCY][pch], g->data, g->end);
}

fs_t dram_read(struct traffic *t, struct socket *s, const struct dram_request *r, fs_t at)
{
  const struct dram_place *place = r->place;
  struct channel *c = &s->channel[place->channel];
  REGISTER_KEEP(c);
  const struct event_name(*names)[2] = t->uncore->memory;
  unsigned pch = place->pch;
  struct pch *p = &c->pch[pch];
  REGISTER_KEEP(p);
  fs_t arrived = at + t->time.dram_pipe / 2, accepted = arrived;
  uint32_t entry = holders_take(&p->rpq, &accepted);
  if (accepted > arrived)
    mem_state_span(c, &names[MEM_RPQ_FULL][pch], &p->rpq_full, (fs_t[]){arrived, accepted});
  writes_pass_time(t, s, c, accepted, accepted);
  if (p->n_writes)
    writes_starved(t, s, c, pch, accepted);
  fs_t begin = accepted;
  const enum urgency urgency = read_begin(t, s, c, r, &begin);
  fs_t data =
      bank_access(t, s, &(struct dram_access){c, pch, place->row, place->bank, false, false, urgency, accepted, begin});
  fs_t column = data - t->time.cl;
  holders_keep(&p->rpq, entry, column);
  if (column > p->last)
    p->last = column;
  order_report(t, c, pch, accepted, column);
  if (urgency == URGENCY_STARVED)
    modes_starved(t, c, pch, column);
  fs_t end = data + t->time.burst + t->time.dram_pipe / 2;
  if (c->errors.left && data >= c->errors.from) { /* a bit is corrected, which takes a few clocks */
    c->errors.left--;
    mem_pulse(t, c, MEM_ECC, pch, data);
    end += ECC_CLOCKS * (fs_t)t->time.dclk;
  }
  if (!block_ignores_reports(c->block, end))
    read_report(t, c, r, &(struct read_issue){urgency, begin == p->write_until && begin, accepted, column, data, end});
  mem_state_span(c, &names[MEM_RDB_NE][pch], &p->rdb_ne, (fs_t[]){data, end});
  active_add(c->reads_active, accepted > p->rpq_ne ? accepted : p->rpq_ne, column);
  mem_state_span(c, &names[MEM_RPQ_NE][pch], &p->rpq_ne, (fs_t[]){accepted, column});
  s->totals.rpq_inserts++;
  s->totals.rpq_wait_fs += column - accepted;
  return end;
}

fs_t dram_write(struct traffic *t, struct socket *s, const struct dram_request *r, fs_t at)
{
  const struct dram_place *place = r->place;
  const uint64_t line = r->line;
  struct channel *c = &s->channel[place->channel];
  unsigned pch = place->pch;
  struct pch *p = &c->pch[pch];
  const fs_t arrived = at + t->time.dram_pipe / 2;
  /* Drains that are due later wait, even if the write arrives after them: other cores may begin reads in between. */
  writes_pass_time(t, s, c, t->began, arrived);
  for (uint32_t i = 0; i < p->n_writes; i++)
    if (p->write[i].line == line) {
      mem_pulse(t, c, MEM_WPQ_WRITE_HIT, pch, arrived);
      break;
    }
  struct queued_write *w = &p->write[p->n_writes++];
  *w = (struct queued_write){.line = line,
                             .at = arrived,
                             .since = arrived,
                             .row = place->row,
                             .bank = place->bank,
                             .importance = (uint8_t)r->importance};
  if (p->n_writes <= p->wpq.n)
    write_enter(t, c, pch, w);
  const fs_t accepted = w->at;
  s->totals.wpq_inserts++;
  s->totals.wpq_inside++;
  p->last = fs_later(p->last, accepted);
  writes_added(t, s, c, pch);
  return accepted;
}

fs_t dram_underfill(struct traffic *t, struct socket *s, const struct dram_place *place, fs_t at)
{
  struct channel *c = &s->channel[place->channel];
  struct pch *p = &c->pch[place->pch];
  const fs_t arrived = at + t->time.dram_pipe / 2, late = arrived + PATIENCE_FS;
  fs_t begin = p->rpq_ne > arrived ? p->rpq_ne : arrived; /* after the reads that wait */
  writes_pass_time(t, s, c, begin, arrived);
  if (begin >= p->write_from && begin < p->write_until)
    begin = p->write_until;
  const bool starved = begin > late;
  if (starved)
    begin = late;
  const fs_t data = bank_access(t, s,
                                &(struct dram_access){c, place->pch, place->row, place->bank, false, true,
                                                      starved ? URGENCY_STARVED : URGENCY_NORMAL, begin, begin});
  mem_pulse(t, c, p->write_until && begin == p->write_until ? MEM_CAS_READ_WMM : MEM_CAS_READ_RMM, place->pch,
            data - t->time.cl);
  if (starved && data - t->time.cl >= p->write_from && data - t->time.cl < p->write_until)
    mem_pulse(t, c, MEM_READ_PAST_WRITE, place->pch, data - t->time.cl);
  if (starved && mem_reported(t, MEM_PARTIAL_MODE))
    mode_pass(t, c, place->pch, MEM_PARTIAL_MODE, (fs_t[]){late, data});
  s->totals.underfills++;
  return data + t->time.burst;
}

void dram_advance(struct traffic *t, struct socket *s, fs_t until)
{
  for (unsigned c = 0; c < t->imcs * t->channels; c++)
    for (unsigned p = 0; p < t->subs; p++) {
      struct channel *channel = &s->channel[c];
      struct pch *q = &channel->pch[p];
      if (!p) {
        writes_pass_time(t, s, channel, until, until);
      }
      bank_refresh(t, s, channel, p, until);
      bank_idle(t, s, channel, p, until);
      writes_pass(t, channel, p, until);
      modes_settle(t, channel, p, until ? until - 1 : 0); /* what begins at `until` may still follow */
      if (p + 1 == t->subs)
        power_pass(t, channel, until);
      if (p == 0 && q->mode_since < until) {
        mem_span(channel, &t->uncore->memory[MEM_READ_MODE][p], q->mode_since, until);
        q->mode_since = until;
      }
    }
  for (unsigned c = 0; c < t->imcs * t->channels; c += t->channels) {
    active_advance(s->channel[c].reads_active, until);
    active_advance(s->channel[c].writes_active, until);
  }
}

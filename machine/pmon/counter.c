/* SPDX-License-Identifier: MIT */
/* One counter: what programs it, what it takes from a report, and what happens when it overflows (1.4 to 1.6). */
#include <stdlib.h>
#include <string.h>
#include "machine/pmon/state.h"

enum { LIST_ROOM = 64 };

bool reports_push(struct block *b, struct reports *list, const struct report *r)
{
  if (list->n == list->room) {
    size_t room = list->room ? 2 * list->room : LIST_ROOM;
    struct report *at = realloc(list->at, room * sizeof *at);
    if (!at) {
      b->machine->out_of_memory = true;
      return false;
    }
    list->at = at;
    list->room = room;
  }
  list->at[list->n++] = *r;
  return true;
}

/* Tables 2-76, 2-188 ...: the column Ctrs. */
static bool allowed(const struct pmon_unit *u, unsigned i, uint8_t code)
{
  for (const struct unit_limit *l = u->limits; l && l->code; l++)
    if (l->code == code)
      return l->counters >> i & 1;
  return true;
}

/* Event codes that make the counter count: its own, counter 0's, or two of which one has to pass a comparison. */
static void hear(struct block *b, unsigned i)
{
  struct counter *c = &b->counters[i];
  const uint8_t occupancy = b->unit->occupancy_code;
  if (c->follows) {
    memcpy(c->heard, b->counters[0].heard, sizeof c->heard);
    c->n_heard = b->counters[0].n_heard;
  } else if (c->gated) {
    c->heard[0] = (uint8_t)(c->ctl & CTL_EV_SEL & ~(uint64_t)occupancy);
    c->heard[1] = occupancy;
    c->n_heard = 2;
  } else {
    c->heard[0] = (uint8_t)(c->ctl & CTL_EV_SEL);
    c->n_heard = 1;
  }
  for (unsigned k = 0; k < c->n_heard; k++)
    block_listen(b, c->heard[k], b->listen[c->heard[k]] | 1u << i);
}

static bool enabled(const struct block *b, const struct counter *c, unsigned i)
{
  const uint8_t code = (uint8_t)(c->ctl & CTL_EV_SEL);
  if (c->fixed)
    return c->ctl & FIXED_EN;
  if (b->rules->enable ? !(c->ctl & b->rules->enable) : !code)
    return false;
  return allowed(b->unit, i, code) && (!c->follows || b->counters[0].counting);
}

void counter_refresh(struct block *b, unsigned i)
{
  struct counter *c = &b->counters[i];
  bool counting = enabled(b, c, i) && !b->frozen && !b->socket->frozen;

  while (c->n_heard) {
    const uint8_t code = c->heard[--c->n_heard];
    block_listen(b, code, b->listen[code] & ~(1u << i));
  }
  if (counting && !c->fixed)
    hear(b, i);
  if (counting != c->counting)
    shape_restart(b, c);
  c->counting = counting;
  b->socket->changed = true;
  for (unsigned k = 1; !i && b->unit->follow_code && k < b->n_counters; k++)
    if (b->counters[k].follows)
      counter_refresh(b, k);
}

/* Nothing is known of other attrs; 0 stands everywhere, with what it weighs. */
static void forget(const struct pmon_unit *u, struct counter *c)
{
  c->remembers = !c->fixed && !c->follows && !c->gated && !u->filtered;
  c->direct = c->remembers && !c->shaped && !(c->ctl & u->tid_enable);
  for (unsigned k = 0; c->remembers && k < 1 << WEIGHED_BITS; k++)
    c->weighed[k] = (struct weighed){0, u->weight(c->ctl, 0)};
}

void counter_write(struct block *b, unsigned i, uint64_t ctl)
{
  const struct pmon_unit *u = b->unit;
  struct counter *c = &b->counters[i];
  c->ctl = ctl;
  if (!c->fixed) {
    const uint8_t code = (uint8_t)(ctl & CTL_EV_SEL);
    const bool occupancy = code & u->occupancy_code;
    c->thresh = (uint32_t)(ctl >> CTL_THRESH_SHIFT & u->thresh_mask);
    c->follows = i && u->follow_code && code == u->follow_code;
    c->gated = occupancy && ctl & u->event_bits & ~(uint64_t)u->occupancy_code;
    c->invert = ctl & (occupancy && !c->gated ? u->occ_invert : CTL_INVERT);
    c->occ_invert = ctl & u->occ_invert;
    c->edge = ctl & (occupancy ? u->occ_edge : CTL_EDGE);
    /* invert and edge_det follow the threshold in series, and do nothing while it is 0. */
    c->shaped = c->thresh != 0 || c->gated;
  }
  forget(u, c);
  shape_restart(b, c);
  counter_refresh(b, i);
}

static bool tells(const struct block *b, const struct counter *c)
{
  return (c->ctl & (c->fixed ? b->rules->fixed_tells : b->rules->tells)) != 0;
}

static bool global_bit(const struct block *b)
{
  return b->socket->global_status[b->status_position / 64] >> b->status_position % 64 & 1;
}

/* 1.4.0.2: after a freeze, a counter's overflow and its block's global bit must be cleared before the next. */
bool counter_armed(const struct block *b, unsigned i)
{
  const struct counter *c = &b->counters[i];
  return c->counting && tells(b, c) && !b->silent && !(b->status >> i & 1) && !global_bit(b);
}

void counter_overflowed(struct block *b, unsigned i)
{
  const struct counter *c = &b->counters[i];
  b->value[i] &= c->mask;
  if (tells(b, c) && !(b->status >> i & 1))
    b->message |= (uint16_t)(1u << i);
  if (!c->fixed) /* Table 1-4 has bits for the controls' counters only */
    b->status |= UINT64_C(1) << i;
}

uint64_t report_weight(const struct block *b, const struct counter *c, const struct report *r)
{
  const struct pmon_unit *u = b->unit;
  const uint64_t ctl = c->follows ? b->counters[0].ctl : c->ctl;
  if (r->own)
    return c->fixed;
  if (c->fixed || ((ctl & CTL_EV_SEL) != r->code && !(c->gated && (r->code == c->heard[0] || r->code == c->heard[1]))))
    return 0;
  if ((ctl & u->tid_enable) && r->tid != b->tid) /* 2.2.2.2; E5-2600: 2.3.3.3 */
    return 0;
  uint64_t n = (uint64_t)r->n * (u->filtered ? u->filtered(b->filter, ctl, r->attr) : u->weight(ctl, r->attr));
  return c->gated && r->code == c->heard[0] ? n << GATE_SHIFT : n;
}

/* The same, from memory where it can be. */
static uint64_t weigh(const struct block *b, struct counter *c, const struct report *r)
{
  const struct pmon_unit *u = b->unit;
  if (!c->remembers || r->own || (c->ctl & CTL_EV_SEL) != r->code)
    return report_weight(b, c, r);
  if ((c->ctl & u->tid_enable) && r->tid != b->tid)
    return 0;
  return (uint64_t)r->n * counter_weight(u, c, r->attr);
}

void counter_take(struct block *b, unsigned i, const struct report *r)
{
  struct counter *c = &b->counters[i];
  uint64_t n = c->counting ? weigh(b, c, r) : 0;
  if (!n)
    return;
  if (c->shaped)
    shape_take(b, c, r, n);
  else if (r->pulse)
    counter_add(b, i, n);
  else
    counter_add(b, i, n * (clock_cycle(&b->clock, r->to) - clock_cycle(&b->clock, r->from)));
}

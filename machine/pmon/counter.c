/* SPDX-License-Identifier: MIT */
/* One counter: what programs it, what it takes from a report, and what happens when it overflows (1.4 to 1.6). */
#include <stdlib.h>
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

bool changes_push(struct block *b, struct changes *list, uint64_t cycle, int64_t delta)
{
  if (list->n == list->room) {
    size_t room = list->room ? 2 * list->room : LIST_ROOM;
    struct change *at = realloc(list->at, room * sizeof *at);
    if (!at) {
      b->machine->out_of_memory = true;
      return false;
    }
    list->at = at;
    list->room = room;
  }
  list->at[list->n++] = (struct change){ cycle, delta };
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

void counter_refresh(struct block *b, unsigned i)
{
  struct counter *c = &b->counters[i];
  uint8_t code = c->fixed ? 0 : (uint8_t)(c->ctl & CTL_EV_SEL);
  /* 1.6: an event code other than 0 enables; the fixed counters have a bit of their own (Table 2-129). */
  bool on = c->fixed ? (c->ctl & FIXED_EN) != 0 : code && allowed(b->unit, i, code);
  bool counting = on && !b->frozen && !b->socket->frozen;

  if (!c->fixed) {
    if (counting)
      b->head.listen[code] |= (uint16_t)(1u << i);
    else
      b->head.listen[code] &= (uint16_t)~(1u << i);
  }
  if (counting != c->counting)
    shape_restart(b, c);
  c->counting = counting;
  b->socket->changed = true;
}

void counter_write(struct block *b, unsigned i, uint64_t ctl)
{
  struct counter *c = &b->counters[i];
  if (!c->fixed)
    b->head.listen[c->ctl & CTL_EV_SEL] &= (uint16_t)~(1u << i);
  c->ctl = ctl;
  if (!c->fixed) {
    c->thresh = (uint32_t)(ctl >> CTL_THRESH_SHIFT & b->unit->thresh_mask);
    /* Table 1-5: invert and edge_det follow the threshold in series, and do nothing while it is 0. */
    c->shaped = c->thresh != 0;
  }
  shape_restart(b, c);
  counter_refresh(b, i);
}

static bool tells(const struct counter *c)
{
  return (c->ctl & (c->fixed ? (uint64_t)FIXED_OV_EN : (uint64_t)CTL_FRZ_OVF)) != 0;
}

static bool global_bit(const struct block *b)
{
  return b->socket->global_status[b->status_position / 64] >> b->status_position % 64 & 1;
}

/* 1.4.0.2: after a freeze, a counter's overflow and its block's global bit must be cleared before the next. */
bool counter_armed(const struct block *b, unsigned i)
{
  const struct counter *c = &b->counters[i];
  return c->counting && tells(c) && !b->silent && !(b->status >> i & 1) && !global_bit(b);
}

void counter_add(struct block *b, unsigned i, uint64_t n)
{
  struct counter *c = &b->counters[i];
  c->value += n;
  if (c->value <= COUNTER_MASK)
    return;
  c->value &= COUNTER_MASK;
  if (tells(c) && !(b->status >> i & 1))
    b->message |= (uint16_t)(1u << i);
  if (!c->fixed)                          /* Table 1-4 has bits for the controls' counters only */
    b->status |= UINT64_C(1) << i;
}

uint64_t report_weight(const struct block *b, const struct counter *c, const struct report *r)
{
  if (r->code == 0)
    return c->fixed;
  if (c->fixed || (c->ctl & CTL_EV_SEL) != r->code)
    return 0;
  if ((c->ctl & b->unit->tid_enable) && r->tid != b->tid)   /* 2.2.2.2 */
    return 0;
  return (uint64_t)r->n * b->unit->weight(c->ctl, r->attr);
}

void counter_take(struct block *b, unsigned i, const struct report *r)
{
  struct counter *c = &b->counters[i];
  uint64_t n = report_weight(b, c, r);
  if (!n || !c->counting)
    return;
  if (c->shaped)
    shape_take(b, c, r, n);
  else if (r->pulse)
    counter_add(b, i, n);
  else
    counter_add(b, i, n * (clock_cycle(&b->clock, r->to) - clock_cycle(&b->clock, r->from)));
}

/* SPDX-License-Identifier: MIT */
/* One counter: its programming, the amount that a report adds to it, and its overflow (1.4 to 1.6). */
#include <stdlib.h>
#include <string.h>
#include "machine/pmon/state.h"

enum { LIST_ROOM = 64 };

bool reports_append(struct block *b, struct reports *list, const struct report *r)
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

/* The column Ctrs of Tables 2-76, 2-188 and others. */
static bool unit_allows_counter(const struct pmon_unit *u, unsigned i, uint8_t code)
{
  for (const struct unit_limit *l = u->limits; l && l->code; l++)
    if (l->code == code)
      return l->counters >> i & 1;
  return true;
}

/* Records the event codes that the counter counts: its own code, the codes of counter 0, or an event and the
 * occupancy that gates it. */
static void counter_enable_codes(struct block *b, unsigned i)
{
  struct counter *c = &b->counters[i];
  const uint8_t occupancy = b->unit->occupancy_code;
  if (c->follows) {
    memcpy(c->codes, b->counters[0].codes, sizeof c->codes);
    c->n_codes = b->counters[0].n_codes;
    c->most = b->counters[0].most;
    c->most_kind = b->counters[0].most_kind;
  } else if (c->gated) {
    c->codes[0] = (uint8_t)(c->ctl & CTL_EV_SEL & ~(uint64_t)occupancy);
    c->codes[1] = occupancy;
    c->n_codes = 2;
  } else {
    c->codes[0] = (uint8_t)(c->ctl & CTL_EV_SEL);
    c->n_codes = 1;
  }
  for (unsigned k = 0; k < c->n_codes; k++)
    block_enable_code(b, c->codes[k], b->counters_by_code[c->codes[k]] | 1u << i);
}

static bool counter_is_selected(const struct block *b, const struct counter *c)
{
  return b->rules->enable ? (c->ctl & b->rules->enable) != 0 : (c->ctl & CTL_EV_SEL) != 0;
}

/* True if the block counts events of the counter's set. It is the model's choice that the first counter decides: the
 * guide calls both sets together impossible. */
static bool block_counts_set(const struct block *b, const struct counter *c)
{
  const struct counter *first = b->counters;
  while (b->unit->set_bit && first < c && (first->fixed || !counter_is_selected(b, first)))
    first++;
  return !((first->ctl ^ c->ctl) & b->unit->set_bit);
}

static bool counter_is_enabled(const struct block *b, const struct counter *c, unsigned i)
{
  const uint8_t code = (uint8_t)(c->ctl & CTL_EV_SEL);
  if (c->fixed)
    return c->ctl & FIXED_EN;
  if (!counter_is_selected(b, c) || !block_counts_set(b, c))
    return false;
  return unit_allows_counter(b->unit, i, code) && (!c->follows || b->counters[0].counting);
}

void counter_refresh(struct block *b, unsigned i)
{
  struct counter *c = &b->counters[i];
  const bool stopped = c->stuck || ((b->frozen || b->socket->frozen) && !b->unstoppable);
  bool counting = counter_is_enabled(b, c, i) && !stopped;

  while (c->n_codes) {
    const uint8_t code = c->codes[--c->n_codes];
    block_enable_code(b, code, b->counters_by_code[code] & ~(1u << i));
  }
  if (counting && !c->fixed)
    counter_enable_codes(b, i);
  if (counting != c->counting)
    shape_restart(b, c);
  c->counting = counting;
  b->socket->changed = true;
  for (unsigned k = 1; !i && b->unit->follow_code && k < b->n_counters; k++)
    if (b->counters[k].follows)
      counter_refresh(b, k);
}

/* Clears the remembered weights: every entry holds attr 0 and its weight. */
static void counter_reset_weights(const struct pmon_unit *u, struct counter *c)
{
  c->weight_cached = !c->fixed && !c->follows && !c->gated && !c->twice && !u->filtered;
  c->direct = c->weight_cached && !c->shaped && !(c->ctl & u->tid_enable);
  for (unsigned k = 0; c->weight_cached && k < 1 << WEIGHED_BITS; k++)
    c->weights[k] = (struct weighed){0, u->weight(c->ctl, 0)};
}

/* Looks up how much the counter's event can add in a cycle. Events that count cycles need whole cycles, as thresholds
 * do. */
static void counter_find_most(const struct pmon_unit *u, struct counter *c)
{
  const uint16_t code = (uint16_t)((c->ctl & CTL_EV_SEL) | (c->ctl & u->ninth ? 0x100u : 0));
  const struct unit_most *m = u->most;
  c->most = 0;
  while (m && m->most && m->code != code)
    m++;
  if (!m || c->gated || c->follows)
    return;
  c->most = m->most;
  c->most_kind = m->kind;
  c->shaped |= c->most && c->most_kind == MOST_UNITED;
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
    /* invert and edge_det follow the threshold in series, and have no effect while it is 0 */
    c->shaped = c->thresh != 0 || c->gated;
    counter_find_most(u, c);
  }
  counter_reset_weights(u, c);
  shape_restart(b, c);
  for (unsigned k = i; k < (u->set_bit ? b->n_counters : i + 1); k++)
    counter_refresh(b, k);
}

static bool counter_reports_overflow(const struct block *b, const struct counter *c)
{
  return (c->ctl & (c->fixed ? b->rules->fixed_overflow_report : b->rules->overflow_report)) != 0;
}

static bool block_global_bit(const struct block *b)
{
  return b->socket->global_status[b->status_position / 64] >> b->status_position % 64 & 1;
}

/* 1.4.0.2: after a freeze, the counter's overflow bit and the block's global bit must be cleared before the next
 * freeze. */
bool counter_armed(const struct block *b, unsigned i)
{
  const struct counter *c = &b->counters[i];
  return c->counting && !c->deaf && counter_reports_overflow(b, c) && !b->silent && !(b->status >> i & 1) &&
         !block_global_bit(b);
}

void counter_overflowed(struct block *b, unsigned i)
{
  const struct counter *c = &b->counters[i];
  b->value[i] &= c->mask;
  if (c->deaf)
    return;
  if (counter_reports_overflow(b, c) && !(b->status >> i & 1))
    b->message |= (uint16_t)(1u << i);
  if (!c->fixed) /* Table 1-4 defines status bits for the counters with an event only */
    b->status |= UINT64_C(1) << i;
}

static uint64_t report_weight_once(const struct block *b, const struct counter *c, const struct report *r)
{
  const struct pmon_unit *u = b->unit;
  const uint64_t ctl = c->follows ? b->counters[0].ctl : c->ctl;
  if (r->own)
    return c->fixed;
  if (c->fixed || ((ctl & CTL_EV_SEL) != r->code && !(c->gated && (r->code == c->codes[0] || r->code == c->codes[1]))))
    return 0;
  if ((ctl & u->tid_enable) && r->tid != b->tid) /* 2.2.2.2; E5-2600: 2.3.3.3 */
    return 0;
  uint64_t n = (uint64_t)r->n * (u->filtered ? u->filtered(b->filter, ctl, r->attr) : u->weight(ctl, r->attr));
  return c->gated && r->code == c->codes[0] ? n << GATE_SHIFT : n;
}

uint64_t report_weight(const struct block *b, const struct counter *c, const struct report *r)
{
  return report_weight_once(b, c, r) << c->twice;
}

/* As report_weight(), from the remembered weights where possible. */
static uint64_t counter_report_weight(const struct block *b, struct counter *c, const struct report *r)
{
  const struct pmon_unit *u = b->unit;
  if (!c->weight_cached || r->own || (c->ctl & CTL_EV_SEL) != r->code)
    return report_weight(b, c, r);
  if ((c->ctl & u->tid_enable) && r->tid != b->tid)
    return 0;
  return (uint64_t)r->n * counter_weight(u, c, r->attr);
}

void counter_add_report(struct block *b, unsigned i, const struct report *r)
{
  struct counter *c = &b->counters[i];
  uint64_t n = c->counting ? counter_report_weight(b, c, r) : 0;
  if (!n)
    return;
  if (counter_needs_cycles(c, r))
    shape_add_report(b, c, r, n);
  else if (r->pulse)
    counter_add(b, i, n);
  else
    counter_add(b, i, n * (clock_cycle(&b->clock, r->to) - clock_cycle(&b->clock, r->from)));
}

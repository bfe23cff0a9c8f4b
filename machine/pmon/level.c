/* SPDX-License-Identifier: MIT */
/* States that last. At the end of a window each state is integrated as spans of its level. A clock is a level that
 * never changes. */
#include <stdlib.h>
#include <string.h>
#include "machine/pmon/state.h"

enum { NO_THREAD = UINT16_MAX }; /* a state has no thread: thread filters exclude it */

static struct level *level_new(struct block *b)
{
  struct level *l = realloc(b->levels, (b->n_levels + 1) * sizeof *l);
  if (!l) {
    b->machine->out_of_memory = true;
    return NULL;
  }
  b->levels = l;
  return l + b->n_levels++;
}

static struct level *level_get(struct block *b, uint8_t code, uint64_t attr, bool halved)
{
  struct level *l;
  for (uint32_t i = 0; i < b->n_levels; i++)
    if (b->levels[i].code == code && b->levels[i].attr == attr && b->levels[i].halved == halved && !b->levels[i].own)
      return &b->levels[i];
  l = level_new(b);
  if (l)
    *l = (struct level){.attr = attr, .code = code, .halved = halved};
  return l;
}

void level_fixed(struct block *b, const struct unit_signal *s)
{
  struct level *l = level_get(b, (uint8_t)s->code, s->attr, s->halved);
  if (l)
    l->now = 1;
}

static void level_change(struct block *b, struct level *l, fs_t at, uint32_t level)
{
  uint32_t i;
  if (l->n == l->room) {
    uint32_t room = l->room ? 2 * l->room : 8;
    struct level_change *ahead = realloc(l->ahead, room * sizeof *ahead);
    if (!ahead) {
      b->machine->out_of_memory = true;
      return;
    }
    l->ahead = ahead;
    l->room = room;
  }
  for (i = l->n++; i && l->ahead[i - 1].at > at; i--)
    l->ahead[i] = l->ahead[i - 1];
  l->ahead[i] = (struct level_change){at, level};
}

void block_level_set(struct block *b, uint8_t code, uint64_t attr, fs_t at, uint32_t level)
{
  struct level *l = level_get(b, code, attr, false);
  if (l)
    level_change(b, l, at, level);
}

void block_freerunning_level_set(struct block *b, unsigned index, fs_t at, uint32_t level)
{
  struct level *l = NULL;
  if (index >= b->unit->freerunning_counters)
    return;
  for (uint32_t i = 0; i < b->n_levels && !l; i++)
    if (b->levels[i].own && b->levels[i].attr == index)
      l = &b->levels[i];
  if (!l && (l = level_new(b)))
    *l = (struct level){.attr = index, .own = true};
  if (l)
    level_change(b, l, at, level);
}

static void level_report(struct block *b, const struct report *r)
{
  if (b->ordered && !(r->own && r->attr < BLOCK_FREERUNNING))
    reports_append(b, &b->window, r);
  else
    block_deliver(b, r);
}

/* Reports every second cycle. Where only the sum matters, one report has their number; otherwise each cycle is a
 * report. */
static void level_report_halved(struct block *b, struct report *r)
{
  uint64_t first = clock_cycle(&b->clock, r->from), last = clock_cycle(&b->clock, r->to);
  bool each = b->ordered;
  for (unsigned i = 0; i < b->n_counters; i++)
    each |= b->counters[i].shaped && b->counters_by_code[r->code] >> i & 1;
  if (!each) {
    r->pulse = true;
    r->n = (uint32_t)(last / 2 - first / 2);
    if (r->n)
      block_deliver(b, r);
    return;
  }
  for (uint64_t k = first | 1; k < last; k += 2) {
    r->from = clock_time(&b->clock, k);
    r->to = clock_time(&b->clock, k + 1);
    level_report(b, r);
  }
}

static void level_report_span(struct block *b, const struct level *l, fs_t from, fs_t to)
{
  struct report r = {.from = from,
                     .to = to,
                     .attr = l->attr | l->latched,
                     .n = l->now,
                     .tid = NO_THREAD,
                     .code = l->code,
                     .own = l->own};
  if (!l->now || from >= to || !(l->own || b->counters_by_code[l->code]))
    return;
  if (l->halved)
    level_report_halved(b, &r);
  else
    level_report(b, &r);
}

void block_levels(struct block *b, fs_t until)
{
  for (uint32_t k = 0; k < b->n_levels; k++) {
    struct level *l = &b->levels[k];
    fs_t from = b->levels_done;
    uint32_t i;
    for (i = 0; i < l->n && l->ahead[i].at < until; i++) {
      if (l->ahead[i].at > from) {
        level_report_span(b, l, from, l->ahead[i].at);
        from = l->ahead[i].at;
      }
      l->now = l->ahead[i].level;
      l->latched = b->unit->latch && !l->own ? b->unit->latch(b->filter, l->code) : 0;
    }
    l->n -= i;
    if (i && l->n)
      memmove(l->ahead, l->ahead + i, l->n * sizeof *l->ahead);
    level_report_span(b, l, from, until);
  }
  if (b->unit->freerunning_clock) {
    uint64_t *f = &b->freerunning[b->unit->freerunning_clock - 1];
    *f = (*f + clock_cycle(&b->clock, until) - clock_cycle(&b->clock, b->levels_done)) &
         width_mask(b->unit->freerunning_bits);
  }
  if (b->unit->fixed && b->counters[b->n_counters - 1].counting) {
    struct report r = {.from = b->levels_done, .to = until, .attr = BLOCK_FREERUNNING, .n = 1, .own = true};
    level_report(b, &r);
  }
  b->levels_done = until;
}

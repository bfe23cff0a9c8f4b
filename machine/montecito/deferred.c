/* SPDX-License-Identifier: MIT */
/*
 * Events that take effect in a later cycle, in order of time; those of one cycle in the order in which they were added.
 * Most change no more than the occupancy of a queue. As long as no counter selects it, a stall passes over them in one
 * stretch, and they are delivered behind it.
 */
#include <stdlib.h>
#include <string.h>
#include "machine/montecito/parts.h"

enum { EV_FILL_STATE = 0xf2 };

/* Whether delivery does more than change an occupancy. */
static bool deferred_is_observed(const struct montecito_core *c, const struct montecito_deferred *d)
{
  enum {
    OCCUPANCIES = 1 << DEFERRED_REQUEST | 1 << DEFERRED_DATA | 1 << DEFERRED_WRITTEN | 1 << DEFERRED_SNOOP |
                  1 << DEFERRED_CASTOUT | 1 << DEFERRED_TICK | 1 << DEFERRED_FILL_D
  };
  return !(OCCUPANCIES >> d->kind & 1) || c->levels_selected ||
         (d->kind == DEFERRED_FILL_D && c->selected[EV_FILL_STATE]);
}

/* Makes room at the end, and for a few at the beginning. */
static __attribute__((noinline)) bool deferred_reserve(struct montecito_core *c)
{
  enum { LEAST = 64, BEFORE = 16 };
  const unsigned n = c->end_deferred - c->first_deferred, room = n < LEAST / 2 ? LEAST : n * 2 + BEFORE;
  struct montecito_deferred *deferred = malloc(room * sizeof *deferred);
  if (!deferred) {
    c->machine->out_of_memory = true;
    return false;
  }
  if (n)
    memcpy(deferred + BEFORE, montecito_deferred_first(c), n * sizeof *deferred);
  free(c->deferred);
  c->deferred = deferred;
  c->deferred_size = room;
  c->first_deferred = BEFORE;
  c->end_deferred = BEFORE + n;
  return true;
}

/* The first event behind cycle `at`, of which there is one. */
static struct montecito_deferred *deferred_behind(const struct montecito_core *c, uint64_t at)
{
  unsigned low = c->first_deferred, high = c->end_deferred - 1;
  while (low < high) {
    const unsigned middle = low + (high - low) / 2;
    if (c->deferred[middle].at <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return c->deferred + low;
}

/* The place of an event of cycle `at`, which is not the last: those on the shorter side have moved by one. */
static __attribute__((noinline)) struct montecito_deferred *deferred_place(struct montecito_core *c, uint64_t at)
{
  struct montecito_deferred *first = montecito_deferred_first(c), *end = c->deferred + c->end_deferred,
                            *to = deferred_behind(c, at);
  if (c->first_deferred && to - first < end - to) {
    c->first_deferred--;
    memmove(first - 1, first, (size_t)(to - first) * sizeof *to);
    return to - 1;
  }
  c->end_deferred++;
  memmove(to + 1, to, (size_t)(end - to) * sizeof *to);
  return to;
}

void montecito_deferred_add(struct montecito_core *c, const struct montecito_deferred *d)
{
  if (c->end_deferred == c->deferred_size && !deferred_reserve(c))
    return;
  struct montecito_deferred *to = &c->deferred[c->end_deferred];
  if (c->first_deferred != c->end_deferred && to[-1].at > d->at)
    to = deferred_place(c, d->at);
  else
    c->end_deferred++;
  *to = *d;
  if (d->at < c->deferred_at)
    c->deferred_at = d->at;
  to->observed = deferred_is_observed(c, d);
  c->n_observed += to->observed;
  if (to->observed && d->at < c->observed_at)
    c->observed_at = d->at;
}

static void deferred_dispatch(struct montecito_core *c, const struct montecito_deferred *d)
{
  switch (d->kind) {
  case DEFERRED_DEAR: dear_load_returns(c, d); break;
  case DEFERRED_IEAR: iear_returns(c, d); break;
  case DEFERRED_PAIR:
  case DEFERRED_FILL_I: fetch_deferred(c, d); break;
  case DEFERRED_FILL_D: data_deferred(c, d); break;
  case DEFERRED_MISS:
  case DEFERRED_RETURN: urgency_deferred(c, d); break;
  case DEFERRED_REQUEST: c->requests--; break;
  case DEFERRED_DATA: c->reads[d->thread]--; break;
  case DEFERRED_WRITTEN: c->writes--; break;
  case DEFERRED_SNOOP: c->snoops--; break;
  case DEFERRED_CASTOUT: c->castouts--; break;
  case DEFERRED_TICK: break;
  default: bus_deferred(c, d); break;
  }
}

/* The cycle of the first that is observed. */
static uint64_t deferred_observed_at(const struct montecito_core *c)
{
  const struct montecito_deferred *d = montecito_deferred_first(c);
  if (!c->n_observed)
    return UINT64_MAX;
  while (!d->observed)
    d++;
  return d->at;
}

void montecito_deferred_select(struct montecito_core *c)
{
  c->n_observed = 0;
  for (struct montecito_deferred *d = montecito_deferred_first(c); d < montecito_deferred_end(c); d++)
    c->n_observed += d->observed = deferred_is_observed(c, d);
  c->observed_at = deferred_observed_at(c);
}

void montecito_deferred_deliver(struct montecito_core *c, uint64_t last)
{
  while (c->first_deferred < c->end_deferred && montecito_deferred_first(c)->at <= last) {
    const struct montecito_deferred d = c->deferred[c->first_deferred++]; /* delivery can add others */
    c->n_observed -= d.observed;
    deferred_dispatch(c, &d);
  }
  c->deferred_at = c->first_deferred < c->end_deferred ? montecito_deferred_first(c)->at : UINT64_MAX;
  if (c->observed_at <= last)
    c->observed_at = deferred_observed_at(c);
}

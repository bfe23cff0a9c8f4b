/* SPDX-License-Identifier: MIT */
/* Events that take effect in a later cycle. */
#include <stdlib.h>
#include "machine/montecito/state.h"

void montecito_deferred_add(struct montecito_core *c, struct montecito_deferred d)
{
  if (c->n_deferred == c->deferred_size) {
    const unsigned room = c->deferred_size ? c->deferred_size * 2 : 64;
    struct montecito_deferred *deferred = realloc(c->deferred, room * sizeof *deferred);
    if (!deferred) {
      c->machine->out_of_memory = true;
      return;
    }
    c->deferred = deferred;
    c->deferred_size = room;
  }
  c->deferred[c->n_deferred++] = d;
  if (d.at < c->deferred_at)
    c->deferred_at = d.at;
}

static void deferred_dispatch(struct montecito_core *c, const struct montecito_deferred *d)
{
  switch (d->kind) {
  case DEFERRED_DEAR: dear_load_returns(c, d); break;
  case DEFERRED_IEAR: iear_returns(c, d); break;
  case DEFERRED_PAIR:
  case DEFERRED_FILL_I: fetch_deferred(c, d); break;
  case DEFERRED_FILL_D: data_deferred(c, d); break;
  case DEFERRED_RETURN: urgency_deferred(c, d); break;
  default: bus_deferred(c, d); break;
  }
}

void montecito_deferred_deliver(struct montecito_core *c)
{
  unsigned kept = 0;
  c->deferred_at = UINT64_MAX;
  for (unsigned i = 0; i < c->n_deferred; i++) { /* what it delivers can add others at the end */
    if (c->deferred[i].at <= c->cycle) {
      const struct montecito_deferred d = c->deferred[i];
      deferred_dispatch(c, &d);
      continue;
    }
    if (c->deferred[i].at < c->deferred_at)
      c->deferred_at = c->deferred[i].at;
    if (kept != i)
      c->deferred[kept] = c->deferred[i];
    kept++;
  }
  c->n_deferred = kept;
}

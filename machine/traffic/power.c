/* SPDX-License-Identifier: MIT */
/* Precharge power-down of a channel's ranks: entered when there has been nothing to do for as long as an open row is
 * kept, left at once (guide 2.3, POWER_CHANNEL_PPD, POWER_CKE_CYCLES). */
#include "machine/traffic/state.h"

/* CKE is on outside of power-down; ranks that are on together are one report. */
static void cke_on(const struct traffic *t, struct channel *c, fs_t until)
{
  struct event_name name = t->uncore->memory[MEM_CKE_ON][0];
  name.attr *= (1u << t->config.value[CONFIG_DRAM_RANKS]) - 1;
  if (until > c->on_until)
    mem_span(c, &name, c->on_until, until);
  c->on_until = until > c->on_until ? until : c->on_until;
}

void power_pass(struct traffic *t, struct channel *c, fs_t at)
{
  fs_t from = c->busy_until + t->time.idle;
  if (from < c->down_until)
    from = c->down_until;
  if (t->uncore->memory[MEM_CKE_ON][0].told)
    cke_on(t, c, at < from ? at : from);
  if (at <= from)
    return;
  mem_span(c, &t->uncore->memory[MEM_POWER_DOWN][0], from, at);
  for (unsigned rank = 0; rank < t->config.value[CONFIG_DRAM_RANKS]; rank++) {
    struct event_name name = t->uncore->memory[MEM_CKE_DOWN][0];
    name.attr <<= rank;
    mem_span(c, &name, from, at);
  }
  c->down_until = at;
  c->on_until = at;
}

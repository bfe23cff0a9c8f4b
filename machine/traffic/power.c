/* SPDX-License-Identifier: MIT */
/* Precharge power-down of a channel's ranks: entered when there has been nothing to do for as long as an open row is
 * kept, left at once (guide 2.3, POWER_CHANNEL_PPD, POWER_CKE_CYCLES). */
#include "machine/traffic/state.h"

void power_pass(struct traffic *t, struct channel *c, fs_t at)
{
  fs_t from = c->busy_until + t->time.idle;
  if (from < c->down_until)
    from = c->down_until;
  if (at <= from)
    return;
  block_span(c->block, IMC_POWER_CHANNEL_PPD, 0, 0, from, at, 1);
  for (unsigned rank = 0; rank < t->config.value[CONFIG_DRAM_RANKS]; rank++)
    block_span(c->block, IMC_POWER_CKE_CYCLES, EMR_UMASK(1u << rank), 0, from, at, 1);
  c->down_until = at;
}

/* SPDX-License-Identifier: MIT */
/* Power control (guide 2.10): which cores run and which sleep, and the package with them. */
#include "machine/traffic/state.h"

#define WAKE_FS 2000000000ull                /* 2 us from C6 to C0 */

static void counts_set(struct traffic *t, struct socket *s, fs_t at)
{
  level_set(t, s->pcu, PCU_POWER_STATE_OCCUPANCY_CORES_C0, 0, at, s->active);
  level_set(t, s->pcu, PCU_POWER_STATE_OCCUPANCY_CORES_C6, 0, at, t->cores - s->active);
  level_set(t, s->pcu, PCU_PKG_RESIDENCY_C0_CYCLES, 0, at, s->active > 0);
  level_set(t, s->pcu, PCU_PKG_RESIDENCY_C6_CYCLES, 0, at, s->active == 0);
}

void pcu_init(struct traffic *t, struct socket *s)
{
  counts_set(t, s, 0);
  level_set(t, s->pcu, PCU_FIVR_PS_PS0_CYCLES, 0, 0, 1);
  for (unsigned i = 0; i < t->links && t->sockets > 1; i++) {
    level_set(t, s->link[i].block, UPI_TXL0_POWER_CYCLES, 0, 0, 1);
    level_set(t, s->link[i].block, UPI_RXL0_POWER_CYCLES, 0, 0, 1);
  }
}

void pcu_core(struct traffic *t, struct core *c, bool active, fs_t at)
{
  struct socket *s = t->socket[c->socket];
  if (c->active == active)
    return;
  c->active = active;
  s->active = active ? s->active + 1 : s->active - 1;
  counts_set(t, s, at);
  if (active && at)                          /* somebody woke it */
    ubox_message(t, s, 0x04, at);
  block_span(s->pcu, PCU_TOTAL_TRANSITION_CYCLES, 0, 0, at, at + WAKE_FS, 1);
  block_span(s->pcu, PCU_CORE_TRANSITION_CYCLES, 0, 0, at, at + WAKE_FS, 1);
}

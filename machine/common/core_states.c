/* SPDX-License-Identifier: MIT */
#include "machine/common/core_states.h"

static void residency_set(struct traffic *t, struct block *b, unsigned index, fs_t at, bool on)
{
  if (b && b != (struct block *)(void *)&t->absent)
    block_freerunning_level_set(b, index, at, on);
}

static void package_state_set(struct traffic *t, struct socket *s, fs_t at)
{
  const bool c6 = s->in_state[CORE_C6] == t->cores, asleep = !s->in_state[CORE_C0];
  residency_set(t, s->cstate, PACKAGE_FREERUNNING_C3, at, asleep && !c6);
  residency_set(t, s->cstate, PACKAGE_FREERUNNING_C6, at, c6);
}

void core_states_init(struct traffic *t, struct socket *s, struct machine *m)
{
  s->cstate = traffic_block_find(t, m, s, "cstate", 0);
  s->in_state[CORE_C6] = t->cores;
  for (unsigned i = 0; i < t->cores; i++) {
    s->core_block[i] = traffic_block_find(t, m, s, "core", i);
    s->core_state[i] = CORE_C6;
    residency_set(t, s->core_block[i], CORE_FREERUNNING_C6, 0, true);
  }
  package_state_set(t, s, 0);
}

void core_state_set(struct traffic *t, struct socket *s, unsigned core, enum core_state state, fs_t at)
{
  const uint8_t before = s->core_state[core];
  if (before == state)
    return;
  s->in_state[before]--;
  s->in_state[state]++;
  s->core_state[core] = (uint8_t)state;
  residency_set(t, s->core_block[core], CORE_FREERUNNING_C3, at, state == CORE_C3);
  residency_set(t, s->core_block[core], CORE_FREERUNNING_C6, at, state == CORE_C6);
  package_state_set(t, s, at);
}

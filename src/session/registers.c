/* SPDX-License-Identifier: MIT */
/* The registers that a session uses, found by their addresses. */
#include <stdlib.h>
#include "src/access/register.h"
#include "src/base/array.h"
#include "src/platform/platform.h"
#include "src/session/session.h"

static uint32_t address_hash(const struct pmon_address *a)
{
  uint64_t h = a->offset * UINT64_C(0x9e3779b97f4a7c15);
  h ^= ((uint64_t)a->package << 40 | (uint64_t)a->space << 32 | a->device) * UINT64_C(0xc2b2ae3d27d4eb4f);
  return (uint32_t)(h >> 32);
}

bool session_same_place(const struct pmon_address *a, const struct pmon_address *b)
{
  return a->package == b->package && a->space == b->space && a->device == b->device && a->offset == b->offset;
}

static int grow_index(struct pmon_session *s)
{
  uint32_t size = s->reg_index_size ? 2 * s->reg_index_size : 1024;
  uint32_t *index = calloc(size, sizeof *index);
  if (!index)
    return PMON_E_MEMORY;
  for (uint32_t i = 0; i < s->n_regs; i++) {
    uint32_t h = address_hash(&s->regs[i].address) & (size - 1);
    while (index[h])
      h = (h + 1) & (size - 1);
    index[h] = i + 1;
  }
  free(s->reg_index);
  s->reg_index = index;
  s->reg_index_size = size;
  return 0;
}

struct session_register *session_lookup_register(const struct pmon_session *s, const struct pmon_address *a)
{
  if (!s->reg_index_size)
    return NULL;
  uint32_t h = address_hash(a) & (s->reg_index_size - 1);
  while (s->reg_index[h] && !session_same_place(&s->regs[s->reg_index[h] - 1].address, a))
    h = (h + 1) & (s->reg_index_size - 1);
  return s->reg_index[h] ? &s->regs[s->reg_index[h] - 1] : NULL;
}

/* Instances have the same bits: those of a known one are taken. The previous instance is among the last registers. */
static void find_bits(const struct pmon_session *s, struct session_register *r)
{
  const struct pmon_platform *p = s->plan->platform;
  for (uint32_t i = s->n_regs; i-- > 0;) {
    const struct session_register *known = &s->regs[i];
    if (known->id.unit != r->id.unit || known->id.reg != r->id.reg || known->phase != r->phase)
      continue;
    r->writable = known->writable;
    r->stable = known->stable;
    r->selects = known->selects;
    return;
  }
  r->writable = access_writable(p, &r->id);
  r->stable = access_stable(p, &r->id);
  r->selects = session_find_selects(p, &r->id, r->phase);
}

/* Finds the session's register at an address, and adds it if it is new. */
int session_find_register(struct pmon_session *s, const struct pmon_address *a, const struct pmon_register_id *id,
                          enum session_phase phase, uint32_t *ret_reg)
{
  if (2 * s->n_regs >= s->reg_index_size && grow_index(s))
    return PMON_E_MEMORY;
  uint32_t h = address_hash(a) & (s->reg_index_size - 1);
  while (s->reg_index[h] && !session_same_place(&s->regs[s->reg_index[h] - 1].address, a))
    h = (h + 1) & (s->reg_index_size - 1);
  if (!s->reg_index[h]) {
    if (array_grow(&s->regs, s->n_regs, &s->cap_regs, sizeof *s->regs))
      return PMON_E_MEMORY;
    s->regs[s->n_regs] = (struct session_register){.address = *a, .id = *id, .phase = (uint8_t)phase};
    find_bits(s, &s->regs[s->n_regs]);
    s->reg_index[h] = ++s->n_regs;
  }
  *ret_reg = s->reg_index[h] - 1;
  return 0;
}

enum session_phase session_phase_of_role(uint32_t role)
{
  static const enum session_phase phases[PMON_ROLE_N] = {[PMON_ROLE_UNIT_CTL] = PHASE_UNIT_CTL,
                                                         [PMON_ROLE_UNIT_STATUS] = PHASE_STATUS,
                                                         [PMON_ROLE_GLOBAL_CTL] = PHASE_GLOBAL_CTL,
                                                         [PMON_ROLE_GLOBAL_STATUS] = PHASE_STATUS,
                                                         [PMON_ROLE_FILTER] = PHASE_FILTER,
                                                         [PMON_ROLE_INFO] = PHASE_SAMPLE,
                                                         [PMON_ROLE_CTR] = PHASE_CTR,
                                                         [PMON_ROLE_FIXED_CTR] = PHASE_CTR,
                                                         [PMON_ROLE_FREERUNNING] = PHASE_CTR};
  return role < PMON_ROLE_N ? phases[role] : PHASE_CTL;
}

bool session_freezes(const struct pmon_session *s, const struct session_register *r)
{
  const uint8_t phase = s->freeze == PMON_FREEZE_GLOBAL ? PHASE_GLOBAL_CTL : PHASE_UNIT_CTL;
  return !r->missing && r->freeze && r->phase == phase && s->freeze != PMON_FREEZE_NONE;
}

bool session_is_role(const struct pmon_session *s, const struct pmon_register_id *id, uint32_t role)
{
  struct pmon_register_info info = {.size = sizeof info};
  return platform_get_register(s->plan->platform, id->unit, id->reg, &info) && info.role == role;
}

int session_add_global_status(struct pmon_session *s)
{
  const struct pmon_platform *p = s->plan->platform;
  struct pmon_register_info info = {.size = sizeof info};
  for (uint32_t u = 0; u < p->row->units.n; u++)
    for (uint32_t r = 0; platform_get_register(p, u, r, &info); r++) {
      struct pmon_register_id id = {.unit = u, .reg = r};
      struct pmon_address a;
      uint32_t reg;
      if (info.role != PMON_ROLE_GLOBAL_STATUS || pmon_register_address(p, &id, &a))
        continue;
      for (uint32_t package = 0; package < 64; package++) {
        a.package = package;
        if (s->packages >> package & 1 && session_find_register(s, &a, &id, PHASE_STATUS, &reg))
          return PMON_E_MEMORY;
      }
    }
  return 0;
}

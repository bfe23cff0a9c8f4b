/* SPDX-License-Identifier: MIT */
/*
 * Write-backs after which the core keeps the line (guide Table 3-1): WbMtoE and WbEFtoE send the contents to the LLC;
 * CLWB writes a modified copy of any cache of the socket to memory. And write-backs of lines that a device modified
 * (WbMtoI).
 */
#include "machine/emr/coherence.h"
#include "machine/emr/llc.h"
#include "machine/emr/mesh.h"

/* Writes the line to memory if the LLC or another core has it modified; all copies stay. */
static void write_back_clean(struct traffic *t, struct socket *s, const struct request *r, const struct cha_entry *e)
{
  const struct filter_place p = filter_find(s, r->cha, r->line);
  const uint64_t others = p.found ? filter_who(&p) & ~(1ull << r->core) : 0;
  if (others) {
    cores_snoop_report(e->cha, others, CORE_SNP_CORE, r->tid, e->accepted);
    if (cores_snoop(t, s, r->line, others, false))
      llc_insert(t, s, r, LINE_M, e->accepted);
    filter_put(&p, (filter_entry(&p) & ~(uint64_t)ENTRY_STATE) | LINE_F);
  }
  const struct tags set = llc_set(s, r->line, r->cha);
  const uint32_t way = cache_find(set, r->line);
  if (way == set.cache->ways || cache_state(set, way) != LINE_M)
    return;
  cache_put(set, way, (cache_get(set, way) & ~(uint64_t)ENTRY_STATE) | LINE_E);
  home_write(t, r, r->cha, false, e->accepted + t->time.cha_pipe);
}

static uint64_t state_of(const struct socket *s, const struct request *r)
{
  static const uint64_t states[] = {LLC_STATE_I, LLC_STATE_S, LLC_STATE_F, LLC_STATE_E, LLC_STATE_M};
  const struct tags set = llc_set(s, r->line, r->cha);
  const uint32_t way = cache_find(set, r->line);
  if (way < set.cache->ways)
    return states[cache_state(set, way)];
  const struct filter_place p = filter_find(s, r->cha, r->line);
  return !p.found ? LLC_STATE_I : filter_state(&p) == LINE_E ? LLC_STATE_SF_E : LLC_STATE_SF_S;
}

fs_t cha_keep(struct traffic *t, const struct request *r)
{
  struct socket *s = t->socket[r->socket];
  const bool modified = r->op == OP_WBMTOE || r->op == OP_IO_WBMTOI;
  const unsigned kind = modified ? MESH_BL : MESH_AD;
  const unsigned of_core = r->core < MAX_CORES ? MESH_OF_CORE : 0;
  const fs_t arrived = mesh_send(t, s, r->tile, s->cha[r->cha].tile, of_core | kind, r->at);
  struct cha_entry e = cha_accept(t, s, r, arrived);
  const fs_t looked = e.accepted + t->time.cha_pipe;
  const uint64_t state = state_of(s, r);
  cha_lookup_report(s, &e, r, state);
  if (r->op == OP_CLWB)
    write_back_clean(t, s, r, &e);
  else
    llc_insert(t, s, r, modified ? LINE_M : LINE_E, looked);
  const fs_t notified = mesh_send(t, s, e.cha->tile, r->tile, MESH_AK | MESH_AWAITED, looked);
  cha_release(t, &e, r, looked, state == LLC_STATE_I);
  return notified;
}

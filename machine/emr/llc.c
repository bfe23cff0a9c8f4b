/* SPDX-License-Identifier: MIT */
/* The tags of the slices: the LLC, which receives the lines that cores evict, and the snoop filter, which tracks the
 * lines that cores have. */
#include "machine/emr/coherence.h"
#include "machine/common/core.h"
#include "machine/emr/llc.h"
#include "machine/emr/reject.h"

void llc_victim(struct traffic *t, struct socket *s, const struct request *cause, uint64_t entry, fs_t at)
{
  static const uint64_t states[] = {0, VICTIM_S, VICTIM_F, VICTIM_E, VICTIM_M};
  enum line_state state = entry & ENTRY_STATE;
  struct request r = {.socket = s->index, .core = MAX_CORES, .tid = cause->tid, .op = OP_VICTIM};
  r.page = address_frame(&t->map, entry >> 8);
  r.line = address_complete(&t->map, r.page, entry >> 8);
  request_place(t, &r);
  unsigned index = r.cha;
  struct cha *cha = &s->cha[index];
  uint64_t by = cause->core < MAX_CORES ? VICTIM_IA : VICTIM_IO;
  block_pulse(cha->block, CHA_LLC_VICTIMS, states[state] | by | (request_remote(&r) ? VICTIM_REMOTE : VICTIM_LOCAL),
              cause->tid, at, 1);
  if (entry & ENTRY_PREFETCHED)
    block_pulse(cha->block, CHA_MISC, EMR_UMASK(0x10), cause->tid, at, 1); /* CV0_PREF_VIC */
  s->totals.llc_victims++;
  if (state != LINE_M)
    return;
  s->totals.llc_victims_m++;
  struct cha_entry e = cha_accept(t, s, &r, at);
  if (emr_socket(s)->rejects_observed) /* the TOR has no room for the victim */
    reject(s, cause, REJECT_LLC_VICTIM, at, e.accepted);
  home_write(t, &r, index, false, e.accepted);
  cha_release(t, &e, &r, e.accepted + t->time.cha_pipe, true);
}

void llc_insert(struct traffic *t, struct socket *s, const struct request *r, enum line_state state, fs_t at)
{
  struct tags set = llc_set(s, r->line, r->cha);
  uint32_t way = cache_find(set, r->line);
  if (way == set.cache->ways) {
    llc_put(t, s, r, set, state, at);
    return;
  }
  enum line_state old = cache_state(set, way);
  cache_first(set, way, r->line << 8 | (old > state ? old : state));
}

void llc_note_prefetch(const struct socket *s, const struct request *r)
{
  const struct tags set = llc_set(s, r->line, r->cha);
  const uint32_t way = cache_find(set, r->line);
  if (way < set.cache->ways)
    cache_put(set, way, cache_get(set, way) | ENTRY_PREFETCHED);
}

void tags_prefetch(const struct traffic *t, unsigned socket, uint64_t line)
{
  const struct socket *s = t->socket[socket];
  unsigned cha = address_cha(&t->map, line);
  cache_ask(llc_set(s, line, cha));
  filter_prefetch(&emr_socket(s)->filter, filter_set(s, cha, line));
}

void filter_victim(struct traffic *t, struct socket *s, const struct request *cause, const struct filter_place *p,
                   fs_t at)
{
  enum line_state state = filter_state(p);
  struct request r = {.line = filter_line(p), .socket = s->index, .core = 0, .tid = cause->tid, .op = OP_VICTIM};
  r.page = address_frame(&t->map, r.line);
  request_place(t, &r);
  struct cha *cha = &s->cha[r.cha];
  if (emr_socket(s)->rejects_observed) /* the entry is free when the cores have answered */
    reject(s, cause, REJECT_FILTER_VICTIM, at, at + 2 * (t->time.enter + 4 * t->time.hop) + t->time.l2);
  cores_snoop_report(cha, filter_who(p), CORE_SNP_EVICTION, cause->tid, at);
  bool modified = cores_snoop(t, s, r.line, filter_who(p), true);
  block_pulse(cha->block, CHA_SF_EVICTION,
              state != LINE_E ? SF_EVICT_S
              : modified      ? SF_EVICT_M
                              : SF_EVICT_E,
              cause->tid, at, 1);
  s->totals.sf_evictions++;
  if (modified || state == LINE_E)
    llc_insert(t, s, &r, modified ? LINE_M : LINE_E, at);
}

bool cores_snoop(struct traffic *t, struct socket *s, uint64_t line, uint64_t cores, bool invalidate)
{
  bool modified = false;
  for (; cores; cores &= cores - 1)
    modified |= core_drop(t, &t->core[s->index * t->cores + (unsigned)__builtin_ctzll(cores)], line, invalidate);
  return modified;
}

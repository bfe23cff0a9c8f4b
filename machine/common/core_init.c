/* SPDX-License-Identifier: MIT */
/* The initial state of a core, and its pace. */
#include "machine/common/core.h"

static uint64_t l1_lines(uint64_t size)
{
  return size / 64;
}

static void dtlbs_init(struct core *c, const uint64_t *value)
{
  struct tlb_entry *entry = c->dtlb_entry;
  for (unsigned size = 0; size < PAGE_SIZES; entry += value[CONFIG_DTLB_4K + size++]) {
    const uint64_t ways = config_dtlb_ways(value, size);
    c->dtlb[size] = (struct tlb){entry, value[CONFIG_DTLB_4K + size] / ways - 1, (uint32_t)ways};
  }
}

uint64_t core_first_sets(const uint64_t *value)
{
  return l1_lines(value[CONFIG_L1I_SIZE]) / value[CONFIG_L1I_WAYS] +
         l1_lines(value[CONFIG_L1D_SIZE]) / value[CONFIG_L1D_WAYS];
}

void core_pace_set(const struct traffic *t, struct core *c, fs_t cycle)
{
  const uint64_t *v = t->config.value;
  const uint64_t alone = cycle * v[CONFIG_CORE_CPI] / 1000, half = 2 * cycle / v[CONFIG_CORE_WIDTH];
  c->front.fs_per_instruction = c->shares && half > alone ? half : alone;
  c->front.fs_per_cycle = cycle;
  const uint64_t least = cycle / v[CONFIG_CORE_WIDTH];
  c->window_fs = (t->window < t->loads ? t->window : t->loads) *
                 (least < c->front.fs_per_instruction ? least : c->front.fs_per_instruction);
}

void core_init(struct traffic *t, struct core *c, unsigned number)
{
  const uint64_t *v = t->config.value;
  uint64_t sets_i = l1_lines(v[CONFIG_L1I_SIZE]) / v[CONFIG_L1I_WAYS],
           sets_d = l1_lines(v[CONFIG_L1D_SIZE]) / v[CONFIG_L1D_WAYS];
  const uint64_t first = number * core_first_sets(v);
  c->socket = number / t->cores;
  c->index = number % t->cores;
  c->tile = t->socket[c->socket]->cha[c->index % t->socket[c->socket]->tiles].tile;
  c->tid = (uint16_t)(c->index << t->uncore->tid_shift);
  c->mshr.n = (uint32_t)v[CONFIG_L2_MSHRS];
  c->front.l1d = first_part(&t->l1, first, sets_d, (uint32_t)v[CONFIG_L1D_WAYS]);
  c->front.l1i = first_part(&t->l1, first + sets_d, sets_i, (uint32_t)v[CONFIG_L1I_WAYS]);
  dtlbs_init(c, v);
  c->front.fetch_line = c->front.filling[0].line = c->ahead[0].line = UINT64_MAX; /* not line 0 */
  for (unsigned i = 0; i < FILL_KINDS; i++) {
    c->fill.next[i] = c->fill.until[i];
    c->fill.last[i] = &c->fill.until[i][t->mlp - 1];
  }
  core_pace_set(t, c, t->time.core);
  /* An L2 hit takes no longer than this: it waits for at most one line of each other fill buffer. */
  const fs_t second = t->time.l2 + t->time.dtlb + t->mlp * (fs_t)t->time.l2_line;
  c->front.follow = (const fs_t[]){FOLLOW_NONE, second, 0}[v[CONFIG_CORE_DEPENDENCES]];
  c->mhz = (uint32_t)v[CONFIG_CORE_GHZ];
  t->fronts[number] = &c->front;
  c->l2 = t->l2;
  c->l2.sets = t->l2.sets ? cache_place(&t->l2, number, 0) : NULL;
  c->settled = t->l2.sets ? t->settled + cache_number(&t->l2, number, 0) : &c->unsettled;
  c->settled_mask = t->l2.sets ? t->l2.set_mask : 0;
}

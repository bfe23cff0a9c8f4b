/* SPDX-License-Identifier: MIT */
#include "machine/common/pace.h"

#include "machine/common/queues.h"

static const uint8_t latencies[PACE_CHAIN_N] = {CONFIG_LATENCY_ALU,  CONFIG_LATENCY_LOAD,  CONFIG_LATENCY_MUL,
                                                CONFIG_LATENCY_DIV,  CONFIG_LATENCY_FADD,  CONFIG_LATENCY_FMUL,
                                                CONFIG_LATENCY_FDIV, CONFIG_LATENCY_VECTOR};

static uint32_t larger(uint32_t a, uint32_t b)
{
  return a > b ? a : b;
}

void pace_of(const struct traffic *t, const uint8_t parts[PACE_PARTS], uint32_t instructions, struct pace *ret)
{
  const uint64_t *v = t->config.value;
  uint32_t chain = 0;
  for (unsigned i = 0; i < PACE_CHAIN_N; i++)
    chain += parts[i] * (uint32_t)v[latencies[i]];
  /* A divider begins the next division when it is half through. */
  const uint32_t divides =
      (parts[PACE_DIVS] * (uint32_t)v[CONFIG_LATENCY_DIV] + parts[PACE_FDIVS] * (uint32_t)v[CONFIG_LATENCY_FDIV]) / 2;
  const uint32_t dispatch = (instructions << PACE_SHIFT) / (uint32_t)v[CONFIG_CORE_WIDTH];
  const uint32_t holds = (parts[PACE_LOCKED] * (uint32_t)v[CONFIG_LATENCY_LOCKED]) +
                         parts[PACE_FENCES] * (uint32_t)v[CONFIG_LATENCY_FENCE] +
                         parts[PACE_SERIAL] * (uint32_t)v[CONFIG_LATENCY_SERIAL];
  const bool waits = parts[PACE_LOCKED] || parts[PACE_FENCES] || parts[PACE_SERIAL];
  *ret = (struct pace){.cycles = larger(dispatch, larger(chain, divides) << PACE_SHIFT),
                       .holds = (uint16_t)(holds < UINT16_MAX ? holds : UINT16_MAX),
                       .flags = (uint8_t)((parts[PACE_BRANCH] ? PACE_IS_BRANCH : 0) | (waits ? PACE_HOLDS : 0))};
}

uint32_t pace_shared(const struct traffic *t, uint32_t cycles, uint32_t instructions)
{
  return larger(cycles, (2 * instructions << PACE_SHIFT) / (uint32_t)t->config.value[CONFIG_CORE_WIDTH]);
}

void pace_mispredict(struct traffic *t, unsigned core, fs_t resolved)
{
  struct core *c = &t->core[core];
  c->totals.branch_misses++;
  queues_wait(t, c, &c->totals.branch_stall_fs,
              fs_later(resolved, c->front.time) + t->mispredict * c->front.fs_per_cycle);
}

void pace_hold(struct traffic *t, unsigned core, uint32_t cycles)
{
  struct core *c = &t->core[core];
  core_wait(c, &c->totals.fence_stall_fs, queues_done(t, c) + cycles * c->front.fs_per_cycle);
}

/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include "machine/common/state.h"

/* Bits in the control of a general-purpose counter, and in the four bits of a fixed counter: the privilege levels that
 * it counts, at least one of which must be set (the machine's cores have only one level); and the enable bit. */
#define SELECT_EVENT 0xffffu
#define SELECT_RINGS (3u << 16)
#define SELECT_ENABLE (1u << 22)
#define FIXED_RINGS 3u
#define FIXED_BIT 32 /* of the first fixed counter, in the global control */
#define COUNT_MASK ((UINT64_C(1) << COUNTERS_BITS) - 1)

enum { GENERAL = 0xc1, STATUS = 0x38e, STATUS_CLEAR = 0x390 };

/* Unit mask and event code. */
static const uint16_t events[COUNTED] = {0x00c0, 0x003c, 0x013c};

/* Ranges of registers, and their place in struct counters. */
static const struct area {
  uint32_t first, n;
  size_t at;
} areas[] = {
    {GENERAL, COUNTERS_GENERAL, offsetof(struct counters, general)},
    {0x186, COUNTERS_GENERAL, offsetof(struct counters, select)},
    {0x309, COUNTERS_FIXED, offsetof(struct counters, fixed)},
    {0x38d, 1, offsetof(struct counters, fixed_control)},
    {0x38f, 1, offsetof(struct counters, enabled)},
};

static const struct area *core_counters_find(uint32_t msr)
{
  for (size_t i = 0; i < sizeof areas / sizeof *areas; i++)
    if (msr - areas[i].first < areas[i].n)
      return &areas[i];
  return NULL;
}

static uint64_t *core_counters_place(struct counters *c, uint32_t msr)
{
  const struct area *a = core_counters_find(msr);
  return a ? (uint64_t *)(void *)((char *)c + a->at) + (msr - a->first) : NULL;
}

static void core_counters_count(uint64_t *counter, bool on, uint64_t more)
{
  if (on)
    *counter = (*counter + more) & COUNT_MASK;
}

/* Adds what the core counted since the last update to the enabled counters. */
static void core_counters_update(struct counters *c, const struct traffic *t, unsigned core)
{
  struct core_totals totals;
  traffic_core_totals(t, core, &totals);
  const uint64_t now[COUNTED] = {totals.instructions, totals.cycles, totals.reference_cycles};
  for (unsigned k = 0; k < COUNTED; k++) {
    const uint64_t more = now[k] - c->seen[k];
    core_counters_count(&c->fixed[k], c->enabled >> (FIXED_BIT + k) & 1 && c->fixed_control >> 4 * k & FIXED_RINGS,
                        more);
    for (unsigned i = 0; i < COUNTERS_GENERAL; i++)
      core_counters_count(&c->general[i],
                          c->enabled >> i & 1 && c->select[i] & SELECT_ENABLE && c->select[i] & SELECT_RINGS &&
                              (c->select[i] & SELECT_EVENT) == events[k],
                          more);
    c->seen[k] = now[k];
  }
}

bool counters_have(uint32_t msr)
{
  return core_counters_find(msr) || msr == STATUS || msr == STATUS_CLEAR;
}

uint64_t counters_read(struct traffic *t, unsigned core, uint32_t msr)
{
  struct counters *c = &t->core[core].counters;
  const uint64_t *at = core_counters_place(c, msr);
  core_counters_update(c, t, core);
  return at ? *at : 0;
}

void counters_write(struct traffic *t, unsigned core, uint32_t msr, uint64_t value)
{
  struct counters *c = &t->core[core].counters;
  uint64_t *at = core_counters_place(c, msr);
  core_counters_update(c, t, core);
  if (msr - GENERAL < COUNTERS_GENERAL) /* these take 32 bits and extend the sign */
    value = (uint64_t)(int64_t)(int32_t)value & COUNT_MASK;
  if (at)
    *at = value;
}

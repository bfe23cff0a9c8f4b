/* SPDX-License-Identifier: MIT */
#include "machine/common/uncore_ratio.h"

#include "machine/common/state.h"

/* MOD: the limits are 0.8 and 2.5 GHz, or the configured frequency where it is beyond them. */
enum { RATIO_LIMIT = 0x620, RATIO_MOST = 0x7f, LOWEST = 8, HIGHEST = 25 };
static const uint64_t FS_PER_TEN_NS = 10000000; /* a cycle of 100 MHz */

uint64_t ratio_register_read(struct traffic *t, const struct model_register *r)
{
  const uint64_t nearest = (FS_PER_TEN_NS + t->time.uclk / 2) / t->time.uclk;
  const uint64_t ratio = nearest > RATIO_MOST ? RATIO_MOST : nearest;
  const uint64_t lowest = ratio < LOWEST ? ratio : LOWEST, highest = ratio > HIGHEST ? ratio : HIGHEST;
  return r->address == RATIO_LIMIT ? lowest << 8 | highest : ratio;
}

void ratio_register_write(struct traffic *t, const struct model_register *r, uint64_t value)
{
  (void)t;
  (void)r;
  (void)value; /* the machine's configuration does not change */
}

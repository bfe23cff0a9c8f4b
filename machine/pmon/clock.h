/* SPDX-License-Identifier: MIT */
/*
 * Converts between time and cycles without a division in the common direction. A clock is a factor in units of 2^-64
 * cycles per femtosecond, so the number of started cycles is the high half of one product. The factor is rounded up, so
 * that whole periods convert exactly; the rounding speeds a clock up by less than 1e-9 of its rate.
 */
#ifndef MACHINE_PMON_CLOCK_H
#define MACHINE_PMON_CLOCK_H

#include <stdint.h>

struct clock {
  uint64_t factor, base_fs, base_cycle;
};

/* The clock runs at `hz` (below 1e15) from `now` on; its cycle count continues. */
static inline uint64_t clock_cycle(const struct clock *c, uint64_t fs)
{
  return c->base_cycle + (uint64_t)(((unsigned __int128)(fs - c->base_fs) * c->factor) >> 64);
}

/* The first femtosecond at which clock_cycle() is `cycle` or more. */
static inline uint64_t clock_time(const struct clock *c, uint64_t cycle)
{
  unsigned __int128 t;
  if (cycle <= c->base_cycle)
    return c->base_fs;
  t = (((unsigned __int128)(cycle - c->base_cycle) << 64) + c->factor - 1) / c->factor + c->base_fs;
  return t > UINT64_MAX ? UINT64_MAX : (uint64_t)t;
}

static inline void clock_set(struct clock *c, uint64_t hz, uint64_t now)
{
  uint64_t cycle = c->factor ? clock_cycle(c, now) : 0;
  c->factor = (uint64_t)((((unsigned __int128)hz << 64) + 999999999999999u) / 1000000000000000u);
  c->base_fs = now;
  c->base_cycle = cycle;
}

#endif

/* SPDX-License-Identifier: MIT */
/* What heat and power keep a memory channel from doing (guide 327043, 2.5.8: POWER_THROTTLE_CYCLES): a rank that is
 * held back gets commands in one window of four; critical heat stops everything. The guide does not print how. */
#include "machine/common/memory.h"

#define WINDOW_FS 200000000ull /* 200 ns */
enum { WINDOWS = 4 };

static bool limit_holds(const struct channel_limit *l, unsigned rank, fs_t at)
{
  return at >= l->from && at < l->until && (l->critical || (l->ranks >> rank & 1 && at / WINDOW_FS % WINDOWS));
}

fs_t limits_pass(const struct channel *c, unsigned rank, fs_t at)
{
  for (unsigned i = 0; i < c->n_limits;) {
    const struct channel_limit *l = &c->limit[i++];
    if (!limit_holds(l, rank, at))
      continue;
    const fs_t window = (at / WINDOW_FS / WINDOWS + 1) * WINDOWS * WINDOW_FS;
    at = l->critical || window > l->until ? l->until : window;
    i = 0; /* another one may hold it then */
  }
  return at;
}

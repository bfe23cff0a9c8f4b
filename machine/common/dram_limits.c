/* SPDX-License-Identifier: MIT */
/* What heat and power keep a memory channel from doing (guide 327043, 2.5.8: POWER_THROTTLE_CYCLES): a rank that is
 * held back gets commands in one window of four; critical heat stops everything. The guide does not print how. */
#include "machine/common/conditions.h"
#include "machine/common/memory.h"

#define WINDOW_FS 200000000ull /* 200 ns */
enum { WINDOWS = 4 };
enum { UMASK_SHIFT = 8 }; /* the ranks that are held back stand in the umask */

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

bool channels_limit(struct traffic *t, const struct traffic_condition *c, enum condition_step step)
{
  struct socket *s = t->socket[c->socket];
  const unsigned n = t->imcs * t->channels, ranks = (1u << t->config.value[CONFIG_DRAM_RANKS]) - 1;
  if (c->instance >= (int)n || (c->ranks && !(c->ranks & ranks)))
    return false;
  for (unsigned i = 0; step == CONDITION_BEGINS && i < n; i++) {
    struct channel *channel = &s->channel[i];
    if (c->instance >= 0 && i != (unsigned)c->instance)
      continue;
    if (c->kind == CONDITION_ECC) {
      channel->errors.from = c->from;
      channel->errors.left += c->count;
      continue;
    }
    const struct channel_limit limit = {c->from, c->until, c->ranks ? c->ranks & ranks : ranks,
                                        c->kind == CONDITION_CRITICAL};
    channel->limit[channel->n_limits < CHANNEL_LIMITS ? channel->n_limits++ : CHANNEL_LIMITS - 1] = limit;
    const struct event_name *name = &t->uncore->memory[limit.critical ? MEM_CRITICAL : MEM_THROTTLE][0];
    block_span(channel->block, name->code, limit.critical ? name->attr : (uint64_t)limit.ranks << UMASK_SHIFT, 0,
               c->from, c->until, 1);
  }
  return true;
}

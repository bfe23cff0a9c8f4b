/* SPDX-License-Identifier: MIT */
/* Limits of a memory channel by heat and power (guide 327043, 2.5.8: POWER_THROTTLE_CYCLES): a rank that is held back
 * gets commands in one window of four; critical heat stops everything. The guide does not print how. */
#include "machine/common/conditions.h"
#include "machine/common/memory.h"

#define WINDOW_FS 200000000ull /* 200 ns */
enum { WINDOWS = 4 };
enum { UMASK_SHIFT = 8 }; /* the umask has the ranks that are held back */

/* Returns the ranks of the channel that a condition holds back; 0: it is not such a condition, or has not begun. */
static uint32_t condition_ranks(const struct traffic *t, const struct channel *c, const struct pending_condition *p)
{
  const struct traffic_condition *o = &p->of;
  const uint32_t ranks = (1u << t->config.value[CONFIG_DRAM_RANKS]) - 1;
  if (!p->begun || (o->kind != CONDITION_THROTTLE && o->kind != CONDITION_CRITICAL) || o->socket != c->socket ||
      (o->instance >= 0 && (unsigned)o->instance != c->number))
    return 0;
  return o->ranks ? o->ranks & ranks : ranks;
}

static bool condition_holds(const struct traffic_condition *o, uint32_t ranks, unsigned rank, fs_t at)
{
  return ranks && at >= o->from && at < o->until &&
         (o->kind == CONDITION_CRITICAL || (ranks >> rank & 1 && at / WINDOW_FS % WINDOWS));
}

fs_t limits_pass(const struct traffic *t, const struct channel *c, unsigned rank, fs_t at)
{
  for (unsigned i = 0; c->limits && i < t->n_conditions;) {
    const struct pending_condition *p = &t->condition[i++];
    if (!condition_holds(&p->of, condition_ranks(t, c, p), rank, at))
      continue;
    const fs_t window = (at / WINDOW_FS / WINDOWS + 1) * WINDOWS * WINDOW_FS;
    at = p->of.kind == CONDITION_CRITICAL || window > p->of.until ? p->of.until : window;
    i = 0; /* another condition may hold the rank back then */
  }
  return at;
}

/* Returns the ranks that are held back at `at`, by heat or by critical heat. */
static unsigned limits_ranks(const struct traffic *t, const struct channel *c, bool critical, fs_t at)
{
  unsigned ranks = 0;
  for (unsigned i = 0; i < t->n_conditions; i++) {
    const struct traffic_condition *o = &t->condition[i].of;
    if ((o->kind == CONDITION_CRITICAL) == critical && at >= o->from && at < o->until)
      ranks |= condition_ranks(t, c, &t->condition[i]);
  }
  return ranks;
}

/* Reports one state for all of the channel's limits: a cycle in which several selected ranks are held back counts
 * once. */
static void limits_report(struct traffic *t, struct channel *c, bool critical, fs_t at)
{
  const struct event_name *name = &t->uncore->memory[critical ? MEM_CRITICAL : MEM_THROTTLE][0];
  const uint8_t now = (uint8_t)limits_ranks(t, c, critical, at);
  uint8_t *before = &c->limited[critical];
  if (*before == now)
    return;
  if (*before)
    level_set(t, c->block, name->code, critical ? name->attr : (uint64_t)*before << UMASK_SHIFT, at, 0);
  if (now)
    level_set(t, c->block, name->code, critical ? name->attr : (uint64_t)now << UMASK_SHIFT, at, 1);
  *before = now;
}

bool channels_limit(struct traffic *t, const struct traffic_condition *c, enum condition_step step)
{
  struct socket *s = t->socket[c->socket];
  const unsigned n = t->imcs * t->channels, ranks = (1u << t->config.value[CONFIG_DRAM_RANKS]) - 1;
  if (c->instance >= (int)n || (c->ranks && !(c->ranks & ranks)))
    return false;
  for (unsigned i = 0; step != CONDITION_POSSIBLE && i < n; i++) {
    struct channel *channel = &s->channel[i];
    const bool critical = c->kind == CONDITION_CRITICAL, begins = step == CONDITION_BEGINS;
    if (c->instance >= 0 && i != (unsigned)c->instance)
      continue;
    if (c->kind == CONDITION_ECC) {
      channel->errors.from = begins ? c->from : channel->errors.from;
      channel->errors.left += begins ? c->count : 0;
      continue;
    }
    channel->limits = true;
    limits_report(t, channel, critical, begins ? c->from : c->until);
  }
  return true;
}

/* SPDX-License-Identifier: MIT */
/* Precharge power-down of a channel's ranks: entered after the channel has been idle for as long as a row stays
 * open, left at once (guide 2.3, POWER_CHANNEL_PPD, POWER_CKE_CYCLES). */
#include "machine/common/memory.h"

/* Ranks that have been powered down for a while also switch off their DLL (DDR3), and take longer to wake; much later
 * they enter self-refresh. (The guides print no times; waking: JEDEC's tXPDLL and tXS.) */
#define DLL_OFF_AFTER_FS 5000000000ull /* 5 us */
#define SELF_REFRESH_AFTER_FS 50000000000ull
#define DLL_ON_FS 24000000ull /* 24 ns */

static fs_t channel_sleep_begin(const struct traffic *t, const struct channel *c)
{
  return c->busy_until + t->time.idle;
}

fs_t power_self_refresh_begin(const struct traffic *t, const struct channel *c)
{
  return channel_sleep_begin(t, c) + SELF_REFRESH_AFTER_FS;
}

fs_t power_wake(const struct traffic *t, const struct channel *c, fs_t at)
{
  if (at < channel_sleep_begin(t, c) + DLL_OFF_AFTER_FS)
    return at;
  return at + (power_self_refresh(t, c, at) ? t->time.rfc + 10000000 : mem_reported(t, MEM_DLL_OFF) ? DLL_ON_FS : 0);
}

/* Reports the time asleep [from, until) by its depth. */
static void sleep_report(const struct traffic *t, struct channel *c, fs_t from, fs_t until)
{
  const fs_t ends[] = {channel_sleep_begin(t, c) + DLL_OFF_AFTER_FS, channel_sleep_begin(t, c) + SELF_REFRESH_AFTER_FS,
                       UINT64_MAX};
  const enum memory_event states[] = {MEM_POWER_DOWN, mem_reported(t, MEM_DLL_OFF) ? MEM_DLL_OFF : MEM_POWER_DOWN,
                                      MEM_SELF_REFRESH};
  for (unsigned i = 0; i < 3; i++) {
    const fs_t end = ends[i] < until ? ends[i] : until;
    if (end > from)
      mem_span(c, &t->uncore->memory[states[i]][0], from, end);
    from = end > from ? end : from;
  }
}

/* Reports CKE as on outside of power-down; ranks that are on together are one report. */
static void cke_report(const struct traffic *t, struct channel *c, fs_t until)
{
  struct event_name name = t->uncore->memory[MEM_CKE_ON][0];
  name.attr *= (1u << t->config.value[CONFIG_DRAM_RANKS]) - 1;
  if (until > c->on_until)
    mem_span(c, &name, c->on_until, until);
  c->on_until = until > c->on_until ? until : c->on_until;
}

void power_pass(struct traffic *t, struct channel *c, fs_t at)
{
  fs_t from = c->busy_until + t->time.idle;
  if (from < c->down_until)
    from = c->down_until;
  if (t->uncore->memory[MEM_CKE_ON][0].reported)
    cke_report(t, c, at < from ? at : from);
  if (at <= from)
    return;
  sleep_report(t, c, from, at);
  c->down_until = at;
  c->on_until = at;
}

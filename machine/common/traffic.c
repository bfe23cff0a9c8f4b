/* SPDX-License-Identifier: MIT */
#include "machine/common/conditions.h"
#include "machine/common/core.h"
#include "machine/common/devices.h"
#include "machine/common/host_pages.h"
#include "machine/common/memory.h"

#include <stdlib.h>
#include <pmon/status.h>

static uint32_t period_fs(uint64_t mhz)
{
  return (uint32_t)(1000000000 / mhz);
}
static fs_t ps_to_fs(uint64_t value)
{
  return value * 1000;
}

static void timing_init(struct traffic *t)
{
  const uint64_t *v = t->config.value;
  struct timing *w = &t->time;
  w->uclk = period_fs(v[CONFIG_UNCORE_GHZ]);
  w->core = period_fs(v[CONFIG_CORE_GHZ]);
  w->hop = (uint32_t)v[CONFIG_MESH_HOP] * w->uclk;
  w->enter = (uint32_t)v[CONFIG_MESH_ENTER] * w->uclk;
  w->cha_pipe = (uint32_t)v[CONFIG_CHA_PIPE] * w->uclk;
  w->m2m_pipe = (uint32_t)v[CONFIG_M2M_PIPE] * w->uclk;
  w->dclk = period_fs(v[CONFIG_DRAM_GHZ]);
  w->burst = (uint32_t)v[CONFIG_DRAM_BURST] * w->dclk; /* BL16 on both edges */
  /* A flit is 192 bits in 3 slots: a cycle of 8 transfers on 24 lanes, and on 20 lanes five are six cycles. */
  w->slot = (uint32_t)(64 * 1000000000ull / (v[CONFIG_UPI_GT] * v[CONFIG_UPI_LANES]));
  w->flit = 3 * w->slot;
  w->l2 = v[CONFIG_L2_LATENCY] * w->core;
  w->l2_line = (uint32_t)(64 * w->core / v[CONFIG_L2_BANDWIDTH]);
  w->l2_line = w->l2_line < SLOTS_LENGTH ? w->l2_line : SLOTS_LENGTH; /* this limit is slower than any core in use */
  w->dtlb = v[CONFIG_DTLB_MISS] * w->core;
  w->dram_pipe = ps_to_fs(v[CONFIG_DRAM_PIPE]);
  w->cl = ps_to_fs(v[CONFIG_DRAM_CL]);
  /* Within a bank: tCCD_L (JESD79-5), or tCCD of memory without bank groups (JESD79-3), which is a burst. */
  w->ccd = (v[CONFIG_DRAM_BANKS] == 32 ? 2 : 1) * (fs_t)w->burst;
  w->rcd = ps_to_fs(v[CONFIG_DRAM_TRCD]);
  w->rp = ps_to_fs(v[CONFIG_DRAM_TRP]);
  w->ras = ps_to_fs(v[CONFIG_DRAM_TRAS]);
  w->rtp = ps_to_fs(v[CONFIG_DRAM_TRTP]);
  w->wr = ps_to_fs(v[CONFIG_DRAM_TWR]);
  w->rfc = ps_to_fs(v[CONFIG_DRAM_TRFC]);
  w->refi = ps_to_fs(v[CONFIG_DRAM_TREFI]) / (t->same_bank ? 8 : 1);
  w->refresh = t->same_bank ? ps_to_fs(v[CONFIG_DRAM_TRFCSB]) : w->rfc;
  w->refresh_apart = ps_to_fs(v[CONFIG_DRAM_TREFSBRD]);
  w->postpone = ps_to_fs(v[CONFIG_DRAM_TREFI]) * v[CONFIG_DRAM_POSTPONE];
  w->faw = ps_to_fs(v[CONFIG_DRAM_TFAW]);
  w->wtr = ps_to_fs(v[CONFIG_DRAM_TWTR]);
  w->wtr_s = ps_to_fs(v[CONFIG_DRAM_TWTR_S]);
  w->rtw = 2 * (fs_t)w->dclk; /* JESD79-5 and JESD79-3: two clocks between data of a read and of a write */
  w->idle = ps_to_fs(v[CONFIG_DRAM_IDLE]);
  w->flight = ps_to_fs(v[CONFIG_UPI_FLIGHT]);
  w->wc_age = ps_to_fs(v[CONFIG_DRAM_IDLE]) / 2; /* writes are left alone half as long as rows stay open */
}

struct block *traffic_block_find(struct traffic *t, struct machine *m, const struct socket *s, const char *unit,
                                 unsigned i)
{
  struct block *b = machine_block(m, s->index, unit, i);
  return b ? b : (struct block *)(void *)&t->absent;
}

static int socket_init(struct traffic *t, struct socket *s, struct machine *m)
{
  s->tiles = t->chas;
  for (unsigned i = 0; i < t->chas; i++)
    s->cha[i].tor.n = (uint32_t)t->config.value[CONFIG_CHA_TOR];
  int status = t->uncore->init(t, s, m);
  dram_init(t, s);
  return status;
}

static void numbers_init(struct traffic *t)
{
  const uint64_t *v = t->config.value;
  t->sockets = (unsigned)v[CONFIG_SOCKETS];
  t->cores = (unsigned)v[CONFIG_CORES];
  t->n_cores = t->sockets * t->cores;
  t->chas = (unsigned)v[CONFIG_CHAS];
  t->imcs = (unsigned)v[CONFIG_IMCS];
  t->channels = (unsigned)v[CONFIG_CHANNELS];
  t->subs = (unsigned)v[CONFIG_DRAM_SUBS];
  t->links = (unsigned)v[CONFIG_UPI_LINKS];
  t->stacks = (unsigned)v[CONFIG_IIO_STACKS];
  t->window = (uint32_t)v[CONFIG_CORE_WINDOW];
  t->loads = (uint32_t)v[CONFIG_CORE_LOADS];
  t->mlp = (uint32_t)v[CONFIG_CORE_MLP];
  t->mispredict = (uint32_t)v[CONFIG_CORE_MISPREDICT];
  t->stores = (uint32_t)v[CONFIG_CORE_STORES];
  t->degree = (uint32_t)v[CONFIG_PREFETCH_DEGREE];
  t->ahead = (uint32_t)v[CONFIG_PREFETCH_AHEAD];
  t->prefetch = v[CONFIG_PREFETCH] == 1 && v[CONFIG_L2_SIZE];
  t->prefetch_l1 = t->prefetch && v[CONFIG_PREFETCH_L1] == 1;
  t->next_page = t->prefetch && v[CONFIG_PREFETCH_NEXT_PAGE] == 1;
  t->code_ahead = v[CONFIG_PREFETCH_CODE] == 1 && t->uncore->features & UNCORE_CODE_PREFETCH;
  t->optimized = v[CONFIG_CORE_READS] == 1 && t->uncore->features & UNCORE_OPTIMIZED_READS;
  t->walks = v[CONFIG_CORE_WALKS] == 1 && t->uncore->features & UNCORE_PAGE_WALKS;
  t->fill = v[CONFIG_LLC_POLICY] == 1;
  t->closed = v[CONFIG_DRAM_PAGE] == 1;
  t->same_bank = v[CONFIG_DRAM_REFRESH] == 1;
  t->next_dma = t->next_condition = UINT64_MAX;
  t->absent.horizon = UINT64_MAX;
}

static int l2_init(struct traffic *t)
{
  const uint64_t *v = t->config.value, sets = v[CONFIG_L2_SIZE] / 64 / v[CONFIG_L2_WAYS];
  t->settled = pages_get(t->n_cores * sets * sizeof *t->settled);
  const struct cache_form form = {.banks = t->n_cores,
                                  .sets = sets,
                                  .ways = (uint32_t)v[CONFIG_L2_WAYS],
                                  .line_bits = t->map.identity ? IDENTITY_BITS : LINE_BITS,
                                  .in_l1 = true};
  return t->settled ? cache_init(&t->l2, &form) : PMON_E_MEMORY;
}

static int parts_init(struct traffic *t, struct machine *m)
{
  const uint64_t *v = t->config.value;
  t->n_l1_sets = t->n_cores * core_first_sets(v);
  t->l1.recent = pages_get(t->n_l1_sets * sizeof *t->l1.recent);
  t->l1.second = pages_get(t->n_l1_sets * sizeof *t->l1.second);
  t->l1.order = pages_get(t->n_l1_sets * sizeof *t->l1.order);
  t->l1.set = pages_get(t->n_l1_sets * sizeof *t->l1.set);
  t->core = pages_get(t->n_cores * sizeof *t->core);
  if (!t->core || !t->l1.recent || !t->l1.second || !t->l1.order || !t->l1.set || address_init(&t->map, &t->config))
    return PMON_E_MEMORY;
  t->front.core = t->fronts;
  int status = PMON_OK;
  for (unsigned i = 0; i < t->sockets && !status; i++) {
    if (!(t->socket[i] = pages_get(t->uncore->socket_bytes)))
      return PMON_E_MEMORY;
    t->socket[i]->index = i;
    status = socket_init(t, t->socket[i], m);
  }
  if (!status && v[CONFIG_L2_SIZE])
    status = l2_init(t);
  for (unsigned i = 0; i < t->n_cores && !status; i++)
    core_init(t, &t->core[i], i);
  for (unsigned i = 0; i < t->sockets && !status; i++)
    t->uncore->start(t, t->socket[i]);
  return status;
}

int traffic_new(const struct machine_config *config, const struct uncore *uncore, struct machine *m,
                struct traffic **ret_traffic)
{
  struct traffic *t = calloc(1, sizeof *t);
  if (!t)
    return PMON_E_MEMORY;
  t->config = *config;
  t->uncore = uncore;
  numbers_init(t);
  timing_init(t);
  if (parts_init(t, m)) {
    traffic_free(t);
    return PMON_E_MEMORY;
  }
  *ret_traffic = t;
  return PMON_OK;
}

void traffic_free(struct traffic *t)
{
  if (!t)
    return;
  for (unsigned i = 0; i < t->sockets; i++)
    if (t->socket[i]) {
      t->uncore->fini(t->socket[i]);
      pages_put(t->socket[i], t->uncore->socket_bytes);
    }
  pages_put(t->settled, t->n_cores * (t->l2.set_mask + 1) * sizeof *t->settled);
  cache_fini(&t->l2);
  pages_put(t->core, t->n_cores * sizeof *t->core);
  pages_put(t->l1.recent, t->n_l1_sets * sizeof *t->l1.recent);
  pages_put(t->l1.second, t->n_l1_sets * sizeof *t->l1.second);
  pages_put(t->l1.order, t->n_l1_sets * sizeof *t->l1.order);
  pages_put(t->l1.set, t->n_l1_sets * sizeof *t->l1.set);
  address_fini(&t->map);
  free(t->dma);
  free(t->pcie);
  free(t->condition);
  free(t->memory);
  free(t);
}

void traffic_listen(struct traffic *t)
{
  for (unsigned i = 0; t->uncore->listen && i < t->sockets; i++)
    t->uncore->listen(t, t->socket[i]);
}

int traffic_memory_add(struct traffic *t, uint64_t va, uint64_t bytes)
{
  struct extent *memory = realloc(t->memory, (t->n_memory + 1) * sizeof *memory);
  if (!memory)
    return PMON_E_MEMORY;
  t->memory = memory;
  memory[t->n_memory++] =
      (struct extent){va >> (PAGE_LINES_SHIFT + 6), ((va + bytes - 1) >> (PAGE_LINES_SHIFT + 6)) + 1};
  return PMON_OK;
}

unsigned traffic_cores(const struct traffic *t)
{
  return t->n_cores;
}

fs_t traffic_now(const struct traffic *t)
{
  fs_t now = t->reached;
  for (unsigned i = 0; i < t->n_cores; i++)
    now = fs_later(now, core_reached(&t->core[i]));
  return now;
}

void traffic_advance(struct traffic *t, fs_t until)
{
  devices_run(t, until);
  if (t->next_condition <= until)
    conditions_run(t, until);
  for (unsigned i = 0; i < t->sockets; i++) {
    dram_advance(t, t->socket[i], until);
    t->uncore->advance(t, t->socket[i], until);
  }
  if (until > t->reached)
    t->reached = until;
  cores_look(t);
}

fs_t traffic_drain(struct traffic *t)
{
  fs_t until = traffic_now(t);
  until = t->seen > until ? t->seen : until;
  traffic_advance(t, until);
  for (unsigned i = 0; i < t->sockets; i++)
    for (unsigned c = 0; c < t->imcs * t->channels; c++)
      for (unsigned p = 0; p < t->subs; p++) {
        struct channel *channel = &t->socket[i]->channel[c];
        while (
            channel->pch[p].n_writes) /* those that waited for a place in the queue are not part of the first drain */
          writes_drain(t, t->socket[i],
                       &(struct dram_access){.channel = channel, .pch = p, .at = fs_later(until, channel->pch[p].last)},
                       0);
        modes_settle(t, channel, p, UINT64_MAX);
        if (channel->pch[p].last > t->seen)
          t->seen = channel->pch[p].last;
      }
  return t->seen;
}

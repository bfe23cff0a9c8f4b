/* SPDX-License-Identifier: MIT */
/* The uncore of the E5-2600: its blocks, its memory event codes, its power control, and devices. */
#include <stdlib.h>
#include <pmon/status.h>
#include "machine/common/core_states.h"
#include "machine/common/power.h"
#include "machine/common/host_pages.h"
#include "machine/snbep/units.h"
#include "machine/common/request.h"
#include "machine/common/memory.h"
#include "machine/snbep/uncore.h"

enum { TRACKERS = 128 };

#define ONE(c, u)                                                                                                      \
  {                                                                                                                    \
    {true, c, SNB_UMASK(u)},                                                                                           \
    {                                                                                                                  \
      false, 0, 0                                                                                                      \
    }                                                                                                                  \
  }
static const struct event_name memory[MEMORY_EVENTS][2] = {
    [MEM_ACT_READ] = ONE(SNB_IMC_ACT_COUNT, 0),
    [MEM_ACT_WRITE] = ONE(SNB_IMC_ACT_COUNT, 0),
    [MEM_ACT_UNDERFILL] = ONE(SNB_IMC_ACT_COUNT, 0),
    [MEM_PRE_UNDERFILL] = ONE(SNB_IMC_PRE_COUNT, 0x01),
    [MEM_PRE_READ] = ONE(SNB_IMC_PRE_COUNT, 0x01),
    [MEM_PRE_WRITE] = ONE(SNB_IMC_PRE_COUNT, 0x01),
    [MEM_PRE_IDLE] = ONE(SNB_IMC_PRE_COUNT, 0x02),
    [MEM_PRE_ALL] = ONE(SNB_IMC_DRAM_PRE_ALL, 0),
    [MEM_REFRESH] = ONE(SNB_IMC_DRAM_REFRESH, 0x04),
    [MEM_CAS_READ] = ONE(SNB_IMC_CAS_COUNT, 0x01),
    [MEM_CAS_READ_PRE] = ONE(SNB_IMC_CAS_COUNT, 0x01),
    [MEM_CAS_WRITE] = ONE(SNB_IMC_CAS_COUNT, 0x04),
    [MEM_CAS_WRITE_PRE] = ONE(SNB_IMC_CAS_COUNT, 0x04),
    [MEM_RPQ_INSERTS] = ONE(SNB_IMC_RPQ_INSERTS, 0),
    [MEM_RPQ_OCCUPANCY] = ONE(SNB_IMC_RPQ_OCCUPANCY, 0),
    [MEM_RPQ_NE] = ONE(SNB_IMC_RPQ_CYCLES_NE, 0),
    [MEM_RPQ_FULL] = ONE(SNB_IMC_RPQ_CYCLES_FULL, 0),
    [MEM_WPQ_INSERTS] = ONE(SNB_IMC_WPQ_INSERTS, 0),
    [MEM_WPQ_OCCUPANCY] = ONE(SNB_IMC_WPQ_OCCUPANCY, 0),
    [MEM_WPQ_NE] = ONE(SNB_IMC_WPQ_CYCLES_NE, 0),
    [MEM_WPQ_FULL] = ONE(SNB_IMC_WPQ_CYCLES_FULL, 0),
    [MEM_WPQ_READ_HIT] = ONE(SNB_IMC_WPQ_READ_HIT, 0),
    [MEM_WPQ_WRITE_HIT] = ONE(SNB_IMC_WPQ_WRITE_HIT, 0),
    [MEM_CAS_UNDERFILL] = ONE(SNB_IMC_CAS_COUNT, 0x02),
    [MEM_CAS_UNDERFILL_PRE] = ONE(SNB_IMC_CAS_COUNT, 0x02),
    [MEM_CAS_WRITE_IDLE] = ONE(SNB_IMC_CAS_COUNT, 0x08),
    [MEM_REFRESH_PANIC] = ONE(SNB_IMC_DRAM_REFRESH, 0x02),
    [MEM_PARTIAL_MODE] = ONE(SNB_IMC_MAJOR_MODES, 0x04),
    [MEM_ISOCH_MODE] = ONE(SNB_IMC_MAJOR_MODES, 0x08),
    [MEM_ECC] = ONE(SNB_IMC_ECC_ERRORS, 0),
    [MEM_READ_PAST_READ] = ONE(SNB_IMC_PREEMPTION, 0x01),
    [MEM_READ_PAST_WRITE] = ONE(SNB_IMC_PREEMPTION, 0x02),
    [MEM_DLL_OFF] = ONE(SNB_IMC_POWER_DLLOFF, 0),
    [MEM_SELF_REFRESH] = ONE(SNB_IMC_POWER_SELF_REFRESH, 0),
    [MEM_THROTTLE] = ONE(SNB_IMC_POWER_THROTTLE, 0),
    [MEM_CRITICAL] = ONE(SNB_IMC_POWER_CRITICAL, 0),
    [MEM_READ_MODE] = ONE(SNB_IMC_MAJOR_MODES, 0x01),
    [MEM_WRITE_MODE] = ONE(SNB_IMC_MAJOR_MODES, 0x02),
    [MEM_POWER_DOWN] = ONE(SNB_IMC_POWER_PPD, 0),
    [MEM_CKE_ON] = ONE(SNB_IMC_POWER_CKE, 0x01),
};

static int snbep_uncore_init(struct traffic *t, struct socket *s, struct machine *m)
{
  const uint64_t *v = t->config.value;
  struct snbep_socket *n = snbep_socket(s);
  for (unsigned i = 0; i < t->stacks; i++)
    s->stack[i] = &n->device[i];
  t->time.flit = (uint32_t)((4 * 1000000000ull + v[CONFIG_UPI_GT] - 1) / v[CONFIG_UPI_GT]); /* 20 lanes */
  ring_init(t, s, m);
  n->ubox = traffic_block_find(t, m, s, "ubox", 0);
  n->tracker.n = TRACKERS;
  qpi_init(t, s, m);
  for (unsigned i = 0; i < t->imcs * t->channels; i++) {
    s->channel[i].block = traffic_block_find(t, m, s, "imc", i);
    n->rpq[i % SNB_CHANNELS].n = (uint32_t)v[CONFIG_DRAM_RPQ];
    n->wpq[i % SNB_CHANNELS].n = (uint32_t)v[CONFIG_DRAM_WPQ];
  }
  snb_queue_init(&n->iio, n->lent, SNB_IIO);
  s->pcu = traffic_block_find(t, m, s, "pcu", 0);
  core_states_init(t, s, m);
  n->ways = (uint32_t)v[CONFIG_LLC_WAYS];
  n->set_mask = v[CONFIG_LLC_SIZE] / 64 / n->ways - 1;
  n->llc_bytes = t->chas * v[CONFIG_LLC_SIZE] / 64 * sizeof *n->llc;
  return (n->llc = pages_get(n->llc_bytes)) ? PMON_OK : PMON_E_MEMORY;
}

static void snbep_uncore_fini(struct socket *s)
{
  struct snbep_socket *n = snbep_socket(s);
  pages_put(n->llc, n->llc_bytes);
  for (unsigned i = 0; i < sizeof n->link / sizeof *n->link; i++)
    free(n->link[i].later);
}

static void snbep_uncore_start(struct traffic *t, struct socket *s)
{
  struct snbep_socket *snb = snbep_socket(s);
  snb_power_start(t, s);
  level_set(t, snb->ha, HA_CONFLICT_CYCLES, SNB_UMASK(0x01), 0, 1);
  level_set(t, snb->ha, HA_DIRECT2CORE_CYCLES_DISABLED, 0, 0, !t->config.value[CONFIG_DIRECT2CORE]);
}

fs_t r2_receive(struct traffic *t, struct socket *s, uint8_t class, fs_t at)
{
  struct snbep_socket *n = snbep_socket(s);
  const unsigned which = (unsigned)__builtin_ctz(class);
  const fs_t taken = slots_take(&n->stack, at, 2 * t->time.uclk) + 2 * t->time.uclk;
  snb_state(n->stop[n->r2].block, RING_RXR_CYCLES_NE, SNB_UMASK(class), &n->r2_ne[which], (fs_t[]){at, taken});
  return taken;
}

/* A device's write is sent over the ring as data that follow the request. */
static fs_t device_end(struct traffic *t, const struct device_access *access)
{
  const struct request *r = access->request;
  struct socket *s = t->socket[r->socket];
  if (access->dma->stream.write)
    ring_send(t, s, &(struct snb_move){snbep_socket(s)->r2, s->cha[r->cha].tile, SNB_BL, SNB_CACHE, SNB_TID_PCIE},
              access->answer->released);
  return access->answer->done;
}

static void snbep_uncore_advance(struct traffic *t, struct socket *s, fs_t until)
{
  qpi_advance(t, s, until);
  snb_power_advance(t, s, until);
}

/* MOD: a socket of 8 cores at rest takes 30 W, and 130 W with all of them at work. */
static const struct power_model power = {.energy_unit = 16,
                                         .design_w = 130,
                                         .package_mw = 30000,
                                         .core_mw = 7000,
                                         .instruction_pj = 900,
                                         .lookup_pj = 2000,
                                         .channel_mw = 2500,
                                         .column_pj = 15000,
                                         .activate_pj = 10000,
                                         .limit_c = 90,
                                         .still_c = 35,
                                         .package_mk = 320,
                                         .core_mk = 500};

const struct uncore snbep_uncore = {
    .socket_bytes = sizeof(struct snbep_socket),
    .init = snbep_uncore_init,
    .start = snbep_uncore_start,
    .fini = snbep_uncore_fini,
    .request = cbo_request,
    .evict = cbo_evict,
    .prefetch_tags = cbo_prefetch_tags,
    .device_end = device_end,
    .other = noncoherent_move,
    .core_active = snb_power_core,
    .advance = snbep_uncore_advance,
    .memory = memory,
    .tid_shift = 1,
    .power = &power,
    .device_tid = SNB_TID_PCIE,
    .condition = snb_condition,
    .actions = 1u << DEVICE_MEMORY | 1u << DEVICE_MESSAGE | 1u << DEVICE_PEER | 1u << DEVICE_CORE | 1u << DEVICE_SYSTEM,
    .messages = SYSTEM_REGISTER,
};

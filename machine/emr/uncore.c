/* SPDX-License-Identifier: MIT */
/* The uncore of Emerald Rapids: its blocks, its memory event codes, and the functions of its parts. */
#include <limits.h>
#include <stdlib.h>
#include <pmon/status.h>
#include "machine/common/core_states.h"
#include "machine/common/power.h"
#include "machine/emr/units.h"
#include "machine/emr/coherence.h"
#include "machine/emr/pcu.h"
#include "machine/emr/devices.h"
#include "machine/emr/llc.h"
#include "machine/emr/m2m.h"
#include "machine/emr/mesh.h"
#include "machine/emr/reject.h"

#define HUGE_PAGES_LOOKUPS 1000000 /* after about a second of a program with many misses */

#define BOTH(c, of)                                                                                                    \
  {                                                                                                                    \
    {true, c, of(0)},                                                                                                  \
    {                                                                                                                  \
      true, c, of(1)                                                                                                   \
    }                                                                                                                  \
  }
#define NONE(p) UINT64_C(0)
#define LEN_RD(p) (EMR_UMASK(0x01) | CAS_PCH(p))
#define LEN_WR(p) (EMR_UMASK(0x04) | CAS_PCH(p))
#define LEN_UFILL(p) (EMR_UMASK(0x02) | CAS_PCH(p))
#define UNDERFILL(p) (CAS_RD_UNDERFILL | CAS_PCH(p))
#define UNDERFILL_PRE(p) (CAS_RD_PRE_UNDERFILL | CAS_PCH(p))
#define WRITE_ALONE(p) EMR_UMASK(0x04u << (p))
#define EACH(c, first, second)                                                                                         \
  {                                                                                                                    \
    {true, c, EMR_UMASK(first)},                                                                                       \
    {                                                                                                                  \
      true, c, EMR_UMASK(second)                                                                                       \
    }                                                                                                                  \
  }
/* Normal, critical, starved, by bit */
#define URGENCIES(e, c, bit, step, both)                                                                               \
  [e] = EACH(c, (bit) | (both), (bit) << (step) | (both) << 1),                                                        \
  [(e) + 1] = EACH(c, (bit) << 1 | (both), (bit) << (1 + (step)) | (both) << 1),                                       \
  [(e) + 2] = EACH(c, (bit) << 2 | (both), (bit) << (2 + (step)) | (both) << 1)
#define IMPORTANCES(e, c)                                                                                              \
  [e] = EACH(c, 0x01, 0x10), [(e) + 1] = EACH(c, 0x02, 0x20), [(e) + 2] = EACH(c, 0x04, 0x40),                         \
  [(e) + 3] = EACH(c, 0x08, 0x80)
#define CAS(kind)                                                                                                      \
  {                                                                                                                    \
    {true, IMC_CAS_COUNT, kind | CAS_PCH(0)},                                                                          \
    {                                                                                                                  \
      true, IMC_CAS_COUNT, kind | CAS_PCH(1)                                                                           \
    }                                                                                                                  \
  }
#define FIRST(c, u)                                                                                                    \
  {                                                                                                                    \
    {true, c, EMR_UMASK(u)},                                                                                           \
    {                                                                                                                  \
      false, 0, 0                                                                                                      \
    }                                                                                                                  \
  }
#define ALIKE(c, u)                                                                                                    \
  {                                                                                                                    \
    {true, c, EMR_UMASK(u)},                                                                                           \
    {                                                                                                                  \
      true, c, EMR_UMASK(u)                                                                                            \
    }                                                                                                                  \
  }
#define APART(c, u)                                                                                                    \
  {                                                                                                                    \
    {true, c##_PCH0, EMR_UMASK(u)},                                                                                    \
    {                                                                                                                  \
      true, c##_PCH1, EMR_UMASK(u)                                                                                     \
    }                                                                                                                  \
  }

/* By sub-channel. MAJOR_MODES has no bit for the sub-channel: it shows the first one. */
static const struct event_name memory[MEMORY_EVENTS][2] = {
    [MEM_ACT_READ] = BOTH(IMC_ACT_COUNT, ACT_RD),
    [MEM_ACT_WRITE] = BOTH(IMC_ACT_COUNT, ACT_WR),
    [MEM_ACT_UNDERFILL] = BOTH(IMC_ACT_COUNT, ACT_UFILL),
    [MEM_PRE_UNDERFILL] = BOTH(IMC_PRE_COUNT, PRE_UFILL),
    URGENCIES(MEM_ACT_READ_PRIO, IMC_ACT_PRIO, 0x01, 0, 0x40),
    URGENCIES(MEM_ACT_WRITE_PRIO, IMC_ACT_PRIO, 0x08, 0, 0x40),
    [MEM_PRE_READ] = BOTH(IMC_PRE_COUNT, PRE_RD),
    [MEM_PRE_WRITE] = BOTH(IMC_PRE_COUNT, PRE_WR),
    [MEM_PRE_IDLE] = BOTH(IMC_PRE_COUNT, PRE_PGT),
    [MEM_PRE_ALL] = BOTH(IMC_DRAM_PRE_ALL, IMC_PCH),
    [MEM_REFRESH] = BOTH(IMC_DRAM_REFRESH, REFRESH_HIGH),
    [MEM_REFRESH_PANIC] = BOTH(IMC_DRAM_REFRESH, REFRESH_PANIC),
    [MEM_CAS_READ] = CAS(CAS_RD_REG),
    [MEM_CAS_READ_PRE] = CAS(CAS_RD_PRE_REG),
    [MEM_CAS_WRITE] = CAS(CAS_WR_NONPRE),
    [MEM_CAS_WRITE_PRE] = CAS(CAS_WR_PRE),
    [MEM_CAS_READ_LEN] = BOTH(IMC_CAS_ISSUED_REQ_LEN, LEN_RD),
    [MEM_CAS_WRITE_LEN] = BOTH(IMC_CAS_ISSUED_REQ_LEN, LEN_WR),
    [MEM_CAS_UNDERFILL] = BOTH(IMC_CAS_COUNT, UNDERFILL),
    [MEM_CAS_UNDERFILL_PRE] = BOTH(IMC_CAS_COUNT, UNDERFILL_PRE),
    [MEM_CAS_UNDERFILL_LEN] = BOTH(IMC_CAS_ISSUED_REQ_LEN, LEN_UFILL),
    URGENCIES(MEM_CAS_READ_PRIO, IMC_RD_CAS_PRIO, 0x01, 3, 0),
    URGENCIES(MEM_CAS_WRITE_PRIO, IMC_WR_CAS_PRIO, 0x01, 3, 0),
    IMPORTANCES(MEM_RPQ_PRIO, IMC_RPQ_PRIO),
    IMPORTANCES(MEM_WPQ_PRIO, IMC_WPQ_PRIO),
    [MEM_MINOR_READ] = BOTH(IMC_CRIT_MINOR_CAS, IMC_PCH),
    [MEM_MINOR_WRITE] = BOTH(IMC_CRIT_MINOR_CAS, WRITE_ALONE),
    [MEM_CAS_READ_RMM] = BOTH(IMC_CAS_MM, MM_RD_RMM),
    [MEM_CAS_READ_WMM] = BOTH(IMC_CAS_MM, MM_RD_WMM),
    [MEM_CAS_WRITE_RMM] = BOTH(IMC_CAS_MM, MM_WR_RMM),
    [MEM_CAS_WRITE_WMM] = BOTH(IMC_CAS_MM, MM_WR_WMM),
    [MEM_RPQ_INSERTS] = BOTH(IMC_RPQ_INSERTS, IMC_PCH),
    [MEM_RPQ_OCCUPANCY] = APART(IMC_RPQ_OCCUPANCY, 0),
    [MEM_RPQ_NE] = BOTH(IMC_RPQ_CYCLES_NE, IMC_PCH),
    [MEM_RPQ_FULL] = APART(IMC_RPQ_CYCLES_FULL, 0),
    [MEM_RDB_INSERTS] = BOTH(IMC_RDB_INSERTS, IMC_PCH),
    [MEM_RDB_OCCUPANCY] = BOTH(IMC_RDB_OCCUPANCY, NONE),
    [MEM_RDB_NE] = BOTH(IMC_RDB_NE, IMC_PCH),
    [MEM_WPQ_INSERTS] = BOTH(IMC_WPQ_INSERTS, IMC_PCH),
    [MEM_WPQ_OCCUPANCY] = APART(IMC_WPQ_OCCUPANCY, 0),
    [MEM_WPQ_NE] = BOTH(IMC_WPQ_CYCLES_NE, IMC_PCH),
    [MEM_WPQ_FULL] = APART(IMC_WPQ_CYCLES_FULL, 0),
    [MEM_WPQ_READ_HIT] = BOTH(IMC_WPQ_READ_HIT, IMC_PCH),
    [MEM_WPQ_WRITE_HIT] = BOTH(IMC_WPQ_WRITE_HIT, IMC_PCH),
    [MEM_TO_WRITE_MODE] = APART(IMC_MAJOR_MODE_CHANGE, 0x02),
    [MEM_TO_READ_MODE] = APART(IMC_MAJOR_MODE_CHANGE, 0x80),
    [MEM_PR_TO_SW] = APART(IMC_MAJOR_MODE_CHANGE, 0x01),
    [MEM_SW_TO_PR] = APART(IMC_MAJOR_MODE_CHANGE, 0x04),
    [MEM_SW_TO_PW] = APART(IMC_MAJOR_MODE_CHANGE, 0x08),
    [MEM_SR_TO_PR] = APART(IMC_MAJOR_MODE_CHANGE, 0x10),
    [MEM_SR_TO_PW] = APART(IMC_MAJOR_MODE_CHANGE, 0x20),
    [MEM_PW_TO_SR] = APART(IMC_MAJOR_MODE_CHANGE, 0x40),
    [MEM_MODE_ALONE] = BOTH(IMC_MAJOR_MODE_VOTE_MISMATCH, IMC_PCH),
    [MEM_READ_DEFERRED] = EACH(IMC_PREEMPTION, 0x01, 0x04),
    [MEM_WRITE_DEFERRED] = EACH(IMC_PREEMPTION, 0x02, 0x08),
    [MEM_ACTIVATE_DEFERRED] = BOTH(IMC_PREEMPTION_AS, IMC_PCH),
    [MEM_READ_PUSHED_OUT] = EACH(IMC_PREEMPTION_MM_SWITCH, 0x01, 0x04),
    [MEM_WRITE_PUSHED_OUT] = EACH(IMC_PREEMPTION_MM_SWITCH, 0x02, 0x08),
    [MEM_READS_STARVED_MODE] = FIRST(IMC_MAJOR_MODES, 0x02),
    [MEM_WRITES_STARVED_MODE] = FIRST(IMC_MAJOR_MODES, 0x08),
    [MEM_SELF_REFRESH] = ALIKE(IMC_POWER_SELF_REFRESH, 0),
    [MEM_READ_MODE] = FIRST(IMC_MAJOR_MODES, 0x01),
    [MEM_WRITE_MODE] = FIRST(IMC_MAJOR_MODES, 0x04),
    [MEM_THROTTLE] = FIRST(IMC_POWER_THROTTLE_CYCLES, 0),
    [MEM_CRITICAL] = FIRST(IMC_POWER_CRIT_THROTTLE_CYCLES, 0x03),
    [MEM_ECC] = ALIKE(IMC_ECC_CORRECTABLE_ERRORS, 0),
    [MEM_POWER_DOWN] = ALIKE(IMC_POWER_CHANNEL_PPD, 0),
    [MEM_CKE_ON] = ALIKE(IMC_POWER_CKE_CYCLES, 0x01),
};

static int tags_init(const struct traffic *t, struct emr_socket *emr)
{
  const uint64_t *v = t->config.value;
  const struct cache_form form = {.banks = t->chas,
                                  .sets = v[CONFIG_LLC_SIZE] / 64 / v[CONFIG_LLC_WAYS],
                                  .ways = (uint32_t)v[CONFIG_LLC_WAYS],
                                  .line_bits = t->map.identity ? IDENTITY_BITS : PLACE_BITS};
  slice_order_init(&emr->order, t->chas);
  if (filter_init(&emr->filter, t->chas, v[CONFIG_SF_SETS], (uint32_t)v[CONFIG_SF_WAYS]) ||
      cache_init(&emr->llc, &form))
    return PMON_E_MEMORY;
  emr->huge = (struct huge_pages){.table = {{emr->llc.sets, emr->llc.bytes, emr->llc.bytes},
                                            {emr->filter.group, emr->filter.bytes, emr->filter.first_bytes}},
                                  .n = 2};
  return PMON_OK;
}

static int emr_uncore_init(struct traffic *t, struct socket *s, struct machine *m)
{
  struct emr_socket *emr = emr_socket(s);
  for (unsigned i = 0; i < t->chas; i++)
    s->cha[i].block = traffic_block_find(t, m, s, "cha", i);
  for (unsigned i = 0; i < t->imcs; i++) {
    emr->m2m[i].block = traffic_block_find(t, m, s, "m2m", i);
    for (unsigned ch = 0; ch < t->channels; ch++)
      emr->m2m[i].reads[ch].n = emr->m2m[i].writes[ch].n = 128;
  }
  for (unsigned i = 0; i < t->imcs * t->channels; i++) {
    unsigned at = i / t->channels * 2 + i % t->channels; /* blocks are numbered for two channels per controller */
    s->channel[i].block = traffic_block_find(t, m, s, "imc", at);
    struct active_times *active = emr->active[i / t->channels];
    if (at % 2 == 0) { /* the first unit has the free-running counters */
      active[0].block = active[1].block = machine_block(m, s->index, "imc", at);
      active[0].counter = IMC_FREERUNNING_RPQ_CYCLES;
      active[1].counter = IMC_FREERUNNING_WPQ_CYCLES;
    }
    if (active[0].block) {
      s->channel[i].reads_active = &active[0];
      s->channel[i].writes_active = &active[1];
    }
  }
  for (unsigned i = 0; i < t->links; i++)
    emr->link[i].block = emr->link[i].queues.link = traffic_block_find(t, m, s, "upi", i);
  for (unsigned i = 0; i < t->stacks; i++) {
    emr->iio[i].block = traffic_block_find(t, m, s, "iio", i);
    s->stack[i] = &emr->iio[i].stack;
  }
  for (unsigned i = 0; i < CXL_DEVICES; i++)
    emr->cxl[i] =
        (struct cxl){machine_block(m, s->index, "cxlcm", i), machine_block(m, s->index, "cxldp", i), NULL, {0}};
  s->pcu = traffic_block_find(t, m, s, "pcu", 0);
  core_states_init(t, s, m);
  emr->ubox.block = traffic_block_find(t, m, s, "ubox", 0);
  if (mesh_init(t, s) || stops_init(t, s, m) || rejects_init(s) || ahead_init(t, s))
    return PMON_E_MEMORY;
  return tags_init(t, emr);
}

/* Device actions other than memory reads and writes. */
static fs_t emr_device_action(struct traffic *t, struct dma *d, fs_t at)
{
  switch (d->stream.action) {
  case DEVICE_PEER: return peer_move(t, d, at);
  case DEVICE_CXL_MEMORY: return cxl_memory_move(t, d, at);
  case DEVICE_CXL_CACHE: return cxl_cache_move(t, d, at);
  case DEVICE_CORE: return outbound_move(t, d, at);
  case DEVICE_SYSTEM: return system_move(t, d, at);
  default: return message_move(t, d, at);
  }
}

static void emr_uncore_advance(struct traffic *t, struct socket *s, fs_t until)
{
  if (s->totals.llc_lookups >= HUGE_PAGES_LOOKUPS)
    huge_pages_begin(&emr_socket(s)->huge);
  ahead_advance(t, s, until);
  upi_advance(t, s, until);
  ubox_advance(t, s, until);
  pcu_advance(t, s, until);
}

static void emr_uncore_fini(struct socket *s)
{
  struct emr_socket *emr = emr_socket(s);
  huge_pages_end(&emr->huge);
  cxl_fini(s);
  for (unsigned i = 0; i < MAX_STACKS; i++)
    iommu_fini(&emr->iio[i]);
  ahead_fini(s);
  stops_fini(s);
  mesh_fini(s);
  rejects_fini(s);
  free(emr->write_cache);
  filter_fini(&emr->filter);
  cache_fini(&emr->llc);
}

/* MOD: a socket of 64 cores at rest takes 90 W, and 350 W with all of them at work. */
static const struct power_model power = {.energy_unit = 14,
                                         .design_w = 350,
                                         .package_mw = 90000,
                                         .core_mw = 2500,
                                         .instruction_pj = 200,
                                         .lookup_pj = 1000,
                                         .channel_mw = 2000,
                                         .column_pj = 8000,
                                         .activate_pj = 4000,
                                         .limit_c = 95,
                                         .still_c = 35,
                                         .package_mk = 140,
                                         .core_mk = 1000};

const struct uncore emr_uncore = {
    .socket_bytes = sizeof(struct emr_socket),
    .init = emr_uncore_init,
    .start = pcu_init,
    .listen = stops_observed_update,
    .fini = emr_uncore_fini,
    .request = cha_request,
    .evict = cha_evict,
    .prefetch_tags = tags_prefetch,
    .device_begin = iio_begin,
    .device_end = iio_end,
    .other = emr_device_action,
    .core_active = pcu_core,
    .advance = emr_uncore_advance,
    .memory = memory,
    .tid_shift = 3,
    .power = &power,
    .device_tid = EMR_TID_STACK,
    .condition = emr_condition,
    .actions = UINT_MAX,
    .messages = SYSTEM_MESSAGES,
    .features = UNCORE_CODE_PREFETCH | UNCORE_OPTIMIZED_READS | UNCORE_PAGE_WALKS | UNCORE_RFO_PREFETCH,
    .write_back = cha_keep,
};

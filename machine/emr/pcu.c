/* SPDX-License-Identifier: MIT */
/* Power control (guide 2.10): which cores run and which sleep, and the package's states that follow. */
#include "machine/emr/pcu.h"
#include "machine/common/core.h"
#include "machine/common/core_states.h"
#include "machine/emr/devices.h"

#define LOWEST_MHZ 800u         /* as in the machine's MSR 0x620 */
#define CLOCK_FS 10000000000ull /* 10 us to change a clock: a choice */
#define WAKE_FS 2000000000ull   /* 2 us from C6 to C0 */

static void counts_set(struct traffic *t, struct socket *s, fs_t at)
{
  level_set(t, s->pcu, PCU_POWER_STATE_OCCUPANCY_CORES_C0, 0, at, s->active);
  level_set(t, s->pcu, PCU_POWER_STATE_OCCUPANCY_CORES_C6, 0, at, t->cores - s->active);
  level_set(t, s->pcu, PCU_PKG_RESIDENCY_C0_CYCLES, 0, at, s->active > 0);
  level_set(t, s->pcu, PCU_PKG_RESIDENCY_C6_CYCLES, 0, at, s->active == 0);
}

void pcu_init(struct traffic *t, struct socket *s)
{
  struct emr_socket *emr = emr_socket(s);
  counts_set(t, s, 0);
  level_set(t, s->pcu, PCU_FIVR_PS_PS0_CYCLES, 0, 0, 1);
  for (unsigned i = 0; i < t->links && t->sockets > 1; i++) {
    level_set(t, emr->link[i].block, UPI_TXL0_POWER_CYCLES, 0, 0, 1);
    level_set(t, emr->link[i].block, UPI_RXL0_POWER_CYCLES, 0, 0, 1);
  }
}

static const uint8_t waking[] = {PCU_TOTAL_TRANSITION_CYCLES, PCU_CORE_TRANSITION_CYCLES, 0},
                     clocking[] = {PCU_FREQ_TRANS_CYCLES, 0};

/* Reports the part of a change up to `until`: counters that are read during the change do not contain the rest. */
static void change_report(struct socket *s, struct change *c, const uint8_t *events, fs_t until)
{
  const fs_t end = until < c->until ? until : c->until;
  for (; end > c->reported && *events; events++)
    block_span(s->pcu, *events, 0, 0, c->reported, end, 1);
  c->reported = end > c->reported ? end : c->reported;
}

/* Begins a change; a change in progress ends. */
static void change_begin(struct socket *s, struct change *c, const uint8_t *events, fs_t at, fs_t takes)
{
  struct emr_socket *emr = emr_socket(s);
  change_report(s, c, events, at);
  *c = (struct change){.reported = at, .until = at + takes};
  emr->changing = emr->changing > c->until ? emr->changing : c->until;
}

void pcu_advance(struct traffic *t, struct socket *s, fs_t until)
{
  struct emr_socket *emr = emr_socket(s);
  if (!emr->changing)
    return;
  for (unsigned i = s->index * t->cores; i < (s->index + 1) * t->cores; i++)
    change_report(s, &t->core[i].waking, waking, until);
  change_report(s, &emr->clocking, clocking, until);
  emr->changing = until < emr->changing ? emr->changing : 0;
}

void pcu_core(struct traffic *t, struct core *c, bool active, fs_t at)
{
  struct socket *s = t->socket[c->socket];
  if (c->active == active)
    return;
  c->active = active;
  c->front.due = 0;
  s->active = active ? s->active + 1 : s->active - 1;
  counts_set(t, s, at);
  core_state_set(t, s, c->index, active ? CORE_C0 : CORE_C6, at);
  if (active && at) /* an interrupt woke it */
    ubox_message(t, s, 0x04, at);
  change_begin(s, &c->waking, waking, at, WAKE_FS);
}

/* Sets the clock of a socket's cores: the lowest, or the configured one. */
static void clock_set(struct traffic *t, struct socket *s, bool lowest, fs_t at)
{
  const uint64_t *v = t->config.value, usual = v[CONFIG_CORE_GHZ];
  const uint64_t mhz = lowest && usual > LOWEST_MHZ ? LOWEST_MHZ : usual;
  for (unsigned i = s->index * t->cores; i < (s->index + 1) * t->cores; i++) {
    core_pace_set(t, &t->core[i], 1000000000 / mhz);
    core_frequency(&t->core[i], (uint32_t)mhz);
  }
  change_begin(s, &emr_socket(s)->clocking, clocking, at, CLOCK_FS);
}

static bool errors_add(struct link_errors *e, const struct traffic_condition *c, enum condition_step step)
{
  if (step == CONDITION_BEGINS) {
    e->from = c->from;
    e->n += c->count;
  }
  return true;
}

static bool link_damage(struct traffic *t, const struct traffic_condition *c, enum condition_step step)
{
  if (c->instance < 0 || c->instance >= (int)t->links || t->sockets < 2)
    return false;
  return errors_add(&emr_socket(t->socket[1 - c->socket])->link[c->instance].errors, c,
                    step); /* the other side's messages */
}

static bool device_damage(struct traffic *t, const struct traffic_condition *c, enum condition_step step)
{
  if (c->instance < 0 || c->instance >= CXL_DEVICES)
    return false;
  return errors_add(&emr_socket(t->socket[c->socket])->cxl[c->instance].errors, c, step);
}

bool emr_condition(struct traffic *t, const struct traffic_condition *c, enum condition_step step, fs_t at)
{
  /* The power control unit's events for each limit. */
  static const uint8_t shown[CONDITION_DEVICE][3] = {
      [CONDITION_THERMAL] = {PCU_FREQ_MAX_LIMIT_THERMAL_CYCLES, PCU_HOT_CORE, PCU_THERMTHROT_CORE},
      [CONDITION_POWER] = {PCU_FREQ_MAX_POWER_CYCLES},
      [CONDITION_CURRENT] = {PCU_PMAX_THROTTLED_CYCLES},
      [CONDITION_PROCHOT] = {PCU_PROCHOT_INTERNAL_CYCLES},
      [CONDITION_PROCHOT_OUTSIDE] = {PCU_PROCHOT_EXTERNAL_CYCLES},
      [CONDITION_VR_HOT] = {PCU_VR_HOT_CYCLES}};
  struct socket *s = t->socket[c->socket];
  struct emr_socket *emr = emr_socket(s);
  if (c->kind == CONDITION_THROTTLE || c->kind == CONDITION_CRITICAL || c->kind == CONDITION_ECC)
    return channels_limit(t, c, step);
  if (c->kind == CONDITION_DAMAGE)
    return link_damage(t, c, step);
  if (c->kind == CONDITION_CXL_DAMAGE)
    return device_damage(t, c, step);
  if (c->kind >= CONDITION_DEVICE || !shown[c->kind][0])
    return false;
  if (step == CONDITION_POSSIBLE)
    return true;
  const bool begins = step == CONDITION_BEGINS;
  for (unsigned i = 0; i < 3 && shown[c->kind][i]; i++)
    level_set(t, s->pcu, shown[c->kind][i], 0, at, begins);
  emr->limits = begins ? emr->limits + 1 : emr->limits - 1;
  if (emr->limits == (begins ? 1u : 0u))
    clock_set(t, s, begins, at);
  return true;
}

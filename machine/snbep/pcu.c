/* SPDX-License-Identifier: MIT */
/*
 * The E5-2600's power control unit (guide 2.6): the power state of each core, the package's frequency, and the limit
 * that determines it. The times and frequencies below are choices; the guide gives none.
 */
#include "machine/common/core.h"
#include "machine/common/core_states.h"
#include "machine/common/conditions.h"
#include "machine/common/memory.h"
#include "machine/snbep/uncore.h"

#define WAKE_FS 2000000000ull     /* 2 us from C3 or C6 to C0 */
#define RAMP_FS 10000000000ull    /* 10 us for a change of frequency and voltage */
#define C6_MIN_FS 100000000000ull /* shortest sleep for which C6 is used: 100 us */
#define SHED_FS 50000000000ull    /* memory that is idle for this long uses fewer phases */
/* In units of 100 MHz: minimum when idle, when devices are active, when the other socket is active. */
enum { ASLEEP = 12, IO_LEAST = 18, PEER_LEAST = 15 };

/* Limits of the frequency: to a number of sixths of the default one, or to the minimum. */
static const struct {
  uint8_t sixths, limit, condition;
} limits[CONDITION_DEVICE] = {
    [CONDITION_THERMAL] = {4, SNB_PCU_FREQ_MAX_THERMAL, 0},
    [CONDITION_POWER] = {5, SNB_PCU_FREQ_MAX_POWER, 0},
    [CONDITION_CURRENT] = {5, SNB_PCU_FREQ_MAX_CURRENT, 0},
    [CONDITION_PROCHOT] = {0, SNB_PCU_FREQ_MAX_THERMAL, SNB_PCU_PROCHOT_INTERNAL},
    [CONDITION_PROCHOT_OUTSIDE] = {0, SNB_PCU_FREQ_MAX_THERMAL, SNB_PCU_PROCHOT_EXTERNAL},
    [CONDITION_VR_HOT] = {0, SNB_PCU_FREQ_MAX_POWER, SNB_PCU_VR_HOT},
};

/* Reports the core's state and its transition since the last report. */
static void core_report_states(struct socket *s, unsigned core, fs_t until)
{
  struct snb_core *c = &snbep_socket(s)->core[core];
  const fs_t from = c->reported, moved = until < c->moving ? until : c->moving;
  if (moved > c->moved) {
    block_span(s->pcu, (uint8_t)(SNB_PCU_CORE_TRANSITION + core), SNB_EXT, UINT16_MAX, c->moved, moved, 1);
    block_span(s->pcu, SNB_PCU_TOTAL_TRANSITION, SNB_EXT, UINT16_MAX, c->moved, moved, 1);
    c->moved = moved;
  }
  if (until <= from)
    return;
  block_span(s->pcu, SNB_PCU_POWER_STATE_OCCUPANCY, SNB_OCC_SEL(c->state), UINT16_MAX, from, until, 1);
  c->reported = until;
}

/* Reports the residencies of C3 and C6 since the last report; call it before a core changes its state. */
static void residency_report(struct traffic *t, struct socket *s, fs_t until)
{
  struct snbep_socket *n = snbep_socket(s);
  for (unsigned i = 0; i < 2 && s->pcu != (struct block *)(void *)&t->absent; i++)
    if (n->in[i] && until > n->some)
      block_freerunning_span(s->pcu, i ? SNB_PCU_C6 : SNB_PCU_C3, n->some, until, 1);
  n->some = until > n->some ? until : n->some;
}

/* Changes the core's state. */
static void state_change(struct snbep_socket *n, struct snb_core *c, enum snb_core_state to)
{
  n->in[0] = n->in[0] + (to == SNB_C3) - (c->state == SNB_C3);
  n->in[1] = n->in[1] + (to == SNB_C6) - (c->state == SNB_C6);
  c->state = to;
}

/* Begins or ends a level of the frequency for the bands' events, which compare with it (Table 2-77). Cores are
 * simulated one after another, so that their changes may come out of order. */
static void bands_set(struct traffic *t, struct socket *s, unsigned hundred_mhz, fs_t at, bool on)
{
  struct snbep_socket *n = snbep_socket(s);
  at = n->ramp.bands = at > n->ramp.bands ? at : n->ramp.bands;
  for (uint8_t band = 0; band < 4; band++)
    level_set(t, s->pcu, (uint8_t)(SNB_PCU_FREQ_BAND0 + band), SNB_FREQUENCY(hundred_mhz), at, on);
}

/* Reports the frequency and voltage transition up to `until`. The bands do not count during it (2.6.7). */
static void ramp_report(struct traffic *t, struct socket *s, fs_t until)
{
  struct snbep_socket *n = snbep_socket(s);
  if (n->ramp.lasts && until >= n->ramp.until) {
    bands_set(t, s, n->frequency, n->ramp.until, true);
    n->ramp.lasts = false;
  }
  const fs_t from = n->ramp.reported, to = until < n->ramp.until ? until : n->ramp.until;
  if (to <= from)
    return;
  block_span(s->pcu, SNB_PCU_FREQ_TRANS, SNB_EXT, UINT16_MAX, from, to, 1);
  block_span(s->pcu, SNB_PCU_VOLT_CHANGE, 0, UINT16_MAX, from, to, 1);
  block_span(s->pcu, n->ramp.up ? SNB_PCU_VOLT_INCREASE : SNB_PCU_VOLT_DECREASE, 0, UINT16_MAX, from, to, 1);
  n->ramp.reported = to;
}

/* The bands take the filter's content at the end of the transition. Cores slow down with the frequency. */
static void frequency_set(struct traffic *t, struct socket *s, unsigned hundred_mhz, fs_t at)
{
  struct snbep_socket *n = snbep_socket(s);
  const unsigned before = n->frequency, usual = (unsigned)(t->config.value[CONFIG_CORE_GHZ] / 100);
  if (before == hundred_mhz)
    return;
  ramp_report(t, s, at);
  n->frequency = hundred_mhz;
  if (!before) {
    bands_set(t, s, hundred_mhz, at, true);
    return;
  }
  bands_set(t, s, before, at, false);
  n->ramp.lasts = true; /* a transition in progress ends here */
  n->ramp.reported = at;
  n->ramp.until = at + RAMP_FS;
  n->ramp.up = hundred_mhz > before;
  if (!s->active)
    return;
  for (unsigned i = 0; i < t->cores; i++) {
    struct core *c = &t->core[s->index * t->cores + i];
    core_pace_set(t, c, (fs_t)t->time.core * usual / hundred_mhz);
    core_frequency(c, hundred_mhz * 100);
  }
}

/* A state of the package, named by the event that counts it. */
struct package_state {
  uint8_t code;
  uint64_t attr;
};

static void state_set(struct traffic *t, struct socket *s, struct package_state state, bool on, fs_t at)
{
  struct snbep_socket *snb = snbep_socket(s);
  const unsigned bit = state.code + (state.attr ? 0x38u : 0); /* codes with the ninth bit are 1 and 2 */
  if ((snb->states >> bit & 1) == on)
    return;
  snb->states ^= UINT64_C(1) << bit;
  level_set(t, s->pcu, state.code, state.attr, at, on);
}

/* Evaluates all limits and minimum requests. The lowest limit applies, except the current limit, which has a
 * separate path. */
static void package_set(struct traffic *t, struct socket *s, fs_t at)
{
  const struct snbep_socket *n = snbep_socket(s);
  const unsigned usual = (unsigned)(t->config.value[CONFIG_CORE_GHZ] / 100);
  const bool peer = t->sockets > 1 && t->socket[1 - s->index] && t->socket[1 - s->index]->active;
  unsigned most = usual, limit = 0;
  for (unsigned k = 1; k < CONDITION_DEVICE; k++) {
    if (!limits[k].limit)
      continue;
    const unsigned to = limits[k].sixths ? usual * limits[k].sixths / 6 : ASLEEP;
    if (n->held[k] && to < most) {
      most = to;
      limit = k;
    }
    if (limits[k].condition)
      state_set(t, s, (struct package_state){limits[k].condition, 0}, n->held[k], at);
  }
  state_set(t, s, (struct package_state){SNB_PCU_FREQ_MAX_THERMAL, 0},
            limit && limits[limit].limit == SNB_PCU_FREQ_MAX_THERMAL, at);
  state_set(t, s, (struct package_state){SNB_PCU_FREQ_MAX_POWER, 0},
            limit && limits[limit].limit == SNB_PCU_FREQ_MAX_POWER, at);
  state_set(t, s, (struct package_state){SNB_PCU_FREQ_MAX_CURRENT, 0}, n->held[CONDITION_CURRENT], at);
  state_set(t, s, (struct package_state){SNB_PCU_FREQ_MAX_OS, 0}, !limit, at);
  const bool io = !s->active && n->held[CONDITION_DEVICE], other = !s->active && !io && peer;
  state_set(t, s, (struct package_state){SNB_PCU_FREQ_MIN_IO, SNB_EXT}, io, at);
  state_set(t, s, (struct package_state){SNB_PCU_FREQ_MIN_PERF, SNB_EXT}, other, at);
  const unsigned wanted = s->active ? usual : io ? IO_LEAST : other ? PEER_LEAST : ASLEEP;
  frequency_set(t, s, wanted < most ? wanted : most, at);
}

static void packages_set(struct traffic *t, fs_t at)
{
  for (unsigned i = 0; i < t->sockets; i++)
    if (t->socket[i])
      package_set(t, t->socket[i], at);
}

void snb_power_start(struct traffic *t, struct socket *s)
{
  struct snbep_socket *snb = snbep_socket(s);
  for (unsigned i = 0; i < t->cores; i++)
    snb->core[i] = (struct snb_core){.state = SNB_C6, .slept_for = UINT64_MAX};
  snb->in[1] = t->cores;
  package_set(t, s, 0);
}

/* A core that becomes idle requests C6. A core whose last sleep was shorter than C6_MIN_FS gets C3 instead: a
 * demotion. */
void snb_power_core(struct traffic *t, struct core *core, bool active, fs_t at)
{
  struct socket *s = t->socket[core->socket];
  struct snbep_socket *snb = snbep_socket(s);
  struct snb_core *c = &snb->core[core->index];
  if (core->active == active)
    return;
  core->active = active;
  core->front.due = 0;
  core_report_states(s, core->index, at);
  residency_report(t, s, at);
  if (active) {
    c->slept_for = c->slept_for == UINT64_MAX ? c->slept_for - 1 : at - c->since;
    state_change(snb, c, SNB_C0);
    core_state_set(t, s, core->index, CORE_C0, at);
    s->active++;
  } else {
    const bool demoted = c->slept_for < C6_MIN_FS;
    state_change(snb, c, demoted ? SNB_C3 : SNB_C6);
    core_state_set(t, s, core->index, demoted ? CORE_C3 : CORE_C6, at);
    c->since = at;
    s->active--;
    if (demoted)
      block_pulse(s->pcu, (uint8_t)(SNB_PCU_DEMOTIONS + core->index), 0, UINT16_MAX, at, 1);
  }
  c->moved = at;
  c->moving = at + WAKE_FS;
  packages_set(t, at);
}

/* Returns the time since which all of a socket's channels have been idle. */
static fs_t memory_rests(const struct traffic *t, const struct socket *s)
{
  fs_t since = 0;
  for (unsigned i = 0; i < t->imcs * t->channels; i++)
    since = s->channel[i].busy_until > since ? s->channel[i].busy_until : since;
  return since;
}

void snb_power_advance(struct traffic *t, struct socket *s, fs_t until)
{
  const fs_t shed = memory_rests(t, s) + SHED_FS;
  ramp_report(t, s, until);
  for (unsigned i = 0; i < t->cores; i++)
    core_report_states(s, i, until);
  residency_report(t, s, until);
  if (until > shed)
    snb_state(s->pcu, SNB_PCU_MEMORY_PHASE_SHEDDING, 0, &snbep_socket(s)->shed, (fs_t[]){shed, until});
}

/* ---- outside conditions ---- */

static bool link_damage(struct traffic *t, const struct traffic_condition *c, enum condition_step step)
{
  if (c->instance < 0 || c->instance >= (int)t->links || t->sockets < 2)
    return false;
  struct snb_link *l = &snbep_socket(t->socket[1 - c->socket])->link[c->instance]; /* the other side sends */
  if (step == CONDITION_BEGINS) {
    l->damaged_from = c->from;
    l->damaged += c->count;
  }
  return true;
}

bool snb_condition(struct traffic *t, const struct traffic_condition *c, enum condition_step step, fs_t at)
{
  struct snbep_socket *n = snbep_socket(t->socket[c->socket]);
  if (c->kind == CONDITION_THROTTLE || c->kind == CONDITION_CRITICAL || c->kind == CONDITION_ECC)
    return channels_limit(t, c, step);
  if (c->kind == CONDITION_DAMAGE)
    return link_damage(t, c, step);
  if (step == CONDITION_POSSIBLE)
    return true;
  n->held[c->kind] += step == CONDITION_BEGINS ? 1 : -1;
  packages_set(t, at);
  return true;
}

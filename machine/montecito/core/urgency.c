/* SPDX-License-Identifier: MIT */
/*
 * Decides when a core switches between its two threads (2.4.1). Each thread has an urgency, which events of the L3
 * change. A switch is requested when the active thread's urgency is lower at such an event, at the end of its time
 * slice, and by a hint. The source of the records serves the request before the thread's next bundle. A bundle, or the
 * part of it after the end of a group, that waits for its fetch or for registers is flushed, and issues when the thread
 * is switched in again.
 *
 * The model's own: the length of a time slice; a miss is known when the L3 would have delivered the line; a request
 * stays until it is served; a thread that gets the core has the nominal urgency, if it had a higher one. So are the
 * details of the policies of 2.4.2. Performance: as above. Fairness: events of the L3 request no switch, so that time
 * slices and hints decide. High priority: the thread's urgency counts as two more. Exclusive: the thread loses the core
 * only by its own hint or low power, and gets it back at the first event.
 */
#include "machine/montecito/core/cycles.h"
#include "machine/montecito/core/threads.h"
#include "machine/montecito/events/umasks.h"
#include "machine/montecito/monitors/counters.h"

enum {
  URGENCY_NONE = 0,
  URGENCY_NOMINAL = 5,
  URGENCY_INTERRUPT = 6,
  URGENCY_READY = 7,
  MORE_HIGH = 2,
  MORE_EXCLUSIVE = 8,
  NO_CAUSE = SWITCH_N,
  EV_SWITCH = 0x0c,
  EV_GATED = 0x0d,
  EV_SWITCH_CYCLE = 0x0e
};

/* Returns the thread's urgency, weighted by its core's policy. */
static unsigned urgency_weighed(const struct montecito_sharing *s, unsigned thread)
{
  const unsigned more = s->policy == MONTECITO_HIGH ? MORE_HIGH : s->policy == MONTECITO_EXCLUSIVE ? MORE_EXCLUSIVE : 0;
  return s->urgency[thread] + (thread == s->holder ? more : 0);
}

static void urgency_compare(struct montecito_core *c)
{
  struct montecito_sharing *s = &c->sharing;
  if (!s->both || s->wanted != NO_CAUSE)
    return;
  if (s->policy != MONTECITO_FAIRNESS && urgency_weighed(s, c->active) < urgency_weighed(s, !c->active))
    s->wanted = SWITCH_L3MISS;
  else
    montecito_pulse(c, EV_SWITCH, UM_X(0), 1); /* a missed opportunity */
}

__attribute__((hot)) void urgency_l3_miss(struct montecito_core *c, unsigned thread, uint64_t returns_at)
{
  struct montecito_sharing *s = &c->sharing;
  if (!s->both)
    return;
  const uint64_t known_at = c->cycle + core_parameter(c, MONTECITO_L3_LATENCY);
  struct montecito_deferred d = {
      .at = known_at < returns_at ? known_at : returns_at, .kind = DEFERRED_MISS, .thread = (uint8_t)thread};
  montecito_deferred_add(c, &d);
  d.at = returns_at;
  d.kind = DEFERRED_RETURN;
  montecito_deferred_add(c, &d);
}

void urgency_deferred(struct montecito_core *c, const struct montecito_deferred *d)
{
  uint8_t *urgency = &c->sharing.urgency[d->thread];
  if (d->kind == DEFERRED_MISS && *urgency > URGENCY_NONE)
    --*urgency;
  else if (d->kind == DEFERRED_RETURN && *urgency < URGENCY_NOMINAL)
    ++*urgency;
  urgency_compare(c);
}

void urgency_interrupt(struct montecito_core *c, unsigned thread)
{
  if (c->sharing.both && thread != c->active && c->sharing.urgency[thread] < URGENCY_INTERRUPT) {
    c->sharing.urgency[thread] = URGENCY_INTERRUPT;
    urgency_compare(c);
  }
}

void urgency_pause(struct montecito_core *c, bool quiesce)
{
  struct montecito_sharing *s = &c->sharing;
  if (!s->both) {
    if (!quiesce)
      montecito_pulse(c, EV_GATED, UM_X(1) | UM_X(7), 1); /* the other thread is in low power */
    return;
  }
  if (quiesce)
    s->urgency[c->active] = URGENCY_NONE;
  s->wanted = quiesce ? SWITCH_LOW_POWER : SWITCH_HINT;
}

void urgency_switched(struct montecito_core *c)
{
  struct montecito_sharing *s = &c->sharing;
  s->wanted = NO_CAUSE;
  s->since = c->cycle;
  if (s->urgency[c->active] > URGENCY_NOMINAL)
    s->urgency[c->active] = URGENCY_NOMINAL;
  memory_set_space(&c->memory, s->space[c->active]);
}

uint64_t urgency_cycles_left(const struct montecito_core *c)
{
  const struct montecito_sharing *s = &c->sharing;
  const uint64_t used = c->cycle - s->since, quantum = core_parameter(c, MONTECITO_SWITCH_QUANTUM);
  if (s->wanted != NO_CAUSE)
    return 0;
  if (s->policy == MONTECITO_EXCLUSIVE && s->holder == c->active)
    return UINT64_MAX;
  return used < quantum ? quantum - used : 0;
}

void montecito_core_share(struct montecito_machine *m, unsigned core, bool both)
{
  struct montecito_core *c = &m->cores[core];
  if (both && c->sharing.both) /* a program that begins or ends on the other core changes nothing here */
    return;
  const struct montecito_sharing fresh = {.both = both,
                                          .urgency = {URGENCY_NOMINAL, URGENCY_NOMINAL},
                                          .wanted = NO_CAUSE,
                                          .policy = c->sharing.policy,
                                          .holder = c->sharing.holder,
                                          .since = c->cycle};
  const uint16_t space[2] = {c->sharing.space[0], c->sharing.space[1]};
  c->sharing = fresh;
  c->sharing.space[0] = space[0];
  c->sharing.space[1] = space[1];
}

void montecito_cores_coherent(struct montecito_machine *m)
{
  m->coherent = true;
}

void montecito_thread_space(struct montecito_machine *m, unsigned thread, uint16_t space)
{
  struct montecito_core *c = &m->cores[thread / 2];
  c->waiting[thread % 2].valid = false;
  c->sharing.space[thread % 2] = space;
  if (c->active == thread % 2)
    memory_set_space(&c->memory, space);
}

void montecito_switch_gated(struct montecito_machine *m, unsigned core)
{
  struct montecito_core *c = &m->cores[core];
  if (!c->sharing.both || c->sharing.wanted == NO_CAUSE)
    return;
  montecito_pulse(c, EV_GATED, UM_X(4) | UM_X(7), 1);
  montecito_pulse(c, EV_SWITCH_CYCLE, UM_X(6), 1);
}

bool montecito_switch_wanted(struct montecito_machine *m, unsigned core, uint8_t *ret_cause)
{
  struct montecito_core *c = &m->cores[core];
  struct montecito_sharing *s = &c->sharing;
  if (!s->both)
    return false;
  if (s->wanted == NO_CAUSE && !urgency_cycles_left(c)) {
    s->wanted = SWITCH_TIMER;
    if (c->cycle - c->thread[c->active].retired_cycle <= 1 || c->open) /* the thread was not stalled */
      s->urgency[c->active] = URGENCY_READY;
  }
  *ret_cause = s->wanted;
  return s->wanted != NO_CAUSE;
}

__attribute__((hot)) bool montecito_thread_goes_on(const struct montecito_machine *m, unsigned thread)
{
  const struct montecito_core *c = &m->cores[thread / 2];
  return c->active == thread % 2 && !c->waiting[thread % 2].valid;
}

bool montecito_bundle_waits(const struct montecito_machine *m, unsigned thread)
{
  return m->cores[thread / 2].waiting[thread % 2].valid;
}

bool montecito_policy_set(struct montecito_machine *m, unsigned thread, enum montecito_policy policy)
{
  struct montecito_sharing *s = &m->cores[thread / 2].sharing;
  if (s->policy == MONTECITO_EXCLUSIVE && s->holder != thread % 2)
    return false;
  s->policy = (uint8_t)policy;
  s->holder = (uint8_t)(thread % 2);
  return true;
}

enum montecito_policy montecito_policy(const struct montecito_machine *m, unsigned thread, unsigned *ret_holder)
{
  const struct montecito_sharing *s = &m->cores[thread / 2].sharing;
  *ret_holder = thread / 2 * 2 + s->holder;
  return s->policy;
}

void montecito_castouts_set(struct montecito_machine *m, bool on)
{
  m->castouts = on;
}

bool montecito_castouts(const struct montecito_machine *m)
{
  return m->castouts;
}

uint64_t montecito_core_cycle(const struct montecito_machine *m, unsigned core)
{
  return m->cores[core].cycle;
}

/* SPDX-License-Identifier: MIT */
/*
 * Freezing counters, and its times. There are three scopes: the package's control (817509 1.10.5), which stops all of
 * its counters at once; each unit's own control (817509 1.4.0.1; 327043 2.1.1, where a unit has a freeze-enable bit;
 * Montecito 3.3.4, where it is the thread's); and none, for users that share the machine. If a freeze takes a write for
 * each unit, it is done at both ends of the measurement, where it adds little to the session's own writes; an interval
 * in between takes reads only.
 */
#include "src/access/register.h"
#include "src/platform/context.h"
#include "src/session/overlap.h"
#include "src/session/session.h"

void session_find_freeze(const struct pmon_platform *p, struct session_register *r)
{
  r->freeze = r->freeze_enable = 0;
  if (r->phase == PHASE_GLOBAL_CTL)
    r->freeze = access_field(p, &r->id, "frz_all");
  if (r->phase != PHASE_UNIT_CTL)
    return;
  r->freeze = access_field(p, &r->id, "frz");
  r->freeze_enable = access_field(p, &r->id, "frz_en");
}

int session_choose_freeze(struct pmon_session *s)
{
  uint32_t globals = 0, able = 0, boxes = 0;
  if (s->freeze > PMON_FREEZE_BOUNDARIES)
    return context_fail(s->plan->context, PMON_E_INVALID, 0, "freeze scope %u: expected a value of enum pmon_freeze",
                        s->freeze);
  for (uint32_t i = 0; i < s->n_regs; i++) {
    const struct session_register *r = &s->regs[i];
    globals += r->phase == PHASE_GLOBAL_CTL;
    able += r->phase == PHASE_GLOBAL_CTL && r->freeze && !r->missing;
    boxes += r->phase == PHASE_UNIT_CTL && r->freeze && !r->missing;
  }
  const bool global = globals && globals == able;
  const bool interrupted = s->rounds > 1 || s->every_count; /* counters are programmed again between the boundaries */
  if (s->freeze == PMON_FREEZE_BEST)
    s->freeze = global                      ? PMON_FREEZE_GLOBAL
                : !boxes                    ? PMON_FREEZE_NONE
                : s->plan->invariants_given ? PMON_FREEZE_BOX
                                            : PMON_FREEZE_BOUNDARIES;
  if (s->freeze == PMON_FREEZE_BOUNDARIES && interrupted)
    s->freeze = PMON_FREEZE_BOX;
  if (s->freeze == PMON_FREEZE_GLOBAL && !global)
    return context_fail(
        s->plan->context, PMON_E_UNSUPPORTED, 0,
        "this platform cannot freeze all counters of a package at once; use box to freeze unit by unit");
  if ((s->freeze == PMON_FREEZE_BOX || s->freeze == PMON_FREEZE_BOUNDARIES) && !boxes)
    return context_fail(s->plan->context, PMON_E_UNSUPPORTED, 0,
                        "no unit of this plan can be frozen by itself; use none to read counters as they run");
  return 0;
}

static bool is_frozen(const struct pmon_session *s, const struct session_run *run)
{
  const struct session_register *counter = &s->regs[run->counter];
  const bool of_core = counter->address.space == PMON_SPACE_MSR && counter->address.device; /* not part of the uncore */
  if (!run->own || of_core || s->freeze == PMON_FREEZE_NONE)
    return false;
  for (uint32_t i = 0; i < s->n_regs; i++) {
    const struct session_register *r = &s->regs[i];
    if (session_freezes(s, r) && r->address.package == counter->address.package &&
        (s->freeze == PMON_FREEZE_GLOBAL || (r->id.unit == counter->id.unit && r->id.instance == counter->id.instance)))
      return true;
  }
  return false;
}

void session_find_freezable(struct pmon_session *s)
{
  for (uint32_t i = 0; i < s->n_runs; i++)
    s->runs[i].freezable = !s->runs[i].gone && is_frozen(s, &s->runs[i]);
}

int session_freeze(struct pmon_session *s)
{
  int first = 0;
  for (uint32_t i = 0; i < s->n_regs; i++) {
    struct session_register *r = &s->regs[i];
    if (!session_freezes(s, r))
      continue;
    int status = session_write(s, r, (r->now & r->stable) | r->freeze_enable | r->freeze);
    first = first ? first : status;
  }
  s->frozen = !first;
  overlap_frozen(s);
  return first;
}

int session_release_units(struct pmon_session *s)
{
  for (uint32_t i = 0; i < s->n_regs; i++) {
    struct session_register *r = &s->regs[i];
    if (r->missing || r->phase != PHASE_UNIT_CTL || s->freeze != PMON_FREEZE_GLOBAL || !(r->freeze & ~r->stable))
      continue;
    int status = session_write(s, r, r->now & r->stable & ~r->freeze);
    if (status)
      return status;
  }
  return 0;
}

static int session_unfreeze(struct pmon_session *s)
{
  s->frozen = false; /* some counters run from the first write on, even if a later write fails */
  for (uint32_t i = 0; i < s->n_regs; i++) {
    struct session_register *r = &s->regs[i];
    bool frozen = !r->missing && r->phase == PHASE_UNIT_CTL && r->now & r->freeze;
    if (!session_freezes(s, r) && !frozen)
      continue;
    int status = session_write(s, r, (r->now & r->stable) & ~r->freeze);
    if (status)
      return status;
  }
  overlap_unfrozen(s);
  return 0;
}

int session_clock(struct pmon_session *s, uint64_t *ret_ns)
{
  bool ended;
  int status = s->backend->ops->wait(s->backend, 0, ret_ns, &ended);
  if (status && s->backend->error_text) /* the machine's input has errors of its own */
    return context_fail(s->plan->context, status, 0, "%s", s->backend->error_text);
  return status ? session_fail(s, NULL, "the clock cannot be read", status) : 0;
}

bool session_freezes_reads(const struct pmon_session *s)
{
  return s->freeze == PMON_FREEZE_BOUNDARIES ? s->ended : s->freeze != PMON_FREEZE_NONE;
}

int session_freeze_timed(struct pmon_session *s)
{
  const uint64_t from_ns = s->now_ns;
  int status = session_freeze(s);
  if (status || s->freeze == PMON_FREEZE_NONE)
    return status;
  status = session_clock(s, &s->now_ns);
  if (status)
    return status;
  s->last_freeze_ns = s->now_ns - from_ns;
  if (s->last_freeze_ns > s->freeze_ns)
    s->freeze_ns = s->last_freeze_ns;
  return 0;
}

int session_resume(struct pmon_session *s, bool anew)
{
  int status = session_unfreeze(s);
  if (status)
    return status;
  s->resume_ns = s->now_ns;
  /* Without a freeze, counters have run on since they were read, unless they were written anew. */
  return s->freeze == PMON_FREEZE_NONE && !anew ? 0 : session_clock(s, &s->resume_ns);
}

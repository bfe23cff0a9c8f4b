/* SPDX-License-Identifier: MIT */
/* The freeze of one session, which also stops the counters of others: their pauses, and an end of the freeze. */
#include "src/access/register.h"
#include "src/session/overlap.h"

enum { RELEASE_TRIES = 3 };

/* True if the session needs its counters to run: a stopped session, or one whose workload has ended, does not. */
static bool is_running(const struct pmon_session *s)
{
  return s->started && !s->stopped && !s->frozen && !s->released;
}

/* True if freezing with the register stops the run's counter. */
static bool freeze_stops(const struct session_register *r, const struct pmon_session *o, const struct session_run *run)
{
  const struct session_register *counter = &o->regs[run->counter];
  return run->own && !run->gone && r->address.package == counter->address.package &&
         (r->phase == PHASE_GLOBAL_CTL || (r->id.unit == counter->id.unit && r->id.instance == counter->id.instance));
}

static uint64_t clock_of(struct pmon_session *s)
{
  uint64_t now_ns = 0;
  bool ended;
  return s->backend->ops->wait(s->backend, 0, &now_ns, &ended) ? s->now_ns : now_ns;
}

void overlap_frozen(struct pmon_session *s)
{
  struct pmon_session *o = overlap_first(s);
  const uint64_t now_ns = o ? clock_of(s) : 0;
  for (; o; o = overlap_next(s, o))
    for (uint32_t i = 0; is_running(o) && i < s->n_regs; i++)
      for (uint32_t k = 0; session_freezes(s, &s->regs[i]) && k < o->n_runs; k++) {
        struct session_run *run = &o->runs[k];
        if (run->paused || !freeze_stops(&s->regs[i], o, run))
          continue;
        run->paused = true;
        run->paused_from_ns = now_ns;
      }
}

/* A pause of all counters that count now belongs to no interval; a pause of some of them shortens their counting
 * time. */
static void end_pause(struct pmon_session *o, uint64_t now_ns)
{
  uint64_t pause_ns = 0;
  bool all = true;
  for (uint32_t i = 0; i < o->n_runs; i++) {
    const struct session_run *run = &o->runs[i];
    if (run->gone || (run->round != o->round && run->round != UINT32_MAX))
      continue;
    all = all && run->paused;
    pause_ns = run->paused ? now_ns - run->paused_from_ns : pause_ns;
  }
  if (all)
    o->pause_ns += pause_ns;
  for (uint32_t i = 0; i < o->n_runs; i++) {
    struct session_run *run = &o->runs[i];
    if (run->paused && !all)
      run->paused_ns += now_ns - run->paused_from_ns;
    run->paused = false;
  }
}

void overlap_unfrozen(struct pmon_session *s)
{
  struct pmon_session *o = overlap_first(s);
  const uint64_t now_ns = o ? clock_of(s) : 0;
  for (; o; o = overlap_next(s, o)) {
    end_pause(o, now_ns);
    if (!o->started || !o->frozen || o->freeze == PMON_FREEZE_NONE)
      continue;
    /* The session had left its counters frozen, and some of them run now. */
    o->frozen = false;
    o->released = true;
  }
}

void overlap_add_pauses(struct pmon_session *s)
{
  for (uint32_t i = 0; i < s->n_runs; i++) {
    struct session_run *run = &s->runs[i];
    if (!run->paused)
      continue;
    run->paused_ns += s->now_ns > run->paused_from_ns ? s->now_ns - run->paused_from_ns : 0;
    run->paused_from_ns = s->now_ns;
  }
}

static bool stops_others(const struct pmon_session *s, const struct session_register *r)
{
  for (struct pmon_session *o = overlap_first(s); o; o = overlap_next(s, o))
    for (uint32_t i = 0; is_running(o) && i < o->n_runs; i++)
      if (freeze_stops(r, o, &o->runs[i]))
        return true;
  return false;
}

bool overlap_yield(struct pmon_session *s)
{
  bool any = false;
  for (uint32_t i = 0; overlap_first(s) && i < s->n_regs; i++) {
    struct session_register *r = &s->regs[i];
    if (!r->written || !session_freezes(s, r) || !stops_others(s, r))
      continue;
    any = true;
    r->now &= r->stable & ~r->freeze;
    int status = PMON_E_IO;
    for (int k = 0; status && k < RELEASE_TRIES; k++)
      status = access_write(s->backend, &r->address, r->now);
    overlap_note_write(s, r);
  }
  if (!any)
    return false;
  s->frozen = false;
  overlap_unfrozen(s);
  return true;
}

/* SPDX-License-Identifier: MIT */
/* The sessions of a backend, and the counters and registers that a new session may have beside the others. */
#include "src/session/overlap.h"

#include <inttypes.h>
#include <stdio.h>
#include "src/plan/witness.h"
#include "src/platform/context.h"

/* The innermost backend has the list: registers are the same through each of its wrappers. */
static struct pmon_session **list_of(struct pmon_backend *b)
{
  while (b->inner)
    b = b->inner;
  return &b->sessions;
}

static struct pmon_session *skip_self(const struct pmon_session *s, struct pmon_session *other)
{
  return other == s ? other->next : other;
}

struct pmon_session *overlap_first(const struct pmon_session *s)
{
  return s->backend ? skip_self(s, *list_of(s->backend)) : NULL;
}

struct pmon_session *overlap_next(const struct pmon_session *s, const struct pmon_session *other)
{
  return skip_self(s, other->next);
}

int overlap_check(struct pmon_session *s)
{
  for (struct pmon_session *o = overlap_first(s); o; o = overlap_next(s, o)) {
    if (s->backend->counting)
      return context_fail(s->plan->context, PMON_E_CONFLICT, 0,
                          "%s already has a session (number %" PRIu32
                          ") and supports one at a time; close that session, or open another backend",
                          s->backend->ops->name, o->number);
    if ((s->every_count || o->every_count) && s->packages & o->packages)
      return context_fail(s->plan->context, PMON_E_CONFLICT, 0,
                          "session %" PRIu32
                          " of this backend counts on the same packages, and the intervals of %s end at overflows, "
                          "which freeze all counters; close one before the other begins",
                          o->number, s->every_count ? "this session" : "that session");
  }
  return 0;
}

/* True if a run of another session has a counter of the event's unit, on an instance and package that `s` uses. */
static bool competes(const struct pmon_session *s, uint32_t event, const struct pmon_session *o,
                     const struct session_run *run)
{
  const struct plan_event *e = &s->plan->events[event];
  const struct session_register *counter = &o->regs[run->counter];
  return run->own && pmon_event_get_kind(o->plan->events[run->event].event) == PMON_EVENT_PROGRAMMED &&
         counter->id.unit == pmon_event_unit(e->event) && e->instances >> counter->id.instance & 1 &&
         s->packages >> counter->address.package & 1;
}

bool overlap_has_unit(const struct pmon_session *s, uint32_t unit)
{
  for (struct pmon_session *o = overlap_first(s); o; o = overlap_next(s, o))
    for (uint32_t i = 0; i < o->n_runs; i++)
      if (o->runs[i].own && o->regs[o->runs[i].counter].id.unit == unit)
        return true;
  return false;
}

/* Counters that a session avoids: those of other sessions' events, and with `witnesses` also those of their
 * witnesses. */
struct avoidance {
  const struct pmon_session *s;
  bool witnesses;
};

static uint32_t taken_counters(void *user, uint32_t event)
{
  const struct avoidance *b = user;
  uint32_t taken = 0;
  for (struct pmon_session *o = overlap_first(b->s); o; o = overlap_next(b->s, o))
    for (uint32_t i = 0; i < o->n_runs; i++)
      if (competes(b->s, event, o, &o->runs[i]) && (b->witnesses || !session_is_witness(o, o->runs[i].event)))
        taken |= UINT32_C(1) << o->runs[i].number;
  return taken;
}

/* Formats a register of another session, and the event that uses it. */
static void write_owner(const struct pmon_session *o, const struct session_register *r, uint32_t event, char *text,
                        size_t size)
{
  char name[80];
  pmon_register_name(o->plan->platform, &r->id, name, sizeof name);
  snprintf(text, size, "%s (instance %" PRIu32 ", package %" PRIu32 ") is used by session %" PRIu32 " for %s", name,
           r->id.instance, r->address.package, o->number, pmon_event_name(o->plan->events[event].event));
}

static int refuse(const struct pmon_session *s, uint32_t event, const char *owner)
{
  return context_fail(
      s->plan->context, PMON_E_CONFLICT, 0,
      "%s cannot be counted together with the other sessions of this backend: %s; close that session first, or "
      "choose other instances",
      pmon_event_name(s->plan->events[event].event), owner);
}

/* Fails because no schedule avoids the taken counters: names the first of them that one of the events would need. */
static int refuse_schedule(const struct pmon_session *s, const struct schedule_conflict *c)
{
  for (uint32_t k = 0; k < c->n; k++)
    for (struct pmon_session *o = overlap_first(s); o; o = overlap_next(s, o))
      for (uint32_t i = 0; i < o->n_runs; i++) {
        char owner[400];
        if (!competes(s, c->items[k], o, &o->runs[i]) || session_is_witness(o, o->runs[i].event))
          continue;
        write_owner(o, &o->regs[o->runs[i].counter], o->runs[i].event, owner, sizeof owner);
        return refuse(s, c->items[k], owner);
      }
  return context_fail(s->plan->context, PMON_E_CONFLICT, 0, "other sessions leave too few counters free");
}

/* Uses the plan's schedule if no counter is taken, else makes one for the session. */
static int schedule_avoiding(struct pmon_session *s, bool witnesses, struct schedule_conflict *conflict)
{
  struct avoidance b = {s, witnesses};
  uint32_t taken = 0;
  s->schedule = &s->plan->schedule;
  s->rounds = s->schedule->rounds;
  for (uint32_t i = 0; overlap_first(s) && i < plan_own_events(s->plan); i++)
    taken |= taken_counters(&b, i);
  if (!taken)
    return 0;
  const int status = plan_schedule_around(s->plan, taken_counters, &b, conflict, &s->own_schedule);
  if (status)
    return status;
  s->schedule = &s->own_schedule;
  s->rounds = s->own_schedule.rounds;
  return 0;
}

int overlap_schedule(struct pmon_session *s)
{
  struct schedule_conflict conflict = {0};
  int status = schedule_avoiding(s, true, &conflict);
  /* A witness loses its counter if avoiding it would cost events a round. */
  if (status == PMON_E_UNSCHEDULABLE || s->rounds > s->plan->schedule.rounds) {
    schedule_plan_fini(&s->own_schedule);
    s->own_schedule = (struct schedule_plan){0};
    status = schedule_avoiding(s, false, &conflict);
  }
  if (status == PMON_E_UNSCHEDULABLE)
    return refuse_schedule(s, &conflict);
  return status ? context_fail(s->plan->context, status, 0, "no memory for a session") : 0;
}

/* Returns the register of the other session with which `run` conflicts: counters and controls belong to one session
 * with all their bits; sessions may share a filter if they need the same contents. NULL: none. */
static const struct session_register *find_conflicting_register(const struct pmon_session *s,
                                                                const struct session_run *run,
                                                                const struct pmon_session *o,
                                                                const struct session_run *taken)
{
  if (session_same_place(&s->regs[run->counter].address, &o->regs[taken->counter].address))
    return &o->regs[taken->counter];
  for (uint32_t i = 0; i < run->n_writes; i++)
    for (uint32_t k = 0; k < taken->n_writes; k++) {
      const struct session_write *a = &run->writes[i], *b = &taken->writes[k];
      if (session_same_place(&s->regs[a->reg].address, &o->regs[b->reg].address) &&
          (s->regs[a->reg].phase != PHASE_FILTER || (a->value ^ b->value) & a->mask & b->mask))
        return &o->regs[b->reg];
    }
  return NULL;
}

/* True if the other session has the run's counter or one of the registers that it writes. */
static bool has_register_of(const struct pmon_session *s, const struct session_run *run, const struct pmon_session *o)
{
  bool has = session_lookup_register(o, &s->regs[run->counter].address) != NULL;
  for (uint32_t i = 0; !has && i < run->n_writes; i++)
    has = session_lookup_register(o, &s->regs[run->writes[i].reg].address) != NULL;
  return has;
}

/* Returns the other session's first run, of its events or of its witnesses, that `run` conflicts with; NULL: none. */
static const struct session_run *find_conflicting_run(const struct pmon_session *s, const struct session_run *run,
                                                      const struct pmon_session *o, bool witness)
{
  for (uint32_t k = 0; run->own && has_register_of(s, run, o) && k < o->n_runs; k++)
    if (o->runs[k].own && session_is_witness(o, o->runs[k].event) == witness &&
        find_conflicting_register(s, run, o, &o->runs[k]))
      return &o->runs[k];
  return NULL;
}

int overlap_check_registers(struct pmon_session *s)
{
  for (struct pmon_session *o = overlap_first(s); o; o = overlap_next(s, o))
    for (uint32_t i = 0; i < s->n_runs; i++) {
      const struct session_run *run = &s->runs[i], *taken = find_conflicting_run(s, run, o, false);
      char owner[400];
      if (!taken)
        continue;
      write_owner(o, find_conflicting_register(s, run, o, taken), taken->event, owner, sizeof owner);
      return refuse(s, run->event, owner);
    }
  /* Only once it is known that the session can count. */
  for (struct pmon_session *o = overlap_first(s); o; o = overlap_next(s, o))
    for (uint32_t i = 0; i < s->n_runs; i++)
      if (find_conflicting_run(s, &s->runs[i], o, true))
        session_give_up_witnesses(o);
  return 0;
}

void overlap_join(struct pmon_session *s)
{
  struct pmon_session **at = list_of(s->backend);
  s->number = 1;
  for (; *at; at = &(*at)->next)
    s->number = (*at)->number + 1;
  *at = s;
}

void overlap_leave(struct pmon_session *s)
{
  struct pmon_session **at = s->backend ? list_of(s->backend) : NULL;
  while (at && *at && *at != s)
    at = &(*at)->next;
  if (at && *at)
    *at = s->next;
}

/* SPDX-License-Identifier: MIT */
/* Register accesses of a session: save, program, restore. */
#include <stdio.h>
#include <string.h>
#include "src/access/register.h"
#include "src/platform/context.h"
#include "src/session/absent.h"
#include "src/session/overlap.h"
#include "src/session/samples.h"
#include "src/session/session.h"

enum { RESTORE_TRIES = 3 };

/* Reads and saves every register that will be written. */
static int session_save(struct pmon_session *s)
{
  bool there = false;
  for (uint32_t i = 0; i < s->n_regs; i++)
    if (s->regs[i].phase != PHASE_SAMPLE && !session_runs_in_halves(&s->regs[i]))
      session_sweep_add(s, i);
  int status = session_sweep(s);
  for (uint32_t i = 0; !status && i < s->n_regs; i++) {
    struct session_register *r = &s->regs[i];
    if (r->phase == PHASE_SAMPLE)
      continue;
    if (session_runs_in_halves(r))
      r->seen_status = access_read(s->backend, &r->address, &r->seen);
    if (r->seen_status && r->seen_status != PMON_E_NO_DEVICE && !r->optional)
      status = session_fail(s, r, "cannot read", r->seen_status);
    r->missing = r->seen_status != 0;
    r->now = r->saved = r->seen;
  }
  if (status)
    return status;
  for (uint32_t i = 0; i < s->n_runs; i++) {
    struct session_run *run = &s->runs[i];
    run->gone = s->regs[run->counter].missing;
    there |= !run->gone && !session_is_witness(s, run->event);
    for (uint32_t k = run->n_neutral; k < run->n_writes; k++)
      run->gone |= s->regs[run->writes[k].reg].missing;
    if (run->gone)
      s->cells[run->cell].flags |= PMON_VALUE_UNAVAILABLE;
  }
  if (!there)
    return s->n_runs ? session_fail_absent(s) : 0;
  session_find_absent(s);
  return session_find_presence(s);
}

/* True if the counter holds its initial value already and was off before the session, so that it needs no write. */
static bool needs_no_write(const struct pmon_session *s, const struct session_run *run)
{
  const struct session_register *counter = &s->regs[run->counter];
  const struct session_register *ctl = &s->regs[run->writes[run->n_writes - 1].reg];
  return !counter->written && !counter->adopted && counter->saved == run->first && session_selects(s, ctl) &&
         !(ctl->saved & session_selects(s, ctl));
}

/* True if other registers, which depend on the round, determine what the counter counts: a filter, the counter that
 * selects an event of the same set, or the counter that it follows. */
static bool depends_on_round(const struct pmon_session *s, const struct session_run *run)
{
  const struct pmon_event *e = s->plan->events[run->event].event;
  bool changed = false;
  for (uint32_t k = 0; k < run->n_neutral; k++)
    changed |= !run->writes[k].quiet && s->regs[run->writes[k].reg].changed;
  return changed || run->n_writes - run->n_neutral > 1 || pmon_event_leader(e, run->number) != run->number ||
         plan_followed_counter(e) != UINT32_MAX;
}

/* Switches off counters of the previous round that the new round does not use, if they would count something else with
 * its filters and sets. Other unused counters run on, which costs no access, and are not read. */
static int switch_off_left(struct pmon_session *s, uint32_t before)
{
  int status = 0;
  for (uint32_t i = 0; !status && i < s->n_runs; i++) {
    const struct session_run *run = &s->runs[i];
    if (run->gone || run->round != before || !depends_on_round(s, run))
      continue;
    struct session_register *ctl = &s->regs[run->writes[run->n_writes - 1].reg];
    const uint64_t selects = session_selects(s, ctl);
    if (ctl->phase == PHASE_CTL && ctl->in_round == before && ctl->now & selects)
      status = session_write(s, ctl, ctl->now & ~selects);
  }
  return status;
}

static int program_run(struct pmon_session *s, struct session_run *run)
{
  if (run->n_writes)
    s->regs[run->writes[run->n_writes - 1].reg].in_round = run->round;
  bool changed = false; /* a filter of the event has changed: its control is programmed again */
  for (uint32_t k = 0; k < run->n_writes; k++) {
    const struct session_write *w = &run->writes[k];
    struct session_register *r = &s->regs[w->reg];
    uint64_t value = (r->now & ~w->mask & r->stable) | (w->value & w->mask);
    changed |= r->changed;
    if (k < run->n_neutral || (r->written && r->now == value && !(changed && r->phase == PHASE_CTL)))
      continue; /* session_program_filters() has made the filters neutral */
    int status = session_write(s, r, value);
    if (status)
      return status;
  }
  struct session_register *counter = &s->regs[run->counter];
  run->before = run->first;
  run->paused_ns = 0;
  run->verified_ns = s->now_ns;
  run->counted = run->changed = false;
  if (run->own && needs_no_write(s, run)) {
    counter->written = true; /* counting will change it */
    return 0;
  }
  if (run->own)
    return session_write(s, counter, run->first);
  int status = access_read(s->backend, &counter->address, &run->before);
  return status ? session_fail_or_lose(s, counter, "cannot read", status) : 0;
}

/* Writes the images of a round and sets its counters to zero; with `always` also those of runs that count in every
 * round. */
static int session_program(struct pmon_session *s, uint32_t round, bool always)
{
  int failed = session_clear_counted_buffers(s);
  if (!failed)
    failed = session_program_filters(s, round);
  for (uint32_t i = 0; !failed && i < s->n_runs; i++) {
    struct session_run *run = &s->runs[i];
    if (run->gone || !(run->round == round || (always && run->round == UINT32_MAX)))
      continue;
    int status = program_run(s, run);
    if (status)
      return status;
  }
  if (!failed && !always)
    failed = switch_off_left(s, s->round);
  if (!failed)
    s->round = round;
  return failed;
}

/* Clears overflow bits that were set during the session: they belong to its counts. */
static int restore_status(struct pmon_session *s, struct session_register *r)
{
  uint64_t now = 0;
  int status = access_read(s->backend, &r->address, &now);
  uint64_t fresh = now & ~r->saved & r->writable;
  return status || !fresh ? status : access_write(s->backend, &r->address, fresh);
}

static int restore_register(struct pmon_session *s, struct session_register *r)
{
  int status = PMON_E_IO;
  for (int i = 0; status && i < RESTORE_TRIES; i++)
    if (r->phase == PHASE_STATUS)
      status = restore_status(s, r);
    else
      status = access_write(s->backend, &r->address,
                            r->phase == PHASE_CTR ? r->saved & r->writable
                                                  : (r->saved & r->stable) | (r->neutral & ~r->stable));
  return status;
}

/* Reports the registers that were not restored, the reason of the first failure, and the remedy. */
static int fail_lost(struct pmon_session *s, int status, const char *lost, const char *why)
{
  if (s->journal_written)
    return context_fail(s->plan->context, status, 0,
                        "could not be restored: %s: %s; %s has their contents: pmon "
                        "restore restores them when they are accessible",
                        lost, why, s->journal);
  return context_fail(s->plan->context, status, 0,
                      "could not be restored: %s: %s; no journal has their contents: "
                      "a reboot clears them",
                      lost, why);
}

int session_restore(struct pmon_session *s)
{
  char lost[600] = "", name[80], why[300] = "";
  size_t n = 0;
  int first = 0;
  if (s->started && !s->frozen && session_freeze(s))
    session_freeze(s);
  for (uint8_t phase = 0; phase < PHASE_N; phase++)
    for (uint32_t i = 0; i < s->n_regs; i++) {
      struct session_register *r = &s->regs[i];
      if (r->phase != phase || (r->missing && !r->lost) || !(r->written || (phase == PHASE_STATUS && s->started)))
        continue;
      if (overlap_hand_over(s, r))
        continue;
      int status = restore_register(s, r);
      if (!status)
        continue;
      if (!first)
        snprintf(why, sizeof why, "%s", s->backend->error_text ? s->backend->error_text : pmon_status_name(status));
      first = first ? first : status;
      pmon_register_name(s->plan->platform, &r->id, name, sizeof name);
      if (n < sizeof lost)
        n += (size_t)snprintf(lost + n, sizeof lost - n, "%s%s in instance %u, package %u", n ? "; " : "", name,
                              r->id.instance, r->address.package);
    }
  overlap_yield(s);
  if (n >= sizeof lost)
    memcpy(lost + sizeof lost - 5, " ...", 5);
  return first ? fail_lost(s, first, lost, why) : 0;
}

static int lay_out_registers(struct pmon_session *s)
{
  const uint32_t freeze = s->freeze;
  int status = session_lay_out(s);
  if (!status)
    status = overlap_check_registers(s);
  if (!status)
    status = session_lay_out_sweep(s) || session_lay_out_verify(s)
                 ? context_fail(s->plan->context, PMON_E_MEMORY, 0, "no memory for a session")
                 : session_save(s);
  if (!status)
    overlap_adopt(s);
  /* An absent register cannot freeze: choose again. In overflow mode the scope is fixed already. */
  if (!status && !s->every_count) {
    s->freeze = freeze;
    status = session_choose_freeze(s);
  }
  if (!status)
    session_find_freezable(s);
  return status;
}

static int begin_registers(struct pmon_session *s)
{
  int status = session_freeze_timed(s);
  if (!status)
    status = session_release_units(s);
  if (!status)
    status = session_save_buffers(s);
  if (!status)
    status = session_program(s, s->first_round, true);
  if (!status)
    status = session_program_buffers(s);
  if (!status)
    status = session_clear_overflows(s);
  s->shared_ns = s->now_ns;
  /* Registers that do not keep a written value are detected at the first counter read, or here. */
  if (!status && s->verify_ns)
    status = session_verify_all(s);
  if (!status)
    status = session_resume(s, true);
  s->freeze_ns = s->last_freeze_ns = 0;
  if (status)
    overlap_yield(s);
  return status;
}

static int end_slice_registers(struct pmon_session *s, double seconds, uint32_t next)
{
  const bool change = next != s->round, freeze = session_freezes_reads(s);
  (void)seconds; /* counters ran until the freeze */
  int status = freeze ? session_freeze_timed(s) : 0;
  s->last_ran = s->freeze == PMON_FREEZE_BOUNDARIES && !freeze;
  s->ran |= s->last_ran;
  if (!status)
    status = session_read_round(s);
  if (!status && change)
    status = session_program(s, next, false);
  if (!status && !s->ended && (freeze || change))
    status = session_resume(s, change);
  else if (!status && !s->ended)
    s->resume_ns = s->now_ns;
  /* Other sessions need running counters: counts of this session from here on are left out when it resumes. */
  if ((status || s->ended) && overlap_yield(s))
    s->released = s->ended;
  return status;
}

/* Counters that are not frozen have run on during the pause: counting starts from their current values. */
static int resume_registers(struct pmon_session *s)
{
  int status = s->released ? session_freeze(s) : 0;
  if (!status)
    status = session_read_baseline(s);
  if (!status)
    status = session_resume(s, true);
  if (status)
    overlap_yield(s);
  else
    s->released = false;
  return status;
}

const struct session_driver session_registers = {lay_out_registers, begin_registers, end_slice_registers,
                                                 resume_registers, session_restore};

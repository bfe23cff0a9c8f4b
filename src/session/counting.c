/* SPDX-License-Identifier: MIT */
/*
 * Sessions on backends without registers. The plan's rounds are kept: the session itself stops, reads and starts
 * multiplexed events, so that their uncertainty is known. If the backend shares counters with other users, an event
 * counts for part of a slice only, and is scaled like an event with a shorter slice.
 */
#include <stdio.h>
#include <pmon/hardware.h>
#include "src/access/counting.h"
#include "src/base/array.h"
#include "src/plan/witness.h"
#include "src/platform/context.h"
#include "src/session/absent.h"
#include "src/session/counts.h"
#include "src/session/perf_terms.h"
#include "src/session/session.h"

/* Without any enabled time after this long, the CPU has gone offline: the time of its counters stops. */
#define STILL_SECONDS 0.05

enum { WIDTH_BITS = 64, LIMIT_S = 3600 };

static struct pmon_counting *counting(const struct pmon_session *s)
{
  return s->backend->counting;
}

static int counting_fail(const struct pmon_session *s, const struct pmon_event *event, int status)
{
  const char *text = counting(s)->backend->error_text;
  text = text ? text : pmon_status_name(status);
  return context_fail(s->plan->context, status, 0, "%s%s%s", event ? pmon_event_name(event) : "", event ? ": " : "",
                      text);
}

static int add_run(struct pmon_session *s, const struct schedule_slot *slot, uint32_t package, uint32_t instance)
{
  const struct pmon_event *event = s->plan->events[slot->item].event;
  struct terms t;
  if (array_grow(&s->runs, s->n_runs, &s->cap_runs, sizeof *s->runs))
    return context_fail(s->plan->context, PMON_E_MEMORY, 0, "no memory for a session");
  struct session_run *run = &s->runs[s->n_runs];
  *run = (struct session_run){.event = slot->item, .round = slot->round, .width_bits = WIDTH_BITS};
  run->cell = s->cell_of[slot->item] + package * session_instances(s, slot->item) + instance;
  counting(s)->backend->error_text = NULL;
  int status = terms_of_event(event, &(struct pmon_scope){package, instance}, slot->counter, &t);
  t.event.round = s->rounds < 2 ? 0 : slot->round == UINT32_MAX ? COUNTING_ALWAYS : (int64_t)slot->round;
  if (!status)
    status = counting(s)->ops->add(counting(s), &t.event, &run->counter);
  if (status && status != PMON_E_NO_DEVICE && !session_is_witness(s, slot->item))
    return counting_fail(s, event, status);
  run->gone = status != 0;
  run->gauge = !status && t.event.level;
  s->cell_shared[run->cell] = !status && t.shared;
  if (run->gone) {
    const char *text = counting(s)->backend->error_text;
    session_note_absent(s, slot->item, text ? text : "the kernel has no PMU for this unit");
    s->cells[run->cell].flags |= PMON_VALUE_UNAVAILABLE;
  }
  s->n_runs++;
  return 0;
}

static int counting_lay_out(struct pmon_session *s)
{
  uint32_t there = 0;
  if (s->every_count)
    return context_fail(s->plan->context, PMON_E_UNSUPPORTED, 0,
                        "intervals that end at an overflow need register access, which %s does not have",
                        s->backend->ops->name);
  s->limit_ns = LIMIT_S * UINT64_C(1000000000);
  if (session_make_cells(s))
    return context_fail(s->plan->context, PMON_E_MEMORY, 0, "no memory for a session");
  int status = 0;
  for (uint32_t i = 0; i < s->schedule->n_slots; i++) {
    struct schedule_slot slot = s->schedule->slots[i];
    slot.instances &= s->plan->events[slot.item].instances;
    for (uint32_t package = 0; package < 64; package++)
      for (uint64_t left = s->packages >> package & 1 ? slot.instances : 0; !status && left; left &= left - 1)
        status = add_run(s, &slot, package, (uint32_t)__builtin_ctzll(left));
  }
  session_forget_absent(s);
  if (!status && session_make_round_counts(s))
    status = context_fail(s->plan->context, PMON_E_MEMORY, 0, "no memory for a session");
  for (uint32_t i = 0; i < s->n_runs; i++)
    there += !s->runs[i].gone && !session_is_witness(s, s->runs[i].event);
  if (!status && s->n_runs && !there)
    status =
        counting(s)->backend->error_text
            ? counting_fail(s, NULL, PMON_E_NO_DEVICE)
            : context_fail(
                  s->plan->context, PMON_E_NO_DEVICE, 0,
                  "Linux perf has no PMU for %s, nor for any other selected event; --backend direct reads registers",
                  pmon_event_name(s->plan->events[s->runs[0].event].event));
  if (status)
    counting(s)->ops->clear(counting(s));
  return status;
}

static int counting_begin(struct pmon_session *s)
{
  int status = counting(s)->ops->start(counting(s), s->first_round);
  s->round = s->first_round;
  return status ? counting_fail(s, NULL, status) : 0;
}

static void counting_take_counts(struct pmon_session *s, struct session_run *run, double seconds)
{
  struct counting_delta d = counting(s)->ops->get(counting(s), run->counter);
  const double share = d.enabled_ns ? (double)d.running_ns / (double)d.enabled_ns : 0;
  uint32_t flags = !d.enabled_ns && seconds > STILL_SECONDS ? PMON_VALUE_UNAVAILABLE : 0;
  if (!d.running_ns && !d.count && !flags)
    return; /* other users had the counters all the time */
  if (run->gauge)
    d.count = session_gauge_count(d.count, seconds);
  run->count += (double)d.count;
  run->slices++;
  /* Invariants are exact, and hold only for counts of the same time. */
  run->flags |= flags | (share < 1 ? PMON_VALUE_LOST : 0);
  session_count(s, run, d.count, share < 1 ? seconds * share : seconds, flags);
}

static int counting_end_slice(struct pmon_session *s, double seconds, uint32_t next)
{
  struct pmon_counting *c = counting(s);
  const bool change = next != s->round;
  int status = change || s->stopped ? c->ops->stop(c) : 0;
  if (!status)
    status = c->ops->read(c);
  if (status)
    return counting_fail(s, NULL, status);
  for (uint32_t i = 0; i < s->n_runs; i++)
    if (!s->runs[i].gone && (s->runs[i].round == s->round || s->runs[i].round == UINT32_MAX))
      counting_take_counts(s, &s->runs[i], seconds);
  session_end_sums(s);
  s->round = next;
  status = change ? c->ops->start(c, next) : 0;
  return status ? counting_fail(s, NULL, status) : 0;
}

/* A first read discards the counts of the pause, of events that count in every round. */
static int counting_resume(struct pmon_session *s)
{
  struct pmon_counting *c = counting(s);
  int status = c->ops->read(c);
  if (!status)
    status = c->ops->start(c, s->round);
  return status ? counting_fail(s, NULL, status) : 0;
}

static int counting_restore(struct pmon_session *s)
{
  counting(s)->ops->clear(counting(s));
  return 0;
}

const struct session_driver session_counting = {counting_lay_out, counting_begin, counting_end_slice, counting_resume,
                                                counting_restore};

/* Counts the instances that have a count in the recording. */
static double count_recorded(const struct pmon_session *s, uint32_t event, const struct pmon_scope *scope)
{
  const uint32_t instances = session_instances(s, event);
  double n = 0;
  for (uint32_t package = 0; package < s->n_packages; package++) {
    const double parts = s->recorded_parts ? s->recorded_parts[event * 64 + package] : 0;
    for (uint32_t i = 0; i < instances && (scope->package == PMON_ALL || scope->package == package); i++)
      if ((scope->instance == PMON_ALL || scope->instance == i) &&
          s->cells[s->cell_of[event] + package * instances + i].slices)
        n += parts > 0 ? parts : 1;
  }
  return n;
}

double session_count_instances(const struct pmon_session *s, uint32_t event, const struct pmon_scope *scope)
{
  const uint32_t instances = session_instances(s, event), n_runs = s->n_runs ? s->n_runs : s->n_placed;
  double n = 0;
  if (!s->backend)
    return count_recorded(s, event, scope);
  if (scope->instance != PMON_ALL && scope->package != PMON_ALL && !counting(s))
    return 1; /* registers are read one instance at a time */
  for (uint32_t i = 0; i < n_runs; i++) {
    const struct session_run *run = &s->runs[i];
    if (run->event != event || run->gone)
      continue;
    const uint32_t place = run->cell - s->cell_of[event], each = instances ? instances : 1;
    bool again = false; /* counted already: in another round, or on another counter */
    for (uint32_t k = i; !again && k-- > 0;)
      again = s->runs[k].event == event && s->runs[k].cell == run->cell;
    if (!again && (scope->package == PMON_ALL || scope->package == place / each) &&
        (scope->instance == PMON_ALL || scope->instance == place % each))
      n += counting(s) ? counting(s)->ops->parts(counting(s), run->counter) : 1;
  }
  return n;
}

double session_threads_per_core(const struct pmon_session *s)
{
  return !s->backend ? s->recorded_threads : counting(s) ? counting(s)->ops->threads_per_core(counting(s)) : 0;
}

int pmon_plan_check(const struct pmon_plan *plan, struct pmon_backend *backend, struct pmon_reason *reason)
{
  struct pmon_counting *c = backend->counting;
  int status = 0;
  if (!plan->scheduled) {
    if (reason)
      snprintf(reason->text, sizeof reason->text, "the plan is not scheduled");
    return context_fail(plan->context, PMON_E_STATE, 0, "the plan is not scheduled");
  }
  for (uint32_t i = 0; c && !status && i < plan->schedule.n_slots; i++) {
    const struct schedule_slot *slot = &plan->schedule.slots[i];
    if (slot->item >= plan_own_events(plan)) /* a witness: a session can do without it */
      continue;
    const struct pmon_event *event = plan->events[slot->item].event;
    uint64_t left = slot->instances & plan->events[slot->item].instances;
    do { /* the first existing instance */
      const uint32_t instance = (uint32_t)__builtin_ctzll(left | UINT64_C(1) << 63);
      struct terms t;
      c->backend->error_text = NULL;
      status = terms_of_event(event, &(struct pmon_scope){0, instance}, slot->counter, &t);
      if (!status)
        status = c->ops->check(c, &t.event);
      left &= left - 1;
    } while (status == PMON_E_NO_DEVICE && left);
    if (status) {
      struct pmon_reason unused, *text = reason ? reason : &unused;
      snprintf(text->text, sizeof text->text, "%.120s: %.350s", pmon_event_name(event),
               c->backend->error_text ? c->backend->error_text : "the kernel has no PMU for this unit");
      context_fail(plan->context, status, 0, "%s", text->text);
    }
  }
  return status;
}

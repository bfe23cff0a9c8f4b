/* SPDX-License-Identifier: MIT */
/* The values of a session's events and metrics, from its cells and their sums. */
#include "src/session/values.h"

#include <stdio.h>
#include "src/base/text.h"
#include "src/plan/witness.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"
#include "src/session/absent.h"
#include "src/session/counts.h"
#include "src/session/session.h"

enum { STUCK_TICKS = 1000 };

/* True if the clock of the cell's unit should have ticked STUCK_TICKS times, and did not count. */
static bool is_stuck(const struct pmon_session *s, uint32_t event, uint32_t cell)
{
  const struct pmon_platform *p = s->plan->platform;
  uint32_t clock = s->cell_clock[cell];
  if (clock == UINT32_MAX || s->cells[clock].count > 0 || s->cells[clock].flags & PMON_VALUE_INVALID)
    return false;
  uint32_t unit = platform_unit_row(p, pmon_event_unit(s->plan->events[event].event));
  return s->cells[clock].seconds * session_reference_hz(s, db_text(p->db, p->db->units[unit].clock)) >= STUCK_TICKS;
}

/* Computes the value of one cell; `whole` is the cell of the whole event, of which the first may be a part. */
static void finish_cell(const struct pmon_session *s, uint32_t event, uint32_t cell, uint32_t whole,
                        struct pmon_value *ret_value)
{
  const uint32_t invalid = s->cells[whole].flags & PMON_VALUE_INVALID;
  if (invalid & ~s->cells[cell].flags) {
    struct sample_total t = s->cells[cell];
    t.flags |= invalid;
    sample_finish(&t, pmon_session_seconds(s), ret_value);
  } else {
    sample_finish(&s->cells[cell], pmon_session_seconds(s), ret_value);
  }
  if (!s->cells[whole].slices)
    session_explain_absent(s, event, whole, ret_value);
  if (!is_stuck(s, event, whole))
    return;
  ret_value->flags |= PMON_VALUE_STUCK;
  if (ret_value->valid)
    snprintf(ret_value->reason, sizeof ret_value->reason,
             "the unit's clock did not advance: the unit is off, or its counters are frozen");
  ret_value->valid = false;
}

/* Replaces the uncertainty of a sum over several cells by that of their common slices, if these are known. */
static void finish_sum(const struct pmon_session *s, const struct sample_total *t, struct pmon_value *sum)
{
  struct pmon_value one;
  sample_finish(t, pmon_session_seconds(s), &one);
  if (!sum->valid || !one.valid)
    return;
  sum->sigma = one.sigma;
  sum->low = one.low;
  sum->high = one.high;
}

/* True if an instance of the event's unit may be silent in the package. */
static bool may_be_silent(struct session_values *v, uint32_t event, uint32_t package)
{
  const struct pmon_session *s = v->session;
  const uint32_t unit = pmon_event_unit(s->plan->events[event].event);
  const uint64_t bit = unit < 64 ? UINT64_C(1) << unit : 0;
  if (v->silence_known[package] & bit)
    return v->may_be_silent[package] & bit;
  const bool may = session_may_be_silent(s, event, package);
  v->silence_known[package] |= bit;
  v->may_be_silent[package] |= may ? bit : 0;
  return may;
}

/* Returns the members of a set of packages or instances that are in the scope. */
static uint64_t within(uint64_t set, uint32_t scope)
{
  return scope == PMON_ALL ? set : scope < 64 ? set & UINT64_C(1) << scope : 0;
}

/* A value over several instances while it is added up. */
struct parts {
  uint32_t n, gone;  /* gone: number of instances that this hardware does not have */
  uint32_t unlisted; /* number of instances that the discovery page does not list */
  bool partial;      /* instances are gone that are in the range of those that exist */
  struct pmon_value sum, last;
  double number;           /* as sum.number, but with the factors of witnesses where they are used */
  struct sample_total all; /* count, slices, seen */
};

static void add_part(struct session_values *v, uint32_t item, uint32_t package, uint32_t instance, struct parts *parts)
{
  const struct pmon_session *s = v->session;
  const uint32_t event = session_item_event(s, item), place = package * session_instances(s, event) + instance;
  const struct sample_total *t = &s->cells[s->cell_of[item] + place];
  struct pmon_value *one = &parts->last;
  finish_cell(s, event, s->cell_of[item] + place, s->cell_of[event] + place, one);
  if (t->count <= 0 && may_be_silent(v, event, package) && session_is_silent(s, event, package, instance))
    one->flags |= PMON_VALUE_SILENT;
  parts->n++;
  parts->all.count += t->count;
  parts->all.slices += t->slices;
  parts->all.seen += t->seen;
  const enum session_presence presence = session_presence(s, s->cell_of[event] + place);
  parts->unlisted += presence == PRESENCE_UNLISTED;
  parts->partial |= presence == PRESENCE_IN_RANGE;
  /* Absent instances are not part of the sum, unless all are absent. */
  if (one->flags == PMON_VALUE_UNAVAILABLE && !t->slices && presence != PRESENCE_UNREADABLE)
    parts->gone++;
  else
    value_add(&parts->sum, one);
  parts->number += one->valid ? one->number * session_times(s, item, package) : 0;
}

/* Adds up all instances in a scope. */
static struct parts add_parts(struct session_values *v, uint32_t item, const struct pmon_scope *scope)
{
  const struct pmon_session *s = v->session;
  const uint32_t event = session_item_event(s, item), instances = session_instances(s, event);
  struct parts parts = {.sum = {.valid = true, .fraction = 1}};
  for (uint64_t p = within(s->packages, scope->package); p; p &= p - 1)
    for (uint64_t i = within(s->plan->events[event].instances, scope->instance); i; i &= i - 1) {
      const uint32_t package = (uint32_t)__builtin_ctzll(p), instance = (uint32_t)__builtin_ctzll(i);
      if (scope->instance != PMON_ALL || !s->cell_shared[s->cell_of[event] + package * instances + instance])
        add_part(v, item, package, instance, &parts);
    }
  return parts;
}

/* Computes the value of an item: an event, or a part of one. */
static int item_value(struct session_values *v, uint32_t item, const struct pmon_scope *scope,
                      struct pmon_value *ret_value)
{
  const struct pmon_session *s = v->session;
  struct parts parts = add_parts(v, item, scope);
  const uint64_t named = s->plan->events[session_item_event(s, item)].instances;
  if (!parts.n || (parts.unlisted == parts.n && scope->instance != PMON_ALL && named & (named - 1)))
    return PMON_E_RANGE;
  const struct sample_total *t = scope->instance == PMON_ALL ? session_sum(s, item, scope->package) : NULL;
  t = t && t->slices ? t : NULL;
  if (t && parts.gone < parts.n)
    finish_sum(s, t, &parts.sum);
  if (s->missed)
    sample_miss(t ? t : &parts.all, s->missed[item], &parts.sum);
  if (parts.number > 0 && parts.number != parts.sum.number)
    sample_weigh(parts.number, &parts.sum);
  if (parts.partial)
    parts.sum.flags |= PMON_VALUE_PARTIAL;
  *ret_value = parts.gone == parts.n ? parts.last : parts.sum;
  return 0;
}

static int source_operand(void *user, const struct metric *metric, uint32_t event, const struct pmon_scope *scope,
                          struct pmon_value *ret_value)
{
  struct session_values *v = user;
  return item_value(v, session_item_of(v->session, metric, event), scope, ret_value);
}

static double source_clock(void *user, const char *clock)
{
  const struct session_values *v = user;
  return session_clock_hz(v->session, clock);
}

static double source_reference(void *user, const char *clock)
{
  const struct session_values *v = user;
  return session_reference_hz(v->session, clock);
}

static double source_limit(void *user, const char *name, uint32_t package)
{
  const struct session_values *v = user;
  return session_limit(v->session, name, package);
}

static double source_instances(void *user, uint32_t event, const struct pmon_scope *scope)
{
  const struct session_values *v = user;
  return session_count_instances(v->session, event, scope);
}

void session_values_init(struct session_values *v, const struct pmon_session *s)
{
  *v = (struct session_values){.session = s,
                               .source = {.plan = s->plan,
                                          .user = v,
                                          .operand = source_operand,
                                          .clock_hz = source_clock,
                                          .reference_hz = source_reference,
                                          .limit = source_limit,
                                          .instances = source_instances,
                                          .threads_per_core = session_threads_per_core(s),
                                          .seconds = pmon_session_seconds(s),
                                          .packages = s->packages}};
}

int session_event_value(struct session_values *v, uint32_t event, const struct pmon_scope *scope,
                        struct pmon_value *ret_value)
{
  return event < plan_own_events(v->session->plan) ? item_value(v, event, scope, ret_value) : PMON_E_RANGE;
}

int session_event_scaling(struct session_values *v, uint32_t event, const struct pmon_scope *scope,
                          struct pmon_scaling *ret_scaling)
{
  struct pmon_value value;
  const int status = session_event_value(v, event, scope, &value);
  if (status || !value.valid)
    return status ? status : PMON_E_NO_DATA;
  const double count = add_parts(v, event, scope).all.count;
  *ret_scaling = (struct pmon_scaling){.count = count,
                                       .share = value.number > 0 ? count / value.number : value.fraction,
                                       .seconds = value.fraction * pmon_session_seconds(v->session)};
  return 0;
}

int session_metric_value(struct session_values *v, uint32_t metric, const struct pmon_scope *scope,
                         struct pmon_value *ret_value)
{
  return metric_evaluate(&v->source, metric, scope, ret_value);
}

int session_metric_base(struct session_values *v, uint32_t metric, const struct pmon_scope *scope, double *ret_base)
{
  return metric_evaluate_base(&v->source, metric, scope, ret_base);
}

/* Fails with the reason why a value is absent. */
static int fail_value(const struct pmon_session *s, int status, const char *what, uint32_t i,
                      const struct pmon_scope *scope)
{
  if (status == PMON_E_MEMORY)
    return context_fail(s->plan->context, status, 0, "no memory for %s %u", what, i);
  return context_fail(s->plan->context, status, 0, "%s %u does not exist, or not in package %d, instance %d (-1: all)",
                      what, i, (int)scope->package, (int)scope->instance);
}

int pmon_session_event(const struct pmon_session *s, uint32_t event, const struct pmon_scope *scope,
                       struct pmon_value *ret_value)
{
  struct session_values v;
  session_values_init(&v, s);
  const int status = session_event_value(&v, event, scope, ret_value);
  return status ? fail_value(s, status, "event", event, scope) : 0;
}

int pmon_session_metric(const struct pmon_session *s, uint32_t metric, const struct pmon_scope *scope,
                        struct pmon_value *ret_value)
{
  struct session_values v;
  session_values_init(&v, s);
  const int status = session_metric_value(&v, metric, scope, ret_value);
  return status ? fail_value(s, status, "metric", metric, scope) : 0;
}

int pmon_session_scaling(const struct pmon_session *s, uint32_t event, const struct pmon_scope *scope,
                         struct pmon_scaling *ret_scaling)
{
  struct session_values v;
  struct pmon_scaling full = {0};
  session_values_init(&v, s);
  const int status = session_event_scaling(&v, event, scope, &full);
  if (status == PMON_E_NO_DATA)
    return context_fail(s->plan->context, status, 0, "event %u has no value", event);
  return status ? fail_value(s, status, "event", event, scope) : CONTEXT_FILL(s->plan->context, ret_scaling, full);
}

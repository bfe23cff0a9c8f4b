/* SPDX-License-Identifier: MIT */
/* The values of a session's events and metrics, from its cells and their sums. */
#include "values.h"

#include <stdio.h>
#include <string.h>
#include "src/base/text.h"
#include "src/plan/metric.h"
#include "src/plan/witness.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"
#include "src/session/counts.h"
#include "src/session/session.h"

enum { STUCK_TICKS = 1000 };

double session_clock_hz(const struct pmon_session *s, const char *clock)
{
  const struct pmon_platform *p = s->plan->platform;
  for (uint32_t i = 0; i < s->n_clocks; i++)
    if (text_is(text_of(s->clocks[i].name), clock))
      return (double)s->clocks[i].hz;
  for (uint32_t i = 0; i < p->row->clocks.n; i++) {
    const struct db_clock *c = &p->db->clocks[p->row->clocks.first + i];
    if (text_is(text_of(db_text(p->db, c->name)), clock))
      return (double)c->hz;
  }
  return 0;
}

/* Whether the clock of the cell's unit should have ticked this many times, and did not. */
static bool is_stuck(const struct pmon_session *s, uint32_t event, uint32_t cell)
{
  const struct pmon_platform *p = s->plan->platform;
  uint32_t clock = s->cell_clock[cell];
  if (clock == UINT32_MAX || s->cells[clock].count > 0 || s->cells[clock].flags & PMON_VALUE_INVALID)
    return false;
  uint32_t unit = platform_unit_row(p, pmon_event_unit(s->plan->events[event].event));
  return s->cells[clock].seconds * session_clock_hz(s, db_text(p->db, p->db->units[unit].clock)) >= STUCK_TICKS;
}

/* The count of one cell; `whole` is the event's cell, of which it may be a part. */
static void finish_cell(const struct pmon_session *s, uint32_t event, uint32_t cell, uint32_t whole,
                        struct pmon_value *ret_value)
{
  struct sample_total t = s->cells[cell];
  t.flags |= s->cells[whole].flags & PMON_VALUE_INVALID;
  sample_finish(&t, pmon_session_seconds(s), ret_value);
  if (!is_stuck(s, event, whole))
    return;
  ret_value->flags |= PMON_VALUE_STUCK;
  if (ret_value->valid)
    snprintf(ret_value->reason, sizeof ret_value->reason,
             "the unit's clock did not move: the unit is off, or its counters are held");
  ret_value->valid = false;
}

/* The count over several cells: their sum, or where their slices are known together, what these show. */
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

/* The value of an item: an event, or a part of one. */
static int item_value(const struct pmon_session *s, uint32_t item, const struct pmon_scope *scope,
                      struct pmon_value *ret_value)
{
  const uint32_t event = session_item_event(s, item), instances = session_instances(s, event);
  uint32_t parts = 0, gone = 0;
  struct pmon_value sum = {.valid = true, .fraction = 1}, one;
  struct sample_total all = {0};
  for (uint32_t package = 0; package < 64; package++) {
    if (!(s->packages >> package & 1) || (scope->package != PMON_ALL && scope->package != package))
      continue;
    /* Asked once for all instances: on a server at rest each of them may have to be looked at. */
    const bool may_be_silent = scope->instance != PMON_ALL || session_may_be_silent(s, event, package);
    for (uint32_t i = 0; i < instances; i++) {
      if (!(s->plan->events[event].instances >> i & 1) || (scope->instance != PMON_ALL && scope->instance != i))
        continue;
      const uint32_t place = package * instances + i, whole = s->cell_of[event] + place;
      const struct sample_total *t = &s->cells[s->cell_of[item] + place];
      if (s->cell_shared[whole] && scope->instance == PMON_ALL)
        continue;
      finish_cell(s, event, s->cell_of[item] + place, whole, &one);
      one.flags |= t->count > 0 || !may_be_silent || !session_is_silent(s, event, package, i) ? 0 : PMON_VALUE_SILENT;
      parts++;
      all.count += t->count;
      all.slices += t->slices;
      all.seen += t->seen;
      /* Instances that this hardware does not have are no part of the sum, as long as there are others. */
      if (one.flags == PMON_VALUE_UNAVAILABLE && !t->slices)
        gone++;
      else
        value_add(&sum, &one);
    }
  }
  if (!parts)
    return PMON_E_RANGE;
  const struct sample_total *t = scope->instance == PMON_ALL ? session_sum(s, item, scope->package) : NULL;
  t = t && t->slices ? t : NULL;
  if (t && gone < parts)
    finish_sum(s, t, &sum);
  if (s->missed)
    sample_miss(t ? t : &all, s->missed[item], &sum);
  *ret_value = gone == parts ? one : sum;
  return 0;
}

int session_event_value(const struct pmon_session *s, uint32_t event, const struct pmon_scope *scope,
                        struct pmon_value *ret_value)
{
  return event < plan_own_events(s->plan) ? item_value(s, event, scope, ret_value) : PMON_E_RANGE;
}

static int source_operand(void *user, const struct metric *metric, uint32_t event, const struct pmon_scope *scope,
                          struct pmon_value *ret_value)
{
  const struct pmon_session *s = user;
  return item_value(s, session_item_of(s, metric, event), scope, ret_value);
}

static double source_clock(void *user, const char *clock)
{
  return session_clock_hz(user, clock);
}

static double source_limit(void *user, const char *name, uint32_t package)
{
  return session_limit(user, name, package);
}

static double source_instances(void *user, uint32_t event, const struct pmon_scope *scope)
{
  return session_count_instances(user, event, scope);
}

void session_source(const struct pmon_session *s, struct metric_source *ret_source)
{
  *ret_source = (struct metric_source){.plan = s->plan,
                                       .user = (void *)(uintptr_t)s,
                                       .operand = source_operand,
                                       .clock_hz = source_clock,
                                       .limit = source_limit,
                                       .instances = source_instances,
                                       .threads_per_core = session_threads_per_core(s),
                                       .seconds = pmon_session_seconds(s),
                                       .packages = s->packages};
}

int session_metric_value(const struct pmon_session *s, uint32_t metric, const struct pmon_scope *scope,
                         struct pmon_value *ret_value)
{
  struct metric_source source;
  session_source(s, &source);
  return metric_evaluate(&source, metric, scope, ret_value);
}

int session_metric_base(const struct pmon_session *s, uint32_t metric, const struct pmon_scope *scope, double *ret_base)
{
  struct metric_source source;
  session_source(s, &source);
  return metric_evaluate_base(&source, metric, scope, ret_base);
}

/* Puts into the error record why a value is absent. */
static int fail_value(const struct pmon_session *s, int status, const char *what, uint32_t i,
                      const struct pmon_scope *scope)
{
  if (status == PMON_E_MEMORY)
    return context_fail(s->plan->context, status, 0, "no memory for %s %u", what, i);
  return context_fail(s->plan->context, status, 0,
                      "%s %u: it does not exist, or not in package %d, instance %d (-1: all)", what, i,
                      (int)scope->package, (int)scope->instance);
}

int pmon_session_event(const struct pmon_session *s, uint32_t event, const struct pmon_scope *scope,
                       struct pmon_value *ret_value)
{
  const int status = session_event_value(s, event, scope, ret_value);
  return status ? fail_value(s, status, "event", event, scope) : 0;
}

int pmon_session_metric(const struct pmon_session *s, uint32_t metric, const struct pmon_scope *scope,
                        struct pmon_value *ret_value)
{
  const int status = session_metric_value(s, metric, scope, ret_value);
  return status ? fail_value(s, status, "metric", metric, scope) : 0;
}

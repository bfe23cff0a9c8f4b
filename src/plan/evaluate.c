/* SPDX-License-Identifier: MIT */
/* Evaluates the equation of a metric over the counts of a session. */
#include "src/plan/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/base/text.h"
#include "src/plan/plan.h"
#include "src/platform/platform.h"

const struct metric *metric_selected(const struct pmon_plan *plan, uint32_t i)
{
  return i < plan->n_selected_metrics ? plan->metrics[plan->selected_metrics[i]] : NULL;
}

/* One evaluation: its metric, its scope, and its state. */
struct evaluation {
  const struct metric_source *source;
  const struct metric *metric;
  struct pmon_scope scope;
  double fraction;
  bool outside; /* an event has no instance in the scope */
  int status;
};

_Static_assert(sizeof((struct expr_value *)NULL)->reason == sizeof((struct pmon_value *)NULL)->reason,
               "reasons are copied whole");

static void take_value(struct evaluation *e, const struct pmon_value *v, struct expr_value *ret)
{
  ret->number = v->number;
  ret->sigma = v->sigma;
  ret->low = v->low;
  ret->high = v->high;
  ret->flags = v->flags;
  ret->valid = v->valid;
  e->fraction = fmin(e->fraction, v->fraction);
  memcpy(ret->reason, v->reason, *v->reason ? sizeof ret->reason : 1);
}

static void metric_use_number(double number, const char *missing, struct expr_value *ret)
{
  ret->number = ret->low = ret->high = number;
  ret->valid = number > 0;
  if (!ret->valid)
    snprintf(ret->reason, sizeof ret->reason, "%s", missing);
}

static void look_up_event(struct evaluation *e, uint32_t event, struct expr_value *ret)
{
  static const char missing[] = "not measured in this scope: ";
  const struct pmon_plan *plan = e->source->plan;
  struct pmon_scope scope = e->scope;
  struct pmon_value v = {0};
  /* Another unit's event is summed over the package: its instances are not this unit's. */
  if (pmon_event_unit(plan->events[event].event) != e->metric->unit_number)
    scope.instance = PMON_ALL;
  int status = e->source->operand(e->source->user, e->source->top, event, &scope, &v);
  if (status == PMON_E_RANGE)
    e->outside = true;
  if (status)
    text_copy(stpcpy(ret->reason, missing), sizeof ret->reason - strlen(missing),
              pmon_event_name(plan->events[event].event));
  else
    take_value(e, &v, ret);
}

/* Counts the unit's instances: any of the metric's events of this unit gives their number. One instance of the metric's
 * own unit is 1, or as many as it is the sum of. */
static double count_instances(const struct evaluation *e, uint32_t unit)
{
  const struct pmon_plan *plan = e->source->plan;
  const bool own = unit == e->metric->unit_number && e->scope.instance != PMON_ALL;
  const struct pmon_scope scope = {.package = e->scope.package, .instance = own ? e->scope.instance : PMON_ALL};
  for (uint32_t i = 0; e->source->instances && i < e->metric->expr->n_names; i++) {
    const struct metric_name *n = &e->metric->names[i];
    if (n->kind == METRIC_EVENT && pmon_event_unit(plan->events[n->index].event) == unit)
      return e->source->instances(e->source->user, n->index, &scope);
  }
  return own;
}

static double count_packages(const struct evaluation *e)
{
  return e->scope.package == PMON_ALL ? __builtin_popcountll(e->source->packages) : 1;
}

static void look_up(void *user, const struct expr_name *name, struct expr_value *ret)
{
  struct evaluation *e = user;
  const struct metric_name *n = &e->metric->names[name - e->metric->expr->names];
  if (n->kind == METRIC_EVENT) {
    look_up_event(e, n->index, ret);
  } else if (n->kind == METRIC_METRIC) {
    struct pmon_value v = {0};
    int status = metric_evaluate_one(e->source, e->source->plan->metrics[n->index], &e->scope, &v);
    e->outside |= status == PMON_E_RANGE;
    e->status = status && status != PMON_E_RANGE ? status : e->status;
    take_value(e, &v, ret);
  } else if (name->kind == EXPR_INTERVAL) {
    metric_use_number(e->source->seconds, "no time was measured", ret);
  } else if (name->kind == EXPR_CLOCK) {
    metric_use_number(e->source->clock_hz(e->source->user, n->clock),
                      "the frequency of the unit's clock is not known; count its ticks instead", ret);
  } else if (name->kind == EXPR_INSTANCES) {
    metric_use_number(count_instances(e, n->index), "the number of the unit's instances is not known", ret);
  } else if (name->kind == EXPR_PACKAGES) {
    metric_use_number(count_packages(e), "no package was counted", ret);
  } else if (name->kind == EXPR_THREADS) {
    metric_use_number(e->source->threads_per_core, "the number of threads of a core is not known", ret);
  } else {
    const double tsc = e->source->clock_hz(e->source->user, "tsc");
    double ticks = name->kind == EXPR_TSC ? tsc * e->source->seconds : tsc / 1e6;
    metric_use_number(ticks, "the time stamp counter's frequency is not known, or no time was measured", ret);
  }
}

static void per_second(const struct metric_source *source, struct pmon_value *v)
{
  if (source->seconds > 0) {
    v->number /= source->seconds;
    v->sigma /= source->seconds;
    v->low /= source->seconds;
    v->high /= source->seconds;
  } else {
    v->valid = false;
    snprintf(v->reason, sizeof v->reason, "no time was measured");
  }
}

/* Limits a value and its interval: a metric is never below 0, and a share never above 1. The difference of two
 * estimates can be below 0: bytes and shares are then 0 if the interval allows it, and any other result, such as a mean
 * latency, has no value. */
static void clip_interval(const struct metric *m, struct pmon_value *v)
{
  const bool share = !strcmp(m->result, "ratio");
  const bool amount = !strncmp(m->result, "bytes", 5) || share;
  if (m->row && amount && v->flags & PMON_VALUE_SCALED && v->number < 0 && v->high >= 0)
    v->number = 0;
  if (m->row && v->flags & PMON_VALUE_SCALED && v->number < 0) {
    v->valid = false;
    v->flags |= PMON_VALUE_UNKNOWN;
    snprintf(v->reason, sizeof v->reason, "unknown: a difference of counts from different time slices is below zero");
    return;
  }
  if (v->number >= 0)
    v->low = fmax(v->low, 0);
  if (share && v->number <= 1)
    v->high = fmin(v->high, 1);
  if (isinf(v->high))
    v->flags |= PMON_VALUE_UNCERTAIN;
}

int metric_evaluate_one(const struct metric_source *source, const struct metric *m, const struct pmon_scope *scope,
                        struct pmon_value *ret_value)
{
  struct metric_source with_top = *source;
  with_top.top = source->top ? source->top : m;
  struct evaluation e = {.source = &with_top, .metric = m, .scope = *scope, .fraction = 1};
  struct expr_value v;
  int status = expr_evaluate(m->expr, look_up, &e, &v);
  if (status || e.status)
    return status ? status : e.status;
  if (e.outside)
    return PMON_E_RANGE;
  *ret_value = (struct pmon_value){.number = v.number,
                                   .sigma = v.sigma,
                                   .low = v.low,
                                   .high = v.high,
                                   .flags = v.flags,
                                   .fraction = e.fraction,
                                   .valid = v.valid};
  if (*v.reason)
    memcpy(ret_value->reason, v.reason, sizeof ret_value->reason);
  if (m->per_second && v.valid)
    per_second(source, ret_value);
  if (ret_value->valid)
    clip_interval(m, ret_value);
  return 0;
}

int metric_evaluate_base(const struct metric_source *source, uint32_t metric, const struct pmon_scope *scope,
                         double *ret_base)
{
  const struct metric *m = metric_selected(source->plan, metric);
  struct metric_source with_top = *source;
  struct evaluation e = {.source = &with_top, .metric = m, .scope = *scope, .fraction = 1};
  struct expr_value v;
  *ret_base = 0;
  if (!m || strcmp(m->result, "ratio") || (scope->instance != PMON_ALL && m->unit_number == PMON_ALL))
    return 0;
  with_top.top = m;
  const int status = expr_evaluate_divisor(m->expr, look_up, &e, &v);
  if (!status && !e.status && !e.outside && v.valid)
    *ret_base = v.number;
  return status ? status : e.status;
}

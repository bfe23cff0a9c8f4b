/* SPDX-License-Identifier: MIT */
/*
 * Bounds: the most that one instance of a unit can do, as an equation of the facts (docs/formats.md, `bound`). A value
 * beyond is flagged, and so is every sum that contains it.
 */
#include "src/plan/metric.h"

#include <string.h>
#include "src/platform/platform.h"
#include "src/plan/plan.h"

/* What the clocks of the facts and of the machine differ by, and instances that are read one after the other. */
static const double tolerance = 1.02;

/* A bound's names: clocks and numbers, no events (metric_bound_check()). */
struct bound_lookup {
  const struct metric_source *source;
  const struct metric *metric;
};

static void bound_look_up(void *user, const struct expr_name *name, struct expr_value *ret)
{
  const struct bound_lookup *l = user;
  const struct metric_name *n = &l->metric->bound_names[name - l->metric->bound->names];
  *ret = (struct expr_value){0};
  ret->number = name->kind == EXPR_CLOCK ? l->source->clock_hz(l->source->user, n->clock) : 0;
  ret->low = ret->high = ret->number;
  ret->valid = ret->number > 0;
}

/* Amounts add up over instances; shares and frequencies do not. */
static bool adds_up(const struct metric *m)
{
  return m->combine != DB_AVERAGE && strcmp(m->result, "ratio") && strcmp(m->result, "GHz");
}

/* Whether the part of the value that is certain is more than `instances` instances can do. */
static bool is_beyond(const struct pmon_value *v, double bound, double instances)
{
  return v->valid && v->low > bound * instances * tolerance;
}

/* Whether an instance within the scope, alone, is beyond the bound. */
static int find_beyond(const struct metric_source *source, const struct metric *m, const struct pmon_scope *scope,
                       double bound, bool *ret_beyond)
{
  const struct pmon_platform *p = source->plan->platform;
  const uint32_t instances = p->db->units[platform_unit_row(p, m->unit_number)].instances;
  for (uint32_t package = 0; package < 64 && !*ret_beyond; package++) {
    if (!(source->packages >> package & 1) || (scope->package != PMON_ALL && scope->package != package))
      continue;
    for (uint32_t i = 0; i < instances && !*ret_beyond; i++) {
      struct pmon_value one;
      const int status = metric_evaluate_one(source, m, &(struct pmon_scope){package, i}, &one);
      if (status && status != PMON_E_RANGE)
        return status;
      *ret_beyond = !status && is_beyond(&one, bound, 1);
    }
  }
  return 0;
}

int metric_flag_beyond(const struct metric_source *source, const struct metric *m, const struct pmon_scope *scope,
                       struct pmon_value *value)
{
  struct bound_lookup l = {source, m};
  struct expr_value bound;
  bool beyond = false;
  if (!m->bound || !value->valid)
    return 0;
  int status = expr_evaluate(m->bound, bound_look_up, &l, &bound);
  if (status || !bound.valid)
    return status;
  if (scope->instance != PMON_ALL)
    beyond = is_beyond(value, bound.number, 1);
  else if (!adds_up(m) && is_beyond(value, bound.number, 1))
    beyond = true;
  else if (value->number > 0)
    status = find_beyond(source, m, scope, bound.number, &beyond);
  if (beyond)
    value->flags |= PMON_VALUE_IMPLAUSIBLE;
  return status;
}

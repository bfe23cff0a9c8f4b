/* SPDX-License-Identifier: MIT */
/*
 * Bounds: the maximum that a unit can do, from the facts and the machine's limits (docs/formats.md, `bound`). A value
 * above its bound is flagged, and so is every sum that contains it.
 */
#include "src/plan/metric.h"

#include <string.h>
#include "src/base/text.h"
#include "src/platform/platform.h"
#include "src/plan/plan.h"

/* Tolerance for differences between the clocks of the facts and of the machine, and for instances that are read one
 * after the other. */
static const double tolerance = 1.02;

/* Look-up of a bound's names: clocks and limits, no events (bound.c). */
struct bound_lookup {
  const struct metric_source *source;
  uint32_t package;
};

static double clock_of_unit(const struct metric_source *source, const char *unit)
{
  const struct pmon_platform *p = source->plan->platform;
  struct platform_unit_name found;
  return platform_find_unit(p, text_of(unit), &found)
             ? source->reference_hz(source->user, db_text(p->db, p->db->units[found.unit].clock))
             : 0;
}

static void bound_look_up(void *user, const struct expr_name *name, struct expr_value *ret)
{
  const struct bound_lookup *l = user;
  if (name->kind == EXPR_CLOCK)
    ret->number = clock_of_unit(l->source, name->unit);
  else if (name->kind == EXPR_LIMIT && l->source->limit)
    ret->number = l->source->limit(l->source->user, name->unit, l->package);
  ret->low = ret->high = ret->number;
  ret->valid = ret->number > 0;
}

/* Finds the first bound of its kind that is known; 0: none. PMON_E_MEMORY. */
static int find_bound(const struct metric_source *source, const struct metric *m, bool of_package, uint32_t package,
                      double *ret_bound)
{
  struct bound_lookup l = {source, package};
  *ret_bound = 0;
  for (uint32_t i = 0; i < m->n_bounds && *ret_bound <= 0; i++) {
    const struct metric_bound *b = &m->bounds[i];
    struct expr_value v = {0};
    const int status = b->package == of_package ? expr_evaluate(b->expr, bound_look_up, &l, &v) : 0;
    if (status)
      return status;
    *ret_bound = v.valid ? v.number * (b->each_second ? source->seconds : 1) : 0;
  }
  return 0;
}

/* True if values add up over instances: amounts do, shares and frequencies do not. */
static bool adds_up(const struct metric *m)
{
  return m->combine != DB_AVERAGE && strcmp(m->result, "ratio") && strcmp(m->result, "GHz");
}

/* True if the lower end of the value's interval is above the bound. */
static bool is_beyond(const struct pmon_value *v, double bound)
{
  return bound > 0 && v->valid && v->low > bound * tolerance;
}

/* Finds out whether a single instance of the package is above its bound. */
static int find_beyond(const struct metric_source *source, const struct metric *m, uint32_t package, bool *ret_beyond)
{
  const struct pmon_platform *p = source->plan->platform;
  const uint32_t instances =
      m->unit_number == PMON_ALL ? 0 : p->db->units[platform_unit_row(p, m->unit_number)].instances;
  double bound;
  int status = find_bound(source, m, false, package, &bound);
  for (uint32_t i = 0; !status && bound > 0 && i < instances && !*ret_beyond; i++) {
    struct pmon_value one;
    status = metric_evaluate_one(source, m, &(struct pmon_scope){package, i}, &one);
    if (status == PMON_E_RANGE)
      status = 0;
    else
      *ret_beyond = !status && is_beyond(&one, bound);
  }
  return status;
}

/* Finds out whether a package of the scope, or an instance in it, is above its bound. */
static int find_package_beyond(const struct metric_source *source, const struct metric *m,
                               const struct pmon_scope *scope, bool *ret_beyond)
{
  int status = 0;
  for (uint32_t package = 0; !status && package < 64 && !*ret_beyond; package++) {
    double bound = 0;
    struct pmon_value all;
    if (!(source->packages >> package & 1) || (scope->package != PMON_ALL && scope->package != package))
      continue;
    status = find_beyond(source, m, package, ret_beyond);
    if (!status && !*ret_beyond)
      status = find_bound(source, m, true, package, &bound);
    if (status || bound <= 0)
      continue;
    status = metric_evaluate_one(source, m, &(struct pmon_scope){package, PMON_ALL}, &all);
    *ret_beyond = !status && is_beyond(&all, bound);
    status = status == PMON_E_RANGE ? 0 : status;
  }
  return status;
}

int metric_flag_beyond(const struct metric_source *source, const struct metric *m, const struct pmon_scope *scope,
                       struct pmon_value *value)
{
  const bool one = scope->instance != PMON_ALL || !adds_up(m);
  bool beyond = false;
  double bound = 0;
  if (!m->n_bounds || !value->valid || value->number <= 0) /* then the lower end is not above a bound */
    return 0;
  int status = find_bound(source, m, !one, scope->package, &bound);
  if (status)
    return status;
  beyond = is_beyond(value, bound);
  if (!beyond && scope->instance == PMON_ALL)
    status = find_package_beyond(source, m, scope, &beyond);
  if (beyond)
    value->flags |= PMON_VALUE_IMPLAUSIBLE;
  return status;
}

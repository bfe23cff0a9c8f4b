/* SPDX-License-Identifier: MIT */
/* The values of selected metrics: of the whole scope, or combined from those of its instances. */
#include "src/plan/metric.h"

#include <math.h>
#include <stdio.h>
#include "src/base/text.h"
#include "src/plan/plan.h"
#include "src/platform/platform.h"

/* The sum over the instances of a scope that have a value, their number, and the largest value. */
struct instances {
  struct pmon_value sum, largest;
  uint32_t n;
  bool any;
};

static void instances_add(struct instances *all, const struct pmon_value *one)
{
  struct pmon_value *sum = &all->sum;
  all->any = true;
  sum->flags |= one->flags;
  if (!one->valid)
    return;
  if (!all->n++ || one->number > all->largest.number)
    all->largest = *one;
  sum->number += one->number;
  sum->sigma += one->sigma;
  sum->low += one->low;
  sum->high += one->high;
  sum->fraction = fmin(sum->fraction, one->fraction);
}

static int add_up_instances(const struct metric_source *source, const struct metric *m, const struct pmon_scope *scope,
                            struct instances *ret)
{
  const struct pmon_platform *p = source->plan->platform;
  uint32_t instances = p->db->units[platform_unit_row(p, m->unit_number)].instances;
  struct pmon_value one;
  *ret = (struct instances){.sum = {.fraction = 1, .reason = "none of its instances has a value"}};
  for (uint32_t package = 0; package < 64; package++) {
    if (!(source->packages >> package & 1) || (scope->package != PMON_ALL && scope->package != package))
      continue;
    for (uint32_t i = 0; i < (instances ? instances : 1); i++) {
      int status = metric_evaluate_one(source, m, &(struct pmon_scope){package, i}, &one);
      if (status && status != PMON_E_RANGE)
        return status;
      if (!status)
        instances_add(ret, &one);
    }
  }
  return ret->any ? 0 : PMON_E_RANGE;
}

/* Computes the mean, or the total, over the instances that have a value. */
static int metric_evaluate_instances(const struct metric_source *source, const struct metric *m,
                                     const struct pmon_scope *scope, struct pmon_value *ret_value)
{
  struct instances all;
  const int status = add_up_instances(source, m, scope, &all);
  if (all.n) {
    const double parts = m->combine == DB_AVERAGE ? all.n : 1;
    all.sum.number /= parts;
    all.sum.sigma /= parts;
    all.sum.low /= parts;
    all.sum.high /= parts;
    all.sum.valid = true;
    all.sum.reason[0] = 0;
  }
  *ret_value = all.sum;
  return status;
}

/* Computes the largest value of the instances, or the value of the scope's instance, divided by the mean over all
 * instances of the scope's packages. */
static int metric_evaluate_imbalance(const struct metric_source *source, const struct metric *m,
                                     const struct pmon_scope *scope, struct pmon_value *ret_value)
{
  const struct pmon_scope whole = {scope->package, PMON_ALL};
  struct instances all;
  int status = add_up_instances(source, m, &whole, &all);
  struct pmon_value one = all.largest;
  if (!status && scope->instance != PMON_ALL)
    status = metric_evaluate_one(source, m, scope, &one);
  if (status)
    return status;
  *ret_value = all.sum;
  ret_value->valid = all.n && one.valid && all.sum.number > 0;
  if (!ret_value->valid) {
    snprintf(ret_value->reason, sizeof ret_value->reason, "%s",
             one.valid ? "denominator zero, no instance counted" : one.reason);
    return 0;
  }
  const double mean = all.sum.number / all.n, low = all.sum.low / all.n, high = all.sum.high / all.n;
  const bool exact = !(all.sum.flags & PMON_VALUE_SCALED);
  ret_value->reason[0] = 0;
  ret_value->number = one.number / mean;
  ret_value->sigma = hypot(one.sigma / mean, one.number * all.sum.sigma / all.n / mean / mean);
  ret_value->low = exact ? ret_value->number : one.low / high;
  ret_value->high = exact ? ret_value->number : low > 0 ? one.high / low : INFINITY;
  return 0;
}

int metric_evaluate(const struct metric_source *source, uint32_t metric, const struct pmon_scope *scope,
                    struct pmon_value *ret_value)
{
  const struct metric *m = metric_selected(source->plan, metric);
  int status;
  if (!m || (scope->instance != PMON_ALL && m->unit_number == PMON_ALL))
    return PMON_E_RANGE;
  if (m->combine == DB_IMBALANCE && m->unit_number != PMON_ALL) {
    status = metric_evaluate_imbalance(source, m, scope, ret_value);
  } else if (scope->instance != PMON_ALL || m->combine == DB_SUM || m->unit_number == PMON_ALL) {
    status = metric_evaluate_one(source, m, scope, ret_value);
  } else if (m->combine == DB_AVERAGE || m->combine == DB_TOTAL) {
    status = metric_evaluate_instances(source, m, scope, ret_value);
  } else {
    *ret_value = (struct pmon_value){.fraction = 1, .reason = "defined per instance: add --per-unit"};
    return 0;
  }
  return status ? status : metric_flag_beyond(source, m, scope, ret_value);
}

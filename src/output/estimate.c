/* SPDX-License-Identifier: MIT */
/* Reports of runs of which only a part was simulated in detail: the errors of their values. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "src/base/real.h"
#include "src/base/sized.h"
#include "src/output/report.h"
#include "src/sample/sample.h"

enum { INTERVALS_MIN = 8 };

/* NaN is in no range. */
static bool is_in_ranges(const struct pmon_estimate *e)
{
  return e->fraction > 0 && e->fraction <= 1 && e->error >= 0 && e->bound >= 0 && e->bound < INFINITY;
}

static void value_estimate(struct pmon_value *v, const struct pmon_estimate *e)
{
  v->flags |= PMON_VALUE_SCALED | PMON_VALUE_SAMPLED;
  v->fraction = e->fraction;
  if (!v->valid)
    return;
  if (e->intervals < INTERVALS_MIN) {
    v->valid = false;
    v->flags |= PMON_VALUE_UNKNOWN;
    real_print(v->reason, sizeof v->reason,
               "unknown: the run had only %" PRIu64
               " of the %d sampled intervals that an error estimate needs; measure the whole run",
               e->intervals, INTERVALS_MIN);
    return;
  }
  if (e->error == INFINITY) {
    v->valid = false;
    v->flags |= PMON_VALUE_UNKNOWN;
    real_print(v->reason, sizeof v->reason,
               "unknown: the sampled intervals give no error estimate of the time; measure the whole run");
    return;
  }
  const uint64_t freedom = e->freedom ? e->freedom : e->intervals - 1;
  const double half = e->bound + 1.96 * sample_student((double)freedom) * e->error;
  v->sigma = fabs(v->number) * e->error;
  v->low = v->number - fabs(v->number) * half;
  v->high = v->number + fabs(v->number) * half;
}

int pmon_report_estimate(struct pmon_report *report, const struct pmon_estimate *estimate)
{
  struct pmon_estimate e = {0};
  const int status = sized_take(&e, sizeof e, estimate);
  if (status)
    return status;
  if (!is_in_ranges(&e))
    return PMON_E_INVALID;
  if (e.fraction == 1)
    return PMON_OK;
  for (uint32_t i = 0; i < report->n_rows; i++) {
    struct report_row *row = &report->rows[i];
    value_estimate(&row->value, &e);
    if (!strcmp(row->unit, "ratio") && row->value.number <= 1)
      row->value.high = fmin(row->value.high, 1);
  }
  report->sampled = e;
  return 0;
}

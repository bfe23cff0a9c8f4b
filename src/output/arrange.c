/* SPDX-License-Identifier: MIT */
/* Reports made from others: means over runs; rows in another order, or only the largest. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/base/text.h"
#include "src/output/report.h"
#include "src/sample/sample.h"

static bool same_row(const struct report_row *a, const struct report_row *b)
{
  return !strcmp(a->name, b->name) && !strcmp(a->where, b->where);
}

/* Computes the interval of the mean from the runs' deviation and their own errors. A relative `bound` is the same error
 * in each run: more runs do not reduce it. */
static void mean_interval(struct report_row *row, uint32_t n, double squares, double bound)
{
  struct pmon_value *v = &row->value;
  const double between = row->deviation / sqrt(n), within = sqrt(squares) / n;
  v->sigma = fmax(between, within);
  const double half = 1.96 * fmax(between * sample_student(n - 1), within) + bound * fabs(v->number);
  v->low = v->number - half;
  v->high = v->number + half;
  if (row->value.number >= 0)
    v->low = fmax(v->low, 0);
  if (!strcmp(row->unit, "ratio") && v->number <= 1)
    v->high = fmin(v->high, 1);
}

/* Returns the mean of row `i` of all reports; it has no value if a run has none. */
static struct report_row mean_of(const struct pmon_report *const *reports, uint32_t n, uint32_t i)
{
  struct report_row row = reports[0]->rows[i];
  const double first = row.value.number;
  double sum = 0, squares = 0, errors = 0, base = 0, bound = 0;
  uint32_t missing = 0;
  for (uint32_t k = 0; k < n; k++) {
    const struct pmon_value *v = &reports[k]->rows[i].value;
    row.value.flags |= v->flags;
    row.value.fraction = fmin(row.value.fraction, v->fraction);
    sum += v->number - first; /* exactly 0 if all runs have the same number, so that they have no deviation */
    base += reports[k]->rows[i].base;
    errors += v->sigma * v->sigma;
    bound = v->flags & PMON_VALUE_SAMPLED ? fmax(bound, reports[k]->sampled.bound) : bound;
    if (!v->valid && !missing++)
      memcpy(row.value.reason, v->reason, sizeof v->reason);
  }
  row.value.valid = !missing;
  if (missing)
    return row;
  row.value.number = first + sum / n;
  row.base = base / n;
  for (uint32_t k = 0; k < n; k++)
    squares += pow(reports[k]->rows[i].value.number - row.value.number, 2);
  row.deviation = n > 1 ? sqrt(squares / (n - 1)) : 0;
  if (n > 1)
    mean_interval(&row, n, errors, bound);
  return row;
}

/* Makes the head of the mean of reports. False: they have different rows. */
static bool mean_head(const struct pmon_report *const *reports, uint32_t n, struct pmon_report_head *ret)
{
  const struct pmon_report *first = reports[0];
  *ret = (struct pmon_report_head){.size = sizeof *ret,
                                   .platform = first->platform,
                                   .backend = first->backend,
                                   .command = first->command,
                                   .rounds = first->rounds,
                                   .packages = first->packages,
                                   .columns = first->columns,
                                   .runs = n,
                                   .freeze = first->freeze,
                                   .package = first->package,
                                   .region = first->region,
                                   .thread = first->thread,
                                   .color = first->color,
                                   .machine = first->machine,
                                   .host = first->host,
                                   .time = reports[n - 1]->time};
  for (uint32_t k = 0; k < n; k++) {
    const struct pmon_report *r = reports[k];
    ret->seconds += r->seconds;
    ret->end_seconds += r->end_seconds;
    ret->paused_seconds += r->paused_seconds;
    ret->calls += r->calls;
    ret->missing_ends += r->missing_ends;
    ret->missing_begins += r->missing_begins;
    ret->freeze_seconds = fmax(ret->freeze_seconds, r->freeze_seconds);
    ret->skew_seconds = fmax(ret->skew_seconds, r->skew_seconds);
    if (r->n_rows != first->n_rows)
      return false;
    for (uint32_t i = 0; i < first->n_rows; i++)
      if (!same_row(&r->rows[i], &first->rows[i]))
        return false;
  }
  ret->seconds /= n;
  ret->end_seconds /= n;
  ret->paused_seconds /= n;
  ret->calls = (ret->calls + n / 2) / n; /* rounds to the nearest */
  return true;
}

int pmon_report_new_mean(const struct pmon_report *const *reports, uint32_t n, struct pmon_report **ret_report)
{
  struct pmon_report_head head;
  if (!n || !mean_head(reports, n, &head))
    return PMON_E_INVALID;
  const struct pmon_report *first = reports[0];
  int status = pmon_report_new(&head, ret_report);
  if (!status)
    (*ret_report)->sampled = first->sampled;
  for (uint32_t i = 0; !status && i < first->n_rows; i++) {
    struct report_row row = mean_of(reports, n, i);
    struct pmon_report_row full = report_row_public(&row);
    full.share = n > 1 ? 0 : row.share;
    status = pmon_report_add(*ret_report, &full);
    if (status)
      pmon_report_free(*ret_report);
  }
  return status;
}

/* The sort key of a row: that of its name's rows first, then its own. */
struct place {
  uint32_t index, group;
  bool instance, known;
  double value, group_value;
  const char *name;
};

static int by_numbers(double a, double b)
{
  return (a < b) - (a > b);
}

static int by_index(const struct place *a, const struct place *b)
{
  return (a->index > b->index) - (a->index < b->index);
}

/* Orders names by their largest value, and the instances of each by theirs; those without a number come last. */
static int by_value(const void *pa, const void *pb)
{
  const struct place *a = pa, *b = pb;
  if (a->group != b->group) {
    int order = by_numbers(a->group_value, b->group_value);
    return order ? order : a->group > b->group ? 1 : -1;
  }
  if (a->instance != b->instance)
    return a->instance - b->instance;
  if (!a->instance)
    return by_index(a, b);
  if (a->known != b->known)
    return b->known - a->known;
  int order = a->known ? by_numbers(a->value, b->value) : 0;
  return order ? order : by_index(a, b);
}

static int by_name(const void *pa, const void *pb)
{
  const struct place *a = pa, *b = pb;
  int order = text_order(a->name, b->name);
  return order ? order : by_index(a, b);
}

static void fill_places(const struct pmon_report *r, struct place *places)
{
  for (uint32_t i = 0; i < r->n_rows; i++) {
    const struct report_row *row = &r->rows[i];
    bool first = !i || strcmp(row->name, r->rows[i - 1].name);
    places[i] = (struct place){.index = i,
                               .group = first ? i : places[i - 1].group,
                               .name = row->name,
                               .instance = row->instance != PMON_ALL,
                               .known = row->value.valid,
                               .value = row->value.number,
                               .group_value = -INFINITY};
    struct place *head = &places[places[i].group];
    if (row->value.valid)
      head->group_value = fmax(head->group_value, row->value.number);
  }
  for (uint32_t i = 0; i < r->n_rows; i++)
    places[i].group_value = places[places[i].group].group_value;
}

/* Whether to keep the row: it is one of the first `top` instances of its name or, if no row is about an instance, of
 * the first `top` names. */
static bool is_kept(const struct place *p, uint32_t top, bool instances, uint32_t *names, uint32_t *of_name)
{
  *of_name += p->instance;
  return !top || (instances ? !p->instance || *of_name <= top : *names <= top);
}

int pmon_report_arrange(struct pmon_report *report, enum pmon_order order, uint32_t top)
{
  if ((unsigned)order > PMON_ORDER_NAME)
    return PMON_E_INVALID;
  struct place *places = calloc(report->n_rows + 1, sizeof *places);
  struct report_row *rows = calloc(report->n_rows + 1, sizeof *rows);
  bool instances = false;
  uint32_t n = 0, names = 0, of_name = 0, group = UINT32_MAX;
  if (!places || !rows) {
    free(places);
    free(rows);
    return PMON_E_MEMORY;
  }
  fill_places(report, places);
  if (order != PMON_ORDER_GIVEN)
    qsort(places, report->n_rows, sizeof *places, order == PMON_ORDER_NAME ? by_name : by_value);
  for (uint32_t i = 0; i < report->n_rows; i++)
    instances |= places[i].instance;
  for (uint32_t i = 0; i < report->n_rows; i++) {
    if (places[i].group != group) {
      group = places[i].group;
      names++;
      of_name = 0;
    }
    if (is_kept(&places[i], top, instances, &names, &of_name))
      rows[n++] = report->rows[places[i].index];
    else
      report_free_row(&report->rows[places[i].index]);
  }
  free(places);
  free(report->rows);
  report->rows = rows;
  report->cap_rows = report->n_rows + 1;
  report->n_rows = n;
  return 0;
}

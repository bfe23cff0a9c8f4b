/* SPDX-License-Identifier: MIT */
#include "src/output/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/base/array.h"
#include "src/base/sized.h"
#include "src/output/welch.h"

/* The test over intervals needs enough of them; with fewer, their correlation looks like chance. */
enum { LEAST_INTERVALS = 8 };
static const double SIGNIFICANT = 0.05;

/* A side while it is compared. */
struct side {
  struct pmon_side given;
  double *observations; /* of one row; room for n_parts */
};

static bool is_same_row(const struct report_row *a, const struct report_row *b)
{
  return !strcmp(a->name, b->name) && !strcmp(a->unit, b->unit) && !strcmp(a->where, b->where);
}

static int take_side(const struct pmon_side *given, struct side *side)
{
  const int status = sized_take(&side->given, sizeof side->given, given);
  if (status)
    return status;
  if (!side->given.whole || (side->given.n_parts && !side->given.parts))
    return PMON_E_INVALID;
  const struct pmon_report *whole = side->given.whole;
  for (uint32_t k = 0; k < side->given.n_parts; k++) {
    if (side->given.parts[k]->n_rows != whole->n_rows)
      return PMON_E_INVALID;
    for (uint32_t i = 0; i < whole->n_rows; i++)
      if (!is_same_row(&side->given.parts[k]->rows[i], &whole->rows[i]))
        return PMON_E_INVALID;
  }
  side->observations = calloc(side->given.n_parts + 1u, sizeof *side->observations);
  return side->observations ? 0 : PMON_E_MEMORY;
}

static char *copy_or_null(const char *s, bool *failed)
{
  char *copy = s ? strdup(s) : NULL;
  *failed |= s && !copy;
  return copy;
}

static bool describe_side(const struct side *side, struct compared_side *to)
{
  const struct pmon_report *r = side->given.whole;
  bool failed = false;
  to->name = copy_or_null(side->given.name ? side->given.name : "", &failed);
  to->platform = copy_or_null(r->platform ? r->platform : "", &failed);
  to->command = copy_or_null(r->command, &failed);
  to->machine = copy_or_null(r->machine, &failed);
  to->backend = copy_or_null(r->backend, &failed);
  to->seconds = r->seconds;
  to->runs = side->given.runs ? side->given.n_parts : 1;
  to->intervals = side->given.runs ? 0 : side->given.n_parts;
  return !failed;
}

/* Returns the factor for a report's numbers of this row. */
static double factor_of(const struct pmon_report *r, const struct report_row *row, bool per_second)
{
  return row->count && per_second && r->seconds > 0 ? 1 / r->seconds : 1;
}

static struct pmon_value scaled(const struct pmon_report *r, const struct report_row *row, bool per_second)
{
  const double factor = factor_of(r, row, per_second);
  struct pmon_value v = row->value;
  v.number *= factor;
  v.sigma *= factor;
  v.low *= factor;
  v.high *= factor;
  return v;
}

/* Collects the values of the row in the parts of a side. Returns how many have one. */
static uint32_t observe(const struct side *side, uint32_t index, bool per_second)
{
  uint32_t n = 0;
  for (uint32_t k = 0; k < side->given.n_parts; k++) {
    const struct pmon_report *part = side->given.parts[k];
    const struct report_row *row = &part->rows[index];
    if (row->value.valid)
      side->observations[n++] = row->value.number * factor_of(part, row, per_second);
  }
  return n;
}

/* Whether the mean of the intervals' values is the value of the whole: not for sums over time. */
static bool is_of_time(const struct report_row *row, bool per_second)
{
  return row->count ? per_second
                    : strchr(row->unit, '/') || !strcmp(row->unit, "ratio") || !strcmp(row->unit, "Hz") ||
                          !strcmp(row->unit, "ns") || !strcmp(row->unit, "cycles") || !strcmp(row->unit, "requests");
}

/* Returns one standard error of a single value, on its upper or its lower side. For a sampled run it follows from the
 * interval: sigma is the time's error only. A witness moves a number within its interval by time, perhaps to an end of
 * it: the interval then reaches further to the other side than sigma says. */
static double error_of(const struct pmon_value *v, bool upper)
{
  double reach = 0;
  if (v->flags & PMON_VALUE_SAMPLED)
    reach = (v->high - v->low) / 2;
  else if (v->flags & PMON_VALUE_WITNESS)
    reach = upper ? v->high - v->number : v->number - v->low;
  return isfinite(reach) ? fmax(v->sigma, reach / 1.96) : v->sigma;
}

/* Returns a side of the test: the value of the whole, with the error of the mean of `n` observations (0: none are
 * used), but at least the whole value's own error. */
static struct welch_side test_side(const struct side *side, const struct pmon_value *whole, uint32_t n, bool upper)
{
  const double error = error_of(whole, upper);
  if (!n)
    return (struct welch_side){whole->number, error, INFINITY};
  struct welch_side w = welch_side_of(side->observations, n, !side->given.runs);
  w.mean = whole->number;
  if (error > w.error) {
    w.error = error;
    w.freedom = INFINITY;
  }
  return w;
}

/* Computes the change's interval and its p. The lower end uses the second value's lower error and the first one's upper
 * error, the upper end the reverse; the end towards 0 decides p. */
static void judge_change(const struct side sides[2], struct pmon_comparison_row *row)
{
  struct welch_result result[2]; /* for the lower and the upper end */
  for (int upper = 0; upper < 2; upper++) {
    const struct welch_side a = test_side(&sides[0], &row->a, row->n_a, !upper);
    const struct welch_side b = test_side(&sides[1], &row->b, row->n_b, upper);
    result[upper] = welch_compare(&a, &b);
  }
  row->change = row->b.number - row->a.number;
  row->low = row->change - result[0].half;
  row->high = row->change + result[1].half;
  row->ratio = row->a.number != 0 ? row->b.number / row->a.number : NAN;
  row->p = result[row->change < 0].p;
}

/* Chooses the method and fills in the test's results. `at`: the row's index in each side's reports. */
static void judge(const struct side sides[2], const uint32_t at[2], bool per_second, struct pmon_comparison_row *row)
{
  uint32_t n[2];
  for (int i = 0; i < 2; i++)
    n[i] = observe(&sides[i], at[i], per_second);
  const bool runs = sides[0].given.runs && sides[1].given.runs && n[0] >= 2 && n[1] >= 2;
  const bool intervals = !sides[0].given.runs && !sides[1].given.runs && n[0] >= LEAST_INTERVALS &&
                         n[1] >= LEAST_INTERVALS && is_of_time(&sides[0].given.whole->rows[at[0]], per_second);
  row->method = runs ? PMON_COMPARED_BY_RUNS : intervals ? PMON_COMPARED_BY_INTERVALS : PMON_COMPARED_BY_ERRORS;
  row->n_a = runs || intervals ? n[0] : 0;
  row->n_b = runs || intervals ? n[1] : 0;
  judge_change(sides, row);
}

static int comparison_add_row(struct pmon_comparison *c, const struct report_row *from,
                              const struct pmon_comparison_row *row)
{
  bool failed = array_grow(&c->rows, c->n, &c->cap, sizeof *c->rows);
  if (failed)
    return PMON_E_MEMORY;
  struct compared *to = &c->rows[c->n];
  const bool rate = row->count && c->per_second;
  *to = (struct compared){.row = *row, .place = c->n};
  c->n++;
  to->row.name = to->name = copy_or_null(from->name, &failed);
  to->row.unit = to->unit = copy_or_null(rate ? "/s" : from->unit, &failed);
  to->row.instance_unit = to->instance_unit = copy_or_null(from->instance_unit, &failed);
  to->where = copy_or_null(from->where, &failed);
  to->row.count &= !rate;
  return failed ? PMON_E_MEMORY : 0;
}

static const struct report_row *find_row(const struct pmon_report *r, const struct report_row *like, uint32_t hint)
{
  if (hint < r->n_rows && is_same_row(&r->rows[hint], like))
    return &r->rows[hint];
  for (uint32_t i = 0; i < r->n_rows; i++)
    if (is_same_row(&r->rows[i], like))
      return &r->rows[i];
  return NULL;
}

static struct pmon_value absent(const char *reason)
{
  struct pmon_value v = {.valid = false};
  snprintf(v.reason, sizeof v.reason, "%s", reason);
  return v;
}

/* Compares a row of one side with that of the other, one of which may be NULL. */
static int compare_row(struct pmon_comparison *c, const struct side sides[2], const struct report_row *rows[2])
{
  const struct report_row *any = rows[0] ? rows[0] : rows[1];
  struct pmon_comparison_row row = {.size = sizeof row,
                                    .package = any->package,
                                    .instance = any->instance,
                                    .count = any->count,
                                    .method = PMON_NOT_COMPARED,
                                    .ratio = NAN,
                                    .p = 1};
  row.a = rows[0] ? scaled(sides[0].given.whole, rows[0], c->per_second) : absent("only the second measurement has it");
  row.b = rows[1] ? scaled(sides[1].given.whole, rows[1], c->per_second) : absent("only the first measurement has it");
  if (row.a.valid && row.b.valid) {
    const uint32_t at[] = {(uint32_t)(rows[0] - sides[0].given.whole->rows),
                           (uint32_t)(rows[1] - sides[1].given.whole->rows)};
    judge(sides, at, c->per_second, &row);
  }
  return comparison_add_row(c, any, &row);
}

static int compare_rows(struct pmon_comparison *c, const struct side sides[2])
{
  const struct pmon_report *a = sides[0].given.whole, *b = sides[1].given.whole;
  int status = 0;
  for (uint32_t i = 0; !status && i < a->n_rows; i++) {
    const struct report_row *rows[] = {&a->rows[i], find_row(b, &a->rows[i], i)};
    status = compare_row(c, sides, rows);
  }
  for (uint32_t i = 0; !status && i < b->n_rows; i++) {
    const struct report_row *rows[] = {NULL, &b->rows[i]};
    if (!find_row(a, &b->rows[i], i))
      status = compare_row(c, sides, rows);
  }
  return status;
}

static int by_place(const void *pa, const void *pb)
{
  const struct compared *a = pa, *b = pb;
  return (a->place > b->place) - (a->place < b->place);
}

/* Returns the change relative to the larger value: it orders rows whose p are equal, for example too small for a
 * number. */
static double relative_change(const struct pmon_comparison_row *r)
{
  const double size = fmax(fabs(r->a.number), fabs(r->b.number));
  return size > 0 ? fabs(r->change) / size : 0;
}

static int by_significance(const void *pa, const void *pb)
{
  const struct compared *a = pa, *b = pb;
  const bool known_a = a->row.method != PMON_NOT_COMPARED, known_b = b->row.method != PMON_NOT_COMPARED;
  if (known_a != known_b)
    return known_b - known_a;
  if (known_a && a->row.p < b->row.p)
    return -1;
  if (known_a && a->row.p > b->row.p)
    return 1;
  const double more_a = known_a ? relative_change(&a->row) : 0, more_b = known_b ? relative_change(&b->row) : 0;
  return more_a > more_b ? -1 : more_a < more_b ? 1 : by_place(pa, pb);
}

/* Benjamini and Hochberg's adjustment of p, for rows in the order of their p. */
static void adjust(struct pmon_comparison *c)
{
  uint32_t n = 0;
  double least = 1;
  while (n < c->n && c->rows[n].row.method != PMON_NOT_COMPARED)
    n++;
  for (uint32_t i = n; i-- > 0;) {
    struct pmon_comparison_row *row = &c->rows[i].row;
    least = fmin(least, row->p * n / (i + 1));
    row->adjusted = least;
    row->significant = least < SIGNIFICANT;
  }
}

int pmon_comparison_new(const struct pmon_side *a, const struct pmon_side *b,
                        const struct pmon_comparison_options *options, struct pmon_comparison **ret_comparison)
{
  struct pmon_comparison_options full = {.size = sizeof full};
  struct side sides[2] = {{.observations = NULL}, {.observations = NULL}};
  struct pmon_comparison *c = NULL;
  int status = options ? sized_take(&full, sizeof full, options) : 0;
  if (!status)
    status = take_side(a, &sides[0]);
  if (!status)
    status = take_side(b, &sides[1]);
  if (!status && !(c = calloc(1, sizeof *c)))
    status = PMON_E_MEMORY;
  if (!status) {
    c->columns = full.columns;
    c->color = full.color;
    c->per_second = full.per_second;
    status =
        describe_side(&sides[0], &c->a) && describe_side(&sides[1], &c->b) ? compare_rows(c, sides) : PMON_E_MEMORY;
  }
  if (!status && c->n) {
    qsort(c->rows, c->n, sizeof *c->rows, by_significance);
    adjust(c);
    if (full.given_order)
      qsort(c->rows, c->n, sizeof *c->rows, by_place);
  }
  free(sides[0].observations);
  free(sides[1].observations);
  if (status)
    pmon_comparison_free(c);
  else
    *ret_comparison = c;
  return status;
}

static void free_side(struct compared_side *side)
{
  free(side->name);
  free(side->platform);
  free(side->command);
  free(side->machine);
  free(side->backend);
}

void pmon_comparison_free(struct pmon_comparison *comparison)
{
  if (!comparison)
    return;
  for (uint32_t i = 0; i < comparison->n; i++) {
    free(comparison->rows[i].name);
    free(comparison->rows[i].unit);
    free(comparison->rows[i].instance_unit);
    free(comparison->rows[i].where);
  }
  free(comparison->rows);
  free_side(&comparison->a);
  free_side(&comparison->b);
  free(comparison);
}

int pmon_comparison_get(const struct pmon_comparison *comparison, uint32_t i, struct pmon_comparison_row *row)
{
  return i < comparison->n ? sized_fill(row, &comparison->rows[i].row, sizeof comparison->rows[i].row) : PMON_E_RANGE;
}

int pmon_comparison_format(const struct pmon_comparison *comparison, enum pmon_format format, pmon_sink sink,
                           void *user)
{
  struct buffer b = {0};
  switch (format) {
  case PMON_FORMAT_TEXT: comparison_format_text(comparison, &b); break;
  case PMON_FORMAT_CSV: comparison_format_csv(comparison, &b); break;
  case PMON_FORMAT_CSV_HEADER: comparison_format_csv_header(&b); break;
  case PMON_FORMAT_JSON: comparison_format_json(comparison, &b); break;
  default: return PMON_E_INVALID;
  }
  int status = b.failed ? PMON_E_MEMORY : b.n ? sink(user, b.data, b.n) : 0;
  free(b.data);
  return status;
}

/* SPDX-License-Identifier: MIT */
#include "cli/stat/distribution.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <pmon/status.h>

struct weighted {
  double number, seconds;
};

static int compare_weighted(const void *a, const void *b)
{
  const double x = ((const struct weighted *)a)->number, y = ((const struct weighted *)b)->number;
  return (x > y) - (x < y);
}

/* The width of bins: `digit` times a power of ten. Edges are computed by edge_at(), so that 3 * 0.1 is 0.3. */
struct step {
  double digit;
  int power;
};

static double edge_at(const struct step *s, double number)
{
  return s->power < 0 ? number * s->digit / pow(10, -s->power) : number * s->digit * pow(10, s->power);
}

/* The number of the bin of a value, from 0 upwards. */
static double edge_below(const struct step *s, double value)
{
  const double number = floor(value / edge_at(s, 1));
  return edge_at(s, number + 1) <= value ? number + 1 : number;
}

/* The number of the bin behind the greatest value; a value at an edge belongs to the bin below it. */
static double edge_above(const struct step *s, double greatest)
{
  const double number = edge_below(s, greatest);
  return edge_at(s, number) < greatest ? number + 1 : number;
}

/* Returns the smallest step of 1, 2 or 5 times a power of ten with which the range has at most DISTRIBUTION_BINS bins,
 * whose edges differ in the four digits that are printed. */
static struct step choose_step(double least, double greatest)
{
  static const double digits[] = {1, 2, 5};
  for (int power = (int)floor(log10(greatest - least)) - 2;; power++)
    for (size_t i = 0; i < sizeof digits / sizeof *digits; i++) {
      const struct step s = {digits[i], power};
      if (edge_at(&s, 1) >= fmax(fabs(least), fabs(greatest)) / 1000 &&
          edge_above(&s, greatest) - edge_below(&s, least) <= DISTRIBUTION_BINS)
        return s;
    }
}

/* Finds the quantiles of values in ascending order, weighted by their time. */
static void find_quantiles(struct distribution *d, const struct weighted *w)
{
  static const double share[] = {[QUANTILE_MEDIAN] = 0.5, [QUANTILE_MOST_95] = 0.95, [QUANTILE_MOST_99] = 0.99};
  for (unsigned q = QUANTILE_MEDIAN; q < QUANTILE_GREATEST; q++) {
    uint32_t i = 0;
    for (double until = w[0].seconds; i + 1 < d->intervals && until < share[q] * d->seconds * (1 - 1e-12);)
      until += w[++i].seconds;
    d->quantiles[q] = w[i].number;
  }
  d->quantiles[QUANTILE_LEAST] = w[0].number;
  d->quantiles[QUANTILE_GREATEST] = w[d->intervals - 1].number;
}

/* Fills the bins from values in ascending order. Equal values have one bin without width. */
static void fill_bins(struct distribution *d, const struct weighted *w)
{
  const double least = d->quantiles[QUANTILE_LEAST], greatest = d->quantiles[QUANTILE_GREATEST];
  const bool several = greatest > least;
  const struct step step = several ? choose_step(least, greatest) : (struct step){1, 0};
  const double first = several ? edge_below(&step, least) : 0;
  d->n_bins = several ? (uint32_t)fmax(1, edge_above(&step, greatest) - first) : 1;
  for (uint32_t i = 0; i < d->n_bins; i++)
    d->bins[i] = several
                     ? (struct distribution_bin){.from = edge_at(&step, first + i), .to = edge_at(&step, first + i + 1)}
                     : (struct distribution_bin){.from = least, .to = least};
  for (uint32_t i = 0; i < d->intervals; i++) {
    const uint32_t bin = several ? (uint32_t)(edge_below(&step, w[i].number) - first) : 0;
    struct distribution_bin *b = &d->bins[bin < d->n_bins ? bin : d->n_bins - 1];
    b->intervals++;
    b->seconds += w[i].seconds;
  }
}

int distribution_make(const double *numbers, const double *seconds, uint32_t n, struct distribution *ret)
{
  struct weighted *w = calloc(n + 1, sizeof *w);
  *ret = (struct distribution){.intervals = 0};
  if (!w)
    return PMON_E_MEMORY;
  for (uint32_t i = 0; i < n; i++) {
    if (isfinite(numbers[i])) {
      w[ret->intervals++] = (struct weighted){numbers[i], seconds[i]};
      ret->seconds += seconds[i];
    } else {
      ret->missing_seconds += seconds[i];
    }
  }
  qsort(w, ret->intervals, sizeof *w, compare_weighted);
  if (ret->intervals) {
    find_quantiles(ret, w);
    fill_bins(ret, w);
  }
  free(w);
  return PMON_OK;
}

/* SPDX-License-Identifier: MIT */
#include "src/output/welch.h"

#include <math.h>
#include "src/sample/sample.h"

enum { FRACTION_STEPS = 300 };

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
  static const double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1), f;
  d = 1 / (fabs(d) < tiny ? tiny : d);
  f = d;
  for (int m = 1; m <= FRACTION_STEPS; m++) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    const double terms[] = {even, odd};
    double factor = 1;
    for (int i = 0; i < 2; i++) {
      d = 1 + terms[i] * d;
      c = 1 + terms[i] / c;
      d = 1 / (fabs(d) < tiny ? tiny : d);
      c = fabs(c) < tiny ? tiny : c;
      factor = c * d;
      f *= factor;
    }
    if (fabs(factor - 1) < 1e-14)
      break;
  }
  return f;
}

static double log_gamma(double x)
{
  int sign; /* for lgamma_r(): lgamma() keeps the sign in a global */
  return lgamma_r(x, &sign);
}

/* The regularized incomplete beta function. */
static double beta_part(double a, double b, double x)
{
  if (x <= 0 || x >= 1)
    return x <= 0 ? 0 : 1;
  const double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double welch_student_p(double t, double freedom)
{
  return isfinite(freedom) ? beta_part(freedom / 2, 0.5, freedom / (freedom + t * t)) : erfc(fabs(t) / sqrt(2));
}

/* Returns how many independent observations n consecutive ones are worth, as a first-order autoregressive series. */
static double independent(const double *x, uint32_t n, double mean, double squares)
{
  double products = 0;
  for (uint32_t i = 1; i < n; i++)
    products += (x[i] - mean) * (x[i - 1] - mean);
  const double r = squares > 0 ? fmin(fmax(products / squares, 0), 0.99) : 0;
  return fmax(n * (1 - r) / (1 + r), 2);
}

struct welch_side welch_side_of(const double *x, uint32_t n, bool serial)
{
  double sum = 0, squares = 0;
  for (uint32_t i = 0; i < n; i++)
    sum += x[i];
  const double mean = sum / n;
  for (uint32_t i = 0; i < n; i++)
    squares += (x[i] - mean) * (x[i] - mean);
  if (sqrt(squares / n) <= 1e-12 * fabs(mean)) /* equal, except for the rounding of their sum */
    squares = 0;
  const double count = serial ? independent(x, n, mean, squares) : n;
  return (struct welch_side){mean, sqrt(squares / (n - 1) / count), count - 1};
}

struct welch_result welch_compare(const struct welch_side *a, const struct welch_side *b)
{
  const double va = a->error * a->error, vb = b->error * b->error, error = sqrt(va + vb);
  const double difference = fabs(b->mean - a->mean);
  if (error <= 0)
    return (struct welch_result){.half = 0, .p = difference > 0 ? 0 : 1, .freedom = INFINITY};
  const double share = va * va / a->freedom + vb * vb / b->freedom;
  const double freedom = share > 0 ? (va + vb) * (va + vb) / share : INFINITY;
  const double quantile = isfinite(freedom) ? 1.96 * sample_student(freedom) : 1.96;
  return (struct welch_result){quantile * error, welch_student_p(difference / error, freedom), freedom};
}

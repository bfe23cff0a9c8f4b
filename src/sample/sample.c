/* SPDX-License-Identifier: MIT */
#include "src/sample/sample.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "src/base/real.h"

/* upper_half(): applies from this part of the number on, with at most this exponent (009). */
#define SKEW_FROM 0.3
#define SKEW_MOST 1.1
/* sample_excess(): slices whose lengths differ by more than this factor are not compared by their rates. */
#define COMPARABLE 2
/* Probability beyond the upper end of a count of zero. */
#define BEYOND_ZERO 0.05
/* sample_is_late(): in less than this part of the time, more than this part of the count. */
#define LATE_BUSY 0.07
#define LATE_SHARE 0.3
/* sample_is_sparse(): fewer counts than these, and less than this multiple of the variance of counting;
 * sample_is_intermittent(): counts per slice (009). */
#define SPARSE_COUNTS SAMPLE_FEW
#define SPARSE_SPREAD 3
#define INTERMITTENT_COUNTS 300
/* sample_miss(): a smaller part is not a pause, but the scatter of other events. */
#define PAUSE_MIN 0.1
/* sample_is_lone(): fewer slices than these, more counts in each. */
#define LONE_SLICES 2
#define LONE_COUNTS 5
/* sample_clumps(): the number of slices divided by that of slices with counts is above this, with LONE_COUNTS in each
 * of the latter. */
#define CLUMPED_PART 4
/* sample_is_even(): minimum number of slices and counts. */
#define EVEN_SLICES 4
#define EVEN_COUNTS SAMPLE_FEW

static uint64_t width_mask(uint32_t width_bits)
{
  return width_bits >= 64 ? UINT64_MAX : (UINT64_C(1) << width_bits) - 1;
}

uint32_t sample_delta(const struct sample_reading *r, uint64_t *ret_delta)
{
  uint64_t mask = width_mask(r->width_bits);
  double span = ldexp(1, (int)r->width_bits), most = r->rate_max * r->seconds;
  *ret_delta = 0;
  /* An unclaimed address reads as all ones, also beyond the counter's width. */
  if (r->after == UINT64_MAX && (r->width_bits < 64 || r->before == UINT64_MAX))
    return PMON_VALUE_UNAVAILABLE;
  uint64_t delta = (r->after - r->before) & mask;
  uint32_t flags = 0;
  if ((r->after & mask) < (r->before & mask)) {
    /* A wrap that the maximum rate cannot have reached is not a wrap; the slack is one percent plus one
     * count. */
    if (!r->overflowed && r->rate_max > 0 && (double)delta > most * 1.01 + 1)
      return PMON_VALUE_BACKWARDS;
    flags |= PMON_VALUE_WRAPPED;
  } else if (r->overflowed && delta) {
    flags |= PMON_VALUE_LOST; /* it wrapped, and then passed its initial value */
  }
  if (r->rate_max > 0 && most >= (double)delta + span) /* it could also have gone once more around */
    flags |= PMON_VALUE_LOST;
  *ret_delta = delta;
  return flags;
}

static void add_peak(struct sample_total *t, const struct sample_peak *peak)
{
  uint32_t at = SAMPLE_PEAKS;
  if (peak->count <= t->peak[SAMPLE_PEAKS - 1].count)
    return;
  for (; at && t->peak[at - 1].count < peak->count; at--)
    if (at < SAMPLE_PEAKS)
      t->peak[at] = t->peak[at - 1];
  t->peak[at] = *peak;
}

void sample_add_peaks(struct sample_total *t, const struct sample_peak *peaks, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    add_peak(t, &peaks[i]);
}

void sample_add(struct sample_total *t, const struct sample_peak *slice, uint32_t flags)
{
  const double count = slice->count, seconds = slice->seconds;
  t->flags |= flags;
  if (t->slices && seconds <= 0 && fabs(count) <= 0)
    return; /* counting was stopped at the end of a slice */
  t->count += count;
  t->seconds += seconds;
  for (uint32_t i = 0; i < 2 && i < t->slices; i++) {
    struct sample_spread *spread = &t->spread[i];
    double c = count - t->last[i].count, s = seconds - t->last[i].seconds;
    spread->cc += c * c;
    spread->ct += c * s;
    spread->tt += s * s;
    spread->pairs++;
  }
  if (t->slices) {
    const double d = seconds * seconds + t->last[0].seconds * t->last[0].seconds;
    t->lengths += d;
    t->length_squares += d * d;
  }
  add_peak(t, slice);
  t->last[1] = t->last[0];
  t->last[0].count = count;
  t->last[0].seconds = seconds;
  t->round = slice->round;
  t->slices++;
  t->seen += count > 0;
  t->busy += count > 0 ? seconds : 0;
}

/* Returns the rate of a peak for comparison with one of that length. For a much shorter peak, it is the minimum rate of
 * a longer slice that contains it: what lies beyond the peak is unknown. */
static double comparable_rate(const struct sample_peak *peak, double seconds)
{
  const double length = peak->seconds * COMPARABLE < seconds ? seconds : peak->seconds;
  return length > 0 ? peak->count / length : 0;
}

uint32_t sample_excess(const struct sample_total *t, struct sample_peak excess[SAMPLE_PEAKS], double *ret_rest)
{
  const uint32_t peaks = t->slices / 2 < SAMPLE_PEAKS ? t->slices / 2 : SAMPLE_PEAKS;
  double count = t->count, seconds = t->seconds;
  uint32_t n = 0;
  *ret_rest = t->count;
  if (!peaks)
    return 0;
  for (uint32_t i = 0; i < peaks; i++) {
    count -= t->peak[i].count;
    seconds -= t->peak[i].seconds;
  }
  const double others = seconds > 0 ? fmax(count, 0) / seconds : 0;
  for (uint32_t i = 0; i < peaks; i++) {
    /* The rate of the other slices, or of the lowest peak: on a slope the highest slices are not bursts. */
    double lowest = peaks < SAMPLE_PEAKS ? 0 : INFINITY;
    for (uint32_t k = 0; k < peaks; k++)
      lowest = fmin(lowest, comparable_rate(&t->peak[k], t->peak[i].seconds));
    const double expected = fmax(lowest, others) * t->peak[i].seconds, more = t->peak[i].count - expected;
    if (more <= 3 * sqrt(expected + 1) + 3)
      continue;
    excess[n] = t->peak[i];
    excess[n++].count = more;
    *ret_rest -= more;
  }
  return n;
}

double sample_student(double freedom)
{
  static const double t95[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                               2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};
  enum { KNOWN = sizeof t95 / sizeof *t95, POINTS = 4 };
  if (freedom > KNOWN)
    return 1 + 1.21 / freedom + 1.44 / (freedom * freedom); /* the expansion's first terms; 0.02 % off at 21 */
  const uint32_t whole = (uint32_t)freedom, first = whole < KNOWN - POINTS ? whole : KNOWN - POINTS + 1;
  if (freedom == whole)
    return t95[whole - 1] / 1.96;
  /* Between whole numbers its logarithm is nearly a cubic polynomial in 1 / freedom; at most 0.04 % off. */
  double logarithm = 0;
  for (uint32_t i = 0; i < POINTS; i++) {
    double part = log(t95[first - 1 + i]);
    for (uint32_t k = 0; k < POINTS; k++)
      if (k != i)
        part *= (1 / freedom - 1.0 / (first + k)) / (1.0 / (first + i) - 1.0 / (first + k));
    logarithm += part;
  }
  return exp(logarithm) / 1.96;
}

static const char *invalid_reason(uint32_t flags)
{
  if (flags & PMON_VALUE_STOLEN)
    return "other software changed the control register or a filter while it counted";
  if (flags & PMON_VALUE_BACKWARDS)
    return "the counter went backwards";
  if (flags & PMON_VALUE_VANISHED)
    return "its device was removed during the measurement";
  return "the counter cannot be read";
}

/* Returns half the mean square of the differences of slices at that distance, after subtracting `rate` times the
 * time. */
static double mean_square(const struct sample_spread *d, double rate)
{
  return d->pairs ? fmax(0, d->cc - 2 * rate * d->ct + rate * rate * d->tt) / (2.0 * d->pairs) : 0;
}

/* Returns the variance of the scaled count, of which the part f was seen. */
static double variance(const struct sample_total *t, double f)
{
  const double rate = t->count / t->seconds, n = t->slices;
  const double near = mean_square(&t->spread[0], rate), far = mean_square(&t->spread[1], rate);
  const double grows = fmin(fmax(far - near, 0), near) * n / (n + 10);
  return (1 - f) * n * (near - grows * (1 - (1 + f) / 3)) / (f * f);
}

/* Returns the minimum variance, that of independent events. */
static double scatter(const struct sample_total *t, double f)
{
  return fmax(t->count / f, 1 / f) * (1 - f) / f;
}

bool sample_is_sparse(const struct sample_total *t, double f)
{
  if (t->count >= SPARSE_COUNTS || f <= 0 || f >= 1 || t->seconds <= 0)
    return false;
  return t->count <= 0 || variance(t, f) < SPARSE_SPREAD * scatter(t, f);
}

bool sample_is_even(const struct sample_total *t)
{
  return t->slices >= EVEN_SLICES && 4 * (uint64_t)t->seen >= 3 * (uint64_t)t->slices && t->count >= EVEN_COUNTS;
}

bool sample_is_intermittent(const struct sample_total *t)
{
  return t->seen >= 2 && t->slices - t->seen >= 2 && t->count >= INTERMITTENT_COUNTS * (double)t->seen;
}

/* Student's factor for the differences of neighbours. */
static double student_factor(const struct sample_total *t)
{
  const double p = t->length_squares > 0 ? fmax(1, t->lengths * t->lengths / t->length_squares) : 1;
  return sample_student(2 * p * p / (3 * p - 1));
}

/* Returns the part that scaling by 1 / f added to bursts that a single slice saw and that are more than a quarter of
 * the count. */
static double scaled_bursts(const struct sample_total *t, double f)
{
  struct sample_peak excess[SAMPLE_PEAKS];
  double rest, bursts = 0;
  for (uint32_t i = 0, n = sample_excess(t, excess, &rest); i < n; i++)
    bursts += excess[i].count > 0.25 * t->count ? excess[i].count : 0;
  return bursts * (1 / f - 1);
}

bool sample_is_lone(const struct sample_total *t, double f)
{
  if (t->slices < 2 || t->count <= 0 || f <= 0 || f >= 1 || t->seconds <= 0)
    return false;
  /* Number of slices of equal counts that would give this variance. */
  const double number = t->count / f, v = variance(t, f), n = v > 0 ? (1 - f) * number * number / v : INFINITY;
  return n < LONE_SLICES && t->count > LONE_COUNTS * fmax(1, n);
}

/* True if a slice belongs to the session's beginning, whose slices are short. */
static bool is_early(const struct sample_total *t, const struct sample_peak *slice, uint32_t rounds)
{
  return slice->seconds * t->slices < t->seconds && 2 * (uint64_t)(slice->slice_number / rounds) < t->slices;
}

bool sample_is_late(const struct sample_total *t, uint32_t rounds)
{
  struct sample_peak excess[SAMPLE_PEAKS];
  double rest, bursts = 0;
  if (t->count <= LONE_COUNTS || t->busy >= LATE_BUSY * t->seconds)
    return false;
  for (uint32_t i = 0, n = sample_excess(t, excess, &rest); i < n; i++)
    bursts += is_early(t, &excess[i], rounds) ? 0 : excess[i].count;
  return bursts > LATE_SHARE * t->count;
}

bool sample_is_brief(const struct sample_total *t, double part)
{
  return t->count > 0 && t->busy < part * t->seconds;
}

double sample_clumps(const struct sample_total *t, double f)
{
  const double k = t->seen;
  if (!t->seen || t->seen * CLUMPED_PART >= t->slices || t->count <= LONE_COUNTS * k || f <= 0 || f >= 1)
    return 0;
  /* The upper end of a Poisson number of which k were seen, by Wilson and Hilferty, and the part of it that was not
   * measured. */
  const double upper = (k + 1) * pow(1 - 1 / (9 * (k + 1)) + 1.96 / (3 * sqrt(k + 1)), 3) / k;
  return 1 - 1 / sqrt(1 + (upper - 1) * sqrt(1 - f));
}

/* Returns the upper half of the interval. An estimate whose uncertainty is a large part of itself rests on few bursts,
 * and larger bursts were missed more often: it is skewed. */
static double upper_half(double half, double number)
{
  const double part = number > 0 ? half / number : 0;
  return half * exp(fmin(fmax(part - SKEW_FROM, 0), SKEW_MOST));
}

static void finish_scaled(const struct sample_total *t, double f, struct pmon_value *v)
{
  v->flags |= PMON_VALUE_SCALED;
  v->fraction = f;
  v->number = t->count / f;
  v->low = t->count;
  v->sigma = fmax(v->number, 1 / f);
  v->high = INFINITY;
  if (!t->spread[0].pairs) {
    v->flags |= PMON_VALUE_UNCERTAIN;
    return;
  }
  v->sigma = sqrt(fmax(variance(t, f), scatter(t, f)));
  const double half = hypot(1.96 * v->sigma * student_factor(t), t->off);
  v->sigma = hypot(v->sigma, t->off / 1.96);
  v->low = fmin(v->number - half - scaled_bursts(t, f), v->number * (1 - t->paused));
  v->low = fmax(t->count, v->low);
  v->high = v->number + upper_half(half, v->number);
  if (t->count <= 0)
    v->high = fmax(v->high, log(BEYOND_ZERO) / log1p(-f));
}

void sample_finish(const struct sample_total *t, double seconds, struct pmon_value *ret_value)
{
  struct pmon_value *const v = ret_value;
  const double f = seconds > 0 ? t->seconds / seconds : 1;
  *v = (struct pmon_value){.flags = t->flags, .fraction = 1};
  if (t->flags & PMON_VALUE_INVALID) {
    snprintf(v->reason, sizeof v->reason, "%s", invalid_reason(t->flags));
  } else if (!t->slices && seconds <= 0) {
    snprintf(v->reason, sizeof v->reason, "no time was measured");
  } else if (!t->slices || (t->seconds <= 0 && seconds > 0)) {
    snprintf(v->reason, sizeof v->reason, "it got no time slice on the counters");
  } else {
    v->valid = true;
    v->number = v->low = v->high = t->count;
    if (f < 1 - 1e-9)
      finish_scaled(t, f, v);
  }
}

/* Returns the upper end of a number that may be `times` as large, since a part is missing. Few counts also scatter,
 * independently: the two effects are added in quadrature on the scale of factors. */
static double upper_end_missing(const struct sample_total *t, const struct pmon_value *value, double times)
{
  const double number = value->number;
  if (number <= 0 || value->high <= number || t->count >= SPARSE_COUNTS)
    return fmax(value->high, number * times);
  return number * exp(hypot(log(value->high / number), log(times)));
}

void sample_miss(const struct sample_total *t, double missed, struct pmon_value *value)
{
  if (!value->valid || !(value->flags & PMON_VALUE_SCALED) || missed <= 0)
    return;
  if (missed <= SAMPLE_UNKNOWN) {
    value->high = upper_end_missing(t, value, pow(1 - missed, -2));
    if (sample_is_even(t) && missed > PAUSE_MIN)
      value->low = fmax(t->count, fmin(value->low, value->number * (1 - missed)));
    return;
  }
  value->valid = false;
  value->flags |= PMON_VALUE_UNKNOWN;
  real_print(value->reason, sizeof value->reason,
             "unknown: nonzero in %u of its %u time slices, %.0f in all; other events show that activity began or "
             "ended between them",
             t->seen, t->slices, t->count);
}

void sample_weigh(double number, struct pmon_value *value)
{
  if (!value->valid || !(value->flags & PMON_VALUE_SCALED))
    return;
  value->flags |= PMON_VALUE_WITNESS;
  value->number = number;
  value->low = fmin(value->low, number);
  value->high = fmax(value->high, number);
}

void value_add(struct pmon_value *into, const struct pmon_value *from)
{
  into->flags |= from->flags;
  if (!into->valid)
    return;
  if (!from->valid) {
    into->valid = false;
    memcpy(into->reason, from->reason, sizeof into->reason);
    return;
  }
  into->number += from->number;
  into->sigma += from->sigma;
  into->low += from->low;
  into->high += from->high;
  into->fraction = fmin(into->fraction, from->fraction);
}

double sample_longest_interval(uint32_t width_bits, double rate_max)
{
  return rate_max > 0 ? ldexp(1, (int)width_bits) / rate_max : INFINITY;
}

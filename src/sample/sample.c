/* SPDX-License-Identifier: MIT */
#include "sample.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    /* A wrap that the highest possible rate cannot have reached is none; one count of slack a second and one. */
    if (!r->overflowed && r->rate_max > 0 && (double)delta > most * 1.01 + 1)
      return PMON_VALUE_BACKWARDS;
    flags |= PMON_VALUE_WRAPPED;
  } else if (r->overflowed && delta) {
    flags |= PMON_VALUE_LOST; /* it passed its end, and where it began as well */
  }
  if (r->rate_max > 0 && most >= 2 * span)
    flags |= PMON_VALUE_LOST;
  *ret_delta = delta;
  return flags;
}

void sample_add(struct sample_total *t, double count, double seconds, uint32_t flags)
{
  t->flags |= flags;
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
  t->last[1] = t->last[0];
  t->last[0].count = count;
  t->last[0].seconds = seconds;
  t->slices++;
}

double sample_student(double freedom)
{
  static const double t95[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                               2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};
  const uint32_t known = sizeof t95 / sizeof *t95, whole = freedom < known ? (uint32_t)freedom : known;
  if (whole == known)
    return 1 + 1.21 / freedom; /* the expansion's first term; 0.1 % off at 21 */
  /* Between whole numbers it is nearly straight over 1 / freedom. */
  double part = (1.0 / whole - 1 / freedom) / (1.0 / whole - 1.0 / (whole + 1));
  return (t95[whole - 1] + part * (t95[whole] - t95[whole - 1])) / 1.96;
}

static const char *invalid_reason(uint32_t flags)
{
  if (flags & PMON_VALUE_STOLEN)
    return "other software changed the control register while it counted";
  if (flags & PMON_VALUE_BACKWARDS)
    return "the counter went backwards";
  if (flags & PMON_VALUE_VANISHED)
    return "its device went away while it was measured";
  return "the counter cannot be read";
}

/* Half the mean square by which slices at that distance differ, where `rate` is the same in all. */
static double mean_square(const struct sample_spread *d, double rate)
{
  return d->pairs ? fmax(0, d->cc - 2 * rate * d->ct + rate * rate * d->tt) / (2.0 * d->pairs) : 0;
}

/* The variance of the scaled count, of which the part f was seen. */
static double variance(const struct sample_total *t, double f)
{
  const double rate = t->count / t->seconds, n = t->slices;
  const double near = mean_square(&t->spread[0], rate), far = mean_square(&t->spread[1], rate);
  const double grows = fmin(fmax(far - near, 0), near) * n / (n + 10);
  return (1 - f) * n * (near - grows * (1 - (1 + f) / 3)) / (f * f);
}

void sample_finish(const struct sample_total *t, double seconds, struct pmon_value *ret_value)
{
  struct pmon_value v = {.flags = t->flags, .fraction = 1};
  const double f = seconds > 0 ? t->seconds / seconds : 1, pairs = t->spread[0].pairs;
  if (t->flags & PMON_VALUE_INVALID) {
    snprintf(v.reason, sizeof v.reason, "%s", invalid_reason(t->flags));
  } else if (!t->slices && seconds <= 0) {
    snprintf(v.reason, sizeof v.reason, "no time was measured");
  } else if (!t->slices || (t->seconds <= 0 && seconds > 0)) {
    snprintf(v.reason, sizeof v.reason, "its turn on the counters did not come");
  } else {
    v.valid = true;
    v.number = t->count;
    if (f < 1 - 1e-9) {
      v.flags |= PMON_VALUE_SCALED;
      v.fraction = f;
      v.number = t->count / f;
      v.sigma = fmax(v.number, 1 / f);
      if (pairs > 0)
        v.sigma =
            sqrt(fmax(variance(t, f), v.sigma * (1 - f) / f)) * sample_student(2 * pairs * pairs / (3 * pairs - 1));
      else
        v.flags |= PMON_VALUE_UNCERTAIN;
    }
  }
  *ret_value = v;
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
  into->fraction = fmin(into->fraction, from->fraction);
}

double sample_longest_interval(uint32_t width_bits, double rate_max)
{
  return rate_max > 0 ? ldexp(1, (int)width_bits) / rate_max : INFINITY;
}

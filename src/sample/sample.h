/* SPDX-License-Identifier: MIT */
/*
 * Raw counter values -> counts. A count is right or flagged; there is no silent zero.
 *
 * Scaling and its uncertainty: a counter that ran in n slices of time counted c_i in t_i. The estimate for the whole
 * time T is the ratio estimator C = T * sum(c) / sum(t). Its variance comes from how the slices' rates differ:
 *
 *   s^2 = sum (c_i - r t_i)^2 / (n - 1),  r = sum(c) / sum(t)
 *   var = T^2 * (1 - f) * n s^2 / sum(t)^2,  f = sum(t) / T
 *
 * (f is what was seen and therefore is certain), but never less than what the counting of independent events would
 * scatter, max(C, 1 / f) (1 - f) / f: nothing seen is not nothing there. sigma is widened by Student's t for few
 * slices, so that 1.96 sigma is the half width of the 95 % interval. One slice tells nothing about variation: sigma is
 * then the count itself, flagged as uncertain.
 */
#ifndef PMON_SAMPLE_H
#define PMON_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <pmon/value.h>

/* A counter before and after a slice of time. */
struct sample_reading {
  uint64_t before, after;
  uint32_t width_bits;         /* 1..64 */
  bool overflowed;             /* its status bit says that it passed its end */
  double seconds;              /* that it ran between the two */
  double rate_max;             /* most counts a second that its event can give; 0: not known */
};

/* The difference, over a wrap where there was one. Returns flags (WRAPPED, LOST, UNAVAILABLE, BACKWARDS); with one of
 * PMON_VALUE_INVALID *ret_delta is 0. */
uint32_t sample_delta(const struct sample_reading *r, uint64_t *ret_delta);

/* The slices of one counter on one instance, summed up. All zeros is an empty one. */
struct sample_total {
  double count, seconds;
  double cc, ct, tt;           /* sums of squares and of the product of the slices' counts and times */
  uint32_t slices, flags;
};

void sample_add(struct sample_total *t, uint64_t delta, double seconds, uint32_t flags);

/* The count over `seconds`, scaled where the slices cover less. A counter that never ran yields no value. */
void sample_finish(const struct sample_total *t, double seconds, struct pmon_value *ret_value);

/* Adds `from` into `into`, as counts of different instances are summed. Instances take turns in the same slices of
 * time, so their deviations are not independent: they are added up, which no correlation can exceed. A part without
 * value makes the sum one without value. */
void value_add(struct pmon_value *into, const struct pmon_value *from);

/* Student's t for 95 % and so many degrees of freedom, over that of the normal distribution. */
double sample_student(uint32_t freedom);

/* The longest time, in seconds, after which a counter of that width read twice cannot have wrapped twice unseen. */
double sample_longest_interval(uint32_t width_bits, double rate_max);

#endif

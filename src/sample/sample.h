/* SPDX-License-Identifier: MIT */
/*
 * Raw counter values -> counts. A count is right or flagged; there is no silent zero.
 *
 * Scaling and its uncertainty: a counter that ran in n slices of time counted c_i in t_i. The estimate for the
 * whole time T is the ratio estimator C = T * r, r = sum(c) / sum(t). Slices are strata, of each of which the part
 * f = sum(t) / T was seen, at random (src/session/session.c). How much the unseen part can differ is what slices
 * that lie closer together than neighbours do would differ by. With e_i = c_i - r t_i, neighbours differ by D1 =
 * sum (e_i - e_(i-1))^2 / 2 (n - 1), those two apart by D2 in the same way. What of it grows with the distance, b =
 * D2 - D1 (from 0 to D1; it is trusted the more the more slices there are, n / (n + 10)), is less within a stratum,
 * whose parts lie (1 + f) / 3 of a slice apart on average:
 *
 *   var = (1 - f) * n * (D1 - b (1 - (1 + f) / 3)) / f^2
 *
 * So ramps and long phases, which all rounds see alike, are hardly uncertain, and bursts are what they are. It is
 * never less than what the counting of independent events would scatter, max(C, 1 / f) (1 - f) / f: nothing seen is
 * not nothing there. sigma is widened by Student's t for as many degrees of freedom as the squares of p = n - 1
 * overlapping differences have, 2 p^2 / (3 p - 1), so that 1.96 sigma is the half width of the 95 % interval. One
 * slice has no information about variation: sigma is then the count itself, flagged as uncertain.
 * docs/design/009-uncertainty.md compares it with others.
 */
#ifndef PMON_SAMPLE_H
#define PMON_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <pmon/value.h>

/* A counter before and after a slice of time. */
struct sample_reading {
  uint64_t before, after;
  uint32_t width_bits; /* 1..64 */
  bool overflowed;     /* its status bit says that it passed its end */
  double seconds;      /* that it ran between the two */
  double rate_max;     /* most counts a second that its event can give; 0: not known */
};

/* The difference, over a wrap where there was one. Returns flags (WRAPPED, LOST, UNAVAILABLE, BACKWARDS); with one of
 * PMON_VALUE_INVALID *ret_delta is 0. */
uint32_t sample_delta(const struct sample_reading *r, uint64_t *ret_delta);

/* How slices at some distance from one another differ: squares of the differences of counts, products of those of
 * counts and times, squares of those of times, summed up over so many pairs. */
struct sample_spread {
  double cc, ct, tt;
  uint32_t pairs;
};

/* The slices of one counter on one instance, summed up. All zeros is an empty one. */
struct sample_total {
  double count, seconds;
  struct sample_spread spread[2]; /* of neighbours, of those two apart */
  struct {
    double count, seconds;
  } last[2]; /* the slice before, and that before it */
  uint32_t slices, flags;
};

void sample_add(struct sample_total *t, double count, double seconds, uint32_t flags);

/* The count over `seconds`, scaled where the slices cover less. A counter that never ran yields no value. */
void sample_finish(const struct sample_total *t, double seconds, struct pmon_value *ret_value);

/* Adds `from` into `into`, as counts of different instances are summed. Instances see the same slices of time, so their
 * deviations are not independent: they are added up, which no correlation can exceed, and which is too much where the
 * sums of the slices are known (src/session/sums.c). A part without value makes the sum one without value. */
void value_add(struct pmon_value *into, const struct pmon_value *from);

/* Student's t for 95 % and so many degrees of freedom, at least 1 and not always whole, over that of the normal
 * distribution. */
double sample_student(double freedom);

/* The longest time, in seconds, after which a counter of that width read twice cannot have wrapped twice unseen. */
double sample_longest_interval(uint32_t width_bits, double rate_max);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * From raw counter values to counts. A count is right or flagged; there is no silent zero.
 *
 * Scaling and its uncertainty: a counter ran in n slices of time and counted c_i in t_i. The estimate for the whole
 * time T is the ratio estimator C = T * r, r = sum(c) / sum(t). Slices are strata; of each stratum, the part f = sum(t)
 * / T was seen, at random (src/session/session.c). The uncertainty of the unseen part follows from the differences of
 * slices, extrapolated to distances shorter than that of neighbours. With e_i = c_i - r t_i, neighbours differ by D1 =
 * sum (e_i - e_(i-1))^2 / 2 (n - 1); slices two apart differ by D2, defined in the same way. The part that grows with
 * distance, b = D2 - D1 (from 0 to D1; weighted by n / (n + 10), because it is more reliable with more slices), is
 * smaller within a stratum, whose parts are (1 + f) / 3 of a slice apart on average:
 *
 *   sigma^2 = (1 - f) * n * (D1 - b (1 - (1 + f) / 3)) / f^2
 *
 * Ramps and long phases, which all rounds see alike, therefore add little uncertainty; bursts add all of theirs. The
 * variance is never less than the scatter of independent events, max(C, 1 / f) (1 - f) / f: to see nothing does not
 * mean that nothing happened.
 *
 * The 95 % interval extends 1.96 sigma, times Student's factor, to both sides. Overlapping differences have 2 p^2 / (3
 * p - 1) degrees of freedom, where p is their number; growing slices count for fewer, p = sum(d)^2 / sum(d^2) with d =
 * t_i^2 + t_(i-1)^2. The last cycle is not complete: the distance by which activity at the end may put the number off
 * (src/session/ends.c) is added in quadrature; sigma includes its 1.96th part, so that comparisons of single values
 * allow for it. Four things make the interval asymmetric:
 *  - A count is never less than what was seen, sum(c); and a burst that a single slice saw may have been seen whole,
 *    but was multiplied by scaling. The lower end is reduced by the part that scaling added to such bursts.
 *  - Other rounds may have seen bursts that this counter did not (src/session/bursts.c).
 *  - An estimate that rests on few bursts is skewed: a half width h of more than 0.3 of the estimate is exp(h - 0.3)
 *    times as long upwards, at most three times.
 *  - If nothing was seen, the upper end is the largest number of independent events that would go unseen in one of
 *    twenty cases: (1 - f)^number = 0.05.
 * One slice has no information about variation: the value is flagged as uncertain, and has no upper end.
 * docs/design/009-uncertainty.md compares this with other methods.
 */
#ifndef PMON_SAMPLE_H
#define PMON_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <pmon/value.h>

/* Two reads of a counter, before and after a slice of time. */
struct sample_reading {
  uint64_t before, after;
  uint32_t width_bits; /* 1..64 */
  bool overflowed;     /* its status bit shows an overflow */
  double seconds;      /* time for which it ran between the two */
  double rate_max;     /* maximum rate of its event in counts per second; 0: not known */
};

/* Computes the difference, across a wrap if there was one. Returns flags (WRAPPED, LOST, UNAVAILABLE, BACKWARDS); with
 * one of PMON_VALUE_INVALID *ret_delta is 0. */
uint32_t sample_delta(const struct sample_reading *r, uint64_t *ret_delta);

/* Differences of slices at one distance: squares of the differences of counts, products with those of times, and
 * squares of those of times, summed over `pairs` pairs. */
struct sample_spread {
  double cc, ct, tt;
  uint32_t pairs;
};

/* A slice with a high count: its number in the session, from 0, and its round. */
struct sample_peak {
  double count, seconds;
  uint32_t slice_number, round;
};

/* Maximum factor between the number by a witness and that by time, in both directions: beyond it, too little of the
 * activity was seen to scale by the witness, or nearly all of it. */
#define SAMPLE_TIMES_MOST 2.0

/* Fewer counts than these are not evidence by themselves. The rules that separate few counts from many share this
 * limit: a count is judged by its own slices and by its witness, is itself a witness, or has an interval that allows
 * for what it may have missed. With different limits, two of these rules, or none, would apply to counts in between. */
enum { SAMPLE_FEW = 350 };

/* The slices of one counter on one instance, summed up. All zeros: no slices. */
enum { SAMPLE_PEAKS = 4 };
struct sample_total {
  double count, seconds;
  struct sample_spread spread[2];        /* of neighbours; of slices two apart */
  double lengths, length_squares;        /* sums of d and of its squares (above) */
  struct sample_peak peak[SAMPLE_PEAKS]; /* the highest counts that are not 0, in descending order */
  struct {
    double count, seconds;
  } last[2];     /* the last slice, and the one before it */
  double unseen; /* part of other events' activity that its slices did not see (src/session/witness.c) */
  double off;    /* how far activity at the end may put the number off (src/session/ends.c) */
  double paused; /* part of the time for which it may have paused, without a witness (src/session/bursts.c) */
  double busy;   /* total time of the slices with a count above 0 */
  double times;  /* number by a witness divided by that by time (src/session/ratio.c); 0: scaled by time */
  uint32_t slices, seen, flags; /* seen: number of slices with a count above 0 */
  uint32_t round;               /* round of the last slice */
};

/* Adds a slice and flags. The second function adds peaks of another total of later slices. */
void sample_add(struct sample_total *t, const struct sample_peak *slice, uint32_t flags);
void sample_add_peaks(struct sample_total *t, const struct sample_peak *peaks, uint32_t n);

/* Finds the peaks that exceed the other slices by more than the scatter of counting, with their excess. Returns their
 * number; *ret_rest is the count without the excess. With fewer than 2 * SAMPLE_PEAKS slices, at most half of the
 * slices are peaks. */
uint32_t sample_excess(const struct sample_total *t, struct sample_peak excess[SAMPLE_PEAKS], double *ret_rest);

/* True if slices that cover the part f of the time have few counts, spread by little more than the scatter of counting:
 * they then give no evidence of missed bursts. */
bool sample_is_sparse(const struct sample_total *t, double f);

/* True if the event counts nearly all the time: in three of four slices. */
bool sample_is_even(const struct sample_total *t);

/* True if most of the count is in one or two slices, by its variance: these may have seen any part of a burst. */
bool sample_is_lone(const struct sample_total *t, double f);

/* True if the count came in a small part of the time, and much of it in bursts after the beginning: in slices that are
 * no shorter than the average, or in the second half of the cycles. The short slices of the beginning do not show how
 * many such bursts there are. `rounds`: number of slices in a cycle. */
bool sample_is_late(const struct sample_total *t, uint32_t rounds);

/* True if the count is above 0 and came in less than this part of the time. */
bool sample_is_brief(const struct sample_total *t, double part);

/* Returns the part that counts that come in clumps, in less than a quarter of the slices, may have missed, as for
 * sample_miss(); 0: they do not come in clumps. */
double sample_clumps(const struct sample_total *t, double f);

/* True if the event stops and starts: some slices have no counts where the others have hundreds. */
bool sample_is_intermittent(const struct sample_total *t);

/* Computes the count over `seconds`, scaled if the slices cover less. A counter that never ran yields no value. */
void sample_finish(const struct sample_total *t, double seconds, struct pmon_value *ret_value);

/* Widens the interval of a scaled value for bursts that only other rounds saw, which are the part `missed` of the
 * activity (0 to 1). Above SAMPLE_UNKNOWN the value is unknown. An event that counts nearly all the time may have
 * paused there as well, so that its lower end is reduced, too. */
#define SAMPLE_UNKNOWN 0.4
void sample_miss(const struct sample_total *t, double missed, struct pmon_value *value);

/* Replaces the number of a scaled value by the one from a witness (src/session/ratio.c). The interval remains that of
 * the number by time, which is wider than the uncertainty of the new number, and is extended to include that number. */
void sample_weigh(double number, struct pmon_value *value);

/* Adds `from` to `into`, for counts of different instances. Instances see the same slices of time, so that their
 * deviations are not independent. sigma is therefore added linearly, the maximum for any correlation; this is too much
 * if the sums of the slices are known (src/session/sums.c). The ends of the intervals are added in the same way. A part
 * without a value makes the sum one without a value. */
void value_add(struct pmon_value *into, const struct pmon_value *from);

/* Returns Student's t for 95 % and `freedom` degrees of freedom (at least 1, may be fractional), divided by that of the
 * normal distribution. */
double sample_student(double freedom);

/* Returns the longest time, in seconds, between two reads of a counter of that width within which it cannot wrap twice
 * unnoticed. */
double sample_longest_interval(uint32_t width_bits, double rate_max);

#endif

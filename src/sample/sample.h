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
 *   sigma^2 = (1 - f) * n * (D1 - b (1 - (1 + f) / 3)) / f^2
 *
 * So ramps and long phases, which all rounds see alike, are hardly uncertain, and bursts are what they are. It is
 * never less than what the counting of independent events would scatter, max(C, 1 / f) (1 - f) / f: nothing seen is
 * not nothing there.
 *
 * The 95 % interval reaches 1.96 sigma, times Student's factor, to both sides. Overlapping differences have 2 p^2 /
 * (3 p - 1) degrees of freedom, where p is how many there are; slices that grow count for fewer, p = sum(d)^2 /
 * sum(d^2) with d = t_i^2 + t_(i-1)^2. The last cycle is not complete: how far the number may be off by what goes on
 * at the end (src/session/ends.c) is added, square to square; sigma has its 1.96th part, so that comparisons of single
 * values allow for it. Three things make the interval unequal:
 *  - A count is never less than what was seen, sum(c); and a burst that a single slice saw may have been seen whole,
 *    which scaling multiplied. The lower end is less by what scaling made of such bursts.
 *  - Other rounds may have seen bursts that this counter did not (src/session/bursts.c).
 *  - What rests on few bursts is skewed: a half width h of more than 0.3 of the estimate is exp(h - 0.3) times as long
 *    upwards, at most three times.
 *  - Of nothing seen the upper end is the largest number of independent events that would go unseen so in one of twenty
 *    cases: (1 - f)^number = 0.05.
 * One slice has no information about variation: the value is flagged as uncertain, and has no upper end.
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

/* A slice with a high count: which turn it was, and which round had it. */
struct sample_peak {
  double count, seconds;
  uint32_t turn, round;
};

/* A number by a witness is at most so many times that by time, and at least that part of it: what was seen of a witness
 * beyond that is too little of the activity to scale it, or hardly anything else. */
#define SAMPLE_TIMES_MOST 2.0

/* Fewer counts than these say nothing by themselves. The rules that divide few counts from many meet there: a count is
 * judged by its own slices and by its witness, is itself a witness, or has an interval that allows for what it may have
 * missed. Were the limits not equal, counts between them would have two of these, or none. */
enum { SAMPLE_FEW = 350 };

/* The slices of one counter on one instance, summed up. All zeros is an empty one. */
enum { SAMPLE_PEAKS = 4 };
struct sample_total {
  double count, seconds;
  struct sample_spread spread[2];        /* of neighbours, of those two apart */
  double lengths, length_squares;        /* sums of d and of its squares (above) */
  struct sample_peak peak[SAMPLE_PEAKS]; /* the highest counts that are not 0, in descending order */
  struct {
    double count, seconds;
  } last[2];     /* the slice before, and that before it */
  double unseen; /* which part of other events' activity its slices did not see (src/session/witness.c) */
  double off;    /* by how much the number may be off by what goes on at the end (src/session/ends.c) */
  double paused; /* in which part of the time it may have paused, without a witness (src/session/bursts.c) */
  double busy;   /* seconds of the slices in which something was counted */
  double times;  /* the number by a witness over that by time (src/session/ratio.c); 0: it is scaled by time */
  uint32_t slices, seen, flags; /* seen: slices in which something was counted */
  uint32_t round;               /* that had the last slice */
};

/* Adds a slice, flags, and what other totals hold of later slices. */
void sample_add(struct sample_total *t, const struct sample_peak *slice, uint32_t flags);
void sample_add_peaks(struct sample_total *t, const struct sample_peak *peaks, uint32_t n);

/* The peaks that stand out from the other slices by more than counting scatters, with what they have in excess. Returns
 * how many there are; *ret_rest is the count without the excess. Of fewer than 2 * SAMPLE_PEAKS slices half can. */
uint32_t sample_excess(const struct sample_total *t, struct sample_peak excess[SAMPLE_PEAKS], double *ret_rest);

/* Whether slices that cover the part f of the time hold few counts, spread by little more than counting scatters: then
 * they say nothing of bursts that were missed. */
bool sample_is_sparse(const struct sample_total *t, double f);

/* Whether what was counted goes on nearly all the time: three of four slices have some of it. */
bool sample_is_even(const struct sample_total *t);

/* Whether most of what was counted is in one slice or two, by its variance: these may have seen any part of a burst. */
bool sample_is_lone(const struct sample_total *t, double f);

/* Whether what was counted came in a small part of the time, and much of it in bursts after the beginning: of slices
 * that are no shorter than the average, or of the second half of the cycles. The short slices of the beginning say
 * nothing of how many such bursts there are. `rounds`: turns of a cycle. */
bool sample_is_late(const struct sample_total *t, uint32_t rounds);

/* Whether more than nothing was counted, all of it in less than this part of the time. */
bool sample_is_brief(const struct sample_total *t, double part);

/* What counts that come in clumps, in less than a quarter of the slices, may have missed of those, in the terms of
 * sample_miss(); 0: they do not come so. */
double sample_clumps(const struct sample_total *t, double f);

/* Whether what was counted stops and goes on: some slices have nothing where the others have hundreds. */
bool sample_is_intermittent(const struct sample_total *t);

/* The count over `seconds`, scaled where the slices cover less. A counter that never ran yields no value. */
void sample_finish(const struct sample_total *t, double seconds, struct pmon_value *ret_value);

/* Widens a scaled value for bursts that only other rounds saw, which are the part `missed` of what happened there (0 to
 * 1). Beyond SAMPLE_UNKNOWN the value is not known. What goes on nearly all the time may have paused there as well, so
 * that its lower end is less, too. */
#define SAMPLE_UNKNOWN 0.4
void sample_miss(const struct sample_total *t, double missed, struct pmon_value *value);

/* Gives a scaled value the number that follows from a witness (src/session/ratio.c). The interval stays that of the
 * number by time, which is longer than what the new number leaves open, and reaches to that at least. */
void sample_weigh(double number, struct pmon_value *value);

/* Adds `from` into `into`, as counts of different instances are summed. Instances see the same slices of time, so their
 * deviations are not independent: they are added up, which no correlation can exceed, and which is too much where the
 * sums of the slices are known (src/session/sums.c). So are the ends of their intervals. A part without value makes the
 * sum one without value. */
void value_add(struct pmon_value *into, const struct pmon_value *from);

/* Student's t for 95 % and so many degrees of freedom, at least 1 and not always whole, over that of the normal
 * distribution. */
double sample_student(double freedom);

/* The longest time, in seconds, after which a counter of that width read twice cannot have wrapped twice unseen. */
double sample_longest_interval(uint32_t width_bits, double rate_max);

#endif

/* SPDX-License-Identifier: MIT */
/* From raw values to counts: width, wrap, flags, and scaling whose interval contains the true count. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "src/sample/sample.h"

#define END48 ((UINT64_C(1) << 48) - 1)

static void add_slice(struct sample_total *t, double count, double seconds, uint32_t flags)
{
  sample_add(t, &(struct sample_peak){.count = count, .seconds = seconds, .slice_number = t->slices}, flags);
}

static void deltas(void **state)
{
  static const struct {
    struct sample_reading r;
    uint64_t delta;
    uint32_t flags;
  } rows[] = {
      {{.before = 5, .after = 9, .width_bits = 48}, 4, 0},
      {{.before = 9, .after = 9, .width_bits = 48}, 0, 0},
      {{.before = END48, .after = 0, .width_bits = 48}, 1, PMON_VALUE_WRAPPED},
      {{.before = END48 - 1, .after = 7, .width_bits = 48, .overflowed = true}, 9, PMON_VALUE_WRAPPED},
      {{.before = 100, .after = 90, .width_bits = 48, .rate_max = 1e9, .seconds = 1}, 0, PMON_VALUE_BACKWARDS},
      {{.before = 100, .after = 90, .width_bits = 32, .rate_max = 1e10, .seconds = 1},
       UINT32_MAX - 9,
       PMON_VALUE_WRAPPED | PMON_VALUE_LOST},
      {{.before = 3, .after = 10, .width_bits = 44, .overflowed = true}, 7, PMON_VALUE_LOST},
      {{.before = 0, .after = 17, .width_bits = 20, .rate_max = 1e9, .seconds = 1}, 17, PMON_VALUE_LOST},
      /* 1.2 * 2^20 counts at a rate of at most 1.5 * 2^20 a second look like 0.2 * 2^20. */
      {{.before = 0, .after = 209715, .width_bits = 20, .rate_max = 1572864, .seconds = 1}, 209715, PMON_VALUE_LOST},
      {{.before = 0, .after = 209715, .width_bits = 20, .rate_max = 1258200, .seconds = 1}, 209715, 0},
      {{.before = 0, .after = UINT64_MAX, .width_bits = 48}, 0, PMON_VALUE_UNAVAILABLE},
      {{.before = 1, .after = UINT64_MAX, .width_bits = 64}, UINT64_MAX - 1, 0},
      {{.before = UINT64_MAX, .after = 1, .width_bits = 64}, 2, PMON_VALUE_WRAPPED}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint64_t delta = 77;
    uint32_t flags = sample_delta(&rows[i].r, &delta);
    if (flags != rows[i].flags || delta != rows[i].delta)
      fail_msg("row %zu: delta %llu, flags %u", i, (unsigned long long)delta, flags);
  }
}

static void whole_time_is_exact(void **state)
{
  struct sample_total t = {0};
  struct pmon_value v;
  (void)state;
  add_slice(&t, 10, 0.5, 0);
  add_slice(&t, 32, 0.5, PMON_VALUE_WRAPPED);
  sample_finish(&t, 1, &v);
  assert_true(v.valid && v.number == 42 && v.sigma == 0 && v.fraction == 1 && v.flags == PMON_VALUE_WRAPPED);
}

static void unscheduled_event_is_not_zero(void **state)
{
  struct sample_total t = {0};
  struct pmon_value v;
  (void)state;
  sample_finish(&t, 1, &v);
  assert_false(v.valid);
  assert_string_equal(v.reason, "it got no time slice on the counters");
  add_slice(&t, 0, 1, PMON_VALUE_STOLEN);
  sample_finish(&t, 1, &v);
  assert_false(v.valid);
  assert_non_null(strstr(v.reason, "control register"));
}

static void one_slice_is_uncertain(void **state)
{
  struct sample_total t = {0};
  struct pmon_value v;
  (void)state;
  add_slice(&t, 100, 0.25, 0);
  sample_finish(&t, 1, &v);
  assert_true(v.valid && v.number == 400 && v.fraction == 0.25 && v.sigma == 400);
  assert_int_equal(v.flags, PMON_VALUE_SCALED | PMON_VALUE_UNCERTAIN);
}

static double uniform(uint64_t *seed)
{
  *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (double)(*seed >> 33) / 2147483648.0;
}

/* Workloads that change: the rate in each eighth of a slice. */
enum { PARTS = 8, MOST_SLICES = 100 * 5, WORKLOADS = 6 };
static const char *const workload_names[WORKLOADS] = {"noise", "phases", "bursts", "ramp", "periods", "drift"};
struct workload {
  double rate[MOST_SLICES * PARTS];
};

static double between(uint64_t *seed, double low, double high)
{
  return low + (high - low) * uniform(seed);
}

static void make_phases(struct workload *w, size_t n, uint64_t *seed)
{
  const double mean = between(seed, 2, (double)n / 4);
  double left = 0, rate = 0;
  for (size_t i = 0; i < n; i++, left--) {
    if (left <= 0) {
      left = -log(1 - uniform(seed)) * mean;
      rate = uniform(seed) < 0.3 ? 0.05 : between(seed, 0, 5);
    }
    w->rate[i] = rate;
  }
}

static void make_bursts(struct workload *w, size_t n, uint64_t *seed)
{
  const double chance = between(seed, 0.1, 0.4) / PARTS;
  unsigned left = 0;
  for (size_t i = 0; i<n; i++, left -= left> 0) {
    if (!left && uniform(seed) < chance)
      left = 1 + (unsigned)between(seed, 0, 2 * PARTS);
    w->rate[i] = left ? 10 : 0.5;
  }
}

static void make_workload(struct workload *w, unsigned kind, size_t n, uint64_t *seed)
{
  const double a = between(seed, 0, 5), period = PARTS * 0.3 * exp(uniform(seed) * log(100)), phase = 7 * uniform(seed);
  double x = 0;
  if (kind == 1)
    make_phases(w, n, seed);
  else if (kind == 2)
    make_bursts(w, n, seed);
  for (size_t i = 0; i < n; i++) {
    if (kind == 0)
      w->rate[i] = i % PARTS ? w->rate[i - 1] : between(seed, 1, 5);
    else if (kind == 3)
      w->rate[i] = 0.2 + a * (double)i / (double)n;
    else if (kind == 4)
      w->rate[i] = 1.02 + sin(6.2831853 * (double)i / period + phase);
    else if (kind == 5)
      w->rate[i] = exp(x += 0.3 * (uniform(seed) + uniform(seed) - 1));
  }
}

/* Results of many runs. held: in how many the interval held the true count, at half its width, as stated, and at
 * twice its width. width: its width; squares: for the width of an interval that is computed from the true counts of
 * all runs. */
struct outcomes {
  uint32_t runs, held[3];
  double width, squares;
};

static void sample_try(struct outcomes *outcomes, unsigned kind, uint32_t slices, uint64_t *seed)
{
  static struct workload w;
  struct sample_total t = {0};
  struct pmon_value v;
  const uint32_t rounds = 2 + (uint32_t)(4 * uniform(seed));
  double truth = 0;
  make_workload(&w, kind, (size_t)slices * rounds * PARTS, seed);
  for (uint32_t s = 0; s < slices; s++) {
    const uint32_t turn = (uint32_t)(rounds * uniform(seed));
    for (uint32_t r = 0; r < rounds; r++) {
      double count = 0;
      for (uint32_t i = 0; i < PARTS; i++)
        count += w.rate[(s * rounds + r) * PARTS + i] * 1e4 / PARTS;
      truth += floor(count);
      if (r == turn)
        add_slice(&t, floor(count), 1, 0);
    }
  }
  sample_finish(&t, slices * rounds, &v);
  const double error = fabs(v.number - truth);
  outcomes->runs++;
  for (int i = 0; i < 3; i++)
    outcomes->held[i] +=
        v.number - ldexp(v.number - v.low, i - 1) <= truth && truth <= v.number + ldexp(v.high - v.number, i - 1);
  outcomes->width += (v.high - v.low) / 2 / truth;
  outcomes->squares += error * error / (truth * truth);
}

static void interval_holds_the_truth(void **state)
{
  enum { RUNS = 1500 };
  static const uint32_t slices[] = {10, 30, 100};
  uint64_t seed = 7;
  (void)state;
  for (size_t n = 0; n < sizeof slices / sizeof *slices; n++) {
    double part[3] = {0};
    for (unsigned kind = 0; kind < WORKLOADS; kind++) {
      struct outcomes outcomes = {0};
      while (outcomes.runs < RUNS)
        sample_try(&outcomes, kind, slices[n], &seed);
      const double held = (double)outcomes.held[1] / RUNS, width = outcomes.width / RUNS;
      const double best = 1.96 * sqrt(outcomes.squares / RUNS);
      print_message("%3u slices, %-7s %5.1f %%, half width %5.1f %% of the count (1.96 deviations of it: %5.1f %%)\n",
                    slices[n], workload_names[kind], 100 * held, 100 * width, 100 * best);
      for (int i = 0; i < 3; i++)
        part[i] += (double)outcomes.held[i] / RUNS / WORKLOADS;
      /* Ten slices may miss all bursts without any sign of it, and the skewed upper halves are wider. These counts have
       * no scatter of counting itself, while the widths allow for it. */
      const bool few_bursts = kind == 2 && slices[n] == 10;
      if (held < (few_bursts ? 0.88 : 0.92) || width > (few_bursts ? 1.6 : 1.5) * best + 0.04)
        fail_msg("the 95 %% interval holds the truth in %.1f %% of the runs", 100 * held);
    }
    print_message("%3u slices, all     %5.1f %%; half as wide: %.1f %%, twice as wide: %.1f %%\n", slices[n],
                  100 * part[1], 100 * part[0], 100 * part[2]);
    assert_true(part[1] > 0.93 && part[1] < 0.97);
    assert_true(part[0] < 0.9 && part[2] > 0.97);
  }
}

/* The predicates of src/session/bursts.c: counts too few to show bursts, and counts that pause and resume. */
static void few_even_counts_say_nothing(void **state)
{
  struct sample_total even = {0}, bursts = {0}, many = {0}, pauses = {0}, none = {0};
  (void)state;
  for (uint32_t i = 0; i < 20; i++) {
    add_slice(&even, 7 + i % 3, 1, 0);
    add_slice(&bursts, i % 10 ? 0 : 80, 1, 0);
    add_slice(&many, 1000 + i % 3, 1, 0);
    add_slice(&pauses, i < 10 ? 0 : 1000, 1, 0);
    add_slice(&none, 0, 1, 0);
  }
  assert_true(sample_is_sparse(&even, 0.25) && sample_is_sparse(&none, 0.25));
  assert_false(sample_is_sparse(&bursts, 0.25) || sample_is_sparse(&many, 0.25) || sample_is_sparse(&even, 1));
  assert_true(sample_is_intermittent(&pauses));
  assert_false(sample_is_intermittent(&many) || sample_is_intermittent(&even) || sample_is_intermittent(&none) ||
               sample_is_intermittent(&bursts));
}

/* Clumps: the missed part depends on the number of clumps, not on the counts in them; for one or two it is unknown. */
static void clumps_scatter_by_their_number(void **state)
{
  double before = 1;
  (void)state;
  for (uint32_t clumps = 1; clumps <= 10; clumps++) {
    struct sample_total t = {0}, few = {0};
    for (uint32_t i = 0; i < 60; i++) {
      add_slice(&t, i % 6 == 0 && i / 6 < clumps ? 9 : 0, 1, 0);
      add_slice(&few, i % 6 == 0 && i / 6 < clumps ? 1 : 0, 1, 0);
    }
    const double missed = sample_clumps(&t, 0.2);
    assert_true(missed > 0 && missed < before && (missed > SAMPLE_UNKNOWN) == (clumps < 3));
    assert_true(sample_clumps(&few, 0.2) == 0 && sample_clumps(&t, 1) == 0);
    before = missed;
  }
}

/* All counts in one slice: the slice may hold any part of a burst. */
static void lone_bursts_are_known_by_their_slices(void **state)
{
  (void)state;
  for (uint32_t seen = 1; seen <= 30; seen++) {
    struct sample_total many = {0}, few = {0};
    for (uint32_t i = 0; i < 60; i++) {
      add_slice(&many, i < seen ? 20 : 0, 1, 0);
      add_slice(&few, i < seen ? 2 : 0, 1, 0);
    }
    assert_int_equal(sample_is_lone(&many, 0.3), seen < 2);
    assert_false(sample_is_lone(&few, 0.3));
  }
}

/* With short slices at the start: a burst in a slice of average length or more, or in the second half of the cycles, is
 * late. A burst at the start is not, and neither is activity in a large part of the time. */
static void bursts_after_the_beginning_are_late(void **state)
{
  static const struct {
    uint32_t burst, busy;
    double beginning, more;
    bool late;
  } cases[] = {{30, 1, 20, 200, true},  {2, 1, 20, 200, false}, {30, 1, 90, 200, false},
               {30, 8, 20, 200, false}, {30, 1, 0, 5, false},   {31, 1, 20, 200, true}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct sample_total t = {0};
    for (uint32_t k = 0; k < 40; k++) {
      const double burst = k >= cases[i].burst && k < cases[i].burst + cases[i].busy ? cases[i].more : 0;
      const double seconds = k < 10 ? 0.02 : k == 31 ? 0.3 : 1;
      sample_add(&t, &(struct sample_peak){burst + (k < 10 ? cases[i].beginning : 0), seconds, 3 * k + 1, 1}, 0);
    }
    assert_int_equal(sample_is_late(&t, 3), cases[i].late);
    assert_int_equal(sample_is_brief(&t, 0.05), cases[i].busy == 1);
  }
}

/* A short slice with a high rate at the start does not explain a longer slice with a high count. */
static void short_slices_are_no_slope(void **state)
{
  struct sample_peak excess[SAMPLE_PEAKS];
  double rest;
  (void)state;
  for (int short_ones = 0; short_ones < 2; short_ones++) {
    struct sample_total t = {0};
    for (uint32_t k = 0; k < 40; k++)
      add_slice(&t, k == 30 ? 1000 : k < 4 ? 20 : 0, k < 4 && short_ones ? 0.02 : 1, 0);
    assert_int_equal(sample_excess(&t, excess, &rest) >= 1, true);
    assert_true(excess[0].slice_number == 30 && excess[0].count >= 970 && excess[0].count <= 1000);
  }
}

/* Zero in a third of the time: (2/3)^7.4 = 0.05. An estimate whose uncertainty is a large part of itself is skewed,
 * however large it is. */
static void upper_ends_are_those_of_few_bursts(void **state)
{
  struct sample_total none = {0}, bursts = {0};
  struct pmon_value v;
  (void)state;
  for (uint32_t k = 0; k < 100; k++) {
    add_slice(&none, 0, 1, 0);
    add_slice(&bursts, k % 9 == 3 ? 1e6 : 0, 1, 0);
  }
  sample_finish(&none, 300, &v);
  assert_true(v.low == 0 && v.number == 0 && v.high > 7.38 && v.high < 7.40);
  sample_finish(&bursts, 300, &v);
  assert_true(v.high - v.number > 1.2 * (v.number - v.low));
}

/* A slice in which no time passed shows nothing about the others: counting may be stopped where a slice ends. */
static void empty_slices_change_nothing(void **state)
{
  struct sample_total with = {0}, without = {0};
  struct pmon_value a, b;
  (void)state;
  for (uint32_t i = 0; i < 6; i++) {
    add_slice(&with, i % 2 ? 5 : 0, 1, 0);
    add_slice(&without, i % 2 ? 5 : 0, 1, 0);
    add_slice(&with, 0, 0, 0);
  }
  sample_finish(&with, 12, &a);
  sample_finish(&without, 12, &b);
  assert_true(a.valid && a.number == b.number && a.low == b.low && a.high == b.high && with.slices == 6);
  /* It is counted if it is all there is. */
  with = (struct sample_total){0};
  add_slice(&with, 0, 0, 0);
  sample_finish(&with, 0, &a);
  assert_true(a.valid && a.number == 0);
}

static void sums_keep_reasons(void **state)
{
  struct pmon_value a = {.number = 1, .sigma = 2, .fraction = 1, .valid = true}, b = a, c = {.reason = "gone"};
  (void)state;
  value_add(&a, &b);
  assert_true(a.valid && a.number == 2 && a.sigma == 4);
  value_add(&a, &c);
  assert_false(a.valid);
  value_add(&a, &b);
  assert_string_equal(a.reason, "gone");
}

/* The upper end from missing bursts, and that of the number itself: for few counts they add up, for many the higher one
 * counts. */
static void few_counts_of_which_a_part_is_missing_reach_farther(void **state)
{
  (void)state;
  for (double size = 1; size < 1e5; size *= 1000) {
    struct sample_total t = {0};
    struct pmon_value before, after;
    for (uint32_t i = 0; i < 20; i++)
      sample_add(&t, &(struct sample_peak){size * (i % 3), 1, i, 0}, 0);
    sample_finish(&t, 40, &before);
    after = before;
    sample_miss(&t, 0.2, &after);
    const double missing = before.number / (0.8 * 0.8), higher = fmax(before.high, missing);
    assert_true(before.valid && after.valid && before.high > before.number);
    assert_true(size > 1 ? fabs(after.high / higher - 1) < 1e-9 : after.high > 1.05 * higher);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(deltas),
                                     cmocka_unit_test(whole_time_is_exact),
                                     cmocka_unit_test(unscheduled_event_is_not_zero),
                                     cmocka_unit_test(one_slice_is_uncertain),
                                     cmocka_unit_test(interval_holds_the_truth),
                                     cmocka_unit_test(few_even_counts_say_nothing),
                                     cmocka_unit_test(clumps_scatter_by_their_number),
                                     cmocka_unit_test(lone_bursts_are_known_by_their_slices),
                                     cmocka_unit_test(bursts_after_the_beginning_are_late),
                                     cmocka_unit_test(short_slices_are_no_slope),
                                     cmocka_unit_test(upper_ends_are_those_of_few_bursts),
                                     cmocka_unit_test(empty_slices_change_nothing),
                                     cmocka_unit_test(sums_keep_reasons),
                                     cmocka_unit_test(few_counts_of_which_a_part_is_missing_reach_farther)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* The three freeze scopes, over registers whose accesses take time: what is counted, when, and with what skew. */
#include <math.h>
#include "tests/engine/base.h"
#include "tests/engine/fake.h"

enum { ACCESS_NS = 100, CODE = 0x35, INTERVALS = 4, INTERVAL_NS = 50000 };

static struct fake fake[1];

static struct pmon_plan *make_plan(const char *platform, const char *events)
{
  const struct pmon_platform *p;
  ok(pmon_platform_find(context, platform, &p));
  fake_init(fake, p);
  fake->access_ns = ACCESS_NS;
  return rig_plan(p, events, NULL);
}

/* Sums over the intervals of one counter and its clock. */
struct seen {
  double counts, seconds, begin, end;
  uint64_t freeze_ns, skew_ns;
  uint32_t freeze;
};

/* Measures intervals; with `exact`, a frozen counter's count must be its rate times exactly the interval's time. */
static struct seen freeze_measure(struct pmon_plan *plan, uint32_t freeze, bool exact)
{
  struct pmon_session_options options = {.size = sizeof options, .freeze = freeze, .packages = 1};
  struct pmon_session_info info = {.size = sizeof info};
  struct pmon_session *s;
  struct pmon_value v;
  struct seen seen = {0};
  bool ended = false;
  ok(pmon_session_new(plan, &fake->backend, &options, &s));
  ok(pmon_session_start(s));
  seen.begin = (double)pmon_session_now_ns(s) * 1e-9;
  for (uint32_t k = 0; k < INTERVALS; k++) {
    ok(pmon_session_run(s, pmon_session_now_ns(s) + INTERVAL_NS, &ended));
    ok(pmon_session_event(s, 0, &(struct pmon_scope){0, 0}, &v));
    assert_true(v.valid && v.flags == 0);
    if (exact)
      assert_true(fabs(v.number - CODE * pmon_session_seconds(s) * 1e9) < 1e-3);
    seen.counts += v.number;
    seen.seconds += pmon_session_seconds(s);
    ok(pmon_session_describe(s, &info));
    seen.freeze_ns = info.freeze_ns;
    seen.skew_ns = info.skew_ns;
    seen.freeze = info.freeze;
    pmon_session_mark(s);
  }
  seen.end = (double)pmon_session_now_ns(s) * 1e-9;
  ok(pmon_session_close(s));
  return seen;
}

static const char events[] = "cha0/TOR_INSERTS.IA_MISS_DRD/,imc0/CAS_COUNT.RD/,upi0/TxL_FLITS.ALL_DATA/";

/* One write freezes the package; then three counters and their three controls are read, those of UPI in halves. The
 * time of these reads, and of the write that unfreezes, belongs to no interval. */
static void a_socket_is_frozen_at_once(void **state)
{
  struct pmon_plan *plan = make_plan("emr", events);
  (void)state;
  struct seen seen = freeze_measure(plan, PMON_FREEZE_BEST, true);
  assert_int_equal(seen.freeze, PMON_FREEZE_GLOBAL);
  assert_int_equal(seen.freeze_ns, ACCESS_NS);
  assert_int_equal(seen.skew_ns, 4 * ACCESS_NS);
  double held = (seen.end - seen.begin) - seen.seconds, expected = (INTERVALS - 1) * 9.0 * ACCESS_NS;
  assert_true(fabs(held * 1e9 - expected) < 1e-3);
  pmon_plan_free(plan);
}

/* No freeze bit is written, and nothing is missed between intervals: counters keep running. */
static void freeze_none_writes_no_freeze_bit(void **state)
{
  struct pmon_plan *plan = make_plan("emr", events);
  (void)state;
  struct seen seen = freeze_measure(plan, PMON_FREEZE_NONE, false);
  assert_int_equal(seen.freeze, PMON_FREEZE_NONE);
  assert_int_equal(fake->freezes, 0);
  assert_int_equal(seen.freeze_ns, 0);
  assert_int_equal(seen.skew_ns, 4 * ACCESS_NS);
  assert_true(fabs(seen.end - seen.begin - seen.seconds) < 1e-12);
  /* the counter starts a few accesses before the clock, and is read one access after it */
  assert_true(fabs(seen.counts - CODE * seen.seconds * 1e9) <= CODE * 10.0 * ACCESS_NS);
  pmon_plan_free(plan);
}

/* Units are frozen one after the other, with one write each. */
static void boxes_are_frozen_one_after_another(void **state)
{
  struct pmon_plan *plan = make_plan("emr", events);
  (void)state;
  struct seen seen = freeze_measure(plan, PMON_FREEZE_BOX, false);
  assert_int_equal(seen.freeze, PMON_FREEZE_BOX);
  assert_int_equal(seen.freeze_ns, 3 * ACCESS_NS);
  assert_false(fake->frozen[0]);
  pmon_plan_free(plan);
}

/* Where a freeze takes one write per unit, all intervals but the last are read without a freeze, and report that. */
static void boxes_are_frozen_at_interval_boundaries(void **state)
{
  struct pmon_plan *plan = make_plan("snbep", "cbo0/CLOCKTICKS/,cbo1/CLOCKTICKS/");
  const struct pmon_session_options options = {.size = sizeof options, .packages = 1};
  struct pmon_session_info info = {.size = sizeof info};
  struct pmon_session *s;
  bool ended = false;
  (void)state;
  ok(pmon_session_new(plan, &fake->backend, &options, &s));
  ok(pmon_session_start(s));
  assert_int_equal(fake->freezes, 2 * 2); /* frozen and unfrozen */
  for (uint64_t freezes = fake->freezes, k = 0; k <= INTERVALS; k++) {
    ok(pmon_session_run(s, k < INTERVALS ? pmon_session_now_ns(s) + INTERVAL_NS : UINT64_MAX, &ended));
    ok(pmon_session_describe(s, &info));
    assert_int_equal(ended, k == INTERVALS);
    assert_int_equal(info.freeze, ended ? PMON_FREEZE_BOX : PMON_FREEZE_BOUNDARIES);
    assert_int_equal(fake->freezes - freezes, ended ? 2 : 0);
    assert_int_equal(info.freeze_ns, ended ? 2 * ACCESS_NS : 0);
    pmon_session_mark(s);
  }
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
}

static void features_that_a_platform_lacks_are_refused(void **state)
{
  static const struct {
    const char *platform, *events;
    uint32_t freeze, best;
    int status;
  } rows[] = {{"snbep", "cbo0/CLOCKTICKS/", PMON_FREEZE_GLOBAL, PMON_FREEZE_BOX, PMON_E_UNSUPPORTED},
              {"snbep", "ubox/LOCK_CYCLES/", PMON_FREEZE_BOX, PMON_FREEZE_NONE, PMON_E_UNSUPPORTED},
              {"snbep", "ubox/LOCK_CYCLES/", PMON_FREEZE_BOUNDARIES, PMON_FREEZE_NONE, PMON_E_UNSUPPORTED},
              {"montecito", "CPU_OP_CYCLES.ALL", PMON_FREEZE_GLOBAL, PMON_FREEZE_BOX, PMON_E_UNSUPPORTED},
              {"emr", "cha0/CLOCKTICKS/", PMON_FREEZE_BOUNDARIES + 1, PMON_FREEZE_GLOBAL, PMON_E_INVALID}};
  struct pmon_session_info info = {.size = sizeof info};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_plan *plan = make_plan(rows[i].platform, rows[i].events);
    struct pmon_session_options options = {.size = sizeof options, .freeze = rows[i].freeze};
    struct pmon_session *s;
    assert_int_equal(pmon_session_new(plan, &fake->backend, &options, &s), rows[i].status);
    options.freeze = PMON_FREEZE_BEST;
    ok(pmon_session_new(plan, &fake->backend, &options, &s));
    ok(pmon_session_describe(s, &info));
    assert_int_equal(info.freeze, rows[i].best);
    ok(pmon_session_close(s));
    pmon_plan_free(plan);
  }
}

/* The frequency of a clock that the platform does not have would change nothing. */
static void an_unknown_clock_is_refused(void **state)
{
  struct pmon_plan *plan = make_plan("snbep", "cbo0/CLOCKTICKS/");
  const struct pmon_clock clocks[] = {{"UCLK", 2000000000}, {"ubclk", 1000000000}};
  struct pmon_session_options options = {.size = sizeof options, .clocks = clocks, .n_clocks = 2};
  struct pmon_session *s;
  (void)state;
  assert_int_equal(pmon_session_new(plan, &fake->backend, &options, &s), PMON_E_UNKNOWN);
  assert_string_equal(pmon_context_error(context),
                      "snbep has no clock \"ubclk\"; its clocks are uclk, dclk, qfclk, pclk, tsc");
  options.n_clocks = 1;
  ok(pmon_session_new(plan, &fake->backend, &options, &s));
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
}

/* Measures CLOCK_HZ(imc) on a backend of that name, of a host or not. */
static struct pmon_value clock_of_backend(const char *name, bool host, const struct pmon_clock *clock)
{
  const struct pmon_backend_ops *own = fake->backend.ops;
  struct pmon_backend_ops ops = *own;
  struct pmon_session_options options = {.size = sizeof options, .clocks = clock, .n_clocks = clock != NULL};
  struct pmon_plan *plan = rig_plan(snbep, NULL, "X=CLOCK_HZ(imc)+0*imc/CAS_COUNT.RD/");
  struct pmon_session *s;
  struct pmon_value v;
  bool ended = false;
  fake_init(fake, snbep);
  ops.name = name;
  fake->backend.ops = &ops;
  fake->backend.host = host;
  ok(pmon_session_new(plan, &fake->backend, &options, &s));
  ok(pmon_session_start(s));
  ok(pmon_session_run(s, pmon_session_now_ns(s) + INTERVAL_NS, &ended));
  ok(pmon_session_metric(s, 0, &(struct pmon_scope){PMON_ALL, PMON_ALL}, &v));
  ok(pmon_session_close(s));
  fake->backend.ops = own;
  pmon_plan_free(plan);
  return v;
}

/* The facts have the clocks of a reference machine, which a host's are not. The backend states that it is a host's, by
 * a member: names of backends have no meaning. */
static void a_hosts_clock_is_not_that_of_the_facts(void **state)
{
  const struct pmon_clock stated = {"dclk", 667000000};
  struct pmon_value v = clock_of_backend("direct", false, NULL);
  (void)state;
  assert_true(v.valid && v.number == 800e6);
  v = clock_of_backend("fake", true, NULL);
  assert_false(v.valid);
  assert_string_equal(v.reason, "the frequency of the unit's clock is not known; count its ticks instead");
  v = clock_of_backend("fake", true, &stated);
  assert_true(v.valid && v.number == 667e6);
}

/* 44 bits, at one and at twenty counts a cycle: the longest interval is half the wrap time of the faster counter. */
static void the_longest_interval_is_reported(void **state)
{
  struct pmon_plan *plan = make_plan("snbep", "cbo0/CLOCKTICKS/,cbo0/TOR_OCCUPANCY.ALL/");
  const double span = ldexp(1, 44), hz = 2e9;
  const struct pmon_clock clock = {"uclk", (uint64_t)hz};
  struct pmon_session_options options = {.size = sizeof options, .clocks = &clock, .n_clocks = 1};
  struct pmon_session_info info = {.size = sizeof info};
  struct pmon_session *s;
  double ticks, occupancy, none;
  (void)state;
  ok(pmon_session_new(plan, &fake->backend, &options, &s));
  ok(pmon_session_longest(s, 0, &ticks));
  ok(pmon_session_longest(s, 1, &occupancy));
  assert_int_equal(pmon_session_longest(s, 2, &none), PMON_E_RANGE);
  assert_true(fabs(ticks / (span / hz) - 1) < 1e-9);
  assert_true(fabs(occupancy / (span / hz / 20) - 1) < 1e-9);
  ok(pmon_session_describe(s, &info));
  assert_true(fabs((double)info.longest_ns - occupancy / 2 * 1e9) < 2);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
}

/* 48 bits, without increments in the guide: one more bit than the threshold has (8, in the IIO 12), for occurrences of
 * the IIO the limit of before; one count a cycle with a threshold. */
static void the_longest_interval_follows_the_threshold(void **state)
{
  static const struct {
    const char *event;
    double increment;
  } rows[] = {{"cha0/TOR_OCCUPANCY.IA/", 511},
              {"cha0/TOR_OCCUPANCY.IA,thresh=1/", 1},
              {"iio0/COMP_BUF_OCCUPANCY.CMPD.ALL_PARTS/", 8191},
              {"iio0/DATA_REQ_OF_CPU.MEM_READ.PART0/", 1024},
              {"imc0/CAS_COUNT.RD/", 511}};
  const double span = ldexp(1, 48), hz = 2e9;
  const struct pmon_clock clocks[] = {{"uclk", (uint64_t)hz}, {"ioclk", (uint64_t)hz}, {"dclk", (uint64_t)hz}};
  const struct pmon_session_options options = {.size = sizeof options, .clocks = clocks, .n_clocks = 3};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_plan *plan = make_plan("emr", rows[i].event);
    struct pmon_session *s;
    double seconds;
    ok(pmon_session_new(plan, &fake->backend, &options, &s));
    ok(pmon_session_longest(s, 0, &seconds));
    if (fabs(seconds * hz * rows[i].increment / span - 1) > 1e-9)
      fail_msg("%s: %g s", rows[i].event, seconds);
    ok(pmon_session_close(s));
    pmon_plan_free(plan);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_socket_is_frozen_at_once),
                                     cmocka_unit_test(freeze_none_writes_no_freeze_bit),
                                     cmocka_unit_test(boxes_are_frozen_one_after_another),
                                     cmocka_unit_test(boxes_are_frozen_at_interval_boundaries),
                                     cmocka_unit_test(features_that_a_platform_lacks_are_refused),
                                     cmocka_unit_test(an_unknown_clock_is_refused),
                                     cmocka_unit_test(a_hosts_clock_is_not_that_of_the_facts),
                                     cmocka_unit_test(the_longest_interval_is_reported),
                                     cmocka_unit_test(the_longest_interval_follows_the_threshold)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

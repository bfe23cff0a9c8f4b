/* SPDX-License-Identifier: MIT */
/* When control registers are checked, and what a change means; counters that are read in halves while they run. */
#include <math.h>
#include <string.h>
#include "tests/engine/base.h"
#include "tests/engine/fake.h"

enum { INTERVAL_NS = 50000, INTERVALS = 12, VERIFY_NS = 200000, SECOND_NS = 1000000000 };

static struct fake fake[1];

static struct pmon_session *verify_begin(struct pmon_plan *plan, const struct pmon_platform *platform,
                                         uint64_t verify_ns)
{
  const struct pmon_session_options options = {
      .size = sizeof options, .packages = 1, .verify_ns = verify_ns, .freeze = PMON_FREEZE_NONE};
  struct pmon_session *s;
  const uint64_t access_ns = fake->access_ns;
  fake_init(fake, platform);
  fake->end_ns = UINT64_MAX;
  ok(pmon_session_new(plan, &fake->backend, &options, &s));
  ok(pmon_session_start(s));
  fake->access_ns = access_ns;
  return s;
}

static uint32_t verify_run(struct pmon_session *s, uint64_t ns)
{
  struct pmon_value v;
  bool ended;
  pmon_session_mark(s);
  ok(pmon_session_run(s, pmon_session_now_ns(s) + ns, &ended));
  ok(pmon_session_event(s, 0, &(struct pmon_scope){0, 0}, &v));
  return v.flags;
}

/* An interval takes one access for each of three counters, and one more for each control that is due: none, all of
 * them, or a share such that each control is checked once per period. */
static void checks_are_spread_over_the_period(void **state)
{
  static const uint64_t every[] = {0, VERIFY_NS, UINT64_MAX};
  enum { PERIOD = VERIFY_NS / INTERVAL_NS, CONTROLS = 3 };
  (void)state;
  for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
    struct pmon_plan *plan = rig_plan(emr, "cha0-2/CLOCKTICKS/", NULL);
    struct pmon_session *s = verify_begin(plan, emr, every[i]);
    uint64_t looks = 0;
    for (uint64_t k = 1; k <= INTERVALS; k++) {
      const uint64_t reads = fake->reads;
      assert_int_equal(verify_run(s, INTERVAL_NS), 0);
      const uint64_t now = fake->reads - reads - CONTROLS;
      assert_true(every[i] ? now <= (every[i] == VERIFY_NS) : now == CONTROLS);
      looks += now;
      if (every[i] == VERIFY_NS && k % PERIOD == 0)
        assert_int_equal(looks, CONTROLS * k / PERIOD);
    }
    /* The controls that were not checked after the last interval. */
    const uint64_t reads = fake->reads;
    ok(pmon_session_verify(s));
    assert_int_equal(fake->reads - reads, every[i] == UINT64_MAX ? CONTROLS : every[i] ? CONTROLS - 1 : 0);
    ok(pmon_session_verify(s));
    assert_int_equal(fake->reads - reads, every[i] == UINT64_MAX ? CONTROLS : every[i] ? CONTROLS - 1 : 0);
    ok(pmon_session_close(s));
    pmon_plan_free(plan);
  }
}

/* When one changed control is found, all are checked: their interval is flagged, and all later ones while the change
 * persists. The reported time since when it may have been so is that of the previous check. */
static void a_change_is_found_with_the_next_share(void **state)
{
  struct pmon_plan *plan = rig_plan(emr, "cha0-2/CLOCKTICKS/", NULL);
  struct pmon_session_info info = {.size = sizeof info};
  struct pmon_value v;
  (void)state;
  struct pmon_session *s = verify_begin(plan, emr, VERIFY_NS);
  /* 3 controls in 4 intervals: none is due in the first, fifth and ninth interval */
  fake->steal_at_ns = 4 * INTERVAL_NS + 1;
  for (uint64_t k = 1; k <= 10; k++) {
    const uint32_t flags = verify_run(s, INTERVAL_NS);
    assert_int_equal(flags, k >= 6 ? PMON_VALUE_STOLEN : 0);
    for (uint32_t i = 0; i < 3; i++) {
      ok(pmon_session_event(s, 0, &(struct pmon_scope){0, i}, &v));
      assert_int_equal(v.flags, flags);
    }
    ok(pmon_session_describe(s, &info));
    assert_int_equal(info.changed, k >= 6 ? 3 : 0);
    assert_int_equal(info.changed_from_ns, k == 6 ? 2 * INTERVAL_NS : k > 6 ? (k - 1) * INTERVAL_NS : 0);
  }
  ok(pmon_session_close(s));
  s = verify_begin(plan, emr, UINT64_MAX);
  fake->steal_at_ns = INTERVAL_NS + 1;
  for (uint64_t k = 1; k <= 3; k++)
    assert_int_equal(verify_run(s, INTERVAL_NS), 0);
  ok(pmon_session_verify(s));
  ok(pmon_session_event(s, 0, &(struct pmon_scope){0, 0}, &v));
  assert_int_equal(v.flags, PMON_VALUE_STOLEN);
  ok(pmon_session_describe(s, &info));
  assert_int_equal(info.changed, 3);
  assert_int_equal(info.changed_from_ns, 0);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
}

/* A share is spread over the list: a tool that takes one counter of each instance of a unit is found by the first
 * share. */
static void each_share_has_controls_of_each_event(void **state)
{
  enum { SHARES = 8, EVENTS = 4, INSTANCES = 32 };
  (void)state;
  for (uint32_t stolen = 0; stolen < EVENTS; stolen++) {
    struct pmon_plan *plan = rig_plan(emr,
                                      "cha0-31/CLOCKTICKS/,cha0-31/event=0x35,umask=1/,"
                                      "cha0-31/event=0x36,umask=1/,cha0-31/event=0x50,umask=1/",
                                      NULL);
    struct pmon_session *s = verify_begin(plan, emr, (uint64_t)SHARES * INTERVAL_NS);
    struct pmon_value v;
    uint64_t reads = fake->reads;
    verify_run(s, INTERVAL_NS);
    assert_int_equal(fake->reads - reads, EVENTS * INSTANCES + EVENTS * INSTANCES / SHARES);
    fake->steal_counter = stolen;
    fake->steal_at_ns = INTERVAL_NS + 1;
    reads = fake->reads;
    verify_run(s, INTERVAL_NS);
    assert_int_equal(fake->reads - reads, 2 * EVENTS * INSTANCES);
    uint32_t flagged = 0;
    for (uint32_t e = 0; e < EVENTS; e++)
      for (uint32_t i = 0; i < INSTANCES; i++) {
        ok(pmon_session_event(s, e, &(struct pmon_scope){0, i}, &v));
        flagged += v.flags == PMON_VALUE_STOLEN;
      }
    assert_int_equal(flagged, INSTANCES);
    ok(pmon_session_close(s));
    pmon_plan_free(plan);
  }
}

/* A counter that counts nothing although it counted before: its unit's controls are checked, no others. */
static void a_counter_that_stops_is_looked_at(void **state)
{
  struct pmon_plan *plan = rig_plan(emr, "cha0-2/CLOCKTICKS/", NULL);
  (void)state;
  struct pmon_session *s = verify_begin(plan, emr, UINT64_MAX);
  assert_int_equal(verify_run(s, INTERVAL_NS), 0);
  ok(pmon_unit_find(emr, "cha", &fake->still_unit));
  fake->still_instance = 1;
  uint64_t reads = fake->reads;
  assert_int_equal(verify_run(s, INTERVAL_NS), 0);
  assert_int_equal(fake->reads - reads, 3 + 1);
  reads = fake->reads;
  assert_int_equal(verify_run(s, INTERVAL_NS), 0);
  assert_int_equal(fake->reads - reads, 3);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
}

/* With several rounds, each read checks, whatever the interval: otherwise a change in a round would be lost. */
static void multiplexed_sessions_check_at_each_read(void **state)
{
  struct pmon_plan *plan = rig_plan(emr,
                                    "cha0/CLOCKTICKS/,cha0/event=0x35,umask=1/,cha0/event=0x36,umask=1/,"
                                    "cha0/event=0x50,umask=1/,cha0/event=0x34,umask=1/,cha0/event=0x37,umask=1/",
                                    NULL);
  (void)state;
  struct pmon_session *s = verify_begin(plan, emr, UINT64_MAX);
  uint32_t flags = 0;
  fake->steal_at_ns = 5 * INTERVAL_NS + 1;
  for (uint64_t k = 1; k <= 8; k++) {
    verify_run(s, INTERVAL_NS);
    for (uint32_t event = 0; event < 6; event++) {
      struct pmon_value v;
      ok(pmon_session_event(s, event, &(struct pmon_scope){0, 0}, &v));
      flags |= v.flags;
    }
  }
  assert_true(flags & PMON_VALUE_STOLEN);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
}

/* A program that takes a counter usually clears it: if a counter decreases, its control is checked. */
static void a_decreasing_counter_is_flagged(void **state)
{
  struct pmon_plan *plan = rig_plan(emr, "cha0-2/CLOCKTICKS/", NULL);
  (void)state;
  struct pmon_session *s = verify_begin(plan, emr, UINT64_MAX);
  assert_int_equal(verify_run(s, INTERVAL_NS), 0);
  fake->steal_at_ns = fake->now_ns + 1;
  for (uint32_t i = 0; i < fake->n; i++)
    if (fake->regs[i].role == PMON_ROLE_CTR && fake->regs[i].id.instance == 0)
      fake->regs[i].value = 5;
  const uint64_t reads = fake->reads;
  assert_int_equal(verify_run(s, 10), PMON_VALUE_STOLEN | PMON_VALUE_BACKWARDS);
  assert_int_equal(fake->reads - reads, 3 + 3);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
}

/* A register that does not keep the written value is found before the first interval, even if all checks are far
 * away. */
static void counters_are_checked_before_the_first_interval(void **state)
{
  struct pmon_plan *plan = rig_plan(emr, "cha0/CLOCKTICKS/", NULL);
  (void)state;
  struct pmon_session *s = verify_begin(plan, emr, 0);
  const uint64_t without = fake->reads;
  ok(pmon_session_close(s));
  s = verify_begin(plan, emr, UINT64_MAX);
  assert_int_equal(fake->reads, without + 1);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
}

/* A counter in two halves: each half is read once, unless the low half may just have wrapped. Accesses are so slow here
 * that it wraps between them. */
static void halves_are_never_torn(void **state)
{
  enum { ACCESS_NS = 30000000, READS = 1000 };
  struct pmon_plan *plan = rig_plan(snbep, "r2pcie0/CLOCKTICKS/", NULL);
  struct pmon_value v;
  double sum = 0;
  uint64_t thrice = 0;
  (void)state;
  struct pmon_session *s = verify_begin(plan, snbep, UINT64_MAX);
  const uint64_t begin_ns = fake->now_ns;
  fake->access_ns = ACCESS_NS;
  for (uint32_t k = 0; k < READS; k++) {
    const uint64_t reads = fake->reads;
    assert_int_equal(verify_run(s, SECOND_NS / 2), 0);
    thrice += fake->reads - reads > 2;
    ok(pmon_session_event(s, 0, &(struct pmon_scope){0, 0}, &v));
    assert_true(v.valid);
    sum += v.number;
  }
  /* one count per nanosecond; the time of the last reading is in no interval */
  assert_true(fabs(sum - (double)(fake->now_ns - begin_ns)) <= 8.0 * ACCESS_NS);
  if (thrice <= 5 || thrice >= READS / 4)
    fail_msg("%u pairs were read again", (unsigned)thrice);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(checks_are_spread_over_the_period),
                                     cmocka_unit_test(a_change_is_found_with_the_next_share),
                                     cmocka_unit_test(each_share_has_controls_of_each_event),
                                     cmocka_unit_test(a_counter_that_stops_is_looked_at),
                                     cmocka_unit_test(multiplexed_sessions_check_at_each_read),
                                     cmocka_unit_test(a_decreasing_counter_is_flagged),
                                     cmocka_unit_test(counters_are_checked_before_the_first_interval),
                                     cmocka_unit_test(halves_are_never_torn)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

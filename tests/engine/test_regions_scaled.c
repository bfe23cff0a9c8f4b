/* SPDX-License-Identifier: MIT */
/* Regions whose counters were frozen or multiplexed: their values are scaled, or missing. */
#include "tests/engine/regions_rig.h"

/* Counters are frozen while they are read: an open region misses this time, and is scaled to its whole time. A region
 * that begins or ends at the reading misses nothing. */
static void frozen_counters_are_scaled(void **state)
{
  (void)state;
  regions_begin(ONE_EVENT, &(struct pmon_session_options){.size = sizeof(struct pmon_session_options),
                                                          .freeze = PMON_FREEZE_GLOBAL});
  fake->access_ns = 100;
  enter(0, "outer");
  const uint64_t from_ns = fake->now_ns;
  work(1000000);
  enter(0, "inner");
  work(1000000);
  leave(0, "inner");
  work(1000000);
  const uint64_t ns = fake->now_ns - from_ns;
  leave(0, "outer");
  fake->access_ns = 0;
  const struct pmon_value outer = value_of("outer", 0, 0), inner = value_of("inner", 0, 0);
  assert_true(inner.valid && !inner.flags && inner.fraction == 1);
  assert_true(outer.valid && outer.flags & PMON_VALUE_SCALED && outer.fraction < 1);
  assert_true(fabs(outer.number - 5.0 * (double)ns) < 5.0 * 1000);
  assert_true(fabs(info_of("outer", 0).seconds - (double)ns * 1e-9) < 1e-6);
  struct pmon_session_info info = {.size = sizeof info};
  ok(pmon_session_describe(pmon_session_region(session, result_of("inner", 0)), &info));
  assert_int_equal(info.freeze, PMON_FREEZE_GLOBAL);
  assert_true(info.freeze_ns > 0 && info.skew_ns > 0);
  regions_end();
}

static uint64_t random_state;

static uint64_t random_below(uint64_t n)
{
  random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (random_state >> 33) % n;
}

/* Nine events on four counters. A region has a value for the events whose rounds ran within it, scaled to its time and
 * flagged; for the others it has the reason. At constant rates each value is right except for rounding. */
static void multiplexed_events_have_right_values_or_none(void **state)
{
  static const struct pmon_session_options options = {.size = sizeof options, .slice_ns = 10000};
  unsigned exact = 0, scaled = 0, none = 0;
  (void)state;
  random_state = 1;
  regions_begin("cha0/event=1,umask=1/,cha0/event=2,umask=1/,cha0/event=3,umask=1/,cha0/event=4,umask=1/,"
                "cha0/event=5,umask=1/,cha0/event=6,umask=1/,cha0/event=7,umask=1/,cha0/event=8,umask=1/,"
                "cha0/event=9,umask=1/",
                &options);
  work(1000000);
  for (int k = 0; k < 200; k++) {
    char name[16];
    snprintf(name, sizeof name, "r%d", k < 150 ? k % 50 : k - 100); /* of three calls, or of one */
    enter(0, name);
    for (uint64_t i = random_below(12); i; i--) {
      work(1 + random_below(9000));
      ok(pmon_session_read(session)); /* changes the round when it is due */
    }
    work(1 + random_below(3000));
    leave(0, name);
    work(random_below(20000));
  }
  for (int k = 0; k < 100; k++)
    for (uint32_t event = 0; event < 9; event++) {
      char name[16];
      snprintf(name, sizeof name, "r%d", k);
      const struct pmon_value v = value_of(name, 0, event);
      const double right = (event + 1) * info_of(name, 0).seconds * 1e9;
      if (!v.valid) {
        assert_string_equal(v.reason, "it got no time slice on the counters");
        none++;
        continue;
      }
      if (fabs(v.number - right) > right * 1e-9)
        fail_msg("%s, event %u: %.3f, not %.3f", name, event, v.number, right);
      assert_int_equal((v.flags & PMON_VALUE_SCALED) != 0, v.fraction < 1);
      assert_true(v.fraction == 1 ? v.sigma == 0 : v.sigma > 0);
      scaled += v.fraction < 1;
      exact += v.fraction == 1;
    }
  if (scaled < 100 || none < 5 || !exact)
    fail_msg("%u values scaled, %u exact, %u absent", scaled, exact, none);
  regions_end();
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(frozen_counters_are_scaled),
                                     cmocka_unit_test(multiplexed_events_have_right_values_or_none)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

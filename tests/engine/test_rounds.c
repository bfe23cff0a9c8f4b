/* SPDX-License-Identifier: MIT */
/* The rate of round changes where register accesses are slow: changes take a bounded part of the time slices, unless
 * the caller sets the slices' length; estimates stay right. */
#include <math.h>
#include "tests/engine/base.h"
#include "tests/engine/fake.h"

enum { ACCESS_NS = 20000, MEASURED_NS = 1000000000, CODE = 0x35 };
static const char events[] = "cha0/TOR_INSERTS.IA_MISS_DRD/,cha0/TOR_INSERTS.IA_HIT/,cha0/TOR_INSERTS.IA/,"
                             "cha0/TOR_INSERTS.IA_DRD/,cha0/TOR_INSERTS.IA_RFO/,cha0/TOR_INSERTS.IO/";

struct rounds {
  double accesses, paused_part; /* register accesses; the part of the time that they take, in which nothing counts */
};

static struct rounds measure_rounds(uint64_t slice_ns, uint64_t access_ns)
{
  static struct fake fake[1];
  const struct pmon_session_options options = {.size = sizeof options, .slice_ns = slice_ns, .packages = 1};
  struct pmon_plan_info info = {.size = sizeof info};
  const struct pmon_platform *p;
  struct pmon_session *s;
  struct pmon_value v;
  bool ended = false;
  ok(pmon_platform_find(context, "emr", &p));
  fake_init(fake, p);
  fake->access_ns = access_ns;
  fake->end_ns = UINT64_MAX;
  struct pmon_plan *plan = rig_plan(p, events, NULL);
  ok(pmon_plan_describe(plan, &info));
  assert_int_equal(info.rounds, 2);
  ok(pmon_session_new(plan, &fake->backend, &options, &s));
  ok(pmon_session_start(s));
  const uint64_t begin_ns = pmon_session_now_ns(s), before = fake->reads + fake->writes;
  ok(pmon_session_run(s, begin_ns + MEASURED_NS, &ended));
  ok(pmon_session_event(s, 0, &(struct pmon_scope){0, 0}, &v));
  assert_true(v.valid);
  /* The rate is constant: the estimate is right whatever the slices are. */
  assert_true(fabs(v.number - CODE * pmon_session_seconds(s) * 1e9) < 1e-6 * v.number);
  const double accesses = (double)(fake->reads + fake->writes - before);
  const struct rounds measured = {accesses, accesses * (double)access_ns / (double)(pmon_session_now_ns(s) - begin_ns)};
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
  return measured;
}

static void changes_take_a_part_of_the_slices(void **state)
{
  (void)state;
  const struct rounds own = measure_rounds(0, ACCESS_NS), given = measure_rounds(1000000, ACCESS_NS),
                      quick = measure_rounds(0, 10), quick_given = measure_rounds(1000000, 10);
  print_message("own %.3f of the time, %.0f accesses; given %.3f, %.0f\n", own.paused_part, own.accesses,
                given.paused_part, given.accesses);
  /* A change takes about a quarter of a millisecond here. */
  assert_true(given.paused_part > 0.2);
  assert_true(own.paused_part < 0.08 && own.paused_part > 0.02);
  assert_true(own.accesses < given.accesses / 3);
  /* Where accesses are fast, a slice takes a millisecond. */
  assert_true(quick.accesses == quick_given.accesses && quick.paused_part < 0.01);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(changes_take_a_part_of_the_slices)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

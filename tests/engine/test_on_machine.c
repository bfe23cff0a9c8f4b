/* SPDX-License-Identifier: MIT */
/* Sessions on the emulated machine: clocks, metrics, intervals that end at an overflow. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <pmon/regions.h>
#include "machine/machine.h"
#include "machine/pmon/violation.h"
#include "tests/engine/rig.h"

#define SMALL "sockets=1 cores=1 chas=2 imcs=1 upi.links=1 iio.stacks=1"
/* A thread that keeps the machine busy for some 100 microseconds. */
#define SPIN "set " SMALL "\nthread 0 on core 0: spin 1M\n"

/* Without a workload the machine is always at the workload's end; time passes nevertheless. */
static struct pmon_session *run_idle(struct pmon_plan *plan, struct pmon_backend *backend, uint64_t until_ns)
{
  struct pmon_session *s;
  bool ended;
  ok(pmon_session_new(plan, backend, NULL, &s));
  ok(pmon_session_start(s));
  while (pmon_session_now_ns(s) < until_ns)
    ok(pmon_session_run(s, until_ns, &ended));
  return s;
}

static void clocks_tick_at_their_frequency(void **state)
{
  struct pmon_plan *plan = rig_plan(emr, "cha/CLOCKTICKS/,cha/TOR_OCCUPANCY.IA_HIT_DRD/,imc/DCLK/,m2m/CLOCKTICKS/",
                                    "MEM_READ_BANDWIDTH,LLC_MISS_LATENCY_NS");
  struct pmon_backend *backend;
  struct machine *m = rig_idle(SMALL, &backend);
  struct pmon_session *s = run_idle(plan, backend, 1000000);
  struct pmon_value v;
  (void)state;
  for (uint32_t i = 0; pmon_plan_event(plan, i); i++) {
    const char *name = pmon_event_name(pmon_plan_event(plan, i));
    double hz = !strcmp(name, "cha/CLOCKTICKS/") ? 2.2e9 : !strcmp(name, "imc/DCLK/") ? 2.8e9 : 0;
    if (hz <= 0)
      continue;
    ok(pmon_session_event(s, i, &(struct pmon_scope){0, 0}, &v));
    assert_true(v.valid);
    /* a scaled clock is as exact as the lengths of its slices in cycles */
    if (v.number < hz * 1e-3 * 0.999 || v.number > hz * 1e-3 * 1.001)
      fail_msg("%s counted %g in a millisecond", name, v.number);
  }
  ok(pmon_session_close(s));
  pmon_backend_close(backend);
  machine_free(m);
  pmon_plan_free(plan);
}

/* All metrics of the facts at the same time: those that can be evaluated have a finite value or a reason. */
static void every_metric_has_a_value_or_a_reason(void **state)
{
  struct pmon_metric_info info = {.size = sizeof info};
  struct pmon_plan_metric_info metric = {.size = sizeof metric};
  struct pmon_plan *plan;
  struct pmon_backend *backend;
  struct machine *m = rig_idle(SMALL, &backend);
  struct pmon_value v;
  uint32_t speeds = 0, stale = 0, n = 0;
  (void)state;
  ok(pmon_plan_new(context, emr, &plan));
  for (uint32_t i = 0; !pmon_metric_describe(emr, i, &info); i++) {
    char name[160];
    strcat(strcat(strcpy(name, info.unit), "/"), info.name);
    int status = pmon_plan_add_metrics(plan, name);
    stale += *info.stale != 0;
    if (*info.stale)
      assert_int_equal(status, PMON_E_NO_DATA);
    else
      ok(status);
  }
  ok(pmon_plan_schedule(plan));
  struct pmon_session *s = run_idle(plan, backend, 10000000);
  for (; !pmon_plan_metric(plan, n, &metric); n++) {
    ok(pmon_session_metric(s, n, &(struct pmon_scope){0, PMON_ALL}, &v));
    assert_true(v.valid ? v.number - v.number == 0 : *v.reason != 0);
    if (v.valid && !strcmp(metric.result, "ratio") && (v.number < 0 || v.number > 1 + 1.96 * v.sigma + 1e-3))
      fail_msg("%s is %g", metric.name, v.number);
    double want = !strcmp(metric.name, "UPI_SPEED") ? 20 : !strcmp(metric.name, "UNCORE_FREQUENCY") ? 2.2e9 : 0;
    speeds += want > 0;
    if (want > 0 && (!v.valid || v.number < want * 0.999 || v.number > want * 1.001))
      fail_msg("%s is %g (%s)", metric.name, v.number, v.reason);
  }
  assert_int_equal(speeds, 2);
  assert_true(n > 60 && stale > 0 && stale < 10);
  ok(pmon_session_close(s));
  pmon_backend_close(backend);
  machine_free(m);
  pmon_plan_free(plan);
}

/* The clock event of one CHA ends intervals after 5,000 ticks and the 66 ticks of the 30 ns until the freeze arrives
 * (1.4.0.1): it counts exactly this in each interval, and the other CHA the same to a tick; registers are restored. */
static void an_overflow_ends_an_interval(void **state)
{
  struct pmon_session_options options = {.size = sizeof options, .every_count = 5000};
  struct pmon_backend *backend;
  struct machine *m = rig_busy(SPIN, &backend);
  struct pmon_plan *plan = rig_plan(emr, "cha0/CLOCKTICKS/,cha1/CLOCKTICKS/", NULL);
  struct pmon_session *s;
  struct pmon_value v;
  bool ended;
  (void)state;
  rig_disturb(backend, emr);
  struct rig_registers *held = rig_registers_read(backend, emr);
  machine_violations_clear(m);
  ok(pmon_session_new(plan, backend, &options, &s));
  ok(pmon_session_start(s));
  for (unsigned k = 0; k < 5; k++) {
    uint64_t from_ns = pmon_session_now_ns(s);
    ok(pmon_session_run(s, UINT64_MAX - 1, &ended));
    /* 5,066 ticks of 2.2 GHz are 2,303 ns, and the overflow is detected within a microsecond */
    uint64_t took_ns = pmon_session_now_ns(s) - from_ns;
    if (took_ns < 2302 || took_ns > 3304)
      fail_msg("interval %u took %llu ns", k, (unsigned long long)took_ns);
    for (uint32_t event = 0; event < 2; event++) {
      ok(pmon_session_event(s, event, &(struct pmon_scope){0, PMON_ALL}, &v));
      assert_true(v.valid && v.flags == 0);
      if (event ? v.number < 5065 || v.number > 5067 : v.number != 5066)
        fail_msg("interval %u: event %u counted %g", k, event, v.number);
    }
    pmon_session_mark(s);
  }
  ok(pmon_session_close(s));
  rig_registers_same(backend, held, "after intervals");
  rig_nothing_broken(m);
  options.every_event = 2;
  assert_int_equal(pmon_session_new(plan, backend, &options, &s), PMON_E_RANGE);
  options.every_event = 0;
  options.every_count = UINT64_C(1) << 48;
  assert_int_equal(pmon_session_new(plan, backend, &options, &s), PMON_E_RANGE);
  pmon_backend_close(backend);
  machine_free(m);
  pmon_plan_free(plan);
}

static bool stop_at_each_look(void *user, uint64_t now_ns)
{
  (void)now_ns;
  return *(bool *)user = true;
}

/* Ten intervals in a region that is open all the time: its count is the sum of theirs. */
static void stop_in_intervals(struct pmon_session *s, uint64_t every, bool *stopped)
{
  const struct pmon_scope scope = {0, PMON_ALL};
  struct pmon_value v;
  double sum = 0, seconds = 0;
  bool ended;
  ok(pmon_session_region_begin(s, 0, "all"));
  for (unsigned k = 0; k < 10; k++) {
    do {
      *stopped = false;
      ok(pmon_session_run(s, UINT64_MAX - 1, &ended));
    } while (*stopped);
    ok(pmon_session_event(s, 0, &scope, &v));
    if (!v.valid || v.number < (double)every || v.number > (double)every + 70)
      fail_msg("interval %u of %llu counted %g", k, (unsigned long long)every, v.number);
    sum += v.number;
    seconds += pmon_session_seconds(s);
    pmon_session_mark(s);
  }
  ok(pmon_session_region_end(s, 0, "all"));
  const struct pmon_session *region = pmon_session_region(s, 0);
  ok(pmon_session_event(region, 0, &scope, &v));
  if (!v.valid || fabs(v.number - sum) > 0.5 || fabs(pmon_session_seconds(region) - seconds) > 1e-10)
    fail_msg("the region has %g in %g s, the intervals %g in %g s", v.number, pmon_session_seconds(region), sum,
             seconds);
}

/* A session that stops at each look, as at the marks of a program, still has the intervals that its overflows end. */
static void stops_and_regions_leave_intervals(void **state)
{
  bool stopped = false;
  struct pmon_session_options options = {
      .size = sizeof options, .every_poll_ns = 100, .tick = stop_at_each_look, .tick_user = &stopped};
  struct pmon_plan *plan = rig_plan(emr, "cha0/CLOCKTICKS/", NULL);
  (void)state;
  for (options.every_count = 2000; options.every_count < 2300; options.every_count += 30) {
    struct pmon_backend *backend;
    struct machine *m = rig_busy(SPIN, &backend);
    struct pmon_session *s;
    ok(pmon_session_new(plan, backend, &options, &s));
    ok(pmon_session_start(s));
    stop_in_intervals(s, options.every_count, &stopped);
    ok(pmon_session_close(s));
    rig_nothing_broken(m);
    pmon_backend_close(backend);
    machine_free(m);
  }
  pmon_plan_free(plan);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clocks_tick_at_their_frequency), cmocka_unit_test(every_metric_has_a_value_or_a_reason),
      cmocka_unit_test(an_overflow_ends_an_interval), cmocka_unit_test(stops_and_regions_leave_intervals)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

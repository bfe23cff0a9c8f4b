/* SPDX-License-Identifier: MIT */
/* Sessions over a register file with known rates: counts, multiplexing, and restoring on every path. */
#include <math.h>
#include <string.h>
#include "src/access/register.h"
#include "src/session/session.h"
#include "tests/engine/base.h"
#include "tests/engine/fake.h"

static struct fake fake[1];

#define EVENTS                                                                                                         \
  "cha0-1/TOR_INSERTS.IA_MISS_DRD/,cha0-1/TOR_OCCUPANCY.IA_MISS_DRD/,imc0/CAS_COUNT.RD/,upi0/TxL_FLITS.ALL_DATA/"

static struct pmon_value event_value(const struct pmon_session *s, uint32_t event, uint32_t package, uint32_t instance)
{
  struct pmon_value v;
  ok(pmon_session_event(s, event, &(struct pmon_scope){package, instance}, &v));
  return v;
}

/* Closes a session, after which each register holds its original content. */
static void session_end(struct pmon_plan *plan, struct pmon_session *s)
{
  char name[80];
  ok(pmon_session_close(s));
  if (fake_changed(fake, name, sizeof name))
    fail_msg("%s was not restored", name);
  pmon_plan_free(plan);
}

static void counts_are_the_rate_times_the_time(void **state)
{
  struct pmon_plan *plan = rig_plan(emr, EVENTS, NULL);
  struct pmon_session *s;
  bool ended = false;
  (void)state;
  assert_string_equal(pmon_context_error(context), ""); /* cleared when the plan succeeded */
  fake_init(fake, emr);
  ok(pmon_session_new(plan, &fake->backend, NULL, &s));
  assert_int_equal(fake->writes, 0);
  ok(pmon_session_start(s));
  ok(pmon_session_run(s, 250000, &ended));
  assert_false(ended);
  assert_true(event_value(s, 0, 0, 1).number == 0x35 * 250000.0);
  ok(pmon_session_run(s, UINT64_MAX, &ended));
  assert_true(ended);
  assert_true(event_value(s, 0, 1, 0).number == 0x35 * 1e6);
  assert_true(event_value(s, 0, 0, PMON_ALL).number == 2 * 0x35 * 1e6);
  assert_true(event_value(s, 1, PMON_ALL, PMON_ALL).number == 4 * 0x36 * 1e6);
  assert_true(event_value(s, 2, PMON_ALL, 0).number == 2 * 0x05 * 1e6);
  assert_true(event_value(s, 3, 1, 0).number == 0x02 * 1e6);
  struct pmon_value v;
  assert_int_equal(pmon_session_event(s, 0, &(struct pmon_scope){0, 2}, &v), PMON_E_RANGE);
  assert_int_equal(pmon_session_event(s, 4, &(struct pmon_scope){0, 0}, &v), PMON_E_RANGE);
  session_end(plan, s);
}

static void intervals_restart(void **state)
{
  struct pmon_plan *plan = rig_plan(emr, EVENTS, NULL);
  struct pmon_session *s;
  bool ended = false;
  (void)state;
  fake_init(fake, emr);
  ok(pmon_session_new(plan, &fake->backend, NULL, &s));
  ok(pmon_session_start(s));
  for (uint64_t t = 100000; t <= 300000; t += 100000) {
    ok(pmon_session_run(s, t, &ended));
    assert_true(event_value(s, 2, 0, 0).number == 0x05 * 1e5);
    assert_true(fabs(pmon_session_seconds(s) - 1e-4) < 1e-12);
    pmon_session_mark(s);
  }
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
}

/* The fake counts the event's code per nanosecond: with code 0 a counter does not advance. */
static void a_stopped_unit_clock_is_reported(void **state)
{
  struct pmon_plan *plan = rig_plan(emr,
                                    "cha0-1/CLOCKTICKS/,cha0-1/TOR_INSERTS.IA_MISS_DRD/,"
                                    "upi0/TxL_FLITS.ALL_DATA/",
                                    NULL);
  struct pmon_session *s;
  bool ended = false;
  (void)state;
  fake_init(fake, emr);
  fake->still_instance = 1;
  ok(pmon_unit_find(emr, "cha", &fake->still_unit));
  ok(pmon_session_new(plan, &fake->backend, NULL, &s));
  ok(pmon_session_start(s));
  ok(pmon_session_run(s, UINT64_MAX, &ended));
  for (uint32_t event = 0; event < 2; event++) {
    struct pmon_value v = event_value(s, event, 0, 1);
    assert_false(v.valid);
    assert_int_equal(v.flags, PMON_VALUE_STUCK);
    assert_non_null(strstr(v.reason, "clock"));
    assert_true(event_value(s, event, 0, 0).valid && event_value(s, event, 0, 0).flags == 0);
    assert_false(event_value(s, event, 0, PMON_ALL).valid);
  }
  assert_true(event_value(s, 2, 0, 0).valid);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
}

/* Nine events on four counters are multiplexed; at constant rates scaled counts are exact except for rounding. */
static void rounds_are_multiplexed(void **state)
{
  struct pmon_plan *plan = rig_plan(emr,
                                    "cha0/event=1,umask=1/,cha0/event=2,umask=1/,cha0/event=3,umask=1/,"
                                    "cha0/event=4,umask=1/,cha0/event=5,umask=1/,cha0/event=6,umask=1/,"
                                    "cha0/event=7,umask=1/,cha0/event=8,umask=1/,cha0/event=9,umask=1/",
                                    NULL);
  struct pmon_plan_info info = {.size = sizeof info};
  struct pmon_session *s;
  bool ended = false;
  (void)state;
  ok(pmon_plan_describe(plan, &info));
  assert_int_equal(info.rounds, 3);
  assert_int_equal(info.lower_bound, 3);
  fake_init(fake, emr);
  ok(pmon_session_new(plan, &fake->backend, NULL, &s));
  ok(pmon_session_start(s));
  ok(pmon_session_run(s, UINT64_MAX, &ended));
  double fractions = 0;
  unsigned exact = 0;
  for (uint32_t i = 0; i < 9; i++) {
    struct pmon_value v = event_value(s, i, 0, 0);
    assert_true(v.valid && (v.fraction == 1 || (v.flags & PMON_VALUE_SCALED && v.sigma > 0)));
    assert_true(fabs(v.number - (i + 1) * 1e6) < 1);
    fractions += v.fraction;
    exact += v.fraction == 1;
  }
  /* 4 + 4 + 1 counters are busy, whatever the lengths of the slices */
  assert_true(fractions > 2.9 && fractions < 3.1 + 1);
  assert_true(exact < 4);
  session_end(plan, s);
}

/* Six events on four counters: three have a counter in every round and are exact; the others share one. Another unit is
 * not multiplexed because of this one. */
static void what_finds_a_counter_in_every_round_is_exact(void **state)
{
  struct pmon_plan *plan = rig_plan(emr,
                                    "cha0/event=1,umask=1/,cha0/event=2,umask=1/,cha0/event=3,umask=1/,"
                                    "cha0/event=4,umask=1/,cha0/event=5,umask=1/,cha0/event=6,umask=1/,"
                                    "imc0/event=4,umask=1/",
                                    NULL);
  struct pmon_session *s;
  bool ended = false;
  unsigned exact = 0;
  (void)state;
  fake_init(fake, emr);
  ok(pmon_session_new(plan, &fake->backend, NULL, &s));
  ok(pmon_session_start(s));
  ok(pmon_session_run(s, UINT64_MAX, &ended));
  for (uint32_t i = 0; i < 6; i++) {
    const struct pmon_value v = event_value(s, i, 0, 0);
    assert_true(v.valid && fabs(v.number - (i + 1) * 1e6) < 1);
    assert_true(v.fraction == 1 ? !(v.flags & PMON_VALUE_SCALED) && v.sigma == 0 : v.flags & PMON_VALUE_SCALED);
    exact += v.fraction == 1;
  }
  assert_true(exact >= 2);
  const struct pmon_value memory = event_value(s, 6, 0, 0);
  assert_true(memory.valid && !(memory.flags & PMON_VALUE_SCALED) && memory.fraction == 1);
  session_end(plan, s);
}

enum { TURNS = 60, ROUNDS = 3 };

/* Finds the rounds of a session's first slices. */
static void follow_turns(struct pmon_plan *plan, uint64_t seed, uint32_t order[TURNS])
{
  const struct pmon_session_options options = {.size = sizeof options, .slice_ns = 1000, .seed = seed};
  struct pmon_session *s;
  bool ended = false;
  fake_init(fake, emr);
  ok(pmon_session_new(plan, &fake->backend, &options, &s));
  ok(pmon_session_start(s));
  assert_int_equal(s->rounds, ROUNDS);
  for (uint32_t n = 0; n < TURNS; ok(pmon_session_run(s, pmon_session_now_ns(s) + 5, &ended)))
    if (s->slice_number == n)
      order[n++] = s->round;
  ok(pmon_session_close(s));
}

static void round_order_changes(void **state)
{
  struct pmon_plan *plan = rig_plan(emr,
                                    "cha0/event=1,umask=1/,cha0/event=2,umask=1/,cha0/event=3,umask=1/,"
                                    "cha0/event=4,umask=1/,cha0/event=5,umask=1/,cha0/event=6,umask=1/,"
                                    "cha0/event=7,umask=1/,cha0/event=8,umask=1/,cha0/event=9,umask=1/",
                                    NULL);
  uint32_t order[TURNS], same[TURNS], other[TURNS], begun[ROUNDS] = {0};
  (void)state;
  follow_turns(plan, 1, order);
  follow_turns(plan, 1, same);
  follow_turns(plan, 2, other);
  assert_memory_equal(order, same, sizeof order);
  assert_memory_not_equal(order, other, sizeof order);
  for (uint32_t i = 0; i < TURNS; i += ROUNDS) {
    uint32_t seen = 0;
    for (uint32_t k = 0; k < ROUNDS; k++)
      seen |= 1u << order[i + k];
    assert_int_equal(seen, (1u << ROUNDS) - 1); /* each round once per cycle */
    begun[order[i]]++;
  }
  for (uint32_t i = 0; i < ROUNDS; i++)
    assert_true(begun[i] > 2); /* any round may begin a cycle */
  pmon_plan_free(plan);
}

static void metrics_have_values_in_each_scope(void **state)
{
  struct pmon_plan *plan = rig_plan(emr, NULL,
                                    "MEM_READ_BANDWIDTH,own = 2 * cha/TOR_INSERTS.IA_MISS_DRD / imc/CAS_COUNT.RD,"
                                    "zero=imc/CAS_COUNT.RD/(imc/CAS_COUNT.RD-imc/CAS_COUNT.RD)");
  struct pmon_session *s;
  bool ended;
  (void)state;
  fake_init(fake, emr);
  ok(pmon_session_new(plan, &fake->backend, NULL, &s));
  ok(pmon_session_start(s));
  ok(pmon_session_run(s, UINT64_MAX, &ended));
  struct pmon_value v;
  ok(pmon_session_metric(s, 0, &(struct pmon_scope){PMON_ALL, PMON_ALL}, &v));
  assert_true(v.valid && fabs(v.number / (2 * 8 * 5 * 1e9 * 64) - 1) < 1e-12);
  ok(pmon_session_metric(s, 0, &(struct pmon_scope){1, 3}, &v));
  assert_true(v.valid && fabs(v.number / (5 * 1e9 * 64) - 1) < 1e-12);
  ok(pmon_session_metric(s, 1, &(struct pmon_scope){0, PMON_ALL}, &v));
  assert_true(fabs(v.number - 2 * 64.0 * 0x35 / (8 * 5)) < 1e-9);
  assert_int_equal(pmon_session_metric(s, 1, &(struct pmon_scope){0, 0}, &v), PMON_E_RANGE);
  ok(pmon_session_metric(s, 2, &(struct pmon_scope){0, PMON_ALL}, &v));
  assert_false(v.valid);
  assert_string_equal(v.reason, "denominator zero, CAS_COUNT.RD");
  assert_int_equal(pmon_session_metric(s, 3, &(struct pmon_scope){0, PMON_ALL}, &v), PMON_E_RANGE);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
}

static void stolen_counters_have_no_value(void **state)
{
  struct pmon_plan *plan = rig_plan(emr, EVENTS, NULL);
  struct pmon_session *s;
  bool ended;
  (void)state;
  fake_init(fake, emr);
  fake->steal_at_ns = 500000;
  ok(pmon_session_new(plan, &fake->backend, NULL, &s));
  ok(pmon_session_start(s));
  ok(pmon_session_run(s, UINT64_MAX, &ended));
  struct pmon_value v = event_value(s, 0, 0, 0);
  assert_false(v.valid);
  assert_true(v.flags & PMON_VALUE_STOLEN);
  session_end(plan, s);
}

static void missing_instances_are_left_out(void **state)
{
  struct pmon_plan *plan = rig_plan(emr, EVENTS, NULL);
  struct pmon_session *s;
  bool ended;
  (void)state;
  fake_init(fake, emr);
  fake->missing_unit = pmon_event_unit(pmon_plan_event(plan, 0));
  ok(pmon_session_new(plan, &fake->backend, NULL, &s));
  ok(pmon_session_start(s));
  ok(pmon_session_run(s, UINT64_MAX, &ended));
  assert_true(event_value(s, 0, 0, PMON_ALL).number == 0x35 * 1e6);
  assert_false(event_value(s, 0, 0, 1).valid);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
  /* The first counter of the unit */
  plan = rig_plan(emr, "cha1/TOR_INSERTS.IA/,imc0/CAS_COUNT.RD/", NULL);
  ok(pmon_session_new(plan, &fake->backend, NULL, &s));
  ok(pmon_session_start(s));
  const struct pmon_value v = event_value(s, 0, 0, 1);
  assert_true(!v.valid && v.flags & PMON_VALUE_UNAVAILABLE);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
}

/* Runs a session with access n failing; false: the session made fewer accesses. */
static bool run_with_fault(struct pmon_plan *plan, uint64_t n)
{
  struct pmon_backend *faulty;
  struct pmon_session *s = NULL;
  bool ended = false;
  fake_init(fake, emr);
  fake->end_ns = 150000;
  ok(pmon_backend_inject_new(&fake->backend, n, &faulty));
  int status = pmon_session_new(plan, faulty, NULL, &s);
  if (!status)
    status = pmon_session_start(s);
  if (!status)
    status = pmon_session_run(s, UINT64_MAX, &ended);
  int closed = status && !s ? 0 : pmon_session_close(s);
  bool reached = pmon_backend_inject_accesses(faulty) >= n;
  char name[80] = "the freeze";
  if (fake_changed(fake, name, sizeof name))
    fail_msg("access %llu failed, and %s was not restored", (unsigned long long)n, name);
  /* While restoring, one failure is overcome by a retry; elsewhere it is reported. */
  assert_int_equal(closed, 0);
  if (status)
    assert_int_equal(status, PMON_E_IO);
  pmon_backend_close(faulty);
  assert_int_equal(fake->closes, 1);
  return reached;
}

static void all_registers_are_restored_after_each_failure(void **state)
{
  struct pmon_plan *plan =
      rig_plan(emr, EVENTS ",cha0/event=1,umask=1/,cha0/event=2,umask=1/,cha0/event=3,umask=1/,imc0/DCLK/", NULL);
  uint64_t n = 1;
  (void)state;
  while (run_with_fault(plan, n))
    n++;
  assert_true(n > 200);
  pmon_plan_free(plan);
}

static void writes_stay_in_the_allowed_registers(void **state)
{
  struct pmon_plan *plan = rig_plan(emr, EVENTS ",imc0/DCLK/,iio0/BW_IN_PORT0/", "LLC_MISS_LATENCY_NS");
  struct pmon_backend *allowed;
  struct pmon_session *s;
  bool ended;
  (void)state;
  fake_init(fake, emr);
  ok(pmon_backend_allow_new(&fake->backend, emr, &allowed));
  ok(pmon_session_new(plan, allowed, NULL, &s));
  ok(pmon_session_start(s));
  ok(pmon_session_run(s, UINT64_MAX, &ended));
  assert_true(event_value(s, 5, 0, 0).number == 3e6);
  ok(pmon_session_close(s));
  struct pmon_address a = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x10};
  assert_int_equal(allowed->ops->write(allowed, &a, 0), PMON_E_PERMISSION);
  assert_non_null(strstr(allowed->error_text, "msr 0x10"));
  a.offset = 0x2000;
  assert_int_equal(allowed->ops->write(allowed, &a, 0x301), 0);
  assert_int_equal(allowed->ops->write(allowed, &a, 0x80), PMON_E_PERMISSION);
  assert_non_null(strstr(allowed->error_text, "0x80"));
  pmon_backend_close(allowed);
  pmon_plan_free(plan);
}

static void expect_allowed(struct pmon_backend *allowed, const struct pmon_address *a)
{
  uint64_t mask = 0;
  unsigned width = 0;
  const bool refused = access_writable_at(emr, a, &mask, &width) || a->width_bits > width;
  assert_int_equal(allowed->ops->write(allowed, a, mask) == PMON_E_PERMISSION, refused);
  assert_int_equal(allowed->ops->write(allowed, a, UINT64_MAX) == PMON_E_PERMISSION, refused || ~mask);
}

/* Many addresses have a place in the wrapper's memory in common, and differ in one of these. */
static void repeated_writes_are_allowed_as_first_ones(void **state)
{
  static const struct {
    uint64_t from, to, step;
    uint32_t device, devices;
  } spans[] = {{0x2000, 0x2400, 1, 0, 1}, {0x438, 0x441, 8, 30 << 8, 1024}, {0x22800, 0x22810, 4, 0, 64}};
  struct pmon_backend *allowed;
  (void)state;
  fake_init(fake, emr);
  ok(pmon_backend_allow_new(&fake->backend, emr, &allowed));
  for (unsigned k = 0; k < 2 * sizeof spans / sizeof *spans; k++) {
    struct pmon_address a = {.space = PMON_SPACE_MSR};
    for (; a.space <= PMON_SPACE_PMC; a.space++)
      for (a.offset = spans[k / 2].from; a.offset < spans[k / 2].to; a.offset += spans[k / 2].step)
        for (uint32_t i = 0; i < 2 * spans[k / 2].devices; i++) {
          a.device = spans[k / 2].device + i / 2;
          a.width_bits = i % 2 ? 64 : 32;
          expect_allowed(allowed, &a);
        }
  }
  pmon_backend_close(allowed);
}

static void take_line(void *user, const char *line)
{
  char *text = user;
  if (strlen(text) + strlen(line) < 4000)
    strcat(strcat(text, line), "\n");
}

static void accesses_are_traced(void **state)
{
  char text[4096] = "";
  struct pmon_backend *traced;
  struct pmon_address a = {.package = 1, .space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x2008};
  uint64_t value, now;
  bool ended;
  (void)state;
  fake_init(fake, emr);
  ok(pmon_backend_trace_new(&fake->backend, take_line, text, &traced));
  ok(traced->ops->write(traced, &a, 0x77));
  ok(traced->ops->wait(traced, 1200, &now, &ended));
  ok(traced->ops->read(traced, &a, &value));
  a.offset = 0x9999;
  assert_int_equal(traced->ops->read(traced, &a, &value), PMON_E_IO);
  assert_string_equal(text, "# pmon-log 1\n# packages 2\n0 write 1 msr 0x2008 64 0x77\n1200 wait\n"
                            "1200 read 1 msr 0x2008 64 0x77\n1200 read 1 msr 0x9999 64 0x0 PMON_E_IO\n");
  pmon_backend_close(traced);
}

static void plans_refuse_with_reason(void **state)
{
  static const struct {
    const char *events, *metrics;
    int status;
    const char *part;
  } rows[] = {{"{cha/TOR_OCCUPANCY.IA/,cha/TOR_OCCUPANCY.IA_HIT/}", NULL, PMON_E_UNSCHEDULABLE, "TOR_OCCUPANCY.IA_HIT"},
              {"{cha/TOR_INSERTS.IA/,cha/TOR_OCCUPANCY.IA/", NULL, PMON_E_SYNTAX, "brace"},
              {"cha/NO_SUCH/", NULL, PMON_E_UNKNOWN, "NO_SUCH"},
              {" ", NULL, PMON_E_SYNTAX, "no event"},
              {NULL, "NO_SUCH_METRIC", PMON_E_UNKNOWN, "NO_SUCH_METRIC"},
              {NULL, "x = imc/CAS_COUNT.RD +", PMON_E_SYNTAX, "column 20"},
              {NULL, "x=imc/NOPE*2", PMON_E_UNKNOWN, "metric x"},
              {NULL, "", PMON_E_SYNTAX, "no metric"}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_plan *plan;
    ok(pmon_plan_new(context, emr, &plan));
    int status =
        rows[i].events ? pmon_plan_add_events(plan, rows[i].events) : pmon_plan_add_metrics(plan, rows[i].metrics);
    if (!status)
      status = pmon_plan_schedule(plan);
    if (status != rows[i].status || !strstr(pmon_context_error(context), rows[i].part))
      fail_msg("row %zu: %s: %s", i, pmon_status_name(status), pmon_context_error(context));
    if (rows[i].part[0] == 'N' && rows[i].events) /* a name of the list as the caller wrote it */
      assert_int_equal(pmon_context_error_column(context), strstr(rows[i].events, rows[i].part) - rows[i].events + 1);
    if (rows[i].metrics && strchr(rows[i].metrics, '*')) /* an equation as the caller wrote it, not a pattern */
      assert_int_equal(pmon_context_error_column(context), 3);
    pmon_plan_free(plan);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(counts_are_the_rate_times_the_time),
                                     cmocka_unit_test(intervals_restart),
                                     cmocka_unit_test(what_finds_a_counter_in_every_round_is_exact),
                                     cmocka_unit_test(rounds_are_multiplexed),
                                     cmocka_unit_test(round_order_changes),
                                     cmocka_unit_test(metrics_have_values_in_each_scope),
                                     cmocka_unit_test(stolen_counters_have_no_value),
                                     cmocka_unit_test(a_stopped_unit_clock_is_reported),
                                     cmocka_unit_test(missing_instances_are_left_out),
                                     cmocka_unit_test(all_registers_are_restored_after_each_failure),
                                     cmocka_unit_test(writes_stay_in_the_allowed_registers),
                                     cmocka_unit_test(repeated_writes_are_allowed_as_first_ones),
                                     cmocka_unit_test(accesses_are_traced),
                                     cmocka_unit_test(plans_refuse_with_reason)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

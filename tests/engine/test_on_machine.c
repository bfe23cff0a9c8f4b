/* SPDX-License-Identifier: MIT */
/* Sessions on the emulated machine: no rule of the guide broken, and every register as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include "machine/check/check.h"
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/trace/scenario.h"
#include "machine/violation.h"
#include "src/access/register.h"

static struct pmon_context *context;
static const struct pmon_platform *emr;

static int set_up(void **state)
{
  (void)state;
  return pmon_context_new(&context) || pmon_platform_find(context, "emr", &emr);
}

static int tear_down(void **state)
{
  (void)state;
  pmon_context_free(context);
  return 0;
}

static void ok(int status)
{
  if (status)
    fail_msg("%s: %s", pmon_status_name(status), pmon_context_error(context));
}

static struct machine *make_machine(void)
{
  static const char *const settings[] = {"sockets=1", "cores=1", "chas=2", "imcs=1", "upi.links=1", "iio.stacks=1"};
  struct machine_config config;
  struct machine *m;
  char error[200] = "";
  machine_config_init(&config);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    if (machine_config_parse(&config, settings[i], error, sizeof error))
      fail_msg("%s", error);
  if (machine_new(&config, error, sizeof error, &m))
    fail_msg("%s", error);
  return m;
}

static struct pmon_plan *make_plan(void)
{
  struct pmon_plan *plan;
  ok(pmon_plan_new(context, emr, &plan));
  ok(pmon_plan_add_metrics(plan, "MEM_READ_BANDWIDTH,LLC_MISS_LATENCY_NS,UPI_DATA_SENT_BANDWIDTH"));
  ok(pmon_plan_add_events(plan,
                          "cha/CLOCKTICKS/,cha/TOR_OCCUPANCY.IA_HIT_DRD/,imc/DCLK/,upi/CLOCKTICKS/,iio/BW_IN_PORT0/,"
                          "m2m/CLOCKTICKS/"));
  ok(pmon_plan_schedule(plan));
  return plan;
}

struct held { struct pmon_address address; uint64_t value; };
enum { HELD = 2048 };

/* All registers that software can set, of the instances that are there. */
static uint32_t read_all(struct machine *m, struct held *held)
{
  struct pmon_register_info reg = {.size = sizeof reg};
  struct pmon_unit_info unit = {.size = sizeof unit};
  uint32_t n = 0;
  for (uint32_t u = 0; !pmon_unit_describe(emr, u, &unit); u++)
    for (uint32_t r = 0; !pmon_register_describe(emr, u, r, &reg); r++)
      for (uint32_t i = 0; reg.role != PMON_ROLE_FREE && reg.role != PMON_ROLE_INFO && i < unit.instances; i++)
        for (uint32_t k = 0; k < reg.count && n < HELD; k++) {
          struct pmon_register_id id = {.unit = u, .reg = r, .instance = i, .index = k};
          if (!pmon_register_address(emr, &id, &held[n].address) &&
              !machine_read(m, &held[n].address, &held[n].value))
            n++;
        }
  assert_true(n > 50 && n < HELD);
  return n;
}

/* Gives the registers contents of their own, as another user's session would leave them. */
static void disturb(struct machine *m)
{
  struct pmon_register_info reg = {.size = sizeof reg};
  for (uint32_t u = 0; u < 8; u++)
    for (uint32_t r = 0; !pmon_register_describe(emr, u, r, &reg); r++) {
      struct pmon_register_id id = {.unit = u, .reg = r};
      struct pmon_address a;
      uint64_t old;
      if (reg.role != PMON_ROLE_CTR || pmon_register_address(emr, &id, &a) || machine_read(m, &a, &old))
        continue;
      machine_write(m, &a, (1234 + r) & access_stable(emr, &id));
    }
}

/* Nothing to blame, not even advice. */
static void nothing_was_broken(struct checker *c)
{
  const struct check_finding *list;
  if (check_findings(c, &list))
    fail_msg("%s = 0x%llx, access %llu: %s (%s)", list->name, (unsigned long long)list->value,
             (unsigned long long)list->access, list->brief, list->cite);
  assert_true(check_accesses(c) > 0);
  check_free(c);
}

/* One session with its n-th access failing (0: none). Returns the number of accesses made. */
static uint64_t run_once(struct pmon_plan *plan, uint64_t fail_at, bool *ret_failed)
{
  static struct held before[HELD], after[HELD];
  struct machine *m = make_machine();
  struct pmon_backend *backend, *faulty, *checked;
  struct checker *checker;
  struct pmon_session *s = NULL;
  bool ended = false;
  disturb(m);
  uint32_t n = read_all(m, before);
  machine_violations_clear(m);
  ok(machine_backend_new(m, &backend));
  ok(check_new(emr, &checker));
  ok(check_backend_new(backend, checker, &checked));
  ok(pmon_backend_fault_new(checked, fail_at, &faulty));
  int status = pmon_session_new(
      plan, faulty, &(struct pmon_session_options){.size = sizeof(struct pmon_session_options), .slice_ns = 20000}, &s);
  if (!status)
    status = pmon_session_start(s);
  /* With nothing to run the machine is at its end all the time; time passes nevertheless. */
  while (!status && pmon_session_now_ns(s) < 60000)
    status = pmon_session_run(s, 60000, &ended);
  assert_int_equal(pmon_session_close(s), 0);
  assert_int_equal(read_all(m, after), n);
  for (uint32_t i = 0; i < n; i++)
    if (before[i].value != after[i].value) {
      char where[64];
      pmon_address_format(&before[i].address, where, sizeof where);
      fail_msg("access %llu failed, and %s holds 0x%llx, not 0x%llx", (unsigned long long)fail_at, where,
               (unsigned long long)after[i].value, (unsigned long long)before[i].value);
    }
  const struct machine_violation *v;
  if (machine_violations(m, &v))
    fail_msg("%s.%s: %s (%s)", v->name, v->field, v->rule, v->section);
  assert_int_equal(check_errors(checker), 0);
  if (!fail_at)
    nothing_was_broken(checker);
  else
    check_free(checker);
  uint64_t accesses = pmon_backend_fault_accesses(faulty);
  pmon_backend_close(faulty);
  machine_free(m);
  *ret_failed = status != 0;
  return accesses;
}

static void everything_is_given_back(void **state)
{
  struct pmon_plan *plan = make_plan();
  bool failed;
  (void)state;
  uint64_t accesses = run_once(plan, 0, &failed);
  assert_false(failed);
  assert_true(accesses > 300);
  /* every access of the beginning, then samples of the rest: all of them take too long here */
  for (uint64_t n = 1; n <= accesses; n += n < 40 || n > accesses - 40 ? 1 : 23)
    run_once(plan, n, &failed);
  pmon_plan_free(plan);
}

static void clocks_tick_at_their_frequency(void **state)
{
  struct pmon_plan *plan = make_plan();
  struct machine *m = make_machine();
  struct pmon_backend *backend;
  struct pmon_session *s;
  struct pmon_value v;
  bool ended;
  (void)state;
  ok(machine_backend_new(m, &backend));
  ok(pmon_session_new(plan, backend, NULL, &s));
  ok(pmon_session_start(s));
  while (pmon_session_now_ns(s) < 1000000)
    ok(pmon_session_run(s, 1000000, &ended));
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

/* All metrics of the facts at once: those that can be evaluated have a finite value or a reason. */
static void every_metric_has_a_value_or_a_reason(void **state)
{
  struct pmon_metric_info info = {.size = sizeof info};
  struct pmon_plan_metric metric = {.size = sizeof metric};
  struct pmon_plan *plan;
  struct machine *m = make_machine();
  struct pmon_backend *backend;
  struct pmon_session *s;
  struct pmon_value v;
  uint32_t speeds = 0, stale = 0, n = 0;
  bool ended;
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
  ok(machine_backend_new(m, &backend));
  ok(pmon_session_new(plan, backend, NULL, &s));
  ok(pmon_session_start(s));
  while (pmon_session_now_ns(s) < 10000000)
    ok(pmon_session_run(s, 10000000, &ended));
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

/* A thread that keeps the machine busy for some 100 microseconds. */
static void let_spin(struct machine *m)
{
  static const char text[] = "thread 0 on core 0: spin 1M\n";
  const unsigned shape[2] = {1, 1};
  struct scenario scene;
  struct machine_workload *workload = NULL;
  char error[200] = "";
  if (scenario_parse("spin", text, strlen(text), error, sizeof error, &scene) ||
      scenario_workload_new(&scene, NULL, shape, error, sizeof error, &workload))
    fail_msg("%s", error);
  machine_attach(m, workload);
}

/* The clock event of one CHA ends intervals after 5,000 ticks: it counts just that in each, and the other CHA's the
 * same to a tick; registers are given back. */
static void an_overflow_ends_an_interval(void **state)
{
  static struct held before[HELD], after[HELD];
  struct pmon_session_options options = {.size = sizeof options, .every_count = 5000};
  struct pmon_plan *plan;
  struct machine *m = make_machine();
  struct pmon_backend *backend;
  struct pmon_session *s;
  struct pmon_value v;
  bool ended;
  (void)state;
  ok(pmon_plan_new(context, emr, &plan));
  ok(pmon_plan_add_events(plan, "cha0/CLOCKTICKS/,cha1/CLOCKTICKS/"));
  ok(pmon_plan_schedule(plan));
  let_spin(m);
  disturb(m);
  uint32_t n = read_all(m, before);
  machine_violations_clear(m);
  ok(machine_backend_new(m, &backend));
  ok(pmon_session_new(plan, backend, &options, &s));
  ok(pmon_session_start(s));
  for (unsigned k = 0; k < 5; k++) {
    uint64_t from_ns = pmon_session_now_ns(s);
    ok(pmon_session_run(s, UINT64_MAX - 1, &ended));
    /* 5,000 ticks of 2.2 GHz are 2,273 ns, and the overflow is seen within a microsecond */
    uint64_t took_ns = pmon_session_now_ns(s) - from_ns;
    if (took_ns < 2272 || took_ns > 3274)
      fail_msg("interval %u took %llu ns", k, (unsigned long long)took_ns);
    for (uint32_t event = 0; event < 2; event++) {
      ok(pmon_session_event(s, event, &(struct pmon_scope){0, PMON_ALL}, &v));
      assert_true(v.valid && v.flags == 0);
      if (event ? v.number < 4999 || v.number > 5001 : v.number != 5000)
        fail_msg("interval %u: event %u counted %g", k, event, v.number);
    }
    pmon_session_mark(s);
  }
  ok(pmon_session_close(s));
  assert_int_equal(read_all(m, after), n);
  for (uint32_t i = 0; i < n; i++)
    if (before[i].value != after[i].value)
      fail_msg("register %u holds 0x%llx, not 0x%llx", i, (unsigned long long)after[i].value,
               (unsigned long long)before[i].value);
  const struct machine_violation *broken;
  if (machine_violations(m, &broken))
    fail_msg("%s.%s: %s (%s)", broken->name, broken->field, broken->rule, broken->section);
  options.every_event = 2;
  assert_int_equal(pmon_session_new(plan, backend, &options, &s), PMON_E_RANGE);
  options.every_event = 0;
  options.every_count = UINT64_C(1) << 48;
  assert_int_equal(pmon_session_new(plan, backend, &options, &s), PMON_E_RANGE);
  pmon_backend_close(backend);
  machine_free(m);
  pmon_plan_free(plan);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(everything_is_given_back),
                                     cmocka_unit_test(clocks_tick_at_their_frequency),
                                     cmocka_unit_test(every_metric_has_a_value_or_a_reason),
                                     cmocka_unit_test(an_overflow_ends_an_interval)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

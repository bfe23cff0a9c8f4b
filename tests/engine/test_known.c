/* SPDX-License-Identifier: MIT */
/*
 * Cores next to the uncore: scenarios whose instructions, cycles and frequency follow from their text and the machine's
 * parameters, measured through the cores' registers.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "machine/machine.h"
#include "machine/pmon/save.h"
#include "tests/engine/rig.h"

#define SMALL "set cores=4 chas=4 imcs=1 upi.links=1 iio.stacks=1\n"

/* The known value of a metric on a package and an instance. */
struct answer {
  const char *platform, *scenario, *metric;
  struct pmon_scope scope;
  double value, tolerance; /* relative; 0: exact */
};

#define SPINS "thread 0 on core 0: spin 1M\nthread 1 on core 2: spin 300000\nthread 2 on core 5: spin 7000\n"
#define EMR SMALL SPINS
#define SNBEP "set platform=snbep cores=4 chas=4\n" SPINS
#define LIMITED SMALL "thermal for 10ms\nthread 0 on core 0: spin 1M\n"
#define REST SMALL "thread 0 on core 0: sleep 100ms\n"
#define WORK SMALL "thread 0 on core 0: spin 30M\n"
#define REST_SNBEP "set platform=snbep cores=4 chas=4\nthread 0 on core 0: sleep 100ms\n"
#define WORK_SNBEP "set platform=snbep cores=4 chas=4\nthread 0 on core 0: spin 30M\n"
/* The cores' clocks are 3 GHz and 2.7 GHz; an instruction without misses takes 0.35 and 0.45 cycles. The first lines of
 * code miss. */
static const struct answer answers[] = {
    {"emr", EMR, "INSTRUCTIONS", {0, 0}, 1e6, 0},
    {"emr", EMR, "INSTRUCTIONS", {0, 1}, 0, 0},
    {"emr", EMR, "INSTRUCTIONS", {0, 2}, 3e5, 0},
    {"emr", EMR, "INSTRUCTIONS", {1, 1}, 7000, 0},
    {"emr", EMR, "INSTRUCTIONS", {0, PMON_ALL}, 1.3e6, 0},
    {"emr", EMR, "INSTRUCTIONS", {PMON_ALL, PMON_ALL}, 1307000, 0},
    {"emr", EMR, "IPC", {0, 0}, 1 / 0.35, 0.01},
    {"emr", EMR, "CORE_FREQUENCY", {0, 0}, 3e9, 1e-4},
    {"emr", EMR, "CORE_C0_RATIO", {0, 0}, 1, 1e-3},
    {"emr", EMR, "CORE_C0_RATIO", {0, 1}, 0, 0},
    {"emr", EMR, "CORE_C0_RATIO", {0, 2}, 0.3, 0.01},
    {"emr", EMR, "SMI", {PMON_ALL, PMON_ALL}, 0, 0},
    {"emr", WORK, "UNCORE_FREQUENCY_NOW", {0, 0}, 2.2e9, 1e-4},
    {"emr", WORK, "UNCORE_FREQUENCY_LIMIT", {1, 0}, 2.5e9, 1e-4},
    {"emr", REST, "UNCORE_FREQUENCY", {PMON_ALL, PMON_ALL}, 2.2e9, 1e-4},
    {"emr", LIMITED, "CORE_FREQUENCY", {0, 0}, 0.8e9, 1e-4},
    /* An idle socket, and one with one busy core: docs/design/014-power.md. */
    {"emr", REST, "PKG_POWER", {1, 0}, 90, 1e-3},
    {"emr", REST, "PKG_POWER", {0, 0}, 90, 1e-3},
    {"emr", REST, "PKG_POWER", {PMON_ALL, PMON_ALL}, 180, 1e-3},
    {"emr", REST, "DRAM_POWER", {1, 0}, 4, 1e-3},
    {"emr", REST, "PKG_C6_RATIO", {1, 0}, 1, 1e-4},
    {"emr", REST, "CORE_C6_RATIO", {0, 1}, 1, 1e-4},
    {"emr", WORK, "PKG_POWER", {0, 0}, 90 + 2.5 + 0.2e-9 * 3e9 / 0.35, 1e-3},
    {"emr", WORK, "PKG_ENERGY_JOULES", {1, 0}, 90 * 30e6 * 0.35 / 3e9, 0.01},
    {"emr", WORK, "PKG_C6_RATIO", {0, 0}, 0, 0},
    {"emr", WORK, "PKG_C2_RATIO", {0, 0}, 0, 0},
    {"emr", WORK, "CORE_C6_RATIO", {0, 0}, 0, 0},
    {"emr", WORK, "CORE_C6_RATIO", {0, PMON_ALL}, 0.75, 1e-3},
    /* 35 degrees, 0.14 K for each of 90 or 94.2 W, 1 K for each of a core's 4.2 W; the limit is 95. */
    {"emr", REST, "PKG_TEMPERATURE", {1, 0}, 48, 1e-4},
    {"emr", WORK, "PKG_TEMPERATURE", {0, 0}, 52, 1e-4},
    {"emr", WORK, "PKG_TEMPERATURE_MARGIN", {0, 0}, 43, 1e-4},
    {"emr", WORK, "CORE_TEMPERATURE_MARGIN", {0, 0}, 43, 1e-4},
    {"emr", WORK, "CORE_TEMPERATURE_MARGIN", {0, 1}, 47, 1e-4},
    {"emr", WORK, "PKG_TEMPERATURE", {1, 0}, 48, 1e-4},
    /* 35 degrees, 0.32 K for each of 30 or 42.4 W, 0.5 K for each of a core's 12.4 W; the limit is 90. */
    {"snbep", REST_SNBEP, "PKG_TEMPERATURE", {1, 0}, 45, 1e-4},
    {"snbep", WORK_SNBEP, "PKG_TEMPERATURE", {0, 0}, 55, 1e-4},
    {"snbep", WORK_SNBEP, "CORE_TEMPERATURE_MARGIN", {0, 1}, 41, 1e-4},
    {"snbep", REST_SNBEP, "PKG_POWER", {1, 0}, 30, 1e-3},
    {"snbep", WORK_SNBEP, "PKG_POWER", {0, 0}, 30 + 7 + 0.9e-9 * 2.7e9 / 0.45, 1e-3},
    {"snbep", WORK_SNBEP, "PKG_ENERGY_JOULES", {1, 0}, 30 * 30e6 * 0.45 / 2.7e9, 0.01},
    {"snbep", REST_SNBEP, "DRAM_POWER", {1, 0}, 4 * 2.5, 1e-3},
    {"snbep", REST_SNBEP, "UNCORE_FREQUENCY", {PMON_ALL, PMON_ALL}, 2.7e9, 1e-4},
    {"snbep", WORK_SNBEP, "CORE_C0_RATIO", {0, 0}, 1, 1e-3},
    {"snbep", WORK_SNBEP, "CORE_C6_RATIO", {0, PMON_ALL}, 0.75, 1e-3},
    {"snbep", WORK_SNBEP, "PKG_C6_RATIO", {0, 0}, 0, 0},
    {"snbep", REST_SNBEP, "PKG_C6_RATIO", {1, 0}, 1, 1e-4},
    {"snbep", REST_SNBEP, "PKG_C7_RATIO", {1, 0}, 0, 0},
    {"snbep", REST_SNBEP, "CORE_C7_RATIO", {1, 0}, 0, 0},
    {"snbep", WORK_SNBEP, "CORES_POWER", {0, 0}, 7 + 0.9e-9 * 2.7e9 / 0.45, 1e-3},
    {"snbep", WORK_SNBEP, "CORES_POWER", {1, 0}, 0, 0},
    {"snbep", SNBEP, "INSTRUCTIONS", {0, 0}, 1e6, 0},
    {"snbep", SNBEP, "INSTRUCTIONS", {1, 1}, 7000, 0},
    {"snbep", SNBEP, "INSTRUCTIONS", {PMON_ALL, PMON_ALL}, 1307000, 0},
    {"snbep", SNBEP, "IPC", {0, 0}, 1 / 0.45, 0.01},
    {"snbep", SNBEP, "CORE_FREQUENCY", {0, 0}, 2.7e9, 1e-4},
    {"snbep", SNBEP, "CORE_C0_RATIO", {0, 2}, 0.3, 0.01},
};

static const struct pmon_platform *platform_of(const char *name)
{
  return !strcmp(name, "emr") ? emr : snbep;
}

static void known_check(const struct answer *a)
{
  struct pmon_backend *b;
  struct machine *m = rig_busy(a->scenario, &b);
  struct pmon_plan *plan = rig_plan(platform_of(a->platform), NULL, a->metric);
  struct pmon_session *s = rig_session(plan, b, NULL, UINT64_MAX);
  struct pmon_value v;
  ok(pmon_session_metric(s, 0, &a->scope, &v));
  if (!v.valid || fabs(v.number - a->value) > a->tolerance * a->value)
    fail_msg("%s: %.12g (%s), expected %.12g", a->metric, v.number, v.valid ? "valid" : v.reason, a->value);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
  pmon_backend_close(b);
  machine_free(m);
}

/* Core registers are restored, and other bits of a control that counters share are not changed. */
static void controls_keep_what_others_set(void **state)
{
  (void)state;
  struct pmon_backend *b;
  struct machine *m = rig_busy(EMR, &b);
  const struct pmon_address fixed = {.space = PMON_SPACE_MSR, .width_bits = 64, .device = 1, .offset = 0x38d};
  const struct pmon_address global = {.space = PMON_SPACE_MSR, .width_bits = 64, .device = 1, .offset = 0x38f};
  uint64_t value;
  ok(b->ops->write(b, &fixed, 0x3000));
  ok(b->ops->write(b, &global, 0x80000000f));
  struct pmon_plan *plan = rig_plan(emr, "core/INST_RETIRED_ANY/,core/CPU_CLK_UNHALTED_REF_TSC/", NULL);
  struct pmon_session *s = rig_session(plan, b, NULL, 10000);
  ok(b->ops->read(b, &fixed, &value));
  assert_int_equal(value, 0x3303);
  ok(b->ops->read(b, &global, &value));
  assert_int_equal(value, 0xd0000000f);
  ok(pmon_session_close(s));
  ok(b->ops->read(b, &fixed, &value));
  assert_int_equal(value, 0x3000);
  ok(b->ops->read(b, &global, &value));
  assert_int_equal(value, 0x80000000f);
  pmon_plan_free(plan);
  pmon_backend_close(b);
  machine_free(m);
}

/* A 32-bit energy counter wraps during the measurement. */
static void energies_pass_their_end(void **state)
{
  (void)state;
  struct pmon_backend *b;
  struct machine *m = rig_busy(REST, &b);
  const struct pmon_address energy = {.package = 1, .space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x611};
  uint64_t before = 0, after = 0;
  struct pmon_value v;
  ok(machine_register_load(m, &energy, UINT32_MAX - 1000));
  ok(b->ops->read(b, &energy, &before));
  struct pmon_plan *plan = rig_plan(emr, NULL, "PKG_ENERGY_JOULES");
  struct pmon_session *s = rig_session(plan, b, NULL, UINT64_MAX);
  ok(pmon_session_metric(s, 0, &(struct pmon_scope){1, 0}, &v));
  ok(b->ops->read(b, &energy, &after));
  assert_int_equal(before, UINT32_MAX - 1000);
  assert_true(after < before);
  assert_true(v.valid && fabs(v.number - 9) < 0.01);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
  pmon_backend_close(b);
  machine_free(m);
}

static void found_line(void *user, const char *line)
{
  snprintf(user, 400, "%s", line);
}

/* A fixed counter that is already running is in use: by the kernel's watchdog, or by another tool. */
static void counters_in_use_are_reported(void **state)
{
  (void)state;
  struct pmon_backend *b;
  char line[400] = "";
  struct machine *m = rig_busy(EMR, &b);
  const struct pmon_address fixed = {.space = PMON_SPACE_MSR, .width_bits = 64, .device = 3, .offset = 0x38d};
  ok(b->ops->write(b, &fixed, 0xb0));
  struct pmon_plan *plan = rig_plan(emr, "core/CPU_CLK_UNHALTED_THREAD/", NULL);
  struct pmon_session *s = NULL;
  ok(pmon_session_new(plan, b, NULL, &s));
  assert_int_equal(pmon_session_conflicts(s, found_line, line), 1);
  assert_non_null(strstr(line, "msr cpu2:0x38d"));
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
  plan = rig_plan(emr, "core/INST_RETIRED_ANY/", NULL);
  ok(pmon_session_new(plan, b, NULL, &s));
  assert_int_equal(pmon_session_conflicts(s, found_line, line), 0); /* the other counter is free */
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
  pmon_backend_close(b);
  machine_free(m);
}

/* The energy of memory above its idle energy follows from its commands, which are counted, too:
 * docs/design/014-power.md. */
static void memory_takes_energy_by_its_commands(void **state)
{
  (void)state;
  static const struct {
    const char *platform, *scenario, *events;
    double rest_w, column_j, activate_j, unit_j;
  } kinds[] = {
      {"emr", SMALL "thread 0 on core 0: stream read 8M stride 64\n", "imc/CAS_COUNT.ALL/,imc/ACT_COUNT.ALL/", 4, 8e-9,
       4e-9, 1.0 / 16384},
      {"snbep", "set platform=snbep cores=4 chas=4\nthread 0 on core 0: stream read 8M stride 64\n",
       "imc/CAS_COUNT.ALL/,imc/ACT_COUNT/", 10, 15e-9, 10e-9, 1.0 / 65536},
  };
  const struct pmon_scope all = {0, PMON_ALL}, one = {0, 0};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    struct pmon_backend *b;
    struct machine *m = rig_busy(kinds[i].scenario, &b);
    struct pmon_plan *plan = rig_plan(platform_of(kinds[i].platform), kinds[i].events, "DRAM_ENERGY_JOULES,DRAM_POWER");
    struct pmon_session *s = rig_session(plan, b, NULL, UINT64_MAX);
    struct pmon_value columns, activates, joules, watts;
    ok(pmon_session_event(s, 0, &all, &columns));
    ok(pmon_session_event(s, 1, &all, &activates));
    ok(pmon_session_metric(s, 0, &one, &joules));
    ok(pmon_session_metric(s, 1, &one, &watts));
    assert_true(columns.valid && activates.valid && joules.valid && watts.valid && columns.number >= 131072);
    const double commands = columns.number * kinds[i].column_j + activates.number * kinds[i].activate_j,
                 rest = kinds[i].rest_w * joules.number / watts.number;
    assert_true(commands > 10 * kinds[i].unit_j);
    if (fabs(joules.number - rest - commands) > 2 * kinds[i].unit_j)
      fail_msg("%s: %.9g J, %.9g at rest and %.9g by commands", kinds[i].platform, joules.number, rest, commands);
    ok(pmon_session_close(s));
    pmon_plan_free(plan);
    pmon_backend_close(b);
    machine_free(m);
  }
}

static void values_are_those_of_the_scenario(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
    known_check(&answers[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_those_of_the_scenario), cmocka_unit_test(controls_keep_what_others_set),
      cmocka_unit_test(energies_pass_their_end), cmocka_unit_test(counters_in_use_are_reported),
      cmocka_unit_test(memory_takes_energy_by_its_commands)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

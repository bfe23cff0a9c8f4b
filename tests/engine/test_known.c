/* SPDX-License-Identifier: MIT */
/*
 * Cores beside the uncore: scenarios whose instructions, cycles and frequency follow from their text and the machine's
 * parameters, measured through the registers of the cores.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "machine/machine.h"
#include "rig.h"

#define SMALL "set cores=4 chas=4 imcs=1 upi.links=1 iio.stacks=1\n"

/* A value of a metric that is known, on a package and an instance. */
struct answer {
  const char *platform, *scenario, *metric;
  struct pmon_scope scope;
  double value, tolerance; /* relative; 0: exact */
};

#define SPINS "thread 0 on core 0: spin 1M\nthread 1 on core 2: spin 300000\nthread 2 on core 5: spin 7000\n"
#define EMR SMALL SPINS
#define SNBEP "set platform=snbep cores=4 chas=4\n" SPINS
#define LIMITED SMALL "thermal for 10ms\nthread 0 on core 0: spin 1M\n"
/* A core's clock is 3 GHz and 2.7 GHz; an instruction takes 0.35 and 0.45 of its cycles when nothing is missed. The
 * first lines of code are missed. */
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
    {"emr", LIMITED, "CORE_FREQUENCY", {0, 0}, 0.8e9, 1e-4},
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

/* Registers of cores are restored, and other bits of a control that counters share are left alone. */
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

static void found_line(void *user, const char *line)
{
  snprintf(user, 400, "%s", line);
}

/* A fixed counter that runs already is somebody's: the kernel's watchdog, or another tool's. */
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

static void values_are_those_of_the_scenario(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
    known_check(&answers[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_those_of_the_scenario),
                                     cmocka_unit_test(controls_keep_what_others_set),
                                     cmocka_unit_test(counters_in_use_are_reported)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

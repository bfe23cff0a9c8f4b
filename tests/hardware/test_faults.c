/* SPDX-License-Identifier: MIT */
/* Failures of register accesses through the access methods: they are reported, and registers are restored. */
#include <stdio.h>
#include <string.h>
#include "tests/hardware/frame.h"

static void fail_every_access(const char *name, const char *events)
{
  static const enum tree_fault faults[] = {TREE_EIO, TREE_SHORT, TREE_EPERM};
  frame_begin(name);
  struct pmon_plan *plan = frame_plan(events);
  struct pmon_backend *b = frame_open();
  const uint64_t before = frame_fingerprint(), opened = tree.accesses;
  assert_int_equal(frame_measure(b, plan, NULL), 0);
  assert_true(frame_fingerprint() == before);
  const uint64_t n = tree.accesses - opened;
  assert_true(n > 60);
  for (size_t f = 0; f < 3; f++)
    for (uint64_t i = 1; i <= n; i++) {
      tree.fault = faults[f];
      tree.fail_access = tree.accesses + i;
      int status = frame_measure(b, plan, NULL);
      /* An MSR that faults at the first read does not exist on this processor; a failed restoring write is retried. */
      if (status && !*pmon_context_error(context))
        fail_msg("access %u failed without a word", (unsigned)i);
      if (frame_fingerprint() != before)
        fail_msg("fault %u at access %u: registers are not as they were: %s", (unsigned)f, (unsigned)i,
                 pmon_context_error(context));
    }
  tree.fail_access = 0;
  pmon_backend_close(b);
  pmon_plan_free(plan);
  frame_end();
}

static void test_every_failing_access_is_reported_and_undone(void **state)
{
  (void)state;
  fail_every_access("emr", frame_events);
  fail_every_access("snbep", "cbo0/CLOCKTICKS/,imc0/CAS_COUNT.RD/,pcu/CLOCKTICKS/");
}

/* Registers in memory fail without an error: without an answer they read as all ones. */
static void test_memory_without_a_device(void **state)
{
  enum { AT = 0x22000, BYTES = 0x1000 };
  static uint8_t before[BYTES], ones[BYTES], after[BYTES];
  const long at = (long)0x1d0 << 23 | AT;
  struct pmon_session *s;
  struct pmon_value v;
  char path[120];
  bool ended;
  (void)state;
  frame_begin("emr");
  struct pmon_plan *plan = frame_plan("imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/");
  struct pmon_backend *b = frame_open();
  snprintf(path, sizeof path, "%s/mem", tree.dev);
  FILE *f = fopen(path, "r+");
  assert_true(f && !fseek(f, at, SEEK_SET) && fread(before, BYTES, 1, f) == 1);
  assert_int_equal(pmon_session_new(plan, b, NULL, &s), 0);
  assert_int_equal(pmon_session_start(s), 0);
  memset(ones, 0xff, sizeof ones);
  assert_true(!fseek(f, at, SEEK_SET) && fwrite(ones, BYTES, 1, f) == 1 && !fflush(f));
  assert_int_equal(pmon_session_run(s, pmon_session_now_ns(s) + 1000, &ended), 0);
  for (uint32_t i = 0; i < 2; i++) {
    assert_int_equal(pmon_session_event(s, i, &(struct pmon_scope){0, 0}, &v), 0);
    assert_true(!v.valid && v.flags & PMON_VALUE_UNAVAILABLE && *v.reason);
    assert_int_equal(pmon_session_event(s, i, &(struct pmon_scope){1, 0}, &v), 0);
    assert_true(v.valid); /* the other socket's memory answers */
  }
  assert_int_equal(pmon_session_close(s), 0);
  assert_true(!fseek(f, at, SEEK_SET) && fread(after, BYTES, 1, f) == 1 && !fclose(f));
  /* The controls that were programmed are restored. */
  struct pmon_register_id id = {0};
  struct pmon_register_info reg = {.size = sizeof reg};
  unsigned restored = 0;
  assert_int_equal(pmon_unit_find(platform, "imc", &id.unit), 0);
  while (!pmon_register_describe(platform, id.unit, id.reg, &reg) && reg.role != PMON_ROLE_CTL)
    id.reg++;
  for (; id.index < reg.count; id.index++) {
    struct pmon_address a;
    assert_int_equal(pmon_register_address(platform, &id, &a), 0);
    restored += !memcmp(after + a.offset - AT, before + a.offset - AT, 4);
  }
  assert_int_equal(restored, 2);
  pmon_backend_close(b);
  pmon_plan_free(plan);
  frame_end();
}

/* The memory controllers of the second package disappear at each step of a session: mapped accesses raise a signal.
 * This is reported, other units continue to count, and all registers except theirs are restored. */
static void take_memory_away(int step)
{
  enum { AT = 0x22000, BYTES = 0x1000 };
  const long first = (long)0x1d0 << 23, second = (long)0x1e0 << 23;
  static uint8_t before[BYTES], after[BYTES];
  struct pmon_session *s;
  struct pmon_value v;
  char path[120], error[256];
  bool ended;
  frame_begin("emr");
  struct pmon_plan *plan = frame_plan("imc/CAS_COUNT.RD/,cha/CLOCKTICKS/");
  struct pmon_backend *b = frame_open();
  const uint64_t registers = frame_fingerprint();
  snprintf(path, sizeof path, "%s/mem", tree.dev);
  FILE *f = fopen(path, "r");
  assert_true(f && !setvbuf(f, NULL, _IONBF, 0) && !fseek(f, first | AT, SEEK_SET) && fread(before, BYTES, 1, f) == 1);
  frame_watch(b);
  assert_int_equal(pmon_session_new(plan, b, NULL, &s), 0);
  if (step == 0)
    frame_cut_memory((uint64_t)second);
  assert_int_equal(pmon_session_start(s), 0);
  if (step == 1)
    frame_cut_memory((uint64_t)second);
  assert_int_equal(
      machine_run(tree.machine, machine_now_fs(tree.machine) + UINT64_C(100000000000), &ended, error, sizeof error), 0);
  assert_int_equal(pmon_session_run(s, pmon_session_now_ns(s) + 1000, &ended), 0);
  if (step < 2)
    assert_non_null(strstr(pmon_context_error(context), "package 1, BAR 0 + 0x2"));
  assert_int_equal(pmon_session_event(s, 0, &(struct pmon_scope){1, 0}, &v), 0);
  assert_int_equal(!v.valid && v.flags & PMON_VALUE_VANISHED, step < 2);
  assert_int_equal(pmon_session_event(s, 0, &(struct pmon_scope){0, 0}, &v), 0);
  assert_true(v.valid);
  assert_int_equal(pmon_session_event(s, 1, &(struct pmon_scope){1, PMON_ALL}, &v), 0);
  assert_true(v.valid);
  if (step == 2)
    frame_cut_memory((uint64_t)second);
  assert_int_not_equal(pmon_session_close(s), 0);
  assert_non_null(strstr(pmon_context_error(context), "could not be restored: "));
  assert_non_null(strstr(pmon_context_error(context), "package 1"));
  assert_null(strstr(pmon_context_error(context), "package 0"));
  assert_true(frame_fingerprint() == registers);
  assert_true(!fseek(f, first | AT, SEEK_SET) && fread(after, BYTES, 1, f) == 1 && !fclose(f));
  assert_memory_equal(after, before, BYTES);
  frame_watch(NULL);
  pmon_backend_close(b);
  pmon_plan_free(plan);
  frame_end();
}

static void test_memory_of_a_removed_device(void **state)
{
  (void)state;
  for (int step = 0; step < 3; step++)
    take_memory_away(step);
}

static void test_a_device_that_disappears(void **state)
{
  (void)state;
  frame_begin("emr");
  struct pmon_plan *plan = frame_plan(frame_events);
  struct pmon_backend *b = frame_open();
  tree.gone_from = tree.accesses + 80;
  int status = frame_measure(b, plan, NULL);
  assert_int_not_equal(status, 0);
  assert_non_null(strstr(pmon_context_error(context), "could not be restored"));
  pmon_backend_close(b);
  pmon_plan_free(plan);
  frame_end();
}

/* One unit's device disappears at any access: other units continue to count, its own counts are invalid, and registers
 * that could not be restored are named. */
static void test_a_unit_that_vanishes(void **state)
{
  (void)state;
  double whole[4], counts[4];
  frame_begin("emr");
  struct pmon_plan *plan = frame_plan(frame_events);
  struct pmon_backend *b = frame_open();
  const uint64_t opened = tree.accesses;
  assert_int_equal(frame_measure(b, plan, whole), 0);
  const uint64_t n = tree.accesses - opened;
  unsigned vanished = 0;
  tree.gone_device = 30 << 8 | 12 << 3; /* m2m 0 of both packages */
  for (uint64_t i = 1; i < n; i++) {
    tree.gone_device_from = tree.accesses + i;
    memset(counts, 0, sizeof counts);
    int status = frame_measure(b, plan, counts);
    assert_true(counts[0] > 0.9 * whole[0] && counts[1] > 0.9 * whole[1] && counts[3] > 0.9 * whole[3]);
    vanished += counts[2] < 0;
    if (status && !strstr(pmon_context_error(context), "could not be restored: M2Mn_PCI_PMON"))
      fail_msg("%s", pmon_context_error(context));
    tree.gone_device_from = UINT64_MAX;
    assert_int_equal(frame_measure(b, plan, counts), 0);
    assert_true(counts[2] > 0);
  }
  assert_true(vanished > 10);
  pmon_backend_close(b);
  pmon_plan_free(plan);
  frame_end();
}

/* The CPU that reads for a package goes offline; another one takes its place. */
static void lose_the_reading_cpu(bool openable)
{
  frame_begin("emr");
  struct pmon_plan *plan = frame_plan("cha/CLOCKTICKS/");
  struct pmon_backend *b = frame_open();
  double count = 0;
  tree_file(&tree, "sys/devices/system/cpu/online", "1-3\n");
  if (!openable)
    tree_file(&tree, "dev/cpu/1/msr", NULL);
  tree.offline_cpu = 0;
  assert_int_equal(frame_measure(b, plan, &count), 0);
  assert_true(count > 10000);
  pmon_backend_close(b);
  pmon_plan_free(plan);
  frame_end();
}

static void test_a_cpu_that_goes_offline(void **state)
{
  (void)state;
  lose_the_reading_cpu(true);
}

static void test_eperm_at_any_open(void **state)
{
  (void)state;
  frame_begin("emr");
  const uint64_t start = tree.opens;
  pmon_backend_close(frame_open());
  const uint64_t n = tree.opens - start;
  struct pmon_plan *plan = frame_plan(frame_events);
  const uint64_t before = frame_fingerprint();
  assert_true(n > 10);
  for (uint64_t i = 1; i <= n; i++) {
    struct pmon_reason reason = {""};
    struct pmon_backend *b = NULL;
    tree.fail_open = tree.opens + i;
    int status = pmon_backend_direct_open(&tree.system, &reason, &b);
    assert_true(status == 0 || *reason.text);
    if (!status)
      frame_measure(b, plan, NULL);
    assert_true(frame_fingerprint() == before);
    pmon_backend_close(b);
  }
  pmon_plan_free(plan);
  frame_end();
}

/* If one file does not show to which package a CPU belongs, another CPU of the package does, and nothing is left
 * out. */
static void test_eperm_at_any_read_of_the_topology(void **state)
{
  (void)state;
  frame_begin("emr");
  const uint64_t start = tree.looks;
  pmon_backend_close(frame_open());
  const uint64_t n = tree.looks - start;
  struct pmon_plan *plan = frame_plan(frame_events);
  const uint64_t before = frame_fingerprint();
  assert_true(n > 2);
  for (uint64_t i = 1; i <= n; i++) {
    tree.fail_look = tree.looks + i;
    if (pmon_system_packages(&tree.system, NULL, 0) != 2)
      fail_msg("look %u failed, and a package was left out", (unsigned)i);
    tree.fail_look = tree.looks + i;
    struct pmon_backend *b = frame_open();
    assert_int_equal(frame_measure(b, plan, NULL), 0);
    assert_true(frame_fingerprint() == before);
    pmon_backend_close(b);
  }
  tree.fail_look = 0;
  pmon_plan_free(plan);
  frame_end();
}

/* Once everything is open, no more opens are permitted: the spare CPU is already open. */
static void test_a_cpu_goes_offline_when_opening_is_not_permitted(void **state)
{
  (void)state;
  lose_the_reading_cpu(false);
}

/* The last CPU of a package goes offline: the message names the package, and the other package's registers stay
 * available. */
static void test_a_package_goes_offline(void **state)
{
  (void)state;
  frame_begin("emr");
  struct pmon_backend *b = frame_open();
  struct pmon_address a = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x2002};
  uint64_t value = 0;
  tree_file(&tree, "sys/devices/system/cpu/online", "1-3\n");
  tree.offline_cpu = 0;
  assert_int_equal(b->ops->read(b, &a, &value), 0); /* CPU 1 was the reading CPU before it went offline */
  tree_file(&tree, "sys/devices/system/cpu/online", "2-3\n");
  tree.offline_cpu = 1;
  assert_int_equal(b->ops->read(b, &a, &value), PMON_E_NO_DEVICE);
  assert_non_null(strstr(b->error_text, "on CPU 1"));
  a.package = 1;
  assert_int_equal(b->ops->read(b, &a, &value), 0);
  pmon_backend_close(b);
  frame_end();
}

/* All CPUs of a package go offline during the measurement: its counts are invalid, which is reported; those of the
 * other package are valid. Once the CPUs are back, the package can be measured. */
static void test_a_package_goes_offline_during_a_measurement(void **state)
{
  struct pmon_session *s;
  struct pmon_value v;
  char error[200];
  bool ended;
  double count = 0;
  (void)state;
  frame_begin("emr");
  struct pmon_plan *plan = frame_plan("cha/CLOCKTICKS/");
  struct pmon_backend *b = frame_open();
  assert_int_equal(pmon_session_new(plan, b, NULL, &s), 0);
  assert_int_equal(pmon_session_start(s), 0);
  tree_file(&tree, "sys/devices/system/cpu/online", "2-3\n");
  tree.offline_sockets = 1;
  assert_int_equal(
      machine_run(tree.machine, machine_now_fs(tree.machine) + UINT64_C(100000000000), &ended, error, sizeof error), 0);
  assert_int_equal(pmon_session_run(s, pmon_session_now_ns(s) + 1, &ended), 0);
  assert_non_null(strstr(pmon_context_error(context), "on CPU 0"));
  assert_int_equal(pmon_session_event(s, 0, &(struct pmon_scope){0, PMON_ALL}, &v), 0);
  assert_true(!v.valid && v.flags & PMON_VALUE_VANISHED);
  assert_int_equal(pmon_session_event(s, 0, &(struct pmon_scope){1, PMON_ALL}, &v), 0);
  assert_true(v.valid && v.number > 10000);
  assert_int_not_equal(pmon_session_close(s), 0);
  assert_non_null(strstr(pmon_context_error(context), "could not be restored: "));
  assert_null(strstr(pmon_context_error(context), "package 1"));
  tree_file(&tree, "sys/devices/system/cpu/online", "0-3\n");
  tree.offline_sockets = 0;
  assert_int_equal(frame_measure(b, plan, &count), 0);
  assert_true(count > 10000);
  pmon_backend_close(b);
  pmon_plan_free(plan);
  frame_end();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_failing_access_is_reported_and_undone),
      cmocka_unit_test(test_memory_without_a_device),
      cmocka_unit_test(test_memory_of_a_removed_device),
      cmocka_unit_test(test_a_device_that_disappears),
      cmocka_unit_test(test_a_unit_that_vanishes),
      cmocka_unit_test(test_a_cpu_that_goes_offline),
      cmocka_unit_test(test_eperm_at_any_open),
      cmocka_unit_test(test_eperm_at_any_read_of_the_topology),
      cmocka_unit_test(test_a_cpu_goes_offline_when_opening_is_not_permitted),
      cmocka_unit_test(test_a_package_goes_offline),
      cmocka_unit_test(test_a_package_goes_offline_during_a_measurement),
  };
  return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}

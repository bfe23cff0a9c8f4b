/* SPDX-License-Identifier: MIT */
/* What goes wrong while registers are reached through the doors: told, and undone. */
#include <string.h>
#include "tests/hardware/frame.h"

static void test_every_failing_access_is_told_and_undone(void **state)
{
  (void)state;
  static const enum tree_fault faults[] = {TREE_EIO, TREE_SHORT, TREE_EPERM};
  frame_begin("emr");
  struct pmon_plan *plan = frame_plan(frame_events);
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
      /* An MSR that faults when it is looked at first is one that this processor does not have; what fails while it is
       * given back is tried again. */
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

static void test_a_device_that_disappears(void **state)
{
  (void)state;
  frame_begin("emr");
  struct pmon_plan *plan = frame_plan(frame_events);
  struct pmon_backend *b = frame_open();
  tree.gone_from = tree.accesses + 80;
  int status = frame_measure(b, plan, NULL);
  assert_int_not_equal(status, 0);
  assert_non_null(strstr(pmon_context_error(context), "could not be given back"));
  pmon_backend_close(b);
  pmon_plan_free(plan);
  frame_end();
}

/* One unit's device goes, at any access: the others count on, its own counts are no numbers, and what could not be given
 * back is named. */
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
  tree.gone_device = 30 << 8 | 12 << 3;         /* m2m 0 of both packages */
  for (uint64_t i = 1; i < n; i++) {
    tree.gone_device_from = tree.accesses + i;
    memset(counts, 0, sizeof counts);
    int status = frame_measure(b, plan, counts);
    assert_true(counts[0] > 0.9 * whole[0] && counts[1] > 0.9 * whole[1] && counts[3] > 0.9 * whole[3]);
    vanished += counts[2] < 0;
    if (status && !strstr(pmon_context_error(context), "could not be given back: M2Mn_PCI_PMON"))
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

static void test_a_cpu_that_goes_offline(void **state)
{
  (void)state;
  frame_begin("emr");
  struct pmon_plan *plan = frame_plan("cha/CLOCKTICKS/");
  struct pmon_backend *b = frame_open();
  double count = 0;
  tree_file(&tree, "sys/devices/system/cpu/online", "1-3\n");
  tree.offline_cpu = 0;
  assert_int_equal(frame_measure(b, plan, &count), 0);
  assert_true(count > 10000);
  pmon_backend_close(b);
  pmon_plan_free(plan);
  frame_end();
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

/* Once everything is open, no more may be opened: the spare CPU is open already. */
static void test_a_cpu_that_goes_when_nothing_may_be_opened(void **state)
{
  (void)state;
  frame_begin("emr");
  struct pmon_plan *plan = frame_plan("cha/CLOCKTICKS/");
  struct pmon_backend *b = frame_open();
  double count = 0;
  tree_file(&tree, "sys/devices/system/cpu/online", "1-3\n");
  tree_file(&tree, "dev/cpu/1/msr", NULL);
  tree.offline_cpu = 0;
  assert_int_equal(frame_measure(b, plan, &count), 0);
  assert_true(count > 10000);
  pmon_backend_close(b);
  pmon_plan_free(plan);
  frame_end();
}

/* The last CPU of a package goes: that is told, with its name, and the other package's registers are there still. */
static void test_a_package_that_goes(void **state)
{
  (void)state;
  frame_begin("emr");
  struct pmon_backend *b = frame_open();
  struct pmon_address a = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x2002};
  uint64_t value = 0;
  tree_file(&tree, "sys/devices/system/cpu/online", "1-3\n");
  tree.offline_cpu = 0;
  assert_int_equal(b->ops->read(b, &a, &value), 0);            /* CPU 1 spoke for it while it was there */
  tree_file(&tree, "sys/devices/system/cpu/online", "2-3\n");
  tree.offline_cpu = 1;
  assert_int_equal(b->ops->read(b, &a, &value), PMON_E_NO_DEVICE);
  assert_non_null(strstr(b->error_text, "on CPU 1"));
  a.package = 1;
  assert_int_equal(b->ops->read(b, &a, &value), 0);
  pmon_backend_close(b);
  frame_end();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_failing_access_is_told_and_undone),
    cmocka_unit_test(test_a_device_that_disappears),
    cmocka_unit_test(test_a_unit_that_vanishes),
    cmocka_unit_test(test_a_cpu_that_goes_offline),
    cmocka_unit_test(test_eperm_at_any_open),
    cmocka_unit_test(test_a_cpu_that_goes_when_nothing_may_be_opened),
    cmocka_unit_test(test_a_package_that_goes),
  };
  return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Sessions through the access methods: their counts equal those of the machine, and the number of system calls is
 * bounded. */
#include <dirent.h>
#include <stdio.h>
#include "tests/hardware/frame.h"

static void test_a_session_counts_the_same(void **state)
{
  (void)state;
  double direct[4], machine[4];
  struct pmon_backend *b;
  frame_begin("emr");
  struct pmon_plan *plan = frame_plan(frame_events);
  b = frame_open();
  assert_int_equal(frame_measure(b, plan, direct), 0);
  pmon_backend_close(b);
  struct machine *first = tree.machine;
  struct tree again;
  tree_make(&again, "emr", frame_small);
  tree.machine = again.machine;
  assert_int_equal(machine_backend_new(again.machine, &b), 0);
  assert_int_equal(frame_measure(b, plan, machine), 0);
  pmon_backend_close(b);
  tree.machine = first;
  for (int i = 0; i < 4; i++) {
    assert_true(machine[i] > 10000);
    assert_int_equal((long)direct[i], (long)machine[i]);
  }
  tree_end(&again);
  pmon_plan_free(plan);
  frame_end();
}

static void sweep(struct pmon_backend *b, struct pmon_read *reads, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    reads[i] = (struct pmon_read){
        {.package = i & 1, .space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x2008 + i / 2 % 4}, .status = 1};
  b->sweep(b, reads, n);
}

/* Many MSRs in one call, whatever the module returns. */
static void test_a_sweep_in_one_call(void **state)
{
  (void)state;
  enum { N = 700 };
  static struct pmon_read reads[N];
  const struct pmon_address a = {.package = 1, .space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x2009};
  for (int kind = 0; kind < 5; kind++) {
    frame_begin("emr");
    assert_int_equal(machine_write(tree.machine, &a, 4711), 0);
    if (kind)
      tree_file(&tree, "dev/cpu/msr_batch", "");
    struct pmon_backend *b = frame_open(), *allowed;
    assert_int_equal(pmon_backend_allow_new(b, platform, &allowed), 0);
    tree.batch_refuses = kind == 2;
    tree.offline_cpu = kind == 3 ? 0 : -1;
    if (kind == 4) {
      tree.fault = TREE_EIO;
      tree.fail_access = tree.accesses + 5;
    }
    const uint64_t before = tree.accesses;
    sweep(allowed, reads, N);
    for (uint32_t i = 0; i < N; i++) {
      assert_int_equal(reads[i].status, 0);
      assert_int_equal(reads[i].value, (i & 1) && i / 2 % 4 == 1 ? 4711 : 0);
    }
    assert_int_equal(tree.batches, kind == 0 ? 0 : kind == 2 ? 1 : 2);
    if (kind == 1)
      assert_int_equal(tree.accesses - before, N);
    tree.fail_access = 0;
    reads[0].address.offset = 0x7777; /* the processor has no such MSR */
    reads[1].address.space = PMON_SPACE_PCI;
    reads[2].address.package = 7;
    reads[3].address.package = 0;
    reads[3].status = 1;
    b->sweep(b, reads, 4);
    assert_int_equal(reads[0].status, PMON_E_NO_DEVICE);
    assert_int_equal(reads[1].status, PMON_E_NO_DEVICE);
    assert_int_equal(reads[2].status, PMON_E_NO_DEVICE);
    assert_int_equal(reads[3].status, 0);
    pmon_backend_close(allowed);
    frame_end();
  }
}

/* Returns the number of system calls that one interval takes. */
static uint64_t interval_accesses(struct pmon_backend *b, struct pmon_plan *plan, uint32_t freeze, uint64_t verify_ns)
{
  const struct pmon_session_options options = {.size = sizeof options, .freeze = freeze, .verify_ns = verify_ns};
  struct pmon_session *s;
  uint64_t n = 0;
  bool ended;
  assert_int_equal(pmon_session_new(plan, b, &options, &s), 0);
  assert_int_equal(pmon_session_start(s), 0);
  for (int i = 0; i < 3; i++) {
    const uint64_t before = tree.accesses, polls = tree.polls, opens = tree.opens + tree.looks;
    assert_int_equal(pmon_session_run(s, pmon_session_now_ns(s) + 1000, &ended), 0);
    if (i)
      assert_int_equal(tree.accesses - before, n);
    n = tree.accesses - before;
    /* A wait, and a read of the clock each for: frozen, read, unfrozen. */
    assert_in_range(tree.polls - polls, 2, 4);
    assert_int_equal(tree.opens + tree.looks, opens);
  }
  assert_int_equal(pmon_session_close(s), 0);
  return n;
}

static void test_an_interval_takes_as_few_accesses_as_can_be(void **state)
{
  (void)state;
  frame_begin("snbep");
  struct pmon_plan *plan = frame_plan("cbo0/CLOCKTICKS/,cbo0/TOR_INSERTS.MISS_ALL/,imc0/CAS_COUNT.RD/,"
                                      "imc0/CAS_COUNT.WR/");
  struct pmon_backend *b = frame_open();
  /* On each of two sockets four counters, two of them in halves: no other access unless it was requested. */
  const uint64_t counters = 2 * (2 + 2 * 2), never = UINT64_MAX;
  assert_int_equal(interval_accesses(b, plan, PMON_FREEZE_BEST, never), counters);
  assert_int_equal(interval_accesses(b, plan, PMON_FREEZE_BOUNDARIES, never), counters);
  assert_int_equal(interval_accesses(b, plan, PMON_FREEZE_NONE, never), counters);
  /* Two units are frozen and unfrozen; four control registers are checked. */
  assert_int_equal(interval_accesses(b, plan, PMON_FREEZE_BOX, never), counters + 2 * 2 * 2);
  assert_int_equal(interval_accesses(b, plan, PMON_FREEZE_BOX, 0), counters + 2 * 2 * 2 + 2 * 4);
  assert_int_equal(interval_accesses(b, plan, PMON_FREEZE_BEST, 0), counters + 2 * 4);
  pmon_backend_close(b);
  pmon_plan_free(plan);
  frame_end();
}

/* Opening everything looks at each file once, however many CPUs there are: the first CPU of a package shows the
 * others. */
static void test_each_file_is_opened_once(void **state)
{
  (void)state;
  char name[128];
  frame_begin("snbep");
  snprintf(name, sizeof name, "%s/bus/pci/devices", tree.sys);
  DIR *devices = opendir(name);
  assert_non_null(devices);
  uint64_t functions = 0;
  for (struct dirent *e; (e = readdir(devices));)
    functions += *e->d_name != '.';
  closedir(devices);
  for (unsigned cpu = 0; cpu < 4; cpu++) {
    snprintf(name, sizeof name, "sys/devices/system/cpu/cpu%u/topology/package_cpus_list", cpu);
    tree_file(&tree, name, cpu < 2 ? "0-1\n" : "2-3\n");
  }
  const uint64_t opens = tree.opens, looks = tree.looks;
  pmon_backend_close(frame_open());
  /* Two packages: number and CPU list of one CPU each, and the list again to find the reading CPU, and for the hardware
   * threads. */
  assert_int_equal(tree.looks - looks, 2 * 4);
  /* In addition to the functions: the list of online CPUs; msr-safe's batch; for two CPUs of each package msr-safe's
   * device, which does not exist here, and msr's, for the package and for their own registers; the firmware's table;
   * memory. */
  assert_int_equal(tree.opens - opens, functions + 1 + 1 + 2 * 2 * 2 * 2 + 1 + 1);
  frame_end();
}

/* One write per socket freezes all of its counters, whatever their number. */
static void test_a_socket_is_frozen_with_one_access(void **state)
{
  (void)state;
  frame_begin("emr");
  struct pmon_plan *plan = frame_plan("cha/CLOCKTICKS/,cha/TOR_INSERTS.IA_MISS_DRD/,upi/CLOCKTICKS/");
  struct pmon_backend *b = frame_open();
  const uint64_t counters = 2 * (2 * 2 + 2); /* two CHAs; a UPI link's counter in halves */
  assert_int_equal(interval_accesses(b, plan, PMON_FREEZE_BEST, UINT64_MAX), counters + 2 * 2);
  assert_int_equal(interval_accesses(b, plan, PMON_FREEZE_BOX, UINT64_MAX), counters + 2 * 2 * 3);
  pmon_backend_close(b);
  pmon_plan_free(plan);
  frame_end();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_session_counts_the_same),
      cmocka_unit_test(test_an_interval_takes_as_few_accesses_as_can_be),
      cmocka_unit_test(test_a_socket_is_frozen_with_one_access),
      cmocka_unit_test(test_each_file_is_opened_once),
      cmocka_unit_test(test_a_sweep_in_one_call),
  };
  return cmocka_run_group_tests_name("accesses", tests, NULL, NULL);
}

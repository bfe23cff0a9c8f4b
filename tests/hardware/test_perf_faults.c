/* SPDX-License-Identifier: MIT */
/* Failing calls to the kernel's PMUs, and missing PMUs and CPUs. */
#include <sys/eventfd.h>
#include <unistd.h>
#include "tests/hardware/perf_session.h"

static unsigned count_fds(void)
{
  unsigned n = 0;
  DIR *dir = opendir("/proc/self/fd");
  while (readdir(dir))
    n++;
  closedir(dir);
  return n;
}

static void test_every_failing_call_is_reported_and_leaves_nothing_open(void **state)
{
  (void)state;
  static const int errors[] = {EPERM, EACCES, EINVAL, EMFILE, ENODEV, EIO, ENOMEM, 0};
  perf_begin("snbep", NULL);
  struct pmon_plan *plan = frame_plan(many);
  struct pmon_plan_info info = {.size = sizeof info};
  pmon_plan_describe(plan, &info);
  assert_true(info.rounds > 1);
  struct pmon_backend *b = open_perf();
  const unsigned before = count_fds();
  kernel.calls = 0;
  assert_int_equal(perf_measure(b, plan, RUN_US, NULL), 0);
  const uint64_t n = kernel.calls;
  unsigned failed = 0;
  assert_true(n > 100);
  for (size_t e = 0; e < sizeof errors / sizeof *errors; e++)
    for (uint64_t i = 1; i <= n; i += errors[e] == EPERM ? 1 : 1 + i / 8) {
      kernel.error = errors[e];
      kernel.calls = 0;
      kernel.fail_call = i;
      int status = perf_measure(b, plan, RUN_US, NULL);
      failed += status != 0;
      if (status && !strchr(pmon_context_error(context), ' '))
        fail_msg("call %u failed without a word", (unsigned)i);
      if (kernel.open || count_fds() != before)
        fail_msg("error %d of call %u: %u events are open", errors[e], (unsigned)i, kernel.open);
    }
  assert_true(failed > 150);
  kernel.fail_call = 0;
  pmon_backend_close(b);
  pmon_plan_free(plan);
  perf_end();
}

/* Any open of the kernel's files is refused: the message names the file, and nothing stays open. If there is an
 * alternative (another PMU shows that PMUs exist), it is used. */
static void test_eperm_at_any_open(void **state)
{
  (void)state;
  unsigned reported = 0, made = 0;
  perf_begin("snbep", NULL);
  struct pmon_plan *plan = frame_plan("cbo/TOR_INSERTS.MISS_ALL/,ha/CLOCKTICKS/,imc/CAS_COUNT.RD/,ubox/CLOCKTICKS/");
  const uint64_t start = tree.opens;
  const unsigned fds_before = count_fds();
  struct pmon_backend *b = open_perf();
  assert_int_equal(perf_measure(b, plan, RUN_US, NULL), 0);
  pmon_backend_close(b);
  const uint64_t n = tree.opens - start;
  assert_true(n > 40);
  for (uint64_t i = 1; i <= n; i++) {
    struct pmon_reason reason = {""};
    tree.fail_open = tree.opens + i;
    int status = pmon_backend_perf_open(&tree.system, &reason, &b);
    const char *text = reason.text;
    if (!status) {
      timed = *b->ops;
      timed.wait = machine_wait;
      b->ops = &timed;
      status = perf_measure(b, plan, RUN_US, NULL);
      text = pmon_context_error(context);
      pmon_backend_close(b);
    }
    reported += status != 0;
    made += !status;
    if (status && (status != PMON_E_PERMISSION || !strstr(text, tree.sys) || !strstr(text, "not permitted")))
      fail_msg("open %u: status %d, \"%s\"", (unsigned)i, status, text);
    assert_int_equal(kernel.open, 0);
    assert_int_equal(count_fds(), fds_before);
  }
  assert_true(reported > 30 && made < 6 && made + reported == n);
  tree.fail_open = 0;
  pmon_plan_free(plan);
  perf_end();
}

/* Opening is refused at a level of kernel.perf_event_paranoid; the reason has both texts. */
static void refused_at(const char *level, const char *is, const char *remedy)
{
  struct pmon_reason reason = {""};
  struct pmon_backend *b;
  perf_begin("snbep", NULL);
  tree_file(&tree, "proc/sys/kernel/perf_event_paranoid", level);
  kernel.error = EACCES;
  kernel.fail_call = 1;
  assert_int_equal(pmon_backend_perf_open(&tree.system, &reason, &b), PMON_E_PERMISSION);
  assert_non_null(strstr(reason.text, is));
  assert_non_null(strstr(reason.text, remedy));
  perf_end();
}

static void test_missing_perf_permission_is_reported_with_a_remedy(void **state)
{
  (void)state;
  refused_at("2\n", "perf_event_paranoid is 2", "=0`, or give pmon CAP_PERFMON");
  refused_at("3\n", "perf_event_paranoid is 3", "=0`, or =2 and give pmon CAP_PERFMON");
}

static void test_descriptors_run_out(void **state)
{
  (void)state;
  perf_begin("snbep", NULL);
  struct pmon_plan *plan = frame_plan(many);
  struct pmon_backend *b = open_perf();
  kernel.most_open = 5;
  assert_int_equal(perf_measure(b, plan, RUN_US, NULL), PMON_E_IO);
  assert_non_null(strstr(pmon_context_error(context), "ulimit -n"));
  assert_int_equal(kernel.open, 0);
  pmon_backend_close(b);
  pmon_plan_free(plan);
  perf_end();
}

static void test_a_missing_pmu_is_a_value_without_number(void **state)
{
  (void)state;
  struct pmon_value v[2];
  struct pmon_reason reason = {""};
  perf_begin("snbep", "ha");
  struct pmon_backend *b = open_perf();
  struct pmon_plan *plan = frame_plan("ha/CLOCKTICKS/,cbo/CLOCKTICKS/"), *gone = frame_plan("ha/CLOCKTICKS/");
  assert_int_equal(pmon_plan_check(plan, b, &reason), PMON_E_NO_DEVICE);
  assert_non_null(strstr(reason.text, "uncore_ha"));
  assert_int_equal(perf_measure(b, plan, RUN_US, v), 0);
  assert_false(v[0].valid);
  assert_true(v[0].flags & PMON_VALUE_UNAVAILABLE);
  assert_true(v[1].valid && v[1].number > 10000);
  assert_int_equal(perf_measure(b, gone, RUN_US, v), PMON_E_NO_DEVICE);
  assert_non_null(strstr(pmon_context_error(context), "uncore_ha"));
  pmon_plan_free(gone);
  pmon_plan_free(plan);
  pmon_backend_close(b);
  perf_end();
}

static void test_a_kernel_without_pmus_is_no_device(void **state)
{
  (void)state;
  struct pmon_reason reason = {""};
  struct pmon_backend *b;
  assert_int_equal(pmon_context_new(&context), 0);
  tree_make(&tree, "snbep", two_cores);
  assert_int_equal(pmon_backend_perf_open(&tree.system, &reason, &b), PMON_E_NO_DEVICE);
  assert_non_null(strstr(reason.text, "modprobe intel_uncore"));
  perf_end();
}

static void replace_cpu(void)
{
  char path[256];
  kernel_path(path, sizeof path, "uncore_ha", "cpumask");
  tree_file(&tree, path, "1,2\n");
  tree_file(&tree, "sys/devices/system/cpu/online", "1-3\n");
}

static void test_a_cpu_goes_offline(void **state)
{
  (void)state;
  struct pmon_session *s;
  struct pmon_value v, other;
  bool ended;
  perf_begin("snbep", NULL);
  struct pmon_plan *plan = frame_plan("ha/CLOCKTICKS/");
  struct pmon_backend *b = open_perf();
  kernel.offline_cpu = 0; /* offline after its PMU's mask was read: another CPU takes over */
  kernel.went_offline = replace_cpu;
  assert_int_equal(perf_measure(b, plan, RUN_US, &v), 0);
  assert_true(v.valid && v.number > 10000);
  assert_int_equal(pmon_session_new(plan, b, NULL, &s), 0);
  assert_int_equal(pmon_session_start(s), 0);
  kernel.offline_cpu = 2; /* offline while it counts, without a replacement */
  assert_int_equal(pmon_session_run(s, pmon_session_now_ns(s) + 60000000, &ended), 0);
  assert_int_equal(pmon_session_event(s, 0, &(struct pmon_scope){1, PMON_ALL}, &v), 0);
  assert_int_equal(pmon_session_event(s, 0, &(struct pmon_scope){0, PMON_ALL}, &other), 0);
  assert_false(v.valid);
  assert_true(v.flags & PMON_VALUE_UNAVAILABLE);
  assert_true(other.valid && other.number > 10000);
  assert_int_equal(pmon_session_close(s), 0);
  pmon_backend_close(b);
  pmon_plan_free(plan);
  perf_end();
}

/* The backend's own wait, which the other tests' sessions replace. */
static void test_perf_waits_for_the_end_of_the_workload(void **state)
{
  (void)state;
  struct pmon_backend *b = NULL;
  uint64_t now = 0;
  bool ended = false;
  perf_begin("snbep", NULL);
  tree.system.end_fd = eventfd(1, 0);
  assert_int_equal(pmon_backend_perf_open(&tree.system, NULL, &b), 0);
  assert_true(b->host);
  assert_int_equal(b->ops->wait(b, UINT64_MAX, &now, &ended), 0);
  assert_true(ended && now);
  close(tree.system.end_fd);
  pmon_backend_close(b);
  perf_end();
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_failing_call_is_reported_and_leaves_nothing_open),
                                     cmocka_unit_test(test_eperm_at_any_open),
                                     cmocka_unit_test(test_missing_perf_permission_is_reported_with_a_remedy),
                                     cmocka_unit_test(test_descriptors_run_out),
                                     cmocka_unit_test(test_a_missing_pmu_is_a_value_without_number),
                                     cmocka_unit_test(test_a_kernel_without_pmus_is_no_device),
                                     cmocka_unit_test(test_a_cpu_goes_offline),
                                     cmocka_unit_test(test_perf_waits_for_the_end_of_the_workload)};
  return cmocka_run_group_tests_name("perf", tests, NULL, NULL);
}

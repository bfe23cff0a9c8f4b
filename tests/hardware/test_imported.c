/* SPDX-License-Identifier: MIT */
/*
 * Units of which only the kernel's names are known, measured through the small kernel: their counts equal those of the
 * same events by facts with registers, also if all instances are counted as one sum.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pmon/record.h>
#include "tests/hardware/frame.h"
#include "tests/hardware/kernel.h"
#include "tests/hardware/kernel_own.h"

enum { RUN_US = 100, CPUS = 4 };
#define TSC_HZ UINT64_C(2700000000) /* of the E5-2600 */

static const char facts_reg[] = "cite x\nregister CTL width 64\n  63:32 umask_ext rw 0 -\n  31:20 thresh rw 0 -\n"
                                "  19 invert rw 0 alias=inv -\n  18 edge_det rw 0 alias=edge -\n  17:16 - rsvd 0 -\n"
                                "  15:8 umask rw 0 -\n  7:0 ev_sel rw 0 alias=event -\n"
                                "register CTR width 64\n  63:48 - rsvd 0 -\n  47:0 count rw 0 -\n";
static const char facts_unit[] =
    "cite x\nunit cha\n  title caching agents\n  perf uncore_cha\n  access perf\n  instances 64\n"
    "  counters 4 width 48\n  events agent\n  register ctl CTL CTL 0x0 count 4\n  register ctr CTR CTR 0x100 count 4\n"
    "unit all\n  title all caching agents\n  perf uncore_cha\n  access perf summed\n  instances 1\n"
    "  counters 4 width 48\n  events agent\n  register ctl CTL CTL 0x0 count 4\n  register ctr CTR CTR 0x100 count 4\n";
static const char facts_evt[] = "cite x\nevents agent\nevent CLOCKTICKS 0x01 counters 0-3\n  brief The clock.\n"
                                "event INSERTS 0x35 counters 0-3 umask_ext=0xc001ff\n  brief Requests.\n";
static const char facts_met[] = "cite x\nmetric each_clock\n  brief Cycles of one.\n"
                                "  equation cha/CLOCKTICKS / INSTANCES(cha)\n"
                                "metric each_of_all\n  brief Cycles of one.\n"
                                "  equation all/CLOCKTICKS / (INSTANCES(all) / PACKAGES * PACKAGES)\n"
                                "metric chosen\n  brief A choice.\n"
                                "  equation IF(cha/CLOCKTICKS > 1000000000, 1 / 0, 2 * 3)\n"
                                "metric threads\n  brief Threads.\n  equation THREADS_PER_CORE\n";

static const char *linux_facts;

static void put_facts(const char *name, const char *text)
{
  tree_file(&tree, name, text);
}

static const struct pmon_platform *load_platform(const char *name)
{
  char path[512];
  snprintf(path, sizeof path, "%s/facts/%s.platform", tree.root, name);
  if (pmon_context_load(context, path))
    fail_msg("%s", pmon_context_error(context));
  return pmon_platform_get(context, 0);
}

/* Loads the platform of the facts above from the tree. */
static const struct pmon_platform *load_facts(void)
{
  put_facts("facts/own.reg", facts_reg);
  put_facts("facts/own.unit", facts_unit);
  put_facts("facts/own.evt", facts_evt);
  put_facts("facts/own.met", facts_met);
  put_facts("facts/own.platform", "platform own\ntitle perf only\ncite x\nfile own.reg\nfile own.unit\nfile own.evt\n"
                                  "file own.met\n");
  return load_platform("own");
}

/* Waits in the machine's time. */
static int machine_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  char error[256];
  bool ended;
  (void)b;
  int status = machine_run(tree.machine, until_ns * 1000000, &ended, error, sizeof error);
  *ret_now_ns = machine_now_fs(tree.machine) / 1000000;
  *ret_ended = false;
  return status;
}

static struct pmon_backend_ops timed;

static struct pmon_backend *open_perf(void)
{
  struct pmon_reason reason = {""};
  struct pmon_backend *b = NULL;
  if (pmon_backend_perf_open(&tree.system, &reason, &b))
    fail_msg("%s", reason.text);
  timed = *b->ops;
  timed.wait = machine_wait;
  b->ops = &timed;
  return b;
}

/* Reads a recording: its metrics have the values that they had when it was made. */
static void recording_has_the_values(const char *path, const struct pmon_platform *own, const struct pmon_value *m,
                                     uint32_t n)
{
  struct pmon_recording *recording;
  struct pmon_session *s;
  struct pmon_plan *plan;
  struct pmon_value v;
  if (pmon_recording_open(context, path, &recording) || pmon_recording_plan(recording, own, NULL, NULL, &plan) ||
      pmon_recording_session(recording, plan, &s) || pmon_recording_load(recording, s, 0))
    fail_msg("%s", pmon_context_error(context));
  for (uint32_t i = 0; i < n; i++) {
    assert_int_equal(pmon_session_metric(s, i, &(struct pmon_scope){PMON_ALL, PMON_ALL}, &v), 0);
    if (v.valid != m[i].valid || (v.valid && v.number != m[i].number))
      fail_msg("metric %u of the recording: %.12g, not %.12g: %s", i, v.number, m[i].number, v.reason);
  }
  pmon_session_close(s);
  pmon_plan_free(plan);
  pmon_recording_close(recording);
}

static void summed_units_count_what_their_instances_do(void **state)
{
  (void)state;
  struct pmon_value v[4], m[4];
  struct pmon_session *s;
  struct pmon_plan *plan;
  struct pmon_record *record;
  char path[256];
  bool ended;
  frame_begin("emr");
  kernel_make(&tree, platform, NULL);
  tree_file(&tree, "sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0-1\n");
  const struct pmon_platform *own = load_facts();
  struct pmon_backend *b = open_perf();
  assert_int_equal(pmon_plan_new(context, own, &plan), 0);
  if (pmon_plan_add_events(plan, "cha/CLOCKTICKS/,all/CLOCKTICKS/,cha/INSERTS/,all/INSERTS/") ||
      pmon_plan_add_metrics(plan, "each_clock,each_of_all,chosen,threads") || pmon_plan_schedule(plan))
    fail_msg("%s", pmon_context_error(context));
  snprintf(path, sizeof path, "%s/counts.pmon", tree.root);
  if (pmon_session_new(plan, b, NULL, &s) || pmon_record_new(s, path, NULL, &record) || pmon_session_start(s) ||
      pmon_session_run(s, pmon_session_now_ns(s) + RUN_US * 1000, &ended) || pmon_record_add(record) ||
      pmon_record_close(record))
    fail_msg("%s", pmon_context_error(context));
  for (uint32_t i = 0; i < 4; i++)
    assert_int_equal(pmon_session_event(s, i, &(struct pmon_scope){PMON_ALL, PMON_ALL}, &v[i]), 0);
  for (uint32_t i = 0; i < 4; i++)
    assert_int_equal(pmon_session_metric(s, i, &(struct pmon_scope){PMON_ALL, PMON_ALL}, &m[i]), 0);
  recording_has_the_values(path, own, m, 4);
  /* They are read one after the other, without simulated time in between. */
  assert_true(v[0].valid && v[1].valid && v[0].number > 10000 && v[0].number == v[1].number);
  assert_true(v[2].valid && v[3].valid && v[2].number == v[3].number);
  /* Both packages of the small machine have equal clocks: one instance's cycles give the elapsed time. */
  assert_true(m[0].valid && m[1].valid && m[0].number == m[1].number);
  assert_true(fabs(m[0].number - RUN_US * 1e-6 * 2.2e9) < 2000);
  assert_true(m[3].valid && m[3].number == 2);
  assert_true(m[2].valid && m[2].number == 6); /* the division by zero was not evaluated */
  /* Instances that the kernel lacks are not in any sum. */
  struct pmon_value one;
  assert_int_equal(pmon_session_event(s, 0, &(struct pmon_scope){0, 63}, &one), 0);
  assert_true(!one.valid && (one.flags & PMON_VALUE_UNAVAILABLE));
  /* One package: half of the total. */
  assert_int_equal(pmon_session_event(s, 1, &(struct pmon_scope){1, PMON_ALL}, &one), 0);
  assert_true(one.number * 2 == v[1].number);
  assert_int_equal(pmon_session_close(s), 0);
  pmon_plan_free(plan);
  pmon_backend_close(b);
  assert_int_equal(kernel.open, 0);
  frame_end();
}

/* The register backends refuse such events before they write anything. */
static void registers_refuse_units_without_addresses(void **state)
{
  (void)state;
  struct pmon_session *s = NULL;
  struct pmon_plan *plan;
  frame_begin("emr");
  const struct pmon_platform *own = load_facts();
  struct pmon_backend *b = frame_open();
  const uint64_t before = frame_fingerprint();
  assert_int_equal(pmon_plan_new(context, own, &plan), 0);
  assert_int_equal(pmon_plan_add_events(plan, "cha/CLOCKTICKS/"), 0);
  assert_int_equal(pmon_plan_schedule(plan), 0);
  int status = pmon_session_new(plan, b, NULL, &s);
  if (!status)
    status = pmon_session_start(s);
  assert_int_not_equal(status, 0);
  assert_non_null(strstr(pmon_context_error(context), "register addresses of unit cha are not known"));
  pmon_session_close(s);
  assert_true(frame_fingerprint() == before);
  pmon_plan_free(plan);
  pmon_backend_close(b);
  frame_end();
}

/* Copies a file of data/linux, which imported platforms get, into the tree. */
static void put_linux_facts(const char *name)
{
  char path[512], text[16384];
  snprintf(path, sizeof path, "%s/%s", linux_facts, name);
  FILE *f = fopen(path, "re");
  assert_non_null(f);
  const size_t n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  assert_true(n > 200 && n < sizeof text - 1);
  text[n] = 0;
  snprintf(path, sizeof path, "facts/%s", name);
  put_facts(path, text);
}

/* Returns what all CPUs, or one of each package, show in an MSR of the kernel's other drivers. */
static double own_total(const char *pmu, const char *name)
{
  double total = 0;
  for (const struct kernel_own *o = kernel_own_events; o->pmu; o++)
    for (int cpu = 0; !strcmp(o->pmu, pmu) && !strcmp(o->name, name) && cpu < CPUS; cpu += o->of_cpu ? 1 : 2)
      total += (double)kernel_own_read(o, cpu);
  return total;
}

/* Loads a platform of nothing but data/linux from the tree. */
static const struct pmon_platform *load_linux_facts(void)
{
  static const char *const names[] = {"resctrl.reg", "kernel.unit", "resctrl.unit", "kernel.evt", "cstate.evt",
                                      "resctrl.evt", "power.met",   "resctrl.met",  "kernel.met"};
  char text[1024];
  size_t n = (size_t)snprintf(text, sizeof text, "platform linux\ntitle Linux\ncite x\nfile linux.reg\n");
  put_facts("facts/linux.reg", "cite x\nregister PERF_CTR width 64\n  63:48 - rsvd 0 -\n  47:0 count rw 0 -\n");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    put_linux_facts(names[i]);
    n += (size_t)snprintf(text + n, sizeof text - n, "file %s\n", names[i]);
  }
  put_facts("facts/linux.platform", text);
  return load_platform("linux");
}

/* Energy, idle states and clocks of threads: what data/linux has for imported platforms counts what the registers show,
 * summed over the hardware threads where each has one. */
static void other_pmus_count_what_the_registers_show(void **state)
{
  static const struct {
    const char *pmu, *name;
  } counted[] = {{"power", "energy-pkg"},
                 {"power", "energy-ram"},
                 {"cstate_pkg", "c2-residency"},
                 {"cstate_pkg", "c6-residency"},
                 {"cstate_core", "c6-residency"},
                 {"msr", "mperf"},
                 {"msr", "aperf"},
                 {"msr", "smi"}};
  enum { N = sizeof counted / sizeof *counted };
  (void)state;
  double before[N];
  struct pmon_value v, m[4];
  struct pmon_session *s;
  struct pmon_plan *plan;
  bool ended;
  frame_begin("snbep"); /* whose machine has two cores a package */
  kernel_make(&tree, platform, NULL);
  const struct pmon_platform *linux_only = load_linux_facts();
  struct pmon_backend *b = open_perf();
  assert_int_equal(pmon_plan_new(context, linux_only, &plan), 0);
  if (pmon_plan_add_events(plan,
                           "power/energy-pkg/,power/energy-ram/,cstate_pkg/c2-residency/,cstate_pkg/c6-residency/,"
                           "cstate_core/c6-residency/,msr/mperf/,msr/aperf/,msr/smi/") ||
      pmon_plan_add_metrics(plan, "PKG_POWER,PKG_C6_RATIO,CORE_C6_RATIO,SMI") || pmon_plan_schedule(plan))
    fail_msg("%s", pmon_context_error(context));
  b->tsc_hz = TSC_HZ;
  if (pmon_session_new(plan, b, NULL, &s) || pmon_session_start(s))
    fail_msg("%s", pmon_context_error(context));
  for (uint32_t i = 0; i < N; i++)
    before[i] = own_total(counted[i].pmu, counted[i].name);
  if (pmon_session_run(s, pmon_session_now_ns(s) + RUN_US * 1000, &ended))
    fail_msg("%s", pmon_context_error(context));
  for (uint32_t i = 0; i < N; i++) {
    assert_int_equal(pmon_session_event(s, i, &(struct pmon_scope){PMON_ALL, PMON_ALL}, &v), 0);
    if (!v.valid || v.number != own_total(counted[i].pmu, counted[i].name) - before[i])
      fail_msg("%s/%s/: %.0f, the registers show %.0f", counted[i].pmu, counted[i].name, v.number,
               own_total(counted[i].pmu, counted[i].name) - before[i]);
  }
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(pmon_session_metric(s, i, &(struct pmon_scope){PMON_ALL, PMON_ALL}, &m[i]), 0);
    if (!m[i].valid)
      fail_msg("metric %u: %s", i, m[i].reason);
  }
  /* The machine is idle: two packages with the model's idle power, all cores in C6. */
  const double joules = (own_total("power", "energy-pkg") - before[0]) / 4294967296;
  assert_true(fabs(m[0].number - joules / (RUN_US * 1e-6)) < 0.01 * m[0].number && m[0].number > 10);
  assert_true(m[1].number >= 0 && m[1].number <= 1);
  assert_true(m[2].number > 0.5 && m[2].number <= 1);
  assert_true(m[3].number == 0);
  assert_int_equal(pmon_session_close(s), 0);
  pmon_plan_free(plan);
  pmon_backend_close(b);
  assert_int_equal(kernel.open, 0);
  frame_end();
}

/* A sum of no instances is no count: a PMU of this name can be read, but is not listed. */
static void a_sum_without_instances_is_no_count(void **state)
{
  static const char pmu[] = "uncore_x/cha";
  char text[512];
  struct pmon_session *s = NULL;
  struct pmon_plan *plan;
  (void)state;
  frame_begin("emr");
  kernel_make(&tree, platform, NULL);
  put_facts("facts/own.reg", facts_reg);
  snprintf(text, sizeof text,
           "cite x\nunit all\n  title all\n  perf %s\n  access perf summed\n  instances 1\n  counters 4 width 48\n"
           "  events agent\n  register ctl CTL CTL 0x0 count 4\n  register ctr CTR CTR 0x100 count 4\n",
           pmu);
  put_facts("facts/own.unit", text);
  put_facts("facts/own.evt", facts_evt);
  put_facts("facts/own.platform", "platform own\ntitle sums\ncite x\nfile own.reg\nfile own.unit\nfile own.evt\n");
  const struct pmon_platform *own = load_platform("own");
  snprintf(text, sizeof text, "sys/bus/event_source/devices/%s_0/type", pmu);
  tree_file(&tree, text, "99\n");
  snprintf(text, sizeof text, "sys/bus/event_source/devices/%s_0/format/event", pmu);
  tree_file(&tree, text, "config:0-7\n");
  struct pmon_backend *b = open_perf();
  assert_int_equal(pmon_plan_new(context, own, &plan), 0);
  assert_int_equal(pmon_plan_add_events(plan, "all/CLOCKTICKS/"), 0);
  assert_int_equal(pmon_plan_schedule(plan), 0);
  assert_int_equal(pmon_session_new(plan, b, NULL, &s), PMON_E_NO_DEVICE);
  assert_non_null(strstr(pmon_context_error(context), "lists no PMU"));
  pmon_plan_free(plan);
  pmon_backend_close(b);
  frame_end();
}

/* Usage: test_hardware_imported LINUX-FACTS */
/* The kernel's files of cache occupancy, as a unit of an imported platform: a level in bytes. */
static void values_of_resctrl(void **state)
{
  (void)state;
  static const char *const levels[] = {"2000000\n", "3000000\n"};
  char path[128];
  struct pmon_value v;
  struct pmon_session *s = NULL;
  struct pmon_plan *plan;
  bool ended;
  frame_begin("snbep");
  kernel_make(&tree, platform, NULL);
  for (int cpu = 0; cpu < CPUS; cpu++) {
    snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%d/cache/index0/level", cpu);
    tree_file(&tree, path, "3\n");
    snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%d/cache/index0/id", cpu);
    tree_file(&tree, path, cpu < CPUS / 2 ? "0\n" : "1\n");
  }
  for (int cache = 0; cache < 2; cache++) {
    snprintf(path, sizeof path, "sys/fs/resctrl/mon_data/mon_L3_%02d/llc_occupancy", cache);
    tree_file(&tree, path, levels[cache]);
  }
  const struct pmon_platform *linux_only = load_linux_facts();
  struct pmon_backend *b = open_perf();
  assert_int_equal(pmon_plan_new(context, linux_only, &plan), 0);
  if (pmon_plan_add_metrics(plan, "L3_OCCUPANCY") || pmon_plan_schedule(plan) || pmon_session_new(plan, b, NULL, &s) ||
      pmon_session_start(s) || pmon_session_run(s, pmon_session_now_ns(s) + 1000000, &ended))
    fail_msg("%s", pmon_context_error(context));
  assert_int_equal(pmon_session_metric(s, 0, &(struct pmon_scope){1, PMON_ALL}, &v), 0);
  assert_true(v.valid && v.number > 2999999 && v.number < 3000001);
  assert_int_equal(pmon_session_metric(s, 0, &(struct pmon_scope){PMON_ALL, PMON_ALL}, &v), 0);
  assert_true(v.valid && v.number > 4999999 && v.number < 5000001);
  assert_int_equal(pmon_session_close(s), 0);
  pmon_plan_free(plan);
  pmon_backend_close(b);
  frame_end();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(other_pmus_count_what_the_registers_show),
      cmocka_unit_test(summed_units_count_what_their_instances_do),
      cmocka_unit_test(registers_refuse_units_without_addresses),
      cmocka_unit_test(a_sum_without_instances_is_no_count),
      cmocka_unit_test(values_of_resctrl),
  };
  if (argc != 2)
    return 2;
  linux_facts = argv[1];
  return cmocka_run_group_tests(tests, NULL, NULL);
}

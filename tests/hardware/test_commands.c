/* SPDX-License-Identifier: MIT */
/* `pmon stat`, `doctor` and `discover` on a system that is a tree of files with the machine behind it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include "tests/hardware/kernel.h"

int pmon_main(int argc, char **argv);     /* the command's main() */

/* Calls with which the command gives its privileges up. */
static unsigned prctls;
enum { MOST_PRCTLS = 70 };
int __real_prctl(int what, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
int __wrap_prctl(int what, unsigned long a, unsigned long b, unsigned long c, unsigned long d);

int __wrap_prctl(int what, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
  prctls++;
  return __real_prctl(what, a, b, c, d);
}

static const char *const small[] = {"cores=1", "chas=2", "imcs=1", "upi.links=1", "iio.stacks=1", NULL};
static const char cpuinfo[] = "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\nmodel name\t: X\n"
                              "stepping\t: 2\nflags\t\t: fpu sse\n";
static struct tree tree;
static char output[1 << 18];

static void begin(void)
{
  tree_make(&tree, "emr", small);
  tree_file(&tree, "proc/cpuinfo", cpuinfo);
  tree_file(&tree, "sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
}

static uint64_t control(void)
{
  struct pmon_address a = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x2002};
  uint64_t value = 0;
  return machine_read(tree.machine, &a, &value) ? UINT64_MAX : value;
}

/* Runs the command with `--root` behind its name in a process of its own; its output, errors too, in `output`. `200 +`
 * the exit code when a register was left otherwise than it was, `100 +` when privileges were given up more than once. */
static int run(const char *line)
{
  char text[512], *argv[32], *save = NULL;
  int pipes[2], argc = 0, status;
  snprintf(text, sizeof text, "pmon %s", line);
  for (char *w = strtok_r(text, " ", &save); w && argc < 28; w = strtok_r(NULL, " ", &save)) {
    argv[argc++] = w;
    if (argc == 2 && strcmp(w, "import")) {
      argv[argc++] = (char *)(uintptr_t)"--root";
      argv[argc++] = tree.root;
    }
  }
  argv[argc] = NULL;
  assert_int_equal(pipe(pipes), 0);
  pid_t pid = fork();
  if (!pid) {
    const uint64_t before = control();
    dup2(pipes[1], 1);
    dup2(pipes[1], 2);
    close(pipes[0]);
    int code = pmon_main(argc, argv);
    fflush(NULL);
    _exit(control() != before ? 200 + code : prctls > MOST_PRCTLS ? 100 + code : code);
  }
  close(pipes[1]);
  size_t n = 0;
  for (ssize_t k; (k = read(pipes[0], output + n, sizeof output - 1 - n)) > 0;)
    n += (size_t)k;
  output[n] = 0;
  close(pipes[0]);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect(const char *line, int code, const char *text)
{
  int got = run(line);
  if (got != code || !strstr(output, text))
    fail_msg("pmon %s: %d, \"%s\" expected in:\n%s", line, got, text, output);
}

static void test_stat_on_the_registers(void **state)
{
  (void)state;
  begin();
  expect("stat -p emr --backend direct --json -e cha/CLOCKTICKS/,upi/CLOCKTICKS/ -- true", 0, "\"backend\":\"direct\"");
  expect("stat -p emr --backend direct -I 1 -e cha/CLOCKTICKS/ -- find /usr/include -name pmon", 0, "CLOCKTICKS");
  expect("stat -p emr --backend direct -e cha/CLOCKTICKS/ -- false", 1, "ended with status 1");
  expect("stat -p emr --backend direct -e cha/CLOCKTICKS/ -- /nonexistent/x", 1, "No such file");
  tree_end(&tree);
}

/* Controls are looked at each second, and at the end: what was told of an interval before that may be of another event. */
static void test_a_change_that_is_found_late_is_told(void **state)
{
  (void)state;
  const struct pmon_address msr = {.space = PMON_SPACE_MSR, .width_bits = 64};
  begin();
  tree.other.when = tree.other.what = msr;
  tree.other.when.offset = 0x2008;                     /* CHA 0's counter 0: saved, then read once for each interval */
  tree.other.what.offset = 0x2002;                     /* and its control */
  tree.other.value = 0x400135;
  tree.other.reads = 2;
  expect("stat -p emr --backend direct -I 1 -o /dev/null -e cha/CLOCKTICKS/ -- find /usr/include -name pmon", 0,
         "somebody else changed 1 control registers after ");
  assert_non_null(strstr(output, "--verify 0"));
  tree_end(&tree);
}

/* The kernel's PMUs beside the registers, without the unit `none`. */
static void begin_kernel(const char *none)
{
  static struct pmon_context *context;
  const struct pmon_platform *platform;
  begin();
  pmon_context_free(context);
  assert_int_equal(pmon_context_new(&context), 0);
  assert_int_equal(pmon_platform_find(context, "emr", &platform), 0);
  kernel_make(&tree, platform, none);
}

static void test_stat_through_linux_perf(void **state)
{
  (void)state;
  begin_kernel("m2m");
  expect("stat -p emr --backend perf --json -e cha/CLOCKTICKS/,upi/CLOCKTICKS/ -- true", 0, "\"backend\":\"perf\"");
  expect("stat -p emr --backend perf -e cha/CLOCKTICKS/,m2m/CLOCKTICKS/ -- true", 0, "cannot be read");
  expect("stat -p emr --backend perf -e m2m/CLOCKTICKS/ -- true", 3, "no PMU uncore_m2m");
  expect("stat -p emr --backend perf --dry-run -e cha/CLOCKTICKS/ -- true", 2, "--backend direct");
  expect("stat -p emr --backend perf --every 5,cha/CLOCKTICKS/ -- true", 2, "overflow");
  expect("doctor", 0, "the kernel has no PMU for uncore_m2m:");
  tree_end(&tree);
  begin();
  expect("stat -p emr --backend perf -e cha/CLOCKTICKS/ -- true", 3, "modprobe intel_uncore");
  expect("doctor", 0, "the kernel has no uncore PMUs");
  tree_end(&tree);
}

static void test_the_kernels_own_names(void **state)
{
  (void)state;
  begin_kernel(NULL);
  tree_file(&tree, "sys/bus/event_source/devices/uncore_upi_0/events/some_data", "event=0x02,umask=0x0f");
  tree_file(&tree, "sys/bus/event_source/devices/uncore_upi_0/events/some_data.scale", "0.25\n");
  tree_file(&tree, "sys/bus/event_source/devices/uncore_upi_0/events/some_data.unit", "MiB\n");
  tree_file(&tree, "sys/bus/event_source/devices/uncore_cha_0/events/clockticks", "event=0x01");
  expect("stat -p emr --backend perf --csv -e uncore_upi_0/some_data/,uncore_cha/clockticks/ -- true", 0,
         ",upi0/TxL_FLITS.ALL_DATA/,0,upi,,,MiB,");
  assert_non_null(strstr(output, ",cha/CLOCKTICKS/,0,cha,,"));
  expect("stat -p emr --backend direct --csv -e uncore_upi_0/some_data,thresh=1/ -- true", 0,
         "\"upi0/TxL_FLITS.ALL_DATA,thresh=0x1/\",0,upi,,0,MiB,");
  expect("stat -p emr --backend direct --csv -e uncore_upi_0/no_data/ -- true", 2, "no_data");
  tree_end(&tree);
}

static void test_one_door_alone(void **state)
{
  (void)state;
  begin();
  expect("stat -p emr --backend msr --json -e cha/CLOCKTICKS/ -- true", 0, "\"backend\":\"msr\"");
  expect("stat -p emr --backend pci -e cha/CLOCKTICKS/ -- true", 3, "is there");
  expect("stat -p emr --backend pci -e upi/CLOCKTICKS/ -- true", 0, "upi/CLOCKTICKS/");
  expect("stat -p emr --backend replay -e upi/CLOCKTICKS/ -- true", 2, "--replay FILE");
  expect("stat -p emr --backend other -e upi/CLOCKTICKS/ -- true", 2, "perf, direct, msr, pci, mmio, machine, replay");
  tree_end(&tree);
}

static void test_a_dry_run_writes_nothing(void **state)
{
  (void)state;
  begin();
  expect("stat -p emr --backend direct --dry-run -e cha/CLOCKTICKS/ -- touch /nonexistent/x", 0,
         "write 0 msr 0x2002 64 0x1\n");
  assert_null(strstr(output, "nonexistent"));
  tree_end(&tree);
}

static void test_packages_that_come_and_go(void **state)
{
  (void)state;
  char line[300];
  begin();
  tree_file(&tree, "new/online", "0-1,4\n");
  tree_file(&tree, "sys/devices/system/cpu/cpu4/topology/physical_package_id", "2\n");
  snprintf(line, sizeof line, "stat -p emr --backend direct -e cha/CLOCKTICKS/ -- cp %s/new/online "
           "%s/devices/system/cpu/online", tree.root, tree.sys);
  expect(line, 0, "package 2 came online while it was measured: nothing of it is counted; measure again\n");
  assert_non_null(strstr(output, "package 1 went offline while it was measured\n"));
  tree_end(&tree);
}

static void test_somebody_elses_counters_are_not_taken(void **state)
{
  (void)state;
  const struct pmon_address a = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x2002};
  begin();
  assert_int_equal(machine_write(tree.machine, &a, 0x150), 0);
  expect("stat -p emr --backend direct -e cha/CLOCKTICKS/ -- true", 1, "--force");
  assert_null(strstr(output, "--backend perf"));
  tree_file(&tree, "sys/bus/event_source/devices/uncore_cha_0/type", "20\n");
  expect("stat -p emr --backend direct -e cha/CLOCKTICKS/ -- true", 1, "measure through it with --backend perf");
  tree_file(&tree, "sys/bus/event_source/devices/uncore_cha_0/type", NULL);
  char folder[160];
  snprintf(folder, sizeof folder, "%s/bus/event_source/devices/uncore_cha_0", tree.sys);
  assert_int_equal(rmdir(folder), 0);
  assert_non_null(strstr(output, "msr 0x2002) holds 0x150: "));
  expect("stat -p emr --backend direct --force -e cha/CLOCKTICKS/ -- true", 0, "CLOCKTICKS");
  expect("doctor", 3, "is programmed by somebody");
  tree_end(&tree);
}

static void test_doctor_finds_each_cause(void **state)
{
  (void)state;
  static const struct { const char *file, *text, *expect; } cases[] = {
    {"sys/kernel/security/lockdown", "none [integrity] confidentiality\n", "locked down"},
    {"dev/cpu/0/msr", NULL, "modprobe msr"},
    {"dev/mem", NULL, "/mem"},
    {"sys/bus/pci/devices/0000:67:03.1/resource0", "", "discovery"},
    {"sys/devices/system/cpu/online", "0-3\n", "nothing keeps"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    begin();
    tree_file(&tree, cases[i].file, cases[i].text);
    if (i == 3)                /* a page of another length: its words are in memory, which has none there */
      expect("doctor", 3, "discovery page");
    else
      expect("doctor", i == 4 ? 0 : 3, cases[i].expect);
    tree_end(&tree);
  }
}

static void test_doctor_looks_at_registers(void **state)
{
  (void)state;
  /* The later processor's freeze bits cannot be read; the earlier one's can. */
  const struct pmon_address box = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0xd04};
  tree_make(&tree, "snbep", NULL);
  tree_file(&tree, "proc/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 45\nstepping\t: 7\n");
  assert_int_equal(machine_write(tree.machine, &box, 0x10100), 0);
  expect("doctor", 3, "is frozen");
  tree_end(&tree);
  begin();
  tree_file(&tree, "sys/bus/event_source/devices/uncore_cha_0/type", "20\n");
  tree_file(&tree, "proc/sys/kernel/perf_event_paranoid", "2\n");
  expect("doctor", 3, "perf_event_paranoid");
  assert_non_null(strstr(output, "1 uncore PMUs"));
  tree_file(&tree, "proc/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\nstepping\t: 2\n"
            "flags\t\t: fpu hypervisor sse\n");
  expect("doctor", 3, "virtual machine");
  tree_end(&tree);
}

static void test_doctor_tells_what_firmware_hides(void **state)
{
  (void)state;
  begin();
  tree_file(&tree, "sys/bus/pci/devices/0000:7e:01.1/config", NULL);
  expect("doctor", 3, "! upi (package 0): none of its 4 PCI functions is there: the firmware hides them");
  assert_null(strstr(output, "upi (package 1)"));
  tree_end(&tree);
}

static void test_doctor_tells_wrong_reading_cpus(void **state)
{
  (void)state;
  begin();
  tree_file(&tree, "sys/bus/event_source/devices/uncore_cha_0/cpumask", "0,2\n");
  tree_file(&tree, "proc/sys/kernel/nmi_watchdog", "1\n");
  expect("doctor", 0, "nothing keeps");
  assert_non_null(strstr(output, "the NMI watchdog holds"));
  tree_file(&tree, "sys/bus/event_source/devices/uncore_cha_0/cpumask", "0-1\n");
  expect("doctor", 3, "uncore_cha_0 is read on CPUs 0-1, which are of 1 of 2 packages: the wrong CPUs");
  tree_file(&tree, "sys/bus/event_source/devices/uncore_cha_0/cpumask", "0,2\n");
  tree_file(&tree, "sys/devices/system/cpu/online", "0-1,3\n");
  expect("doctor", 3, "which are of 1 of 2 packages");
  tree_end(&tree);
}

/* One line for all registers in the same state, and the state of a unit that is off: from a capture. */
static void test_doctor_on_a_capture(void **state)
{
  (void)state;
  static const char text[] =
    "pmon-capture 1\nplatform emr\npackage 0 id 0 cpu 0 online 2\n"
    "unit 0 cha 0\nmsr 0x2000 64 0xffffffffffffffff UNIT_CTL\nmsr 0x2002 64 0x150 CTL\nmsr 0x2003 64 0x151 CTL\n"
    "unit 0 cha 1\nmsr 0x2012 64 0x152 CTL\n";
  char line[160];
  begin();
  tree_file(&tree, "capture.txt", text);
  snprintf(line, sizeof line, "doctor --replay %s/capture.txt", tree.root);
  expect(line, 3, "! Cn_MSR_PMON_UNIT_CTL (instance 0, package 0): reads all ones: the unit is powered down");
  assert_non_null(strstr(output, "! Cn_MSR_PMON_CTL0 (instance 0, package 0) and 2 more: is programmed by somebody"));
  tree_file(&tree, "capture.txt", "pmon-capture 1\nunit 0 cha 0\n");
  expect(line, 2, "line 2: expected the number of a package that was told before, not '0'");
  tree_end(&tree);
}

static void test_captures_through_the_command(void **state)
{
  (void)state;
  char line[200], path[100];
  begin();
  snprintf(path, sizeof path, "%s/capture.txt", tree.root);
  snprintf(line, sizeof line, "capture -o %s", path);
  expect(line, 0, "");
  expect("capture -p emr", 0, "cpu GenuineIntel 6 207 2\npackage 0 id 0 cpu 0 online 2\npackage 1 id 1 cpu 2 online 2\n");
  static char first[sizeof output];
  snprintf(line, sizeof line, "capture --replay %s", path);
  expect(line, 0, "function 1 30:1.1 0x8086 0x3241");
  strcpy(first, output);
  expect("capture", 0, "function 1 30:1.1 0x8086 0x3241");
  assert_string_equal(first, output);
  snprintf(line, sizeof line, "discover --replay %s", path);
  expect(line, 0, "cha: 2 in the page, 64 in the tables");
  snprintf(line, sizeof line, "doctor --replay %s", path);
  expect(line, 0, "nothing keeps");
  snprintf(line, sizeof line, "capture --capture %s", path);
  expect(line, 0, "pmon-capture 1");
  assert_null(strstr(output, "not as captured"));
  assert_non_null(strstr(output, "unit 1 cha 1\n"));
  assert_null(strstr(output, "unit 1 cha 2\n"));
  snprintf(line, sizeof line, "stat --replay %s -e cha/CLOCKTICKS/", path);
  expect(line, 0, "emr on capture, 2 sockets");
  snprintf(line, sizeof line, "stat -p snbep --replay %s -e cbo/CLOCKTICKS/", path);
  expect(line, 2, "is a capture of platform emr: -p emr");
  tree_end(&tree);
}

/* Names from an event file for a platform that numbers its units; what it has no unit for is left out, and told. */
static void name_the_units(void)
{
  char line[300];
  tree_file(&tree, "events.json",
            "[{\"Unit\":\"CHA\",\"EventName\":\"UNC_CHA_CLOCKTICKS\",\"EventCode\":\"0x01\",\"UMask\":\"0x00\",\"Counter\":\"0,1,2,3\"},"
            "{\"Unit\":\"CHA\",\"EventName\":\"UNC_CHA_TOR_INSERTS.IA\",\"EventCode\":\"0x35\",\"UMask\":\"0x01\","
            "\"UMaskExt\":\"0xC001FF\",\"Counter\":\"0,1,2,3\"},"
            "{\"Unit\":\"UPI LL\",\"EventName\":\"UNC_UPI_CLOCKTICKS\",\"EventCode\":\"0x01\",\"UMask\":\"0x00\",\"Counter\":\"0\"},"
            "{\"Unit\":\"XYZ\",\"EventName\":\"UNC_XYZ_CLOCKTICKS\",\"EventCode\":\"0x01\",\"UMask\":\"0x00\",\"Counter\":\"0\"}]");
  snprintf(line, sizeof line, "import %s/events.json --as %s/mine.platform --name named -o %s", tree.root, tree.root,
           tree.root);
  expect(line, 0, "named.platform: 3 events, 1 left out, registers as of mine");
  assert_non_null(strstr(output, "object 4 (UNC_XYZ_CLOCKTICKS): the platform has no unit \"XYZ\""));
  snprintf(line, sizeof line, "stat -p %s/named.platform --backend direct --dry-run -e UNC_CHA_TOR_INSERTS.IA -- true", tree.root);
  expect(line, 0, "write 1 msr 0x2012 64 0xc001ff00000135\n");
  snprintf(line, sizeof line, "stat -p %s/named.platform --backend direct --csv -e cha1/CLOCKTICKS/ -- true", tree.root);
  expect(line, 0, "CLOCKTICKS/,0,type0,");
  snprintf(line, sizeof line, "import %s/events.json --as %s/other.platform -o %s", tree.root, tree.root, tree.root);
  expect(line, 1, "other.platform");
}

/* A processor that nobody has facts about: its page becomes a platform, and raw events are measured on it. */
static void test_a_processor_without_facts(void **state)
{
  (void)state;
  char line[300];
  begin();
  tree_file(&tree, "proc/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 250\nstepping\t: 1\n");
  snprintf(line, sizeof line, "discover -o %s/mine.platform", tree.root);
  expect(line, 0, "cha");
  /* Units in configuration space, on the system's buses: UPI of both packages, 7eh and feh. */
  snprintf(line, sizeof line, "stat -p %s/mine.platform --backend direct --dry-run -e type8/config=0x1/ -- true", tree.root);
  expect(line, 0, "write 0 pci 382:1.1 0x");
  assert_non_null(strstr(output, "write 1 pci 382:1.1 0x"));
  snprintf(line, sizeof line, "stat -p %s/mine.platform --backend direct --dry-run -e type0/config=0x1/ -- true", tree.root);
  expect(line, 0, "write 1 msr 0x2012 64 0x1\n");
  snprintf(line, sizeof line, "stat -p %s/mine.platform --backend direct --per-unit -e type0/config=0x1/ -- true", tree.root);
  expect(line, 0, "direct, 2 sockets");
  snprintf(line, sizeof line, "capture -p %s/mine.platform", tree.root);
  expect(line, 0, "platform mine\ncpu GenuineIntel 6 250 1\n");
  assert_non_null(strstr(output, "unit 1 type0 1\n"));
  name_the_units();
  tree_end(&tree);
}

static void test_nothing_here(void **state)
{
  static const char *const doors[] = {"direct", "msr", "pci", "mmio", "perf"};
  char line[200];
  (void)state;
  begin();
  tree_file(&tree, "proc/cpuinfo", "vendor_id\t: GenuineOther\ncpu family\t: 6\nmodel\t\t: 1\nstepping\t: 1\n");
  expect("doctor", 3, "pmon stat --backend machine");
  assert_ptr_equal(strchr(output, '\n'), output + strlen(output) - 1);       /* one sentence */
  tree_file(&tree, "none/proc/cpuinfo", "vendor_id\t: GenuineOther\ncpu family\t: 6\nmodel\t\t: 1\nstepping\t: 1\n");
  for (size_t i = 0; i < sizeof doors / sizeof *doors; i++) {
    snprintf(line, sizeof line, "stat --root %s/none --backend %s -e cha/CLOCKTICKS/ -- true", tree.root, doors[i]);
    expect(line, 3, "pmon stat: this computer has no uncore counters that can be reached here; the emulated machine "
           "measures the same events: pmon stat --backend machine -- COMMAND\n");
    assert_ptr_equal(strchr(output, '\n'), output + strlen(output) - 1);
  }
  /* Without a word on what counts, the machine does, which is told; with one, it is not. */
  snprintf(line, sizeof line, "stat --root %s/none -e cha/CLOCKTICKS/ -- true", tree.root);
  run(line);
  assert_non_null(strstr(output, "pmon stat: this computer has no uncore counters that can be reached here: this is "
                         "measured on the emulated machine"));
  snprintf(line, sizeof line, "stat --root %s/none --backend machine -e cha/CLOCKTICKS/ -- true", tree.root);
  run(line);
  assert_null(strstr(output, "this computer"));
  tree_end(&tree);
}

static void test_discover_through_the_doors(void **state)
{
  (void)state;
  begin();
  expect("discover -p emr", 0, "cha: 2 in the page, 64 in the tables");
  assert_non_null(strstr(output, "mmio  4 counters of 48 bits, the first at 0xe8022800"));
  tree_end(&tree);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_stat_on_the_registers),
    cmocka_unit_test(test_a_change_that_is_found_late_is_told), cmocka_unit_test(test_stat_through_linux_perf),
    cmocka_unit_test(test_one_door_alone), cmocka_unit_test(test_the_kernels_own_names),
    cmocka_unit_test(test_a_dry_run_writes_nothing),
    cmocka_unit_test(test_packages_that_come_and_go),
    cmocka_unit_test(test_somebody_elses_counters_are_not_taken), cmocka_unit_test(test_doctor_finds_each_cause),
    cmocka_unit_test(test_doctor_looks_at_registers), cmocka_unit_test(test_doctor_tells_what_firmware_hides),
    cmocka_unit_test(test_doctor_tells_wrong_reading_cpus), cmocka_unit_test(test_doctor_on_a_capture),
    cmocka_unit_test(test_captures_through_the_command),
    cmocka_unit_test(test_a_processor_without_facts), cmocka_unit_test(test_nothing_here),
    cmocka_unit_test(test_discover_through_the_doors),
  };
  return cmocka_run_group_tests_name("commands", tests, NULL, NULL);
}

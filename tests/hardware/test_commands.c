/* SPDX-License-Identifier: MIT */
/* `pmon stat`, `capture` and `discover` on a system that is a tree of files backed by the machine. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/hardware/command.h"

static void test_stat_on_the_registers(void **state)
{
  (void)state;
  begin();
  expect("stat -p emr --backend direct --json -e cha/CLOCKTICKS/,upi/CLOCKTICKS/ -- true", NO_VALUE,
         "\"backend\":\"direct\"");
  expect("stat -p emr --backend direct -I 1 -e cha/CLOCKTICKS/ -- true", NO_VALUE, "CLOCKTICKS");
  expect("stat -p emr --backend direct --json -e cha/CLOCKTICKS/ -- true", NO_VALUE, "\"host\":\"");
  expect("stat -p emr --backend direct --json -e cha/CLOCKTICKS/ -- true", NO_VALUE, "\"time\":1");
  expect("stat -p emr --backend direct -e cha/CLOCKTICKS/ -- false", 1, "exited with status 1");
  expect("stat -p emr --backend direct --exit-code -e cha/CLOCKTICKS/ -- grep -q none /nonexistent/x", 2,
         "exited with status 2");
  expect("stat -p emr --backend direct -e cha/CLOCKTICKS/ -- /nonexistent/x", 1, "No such file");
  tree_end(&tree);
}

/* The host's clock starts at its boot; reported times begin at 0 nevertheless, also in a recording. */
static void test_intervals_begin_with_the_measurement(void **state)
{
  char line[300], path[160];
  double begin_s = -1, end_s = -1, seconds = -1;
  (void)state;
  begin();
  snprintf(path, sizeof path, "%s/recorded", tree.root);
  snprintf(line, sizeof line, "stat -p emr --backend direct -I 60000 --csv --record %s -e cha/CLOCKTICKS/ -- true",
           path);
  for (int recorded = 0; recorded < 2; recorded++) {
    expect(line, recorded ? 0 : NO_VALUE, "begin_seconds");
    const char *row = strchr(output, '\n');
    assert_true(row && sscanf(row, "%lf,%lf,%lf", &begin_s, &end_s, &seconds) == 3);
    assert_true(begin_s >= 0 && begin_s < 1e-9 && end_s > 0 && end_s - seconds < 1e-6 && seconds - end_s < 1e-6);
    snprintf(line, sizeof line, "report -I --csv %s", path);
  }
  tree_end(&tree);
}

/* Controls are checked each second, and at the end: values already reported for an earlier interval may be of another
 * event. */
static void test_a_change_found_late_is_reported(void **state)
{
  (void)state;
  const struct pmon_address msr = {.space = PMON_SPACE_MSR, .width_bits = 64};
  char fifo[256], line[400];
  begin();
  tree.other.when = tree.other.what = msr;
  tree.other.when.offset = 0x2008; /* CHA 0's counter 0: saved, then read once for each interval */
  tree.other.what.offset = 0x2002; /* and its control */
  tree.other.value = 0x400135;
  tree.other.reads = 2;
  tree.other.notify = "go"; /* so that the program ends after the first interval */
  snprintf(fifo, sizeof fifo, "%s/go", tree.root);
  assert_int_equal(mkfifo(fifo, 0600), 0);
  /* The controls are not checked in between, however long the run takes. */
  snprintf(line, sizeof line,
           "stat -p emr --backend direct -I 1 --verify 3600000 -o /dev/null -e cha/CLOCKTICKS/ -- cat %s", fifo);
  expect(line, NO_VALUE, "another program changed the control or filter registers of 1 counter after ");
  assert_non_null(strstr(output, "--verify 0"));
  tree_end(&tree);
}

static void test_stat_through_linux_perf(void **state)
{
  char line[300];
  (void)state;
  begin_kernel("m2m");
  kernel.host_time = true;
  expect("stat -p emr --backend perf --json -e cha/TOR_INSERTS.IA/,upi/TxL_FLITS.ALL_DATA/ -- true", 0,
         "\"backend\":\"perf\"");
  expect("stat -p emr --backend perf -e cha/TOR_INSERTS.IA/,m2m/CLOCKTICKS/ -- true", 0,
         "the counter cannot be read: the kernel has no PMU uncore_m2m");
  expect("stat -p emr --backend msr -e cha/CLOCKTICKS/,upi/CLOCKTICKS/ -- true", NO_VALUE,
         "the counter cannot be read: registers of pci need another access method than msr\n");
  expect("stat -p emr --backend perf -e m2m/CLOCKTICKS/ -- true", 3, "no PMU uncore_m2m");
  expect("stat -p emr --backend perf --dry-run -e cha/CLOCKTICKS/ -- true", 2, "--backend direct");
  expect("stat -p emr --backend perf --every 5,cha/CLOCKTICKS/ -- true", 2, "overflow");
  expect("doctor", 0, "the kernel has no PMU for uncore_m2m:");
  tree_end(&tree);
  begin();
  expect("stat -p emr --backend perf -e cha/CLOCKTICKS/ -- true", 3, "modprobe intel_uncore");
  expect("doctor", 0, "the kernel has no uncore PMUs");
  tree_file(&tree, "dev/mem", NULL); /* the whole clauses that fit */
  expect("stat -p emr --backend direct -e cha/CLOCKTICKS/,imc/CAS_COUNT.RD/ -- true", NO_VALUE,
         "dev/mem: No such file or directory\n");
  snprintf(line, sizeof line, "stat -p emr --backend direct --log %s/log -e cha/CLOCKTICKS/,imc/CAS_COUNT.RD/ -- true",
           tree.root);
  expect(line, NO_VALUE, "the counter cannot be read");
  snprintf(line, sizeof line, "stat -p emr --replay %s/log -e cha/CLOCKTICKS/,imc/CAS_COUNT.RD/", tree.root);
  expect(line, NO_VALUE, "the counter cannot be read: it failed when the log was made");
  tree_end(&tree);
}

static void test_kernel_pmu_names(void **state)
{
  (void)state;
  begin_kernel(NULL);
  kernel.host_time = true;
  tree_file(&tree, "sys/bus/event_source/devices/uncore_upi_0/events/some_data", "event=0x02,umask=0x0f");
  tree_file(&tree, "sys/bus/event_source/devices/uncore_upi_0/events/some_data.scale", "0.25\n");
  tree_file(&tree, "sys/bus/event_source/devices/uncore_upi_0/events/some_data.unit", "MiB\n");
  tree_file(&tree, "sys/bus/event_source/devices/uncore_cha_0/events/clockticks", "event=0x01");
  expect("stat -p emr --backend perf --csv -e uncore_upi_0/some_data/,uncore_cha/clockticks/ -- true", 0,
         ",upi0/TxL_FLITS.ALL_DATA/,0,upi,,0,MiB,");
  assert_non_null(strstr(output, ",cha/CLOCKTICKS/,0,cha,,"));
  expect("stat -p emr --backend direct --csv -e uncore_upi_0/some_data,thresh=1/ -- true", 0,
         "\"upi0/TxL_FLITS.ALL_DATA,thresh=0x1/\",0,upi,,0,MiB,");
  expect("stat -p emr --backend direct --csv -e uncore_upi_0/no_data/ -- true", 2, "no_data");
  tree_end(&tree);
}

static void test_one_access_method_alone(void **state)
{
  (void)state;
  begin();
  expect("stat -p emr --backend msr --json -e cha/CLOCKTICKS/ -- true", NO_VALUE, "\"backend\":\"msr\"");
  expect("stat -p emr --backend pci -e cha/CLOCKTICKS/ -- true", 3, "units exists");
  expect("stat -p emr --backend pci -e upi/CLOCKTICKS/ -- true", NO_VALUE, "upi/CLOCKTICKS/");
  expect("stat -p emr --backend replay -e upi/CLOCKTICKS/ -- true", 2, "--replay FILE");
  expect("stat -p emr --backend other -e upi/CLOCKTICKS/ -- true", 2,
         "perf, direct, msr, pci, mmio, resctrl, machine or replay");
  tree_end(&tree);
}

static void test_a_dry_run_writes_nothing(void **state)
{
  (void)state;
  begin();
  expect("stat -p emr --backend direct --dry-run -e cha/CLOCKTICKS/ -- touch /nonexistent/x", 0,
         "write 0 msr 0x2002 64 0x1                       # cha0 Cn_MSR_PMON_CTL0\n");
  expect("stat -p emr --backend direct --dry-run -e cha0/TOR_OCCUPANCY.IA/,cha0/TOR_OCCUPANCY.IA_MISS/ -- true", 0,
         "# round 2 of 2: cha0/TOR_OCCUPANCY.IA_MISS/\n"
         "write 0 msr 0x2002 64 0xc001fe00000136          # cha0 Cn_MSR_PMON_CTL0\n");
  assert_null(strstr(output, "nonexistent"));
  tree_end(&tree);
}

/* Reported when the measurement ends, by itself or by a signal, whatever the events. */
static void test_packages_go_online_and_offline(void **state)
{
  static const struct {
    const char *backend, *after;
    int code;
  } cases[] = {{"direct", "", NO_VALUE},
               {"perf", "", NO_VALUE},
               {"direct -I 1 -o /dev/null", "kill -INT $PPID\nexec tail -f /dev/null\n", 130}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char line[300];
    begin_kernel(NULL);
    kernel.host_time = true;
    tree_file(&tree, "new/online", "0-1,4\n");
    tree_file(&tree, "sys/devices/system/cpu/cpu4/topology/physical_package_id", "2\n");
    snprintf(line, sizeof line, "cp %s/new/online %s/devices/system/cpu/online\n%s", tree.root, tree.sys,
             cases[i].after);
    tree_file(&tree, "go.sh", line);
    snprintf(line, sizeof line, "stat -p emr --backend %s -e cha/CLOCKTICKS/ -- sh %s/go.sh", cases[i].backend,
             tree.root);
    expect(line, cases[i].code,
           "package 2 came online during the measurement and is not counted; measure "
           "again\n");
    assert_non_null(strstr(output, "package 1 went offline during the measurement\n"));
    assert_true(i < 2 || strstr(output, "signal 2: stopped"));
    tree_end(&tree);
  }
}

/* The environment of the measured command: no capability is left, and none can be regained. */
static void test_privileges_are_gone_when_the_command_runs(void **state)
{
  char line[200];
  (void)state;
  begin();
  tree_file(&tree, "go.sh", "grep -E '^(Cap...|NoNewPrivs|Uid):' /proc/$PPID/status\n");
  snprintf(line, sizeof line, "stat -p emr --backend direct -e cha/CLOCKTICKS/ -- sh %s/go.sh", tree.root);
  expect(line, NO_VALUE, "CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n");
  assert_non_null(strstr(output, "CapInh:\t0000000000000000\n"));
  assert_non_null(strstr(output, "CapAmb:\t0000000000000000\n"));
  assert_non_null(strstr(output, "NoNewPrivs:\t1\n"));
  tree_end(&tree);
}

static void test_counters_in_use_are_not_overwritten(void **state)
{
  (void)state;
  const struct pmon_address a = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x2002};
  begin();
  assert_int_equal(machine_write(tree.machine, &a, 0x150), 0);
  expect("stat -p emr --backend direct -e cha/CLOCKTICKS/ -- true", 3, "--force");
  assert_null(strstr(output, "--backend perf"));
  tree_file(&tree, "sys/bus/event_source/devices/uncore_cha_0/type", "20\n");
  expect("stat -p emr --backend direct -e cha/CLOCKTICKS/ -- true", 3, "use --backend perf");
  tree_file(&tree, "sys/bus/event_source/devices/uncore_cha_0/type", NULL);
  char folder[160];
  snprintf(folder, sizeof folder, "%s/bus/event_source/devices/uncore_cha_0", tree.sys);
  assert_int_equal(rmdir(folder), 0);
  assert_non_null(strstr(output, "msr 0x2002) holds 0x150: "));
  expect("stat -p emr --backend direct --force -e cha/CLOCKTICKS/ -- true", NO_VALUE, "CLOCKTICKS");
  expect("doctor", 3, "is programmed by another program");
  tree_end(&tree);
}

/* A filter that another user left set is reported, is cleared during the measurement, and restored after it. */
static void test_a_left_over_filter_is_reported(void **state)
{
  (void)state;
  const struct pmon_address a = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x200e};
  uint64_t value = 0;
  begin();
  assert_int_equal(machine_write(tree.machine, &a, 0x1ff), 0);
  expect("stat -p emr --backend direct -e cha/CLOCKTICKS/ -- true", NO_VALUE, "had the filter value 0x1ff");
  assert_non_null(strstr(output, "1 filter register let everything pass during the measurement and is restored"));
  assert_int_equal(machine_read(tree.machine, &a, &value), 0);
  assert_int_equal(value, 0x1ff);
  tree_end(&tree);
}

/* Only lines of the kinds and with the words in docs/capture.md; nothing about the host or its user. */
static void test_only_pmon_registers_are_captured(void **state)
{
  static const char *const kinds[] = {"pmon-capture 2",
                                      "# ",
                                      "platform emr",
                                      "cpu GenuineIntel 6 207 2",
                                      "package ",
                                      "function ",
                                      "page ",
                                      "words ",
                                      "unit ",
                                      "  msr 0x",
                                      "  pci ",
                                      "  mmio ",
                                      "end "};
  char host[65] = "", line[200], *save = NULL;
  (void)state;
  begin();
  snprintf(line, sizeof line, "capture -o %s/capture.txt", tree.root);
  expect(line, 0, "");
  assert_string_equal(output, "");
  expect("capture", 0, "pmon-capture 2\n");
  assert_int_equal(gethostname(host, sizeof host - 1), 0);
  assert_null(strstr(output, tree.root));
  assert_true(strlen(host) < 3 || !strstr(output, host));
  for (char *l = strtok_r(output, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
    size_t k = 0;
    while (k < sizeof kinds / sizeof *kinds && strncmp(l, kinds[k], strlen(kinds[k])))
      k++;
    if (k == sizeof kinds / sizeof *kinds || (*l != '#' && strchr(l, '/')))
      fail_msg("a line of another kind: %s", l);
  }
  tree_end(&tree);
}

static void test_capture_command(void **state)
{
  (void)state;
  char line[200], path[100];
  begin();
  snprintf(path, sizeof path, "%s/capture.txt", tree.root);
  snprintf(line, sizeof line, "capture -o %s", path);
  expect(line, 0, "");
  expect("capture -p emr", 0,
         "cpu GenuineIntel 6 207 2\npackage 0 id 0 cpu 0 online 2\npackage 1 id 1 cpu 2 "
         "online 2\n");
  static char first[sizeof output];
  snprintf(line, sizeof line, "capture --replay %s", path);
  expect(line, 0, "function 1 30:1.1 0x8086 0x3241");
  strcpy(first, output);
  expect("capture", 0, "function 1 30:1.1 0x8086 0x3241");
  assert_string_equal(first, output);
  snprintf(line, sizeof line, "discover --replay %s", path);
  expect(line, 0, "cha: 2 in the page, 64 in the tables");
  snprintf(line, sizeof line, "doctor --replay %s", path);
  expect(line, 0, "all counters are available");
  snprintf(line, sizeof line, "capture --capture %s", path);
  expect(line, 0, "pmon-capture 2");
  assert_null(strstr(output, "differs from the capture"));
  assert_non_null(strstr(output, "unit 1 cha 1\n"));
  assert_null(strstr(output, "unit 1 cha 2\n"));
  snprintf(line, sizeof line, "stat --replay %s -e cha/CLOCKTICKS/", path);
  expect(line, NO_VALUE, "emr on capture, 2 sockets");
  snprintf(line, sizeof line, "stat -p snbep --replay %s -e cbo/CLOCKTICKS/", path);
  expect(line, 2, "the capture is of platform emr; add -p emr");
  tree_end(&tree);
}

/* Registers are read by name from the system below --root; the positions of blocks are those of its page. */
static void test_decode_reads_registers(void **state)
{
  const struct pmon_address a = {.package = 1, .space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x2002};
  char line[200];
  (void)state;
  begin();
  assert_int_equal(machine_write(tree.machine, &a, 0x335), 0);
  expect("decode cha0.ctl0", 0, "socket 1\n  Cn_MSR_PMON_CTL0             msr 0x2002           = 0x0000000000000335\n");
  assert_non_null(strstr(output, "cha0/TOR_INSERTS"));
  expect("decode --json cha0.ctl0", 0, "\"package\":1,\"space\":\"msr\",\"address\":8194,\"value\":821,");
  expect("decode cha.ctl0", 0, "msr 0x2012 ");
  assert_null(strstr(output, "msr 0x2022 ")); /* the system has two */
  expect("decode 0x2ff2=0x4", 0, "positions of the system's discovery page\n");
  expect("decode -p snbep cbo0.ctl0", 3, "the system's processor is not of the platform; --replay FILE");
  expect("decode --root /nonexistent cha0.ctl0", 2, "--root /nonexistent: No such file or directory");
  snprintf(line, sizeof line, "decode --replay %s/capture.txt --root %s cha0.ctl0", tree.root, tree.root);
  expect(line, 2, "--replay cannot be combined with --root");
  tree_end(&tree);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_intervals_begin_with_the_measurement),
                                     cmocka_unit_test(test_stat_on_the_registers),
                                     cmocka_unit_test(test_a_change_found_late_is_reported),
                                     cmocka_unit_test(test_stat_through_linux_perf),
                                     cmocka_unit_test(test_one_access_method_alone),
                                     cmocka_unit_test(test_kernel_pmu_names),
                                     cmocka_unit_test(test_a_dry_run_writes_nothing),
                                     cmocka_unit_test(test_packages_go_online_and_offline),
                                     cmocka_unit_test(test_privileges_are_gone_when_the_command_runs),
                                     cmocka_unit_test(test_counters_in_use_are_not_overwritten),
                                     cmocka_unit_test(test_a_left_over_filter_is_reported),
                                     cmocka_unit_test(test_capture_command),
                                     cmocka_unit_test(test_decode_reads_registers),
                                     cmocka_unit_test(test_only_pmon_registers_are_captured)};
  return cmocka_run_group_tests_name("commands", tests, NULL, NULL);
}

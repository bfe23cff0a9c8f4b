/* SPDX-License-Identifier: MIT */
/* `pmon doctor`: each cause has a line with a remedy. */
#include "tests/hardware/command.h"
#include <unistd.h>
#include "cli/pmon.h"
#include "cli/target/hardware.h"

static void test_doctor_finds_each_cause(void **state)
{
  (void)state;
  static const struct {
    const char *file, *text, *cause, *remedy;
  } cases[] = {{"sys/kernel/security/lockdown", "none [integrity] confidentiality\n",
                "! the kernel is locked down: ", "lockdown=none"},
               {"dev/cpu/0/msr", NULL, "! model-specific registers: ", "modprobe msr"},
               {"dev/mem", NULL, "! imc (package 0): memory of package 0, ", "this needs CAP_SYS_RAWIO"},
               {"sys/devices/system/cpu/online", "0-3\n", "all counters are available", "counters are available"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    begin();
    tree_file(&tree, cases[i].file, cases[i].text);
    expect("doctor", i == 3 ? 0 : 3, cases[i].cause);
    assert_non_null(strstr(strstr(output, cases[i].cause), cases[i].remedy));
    tree_end(&tree);
  }
}

/* Overwrites quadword `word` of the first package's page. */
static void change_page(long word, uint64_t value)
{
  char path[160];
  snprintf(path, sizeof path, "%s/bus/pci/devices/0000:67:03.1/resource0", tree.sys);
  FILE *f = fopen(path, "r+");
  assert_true(f && !fseek(f, 8 * word, SEEK_SET) && fwrite(&value, sizeof value, 1, f) == 1 && !fclose(f));
}

/* One line per page, however many errors it has. */
static void test_doctor_on_broken_pages(void **state)
{
  (void)state;
  begin();
  change_page(9, 0x5000); /* CHA 0's address */
  expect("doctor", 3,
         "! discovery page of package 0: cha 0: address 0x5000 in the page, 0x2000 in the tables: pmon "
         "discover lists");
  assert_non_null(strstr(output, "pmon discover --repair FILE.platform writes"));
  change_page(17, 0x5010);
  expect("doctor", 3,
         "! discovery page of package 0: cha 0: address 0x5000 in the page, 0x2000 in the tables (and "
         "1 more): ");
  assert_null(strstr(output, "cha 1:"));
  change_page(0, UINT64_MAX);
  expect("doctor", 3, "! discovery page of package 0: there is no discovery page: it reads all ones");
  assert_non_null(strstr(output, "pmon uses the units of the tables only"));
  tree_end(&tree);
}

static void hide_everything(void)
{
  tree_file(&tree, "none/proc/cpuinfo",
            "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\nstepping\t: 2\n"
            "flags\t\t: fpu hypervisor sse\n");
}

/* A guest on a known processor that sees nothing of the uncore; and a guest that sees all of it. */
static void test_doctor_in_virtual_machines(void **state)
{
  char line[200];
  (void)state;
  begin();
  hide_everything();
  snprintf(line, sizeof line, "doctor --root %s/none", tree.root);
  expect(line, 3,
         "! this is a virtual machine: the hypervisor does not expose uncore counters; measure on the host, or with "
         "--backend machine\n");
  tree_file(&tree, "proc/cpuinfo",
            "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\nstepping\t: 2\n"
            "flags\t\t: fpu hypervisor sse\n");
  expect("doctor", 0, "this is a virtual machine: its counters may include the activity of other guests\n");
  tree_end(&tree);
}

static void test_doctor_looks_at_registers(void **state)
{
  (void)state;
  /* The E5-2600's freeze bits can be read; those of the later processor cannot. */
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
  tree_file(&tree, "proc/cpuinfo",
            "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\nstepping\t: 2\n"
            "flags\t\t: fpu hypervisor sse\n");
  expect("doctor", 3, "virtual machine");
  tree_end(&tree);
}

static void test_doctor_reports_hidden_devices(void **state)
{
  (void)state;
  begin();
  tree_file(&tree, "sys/bus/pci/devices/0000:7e:01.1/config", NULL);
  expect("doctor", 3, "! upi (package 0): none of its 4 PCI functions exists: the firmware hides them");
  assert_null(strstr(output, "upi (package 1)"));
  tree_end(&tree);
}

static void test_doctor_reports_wrong_reading_cpus(void **state)
{
  (void)state;
  begin();
  tree_file(&tree, "sys/bus/event_source/devices/uncore_cha_0/cpumask", "0,2\n");
  tree_file(&tree, "proc/sys/kernel/nmi_watchdog", "1\n");
  expect("doctor", 0, "all counters are available");
  assert_non_null(strstr(output, "the NMI watchdog uses"));
  tree_file(&tree, "sys/bus/event_source/devices/uncore_cha_0/cpumask", "0-1\n");
  expect("doctor", 3, "uncore_cha_0 is read on CPUs 0-1, which belong to only 1 of 2 packages: the other packages");
  tree_file(&tree, "sys/bus/event_source/devices/uncore_cha_0/cpumask", "0,2\n");
  tree_file(&tree, "sys/devices/system/cpu/online", "0-1,3\n");
  expect("doctor", 3, "which belong to only 1 of 2 packages");
  tree_end(&tree);
}

/* From a capture: one line for all registers in the same state, and the state of a unit that is off. */
static void test_doctor_on_a_capture(void **state)
{
  (void)state;
  static const char text[] =
      "pmon-capture 2\nplatform emr\npackage 0 id 0 cpu 0 online 2\n"
      "unit 0 cha 0\nmsr 0x2000 64 0xffffffffffffffff UNIT_CTL\nmsr 0x2002 64 0x150 CTL\nmsr 0x2003 64 0x151 CTL\n"
      "unit 0 cha 1\nmsr 0x2012 64 0x152 CTL\nend 4\n";
  char line[160];
  begin();
  tree_file(&tree, "capture.txt", text);
  snprintf(line, sizeof line, "doctor --replay %s/capture.txt", tree.root);
  expect(line, 3, "! Cn_MSR_PMON_UNIT_CTL (instance 0, package 0): reads all ones: the unit is powered down");
  assert_non_null(
      strstr(output, "! Cn_MSR_PMON_CTL0 (instance 0, package 0) and 2 more: is programmed by another program"));
  tree_file(&tree, "capture.txt", "pmon-capture 2\nunit 0 cha 0\n");
  expect(line, 2, "line 2: expected the number of an earlier package, not '0'");
  tree_end(&tree);
}

/* The E5-2600 has no registers in memory: no access method for them is reported missing. */
static void test_doctor_omits_an_access_method_without_registers(void **state)
{
  (void)state;
  tree_make(&tree, "snbep", NULL);
  tree_file(&tree, "proc/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 45\nstepping\t: 7\n");
  expect("doctor", 0, "all counters are available");
  assert_null(strstr(output, "/mem"));
  tree_end(&tree);
}

static void test_doctor_refuses_unknown_input(void **state)
{
  (void)state;
  begin();
  expect("doctor nonsense", 2, "nonsense: unexpected argument");
  expect("doctor -p nonsense", 2, "nonsense");
  tree_end(&tree);
}

static void only_sentence(const char *line, const char *text)
{
  expect(line, 3, text);
  assert_ptr_equal(strchr(output, '\n'), output + strlen(output) - 1);
}

static void test_nothing_here(void **state)
{
  static const char *const access_methods[] = {"direct", "msr", "pci", "mmio", "perf"};
  static const char cpu[] = "vendor_id\t: GenuineOther\ncpu family\t: 6\nmodel\t\t: 1\nstepping\t: 1\nflags\t: fpu "
                            "hypervisor\n";
  char line[200];
  (void)state;
  begin();
  tree_file(&tree, "none/proc/cpuinfo", cpu);
  snprintf(line, sizeof line, "doctor --root %s/none", tree.root);
  /* The first line names the processor: without its tables, nothing else on the host can help. */
  expect(line, 3,
         "this processor (GenuineOther, family 6, model 1, stepping 1) is not supported: pmon has tables for ");
  assert_int_equal(strncmp(output, "this processor (GenuineOther", 28), 0);
  expect(line, 3,
         "this virtual machine has no uncore counters: measure on its host, or measure the same events on "
         "the emulated machine: pmon stat --backend machine -- COMMAND\n");
  tree_file(&tree, "none/dev/cpu/0/msr", ""); /* registers, but none of the uncore */
  tree_file(&tree, "none/proc/cpuinfo", "vendor_id\t: GenuineOther\ncpu family\t: 6\nmodel\t\t: 1\nstepping\t: 1\n");
  expect(line, 3,
         "no uncore counters are accessible on this host; the emulated machine measures the same events: "
         "pmon stat --backend machine -- COMMAND\n");
  snprintf(line, sizeof line, "stat --root %s/none --backend msr -e cha/CLOCKTICKS/ -- true", tree.root);
  only_sentence(line, "pmon stat: no uncore counters are accessible");
  tree_file(&tree, "none/dev/cpu/0/msr", NULL);
  for (size_t i = 0; i < sizeof access_methods / sizeof *access_methods; i++) {
    snprintf(line, sizeof line, "stat --root %s/none --backend %s -e cha/CLOCKTICKS/ -- true", tree.root,
             access_methods[i]);
    expect(line, 3,
           "pmon stat: no uncore counters are accessible on this host; the emulated machine measures the same events: "
           "pmon stat --backend machine -- COMMAND\n");
    assert_ptr_equal(strchr(output, '\n'), output + strlen(output) - 1);
  }
  /* Without --backend the emulated machine is used, which is reported; with --backend machine it is not reported. */
  snprintf(line, sizeof line, "stat --root %s/none -e cha/CLOCKTICKS/ -- true", tree.root);
  run(line);
  assert_non_null(
      strstr(output, "pmon stat: warning: no uncore counters are accessible on this host: the values are EMULATED"));
  snprintf(line, sizeof line, "stat --root %s/none --backend machine -e cha/CLOCKTICKS/ -- true", tree.root);
  run(line);
  assert_null(strstr(output, "no uncore counters are accessible"));
  tree_end(&tree);
}

/* An E5-2600 host: the machine that is used instead is an E5-2600, too, and so are the facts. Facts and machine also
 * have one platform if the machine was selected. Not tested with a command: following one takes an emulator. */
static void test_machine_has_the_host_processor(void **state)
{
  static const struct {
    const char *options, *text;
  } cases[] = {{"-e cbo/CLOCKTICKS/", "EMULATED: snbep on pmon's snbep machine, 2 sockets"},
               {"", "EMULATED: snbep on pmon's snbep machine, 2 sockets"},
               {"--set cores=2 -e cbo/CLOCKTICKS/", "EMULATED: snbep on pmon's snbep machine, 2 sockets"},
               {"--preset emr -e cha/CLOCKTICKS/", "EMULATED: emr on pmon's emr machine, 2 sockets"},
               {"-p emr -e cha/CLOCKTICKS/", "EMULATED: emr on pmon's emr machine, 2 sockets"}};
  char line[300];
  (void)state;
  begin();
  tree_file(&tree, "none/proc/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 45\nstepping\t: 7\n");
  tree_file(&tree, "load", "thread 0 on core 0: stream read 64K stride 64\n");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    snprintf(line, sizeof line, "stat --root %s/none --scenario %s/load %s", tree.root, tree.root, cases[i].options);
    expect(line, 0, cases[i].text);
  }
  tree_end(&tree);
}

/* A measurement of a command that is impossible on the processor that it is for is refused; in a virtual machine, and
 * for another platform, it is emulated, with a warning. Selecting the machine gives no warning. */
static void test_emulation_is_not_a_measurement(void **state)
{
  static const struct {
    const char *flags, *options, *text, *other;
    bool refused;
  } cases[] = {
      {"fpu", "", "--backend machine counts the command on the emulated machine", "EMULATED", true},
      {"fpu", "--backend auto", "--backend machine counts the command on the emulated machine", "EMULATED", true},
      {"fpu", "--backend machine", "", "warning", false},
      {"fpu", "--set cores=2", "", "warning", false},
      {"fpu", "-p emr", "warning: -p emr: this processor is of platform snbep: the values are EMULATED",
       "cannot be reached", false},
      {"fpu hypervisor", "", "warning: no uncore counters", "cannot be reached", false},
      {"fpu hypervisor", "--backend auto", "warning: no uncore counters", "cannot be reached", false},
  };
  char line[300], text[200];
  (void)state;
  begin();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    snprintf(text, sizeof text,
             "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 45\nstepping\t: 7\nflags\t: %s\n", cases[i].flags);
    tree_file(&tree, "none/proc/cpuinfo", text);
    snprintf(line, sizeof line, "stat --root %s/none %s -e %s/CLOCKTICKS/ -- true", tree.root, cases[i].options,
             strstr(cases[i].options, "emr") ? "cha" : "cbo");
    const int code = run(line);
    if (cases[i].refused)
      assert_int_equal(code, 3);
    assert_non_null(strstr(output, cases[i].text));
    assert_null(strstr(output, cases[i].other));
  }
  tree_end(&tree);
}

/* The remedy repeats the command, if it can be measured on the machine. */
static void test_remedy_is_the_command_that_ran(void **state)
{
  static const char *const cases[][2] = {{"exporter", ": pmon exporter --backend machine --scenario FILE\n"},
                                         {"top", ": pmon top --backend machine -- COMMAND\n"},
                                         {"capture", ": pmon stat --backend machine -- COMMAND\n"}};
  char root[160], text[400];
  const struct pmon_reason reason = {""};
  struct hardware h;
  (void)state;
  begin();
  tree_file(&tree, "none/proc/cpuinfo", "vendor_id\t: GenuineOther\ncpu family\t: 6\nmodel\t\t: 1\nstepping\t: 1\n");
  snprintf(root, sizeof root, "%s/none", tree.root);
  hardware_init(&h, root);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cli cli = {.command = cli_command_find(cli_commands, cases[i][0])};
    FILE *errors = tmpfile();
    const int before = dup(STDERR_FILENO);
    assert_true(errors && before >= 0 && !pmon_context_new(&cli.context));
    dup2(fileno(errors), STDERR_FILENO);
    const int result = hardware_refuse(&cli, &h, PMON_E_NO_DEVICE, &reason);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(errors);
    text[fread(text, 1, sizeof text - 1, errors)] = 0;
    fclose(errors);
    pmon_context_free(cli.context);
    assert_int_equal(result, CLI_NO_HARDWARE);
    assert_non_null(strstr(text, cases[i][1]));
  }
  tree_end(&tree);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_remedy_is_the_command_that_ran),
      cmocka_unit_test(test_doctor_finds_each_cause),
      cmocka_unit_test(test_doctor_on_broken_pages),
      cmocka_unit_test(test_doctor_in_virtual_machines),
      cmocka_unit_test(test_doctor_looks_at_registers),
      cmocka_unit_test(test_doctor_reports_hidden_devices),
      cmocka_unit_test(test_doctor_reports_wrong_reading_cpus),
      cmocka_unit_test(test_doctor_on_a_capture),
      cmocka_unit_test(test_nothing_here),
      cmocka_unit_test(test_doctor_omits_an_access_method_without_registers),
      cmocka_unit_test(test_doctor_refuses_unknown_input),
      cmocka_unit_test(test_machine_has_the_host_processor),
      cmocka_unit_test(test_emulation_is_not_a_measurement),
  };
  return cmocka_run_group_tests_name("doctor", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/*
 * `pmon` on servers of other generations, as their files in sysfs show them (sysfs_kernel.h): which attributes an event
 * by name becomes, on which PMUs it is opened, and what the sums and metrics are. The config words are what perf makes
 * of the event files' values with the kernel's formats, computed by hand.
 * usage: test_servers SAMPLE, a checkout of event files (tests/import/perfmon)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "machine/config.h"
#include "machine/smbios.h"
#include "tests/hardware/sysfs_kernel.h"

int pmon_main(int argc, char **argv); /* the command's main() */

static char folder[] = "/tmp/pmon-servers-XXXXXX";
static char output[1 << 20];

static int servers_run(const char *line)
{
  char text[1000], *argv[32], *save = NULL;
  int pipes[2], argc = 0, status;
  size_t n = 0;
  snprintf(text, sizeof text, "pmon %s", line);
  for (char *w = strtok_r(text, " ", &save); w && argc < 31; w = strtok_r(NULL, " ", &save))
    argv[argc++] = w;
  argv[argc] = NULL;
  assert_int_equal(pipe(pipes), 0);
  const pid_t pid = fork();
  if (!pid) {
    dup2(pipes[1], 1);
    dup2(pipes[1], 2);
    close(pipes[0]);
    const int code = pmon_main(argc, argv);
    fflush(NULL);
    _exit(code);
  }
  close(pipes[1]);
  for (ssize_t k; (k = read(pipes[0], output + n, sizeof output - 1 - n)) > 0;)
    n += (size_t)k;
  output[n] = 0;
  close(pipes[0]);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect(const char *line, int code, const char *text)
{
  const int got = servers_run(line);
  if (got != code || !strstr(output, text))
    fail_msg("pmon %s: %d, \"%s\" expected in:\n%s", line, got, text, output);
}

/* The total of all packages, in CSV; -1: there is none. */
static double total_of(const char *name)
{
  char key[200];
  snprintf(key, sizeof key, ",%s,,", name);
  const char *at = strstr(output, key);
  if (!at) { /* names with a comma are in quotes */
    snprintf(key, sizeof key, ",\"%s\",,", name);
    at = strstr(output, key);
  }
  at = at ? strchr(at + strlen(key), ',') : NULL; /* behind the unit */
  at = at ? strchr(at + 1, ',') : NULL;
  return at && at[1] != ',' ? strtod(at + 1, NULL) : -1;
}

/* The tree of a server, below the folder. */
static void make_server(const char *platform)
{
  char command[120];
  const struct sysfs_server *s = NULL;
  for (unsigned i = 0; (s = sysfs_server(i)) && strcmp(s->platform, platform) != 0;)
    i++;
  assert_non_null(s);
  snprintf(command, sizeof command, "rm -rf '%s/root' && mkdir '%s/root'", folder, folder);
  assert_int_equal(system(command), 0);
  snprintf(command, sizeof command, "%s/root", folder);
  sysfs_make(s, command);
}

/* An event by the name that a user gives, its name in reports, and what it is for the kernel: on `pmus` PMUs of each of
 * two packages. */
static const struct row {
  const char *platform, *event, *name;
  struct sysfs_event kernel;
  unsigned pmus;
} rows[] = {
    {"bdx", "UNC_M_DCLOCKTICKS", "imc/DCLOCKTICKS/", {"imc", 0xff, 0, 0, 1200}, 8},
    {"bdx",
     "cbox/TOR_INSERTS.OPCODE,filter_opc=0x19e/",
     "cbox/TOR_INSERTS.OPCODE,filter_opc=0x19e/",
     {"cbox", 0x135, 0x19e0000000000000, 0, 70},
     12},
    {"bdx",
     "uncore_cbox_0/event=0x35,umask=0x1,config1=0x19e0000000000000/",
     "cbox0/TOR_INSERTS.OPCODE,config1=0x19e0000000000000/",
     {"cbox", 0x135, 0x19e0000000000000, 0, 70},
     1},
    {"bdx", "UNC_H_REQUESTS.READS", "ha/REQUESTS.READS/", {"ha", 0x301, 0, 0, 41}, 2},
    {"bdx", "UNC_P_POWER_STATE_OCCUPANCY.CORES_C0", "pcu/POWER_STATE_OCCUPANCY.CORES_C0/", {"pcu", 0x4080, 0, 0, 9}, 1},
    {"bdx", "UNC_Q_TxL_FLITS_G1.DRS", "qpi/TxL_FLITS_G1.DRS/", {"qpi", 0x201800, 0, 0, 33}, 3},
    {"skx", "UNC_CHA_TOR_INSERTS.IA_MISS_DRD", "cha/TOR_INSERTS.IA_MISS_DRD/", {"cha", 0x2135, 0x40433, 0, 50}, 18},
    {"skx", "UNC_C_TOR_INSERTS.IRQ_MISS", "cha/UNC_C_TOR_INSERTS.IRQ_MISS/", {"cha", 0x2135, 0, 0, 60}, 18},
    {"skx",
     "cha/TOR_INSERTS.IA_MISS,filter_opc0=0x202,filter_rem=1/",
     "cha/TOR_INSERTS.IA_MISS,filter_rem=0x1,filter_opc0=0x202/",
     {"cha", 0x2135, 0x4040100000000, 0, 51},
     18},
    {"skx",
     "cha/TOR_INSERTS.IA_MISS,config1=0x40432/",
     "cha/TOR_INSERTS.IA_MISS,config1=0x40432/",
     {"cha", 0x2135, 0x40432, 0, 52},
     18},
    {"skx",
     "UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART0",
     "iio/DATA_REQ_OF_CPU.MEM_READ.PART0/",
     {"iio", 0x701000000483, 0, 0, 52},
     6},
    {"icx", "UNC_CHA_TOR_INSERTS.IA_MISS_DRD", "cha/TOR_INSERTS.IA_MISS_DRD/", {"cha", 0xc817fe00000135, 0, 0, 53}, 28},
    {"icx",
     "cha/TOR_INSERTS.IA_MISS_DRD,filter_tid=0x12,tid_en=1/",
     "cha/TOR_INSERTS.IA_MISS_DRD,tid_en=0x1,filter_tid=0x12/",
     {"cha", 0xc817fe00080135, 0x12, 0, 53},
     28},
    {"icx",
     "UNC_IIO_BANDWIDTH_IN.PART2_FREERUN",
     "iio_free_running/BANDWIDTH_IN.PART2_FREERUN/",
     {"iio_free_running", 0x22ff, 0, 0, 54},
     6},
    {"icx",
     "UNC_UPI_RxL_BASIC_HDR_MATCH.REQ_OPC",
     "upi/RxL_BASIC_HDR_MATCH.REQ_OPC/",
     {"upi", 0x100000805, 0, 0, 55},
     3},
    /* Privilege levels, as pmon, perf and Intel's files spell them: on the CPUs of each package. */
    {"icx", "INST_RETIRED.ANY:k", "core/INST_RETIRED.ANY,exclude_user=0x1/", {"cpu:k", 0xc0, 0, 0, 55}, 2},
    {"icx", "INST_RETIRED.ANY:SUP", "core/INST_RETIRED.ANY,exclude_user=0x1/", {"cpu:k", 0xc0, 0, 0, 56}, 2},
    {"icx",
     "core/L1D.REPLACEMENT,exclude_kernel=1/",
     "core/L1D.REPLACEMENT,exclude_kernel=0x1/",
     {"cpu:u", 0x151, 0, 0, 57},
     2},
    {"spr", "UNC_CHA_TOR_INSERTS.IA_MISS_DRD", "cha/TOR_INSERTS.IA_MISS_DRD/", {"cha", 0xc817fe00000135, 0, 0, 56}, 52},
    {"spr", "UNC_M_CAS_COUNT.RD", "imc/CAS_COUNT.RD/", {"imc", 0xcf05, 0, 0, 57}, 8},
    {"spr", "UNC_M2M_DIRECTORY_UPDATE.ANY", "m2m/DIRECTORY_UPDATE.ANY/", {"m2m", 0x300000121, 0, 0, 58}, 4},
    {"spr",
     "UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART1",
     "iio/DATA_REQ_OF_CPU.MEM_READ.PART1/",
     {"iio", 0x7002000000483, 0, 0, 59},
     12},
    {"spr", "UNC_I_CLOCKTICKS", "irp/CLOCKTICKS/", {"irp", 0x1, 0, 0, 60}, 12},
    {"spr", "iio/IOCLK/", "iio/IOCLK/", {"iio_free_running", 0x10ff, 0, 0, 61}, 12},
    {"spr", "uncore_iio_11/event=0x1/", "iio11/CLOCKTICKS/", {"iio", 0x1, 0, 0, 62}, 1},
    {"gnr", "UNC_CHA_LLC_LOOKUP.RFO", "cha/LLC_LOOKUP.RFO/", {"cha", 0x1bc80000ff34, 0, 0, 60}, 80},
    {"gnr", "UNC_M_CAS_COUNT_SCH0.RD", "imc/CAS_COUNT_SCH0.RD/", {"imc", 0xcf05, 0, 0, 61}, 12},
    {"gnr", "UNC_B2CMI_IMC_READS.NORMAL", "b2cmi/IMC_READS.NORMAL/", {"b2cmi", 0x100000124, 0, 0, 62}, 12},
    {"gnr",
     "UNC_IIO_DATA_REQ_OF_CPU.PEER_WRITE.PART0",
     "iio/DATA_REQ_OF_CPU.PEER_WRITE.PART0/",
     {"iio", 0x7001000000283, 0, 0, 63},
     16},
    {"srf",
     "UNC_CHA_TOR_INSERTS.IA_MISS_DRD_OPT",
     "cha/TOR_INSERTS.IA_MISS_DRD_OPT/",
     {"cha", 0xc827fe00000135, 0, 0, 64},
     36},
    {"srf", "UNC_M_CAS_COUNT_SCH0.WR", "imc/CAS_COUNT_SCH0.WR/", {"imc", 0xf005, 0, 0, 65}, 8},
    {"srf", "UNC_B2CMI_IMC_READS.ALL", "b2cmi/IMC_READS.ALL/", {"b2cmi", 0x300000424, 0, 0, 66}, 8},
    {"srf",
     "UNC_IIO_DATA_REQ_OF_CPU.MEM_WRITE.PART2",
     "iio/DATA_REQ_OF_CPU.MEM_WRITE.PART2/",
     {"iio", 0x7004000000183, 0, 0, 67},
     16},
};

static void events_are_counted_by_name(void **state)
{
  (void)state;
  const char *made = "";
  char line[400];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct row *r = &rows[i];
    const struct sysfs_event list[] = {r->kernel, {0}};
    if (strcmp(made, r->platform) != 0)
      make_server(made = r->platform);
    sysfs_expect(list);
    snprintf(line, sizeof line, "stat --root %s/root --backend perf --csv -e %s -- true", folder, r->event);
    expect(line, 0, ",perf,,");
    const double all = total_of(r->name), expected = 2.0 * r->pmus * (double)r->kernel.count;
    if (all < expected || all > expected)
      fail_msg("%s on %s: %.17g, expected %.17g in\n%s", r->event, r->platform, all, expected, output);
  }
}

static void each_server_is_recognized(void **state)
{
  (void)state;
  char line[200], text[100];
  const struct sysfs_server *s;
  for (unsigned i = 0; (s = sysfs_server(i)); i++) {
    const bool built_in = !strcmp(s->platform, "spr");
    make_server(s->platform);
    snprintf(line, sizeof line, "doctor --root %s/root", folder);
    snprintf(text, sizeof text, "platform %s: its events are counted through Linux perf only", s->platform);
    /* Of a built-in platform the registers are looked for, too, and the tree has none. */
    expect(line, built_in ? 3 : 0, built_in ? "the kernel's driver has 139 uncore PMUs" : text);
    assert_null(strstr(output, "uncore_hbm")); /* only some have such memory, and no register of it is known */
    snprintf(line, sizeof line, "list -p %s", s->platform);
    expect(line, 0, strcmp(s->platform, "bdx") ? "cha/" : "cbox/");
  }
}

static void metrics_are_sums_over_all_instances(void **state)
{
  (void)state;
  char line[300];
  static const struct sysfs_event skx[] = {{"cha", 0x2135, 0x40432, 0, 30}, {"cha", 0x2135, 0x40431, 0, 10}, {0}},
                                  gnr[] = {{"cha", 0x1, 0, 0, 1000}, {0}},
                                  icx[] = {{"cpu", 0x3c, 0, 0, 900}, {"cpu", 0xc0, 0, 0, 600}, {0}},
                                  kernel[] = {{"cpu", 0xc0, 0, 0, 600}, {"cpu:k", 0xc0, 0, 0, 150}, {0}};
  /* Two uses of one filter take two rounds, of which the second may not have its turn: both are opened. */
  make_server("skx");
  sysfs_expect(skx);
  snprintf(line, sizeof line, "stat --root %s/root --backend perf --csv -m numa_reads_addressed_to_local_dram -- true",
           folder);
  expect(line, 0, "numa_reads_addressed_to_local_dram,");
  assert_null(strstr(output, "unexpected"));
  make_server("gnr");
  sysfs_expect(gnr);
  snprintf(line, sizeof line,
           "stat --root %s/root --backend perf --csv -m uncore_frequency -e UNC_CHA_CLOCKTICKS -- true", folder);
  expect(line, 0, ",uncore_frequency,");
  assert_true(total_of("cha/CLOCKTICKS/") > 159999 && total_of("cha/CLOCKTICKS/") < 160001);
  const double seconds = strtod(strchr(strchr(output, '\n'), ',') + 1, NULL);
  const double cycles = total_of("uncore_frequency") * 1e9 * seconds; /* of one instance; the metric is in GHz */
  if (cycles < 999 || cycles > 1001)
    fail_msg("%.17g in %.17g s: %s", cycles, seconds, output);
  make_server("icx");
  sysfs_expect(icx);
  snprintf(line, sizeof line, "stat --root %s/root --backend perf --csv -m cpi -- true", folder);
  expect(line, 0, ",cpi,");
  assert_true(total_of("cpi") > 1.4999 && total_of("cpi") < 1.5001);
  sysfs_expect(kernel);
  snprintf(line, sizeof line, "stat --root %s/root --backend perf --csv -m kernel_share -- true", folder);
  expect(line, 0, ",kernel_share,");
  assert_true(total_of("kernel_share") > 0.24999 && total_of("kernel_share") < 0.25001);
}

/* More than channels of DDR4-2666 and DDR5-8800 can move, and a clock that no uncore has, are marked. */
static void what_cannot_be_is_marked(void **state)
{
  (void)state;
  static const struct sysfs_event few[] = {{"imc", 0x304, 0, 0, 10}, {0}},
                                  many[] = {{"imc", 0x304, 0, 0, 1000000000000000}, {0}},
                                  fast[] = {{"cha", 0x1, 0, 0, 1000000000000000}, {0}};
  char line[300];
  make_server("skx");
  snprintf(line, sizeof line, "stat --root %s/root --backend perf --csv -m memory_bandwidth_read -- true", folder);
  sysfs_expect(few);
  expect(line, 0, ",memory_bandwidth_read,");
  assert_null(strstr(output, "implausible"));
  sysfs_expect(many);
  expect(line, 0, ",implausible,");
  make_server("gnr");
  sysfs_expect(fast);
  snprintf(line, sizeof line, "stat --root %s/root --backend perf --csv -m uncore_frequency -- true", folder);
  expect(line, 0, ",implausible,");
}

/* Writes the table of a machine's firmware into the server's tree. `mhz`: the clock of its memory. */
static void make_memory(unsigned mhz)
{
  struct machine_config config;
  uint8_t table[MACHINE_SMBIOS_MOST];
  char path[300];
  machine_config_init(&config);
  config.value[CONFIG_DRAM_GHZ] = mhz;
  const size_t n = machine_smbios(&config, table);
  sysfs_file("sys/firmware/dmi/tables/DMI", "");
  snprintf(path, sizeof path, "%s/root/sys/firmware/dmi/tables/DMI", folder);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_int_equal(fwrite(table, 1, n, f), n);
  assert_int_equal(fclose(f), 0);
}

/* What the host says of itself decides, not the processor's usual memory and clocks: modules of the firmware's table
 * and the highest frequency of the uncore. */
static void the_hosts_own_limits_count(void **state)
{
  (void)state;
  static const struct sysfs_event some[] = {{"imc", 0x304, 0, 0, 1000000}, {0}},
                                  slow[] = {{"cha", 0x1, 0, 0, 1000}, {0}};
  char line[300];
  make_server("skx");
  sysfs_expect(some);
  make_memory(1);
  snprintf(line, sizeof line, "stat --root %s/root --backend perf --csv -m memory_bandwidth_read -- true", folder);
  expect(line, 0, ",implausible,");
  make_server("gnr");
  sysfs_expect(slow);
  snprintf(line, sizeof line, "stat --root %s/root --backend perf --csv -m uncore_frequency -- true", folder);
  expect(line, 0, ",uncore_frequency,");
  assert_null(strstr(output, "implausible"));
  make_server("gnr");
  sysfs_expect(slow);
  sysfs_file("sys/devices/system/cpu/intel_uncore_frequency/package_00_die_00/max_freq_khz", "0.001");
  expect(line, 0, ",implausible,");
}

/* A port that counts more than its root port's link moves: speed and width of the link are the kernel's. */
static void more_than_the_link_moves_is_marked(void **state)
{
  (void)state;
  static const struct sysfs_event spr[] = {{"iio", 0x7001000000483, 0, 0, 1000000}, {0}};
  static const char port[] = "sys/devices/pci0000:15/0000:15:01.0";
  char line[300], name[200];
  for (int slow = 0; slow < 2; slow++) {
    make_server("spr");
    sysfs_expect(spr);
    sysfs_file("sys/bus/event_source/devices/uncore_iio_2/die0", "0000:15");
    static const char *const files[][2] = {{"0000:16:00.0/class", "0x020000"},
                                           {"0000:16:00.0/vendor", "0x8086"},
                                           {"0000:16:00.0/device", "0x1572"},
                                           {"current_link_width", "16"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
      snprintf(name, sizeof name, "%s/%s", port, files[i][0]);
      sysfs_file(name, files[i][1]);
    }
    snprintf(name, sizeof name, "%s/current_link_speed", port);
    sysfs_file(name, slow ? "0.000001 GT/s PCIe" : "32.0 GT/s PCIe");
    sysfs_file("sys/bus/pci/devices/.none", "");
    snprintf(line, sizeof line,
             "ln -s ../../../devices/pci0000:15/0000:15:01.0/0000:16:00.0 %s/root/sys/bus/pci/devices/", folder);
    assert_int_equal(system(line), 0);
    snprintf(line, sizeof line,
             "stat --root %s/root --backend perf --by device --csv -m IIO_PART0_MEM_READ_BANDWIDTH -- true", folder);
    expect(line, 0, "\"0000:16:00.0 ");
    const char *row = strstr(output, ",0,iio,2,");
    assert_non_null(row);
    if ((strstr(row, ",implausible,") != NULL && strstr(row, ",implausible,") < strchr(row, '\n')) != slow)
      fail_msg("%d: %s", slow, output);
  }
}

/* The kernel numbers PMUs by the units' numbers in the processor, of which some are disabled. */
static void disabled_units_leave_gaps(void **state)
{
  (void)state;
  static const struct sysfs_event gnr[] = {{"cha", 0x1, 0, 0, 10}, {"imc", 0xcf05, 0, 0, 7}, {0}};
  char line[300];
  make_server("gnr");
  sysfs_expect(gnr);
  snprintf(line, sizeof line, "cd %s/root/sys/bus/event_source/devices && rm -r uncore_cha_0 uncore_cha_3 uncore_imc_0",
           folder);
  assert_int_equal(system(line), 0);
  snprintf(line, sizeof line,
           "stat --root %s/root --backend perf --csv -e UNC_CHA_CLOCKTICKS,UNC_M_CAS_COUNT_SCH0.RD -- true", folder);
  expect(line, 0, "CLOCKTICKS");
  assert_true(total_of("cha/CLOCKTICKS/") > 1559 && total_of("cha/CLOCKTICKS/") < 1561);
  assert_true(total_of("imc/CAS_COUNT_SCH0.RD/") > 153 && total_of("imc/CAS_COUNT_SCH0.RD/") < 155);
}

/* A package of two dies has two sets of units under the same PMUs: each die has a CPU in the PMU's list. */
static void all_dies_of_a_package_are_counted(void **state)
{
  (void)state;
  static const struct sysfs_event icx[] = {{"imc", 0xf04, 0, 0, 10}, {0}};
  char line[300], name[80];
  make_server("icx");
  sysfs_expect(icx);
  for (unsigned cpu = 0; cpu < 8; cpu++) {
    snprintf(name, sizeof name, "sys/devices/system/cpu/cpu%u/topology/physical_package_id", cpu);
    sysfs_file(name, cpu < 4 ? "0" : "1");
  }
  sysfs_file("sys/devices/system/cpu/online", "0-7");
  for (unsigned imc = 0; imc < 12; imc++) {
    snprintf(name, sizeof name, "sys/bus/event_source/devices/uncore_imc_%u/cpumask", imc);
    sysfs_file(name, "0,2,4,6");
  }
  snprintf(line, sizeof line, "stat --root %s/root --backend perf --csv -e UNC_M_CAS_COUNT.RD -- true", folder);
  expect(line, 0, "CAS_COUNT.RD");
  assert_true(total_of("imc/CAS_COUNT.RD/") > 479 && total_of("imc/CAS_COUNT.RD/") < 481);
  snprintf(line, sizeof line, "stat --root %s/root --backend perf --csv --per-unit -e imc3/CAS_COUNT.RD/ -- true",
           folder);
  expect(line, 0, ",1,imc,3,20,");
}

/* Intel's files of a processor with built-in tables are a platform beside them. */
static void files_of_a_built_in_platform_are_usable(void **state)
{
  (void)state;
  static const struct sysfs_event spr[] = {{"m2m", 0x300000121, 0, 0, 5}, {0}};
  char line[300];
  make_server("spr");
  sysfs_expect(spr);
  snprintf(line, sizeof line,
           "stat --root %s/root -p spr_events --backend perf --csv -e UNC_M2M_DIRECTORY_UPDATE.ANY -- true", folder);
  expect(line, 0, "m2m/DIRECTORY_UPDATE.ANY/");
  assert_true(total_of("m2m/DIRECTORY_UPDATE.ANY/") > 39 && total_of("m2m/DIRECTORY_UPDATE.ANY/") < 41);
  snprintf(line, sizeof line, "stat --root %s/root -p icx --backend perf -e UNC_CHA_CLOCKTICKS -- true", folder);
  expect(line, 3, "-p icx: this processor is of platform spr");
}

/* The tree that --root names may be another kernel's, so that perf counts on it only when it is selected. */
static void a_tree_needs_the_perf_backend_selected(void **state)
{
  (void)state;
  static const struct sysfs_event skx[] = {{"cha", 0x2135, 0x40433, 0, 50}, {0}};
  char line[300];
  make_server("skx");
  sysfs_expect(skx);
  static const char *const options[] = {"", "-p skx ", "--backend auto "};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    snprintf(line, sizeof line, "stat --root %s/root %s-e UNC_CHA_TOR_INSERTS.IA_MISS_DRD -- true", folder, options[i]);
    expect(line, 3, "add --backend perf");
    assert_null(strstr(output, "PMON_E_"));
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(events_are_counted_by_name),
      cmocka_unit_test(each_server_is_recognized),
      cmocka_unit_test(metrics_are_sums_over_all_instances),
      cmocka_unit_test(what_cannot_be_is_marked),
      cmocka_unit_test(the_hosts_own_limits_count),
      cmocka_unit_test(more_than_the_link_moves_is_marked),
      cmocka_unit_test(disabled_units_leave_gaps),

      cmocka_unit_test(all_dies_of_a_package_are_counted),
      cmocka_unit_test(files_of_a_built_in_platform_are_usable),
      cmocka_unit_test(a_tree_needs_the_perf_backend_selected),
  };
  char line[600];
  if (argc != 2 || !mkdtemp(folder))
    return 2;
  setenv("XDG_DATA_HOME", folder, 1);
  /* Files of another processor in the sample cannot be read: exit code 1. */
  snprintf(line, sizeof line, "import %s", argv[1]);
  if (servers_run(line) != 1) {
    fputs(output, stderr);
    return 2;
  }
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  snprintf(line, sizeof line, "rm -r '%s'", folder);
  return system(line) || failed;
}

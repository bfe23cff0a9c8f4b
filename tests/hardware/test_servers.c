/* SPDX-License-Identifier: MIT */
/*
 * `pmon` on servers of other generations, as their files in sysfs show them (servers.h): how they are recognized, and
 * what sums and metrics are.
 * usage: test_servers SAMPLE, a checkout of event files (tests/import/perfmon)
 */
#include "machine/config.h"
#include "machine/smbios.h"
#include "tests/hardware/servers.h"

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
    /* On a built-in platform pmon looks for the registers, too, and the tree has none. */
    expect(line, built_in ? 3 : 0, built_in ? "the kernel's driver has 139 uncore PMUs" : text);
    assert_null(strstr(output, "uncore_hbm")); /* only some have such memory, and its registers are unknown */
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
  /* Two uses of one filter need two rounds, of which the second may get no time slice: both are opened. */
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
  if (seconds < 0.00099999 || seconds > 0.00100001) /* independent of what else this host does */
    fail_msg("%.17g s: %s", seconds, output);
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

/* One instance of a unit that the kernel counts as a sum is many: their mean clock is that of the package. */
static void a_summed_instance_is_as_many_as_it_sums(void **state)
{
  (void)state;
  static const struct sysfs_event gnr[] = {{"cha", 0x1, 0, 0, 1000}, {0}};
  char line[300];
  make_server("gnr");
  sysfs_expect(gnr);
  snprintf(line, sizeof line,
           "stat --root %s/root --backend perf --csv --per-unit --record %s/sums.db -m uncore_frequency -- true",
           folder, folder);
  expect(line, 0, ",uncore_frequency,1,cha,0,0.001,GHz,");
  snprintf(line, sizeof line, "report -p gnr --csv --per-unit -m uncore_frequency %s/sums.db", folder);
  expect(line, 0, ",uncore_frequency,1,cha,0,0.001,GHz,");
}

/* Values above the bandwidth of the channels of DDR4-2666 and DDR5-8800, and an impossible uncore clock, are marked. */
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

/* Writes the firmware's memory table into the server's tree. `mhz`: the memory clock. */
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

/* The host's own limits override the processor's usual memory and clocks: the modules of the firmware's table, and the
 * highest frequency of the uncore. */
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

/* CPUID 16h: no core exceeds its highest frequency; leaves of 16 bytes at offsets in a copy of the device. */
static void the_processors_highest_frequency_counts(void **state)
{
  (void)state;
  static const struct sysfs_event some[] = {{"cpu", 0xc0, 0, 0, 20000000}, {0}};
  char line[300], path[300];
  for (uint8_t mhz = 0; mhz < 2; mhz++) {
    const uint8_t leaf[16] = {1, 0, 0, 0, mhz, 0, 0, 0, 100};
    make_server("spr");
    sysfs_expect(some);
    sysfs_file("sys/bus/event_source/devices/cpu/events/instructions", "event=0xc0");
    sysfs_file("dev/cpu/0/.none", "");
    snprintf(path, sizeof path, "%s/root/dev/cpu/0/cpuid", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0x16, SEEK_SET), 0);
    assert_int_equal(fwrite(leaf, 1, sizeof leaf, f), sizeof leaf);
    assert_int_equal(fclose(f), 0);
    snprintf(line, sizeof line, "stat --root %s/root --backend perf --csv -m INSTRUCTIONS -- true", folder);
    expect(line, 0, "INSTRUCTIONS,");
    if ((strstr(output, ",implausible,") != NULL) != (mhz > 0))
      fail_msg("%u MHz: %s", mhz, output);
  }
}

/* A port that counts more than its root port's link can move: the kernel gives the speed and width of the link. 4 MB in
 * 1 ms are 4 GB/s. */
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
    const char *const files[][2] = {{"0000:16:00.0/class", "0x020000"},
                                    {"0000:16:00.0/vendor", "0x8086"},
                                    {"0000:16:00.0/device", "0x1572"},
                                    {"current_link_width", slow ? "1" : "16"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
      snprintf(name, sizeof name, "%s/%s", port, files[i][0]);
      sysfs_file(name, files[i][1]);
    }
    snprintf(name, sizeof name, "%s/current_link_speed", port);
    sysfs_file(name, slow ? "8.0 GT/s PCIe" : "32.0 GT/s PCIe");
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

/* Without device names: no stack of the package moves more than the ports of the fastest stack can. */
static void a_stack_moves_what_its_ports_can(void **state)
{
  (void)state;
  static const struct sysfs_event spr[] = {{"iio", 0x7001000000483, 0, 0, 1000000}, {0}};
  static const char *const speeds[] = {"32.0 GT/s PCIe", "0.1 GT/s PCIe", "Unknown"};
  static const char port[] = "sys/devices/pci0000:15/0000:15:01.0";
  char line[300], name[200];
  for (int i = 0; i < 3; i++) {
    make_server("spr");
    sysfs_expect(spr);
    for (int package = 0; package < 2; package++) {
      snprintf(name, sizeof name, "sys/bus/event_source/devices/uncore_iio_2/die%d", package);
      sysfs_file(name, package ? "0000:85" : "0000:15");
    }
    snprintf(name, sizeof name, "%s/class", port);
    sysfs_file(name, "0x060400");
    snprintf(name, sizeof name, "%s/max_link_width", port);
    sysfs_file(name, "16");
    snprintf(name, sizeof name, "%s/max_link_speed", port);
    sysfs_file(name, speeds[i]);
    sysfs_file("sys/bus/pci/devices/.none", "");
    snprintf(line, sizeof line, "ln -s ../../../devices/pci0000:15/0000:15:01.0 %s/root/sys/bus/pci/devices/", folder);
    assert_int_equal(system(line), 0);
    snprintf(line, sizeof line,
             "stat --root %s/root --backend perf --csv --per-socket -m IIO_PART0_MEM_READ_BANDWIDTH -- true", folder);
    expect(line, 0, "IIO_PART0_MEM_READ_BANDWIDTH,");
    const char *row = strstr(output, "IIO_PART0_MEM_READ_BANDWIDTH,0,");
    assert_non_null(row);
    if ((strstr(row, ",implausible,") != NULL && strstr(row, ",implausible,") < strchr(row, '\n')) != (i == 1))
      fail_msg("%s: %s", speeds[i], output);
  }
}

static void write_facts(const char *path, const char *text)
{
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0);
  assert_int_equal(fclose(f), 0);
}

/* Links and cores of imported platforms: the bandwidth of the processors' links, and no more cycles than the highest
 * frequency that the kernel gives. */
static void imported_links_and_cores_have_bounds(void **state)
{
  (void)state;
  static const struct sysfs_event few[] = {{"qpi", 0x201800, 0, 0, 10}, {0}},
                                  many[] = {{"qpi", 0x201800, 0, 0, 1000000000000000}, {0}},
                                  cycles[] = {{"cpu", 0x3c, 0, 0, 1000}, {0}};
  static const char khz[] = "sys/devices/system/cpu/cpu%d/cpufreq/cpuinfo_max_freq";
  char path[200], line[400];
  snprintf(path, sizeof path, "%s/own.met", folder);
  write_facts(path, "metric LINK\n  brief Data of links.\n  result bytes/s\n  equation qpi/TxL_FLITS_G1.DRS * 8\n");
  make_server("bdx");
  snprintf(line, sizeof line, "stat --root %s/root -p bdx,%s --backend perf --csv -m LINK -- true", folder, path);
  sysfs_expect(few);
  expect(line, 0, ",LINK,");
  assert_null(strstr(output, ",implausible,"));
  sysfs_expect(many);
  expect(line, 0, ",implausible,");
  write_facts(path, "metric CLOCK\n  brief Cycles.\n  result GHz\n"
                    "  equation core/CPU_CLK_UNHALTED.THREAD / SAMPLE_INTERVAL / 1000000000\n");
  make_server("icx");
  sysfs_expect(cycles);
  snprintf(line, sizeof line, "stat --root %s/root -p icx,%s --backend perf --csv -m CLOCK -- true", folder, path);
  expect(line, 0, ",CLOCK,");
  assert_null(strstr(output, ",implausible,"));
  for (int cpu = 0; cpu < 4; cpu += 2) {
    snprintf(path, sizeof path, khz, cpu);
    sysfs_file(path, "0.001");
  }
  expect(line, 0, ",implausible,");
}

/* The kernel numbers PMUs by the units' numbers in the processor, where some units are disabled. */
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

/* A package of two dies has two sets of units behind the same PMUs: the PMU's list has a CPU of each die. */
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

/* Intel's files of a processor with built-in tables become a separate platform. */
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

/* The tree of --root may be of another kernel, so that perf counts there only if it is selected. */
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

static int run_group(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_server_is_recognized),
      cmocka_unit_test(metrics_are_sums_over_all_instances),
      cmocka_unit_test(a_summed_instance_is_as_many_as_it_sums),
      cmocka_unit_test(what_cannot_be_is_marked),
      cmocka_unit_test(the_hosts_own_limits_count),
      cmocka_unit_test(the_processors_highest_frequency_counts),
      cmocka_unit_test(a_stack_moves_what_its_ports_can),
      cmocka_unit_test(more_than_the_link_moves_is_marked),
      cmocka_unit_test(imported_links_and_cores_have_bounds),
      cmocka_unit_test(disabled_units_leave_gaps),
      cmocka_unit_test(all_dies_of_a_package_are_counted),
      cmocka_unit_test(files_of_a_built_in_platform_are_usable),
      cmocka_unit_test(a_tree_needs_the_perf_backend_selected),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
  return servers_main(argc, argv, run_group);
}

/* SPDX-License-Identifier: MIT */
/*
 * Events by name on servers of other generations (servers.h): which attributes they become, and on which PMUs they are
 * opened. The config words are what perf makes of the event files' values with the kernel's formats, computed by hand.
 * usage: test_server_names SAMPLE, a checkout of event files (tests/import/perfmon)
 */
#include "tests/hardware/servers.h"

/* An event by the name that a user gives, its name in reports, and its attributes for the kernel: opened on `pmus` PMUs
 * of each of two packages. */
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
    /* Filters: a state and a node; a frequency; a message class to match, with its mask. */
    {"bdx",
     "cbox/LLC_LOOKUP.ANY,filter_state=0x1,filter_nid=0x2/",
     "cbox/LLC_LOOKUP.ANY,filter_nid=0x2,filter_state=0x1/",
     {"cbox", 0x1134, 0x200020000, 0, 71},
     12},
    {"bdx",
     "UNC_P_FREQ_BAND0_CYCLES{filter_band0=20}",
     "pcu/FREQ_BAND0_CYCLES,filter_band0=0x14/",
     {"pcu", 0xb, 0x14, 0, 72},
     1},
    {"bdx",
     "qpi/TxL_FLITS_G1.DRS,match_mc=0xe,mask_mc=0xf/",
     "qpi/TxL_FLITS_G1.DRS,match_mc=0xe,mask_mc=0xf/",
     {"qpi", 0x201800, 0x1c00, 0x1e00, 73},
     3},
    {"bdx", "uncore_imc_1/cas_count_write/", "imc1/ev_sel=0x4,umask=0xc/", {"imc", 0xc04, 0, 0, 74}, 1},
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
    {"skx",
     "iio/DATA_REQ_OF_CPU.MEM_READ.PART0,thresh=0x101,edge=1/",
     "iio/DATA_REQ_OF_CPU.MEM_READ.PART0,thresh=0x101,edge_det=0x1/",
     {"iio", 0x701101040483, 0, 0, 53},
     6},
    {"skx",
     "uncore_iio_free_running_2/bw_out_port1/",
     "iio_free_running2/BW_OUT_PORT1_FREERUN.ALL/",
     {"iio_free_running", 0x25ff, 0, 0, 54},
     1},
    {"skx", "uncore_imc/cas_count_read/", "imc/CAS_COUNT.RD/", {"imc", 0x304, 0, 0, 55}, 6},
    {"icx",
     "uncore_iio_free_running_0/event=0xff,umask=0x22/",
     "iio_free_running0/BANDWIDTH_IN.PART2_FREERUN/",
     {"iio_free_running", 0x22ff, 0, 0, 57},
     1},
    {"icx",
     "uncore_imc_free_running_3/read/",
     "imc_free_running3/READ_FREERUN.ALL/",
     {"imc_free_running", 0x20ff, 0, 0, 58},
     1},
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
    {"icx", "core/INST_RETIRED.ANY/k", "core/INST_RETIRED.ANY,exclude_user=0x1/", {"cpu:k", 0xc0, 0, 0, 55}, 2},
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
    {"spr", "uncore_imc_free_running_1/rpq_cycles/", "imc2/RPQ_CYCLES/", {"imc_free_running", 0x20ff, 0, 0, 61}, 1},
    {"spr",
     "cha/TOR_INSERTS.IA_MISS_DRD,tid_en=1,tid=3/",
     "cha/TOR_INSERTS.IA_MISS_DRD,tid_en=0x1,tid=0x3/",
     {"cha", 0xc817fe00010135, 0x3, 0, 61},
     52},
    {"spr", "uncore_iio_11/event=0x1/", "iio11/CLOCKTICKS/", {"iio", 0x1, 0, 0, 62}, 1},
    {"gnr", "UNC_CHA_LLC_LOOKUP.RFO", "cha/LLC_LOOKUP.RFO/", {"cha", 0x1bc80000ff34, 0, 0, 60}, 80},
    {"gnr", "UNC_M_CAS_COUNT_SCH0.RD", "imc/CAS_COUNT_SCH0.RD/", {"imc", 0xcf05, 0, 0, 61}, 12},
    {"gnr", "UNC_B2CMI_IMC_READS.NORMAL", "b2cmi/IMC_READS.NORMAL/", {"b2cmi", 0x100000124, 0, 0, 62}, 12},
    {"gnr",
     "UNC_IIO_DATA_REQ_OF_CPU.PEER_WRITE.PART0",
     "iio/DATA_REQ_OF_CPU.PEER_WRITE.PART0/",
     {"iio", 0x7001000000283, 0, 0, 63},
     16},
    {"gnr",
     "iio/DATA_REQ_OF_CPU.PEER_WRITE.PART0,thresh=0x101,edge=1/",
     "iio/DATA_REQ_OF_CPU.PEER_WRITE.PART0,thresh=0x101,edge_det=0x1/",
     {"iio", 0x7001101040283, 0, 0, 64},
     16},
    {"gnr", "uncore_b2cmi_3/event=0x24,umask=0x101/", "b2cmi3/IMC_READS.NORMAL/", {"b2cmi", 0x100000124, 0, 0, 65}, 1},
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

/* Writes the kernel's events of slots and their fractions, as Linux lists them for Ice Lake. */
static void list_slots(void)
{
  static const char *const names[][2] = {{"slots", "event=0x00,umask=0x4"},
                                         {"topdown-retiring", "event=0x00,umask=0x80"},
                                         {"topdown-bad-spec", "event=0x00,umask=0x81"},
                                         {"topdown-fe-bound", "event=0x00,umask=0x82"},
                                         {"topdown-be-bound", "event=0x00,umask=0x83"}};
  char file[120];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(file, sizeof file, "sys/bus/event_source/devices/cpu/events/%s", names[i][0]);
    sysfs_file(file, names[i][1]);
  }
}

/* Fractions of slots are counted in one group led by the event of all slots on each CPU, which is opened once, whether
 * or not it is requested, too. For fractions that the kernel does not list, that is the reason. */
static void fractions_of_slots_are_counted_behind_all_slots(void **state)
{
  (void)state;
  static const struct sysfs_event icx[] = {
      {"cpu", 0x400, 0, 0, 1000}, {"cpu", 0x8000, 0, 0, 300}, {"cpu", 0x8300, 0, 0, 100}, {"cpu", 0xc0, 0, 0, 7}, {0}};
  static const char *const orders[] = {
      "TOPDOWN.SLOTS,PERF_METRICS.RETIRING,INST_RETIRED.ANY,PERF_METRICS.BACKEND_BOUND",
      "PERF_METRICS.BACKEND_BOUND,INST_RETIRED.ANY,PERF_METRICS.RETIRING,TOPDOWN.SLOTS"};
  char line[300];
  make_server("icx");
  list_slots();
  sysfs_expect(icx);
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    snprintf(line, sizeof line, "stat --root %s/root --backend perf --csv -e %s -- true", folder, orders[i]);
    expect(line, 0, ",perf,,");
    const double slots = total_of("core/TOPDOWN.SLOTS/"), retiring = total_of("core/PERF_METRICS_RETIRING.ALL/"),
                 back = total_of("core/PERF_METRICS_BACKEND_BOUND.ALL/"),
                 instructions = total_of("core/INST_RETIRED.ANY/");
    if (slots < 3999 || slots > 4001 || retiring < 1199 || retiring > 1201 || back < 399 || back > 401 ||
        instructions < 27 || instructions > 29)
      fail_msg("%g slots, %g retiring, %g back end, %g instructions:\n%s", slots, retiring, back, instructions, output);
  }
  snprintf(line, sizeof line, "stat --root %s/root --backend perf --csv -m retiring,perf_back_end -- true", folder);
  expect(line, 0, ",retiring,");
  assert_true(total_of("retiring") > 0.2999 && total_of("retiring") < 0.3001);
  assert_true(total_of("perf_back_end") > 0.2499 && total_of("perf_back_end") < 0.2501);
  snprintf(line, sizeof line, "stat --root %s/root --backend perf -e PERF_METRICS.MEMORY_BOUND -- true", folder);
  expect(line, 2, "the kernel's cpu has no event topdown-mem-bound");
  snprintf(line, sizeof line, "stat --root %s/root --backend perf -e PERF_METRICS.RETIRING:k -- true", folder);
  expect(line, 2, "the kernel's cpu counts topdown-retiring only without exclude_user=0x1");
}

/* Many events of many PMUs: one group per PMU and package. */
static void events_of_many_pmus_are_in_their_groups(void **state)
{
  (void)state;
  static const struct sysfs_event icx[] = {
      {"cha", 0xc817fe00000135, 0, 0, 5}, {"cha", 0xc817fe00000136, 0, 0, 7}, {"cha", 0xc817fe00040135, 0, 0, 11}, {0}};
  char line[400];
  make_server("icx");
  sysfs_expect(icx);
  snprintf(
      line, sizeof line,
      "stat --root %s/root --backend perf --csv -e UNC_CHA_TOR_INSERTS.IA_MISS_DRD,UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD,"
      "cha/TOR_INSERTS.IA_MISS_DRD,edge=1/ -- true",
      folder);
  expect(line, 0, ",perf,,");
  const double all[] = {total_of("cha/TOR_INSERTS.IA_MISS_DRD/"), total_of("cha/TOR_OCCUPANCY.IA_MISS_DRD/"),
                        total_of("cha/TOR_INSERTS.IA_MISS_DRD,edge_det=0x1/")};
  for (unsigned i = 0; i < 3; i++)
    assert_int_equal((int)all[i], 2 * 28 * (int)icx[i].count);
}

static int run_group(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(events_are_counted_by_name),
      cmocka_unit_test(events_of_many_pmus_are_in_their_groups),
      cmocka_unit_test(fractions_of_slots_are_counted_behind_all_slots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
  return servers_main(argc, argv, run_group);
}

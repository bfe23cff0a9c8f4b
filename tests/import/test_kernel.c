/* SPDX-License-Identifier: MIT */
/*
 * Events of imported platforms as the kernel's config words. The formats below are those of Linux 6.1 for each
 * generation (arch/x86/events/intel/uncore_snbep.c, core.c); the words are perf's encoding of the event files' values
 * with these formats, computed by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <pmon/perf.h>
#include <pmon/pmon.h>

static const char *pmon, *sample;
static char folder[] = "/tmp/pmon-formats-XXXXXX";

#define COMMON                                                                                                         \
  {"event", "config:0-7"}, {"edge", "config:18"},                                                                      \
  {                                                                                                                    \
    "inv", "config:23"                                                                                                 \
  }

/* A PMU of one generation with its formats. */
struct sysfs_pmu {
  const char *name;
  const char *formats[12][2];
};

static const struct sysfs_pmu broadwell[] = {
    {"uncore_cbox_0",
     {COMMON,
      {"umask", "config:8-15"},
      {"tid_en", "config:19"},
      {"thresh", "config:24-31"},
      {"filter_tid", "config1:0-5"},
      {"filter_state", "config1:17-23"},
      {"filter_nid", "config1:32-47"},
      {"filter_opc", "config1:52-60"}}},
    {"uncore_qpi_0", {{"event", "config:0-7,21"}, {"umask", "config:8-15"}, {"thresh", "config:24-31"}}},
    {"uncore_ha_0", {COMMON, {"umask", "config:8-15"}, {"thresh", "config:24-31"}}},
    {"uncore_imc_0", {COMMON, {"umask", "config:8-15"}, {"thresh", "config:24-31"}}},
    {"uncore_pcu",
     {{"event", "config:0-7"}, {"occ_sel", "config:14-15"}, {"edge", "config:18"}, {"thresh", "config:24-28"}}},
    {0}};
static const struct sysfs_pmu skylake[] = {
    {"uncore_cha_0",
     {COMMON,
      {"umask", "config:8-15"},
      {"thresh", "config:24-31"},
      {"filter_tid", "config1:0-8"},
      {"filter_opc0", "config1:41-50"}}},
    {"uncore_iio_0",
     {COMMON,
      {"umask", "config:8-15"},
      {"thresh", "config:24-35"},
      {"ch_mask", "config:36-43"},
      {"fc_mask", "config:44-46"}}},
    {"uncore_pcu", {COMMON, {"umask", "config:8-15"}, {"thresh", "config:24-31"}}},
    {0}};
static const struct sysfs_pmu icelake[] = {
    {"uncore_cha_0",
     {COMMON, {"umask", "config:8-15,32-57"}, {"thresh", "config:24-31"}, {"filter_tid", "config1:0-9"}}},
    {"uncore_iio_0",
     {COMMON,
      {"umask", "config:8-15"},
      {"thresh", "config:24-35"},
      {"ch_mask", "config:36-47"},
      {"fc_mask", "config:48-50"}}},
    {"uncore_iio_free_running_0", {{"event", "config:0-7"}, {"umask", "config:8-15"}}},
    {"uncore_imc_0", {COMMON, {"umask", "config:8-15"}, {"thresh", "config:24-31"}}},
    {"uncore_upi_0", {COMMON, {"umask", "config:8-15,32-55"}, {"thresh", "config:24-31"}}},
    {"uncore_pcu", {COMMON, {"umask", "config:8-15"}, {"thresh", "config:24-31"}}},
    {"cpu",
     {COMMON,
      {"umask", "config:8-15"},
      {"any", "config:21"},
      {"cmask", "config:24-31"},
      {"offcore_rsp", "config1:0-63"},
      {"ldlat", "config1:0-15"}}},
    {0}};
static const struct sysfs_pmu sapphire[] = {
    {"uncore_cha_0", {COMMON, {"umask", "config:8-15,32-63"}, {"tid_en", "config:16"}, {"thresh", "config:24-31"}}},
    {"uncore_iio_0",
     {COMMON,
      {"umask", "config:8-15"},
      {"thresh", "config:24-35"},
      {"ch_mask", "config:36-47"},
      {"fc_mask", "config:48-50"}}},
    {"uncore_m2m_0", {COMMON, {"umask", "config:8-15,32-55"}, {"thresh", "config:24-31"}}},
    {0}};
static const struct sysfs_pmu granite[] = {
    {"uncore_cha_0", {COMMON, {"umask", "config:8-15,32-63"}, {"thresh", "config:24-31"}}},
    {"uncore_iio_0",
     {COMMON,
      {"umask", "config:8-15"},
      {"thresh", "config:24-35"},
      {"ch_mask", "config:36-47"},
      {"fc_mask", "config:48-50"}}},
    {"uncore_b2cmi_0", {COMMON, {"umask", "config:8-15,32-63"}, {"thresh", "config:24-31"}}},
    {0}};

static void put_file(const char *name, const char *text)
{
  char path[400];
  snprintf(path, sizeof path, "mkdir -p \"$(dirname '%s/%s')\"", folder, name);
  assert_int_equal(system(path), 0);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fprintf(f, "%s\n", text);
  fclose(f);
}

static void put(const char *pmu, const char *file, const char *text)
{
  char name[200];
  snprintf(name, sizeof name, "sys/bus/event_source/devices/%s/%s", pmu, file);
  put_file(name, text);
}

/* Makes the tree of one generation, in place of the previous one. */
static struct pmon_system make_tree(const struct sysfs_pmu *pmus)
{
  static char sys[80], dev[80], proc[80];
  char command[200];
  snprintf(command, sizeof command, "rm -rf '%s/sys' && mkdir -p '%s/sys' '%s/dev' '%s/proc'", folder, folder, folder,
           folder);
  assert_int_equal(system(command), 0);
  put_file("sys/devices/system/cpu/online", "0");
  put_file("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0");
  for (unsigned i = 0; pmus[i].name; i++) {
    char type[8], file[40];
    snprintf(type, sizeof type, "%u", 10 + i);
    put(pmus[i].name, "type", type);
    if (strcmp(pmus[i].name, "cpu"))
      put(pmus[i].name, "cpumask", "0");
    for (unsigned k = 0; k < 12 && pmus[i].formats[k][0]; k++) {
      snprintf(file, sizeof file, "format/%s", pmus[i].formats[k][0]);
      put(pmus[i].name, file, pmus[i].formats[k][1]);
    }
  }
  snprintf(sys, sizeof sys, "%s/sys", folder);
  snprintf(dev, sizeof dev, "%s/dev", folder);
  snprintf(proc, sizeof proc, "%s/proc", folder);
  return (struct pmon_system){.size = sizeof(struct pmon_system), .dev = dev, .sys = sys, .proc = proc, .end_fd = -1};
}

static const struct {
  const struct sysfs_pmu *pmus;
  const char *platform, *event, *pmu;
  uint64_t config, config1;
} rows[] = {
    {broadwell, "bdx", "cbox0/TOR_INSERTS.OPCODE,filter_opc=0x19e/", "uncore_cbox_0", 0x135, 0x19e0000000000000},
    {broadwell, "bdx", "cbox0/LLC_LOOKUP.ANY,filter_state=0x1/", "uncore_cbox_0", 0x1134, 0x20000},
    {broadwell, "bdx", "UNC_Q_TxL_FLITS_G1.DRS", "uncore_qpi_0", 0x201800, 0},
    {broadwell, "bdx", "UNC_H_REQUESTS.READS", "uncore_ha_0", 0x301, 0},
    {broadwell, "bdx", "UNC_M_DCLOCKTICKS", "uncore_imc_0", 0xff, 0},
    {broadwell, "bdx", "UNC_P_POWER_STATE_OCCUPANCY.CORES_C0", "uncore_pcu", 0x4080, 0},
    {skylake, "skx", "UNC_CHA_TOR_INSERTS.IA_MISS_DRD", "uncore_cha_0", 0x2135, 0x40433},
    {skylake, "skx", "UNC_CHA_TOR_INSERTS.IA_MISS_CRD", "uncore_cha_0", 0x2135, 0x40233},
    {skylake, "skx", "cha0/TOR_INSERTS.IA_MISS,filter_opc0=0x202/", "uncore_cha_0", 0x2135, 0x4040000000000},
    {skylake, "skx", "UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART0", "uncore_iio_0", 0x701000000483, 0},
    {skylake, "skx", "UNC_P_POWER_STATE_OCCUPANCY.CORES_C0", "uncore_pcu", 0x4080, 0},
    {icelake, "icx", "UNC_CHA_TOR_INSERTS.IA_MISS_DRD", "uncore_cha_0", 0xc817fe00000135, 0},
    {icelake, "icx", "cha0/CLOCKTICKS,thresh=3,edge_det=1,inv=1/", "uncore_cha_0", 0x3840000, 0},
    {icelake, "icx", "UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART1", "uncore_iio_0", 0x7002000000483, 0},
    {icelake, "icx", "UNC_IIO_BANDWIDTH_IN.PART2_FREERUN", "uncore_iio_free_running_0", 0x22ff, 0},
    {icelake, "icx", "UNC_M_HCLOCKTICKS", "uncore_imc_0", 0xff, 0},
    {icelake, "icx", "UNC_UPI_RxL_BASIC_HDR_MATCH.REQ_OPC", "uncore_upi_0", 0x100000805, 0},
    {icelake, "icx", "UNC_P_POWER_STATE_OCCUPANCY_CORES_C6", "uncore_pcu", 0xc080, 0},
    {icelake, "icx", "INST_RETIRED.ANY", "cpu", 0xc0, 0},
    {icelake, "icx", "CPU_CLK_UNHALTED.REF_TSC", "cpu", 0x300, 0},
    {icelake, "icx", "OCR.READS.DRAM", "cpu", 0x1b7, 0x184000001},
    {icelake, "icx", "STALLS.MEM", "cpu", 0x142014a3, 0},
    {sapphire, "spr_events", "UNC_CHA_TOR_INSERTS.IA_MISS_DRD", "uncore_cha_0", 0xc817fe00000135, 0},
    {sapphire, "spr_events", "UNC_IIO_DATA_REQ_BY_CPU.MEM_READ.PART0", "uncore_iio_0", 0x70010000004c0, 0},
    {sapphire, "spr_events", "UNC_M2M_DIRECTORY_UPDATE.ANY", "uncore_m2m_0", 0x300000121, 0},
    {granite, "gnr", "UNC_CHA_LLC_LOOKUP.RFO", "uncore_cha_0", 0x1bc80000ff34, 0},
    {granite, "gnr", "UNC_IIO_DATA_REQ_OF_CPU.PEER_WRITE.PART0", "uncore_iio_0", 0x7001000000283, 0},
    {granite, "gnr", "UNC_B2CMI_IMC_READS.NORMAL", "uncore_b2cmi_0", 0x100000124, 0},
};

static void events_become_the_words_of_each_generation(void **state)
{
  (void)state;
  const struct sysfs_pmu *made = NULL;
  struct pmon_system system = {0};
  struct pmon_context *context = NULL;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].pmus != made) {
      char path[128];
      pmon_context_free(context);
      assert_int_equal(pmon_context_new(&context), 0);
      system = make_tree(made = rows[i].pmus);
      snprintf(path, sizeof path, "%s/platforms/%s.platform", folder, rows[i].platform);
      if (pmon_context_load(context, path))
        fail_msg("%s", pmon_context_error(context));
    }
    struct pmon_event *event;
    struct pmon_perf_attr attr = {.size = sizeof attr};
    struct pmon_reason reason = {""};
    if (pmon_event_resolve(context, pmon_platform_get(context, 0), rows[i].event, &event))
      fail_msg("%s: %s", rows[i].event, pmon_context_error(context));
    if (pmon_event_perf_attr(event, &system, &(struct pmon_scope){0, 0}, &attr, &reason))
      fail_msg("%s: %s", rows[i].event, reason.text);
    if (strcmp(attr.pmu, rows[i].pmu) || attr.config != rows[i].config || attr.config1 != rows[i].config1)
      fail_msg("%s on %s: %s config=0x%llx,config1=0x%llx", rows[i].event, rows[i].platform, attr.pmu,
               (unsigned long long)attr.config, (unsigned long long)attr.config1);
    assert_int_equal(attr.config2, 0);
    pmon_event_free(event);
  }
  pmon_context_free(context);
}

/* The message names a term for which the host's kernel has no format. */
static void a_missing_format_is_reported(void **state)
{
  (void)state;
  struct pmon_context *context;
  struct pmon_event *event;
  struct pmon_perf_attr attr = {.size = sizeof attr};
  struct pmon_reason reason = {""};
  char path[128];
  const struct pmon_system system = make_tree(icelake);
  snprintf(path, sizeof path, "%s/platforms/skx.platform", folder);
  assert_int_equal(pmon_context_new(&context), 0);
  assert_int_equal(pmon_context_load(context, path), 0);
  assert_int_equal(
      pmon_event_resolve(context, pmon_platform_get(context, 0), "cha0/TOR_INSERTS.IA_MISS,filter_opc0=1/", &event), 0);
  assert_int_equal(pmon_event_perf_attr(event, &system, &(struct pmon_scope){0, 0}, &attr, &reason),
                   PMON_E_UNSUPPORTED);
  assert_non_null(strstr(reason.text, "filter_opc0=0x1"));
  /* No register address is made up either. */
  struct pmon_image image;
  assert_int_equal(pmon_event_encode(event, 0, 0, 0, &image), PMON_E_UNSUPPORTED);
  assert_non_null(strstr(pmon_context_error(context), "the register addresses of unit cha are not known"));
  struct pmon_address address;
  assert_int_equal(pmon_register_address(pmon_platform_get(context, 0), &(struct pmon_register_id){0}, &address),
                   PMON_E_UNSUPPORTED);
  pmon_event_free(event);
  pmon_context_free(context);
}

/* Two events that need one filter are multiplexed; the witness, which shows the package's activity, counts all the
 * time. */
static void an_imported_processor_has_a_witness(void **state)
{
  (void)state;
  struct pmon_context *context;
  struct pmon_plan *plan;
  struct pmon_plan_info info = {.size = sizeof info};
  char path[128];
  snprintf(path, sizeof path, "%s/platforms/srf.platform", folder);
  assert_int_equal(pmon_context_new(&context), 0);
  assert_int_equal(pmon_context_load(context, path), 0);
  assert_int_equal(pmon_plan_new(context, pmon_platform_get(context, 0), &plan), 0);
  assert_int_equal(pmon_plan_add_events(plan, "cha/TOR_INSERTS.IA_MISS_DRD_OPT,filter_tid=1/,"
                                              "cha/TOR_INSERTS.IA_MISS_DRD_OPT,filter_tid=2/"),
                   0);
  assert_int_equal(pmon_plan_schedule(plan), 0);
  assert_int_equal(pmon_plan_describe(plan, &info), 0);
  assert_int_equal(info.rounds, 2);
  assert_int_equal(info.witnesses, 1);
  assert_string_equal(pmon_event_name(pmon_plan_witness(plan, 0)), "b2cmi/IMC_READS.ALL/");
  pmon_plan_free(plan);
  pmon_context_free(context);
}

static int import_sample(void **state)
{
  (void)state;
  char command[600];
  if (!mkdtemp(folder))
    return -1;
  /* The sample has files of another processor that cannot be read: exit code 1. */
  snprintf(command, sizeof command, "'%s' import '%s' -o '%s/platforms' >'%s/out' 2>&1", pmon, sample, folder, folder);
  const int status = system(command);
  return WIFEXITED(status) && WEXITSTATUS(status) == 1 ? 0 : -1;
}

static int remove_tree(void **state)
{
  (void)state;
  char command[80];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  return system(command);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(events_become_the_words_of_each_generation),
      cmocka_unit_test(a_missing_format_is_reported),
      cmocka_unit_test(an_imported_processor_has_a_witness),
  };
  if (argc != 3)
    return 2;
  pmon = argv[1];
  sample = argv[2];
  return cmocka_run_group_tests(tests, import_sample, remove_tree);
}

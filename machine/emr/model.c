/* SPDX-License-Identifier: MIT */
/* The processor model of Emerald Rapids. */
#include <string.h>
#include "machine/common/model.h"
#include "machine/emr/drives.h"
#include "machine/emr/info.h"
#include "machine/emr/units.h"

/* 1.3 to 1.6, Tables 1-3 and 1-5; the fixed counters' bit: Table 2-129 */
static const struct pmon_rules rules = {
    .freeze = 1u << 0,
    .reset_controls = 1u << 8,
    .reset_counters = 1u << 9,
    .overflow_report = 1u << 20,
    .fixed_overflow_report = 1u << 20,
    .shape_section = "Table 1-5",
    .info_section = "1.9, 1.10",
};

static const struct platform_clock clocks[] = {{"uclk", 0, CONFIG_UNCORE_GHZ, 1},
                                               {"dclk", 0, CONFIG_DRAM_GHZ, 1},
                                               {"upi", 0, CONFIG_UPI_GT, 8},
                                               {"ioclk", 1000000000, 0, 0},
                                               {"pclk", 1000000000, 0, 0},
                                               {"lfclk", 1000000000, 0, 0},
                                               {0}};

static unsigned emr_unit_instances(const struct machine_config *config, const struct pmon_unit *u)
{
  static const struct {
    const char *unit;
    unsigned id, times;
  } counts[] = {
      {"cha", CONFIG_CHAS, 1},          {"iio", CONFIG_IIO_STACKS, 1},  {"irp", CONFIG_IIO_STACKS, 1},
      {"m2pcie", CONFIG_IIO_STACKS, 1}, {"imc", CONFIG_IMCS, 2},        {"m2m", CONFIG_IMCS, 1},
      {"upi", CONFIG_UPI_LINKS, 1},     {"m3upi", CONFIG_UPI_LINKS, 1},
  };
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    if (!strcmp(u->name, counts[i].unit)) {
      uint64_t n = config->value[counts[i].id] * counts[i].times;
      return n < u->instances ? (unsigned)n : u->instances;
    }
  return u->instances;
}

static const struct machine_platform pmon = {.name = "emr",
                                             .units = emr_units,
                                             .globals = emr_globals,
                                             .rules = &rules,
                                             .clocks = clocks,
                                             .present = emr_unit_instances,
                                             .info = emr_info};

static const struct model_shape shapes[] = {
    {"cha", CONFIG_CHAS}, {"iio", CONFIG_IIO_STACKS}, {"m2m", CONFIG_IMCS}, {"upi", CONFIG_UPI_LINKS}, {0}};

static unsigned emr_config_check(const struct machine_config *config, const char **ret_reason)
{
  const uint64_t *v = config->value;
  if (v[CONFIG_IMCS] * v[CONFIG_CHANNELS] > 8 || v[CONFIG_CHANNELS] > 2) {
    *ret_reason = "too many channels for this processor";
    return CONFIG_CHANNELS;
  }
  if (v[CONFIG_DRAM_SUBS] != 2 || !v[CONFIG_DIRECTORY]) {
    *ret_reason = "emr has two sub-channels and a directory";
    return CONFIG_PLATFORM;
  }
  *ret_reason = "emr has up to four";
  return v[CONFIG_DRAM_RANKS] > 4 ? (unsigned)CONFIG_DRAM_RANKS : (unsigned)CONFIG_N;
}

/* Linux 6.11 and later set memory-mapped units up when a socket's second processor comes. The firmware numbers the two
 * buses and that of the accelerator stack with the discovery device, here as info.c does. The memory BARs lie where the
 * discovery page of the machine says: MEM0 to MEM3, a MB each, then the CXL blocks. Socket 0 of two. */
static const struct guest_kind guest = {.name = "emr",
                                        .cpu = "SandyBridge,model=207,stepping=2" GUEST_CPU_FLAGS,
                                        .express = true,
                                        .next_buses = 0x80,
                                        .newer = {6, 11, 2},
                                        .n_buses = 3,
                                        .bus = {{31, 0x7f}, {30, 0x7e}, {7, 0x67}},
                                        .bar_device = PMON_BAR_DISCOVERY,
                                        .next_areas = 0x8000000,
                                        .n_areas = 5,
                                        .area = {{0, 0xe8000000, 0x100000},
                                                 {1, 0xe8100000, 0x100000},
                                                 {2, 0xe8200000, 0x100000},
                                                 {3, 0xe8300000, 0x100000},
                                                 {PMON_BAR_CXL, 0xea000000, 0x100000}}};

const struct processor_model emr_model = {.name = "emr",
                                          .inputs = MODEL_PROGRAMS | MODEL_SCENARIOS,
                                          .pmon = &pmon,
                                          .uncore = &emr_uncore,
                                          .shapes = shapes,
                                          .check = emr_config_check,
                                          .reports = emr_reports,
                                          .drives = emr_drives,
                                          .reasons = emr_reasons,
                                          .discovery = emr_discovery_build,
                                          .guest = &guest};

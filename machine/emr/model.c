/* SPDX-License-Identifier: MIT */
/* The processor models of Emerald Rapids and Sapphire Rapids, whose uncores are the same hardware: they differ in the
 * reference machine, in CPUID, and in the mapping of bus numbers to I/O stacks. */
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

static const struct platform_clock clocks[] = {{"uclk", 0, CONFIG_UNCORE_GHZ, 1}, {"tsc", 0, CONFIG_TSC_GHZ, 1},
                                               {"dclk", 0, CONFIG_DRAM_GHZ, 1},   {"upi", 0, CONFIG_UPI_GT, 8},
                                               {"ioclk", 1000000000, 0, 0},       {"pclk", 1000000000, 0, 0},
                                               {"lfclk", 1000000000, 0, 0},       {0}};

static unsigned emr_unit_instances(const struct machine_config *config, const struct pmon_unit *u)
{
  static const struct {
    const char *unit;
    unsigned id, times;
  } counts[] = {
      {"cha", CONFIG_CHAS, 1},          {"iio", CONFIG_IIO_STACKS, 1},  {"irp", CONFIG_IIO_STACKS, 1},
      {"m2pcie", CONFIG_IIO_STACKS, 1}, {"imc", CONFIG_IMCS, 2},        {"m2m", CONFIG_IMCS, 1},
      {"upi", CONFIG_UPI_LINKS, 1},     {"m3upi", CONFIG_UPI_LINKS, 1}, {"core", CONFIG_CORES, 1},
  };
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    if (!strcmp(u->name, counts[i].unit)) {
      uint64_t n = config->value[counts[i].id] * counts[i].times;
      return n < u->instances ? (unsigned)n : u->instances;
    }
  return u->instances;
}

/* The mapping on a die with CAPID4's chop 3, from Intel PCM (pcm-iio), like the device that has these numbers, and its
 * offsets. */
enum { NONE = MACHINE_STACKS };
static const uint8_t emr_stack_of_bus[MACHINE_BUSES] = {7, 1, 2, 3, 8,    6,    NONE, NONE,
                                                        0, 4, 5, 9, NONE, NONE, NONE, NONE},
                     spr_stack_of_bus[MACHINE_BUSES] = {1, 2, 4, 6, 7,    9,    NONE, NONE,
                                                        0, 3, 5, 8, NONE, NONE, NONE, NONE};

#define EMR_PMON(platform, buses)                                                                                      \
  {                                                                                                                    \
    .name = (platform), .units = emr_units, .globals = emr_globals, .rules = &rules, .clocks = clocks,                 \
    .present = emr_unit_instances, .info = emr_info, .stack_of_bus = (buses)                                           \
  }
static const struct machine_platform emr_pmon = EMR_PMON("emr", emr_stack_of_bus),
                                     spr_pmon = EMR_PMON("spr", spr_stack_of_bus);

static const struct model_shape shapes[] = {
    {"cha", CONFIG_CHAS}, {"iio", CONFIG_IIO_STACKS}, {"m2m", CONFIG_IMCS}, {"upi", CONFIG_UPI_LINKS}, {0}};

static const unsigned unused[] = {CONFIG_DIRECT2CORE, CONFIG_N};

static unsigned emr_config_check(const struct machine_config *config, const char **ret_reason)
{
  const uint64_t *v = config->value;
  if (v[CONFIG_IMCS] * v[CONFIG_CHANNELS] > 8 || v[CONFIG_CHANNELS] > 2) {
    *ret_reason = "this processor has at most 2 channels per memory controller";
    return CONFIG_CHANNELS;
  }
  if (v[CONFIG_DRAM_SUBS] != 2 || !v[CONFIG_DIRECTORY]) {
    *ret_reason = "this processor requires dram.subchannels=2 and directory=on";
    return v[CONFIG_DIRECTORY] ? CONFIG_DRAM_SUBS : CONFIG_DIRECTORY;
  }
  *ret_reason = "this processor has at most 4 ranks per channel";
  return v[CONFIG_DRAM_RANKS] > 4 ? (unsigned)CONFIG_DRAM_RANKS : (unsigned)CONFIG_N;
}

/* Linux 6.11 and later set up memory-mapped units when a socket's second processor comes online. The firmware numbers
 * the two buses and the accelerator stack's bus with the discovery device, here as info.c does. The memory BARs are at
 * the addresses of the machine's discovery page: MEM0 to MEM3, a MB each, then the CXL blocks. Socket 0 of two. */
#define EMR_GUEST(platform, model)                                                                                     \
  {                                                                                                                    \
    .name = (platform), .cpu = "SandyBridge,model=" model GUEST_CPU_FLAGS, .recent = true, .express = true,            \
    .next_buses = 0x80, .newer = {6, 11, 2}, .n_buses = 3, .bus = {{31, 0x7f}, {30, 0x7e}, {7, 0x67}},                 \
    .bar_device = PMON_BAR_DISCOVERY, .next_areas = 0x8000000, .n_areas = 5, .area = {                                 \
      {0, 0xe8000000, 0x100000},                                                                                       \
      {1, 0xe8100000, 0x100000},                                                                                       \
      {2, 0xe8200000, 0x100000},                                                                                       \
      {3, 0xe8300000, 0x100000},                                                                                       \
      {PMON_BAR_CXL, 0xea000000, 0x100000}                                                                             \
    }                                                                                                                  \
  }
static const struct guest_kind emr_guest = EMR_GUEST("emr", "207,stepping=2"),
                               spr_guest = EMR_GUEST("spr", "143,stepping=8");

/* A socket of 56 cores: 105 MB of last-level cache in slices of 15 ways, DDR5-4800, links of 16 GT/s. Ways: public
 * product data; the other figures are those of the Xeon Platinum 8480+ there. */
static const struct model_setting spr_settings[] = {
    {CONFIG_CORES, 56},     {CONFIG_CHAS, 56},        {CONFIG_LLC_SIZE, 1920 << 10}, {CONFIG_LLC_WAYS, 15},
    {CONFIG_TSC_GHZ, 2000}, {CONFIG_MESH_COLUMNS, 8}, {CONFIG_DRAM_GHZ, 2400},       {CONFIG_UPI_GT, 16000}};

#define EMR_MODEL                                                                                                      \
  .inputs = MODEL_PROGRAMS | MODEL_SCENARIOS, .uncore = &emr_uncore, .shapes = shapes, .unused = unused,               \
  .check = emr_config_check, .reports = emr_reports, .drives = emr_drives, .reasons = emr_reasons,                     \
  .discovery = emr_discovery_build
const struct processor_model emr_model = {.name = "emr", .pmon = &emr_pmon, .guest = &emr_guest, EMR_MODEL};
const struct processor_model spr_model = {.name = "spr",
                                          .pmon = &spr_pmon,
                                          .guest = &spr_guest,
                                          .settings = spr_settings,
                                          .n_settings = sizeof spr_settings / sizeof *spr_settings,
                                          EMR_MODEL};

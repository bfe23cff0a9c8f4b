/* SPDX-License-Identifier: MIT */
/* The processor model of the E5-2600. */
#include <string.h>
#include "machine/common/model.h"
#include "machine/snbep/drives.h"
#include "machine/snbep/units.h"

/* Tables 2-9, 2-10, 2-34, 2-74, 2-85 and the notes on edge_det and invert */
static const struct pmon_rules rules = {
    .enable = 1u << 22,
    .freeze = 1u << 8,
    .freeze_enable = 1u << 16,
    .reset_controls = 1u << 0,
    .reset_counters = 1u << 1,
    .shape_section = "Table 2-10",
    .info_section = "1.5",
};

static const struct platform_clock clocks[] = {{"uclk", 0, CONFIG_UNCORE_GHZ, 1}, {"tsc", 0, CONFIG_TSC_GHZ, 1},
                                               {"dclk", 0, CONFIG_DRAM_GHZ, 1},   {"qfclk", 0, CONFIG_UPI_GT, 8},
                                               {"pclk", 800000000, 0, 0},         {0}};

/* The CBo of a missing slice stays active for the core beside it (2.3.1). */
static unsigned snbep_unit_instances(const struct machine_config *config, const struct pmon_unit *u)
{
  static const struct {
    const char *unit;
    unsigned id, times, least;
  } counts[] = {
      {"cbo", CONFIG_CHAS, 0, CONFIG_CORES},          {"imc", CONFIG_IMCS, CONFIG_CHANNELS, CONFIG_IMCS},
      {"qpi", CONFIG_UPI_LINKS, 0, CONFIG_UPI_LINKS}, {"r3qpi", CONFIG_UPI_LINKS, 0, CONFIG_UPI_LINKS},
      {"core", CONFIG_CORES, 0, CONFIG_CORES},
  };
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    if (!strcmp(u->name, counts[i].unit)) {
      uint64_t n = config->value[counts[i].id] * (counts[i].times ? config->value[counts[i].times] : 1);
      n = n > config->value[counts[i].least] ? n : config->value[counts[i].least];
      return n < u->instances ? (unsigned)n : u->instances;
    }
  return u->instances;
}

static const struct reg_rows no_globals[] = {{0}};

static const struct machine_platform pmon = {.name = "snbep",
                                             .units = snbep_units,
                                             .globals = no_globals,
                                             .rules = &rules,
                                             .clocks = clocks,
                                             .present = snbep_unit_instances,
                                             .info = snbep_info};

/* Two sockets of Xeon E5-2680 with DDR3-1600; an LLC of 2.5 MB per core, filled by each miss, and two links. */
static const struct model_setting settings[] = {
    {CONFIG_PLATFORM, 1},
    {CONFIG_CORES, 8},
    {CONFIG_CORE_GHZ, 2700},
    {CONFIG_TSC_GHZ, 2700},
    {CONFIG_CORE_CPI, 450},
    {CONFIG_CORE_WINDOW, 168},
    {CONFIG_CORE_LOADS, 64},
    {CONFIG_CORE_MLP, 10},
    {CONFIG_CORE_STORES, 36},
    {CONFIG_CORE_WIDTH, 4},
    {CONFIG_CORE_MISPREDICT, 15},
    {CONFIG_LATENCY_LOAD, 4},
    {CONFIG_LATENCY_DIV, 26},
    {CONFIG_LATENCY_FMUL, 5},
    {CONFIG_LATENCY_FDIV, 22},
    {CONFIG_LATENCY_LOCKED, 22},
    {CONFIG_L1D_SIZE, 32 << 10},
    {CONFIG_L1D_WAYS, 8},
    {CONFIG_L2_SIZE, 256 << 10},
    {CONFIG_L2_WAYS, 8},
    {CONFIG_L2_LATENCY, 12},
    {CONFIG_L2_BANDWIDTH, 32},
    {CONFIG_L2_MSHRS, 16},
    {CONFIG_DTLB_4K, 64},
    {CONFIG_DTLB_WAYS, 4},
    {CONFIG_DTLB_1G, 4},
    {CONFIG_PREFETCH_AHEAD, 16},
    {CONFIG_CHAS, 8},
    {CONFIG_LLC_SIZE, 2560 << 10},
    {CONFIG_SF_SETS, 1},
    {CONFIG_SF_WAYS, 1},
    {CONFIG_UNCORE_GHZ, 2700},
    {CONFIG_MESH_HOP, 1},
    {CONFIG_MESH_ENTER, 3},
    {CONFIG_CHA_PIPE, 12},
    {CONFIG_CHA_TOR, 20},
    {CONFIG_M2M_PIPE, 10},
    {CONFIG_IMCS, 1},
    {CONFIG_CHANNELS, 4},
    {CONFIG_DRAM_GHZ, 800},
    {CONFIG_DRAM_SUBS, 1},
    {CONFIG_DRAM_BURST, 4},
    {CONFIG_DRAM_BANKS, 8},
    {CONFIG_DRAM_PIPE, 15000},
    {CONFIG_DRAM_CL, 13750},
    {CONFIG_DRAM_TRCD, 13750},
    {CONFIG_DRAM_TRP, 13750},
    {CONFIG_DRAM_TRAS, 35000},
    {CONFIG_DRAM_TRTP, 7500},
    {CONFIG_DRAM_TWR, 15000},
    {CONFIG_DRAM_TRFC, 260000},
    {CONFIG_DRAM_TREFI, 7800000},
    {CONFIG_DRAM_REFRESH, 0}, /* DDR3 has no other kind (JESD79-3), and postpones eight */
    {CONFIG_DRAM_POSTPONE, 8},
    {CONFIG_DRAM_TFAW, 40000},
    {CONFIG_DRAM_TWTR, 7500},
    {CONFIG_DRAM_TWTR_S, 7500},
    {CONFIG_PREFETCH_NEXT_PAGE, 0}, /* Ivy Bridge and later have it (Intel's optimization manual) */
    {CONFIG_DRAM_RPQ, 22},
    {CONFIG_DRAM_WPQ, 32},
    {CONFIG_DRAM_WPQ_HIGH, 24},
    {CONFIG_DRAM_WPQ_LOW, 8},
    {CONFIG_UPI_LINKS, 2},
    {CONFIG_UPI_GT, 8000},
    {CONFIG_UPI_FLIGHT, 20000},
    {CONFIG_IIO_STACKS, 1},
    {CONFIG_DIRECTORY, 0},
    {CONFIG_PCIE_GENERATION, 3},
    {CONFIG_UPI_L0P, 1},
};

/* Queue entries: the largest increment of their occupancy in a cycle. The store buffer: Intel's optimization manual. */
static const struct config_source origins[] = {{CONFIG_CHA_TOR, "guide"},
                                               {CONFIG_DRAM_RPQ, "guide"},
                                               {CONFIG_DRAM_WPQ, "guide"},
                                               {CONFIG_CORE_STORES, "Intel, unverified"},
                                               {CONFIG_N, NULL}};

static const struct model_shape shapes[] = {
    {"cbo", CONFIG_CHAS}, {"cbo", CONFIG_CORES}, {"imc", CONFIG_CHANNELS}, {"qpi", CONFIG_UPI_LINKS}, {0}};

/* Parameters of a mesh, of snoop filters and links, of requests that this processor's cores and home agents do not
 * make, of what fills the LLC (here every miss), and of the freeze on overflow, which its counters cannot request. */
static const unsigned unused[] = {CONFIG_PREFETCH_CODE, CONFIG_CORE_READS, CONFIG_CORE_WALKS,   CONFIG_SF_SETS,
                                  CONFIG_SF_WAYS,       CONFIG_UPI_LANES,  CONFIG_MESH_COLUMNS, CONFIG_FREEZE_DELAY,
                                  CONFIG_AHEAD,         CONFIG_OSB,        CONFIG_LLC_POLICY,   CONFIG_N};

static unsigned snbep_config_check(const struct machine_config *config, const char **ret_reason)
{
  const uint64_t *v = config->value;
  if (v[CONFIG_IMCS] * v[CONFIG_CHANNELS] > 4) {
    *ret_reason = "this processor has at most 4 memory channels (imcs x channels)";
    return CONFIG_CHANNELS;
  }
  if (!v[CONFIG_L2_SIZE]) {
    *ret_reason = "this processor has a second-level cache; 0 is not possible";
    return CONFIG_L2_SIZE;
  }
  if (v[CONFIG_IOMMU]) {
    *ret_reason = "this processor's machine does not translate device addresses; set it to off";
    return CONFIG_IOMMU;
  }
  *ret_reason = "this processor has at most 8 cores, 8 LLC slices (chas) and 2 links (upi.links)";
  return v[CONFIG_CORES] > 8       ? CONFIG_CORES
         : v[CONFIG_CHAS] > 8      ? CONFIG_CHAS
         : v[CONFIG_UPI_LINKS] > 2 ? CONFIG_UPI_LINKS
                                   : CONFIG_N;
}

/* The E5-2600's uncore bus is 7Fh, as in its device numbers. Since 6.9, Linux limits the number of CBos to the
 * number of present cores; without the hypervisor CPUID bit it adds no cores for hot-plug. The buses are those of
 * socket 0 of two. */
static const struct guest_kind guest = {.name = "snbep",
                                        .cpu = "SandyBridge,model=45,stepping=7" GUEST_CPU_FLAGS,
                                        .counters = true,
                                        .next_buses = 0x80,
                                        .newer = {6, 9, 0},
                                        .n_buses = 1,
                                        .bus = {{63, 0x7f}}};

const struct processor_model snbep_model = {.name = "snbep",
                                            .inputs = MODEL_PROGRAMS | MODEL_SCENARIOS,
                                            .pmon = &pmon,
                                            .uncore = &snbep_uncore,
                                            .settings = settings,
                                            .n_settings = sizeof settings / sizeof *settings,
                                            .origins = origins,
                                            .shapes = shapes,
                                            .unused = unused,
                                            .check = snbep_config_check,
                                            .reports = snbep_reports,
                                            .drives = snbep_drives,
                                            .reasons = snbep_reasons,
                                            .guest = &guest};

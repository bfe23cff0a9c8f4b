/* SPDX-License-Identifier: MIT */
/* Emerald Rapids as the machine builds it. */
#include <string.h>
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

static unsigned present(const struct machine_config *config, const struct pmon_unit *u)
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

const struct machine_platform emr_platform = {"emr",       emr_units,  emr_globals, &rules,
                                              clocks,      present,    emr_info,    emr_discovery_build,
                                              emr_reports, emr_drives, emr_reasons};

/* SPDX-License-Identifier: MIT */
/* The E5-2600 as the machine builds it. */
#include <string.h>
#include "machine/snbep/drives.h"
#include "machine/snbep/units.h"

/* Tables 2-9, 2-10, 2-34, 2-74, 2-85 and the notes beside edge_det and invert */
static const struct pmon_rules rules = {
    .enable = 1u << 22,
    .freeze = 1u << 8,
    .freeze_enable = 1u << 16,
    .reset_controls = 1u << 0,
    .reset_counters = 1u << 1,
    .shape_section = "Table 2-10",
    .info_section = "1.5",
};

static const struct platform_clock clocks[] = {{"uclk", 0, CONFIG_UNCORE_GHZ, 1},
                                               {"dclk", 0, CONFIG_DRAM_GHZ, 1},
                                               {"qfclk", 0, CONFIG_UPI_GT, 8},
                                               {"pclk", 800000000, 0, 0},
                                               {0}};

static unsigned present(const struct machine_config *config, const struct pmon_unit *u)
{
  static const struct {
    const char *unit;
    unsigned id, times;
  } counts[] = {
      {"cbo", CONFIG_CHAS, 0},
      {"imc", CONFIG_IMCS, CONFIG_CHANNELS},
      {"qpi", CONFIG_UPI_LINKS, 0},
      {"r3qpi", CONFIG_UPI_LINKS, 0},
  };
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    if (!strcmp(u->name, counts[i].unit)) {
      uint64_t n = config->value[counts[i].id] * (counts[i].times ? config->value[counts[i].times] : 1);
      return n < u->instances ? (unsigned)n : u->instances;
    }
  return u->instances;
}

static const struct reg_rows no_globals[] = {{0}};

const struct machine_platform snbep_platform = {"snbep",       snbep_units,  no_globals,   &rules,
                                                clocks,        present,      snbep_info,   NULL,
                                                snbep_reports, snbep_drives, snbep_reasons};

/* SPDX-License-Identifier: MIT */
/* Tables 1-1 to 1-12, 2-72 to 2-75, 2-129 to 2-133, 2-184 to 2-187, 2-231 to 2-234, 2-419: the machine's own copy. */
#include <pmon/access.h>
#include "machine/common/core_units.h"
#include "machine/common/memory.h"
#include "machine/emr/attr.h"
#include "machine/emr/match.h"
#include "machine/emr/monitoring.h"
#include "machine/emr/units.h"

/* ev_sel, umask, edge_det, frz_ovf, invert, thresh */
#define BASELINE (BITS(15, 0) | BIT(18) | BIT(20) | BITS(31, 23))

static const struct reg_layout global_ctl = {"GLOBAL_CTL", "Table 1-1", .wo = BIT(0)};
static const struct reg_layout global_status[2] = {{"GLOBAL_STATUS", "Table 1-2", .w1c = BITS(63, 2)},
                                                   {"GLOBAL_STATUS", "Table 1-2", .w1c = BITS(63, 0)}};
static const struct reg_layout unit_ctl = {"UNIT_CTL", "Table 1-3", .wo = BITS(9, 8) | BIT(0)};
static const struct reg_layout unit_status[3] = {{"UNIT_STATUS", "Table 1-4", .w1c = BITS(3, 0)},
                                                 {"UNIT_STATUS", "Table 1-4", .w1c = BITS(1, 0)},
                                                 {"UNIT_STATUS", "Table 1-4", .w1c = BITS(7, 0)}};
static const struct reg_layout ctl = {"CTL", "Table 1-5", .rw = BASELINE, .wo = BIT(17)};
static const struct reg_layout cha_ctl = {"CHA_CTL", "Table 2-72", .rw = BASELINE | BIT(16) | BITS(63, 32),
                                          .wo = BIT(17)};
static const struct reg_layout iio_ctl = {"IIO_CTL", "Table 2-184", .rw = BASELINE | BITS(50, 32), .wo = BIT(17)};
/* Bits 63:32 are reserved by the table; the units' event tables use some of them, and drivers write 55:32. */
static const struct reg_layout ext_ctl = {"CTL_EXT", "Table 1-5", .rw = BASELINE | BITS(55, 32), .wo = BIT(17)};
static const struct reg_layout ctr = {"CTR", "Table 1-6", .rw = BITS(47, 0)};
static const struct reg_layout imc_ctr = {"IMC_CTR", "Table 2-130", .rw = BITS(47, 0), .ign = BITS(63, 48)};
static const struct reg_layout fixed_ctl = {"FIXED_CTL", "Table 2-129", .rw = BIT(22) | BIT(20), .wo = BIT(19),
                                            .ign = BITS(31, 23) | BIT(21) | BITS(18, 0)};
static const struct reg_layout uclk_ctl = {"UCLK_FIXED_CTL", "Table 1-8", .rw = BIT(22) | BIT(20),
                                           .ign = ~(BIT(22) | BIT(20))};
static const struct reg_layout freerunning_ctr = {"FRCTR", "Table 2-131", .ro = BITS(47, 0), .ign = BITS(63, 48)};
static const struct reg_layout cha_filter = {"FILTER", "Table 2-75", .rw = BITS(9, 0)};
static const struct reg_layout pcu_filter = {"FILTER", "Table 2-419", .rw = BITS(31, 0)};
static const struct reg_layout m2m_opcode = {"OPCODE_MM", "Table 2-232", .rw = BITS(27, 0)};
static const struct reg_layout m2m_addr0 = {"ADDR0", "Table 2-233", .rw = BITS(31, 0)};
static const struct reg_layout m2m_addr1 = {"ADDR1", "Table 2-234", .rw = BITS(14, 0)};

/* SDM4 38Dh, 38Fh: four fixed counters, eight general ones, and the performance metrics */
static const struct reg_layout fixed_counters_ctl = {"FIXED_CTR_CTRL", "SDM4 38Dh", .rw = BITS(15, 0)};
static const struct reg_layout global_counters_ctl = {"PERF_GLOBAL_CTRL", "SDM4 38Fh",
                                                      .rw = BIT(48) | BITS(35, 32) | BITS(7, 0)};

/* SDM4 C8Eh, and the kernel's sums of it: bit 63 marks a value */
static const struct reg_layout resctrl_value = {"RESCTRL_VALUE", "SDM4 C8Eh", .ro = BITS(63, 0)};

/* Table 1-8; the two words of the global status hold positions 0-63 and 64-127 */
const struct reg_rows emr_globals[] = {
    {"U_MSR_PMON_GLOBAL_CTL", &global_ctl, .elsewhere = 0x2ff0, .role = REG_GLOBAL_CTL, .width_bits = 64, .count = 1},
    {"U_MSR_PMON_GLOBAL_STATUS0", &global_status[0], .elsewhere = 0x2ff2, .role = REG_GLOBAL_STATUS, .width_bits = 64,
     .count = 1},
    {"U_MSR_PMON_GLOBAL_STATUS1", &global_status[1], .elsewhere = 0x2ff3, .role = REG_GLOBAL_STATUS, .width_bits = 64,
     .count = 1, .index = 1},
    {0}};

/* The order of registers in an MSR block (Table 1-9): control, status, controls from +2, counters from +8. */
#define MSR_BLOCK(P, layout, status, n)                                                                                \
  {P "_PMON_UNIT_CTL", &unit_ctl, 0, .role = REG_UNIT_CTL, .width_bits = 64, .count = 1},                              \
      {P "_PMON_UNIT_STATUS", status, 1, .role = REG_UNIT_STATUS, .width_bits = 64, .count = 1},                       \
      {P "_PMON_CTL#", &layout, 2, .role = REG_CTL, .width_bits = 64, .count = n, .step = 1},                          \
  {                                                                                                                    \
    P "_PMON_CTR#", &ctr, 8, .role = REG_CTR, .width_bits = 64, .count = n, .step = 1                                  \
  }
/* In configuration space and MMIO: offsets from the unit control; 64-bit controls and counters, 8 bytes apart. */
#define WIDE_BLOCK(P, layout, status, n, s, c0, r0)                                                                    \
  {P "_PMON_UNIT_CTL", &unit_ctl, 0, .role = REG_UNIT_CTL, .width_bits = 32, .count = 1},                              \
      {P "_PMON_UNIT_STATUS", status, s, .role = REG_UNIT_STATUS, .width_bits = 32, .count = 1},                       \
      {P "_PMON_CTL#", &layout, c0, .role = REG_CTL, .width_bits = 64, .count = n, .step = 8},                         \
  {                                                                                                                    \
    P "_PMON_CTR#", &ctr, r0, .role = REG_CTR, .width_bits = 64, .count = n, .step = 8                                 \
  }

#define DEVFN(bus, dev, fn) ((bus) << 8 | (dev) << 3 | (fn))
static const struct unit_place m2m_places[] = {
    {DEVFN(30, 12, 0), 0x438}, {DEVFN(30, 13, 0), 0x438}, {DEVFN(30, 14, 0), 0x438}, {DEVFN(30, 15, 0), 0x438}};
static const struct unit_place upi_places[] = {
    {DEVFN(30, 1, 1), 0x318}, {DEVFN(30, 2, 1), 0x318}, {DEVFN(30, 3, 1), 0x318}, {DEVFN(30, 4, 1), 0x318}};
static const struct unit_place m3upi_places[] = {
    {DEVFN(30, 5, 1), 0xa0}, {DEVFN(30, 6, 1), 0xa0}, {DEVFN(30, 7, 1), 0xa0}, {DEVFN(30, 8, 1), 0xa0}};
static const struct unit_place imc_places[] = {{0, 0x22800}, {0, 0x2a800}, {1, 0x22800}, {1, 0x2a800},
                                               {2, 0x22800}, {2, 0x2a800}, {3, 0x22800}, {3, 0x2a800}};
static const struct unit_place mdf_places[] = {{0, 0x2800}, {0, 0x2810}, {0, 0x2820}, {0, 0x2830}, {0, 0x28a0},
                                               {0, 0x28b0}, {0, 0x28c0}, {0, 0x28d0}, {0, 0x2940}, {0, 0x2950},
                                               {0, 0x2960}, {0, 0x2970}, {0, 0x29e0}, {0, 0x29f0}};

/* Column Ctrs where it does not list all counters: Tables 2-76, 2-188, 2-333, 2-367, 2-429. */
static const struct unit_limit cha_limits[] = {{0x11, 1}, {0x36, 1}, {0}};
static const struct unit_limit iio_limits[] = {{0x02, 3},   {0x03, 3},   {0x83, 3},   {0x88, 0xc},
                                               {0xc0, 0xc}, {0xc5, 0xc}, {0xd5, 0xc}, {0}};
static const struct unit_limit m2pcie_limits[] = {{0x14, 3}, {0x23, 3}, {0x2d, 3}, {0}};
static const struct unit_limit m3upi_limits[] = {{0x1c, 1}, {0x1d, 1}, {0x1e, 1}, {0x1f, 1}, {0x40, 7},
                                                 {0x4e, 7}, {0x4f, 7}, {0x50, 7}, {0}};
static const struct unit_limit cxlcm_limits[] = {{0x02, 0x0f}, {0x05, 0x0f}, {0x40, 0xf0}, {0x41, 0xf0}, {0x42, 0xf0},
                                                 {0x43, 0xf0}, {0x4b, 0xf0}, {0x52, 0xf0}, {0}};
/* The only Max Inc/Cyc of an event other than a clock: 2.3.3 */
static const struct unit_most imc_most[] = {{0xd3, 1, MOST_SPREAD}, {0}};
/* PMAX_THROTTLED_CYCLES: blank in Table 2-421, counter 0 in the event files */
static const struct unit_limit pcu_limits[] = {{0x06, 1}, {0}};
static const struct unit_limit ubox_limits[] = {{0x4c, 1}, {0x4d, 1}, {0x4e, 1}, {0x4f, 1}, {0}};

/* Positions in the global status: the guide leaves them to discovery and starts at 2. 142 blocks do not fit into two
 * words, so the three blocks of an I/O stack share a bit. */
enum {
  AT_PCU = 2,
  AT_UBOX = 3,
  AT_CHA = 4,
  AT_IMC = 68,
  AT_M2M = 76,
  AT_UPI = 80,
  AT_M3UPI = 84,
  AT_MDF = 88,
  AT_STACK = 102,
  AT_CXLCM = 112,
  AT_CXLDP = 118
};

const struct pmon_unit emr_units[] = {
    {"cha",
     "2.2",
     "uclk",
     cha_weight,
     cha_limits,
     {{EMR_CLOCKTICKS, 0, 0}, {EMR_CMS_CLOCKTICKS, 0, 0}},
     .occurrence = cha_occurrence,
     .first = {0, 0x2000},
     .step = 0x10,
     .thresh_mask = 0xff,
     .tid_enable = BIT(16),
     .tid_mask = BITS(9, 0),
     .space = PMON_SPACE_MSR,
     .instances = 64,
     .counters = 4,
     .type = 0,
     .status_position = AT_CHA,
     .regs = {MSR_BLOCK("C%u_MSR", cha_ctl, &unit_status[0], 4),
              {"C%u_MSR_PMON_BOX_FILTER", &cha_filter, 0xe, .role = REG_FILTER, .width_bits = 64, .count = 1}}},
    {"iio",
     "2.4",
     "ioclk",
     iio_weight,
     iio_limits,
     {{EMR_CLOCKTICKS, 0, 0}},
     .occurrence = iio_occurrence,
     .first = {0, 0x3000},
     .step = 0x10,
     .thresh_mask = 0xfff,
     .space = PMON_SPACE_MSR,
     .instances = 10,
     .counters = 4,
     .freerunning_counters = IIO_FREERUNNING_N,
     .freerunning_clock = IIO_FREERUNNING_IOCLK + 1,
     .type = 1,
     .status_position = AT_STACK,
     .regs = {MSR_BLOCK("IIO%u_MSR", iio_ctl, &unit_status[0], 4),
              {"IIO%u_MSR_PMON_FRCTR_IOCLK", &freerunning_ctr, .elsewhere = 0x340e, .unit_step = 0x10,
               .role = REG_FREERUNNING, .width_bits = 64, .count = 1},
              {"IIO%u_MSR_PMON_FRCTR_BW_IN_P#", &freerunning_ctr, .elsewhere = 0x3800, .unit_step = 0x10,
               .role = REG_FREERUNNING, .width_bits = 64, .count = 8, .step = 1, .index = IIO_FREERUNNING_BW_IN},
              {"IIO%u_MSR_PMON_FRCTR_BW_OUT_P#", &freerunning_ctr, .elsewhere = 0x3808, .unit_step = 0x10,
               .role = REG_FREERUNNING, .width_bits = 64, .count = 8, .step = 1, .index = IIO_FREERUNNING_BW_OUT}}},
    {"irp",
     "2.5",
     "ioclk",
     irp_weight,
     0,
     {{EMR_CLOCKTICKS, 0, 0}},
     .occurrence = irp_occurrence,
     .first = {0, 0x3400},
     .step = 0x10,
     .thresh_mask = 0xff,
     .space = PMON_SPACE_MSR,
     .instances = 10,
     .counters = 2,
     .type = 2,
     .status_position = AT_STACK,
     .regs = {MSR_BLOCK("IRP%u_MSR", ext_ctl, &unit_status[1], 2)}},
    {"m2pcie",
     "2.8",
     "uclk",
     baseline_weight,
     m2pcie_limits,
     {{EMR_CLOCKTICKS, 0, 0}, {EMR_CMS_CLOCKTICKS, 0, 0}},
     .first = {0, 0x3200},
     .step = 0x10,
     .thresh_mask = 0xff,
     .space = PMON_SPACE_MSR,
     .instances = 10,
     .counters = 4,
     .type = 3,
     .status_position = AT_STACK,
     .regs = {MSR_BLOCK("M2%u_PCI", ext_ctl, &unit_status[0], 4)}},
    {"pcu",
     "2.10",
     "pclk",
     baseline_weight,
     pcu_limits,
     {{EMR_CLOCKTICKS, 0, 0}},
     .first = {0, 0x2fc0},
     .step = 0x10,
     .thresh_mask = 0xff,
     .space = PMON_SPACE_MSR,
     .instances = 1,
     .counters = 4,
     .type = 4,
     .status_position = AT_PCU,
     .regs = {MSR_BLOCK("PCU_MSR", ctl, &unit_status[0], 4),
              {"PCU_MSR_PMON_BOX_FILTER", &pcu_filter, 0xe, .role = REG_FILTER, .width_bits = 64, .count = 1}}},
    {"ubox",
     "1.8.1",
     "uclk",
     baseline_weight,
     ubox_limits,
     {{0}},
     .first = {0, 0x2fd0},
     .step = 0x10,
     .thresh_mask = 0xff,
     .space = PMON_SPACE_MSR,
     .instances = 1,
     .counters = 2,
     .type = 5,
     .fixed = true,
     .status_position = AT_UBOX,
     .regs = {MSR_BLOCK("U_MSR", ctl, &unit_status[1], 2),
              {"U_MSR_PMON_FIXED_CTL", &uclk_ctl, 0xe, .role = REG_FIXED_CTL, .width_bits = 64, .count = 1},
              {"U_MSR_PMON_FIXED_CTR", &imc_ctr, 0xf, .role = REG_FIXED_CTR, .width_bits = 64, .count = 1}}},
    /* CLOCKTICKS has umask 1, HCLOCKTICKS none: half of the DRAM clock */
    {"imc",
     "2.3",
     "dclk",
     imc_weight,
     0,
     {{EMR_CLOCKTICKS, 0, EMR_UMASK(1)}, {EMR_CLOCKTICKS, 1, 0}},
     .most = imc_most,
     .occurrence = imc_occurrence,
     .places = imc_places,
     .thresh_mask = 0xff,
     .space = PMON_SPACE_MMIO,
     .instances = 8,
     .counters = 4,
     .freerunning_counters = IMC_FREERUNNING_N,
     .freerunning_clock = IMC_FREERUNNING_DCLK + 1,
     .type = 6,
     .fixed = true,
     .status_position = AT_IMC,
     .regs = {{"MC_CH%u_PCI_PMON_UNIT_CTL", &unit_ctl, 0, .role = REG_UNIT_CTL, .width_bits = 32, .count = 1},
              {"MC_CH%u_PCI_PMON_UNIT_STATUS", &unit_status[0], 0x5c, .role = REG_UNIT_STATUS, .width_bits = 32,
               .count = 1},
              {"MC_CH%u_PCI_PMON_CTL#", &ctl, 0x40, .role = REG_CTL, .width_bits = 32, .count = 4, .step = 4},
              {"MC_CH%u_PCI_PMON_CTR#", &imc_ctr, 0x08, .role = REG_CTR, .width_bits = 64, .count = 4, .step = 8},
              /* Table 1-12 has the two headings swapped */
              {"MC_CH%u_PCI_PMON_FIXED_CTL", &fixed_ctl, 0x54, .role = REG_FIXED_CTL, .width_bits = 32, .count = 1},
              {"MC_CH%u_PCI_PMON_FIXED_CTR", &imc_ctr, 0x38, .role = REG_FIXED_CTR, .width_bits = 64, .count = 1},
              {"MC%u_MMIO_PMON_FRCTR_DCLK", &freerunning_ctr, .elsewhere = 0x22b0, .role = REG_FREERUNNING,
               .width_bits = 64, .count = 1, .index = IMC_FREERUNNING_DCLK, .every = 2},
              {"MC%u_MMIO_PMON_FRCTR_RPQ_ACTIVE", &freerunning_ctr, .elsewhere = 0x2318, .role = REG_FREERUNNING,
               .width_bits = 64, .count = 1, .index = IMC_FREERUNNING_RPQ_CYCLES, .every = 2},
              {"MC%u_MMIO_PMON_FRCTR_WPQ_ACTIVE", &freerunning_ctr, .elsewhere = 0x2320, .role = REG_FREERUNNING,
               .width_bits = 64, .count = 1, .index = IMC_FREERUNNING_WPQ_CYCLES, .every = 2}}},
    {"m2m",
     "2.7",
     "uclk",
     m2m_weight,
     0,
     {{EMR_CLOCKTICKS, 0, 0}, {EMR_CMS_CLOCKTICKS, 0, M2M_MESH}},
     .occurrence = m2m_occurrence,
     .places = m2m_places,
     .thresh_mask = 0xff,
     .space = PMON_SPACE_PCI,
     .instances = 4,
     .counters = 4,
     .type = 7,
     .status_position = AT_M2M,
     .regs = {WIDE_BLOCK("M2M%u_PCI", ext_ctl, &unit_status[0], 4, 0x70, 0x30, 0x08),
              {"M2M%u_PCI_PMON_ADDRMATCH0", &m2m_addr0, 0x58, .role = REG_FILTER, .width_bits = 32, .count = 1},
              {"M2M%u_PCI_PMON_ADDRMATCH1", &m2m_addr1, 0x5c, .role = REG_FILTER, .width_bits = 32, .count = 1,
               .index = 1},
              {"M2M%u_PCI_PMON_ADDRMASK0", &m2m_addr0, 0x60, .role = REG_FILTER, .width_bits = 32, .count = 1,
               .index = 2},
              {"M2M%u_PCI_PMON_ADDRMASK1", &m2m_addr1, 0x64, .role = REG_FILTER, .width_bits = 32, .count = 1,
               .index = 3},
              {"M2M%u_PCI_PMON_OPCODE_MM", &m2m_opcode, 0x68, .role = REG_FILTER, .width_bits = 32, .count = 1,
               .index = 4}}},
    {"upi",
     "2.6",
     "upi",
     upi_weight,
     0,
     {{EMR_CLOCKTICKS, 0, 0}},
     .occurrence = upi_occurrence,
     .places = upi_places,
     .thresh_mask = 0xff,
     .space = PMON_SPACE_PCI,
     .instances = 4,
     .counters = 4,
     .type = 8,
     .status_position = AT_UPI,
     .regs = {WIDE_BLOCK("U_L%u_PCI", ext_ctl, &unit_status[0], 4, 0x74, 0x38, 0x08)}},
    {"m3upi",
     "2.9",
     "uclk",
     baseline_weight,
     m3upi_limits,
     {{EMR_CLOCKTICKS, 0, 0}, {EMR_CMS_CLOCKTICKS, 0, 0}},
     .places = m3upi_places,
     .set_bit = 0x80, /* 2.9.1: of the mesh stop */
     .thresh_mask = 0xff,
     .space = PMON_SPACE_PCI,
     .instances = 4,
     .counters = 4,
     .type = 9,
     .status_position = AT_M3UPI,
     .regs = {WIDE_BLOCK("M2_L%u_PCI", ext_ctl, &unit_status[0], 4, 0x58, 0x38, 0x08)}},
    {"mdf",
     "2.11",
     "uclk",
     baseline_weight,
     0,
     {{EMR_CLOCKTICKS, 0, 0}},
     .places = mdf_places,
     .thresh_mask = 0xff,
     .space = PMON_SPACE_MSR,
     .instances = 14,
     .counters = 4,
     .type = 11,
     .status_position = AT_MDF,
     .regs = {MSR_BLOCK("MDF%u_MSR", ext_ctl, &unit_status[0], 4)}},
    /* Unit 1 reports no overflow (2.12.1). The guide gives no addresses: one block per 16 KB. CLOCKTICKS: umask 1 in
     * the guide, 2 in the event files. */
    {"cxlcm",
     "2.12",
     "lfclk",
     baseline_weight,
     cxlcm_limits,
     {{EMR_CLOCKTICKS, 0, EMR_UMASK(3)}},
     .first = {EMR_BAR_CXL, 0},
     .step = 0x8000,
     .thresh_mask = 0xff,
     .space = PMON_SPACE_MMIO,
     .instances = 6,
     .counters = 8,
     .type = 12,
     .silent = 1u << 1,
     .status_position = AT_CXLCM,
     .regs = {WIDE_BLOCK("CXLCM%u_MMIO", ext_ctl, &unit_status[2], 8, 0x88, 0x48, 0x08)}},
    {"cxldp",
     "2.12",
     "uclk",
     baseline_weight,
     0,
     {{EMR_CLOCKTICKS, 0, EMR_UMASK(1)}},
     .first = {EMR_BAR_CXL, 0x4000},
     .step = 0x8000,
     .thresh_mask = 0xff,
     .space = PMON_SPACE_MMIO,
     .instances = 6,
     .counters = 4,
     .type = 13,
     .status_position = AT_CXLDP,
     .regs = {WIDE_BLOCK("CXLDP%u_MMIO", ext_ctl, &unit_status[0], 4, 0x48, 0x28, 0x08)}},
    {CORE_UNIT(64, CORE_ROWS(&fixed_counters_ctl, &global_counters_ctl),
               {RESIDENCY_ROW("CPU%u_MSR_CORE_C6_RESIDENCY", 0x3fd, 4)})},
    {RAPL_UNIT({0})},
    {UNCORE_FREQUENCY_UNIT},
    {THERMAL_UNIT},
    {.name = "resctrl",
     .section = "SDM4 C8Dh",
     .clock = "tsc",
     .space = PMON_SPACE_RESCTRL,
     .instances = 1,
     .unlisted = true,
     .part = "LLC and memory reads",
     .read = monitoring_read,
     .write = monitoring_write,
     .regs = {{RAPL_ROW("RESCTRL_LLC_OCCUPANCY", &resctrl_value, 1, 0)},
              {RAPL_ROW("RESCTRL_MBM_TOTAL_BYTES", &resctrl_value, 2, 1)},
              {RAPL_ROW("RESCTRL_MBM_LOCAL_BYTES", &resctrl_value, 3, 2)}}},
    {CSTATE_UNIT({RESIDENCY_ROW("MSR_PKG_C2_RESIDENCY", 0x60d, 0), .constant = "0: the package never enters C2"},
                 {RESIDENCY_ROW("MSR_PKG_C6_RESIDENCY", 0x3f9, 2)})},
    {0}};

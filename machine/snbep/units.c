/* SPDX-License-Identifier: MIT */
/* Tables 1-2, 1-3, 2-1 to 2-12, 2-33 to 2-39, 2-59 to 2-63, 2-73 to 2-79, 2-84 to 2-91: the machine's own copy. */
#include <pmon/access.h>
#include "machine/common/core_units.h"
#include "machine/snbep/attr.h"
#include "machine/snbep/match.h"
#include "machine/snbep/units.h"

/* ev_sel, umask, edge_det, en, invert */
#define BASELINE (BITS(15, 0) | BIT(18) | BITS(23, 22))

/* Control registers of boxes: the guide calls them write-only, but drivers read, modify and write them. */
static const struct reg_layout box_ctl = {"BOX_CTL", "Table 2-9", .rw = BIT(16) | BIT(8), .wo = BITS(1, 0)};
static const struct reg_layout box_ctl_norst = {"BOX_CTL", "Table 2-34", .rw = BIT(16) | BIT(8)};
static const struct reg_layout ubox_ctl = {"U_CTL", "Table 2-2", .rw = BASELINE | BITS(28, 24), .wo = BIT(17)};
static const struct reg_layout cbo_ctl = {"CBO_CTL", "Table 2-10", .rw = BASELINE | BIT(19) | BITS(31, 24),
                                          .wo = BIT(17)};
static const struct reg_layout ha_ctl = {"HA_CTL", "Table 2-35", .rw = BASELINE | BITS(31, 24)};
static const struct reg_layout ring_ctl = {"RING_CTL", "Table 1-3", .rw = BASELINE | BITS(31, 24), .wo = BIT(17)};
static const struct reg_layout qpi_ctl = {"QPI_CTL", "Table 2-86", .rw = BASELINE | BIT(21) | BITS(31, 24),
                                          .wo = BIT(17)};
/* Bit 21 is reserved in the table, and needed for twelve events of Table 2-81. */
static const struct reg_layout pcu_ctl = {"PCU_CTL", "Table 2-75", .wo = BIT(17),
                                          .rw = BITS(7, 0) | BITS(15, 14) | BIT(18) | BITS(28, 21) | BITS(31, 30)};
static const struct reg_layout ctr44 = {"CTR", "Table 2-11", .rw = BITS(43, 0)};
static const struct reg_layout ctr48 = {"CTR", "Table 2-36", .rw = BITS(47, 0)};
static const struct reg_layout fixed_ctl = {"FIXED_CTL", "Table 2-4", .rw = BIT(22)};
static const struct reg_layout imc_fixed_ctl = {"FIXED_CTL", "Table 2-62", .rw = BIT(22), .wo = BIT(19)};
static const struct reg_layout residency = {"RESIDENCY", "Table 2-78", .ro = BITS(63, 0)};
static const struct reg_layout cbo_filter = {"FILTER", "Table 2-12", .rw = BITS(31, 10) | BITS(4, 0)};
static const struct reg_layout pcu_filter = {"FILTER", "Table 2-77", .rw = BITS(31, 0)};
static const struct reg_layout ha_opcode = {"OPCODEMATCH", "Table 2-37", .rw = BITS(5, 0)};
static const struct reg_layout ha_address1 = {"ADDRMATCH1", "Table 2-38", .rw = BITS(13, 0)};
static const struct reg_layout ha_address0 = {"ADDRMATCH0", "Table 2-39", .rw = BITS(31, 6)};
static const struct reg_layout packet0 = {"PKT0", "Table 2-89", .rw = BIT(31) | BITS(17, 3)};
static const struct reg_layout packet1 = {"PKT1", "Table 2-88", .rw = BITS(19, 16) | BITS(3, 0)};

/* SDM4 38Dh, 38Fh: three fixed counters, eight general ones (four per thread with two threads per core) */
static const struct reg_layout fixed_counters_ctl = {"FIXED_CTR_CTRL", "SDM4 38Dh", .rw = BITS(11, 0)};
static const struct reg_layout global_counters_ctl = {"PERF_GLOBAL_CTRL", "SDM4 38Fh", .rw = BITS(34, 32) | BITS(7, 0)};

/* The registers of a box in PCI configuration space are at the same offsets in every device (Table 1-3). */
#define PCI_BOX(P, box, control, counter, n)                                                                           \
  {P "_PCI_PMON_BOX_CTL", &box, 0xf4, .role = REG_UNIT_CTL, .width_bits = 32, .count = 1},                             \
      {P "_PCI_PMON_CTL#", &control, 0xd8, .role = REG_CTL, .width_bits = 32, .count = n, .step = 4},                  \
  {                                                                                                                    \
    P "_PCI_PMON_CTR#", &counter, 0xa0, .role = REG_CTR, .width_bits = 64, .count = n, .step = 8                       \
  }
#define QPI_PACKETS(name, layout, offset, i)                                                                           \
  {                                                                                                                    \
    "Q_P%u_PCI_PMON_PKT_" name, &layout, .elsewhere = offset, .role = REG_FILTER, .width_bits = 32, .count = 1,        \
                                         .index = i, .device = SNBEP_DEVICE(8, 6), .device_step = 1 << 3               \
  }

static const struct unit_place imc_places[] = {
    {SNBEP_DEVICE(16, 0), 0}, {SNBEP_DEVICE(16, 1), 0}, {SNBEP_DEVICE(16, 4), 0}, {SNBEP_DEVICE(16, 5), 0}};
static const struct unit_place qpi_places[] = {{SNBEP_DEVICE(8, 2), 0}, {SNBEP_DEVICE(9, 2), 0}};
static const struct unit_place r3_places[] = {{SNBEP_DEVICE(19, 5), 0}, {SNBEP_DEVICE(19, 6), 0}};

/* Column Ctrs where it does not list all counters: Table 2-14; R2PCIe and R3QPI by their event lists. */
static const struct unit_limit cbo_limits[] = {{CBO_TXR_INSERTS, 3},
                                               {CBO_TXR_ADS_USED, 3},
                                               {CBO_RING_BOUNCES, 3},
                                               {CBO_RING_SRC_THRTL, 3},
                                               {CBO_RXR_OCCUPANCY, 1},
                                               {CBO_RXR_EXT_STARVED, 3},
                                               {CBO_RXR_INSERTS, 3},
                                               {CBO_RING_AD_USED, 0xc},
                                               {CBO_RING_AK_USED, 0xc},
                                               {CBO_RING_BL_USED, 0xc},
                                               {CBO_RING_IV_USED, 0xc},
                                               {CBO_COUNTER0_OCCUPANCY, 0xe},
                                               {CBO_ISMQ_DRD_MISS_OCC, 3},
                                               {CBO_RXR_IPQ_RETRY, 3},
                                               {CBO_RXR_IRQ_RETRY, 3},
                                               {CBO_RXR_ISMQ_RETRY, 3},
                                               {CBO_LLC_LOOKUP, 3},
                                               {CBO_TOR_INSERTS, 3},
                                               {CBO_TOR_OCCUPANCY, 1},
                                               {CBO_LLC_VICTIMS, 3},
                                               {CBO_MISC, 3},
                                               {CBO_TXR_STARVED, 3},
                                               {CBO_RING_SINK_STARVED, 3},
                                               {CBO_RXR_INT_STARVED, 3},
                                               {0}};
static const struct unit_limit r2_limits[] = {{RING_RXR_CYCLES_NE, 3},    {R2_RXR_AK_BOUNCES, 1},
                                              {RING_TXR_CYCLES_NE, 1},    {RING_TXR_INSERTS, 1},
                                              {RING_TXR_CYCLES_FULL, 1},  {R2_TXR_NACKS, 3},
                                              {R2_IIO_CREDITS_USED, 3},   {R2_IIO_CREDITS_USED + 1, 3},
                                              {R2_IIO_CREDITS_REJECT, 3}, {0}};
static const struct unit_limit r3_limits[] = {{RING_RXR_CYCLES_NE, 3},
                                              {R3_RXR_INSERTS, 3},
                                              {R3_RXR_BYPASSED, 3},
                                              {R3_RXR_OCCUPANCY, 1},
                                              {R3_IIO_CREDITS_ACQUIRED, 3},
                                              {R3_IIO_CREDITS_REJECT, 3},
                                              {R3_IIO_CREDITS_USED, 3},
                                              {RING_TXR_CYCLES_NE, 3},
                                              {RING_TXR_INSERTS, 3},
                                              {RING_TXR_CYCLES_FULL, 3},
                                              {R3_TXR_NACK, 3},
                                              {R3_VNA_CYCLES_OUT, 3},
                                              {R3_VNA_CYCLES_USED, 3},
                                              {R3_VNA_ACQUIRED, 3},
                                              {R3_VNA_REJECT, 3},
                                              {R3_VN0_USED, 3},
                                              {R3_VN0_REJECT, 3},
                                              {0}};

const struct pmon_unit snbep_units[] = {
    {"ubox",
     "2.2",
     "uclk",
     snbep_weight,
     0,
     {{0}},
     .first = {0, 0xc08},
     .most = snbep_ubox_most,
     .thresh_mask = 0x1f,
     .space = PMON_SPACE_MSR,
     .instances = 1,
     .counters = 2,
     .width_bits = 44,
     .fixed = true,
     .regs = {{"U_MSR_PMON_FIXED_CTL", &fixed_ctl, 0, .role = REG_FIXED_CTL, .width_bits = 64, .count = 1},
              {"U_MSR_PMON_FIXED_CTR", &ctr48, 1, .role = REG_FIXED_CTR, .width_bits = 64, .count = 1},
              {"U_MSR_PMON_CTL#", &ubox_ctl, 0x8, .role = REG_CTL, .width_bits = 64, .count = 2, .step = 1},
              {"U_MSR_PMON_CTR#", &ctr44, 0xe, .role = REG_CTR, .width_bits = 64, .count = 2, .step = 1}}},
    {"cbo",
     "2.3",
     "uclk",
     snbep_weight,
     cbo_limits,
     {{SIGNAL_CODE_0, 0, 0}},
     .filtered = snbep_cbo,
     .occurrence = snbep_cbo_occurrence,
     .filter_violation = snbep_cbo_misfiltered,
     .first = {0, 0xd04},
     .step = 0x20,
     .most = snbep_cbo_most,
     .thresh_mask = 0xff,
     .tid_enable = BIT(19),
     .tid_mask = BITS(4, 0),
     .space = PMON_SPACE_MSR,
     .instances = 8,
     .counters = 4,
     .width_bits = 44,
     .follow_code = CBO_COUNTER0_OCCUPANCY,
     .regs = {{"C%u_MSR_PMON_BOX_CTL", &box_ctl, 0, .role = REG_UNIT_CTL, .width_bits = 64, .count = 1},
              {"C%u_MSR_PMON_CTL#", &cbo_ctl, 0xc, .role = REG_CTL, .width_bits = 64, .count = 4, .step = 1},
              {"C%u_MSR_PMON_BOX_FILTER", &cbo_filter, 0x10, .role = REG_FILTER, .width_bits = 64, .count = 1},
              {"C%u_MSR_PMON_CTR#", &ctr44, 0x12, .role = REG_CTR, .width_bits = 64, .count = 4, .step = 1}}},
    {"ha",
     "2.4",
     "uclk",
     snbep_weight,
     0,
     {{SIGNAL_CODE_0, 0, 0}},
     .filtered = snbep_ha,
     .occurrence = snbep_ha_occurrence,
     .first = {SNBEP_DEVICE(14, 1), 0},
     .most = snbep_ha_most,
     .thresh_mask = 0xff,
     .space = PMON_SPACE_PCI,
     .instances = 1,
     .counters = 4,
     .regs = {PCI_BOX("HA", box_ctl_norst, ha_ctl, ctr48, 4),
              {"HA_PCI_PMON_BOX_OPCODEMATCH", &ha_opcode, 0x48, .role = REG_FILTER, .width_bits = 32, .count = 1,
               .index = HA_FILTER_OPCODE},
              {"HA_PCI_PMON_BOX_ADDRMATCH1", &ha_address1, 0x44, .role = REG_FILTER, .width_bits = 32, .count = 1,
               .index = HA_FILTER_ADDRESS1},
              {"HA_PCI_PMON_BOX_ADDRMATCH0", &ha_address0, 0x40, .role = REG_FILTER, .width_bits = 32, .count = 1,
               .index = HA_FILTER_ADDRESS0}}},
    {"imc",
     "2.5",
     "dclk",
     snbep_weight,
     0,
     {{0}},
     .places = imc_places,
     .most = snbep_imc_most,
     .thresh_mask = 0xff,
     .space = PMON_SPACE_PCI,
     .instances = 4,
     .counters = 4,
     .fixed = true,
     .regs = {PCI_BOX("MC_CH%u", box_ctl_norst, ha_ctl, ctr48, 4),
              {"MC_CH%u_PCI_PMON_FIXED_CTL", &imc_fixed_ctl, 0xf0, .role = REG_FIXED_CTL, .width_bits = 32, .count = 1},
              {"MC_CH%u_PCI_PMON_FIXED_CTR", &ctr48, 0xd0, .role = REG_FIXED_CTR, .width_bits = 64, .count = 1}}},
    /* Bit 7 of an event selects the cores' states (Table 2-75, 2.6.4). */
    {"pcu",
     "2.6",
     "pclk",
     snbep_weight,
     0,
     {{SIGNAL_CODE_0, 0, 0}},
     .filtered = snbep_pcu,
     .latch = snbep_pcu_latch,
     .occurrence = snbep_pcu_occurrence,
     .first = {0, 0xc24},
     .most = snbep_pcu_most,
     .ninth = SNB_EXT,
     .thresh_mask = 0x1f,
     .event_bits = BITS(7, 0) | SNB_EXT,
     .occupancy_code = SNB_PCU_POWER_STATE_OCCUPANCY,
     .occ_invert = BIT(30),
     .occ_edge = BIT(31),
     .space = PMON_SPACE_MSR,
     .instances = 1,
     .counters = 4,
     .freerunning_counters = SNB_PCU_FREERUNNING_N,
     .freerunning_bits = 64,
     .regs = {{"PCU_MSR_PMON_BOX_CTL", &box_ctl, 0, .role = REG_UNIT_CTL, .width_bits = 64, .count = 1},
              {"PCU_MSR_PMON_CTL#", &pcu_ctl, 0xc, .role = REG_CTL, .width_bits = 64, .count = 4, .step = 1},
              {"PCU_MSR_PMON_BOX_FILTER", &pcu_filter, 0x10, .role = REG_FILTER, .width_bits = 64, .count = 1},
              {"PCU_MSR_PMON_CTR#", &ctr48, 0x12, .role = REG_CTR, .width_bits = 64, .count = 4, .step = 1},
              {"PCU_MSR_CORE_C3_CTR", &residency, .elsewhere = 0x3fc, .role = REG_FREERUNNING, .width_bits = 64,
               .count = 1, .index = SNB_PCU_C3},
              {"PCU_MSR_CORE_C6_CTR", &residency, .elsewhere = 0x3fd, .role = REG_FREERUNNING, .width_bits = 64,
               .count = 1, .index = SNB_PCU_C6}}},
    {"qpi",
     "2.7",
     "qfclk",
     snbep_weight,
     0,
     {{SNB_QPI_CLOCKTICKS, 0, 0}},
     .filtered = snbep_qpi,
     .occurrence = snbep_qpi_occurrence,
     .places = qpi_places,
     .most = snbep_qpi_most,
     .ninth = SNB_EXT,
     .thresh_mask = 0xff,
     .space = PMON_SPACE_PCI,
     .instances = 2,
     .counters = 4,
     .regs = {PCI_BOX("Q_P%u", box_ctl, qpi_ctl, ctr48, 4), QPI_PACKETS("MATCH0", packet0, 0x228, QPI_FILTER_MATCH0),
              QPI_PACKETS("MATCH1", packet1, 0x22c, QPI_FILTER_MATCH1),
              QPI_PACKETS("MASK0", packet0, 0x238, QPI_FILTER_MASK0),
              QPI_PACKETS("MASK1", packet1, 0x23c, QPI_FILTER_MASK1)}},
    {"r2pcie",
     "2.8",
     "uclk",
     snbep_weight,
     r2_limits,
     {{SNB_RING_CLOCKTICKS, 0, 0}},
     .first = {SNBEP_DEVICE(19, 1), 0},
     .most = snbep_r2_most,
     .thresh_mask = 0xff,
     .space = PMON_SPACE_PCI,
     .instances = 1,
     .counters = 4,
     .width_bits = 44,
     .regs = {PCI_BOX("R2", box_ctl, ring_ctl, ctr44, 4)}},
    {"r3qpi",
     "2.9",
     "uclk",
     snbep_weight,
     r3_limits,
     {{SNB_RING_CLOCKTICKS, 0, 0}},
     .places = r3_places,
     .most = snbep_r3_most,
     .thresh_mask = 0xff,
     .space = PMON_SPACE_PCI,
     .instances = 2,
     .counters = 3,
     .width_bits = 44,
     .regs = {PCI_BOX("R3_L%u", box_ctl, ring_ctl, ctr44, 3)}},
    {CORE_UNIT(8, CORE_ROWS(&fixed_counters_ctl, &global_counters_ctl),
               {RESIDENCY_ROW("CPU%u_MSR_CORE_C3_RESIDENCY", 0x3fc, 3)},
               {RESIDENCY_ROW("CPU%u_MSR_CORE_C6_RESIDENCY", 0x3fd, 4)},
               {RESIDENCY_ROW("CPU%u_MSR_CORE_C7_RESIDENCY", 0x3fe, 5), .constant = "0: no core enters C7"})},
    {THERMAL_UNIT},
    {RAPL_UNIT({RAPL_ROW("MSR_PP0_ENERGY_STATUS", &rapl_energy, 0x639, 2)})},
    {CSTATE_UNIT({RESIDENCY_ROW("MSR_PKG_C2_RESIDENCY", 0x60d, 0), .constant = "0: the package never enters C2"},
                 {RESIDENCY_ROW("MSR_PKG_C3_RESIDENCY", 0x3f8, 1)}, {RESIDENCY_ROW("MSR_PKG_C6_RESIDENCY", 0x3f9, 2)},
                 {RESIDENCY_ROW("MSR_PKG_C7_RESIDENCY", 0x3fa, 3), .constant = "0: the package never enters C7"})},
    {0}};

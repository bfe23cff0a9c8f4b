/* SPDX-License-Identifier: MIT */
/*
 * Registers of a core that all of Intel's server processors have, by volume 4 of the Software Developer's Manual
 * (SDM4). This is the machine's own copy, for the processors' tables of units.
 */
#ifndef MACHINE_COMMON_CORE_UNITS_H
#define MACHINE_COMMON_CORE_UNITS_H

#include <pmon/access.h>
#include "machine/common/core_registers.h"
#include "machine/common/power.h"
#include "machine/common/thermal.h"
#include "machine/common/uncore_ratio.h"
#include "machine/pmon/bits.h"
#include "machine/pmon/unit.h"

static const struct reg_layout core_fixed_ctr = {"FIXED_CTR", "SDM4 309h", .rw = BITS(47, 0)};
static const struct reg_layout core_count = {"COUNT", "SDM4 E7h", .ro = BITS(63, 0)};
static const struct reg_layout core_thermal = {"THERM_STATUS", "SDM4 19Ch", .ro = BITS(31, 27) | BITS(22, 16) | 0x5555,
                                               .w0c = 0xaaaa};
static const struct reg_layout core_smi_count = {"SMI_COUNT", "SDM4 34h", .ro = BITS(31, 0)};

/* Fields of a register row: `n` consecutive MSRs of the block's core from `msr` on. The first one has the number
 * `first` among the counters of its kind. */
#define CORE_ROW(text, bits, msr, n, first)                                                                            \
  .name = "CPU%u_" text, .layout = bits, .offset = msr, .role = REG_MODEL, .width_bits = 64, .count = n, .step = 1,    \
  .index = first

#define CORE_ROWS(fixed_control, global_control)                                                                       \
  {CORE_ROW("IA32_FIXED_CTR#", &core_fixed_ctr, 0x309, 3, 0)},                                                         \
      {CORE_ROW("IA32_FIXED_CTR_CTRL", fixed_control, 0x38d, 1, 16)},                                                  \
      {CORE_ROW("IA32_PERF_GLOBAL_CTRL", global_control, 0x38f, 1, 17)},                                               \
      {CORE_ROW("IA32_MPERF", &core_count, 0xe7, 1, 0)}, {CORE_ROW("IA32_APERF", &core_count, 0xe8, 1, 1)},            \
      {CORE_ROW("IA32_THERM_STATUS", &core_thermal, 0x19c, 1, 6)},                                                     \
  {                                                                                                                    \
    CORE_ROW("MSR_SMI_COUNT", &core_smi_count, 0x34, 1, 2), .constant = "0: no firmware interrupts the cores"          \
  }

/* A unit of `most` cores, with the rows of registers that follow as arguments. */
#define CORE_UNIT(most, ...)                                                                                           \
  .name = "core", .section = "SDM4 309h", .clock = "tsc", .places = core_places, .space = PMON_SPACE_MSR,              \
  .instances = most, .unlisted = true, .part = "cores: instructions, clocks, states", .read = core_register_read,      \
  .write = core_register_write, .freerunning_counters = 7, .freerunning_bits = 64, .regs = {__VA_ARGS__}

/* Core n of a socket is its hardware thread n: struct pmon_address.device is n + 1. */
#define CORE_PLACES4(n)                                                                                                \
  {(n) + 1, 0}, {(n) + 2, 0}, {(n) + 3, 0},                                                                            \
  {                                                                                                                    \
    (n) + 4, 0                                                                                                         \
  }
#define CORE_PLACES16(n) CORE_PLACES4(n), CORE_PLACES4((n) + 4), CORE_PLACES4((n) + 8), CORE_PLACES4((n) + 12)
static const struct unit_place core_places[64] = {CORE_PLACES16(0), CORE_PLACES16(16), CORE_PLACES16(32),
                                                  CORE_PLACES16(48)};

/* A residency of a core or of the package, in cycles of the time stamp counter. */
#define RESIDENCY_ROW(text, msr, first)                                                                                \
  .name = text, .layout = &core_count, .offset = msr, .role = REG_FREERUNNING, .width_bits = 64, .count = 1,           \
  .index = first

#define CSTATE_UNIT(...)                                                                                               \
  .name = "cstate", .section = "SDM4 60Dh", .clock = "tsc", .space = PMON_SPACE_MSR, .instances = 1, .unlisted = true, \
  .freerunning_counters = 4, .freerunning_bits = 64, .regs = {__VA_ARGS__}

static const struct reg_layout rapl_unit = {"RAPL_POWER_UNIT", "SDM4 606h",
                                            .ro = BITS(19, 16) | BITS(12, 8) | BITS(3, 0)};
static const struct reg_layout rapl_energy = {"ENERGY_STATUS", "SDM4 611h", .ro = BITS(31, 0)};

static const struct reg_layout rapl_info = {"PKG_POWER_INFO", "SDM4 614h",
                                            .ro = BITS(53, 48) | BITS(46, 32) | BITS(30, 16) | BITS(14, 0)};

static const struct reg_layout turbo_limit = {"TURBO_RATIO_LIMIT", "SDM4 1ADh", .ro = BITS(63, 0)};

#define RAPL_ROW(text, bits, msr, first)                                                                               \
  .name = text, .layout = bits, .offset = msr, .role = REG_MODEL, .width_bits = 64, .count = 1, .index = first

#define RAPL_UNIT(...)                                                                                                 \
  .name = "rapl", .section = "SDM4 606h", .clock = "tsc", .space = PMON_SPACE_MSR, .instances = 1, .unlisted = true,   \
  .part = "power model", .read = power_register_read, .write = power_register_write,                                   \
  .regs = {{RAPL_ROW("MSR_RAPL_POWER_UNIT", &rapl_unit, 0x606, 16)},                                                   \
           {RAPL_ROW("MSR_TURBO_RATIO_LIMIT", &turbo_limit, 0x1ad, 17)},                                               \
           {RAPL_ROW("MSR_PKG_POWER_INFO", &rapl_info, 0x614, 18)},                                                    \
           {RAPL_ROW("MSR_PKG_ENERGY_STATUS", &rapl_energy, 0x611, 0)},                                                \
           {RAPL_ROW("MSR_DRAM_ENERGY_STATUS", &rapl_energy, 0x619, 1)},                                               \
           __VA_ARGS__}

static const struct reg_layout package_thermal = {"PACKAGE_THERM_STATUS", "SDM4 1B1h", .ro = BITS(22, 16) | 0x555,
                                                  .w0c = 0xaaa};
static const struct reg_layout thermal_target = {"TEMPERATURE_TARGET", "SDM4 1A2h", .ro = BITS(23, 16)};

#define THERMAL_UNIT                                                                                                   \
  .name = "thermal", .section = "SDM4 1B1h", .clock = "tsc", .space = PMON_SPACE_MSR, .instances = 1,                  \
  .unlisted = true, .part = "power model", .read = thermal_register_read, .write = thermal_register_write,             \
  .regs = {{RAPL_ROW("IA32_PACKAGE_THERM_STATUS", &package_thermal, 0x1b1, 0)},                                        \
           {RAPL_ROW("MSR_TEMPERATURE_TARGET", &thermal_target, 0x1a2, 1)}}

static const struct reg_layout uncore_limit = {"UNCORE_RATIO_LIMIT", "SDM4 620h", .ro = BITS(14, 8) | BITS(6, 0)};
static const struct reg_layout uncore_status = {"UNCORE_PERF_STATUS", "SDM4 621h", .ro = BITS(6, 0)};

#define UNCORE_FREQUENCY_UNIT                                                                                          \
  .name = "ufreq", .section = "SDM4 620h", .clock = "tsc", .space = PMON_SPACE_MSR, .instances = 1, .unlisted = true,  \
  .part = "uncore clock", .read = ratio_register_read, .write = ratio_register_write,                                  \
  .regs = {{RAPL_ROW("MSR_UNCORE_RATIO_LIMIT", &uncore_limit, 0x620, 0)},                                              \
           {RAPL_ROW("MSR_UNCORE_PERF_STATUS", &uncore_status, 0x621, 1)}}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Energy of a socket by a declared model (docs/design/014-power.md): the model's own constants times the machine's
 * totals. The registers are those of unit `rapl` (Intel SDM volume 4: 606h, 611h, 619h, 639h).
 */
#ifndef MACHINE_COMMON_POWER_H
#define MACHINE_COMMON_POWER_H

#include "machine/pmon/unit.h"

/* All constants are chosen for the model. mw: in milliwatts, pj: in picojoules. */
struct power_model {
  unsigned energy_unit;                        /* the registers count in units of 2^-energy_unit J */
  uint32_t design_w;                           /* the thermal design power */
  uint32_t package_mw;                         /* uncore, I/O and leakage, always */
  uint32_t core_mw;                            /* a core in C0 */
  uint32_t instruction_pj, lookup_pj;          /* each instruction; each look-up in the last-level cache */
  uint32_t channel_mw, column_pj, activate_pj; /* of DRAM: a channel, always; a column command; an activate */
  uint32_t limit_c, still_c;                   /* thermal.h: limit of the temperature; temperature without power */
  uint32_t package_mk, core_mk;                /* millikelvin for each watt of the package, of the core */
};

enum power_domain { POWER_PACKAGE, POWER_DRAM, POWER_CORES };

/* Return the mean power since the reset, in milliwatts: of a socket's package; of a core, numbered across all
 * sockets. */
uint32_t power_package_mean(const struct traffic *t, unsigned socket);
uint32_t power_core_mean(const struct traffic *t, unsigned core);

/* For pmon_unit.read and .write. */
uint64_t power_register_read(struct traffic *t, const struct model_register *r);
void power_register_write(struct traffic *t, const struct model_register *r, uint64_t value);

#endif

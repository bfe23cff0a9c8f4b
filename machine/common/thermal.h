/* SPDX-License-Identifier: MIT */
/*
 * Temperatures by a declared model (docs/design/014-power.md): a constant for each watt of mean power since the reset.
 * The registers are those of unit `thermal` and of the cores (Intel SDM volume 4: 1B1h, 1A2h, 19Ch).
 */
#ifndef MACHINE_COMMON_THERMAL_H
#define MACHINE_COMMON_THERMAL_H

#include "machine/pmon/unit.h"

/* For pmon_unit.read and .write. Log bits show the state at present: one that software clears is set
 * again while its cause lasts. */
uint64_t thermal_register_read(struct traffic *t, const struct model_register *r);
void thermal_register_write(struct traffic *t, const struct model_register *r, uint64_t value);

/* Returns IA32_THERM_STATUS of a core; `core` is numbered across all sockets. */
uint64_t thermal_core_status(const struct traffic *t, unsigned core);

#endif

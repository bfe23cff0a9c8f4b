/* SPDX-License-Identifier: MIT */
/* The ratio of the uncore's frequency and its limits (Intel SDM volume 4: 620h, 621h), in units of 100 MHz. */
#ifndef MACHINE_COMMON_UNCORE_RATIO_H
#define MACHINE_COMMON_UNCORE_RATIO_H

#include "machine/pmon/unit.h"

/* For pmon_unit.read and .write. The machine's uncore has one frequency, which the status shows; writes of the limits
 * have no effect. */
uint64_t ratio_register_read(struct traffic *t, const struct model_register *r);
void ratio_register_write(struct traffic *t, const struct model_register *r, uint64_t value);

#endif

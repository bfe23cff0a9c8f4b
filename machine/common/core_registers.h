/* SPDX-License-Identifier: MIT */
/*
 * The blocks of unit `core`, one for each core of a socket: per-core registers (Intel SDM volume 4). These are the
 * fixed counters and their controls (309h to 30Bh, 38Dh, 38Fh), MPERF and APERF (E7h, E8h), the thermal status (19Ch),
 * and the number of system management interrupts (34h), of which the machine has none.
 */
#ifndef MACHINE_COMMON_CORE_REGISTERS_H
#define MACHINE_COMMON_CORE_REGISTERS_H

#include "machine/pmon/unit.h"

/* For pmon_unit.read and .write. */
uint64_t core_register_read(struct traffic *t, const struct model_register *r);
void core_register_write(struct traffic *t, const struct model_register *r, uint64_t value);

#endif

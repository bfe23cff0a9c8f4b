/* SPDX-License-Identifier: MIT */
/* External conditions of a machine, and the reaction of power control to them and to the running cores. */
#ifndef MACHINE_COMMON_CONDITIONS_H
#define MACHINE_COMMON_CONDITIONS_H

#include "machine/common/state.h"

/* Those that begin or end until then. */
void conditions_run(struct traffic *t, fs_t until);

/* Heat, power and errors at memory channels (dram_limits.c). */
bool channels_limit(struct traffic *t, const struct traffic_condition *c, enum condition_step step);

#endif

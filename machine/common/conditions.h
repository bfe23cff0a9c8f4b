/* SPDX-License-Identifier: MIT */
/* External conditions of a machine, and the reaction of power control to them and to the number of active cores. */
#ifndef MACHINE_COMMON_CONDITIONS_H
#define MACHINE_COMMON_CONDITIONS_H

#include "machine/common/state.h"

/* Begins and ends all conditions that are due by `until`, in order of time. */
void conditions_run(struct traffic *t, fs_t until);

/* Applies a condition of memory channels: heat, power, errors (dram_limits.c). False: the socket has no such channel or
 * rank. */
bool channels_limit(struct traffic *t, const struct traffic_condition *c, enum condition_step step);

#endif

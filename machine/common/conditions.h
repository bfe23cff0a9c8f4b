/* SPDX-License-Identifier: MIT */
/* What comes over a machine from outside, and what power control makes of it and of the cores that run. */
#ifndef MACHINE_COMMON_CONDITIONS_H
#define MACHINE_COMMON_CONDITIONS_H

#include "machine/common/state.h"

/* Those that begin or end until then. */
void conditions_run(struct traffic *t, fs_t until);

/* pcu.c. What takes time is told as far as it has gone on when `pcu_advance` is called. */
void pcu_init(struct traffic *t, struct socket *s);
void pcu_advance(struct traffic *t, struct socket *s, fs_t until);
void pcu_core(struct traffic *t, struct core *c, bool active, fs_t at);
bool emr_condition(struct traffic *t, const struct traffic_condition *c, enum condition_step step, fs_t at);

/* Heat, power and errors at memory channels (snbep/pcu.c). */
bool channels_limit(struct traffic *t, const struct traffic_condition *c, enum condition_step step);

#endif

/* SPDX-License-Identifier: MIT */
/* Power control: effects of outside conditions and of active cores. */
#ifndef MACHINE_EMR_PCU_H
#define MACHINE_EMR_PCU_H

#include "machine/common/conditions.h"
#include "machine/emr/attr.h"

/* `pcu_advance` reports transitions in progress up to `until`. */
void pcu_init(struct traffic *t, struct socket *s);
void pcu_advance(struct traffic *t, struct socket *s, fs_t until);
void pcu_core(struct traffic *t, struct core *c, bool active, fs_t at);
bool emr_condition(struct traffic *t, const struct traffic_condition *c, enum condition_step step, fs_t at);

#endif

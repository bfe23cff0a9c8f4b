/* SPDX-License-Identifier: MIT */
/* Stalls of programs by an access, and by one whose line is on its way until cycle `arrives`. Private to
 * machine/montecito/. */
#ifndef MACHINE_MONTECITO_CONFLICT_H
#define MACHINE_MONTECITO_CONFLICT_H

#include "machine/montecito/parts.h"

void conflict_access(struct montecito_core *c, const struct montecito_slot *s);
void conflict_secondary(struct montecito_core *c, const struct montecito_slot *s, uint64_t arrives);

#endif

/* SPDX-License-Identifier: MIT */
/* Branches, and changes of the processor's status. */
#ifndef MACHINE_MONTECITO_FRONT_BRANCH_H
#define MACHINE_MONTECITO_FRONT_BRANCH_H

#include "machine/montecito/core/state.h"

void branch_retire(struct montecito_core *c, const struct montecito_instruction *v);
/* A fault, rfi or failed check. */
void montecito_exception_flow(struct montecito_core *c, const struct montecito_instruction *v);
/* Changes PSR and signals a change of the privilege level. */
void montecito_set_psr(struct montecito_core *c, unsigned thread, uint64_t psr);
/* Sets PSR as an interruption does (3.2.3.2). */
void montecito_enter_interruption(struct montecito_core *c);

#endif

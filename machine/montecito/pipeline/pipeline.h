/* SPDX-License-Identifier: MIT */
/* Bundles that issue and retire, and the signals of their cycles (pipeline.c, dispersal.c, details.c, stall.c). */
#ifndef MACHINE_MONTECITO_PIPELINE_PIPELINE_H
#define MACHINE_MONTECITO_PIPELINE_PIPELINE_H

#include "machine/montecito/core/state.h"

/* Issues and retires a bundle of the active thread. A negative enum pmon_status, with the reason in `error`. */
int pipeline_bundle(struct montecito_core *c, const struct montecito_bundle *b, char *error, size_t error_size);
/* Resumes the active thread's waiting bundle, if there is one. */
void pipeline_resume(struct montecito_core *c);
/* At the end of the open cycle, signals the syllables that it dispersed or lost. */
void dispersal_signal(struct montecito_core *c);
/* Signals what an instruction's record states besides its operation: ordering, hints, failed checks. */
void details_signal(struct montecito_core *c, const struct montecito_instruction *v);
/* stall_signals() signals one stall cycle. stall_count() counts several stall cycles at once; it returns false when
 * another event could affect them. */
void stall_signals(struct montecito_core *c, unsigned reason);
bool stall_count(struct montecito_core *c, unsigned reason, uint64_t cycles);
/* Returns the unit masks of FE_BUBBLE, or those of the events of lost bundles. */
uint16_t stall_front_umasks(unsigned reason, bool lost);

#endif

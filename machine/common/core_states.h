/* SPDX-License-Identifier: MIT */
/* Idle states of cores and packages, as the residency counters of units `core` and `cstate` count them. */
#ifndef MACHINE_COMMON_CORE_STATES_H
#define MACHINE_COMMON_CORE_STATES_H

#include "machine/common/state.h"

enum core_state { CORE_C0, CORE_C3, CORE_C6 };

/* Free-running counters of a core's block, and of the package's. */
enum { CORE_FREERUNNING_C3 = 3, CORE_FREERUNNING_C6 };
enum { PACKAGE_FREERUNNING_C2, PACKAGE_FREERUNNING_C3, PACKAGE_FREERUNNING_C6 };

/* Finds the blocks of a socket; all cores are in C6 from time 0 on. */
void core_states_init(struct traffic *t, struct socket *s, struct machine *m);
/* A core enters a state at `at`. The package is in C6 while all cores are, and in C3 while all are in C3 or C6. */
void core_state_set(struct traffic *t, struct socket *s, unsigned core, enum core_state state, fs_t at);

#endif

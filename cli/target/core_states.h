/* SPDX-License-Identifier: MIT */
/* Registers of Montecito's threads themselves (PSR, DCR, PMV, TPR), on which the monitors depend: who judges register
 * accesses, and who logs them, is told of what they hold. */
#ifndef CLI_TARGET_CORE_STATES_H
#define CLI_TARGET_CORE_STATES_H

#include <stdio.h>
#include "machine/check/check.h"
#include "machine/montecito/machine.h"

/* checker, log: who is told, NULL: nobody; told: of what they held last. */
struct core_states {
  const struct montecito_machine *m;
  struct checker *checker;
  FILE *log;
  bool begun;
  uint64_t told[MONTECITO_THREADS][CHECK_REGISTERS];
};

/* The simulated time that the machine has reached, as its backend tells it. */
uint64_t core_states_now_ns(const struct core_states *s);
/* Tells of all registers at first, later of those that hold something else: `state` lines (docs/logs.md). */
void core_states_report(struct core_states *s);
/* Tells of them now and whenever the machine's stream sets one, from then on; *s stays as long as the machine. */
void core_states_follow(struct core_states *s, struct montecito_machine *m);

#endif

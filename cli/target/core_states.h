/* SPDX-License-Identifier: MIT */
/* Registers of Montecito's threads (PSR, DCR, PMV, TPR) that affect the monitors: changes are reported to the checker
 * and the log of register accesses. */
#ifndef CLI_TARGET_CORE_STATES_H
#define CLI_TARGET_CORE_STATES_H

#include <stdio.h>
#include "machine/check/check.h"
#include "machine/montecito/machine.h"

/* checker, log: receivers, or NULL; reported: the values reported last. */
struct core_states {
  const struct montecito_machine *m;
  struct checker *checker;
  FILE *log;
  bool begun;
  uint64_t reported[MONTECITO_THREADS][CHECK_REGISTERS];
};

/* The machine's simulated time, from its backend. */
uint64_t core_states_now_ns(const struct core_states *s);
/* Reports all registers at first, later the changed ones: `state` lines (docs/logs.md). */
void core_states_report(struct core_states *s);
/* Reports them now and whenever the machine's stream changes one; *s must outlive the machine. */
void core_states_follow(struct core_states *s, struct montecito_machine *m);

#endif

/* SPDX-License-Identifier: MIT */
/* `pmon doctor` in its parts: what the system's files say (doctor.c), and what the registers say
 * (doctor_registers.c). */
#ifndef CLI_HOST_DOCTOR_H
#define CLI_HOST_DOCTOR_H

#include "cli/target/hardware.h"

struct doctor {
  struct cli *cli;
  struct hardware h;
  struct pmon_cpu cpu; /* all zeros: it is not told */
  bool known;          /* the processor has facts */
  uint32_t shut;       /* access_methods: bit n that of enum pmon_space's n */
  uint32_t findings;
};

/* Tells a cause, and what to do. */
void doctor_find(struct doctor *d, const char *cause, const char *remedy);

/* Looks through the registers of the platform: discovery page, units that are not reached, states in which nothing
 * counts. Whether any answered. */
bool doctor_check_all_registers(struct doctor *d);

#endif

/* SPDX-License-Identifier: MIT */
/* The two parts of `pmon doctor`: checks of the system's files (doctor.c) and of the registers (doctor_registers.c). */
#ifndef CLI_HOST_DOCTOR_H
#define CLI_HOST_DOCTOR_H

#include "cli/target/hardware.h"

struct doctor {
  struct cli *cli;
  struct hardware h;
  struct pmon_cpu cpu; /* all zeros: unknown */
  bool known;          /* the processor has facts */
  uint32_t shut;       /* address spaces that cannot be accessed: bit n is value n of enum pmon_space */
  uint32_t findings;
};

/* Prints a line of information. */
void doctor_print(struct doctor *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints a cause and its remedy, and counts the finding. */
void doctor_find(struct doctor *d, const char *cause, const char *remedy);

/* Checks the platform's registers: the discovery page, units that cannot be reached, states in which nothing counts.
 * Returns whether any register can be read. */
bool doctor_check_all_registers(struct doctor *d);

#endif

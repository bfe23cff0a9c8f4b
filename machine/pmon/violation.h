/* SPDX-License-Identifier: MIT */
/* The machine's record of violations of the guide's programming rules by software. */
#ifndef MACHINE_PMON_VIOLATION_H
#define MACHINE_PMON_VIOLATION_H

#include <stddef.h>
#include <stdint.h>
#include <pmon/access.h>

struct machine;

struct machine_violation {
  uint64_t time_fs;
  struct pmon_address address;
  char name[48];              /* the register, as the guide writes it */
  const char *field;          /* "reserved", "ev_sel", ...; never NULL */
  uint64_t bits;              /* the register's bits that are at fault */
  uint64_t value;             /* the value written */
  const char *rule, *section; /* text, and section of the guide */
};

/* Returns the length of the list, which is in order of time and valid until the machine's next access. After the first
 * MACHINE_VIOLATIONS_KEPT only their number grows: machine_violations_total(). */
enum { MACHINE_VIOLATIONS_KEPT = 1000 };
size_t machine_violations(const struct machine *m, const struct machine_violation **ret_list);
uint64_t machine_violations_total(const struct machine *m);
void machine_violations_clear(struct machine *m);

#endif

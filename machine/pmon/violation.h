/* SPDX-License-Identifier: MIT */
/* The machine's record of what software did against the guide's rules. */
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
  uint64_t bits;              /* of the register, that are at fault */
  uint64_t value;             /* that was written */
  const char *rule, *section; /* in words, and where the guide says so */
};

/* The list, in order of time, valid until the machine's next access; its length is returned. After the first
 * MACHINE_VIOLATIONS_KEPT only their number grows: machine_violations_total(). */
enum { MACHINE_VIOLATIONS_KEPT = 1000 };
size_t machine_violations(const struct machine *m, const struct machine_violation **ret_list);
uint64_t machine_violations_total(const struct machine *m);
void machine_violations_clear(struct machine *m);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The checker: judges a stream of register accesses by the guides' rules for software, which are rows of the facts
 * (`rule` blocks of data/ *.rule). It knows what the accesses show and nothing else: what a register held before
 * it was first read or written is unknown, and no rule that needs it is judged.
 */
#ifndef MACHINE_CHECK_CHECK_H
#define MACHINE_CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/access.h>
#include <pmon/platform.h>

struct checker;

struct check_access {
  uint64_t time_ns;
  bool write;
  struct pmon_address address;
  uint64_t value;
};

/* A rule that was broken at a register; `times` it was, the first of them is told. */
struct check_finding {
  uint64_t time_ns, access; /* access: its number in the stream, from 1 */
  struct pmon_address address;
  char name[64];                   /* the register */
  char field[48];                  /* or "" */
  uint64_t bits, value;            /* at fault; of the whole register */
  const char *rule, *brief, *cite; /* the row of the facts */
  bool advice;                     /* recommended only */
  uint64_t times;
};

/* The platform must outlive the checker. PMON_E_MEMORY. */
int check_new(const struct pmon_platform *platform, struct checker **ret_checker);
void check_free(struct checker *c);

/* One access that was made. Accesses to what the platform does not describe are counted, and otherwise ignored. */
void check_access(struct checker *c, const struct check_access *a);
/* Time passed: what counters were programmed for until now has counted. */
void check_wait(struct checker *c, uint64_t time_ns);

/* Registers of a Montecito thread that its monitors depend on: PSR, DCR (cr0), PMV (cr73), TPR (cr66). */
enum check_register { CHECK_PSR, CHECK_DCR, CHECK_PMV, CHECK_TPR, CHECK_REGISTERS };
/* One of them has that value from now on. Rules that need one which was never told of are not judged. */
void check_system(struct checker *c, uint32_t package, enum check_register which, uint64_t value);

/* What was found, in order; valid until the next access. Their number is returned. */
size_t check_findings(const struct checker *c, const struct check_finding **ret_list);
/* How many of them are errors, advice left out. */
size_t check_errors(const struct checker *c);
uint64_t check_accesses(const struct checker *c);
uint64_t check_unknown(const struct checker *c);
/* Whether memory ran out: then something may have been overlooked. */
bool check_incomplete(const struct checker *c);

/* A backend that shows every access to `c`. Holds `inner`, not the checker. PMON_E_MEMORY. */
int check_backend_new(struct pmon_backend *inner, struct checker *c, struct pmon_backend **ret_backend);

#endif

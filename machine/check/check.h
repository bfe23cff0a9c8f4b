/* SPDX-License-Identifier: MIT */
/*
 * The checker judges a stream of register accesses by the guides' programming rules, which are rows of the facts
 * (`rule` blocks of data/ *.rule). It knows only what the accesses reveal: the content of a register before its first
 * read or write is unknown, and a rule that needs an unknown value is not judged.
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

/* A violation of a rule at a register. Further violations of the rule there only raise `times`, unless they concern
 * reserved bits that the finding lacks: these make another finding. The other members describe the first violation. */
struct check_finding {
  uint64_t time_ns, access; /* access: number in the stream, from 1 */
  struct pmon_address address;
  const char *unit, *row;          /* the unit's name; the name of the register's row of the facts, without numbers */
  char name[64];                   /* the register's name */
  char field[48];                  /* the field's name, or "" */
  char missing[64];                /* REGISTER.FIELD that the rule requires to be set, or "" */
  uint64_t bits, value;            /* bits: the violating bits; value: the whole register */
  const char *rule, *brief, *cite; /* the rule's row of the facts */
  bool advice;                     /* the guide only recommends it */
  uint64_t times;
};

/* The platform must outlive the checker. Returns PMON_E_MEMORY. */
int check_new(const struct pmon_platform *platform, struct checker **ret_checker);
void check_free(struct checker *c);

/* Judges one access that was made. An access outside the platform's registers is
 * counted and otherwise ignored. */
void check_access(struct checker *c, const struct check_access *a);
/* Judges the bits of a write that the hardware refused. */
void check_refused(struct checker *c, const struct check_access *a);
/* An access failed. Software may give up after that: an earlier access to one half of the register alone is no
 * violation. */
void check_failed(struct checker *c, const struct check_access *a);
/* Simulated time passed: the enabled counters have counted until `time_ns`. */
void check_wait(struct checker *c, uint64_t time_ns);

/* Registers of a Montecito thread that its monitors depend on: PSR, DCR (cr0), PMV (cr73), TPR (cr66). */
enum check_register { CHECK_PSR, CHECK_DCR, CHECK_PMV, CHECK_TPR, CHECK_REGISTERS };
/* Records that the thread's register has this value from now on. A rule that needs a register without a recorded
 * value is not judged. */
void check_system(struct checker *c, uint32_t package, enum check_register which, uint64_t value);

/* A unit of the platform's facts that a package lacks. unit: the name of its kind, owned by the platform. */
struct check_absent {
  uint32_t package, instance;
  const char *unit;
};
/* States that the package has all units of the facts except those of check_set_absent(). Without this call, the checker
 * does not judge whether software leaves units out. */
void check_know_units(struct checker *c, uint32_t package);
/* States that the package lacks the unit, so software is not expected to use it. PMON_OK; PMON_E_INVALID (the platform
 * has none of that name and number); PMON_E_MEMORY. */
int check_set_absent(struct checker *c, uint32_t package, const char *unit, uint32_t instance);
/* Calls check_know_units() for each package, and determines through a machine's plain backend which units are absent:
 * those that its discovery page does not list, if it has one, and those whose control cannot be read, or reads as a
 * removed device's. PMON_OK; PMON_E_MEMORY. */
int check_find_absent(struct checker *c, struct pmon_backend *plain, uint32_t packages);
/* The i-th absent unit; NULL past the last one. */
const struct check_absent *check_absent(const struct checker *c, uint32_t i);

/* A count that software printed for a package, and the right count. */
struct check_count {
  uint32_t package;
  uint64_t printed, right;
};
/* Call this before the first access. At the end of the stream, the checker looks for the reads of counters from which
 * software computed the count, and reports the mistake. PMON_OK (also when both are equal), PMON_E_MEMORY. */
int check_count(struct checker *c, const struct check_count *count);

enum { CHECK_FIELDS = 8, CHECK_FIELD_NAME = 24, CHECK_CAUSE = 200 };
/* The event that software was asked to count: a unit, and fields of its controls by the facts' names (ev_sel, umask,
 * thresh ...). */
struct check_asked {
  uint32_t package, instance;
  char unit[CHECK_FIELD_NAME];
  struct check_asked_field {
    char name[CHECK_FIELD_NAME];
    uint64_t value;
  } field[CHECK_FIELDS];
  uint32_t n;
};
/* Call this before the first access. The checker looks for a control of the unit that counts with these fields, ev_sel
 * among them. If there is none at the end of the stream, it reports the control that counts the event with the most of
 * these fields: that control lacks the others. PMON_OK; PMON_E_UNKNOWN: the platform has no such unit; PMON_E_INVALID:
 * the package lacks the unit (set absent before), its controls have no such field, a value does not fit, a field is
 * given twice, or ev_sel is not given; both with the cause; PMON_E_MEMORY. */
int check_ask(struct checker *c, const struct check_asked *asked, char cause[CHECK_CAUSE]);

/* The stream has ended: judges the state that it leaves, such as blocks that were never unfrozen. Further calls have no
 * effect. */
void check_end(struct checker *c);

/* The findings in order, valid until the next access. Returns their number. */
size_t check_findings(const struct checker *c, const struct check_finding **ret_list);
/* Number of findings that are errors; recommendations are not counted. */
size_t check_errors(const struct checker *c);
uint64_t check_accesses(const struct checker *c);
uint64_t check_unknown(const struct checker *c);
/* True if memory ran out. The list of findings may then be incomplete. */
bool check_incomplete(const struct checker *c);

/* A backend that passes every access of `inner` to `c`. It owns `inner` and does not own the checker. PMON_E_MEMORY. */
int check_backend_new(struct pmon_backend *inner, struct checker *c, struct pmon_backend **ret_backend);

#endif

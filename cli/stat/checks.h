/* SPDX-License-Identifier: MIT */
/* What a measurement verifies about itself, and the messages about counts that may be wrong. */
#ifndef CLI_STAT_CHECKS_H
#define CLI_STAT_CHECKS_H

#include "cli/common/findings.h"
#include "cli/target/core_states.h"

struct stat_run;

struct stat_checks {
  bool given;                    /* --check: invariants are measured, and accesses checked against the rules */
  struct checker *checker;       /* NULL: none */
  struct core_states states;     /* registers of Montecito's threads, for the checker and the log */
  uint32_t invariant_violations; /* printed so far */
  uint32_t changed_registers;    /* by other software, as reported last */
  bool missed_overflows;         /* --every: an instance that reports no overflow has been named */
};

/* Prints the violated invariants of a report; with `counted`, also how many were checked. */
void stat_checks_invariants(struct cli *cli, struct stat_checks *c, const struct pmon_report *r, bool counted);
/* Other software changed control or filter registers, since the last check; reported again only if their number
 * changes. */
void stat_checks_changed(const struct cli *cli, struct stat_checks *c, const struct pmon_session *session,
                         uint64_t origin_ns);
/* An instance counted far more than --every allows, because its overflows did not freeze the package, or their message
 * did not arrive (817509 2.12.1); reported once. */
void stat_checks_overflows(struct stat_run *s, const struct pmon_session *session, uint32_t packages);
/* Filters of another user would narrow the counts. */
void stat_checks_filters(const struct cli *cli, const struct pmon_session *session);

#endif

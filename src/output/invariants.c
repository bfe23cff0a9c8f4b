/* SPDX-License-Identifier: MIT */
/* The invariant violations of a report. */
#include <stdlib.h>
#include <string.h>
#include "src/base/array.h"
#include "src/base/sized.h"
#include "src/output/report.h"

struct taking {
  struct pmon_report *report;
  bool failed;
};

static char *copy_text_or_fail(const char *s, bool *failed)
{
  char *c = strdup(s ? s : "");
  *failed |= !c;
  return c;
}

static void free_invariant(struct pmon_invariant_violation *invariant)
{
  const char *const texts[] = {invariant->name, invariant->unit, invariant->brief, invariant->holds, invariant->cite};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    free((char *)(uintptr_t)texts[i]);
}

static void report_keep_violation(void *user, const struct pmon_invariant_violation *invariant)
{
  struct taking *t = user;
  struct pmon_report *r = t->report;
  struct pmon_invariant_violation own = *invariant;
  bool failed = array_grow(&r->violations, r->n_violations, &r->cap_violations, sizeof *r->violations) != 0;
  t->failed |= failed;
  if (failed)
    return;
  own.name = copy_text_or_fail(invariant->name, &t->failed);
  own.unit = copy_text_or_fail(invariant->unit, &t->failed);
  own.brief = copy_text_or_fail(invariant->brief, &t->failed);
  own.holds = copy_text_or_fail(invariant->holds, &t->failed);
  own.cite = copy_text_or_fail(invariant->cite, &t->failed);
  r->violations[r->n_violations++] = own;
}

int pmon_report_add_invariants(struct pmon_report *report, const struct pmon_session *session)
{
  struct taking t = {.report = report};
  uint32_t checked = 0;
  int status = pmon_session_check_invariants(session, report_keep_violation, &t, &checked);
  report->invariants_checked += checked;
  return status ? status : t.failed ? PMON_E_MEMORY : 0;
}

uint32_t pmon_report_invariants_checked(const struct pmon_report *report)
{
  return report->invariants_checked;
}

int pmon_report_invariant_violation(const struct pmon_report *report, uint32_t i,
                                    struct pmon_invariant_violation *invariant)
{
  if (i >= report->n_violations)
    return PMON_E_RANGE;
  struct pmon_invariant_violation full = report->violations[i];
  return sized_fill(invariant, &full, sizeof full);
}

void report_free_invariants(struct pmon_report *report)
{
  for (uint32_t i = 0; i < report->n_violations; i++)
    free_invariant(&report->violations[i]);
  free(report->violations);
}

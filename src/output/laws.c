/* SPDX-License-Identifier: MIT */
/* The broken laws of a report. */
#include <stdlib.h>
#include <string.h>
#include "report.h"
#include "src/schedule/plan.h"

struct taking {
  struct pmon_report *report;
  bool failed;
};

static char *copy(const char *s, bool *failed)
{
  char *c = strdup(s ? s : "");
  *failed |= !c;
  return c;
}

static void free_law(struct pmon_broken_law *law)
{
  const char *const texts[] = {law->name, law->unit, law->brief, law->holds, law->cite};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    free((char *)(uintptr_t)texts[i]);
}

static void take(void *user, const struct pmon_broken_law *law)
{
  struct taking *t = user;
  struct pmon_report *r = t->report;
  struct pmon_broken_law own = *law;
  bool failed = plan_grow(&r->broken, r->n_broken, &r->cap_broken, sizeof *r->broken) != 0;
  t->failed |= failed;
  if (failed)
    return;
  own.name = copy(law->name, &t->failed);
  own.unit = copy(law->unit, &t->failed);
  own.brief = copy(law->brief, &t->failed);
  own.holds = copy(law->holds, &t->failed);
  own.cite = copy(law->cite, &t->failed);
  r->broken[r->n_broken++] = own;
}

int pmon_report_add_laws(struct pmon_report *report, const struct pmon_session *session)
{
  struct taking t = {.report = report};
  uint32_t checked = 0;
  int status = pmon_session_check_laws(session, take, &t, &checked);
  report->laws_checked += checked;
  return status ? status : t.failed ? PMON_E_MEMORY : 0;
}

uint32_t pmon_report_laws_checked(const struct pmon_report *report)
{
  return report->laws_checked;
}

int pmon_report_broken_law(const struct pmon_report *report, uint32_t i, struct pmon_broken_law *law)
{
  if (i >= report->n_broken)
    return PMON_E_RANGE;
  struct pmon_broken_law full = report->broken[i];
  full.size = law->size;
  memcpy(law, &full, law->size < sizeof full ? law->size : sizeof full);
  return 0;
}

void report_free_laws(struct pmon_report *report)
{
  for (uint32_t i = 0; i < report->n_broken; i++)
    free_law(&report->broken[i]);
  free(report->broken);
}

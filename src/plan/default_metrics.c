/* SPDX-License-Identifier: MIT */
/* A platform's default metrics. */
#include <stdio.h>
#include "src/platform/context.h"
#include "src/platform/platform.h"
#include "src/plan/plan.h"

int pmon_plan_add_default_metrics(struct pmon_plan *plan)
{
  const struct pmon_platform *p = plan->platform;
  uint32_t added = 0;
  for (uint32_t place = 1; place <= UINT8_MAX; place++) {
    struct pmon_metric_info m = {.size = sizeof m};
    for (uint32_t i = 0; platform_get_metric(p, i, &m); i++) {
      char name[192];
      if (m.default_place != place)
        continue;
      snprintf(name, sizeof name, "%s/%s", m.unit, m.name);
      int status = pmon_plan_add_metrics(plan, name);
      if (status)
        return status;
      added++;
    }
  }
  return added ? 0
               : context_fail(plan->context, PMON_E_NO_DATA, 0, "%s has no default metrics: name events or metrics",
                              db_text(p->db, p->row->name));
}

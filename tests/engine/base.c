/* SPDX-License-Identifier: MIT */
#include "tests/engine/base.h"

struct pmon_context *context;
const struct pmon_platform *emr, *snbep, *montecito;

int rig_begin(void **state)
{
  (void)state;
  return pmon_context_new(&context) || pmon_platform_find(context, "emr", &emr) ||
         pmon_platform_find(context, "snbep", &snbep) || pmon_platform_find(context, "montecito", &montecito);
}

int rig_end(void **state)
{
  (void)state;
  pmon_context_free(context);
  return 0;
}

void ok(int status)
{
  if (status)
    fail_msg("%s: %s", pmon_status_name(status), pmon_context_error(context));
}

struct pmon_plan *rig_plan(const struct pmon_platform *platform, const char *events, const char *metrics)
{
  struct pmon_plan *plan;
  ok(pmon_plan_new(context, platform, &plan));
  if (events)
    ok(pmon_plan_add_events(plan, events));
  if (metrics)
    ok(pmon_plan_add_metrics(plan, metrics));
  ok(pmon_plan_schedule(plan));
  return plan;
}

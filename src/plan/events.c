/* SPDX-License-Identifier: MIT */
/* The events of a plan: how they are added, and taken back when a list fails. */
#include <stdlib.h>
#include <string.h>
#include "src/base/array.h"
#include "src/event/event.h"
#include "src/plan/metric.h"
#include "src/plan/plan.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"

int plan_add_event(struct pmon_plan *plan, const char *text, bool selected, uint32_t *ret_event)
{
  struct pmon_event *event;
  int status = event_resolve(plan->context, plan->platform, text, plan->recorded, &event);
  if (status)
    return status;
  for (uint32_t i = 0; i < plan->n_events; i++) {
    if (strcmp(pmon_event_name(plan->events[i].event), pmon_event_name(event)))
      continue;
    pmon_event_free(event);
    plan->events[i].selected |= selected;
    *ret_event = i;
    return 0;
  }
  if (array_grow(&plan->events, plan->n_events, &plan->cap_events, sizeof *plan->events)) {
    pmon_event_free(event);
    return context_fail(plan->context, PMON_E_MEMORY, 0, "no memory for an event");
  }
  struct pmon_unit_info unit = {.size = sizeof unit};
  platform_get_unit(plan->platform, pmon_event_unit(event), &unit);
  uint64_t there = unit.instances >= 64 ? UINT64_MAX : (UINT64_C(1) << (unit.instances ? unit.instances : 1)) - 1;
  plan->events[plan->n_events] =
      (struct plan_event){.event = event, .selected = selected, .instances = pmon_event_instances(event) & there};
  *ret_event = plan->n_events++;
  return 0;
}

void plan_rewind(struct pmon_plan *plan, const struct plan_mark *mark)
{
  while (plan->n_selected_metrics > mark->selected)
    plan->metrics[plan->selected_metrics[--plan->n_selected_metrics]]->selected = false;
  plan_names_forget(&plan->metric_names, mark->metrics);
  while (plan->n_metrics > mark->metrics)
    metric_free(plan->metrics[--plan->n_metrics]);
  while (plan->n_groups > mark->groups)
    free(plan->groups[--plan->n_groups].items);
  while (plan->n_events > mark->events)
    pmon_event_free(plan->events[--plan->n_events].event);
}

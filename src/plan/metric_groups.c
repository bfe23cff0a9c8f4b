/* SPDX-License-Identifier: MIT */
/* Adds metrics by group; the default metrics are a group. */
#include <pmon/metric.h>
#include <stdio.h>
#include <string.h>
#include "src/platform/context.h"
#include "src/platform/platform.h"
#include "src/plan/plan.h"

static int add_group(struct pmon_plan *plan, uint32_t group)
{
  const struct pmon_platform *p = plan->platform;
  const struct db_span members = p->db->groups[p->row->groups.first + group].members;
  int status = PMON_OK;
  for (uint32_t i = members.first; !status && i < members.first + members.n; i++)
    status = pmon_plan_add_metrics(plan, db_text(p->db, p->db->members[i].name));
  return status;
}

static int add_named(struct pmon_plan *plan, const char *list, size_t n)
{
  const struct pmon_platform *p = plan->platform;
  struct pmon_metric_group_info info;
  char name[128];
  uint32_t group;
  snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), list);
  const int status = pmon_metric_group_find(p, name, &group);
  if (status)
    return status;
  platform_get_group(p, group, &info);
  return info.metrics
             ? add_group(plan, group)
             : context_fail(plan->context, PMON_E_NO_DATA, 0,
                            "%s has no metrics in group %s; `pmon metrics --groups` lists those that have some",
                            db_text(p->db, p->row->name), info.name);
}

int pmon_plan_add_metric_groups(struct pmon_plan *plan, const char *list)
{
  static const char between[] = ", \t";
  const struct plan_mark mark = {plan->n_events, plan->n_groups, plan->n_metrics, plan->n_selected_metrics};
  int status = PMON_OK;
  bool any = false;
  for (size_t at = strspn(list, between), n; !status && list[at]; at += n + strspn(list + at + n, between)) {
    n = strcspn(list + at, between);
    status = add_named(plan, list + at, n);
    any = true;
  }
  if (!status && !any)
    status = context_fail(plan->context, PMON_E_SYNTAX, 1, "the list names no metric group");
  if (status)
    plan_rewind(plan, &mark);
  return status;
}

int pmon_plan_add_default_metrics(struct pmon_plan *plan)
{
  const struct pmon_platform *p = plan->platform;
  struct pmon_metric_group_info info;
  for (uint32_t i = 0; platform_get_group(p, i, &info); i++)
    if (info.metrics && !strcmp(info.name, DB_DEFAULT_GROUP))
      return add_group(plan, i);
  return context_fail(plan->context, PMON_E_NO_DATA, 0, "%s has no default metrics: name events or metrics",
                      db_text(p->db, p->row->name));
}

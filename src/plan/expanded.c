/* SPDX-License-Identifier: MIT */
/* Adds lists with patterns to a plan, by the names that they match. */
#include <stdlib.h>
#include <string.h>
#include "src/platform/context.h"
#include "src/plan/plan.h"

int plan_add_expanded(struct pmon_plan *plan, const char *list, plan_expand expand, plan_add add)
{
  size_t n = 0;
  if (!list[strcspn(list, "*?[")])
    return add(plan, list);
  int status = expand(plan->platform, list, NULL, 0, &n);
  if (status)
    return status;
  char *names = malloc(n + 1);
  if (!names)
    return context_fail(plan->context, PMON_E_MEMORY, 0, "no memory for a list of names");
  expand(plan->platform, list, names, n + 1, &n);
  status = add(plan, names);
  /* A column refers to the list as it was given: a column of the expanded list is meaningless. */
  if (status && strcmp(names, list))
    plan->context->column = 0;
  free(names);
  return status;
}

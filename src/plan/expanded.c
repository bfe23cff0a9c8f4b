/* SPDX-License-Identifier: MIT */
/* Adds lists with patterns to a plan, by the names that they match. */
#include <stdlib.h>
#include <string.h>
#include "src/base/buffer.h"
#include "src/platform/context.h"
#include "src/plan/plan.h"

/* *ret_names is to be freed. */
static int expand(const struct pmon_plan *plan, const char *list, const struct plan_list *of, char **ret_names)
{
  size_t n = 0;
  int status = of->expand(plan, list, NULL, 0, &n);
  if (status)
    return status;
  *ret_names = malloc(n + 1);
  if (!*ret_names)
    return context_fail(plan->context, PMON_E_MEMORY, 0, "no memory for a list of names");
  return of->expand(plan, list, *ret_names, n + 1, &n);
}

static bool has_pattern(const char *list)
{
  return list[strcspn(list, "*?[")];
}

static size_t skip_separators(const char *list)
{
  return strspn(list, ", \t");
}

/* Removes the names from a list whose events the recording does not have. */
static void keep_recorded(struct pmon_plan *plan, char *names, const struct plan_list *of)
{
  const struct plan_mark mark = {plan->n_events, plan->n_groups, plan->n_metrics, plan->n_selected_metrics};
  size_t kept = 0, length;
  for (size_t at = skip_separators(names); names[at]; at += length + skip_separators(names + at + length)) {
    length = of->element_length(names + at);
    char *name = strndup(names + at, length);
    if (name && !of->add(plan, name) && plan->n_events == mark.events) {
      if (kept)
        names[kept++] = ',';
      memmove(names + kept, name, length);
      kept += length;
    }
    plan_rewind(plan, &mark);
    free(name);
  }
  names[kept] = 0;
}

/* Expands one element of a list for a recording. */
static int expand_recorded(struct pmon_plan *plan, const char *element, const struct plan_list *of, char **ret_names)
{
  const int status = expand(plan, element, of, ret_names);
  if (status || !has_pattern(element) || !strcmp(*ret_names, element))
    return status;
  keep_recorded(plan, *ret_names, of);
  return **ret_names
             ? PMON_OK
             : context_fail(plan->context, PMON_E_NO_DATA, 0,
                            "the recording has the events of none of the %s that match %.200s", of->what, element);
}

/* Expands the elements one by one, because a name that is not recorded is an error outside patterns. The text of *all
 * is to be freed in any case. */
static int expand_all_recorded(struct pmon_plan *plan, const char *list, const struct plan_list *of, struct buffer *all)
{
  int status = PMON_OK;
  for (size_t at = skip_separators(list), n; !status && list[at]; at += n + skip_separators(list + at + n)) {
    char *names = NULL;
    n = of->element_length(list + at);
    char *const element = strndup(list + at, n);
    const uint32_t outside = context_begin_part(plan->context, (uint32_t)at);
    status = element ? expand_recorded(plan, element, of, &names) : PMON_E_MEMORY;
    context_end_part(plan->context, outside);
    if (!status) {
      buffer_add_bytes(all, ",", all->data ? 1 : 0);
      buffer_add_bytes(all, names, strlen(names));
      status = all->failed ? PMON_E_MEMORY : PMON_OK;
    }
    free(element);
    free(names);
  }
  return status == PMON_E_MEMORY ? context_fail(plan->context, status, 0, "no memory for a list of names") : status;
}

int plan_add_expanded(struct pmon_plan *plan, const char *list, const struct plan_list *of)
{
  char *names = NULL;
  int status;
  if (!has_pattern(list))
    return of->add(plan, list);
  if (plan->recorded) {
    struct buffer all = {0};
    status = expand_all_recorded(plan, list, of, &all);
    names = all.data;
  } else {
    status = expand(plan, list, of, &names);
  }
  if (!status) {
    /* A column refers to the list as it was given: a column of the expanded list is meaningless. */
    const bool outside = plan->context->no_columns;
    plan->context->no_columns |= names && strcmp(names, list);
    status = of->add(plan, names ? names : list);
    plan->context->no_columns = outside;
  }
  free(names);
  return status;
}

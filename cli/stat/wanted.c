/* SPDX-License-Identifier: MIT */
/* The events and metrics that are measured, as the options give them. */
#include <stdlib.h>
#include <string.h>
#include "cli/common/one_value.h"
#include "cli/stat/kernel.h"
#include "cli/stat/stat.h"

int stat_add_wanted(struct stat_run *s, const char *list, int option)
{
  if (!cli_platform(s->cli))
    return CLI_USAGE;
  if (!s->plan && pmon_plan_new(s->cli->context, s->cli->platform, &s->plan))
    return cli_fail_context(s->cli, NULL);
  s->wanted = true;
  if (option == 'e')
    return kernel_add_events(s->cli, &s->hardware, s->plan, list);
  if (option == 'g')
    return pmon_plan_add_metric_groups(s->plan, list) ? cli_fail_context(s->cli, NULL) : CLI_DONE;
  if (pmon_plan_add_metrics(s->plan, list))
    return cli_fail_context(s->cli, list);
  one_value_warn(s->cli, list);
  return CLI_DONE;
}

bool stat_keep_waiting(const struct stat_run *s, char **waiting, const char *list)
{
  char *joined;
  if (pmon_context_error_status(s->cli->context) != PMON_E_UNKNOWN || !strchr(list, '=') ||
      asprintf(&joined, "%s%s%s", *waiting ? *waiting : "", *waiting ? "," : "", list) < 0)
    return false;
  free(*waiting);
  *waiting = joined;
  return true;
}

/* Adds the waiting lists and this one, so that they are in the user's order; false: they wait on. */
static bool add_with_waiting(struct stat_run *s, const char *list)
{
  char *joined;
  if (!s->waiting || asprintf(&joined, "%s,%s", s->waiting, list) < 0)
    return false;
  const bool added = !pmon_plan_add_metrics(s->plan, joined);
  if (!added) {
    free(joined);
    return false;
  }
  free(s->waiting);
  s->waiting = joined;
  return true;
}

int stat_add_option(struct stat_run *s, const char *list, int option)
{
  if (option == 'm' && add_with_waiting(s, list))
    return stat_add_waiting(s);
  if (option == 'm' && cli_platform(s->cli) &&
      (s->plan || !pmon_plan_new(s->cli->context, s->cli->platform, &s->plan)) &&
      pmon_plan_add_metrics(s->plan, list) && stat_keep_waiting(s, &s->waiting, list))
    return CLI_DONE;
  return stat_add_wanted(s, list, option);
}

int stat_add_waiting(struct stat_run *s)
{
  char *list = s->waiting;
  const int result = list ? stat_add_wanted(s, list, 'm') : CLI_DONE;
  s->waiting = NULL;
  free(list);
  return result;
}

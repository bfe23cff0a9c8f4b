/* SPDX-License-Identifier: MIT */
/* The events and metrics that are measured, as the options give them. */
#include <stdlib.h>
#include <string.h>
#include "cli/common/one_value.h"
#include "cli/stat/kernel_events.h"
#include "cli/stat/wanted.h"

static int wanted_make_plan(struct cli *cli, struct stat_wanted *w)
{
  if (!cli_platform(cli))
    return CLI_USAGE;
  return w->plan || !pmon_plan_new(cli->context, cli->platform, &w->plan) ? CLI_DONE : cli_fail_context(cli, NULL);
}

int stat_wanted_add(struct cli *cli, const struct hardware *h, struct stat_wanted *w, int option, const char *list)
{
  const int result = wanted_make_plan(cli, w);
  if (result != CLI_DONE)
    return result;
  w->given = true;
  if (option == 'e')
    return kernel_events_add(cli, h, w->plan, list);
  if (option == 'g')
    return pmon_plan_add_metric_groups(w->plan, list) ? cli_fail_context(cli, NULL) : CLI_DONE;
  if (pmon_plan_add_metrics(w->plan, list))
    return cli_fail_context(cli, list);
  one_value_warn(cli, list);
  return CLI_DONE;
}

bool stat_wanted_defer(const struct cli *cli, char **waiting, const char *list)
{
  char *joined;
  if (pmon_context_error_status(cli->context) != PMON_E_UNKNOWN || !strchr(list, '=') ||
      asprintf(&joined, "%s%s%s", *waiting ? *waiting : "", *waiting ? "," : "", list) < 0)
    return false;
  free(*waiting);
  *waiting = joined;
  return true;
}

/* Adds the waiting lists and this one, so that they are in the user's order; false: they wait on. */
static bool wanted_add_with_waiting(struct stat_wanted *w, const char *list)
{
  char *joined;
  if (!w->waiting || asprintf(&joined, "%s,%s", w->waiting, list) < 0)
    return false;
  const bool added = !pmon_plan_add_metrics(w->plan, joined);
  if (!added) {
    free(joined);
    return false;
  }
  free(w->waiting);
  w->waiting = joined;
  return true;
}

int stat_wanted_add_option(struct cli *cli, const struct hardware *h, struct stat_wanted *w, int option,
                           const char *list)
{
  if (option == 'm' && wanted_add_with_waiting(w, list))
    return stat_wanted_add_waiting(cli, h, w);
  if (option == 'm' && cli_platform(cli) && (w->plan || !pmon_plan_new(cli->context, cli->platform, &w->plan)) &&
      pmon_plan_add_metrics(w->plan, list) && stat_wanted_defer(cli, &w->waiting, list))
    return CLI_DONE;
  return stat_wanted_add(cli, h, w, option, list);
}

int stat_wanted_add_waiting(struct cli *cli, const struct hardware *h, struct stat_wanted *w)
{
  char *list = w->waiting;
  const int result = list ? stat_wanted_add(cli, h, w, 'm', list) : CLI_DONE;
  w->waiting = NULL;
  free(list);
  return result;
}

int stat_wanted_add_lists(struct cli *cli, const struct hardware *h, struct stat_wanted *w,
                          const struct stat_lists *lists)
{
  const struct {
    int option;
    const char *list;
  } given[] = {{'e', lists->events}, {'m', lists->metrics}, {'g', lists->groups}};
  int result = CLI_DONE;
  for (size_t i = 0; result == CLI_DONE && i < sizeof given / sizeof *given; i++)
    if (given[i].list)
      result = stat_wanted_add(cli, h, w, given[i].option, given[i].list);
  return result;
}

/* SPDX-License-Identifier: MIT */
#include "cli/common/groups.h"
#include <stdlib.h>
#include <string.h>

static bool is_recorded(const struct cli *cli, struct pmon_recording *recording, const char *metric)
{
  struct pmon_plan *plan = NULL;
  const bool recorded = !pmon_recording_plan(recording, cli->platform, NULL, metric, &plan);
  if (recorded)
    pmon_plan_free(plan);
  return recorded;
}

/* Adds the group's metrics to the list, and their number to *n. Metrics that the recording does not contain are
 * omitted. */
static int add_recorded(const struct cli *cli, struct pmon_recording *recording, const char *group, FILE *list,
                        uint32_t *n)
{
  struct pmon_metric_info m = {.size = sizeof m};
  uint32_t number, metric;
  if (pmon_metric_group_find(cli->platform, group, &number))
    return cli_fail_context(cli, NULL);
  for (uint32_t i = 0; !pmon_metric_group_member(cli->platform, number, i, &metric); i++) {
    char name[300];
    pmon_metric_describe(cli->platform, metric, &m);
    snprintf(name, sizeof name, "%s%s%s", m.unit, *m.unit ? "/" : "", m.name);
    if (!is_recorded(cli, recording, name))
      continue;
    fprintf(list, "%s%s", *n ? "," : "", name);
    ++*n;
  }
  return CLI_DONE;
}

int groups_recorded(const struct cli *cli, struct pmon_recording *recording, const char *groups, const char *metrics,
                    char **ret_list)
{
  char *text = NULL, group[128];
  size_t size;
  uint32_t n = metrics != NULL, before = n;
  int result = CLI_DONE;
  *ret_list = NULL;
  if (!groups && !metrics)
    return CLI_DONE;
  FILE *list = open_memstream(&text, &size);
  if (!list)
    return cli_fail_memory(cli);
  fputs(metrics ? metrics : "", list);
  for (const char *at = groups ? groups : ""; result == CLI_DONE && *at; at += *at == ',') {
    const size_t length = strcspn(at, ",");
    snprintf(group, sizeof group, "%.*s", (int)(length < sizeof group ? length : sizeof group - 1), at);
    at += length;
    result = add_recorded(cli, recording, group, list, &n);
  }
  if (fclose(list))
    result = cli_fail_memory(cli);
  if (result == CLI_DONE && groups && n == before)
    result = cli_fail(cli, "%s: the recording lacks the events of all these metrics", groups);
  if (result == CLI_DONE)
    *ret_list = text;
  else
    free(text);
  return result;
}

bool groups_has(const struct cli *cli, const char *name)
{
  struct pmon_metric_group_info info = {.size = sizeof info};
  uint32_t group;
  return !pmon_metric_group_find(cli->platform, name, &group) &&
         !pmon_metric_group_describe(cli->platform, group, &info) && info.metrics;
}

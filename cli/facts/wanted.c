/* SPDX-License-Identifier: MIT */
/* Which events the options and patterns of a command select. */
#include <string.h>
#include "cli/common/event_name.h"
#include "cli/facts/describe.h"

/* Whether a pattern that begins as names of event files or of Linux' PMUs do matches the row's name there:
 * UNC_M_CAS_COUNT.RD, uncore_imc/CAS_COUNT.RD/. */
static bool matches_elsewhere(const struct cli *cli, const struct pmon_event_info *e, const char *pattern)
{
  struct pmon_unit_info u = {.size = sizeof u};
  char name[512];
  uint32_t unit;
  const bool file = !strncasecmp(pattern, "unc_", 4);
  if (!file && strncasecmp(pattern, "uncore_", 7) != 0)
    return false;
  if (pmon_unit_find(cli->platform, e->unit, &unit) || pmon_unit_describe(cli->platform, unit, &u) || !*u.prefix)
    return false;
  snprintf(name, sizeof name, "%s%s%s%s%s%s", file ? u.prefix : u.perf, file ? "" : "/", e->event, e->umask ? "." : "",
           e->umask ? e->umask : "", file ? "" : "/");
  return describe_matches(pattern, name);
}

bool describe_event_matches(const struct cli *cli, const struct pmon_event_info *e, const char *pattern)
{
  char name[512];
  const int n = event_name_format(e->unit, e, name, sizeof name);
  if (n >= (int)sizeof name)
    return false;
  char *event = name + strlen(e->unit) + 1;
  if (describe_matches(pattern, name) || describe_matches(pattern, e->brief) || describe_matches(pattern, e->alias) ||
      matches_elsewhere(cli, e, pattern))
    return true;
  name[n - 1] = 0;
  return describe_matches(pattern, name) || describe_matches(pattern, event);
}

bool describe_wanted(const struct cli *cli, const struct pmon_event_info *e, const struct cli_options *o)
{
  if (o->code >= 0 && (e->kind != PMON_EVENT_PROGRAMMED || e->code != (uint64_t)o->code))
    return false;
  if (o->counter >= 0 && (e->kind != PMON_EVENT_PROGRAMMED || o->counter > 31 || !(e->counters >> o->counter & 1)))
    return false;
  for (int i = 0; i < o->n; i++)
    if (!describe_event_matches(cli, e, o->args[i]))
      return false;
  return true;
}

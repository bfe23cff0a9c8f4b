/* SPDX-License-Identifier: MIT */
/* Metric groups of a platform. */
#include <pmon/metric.h>
#include <stdio.h>
#include "src/base/nearest.h"
#include "src/platform/context.h"

static const struct db_group *group_row(const struct pmon_platform *p, uint32_t group)
{
  return group < p->row->groups.n ? &p->db->groups[p->row->groups.first + group] : NULL;
}

bool platform_get_group(const struct pmon_platform *platform, uint32_t group, struct pmon_metric_group_info *info)
{
  const struct db_group *g = group_row(platform, group);
  if (g)
    *info = (struct pmon_metric_group_info){.size = sizeof *info,
                                            .name = db_text(platform->db, g->name),
                                            .brief = db_text(platform->db, g->brief),
                                            .cite = db_text(platform->db, g->origin.cite),
                                            .metrics = g->members.n};
  return g;
}

int pmon_metric_group_describe(const struct pmon_platform *platform, uint32_t group,
                               struct pmon_metric_group_info *info)
{
  struct pmon_metric_group_info full;
  if (!platform_get_group(platform, group, &full))
    return context_fail_range(platform->context, "metric group", group, platform->row->groups.n);
  return CONTEXT_FILL(platform->context, info, full);
}

/* Fails with the names that are near, or else with all groups that have metrics. */
static int fail_unknown(const struct pmon_platform *platform, const char *name)
{
  struct nearest near = {.name = text_of(name)};
  struct pmon_metric_group_info info;
  char hint[400];
  for (uint32_t i = 0; platform_get_group(platform, i, &info); i++)
    if (info.metrics)
      nearest_add(&near, text_of(info.name), i, 0);
  nearest_format(&near, hint, sizeof hint);
  size_t n = strlen(hint);
  for (uint32_t i = 0, listed = 0; !near.n && n < sizeof hint && platform_get_group(platform, i, &info); i++)
    if (info.metrics)
      n += (size_t)snprintf(hint + n, sizeof hint - n, "%s%s", listed++ ? ", " : "; expected ", info.name);
  return context_fail(platform->context, PMON_E_UNKNOWN, 0, "%s has no metric group \"%.100s\"%s",
                      db_text(platform->db, platform->row->name), name, hint);
}

int pmon_metric_group_find(const struct pmon_platform *platform, const char *name, uint32_t *ret_group)
{
  for (uint32_t i = 0; i < platform->row->groups.n; i++)
    if (text_is(text_of(name), db_text(platform->db, group_row(platform, i)->name))) {
      *ret_group = i;
      return PMON_OK;
    }
  return fail_unknown(platform, name);
}

int pmon_metric_group_member(const struct pmon_platform *platform, uint32_t group, uint32_t i, uint32_t *ret_metric)
{
  const struct db_group *g = group_row(platform, group);
  if (!g)
    return context_fail_range(platform->context, "metric group", group, platform->row->groups.n);
  if (i >= g->members.n)
    return context_fail_range(platform->context, "metric of the group", i, g->members.n);
  *ret_metric = platform->db->members[g->members.first + i].metric - platform->row->metrics.first;
  return PMON_OK;
}

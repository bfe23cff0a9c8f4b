/* SPDX-License-Identifier: MIT */
/* Finds names of the platform that are similar to an unknown one. */
#include "cli/facts/near.h"
#include <stdio.h>
#include <strings.h>
#include "src/base/nearest.h"

/* Adds the names of units, registers and layouts to the candidates. */
static void near_registers(const struct cli *cli, struct nearest *near)
{
  struct pmon_unit_info u = {.size = sizeof u};
  struct pmon_register_info r = {.size = sizeof r};
  for (uint32_t i = 0; pmon_unit_describe(cli->platform, i, &u) == PMON_OK; i++) {
    nearest_add(near, text_of(u.name), 0, 0);
    for (uint32_t k = 0; pmon_register_describe(cli->platform, i, k, &r) == PMON_OK; k++)
      nearest_add(near, text_of(r.name), 0, 0);
  }
  for (uint32_t k = 0; pmon_register_describe(cli->platform, PMON_UNIT_NONE, k, &r) == PMON_OK; k++)
    nearest_add(near, text_of(r.name), 0, 0);
}

static void near_values(const struct cli *cli, struct nearest *near)
{
  struct pmon_values_info v = {.size = sizeof v};
  struct pmon_value_info row = {.size = sizeof row};
  for (uint32_t i = 0; pmon_values_describe(cli->platform, i, &v) == PMON_OK; i++) {
    nearest_add(near, text_of(v.name), 0, 0);
    for (uint32_t k = 0; pmon_value_describe(cli->platform, i, k, &row) == PMON_OK; k++)
      nearest_add(near, text_of(row.name), 0, 0);
  }
}

static void near_groups(const struct cli *cli, struct nearest *near)
{
  struct pmon_metric_group_info g = {.size = sizeof g};
  for (uint32_t i = 0; pmon_metric_group_describe(cli->platform, i, &g) == PMON_OK; i++)
    if (g.metrics)
      nearest_add(near, text_of(g.name), 0, 0);
}

static void near_units(const struct cli *cli, struct nearest *near)
{
  struct pmon_unit_info u = {.size = sizeof u};
  for (uint32_t i = 0; pmon_unit_describe(cli->platform, i, &u) == PMON_OK; i++)
    nearest_add(near, text_of(u.name), 0, 0);
}

void near_format(const struct cli *cli, unsigned kinds, const char *name, char *out, size_t size)
{
  struct nearest near = {.name = text_of(name)};
  struct pmon_metric_info m = {.size = sizeof m};
  struct pmon_event_info e = {.size = sizeof e};
  struct pmon_event_cursor c = {0};
  if (kinds & NEAR_UNITS)
    near_units(cli, &near);
  if (kinds & NEAR_REGISTERS)
    near_registers(cli, &near);
  if (kinds & NEAR_VALUES)
    near_values(cli, &near);
  if (kinds & NEAR_GROUPS)
    near_groups(cli, &near);
  char longer[128];
  const struct text spelled = nearest_spell_out(near.name, longer, sizeof longer);
  for (uint32_t i = 0; kinds & NEAR_METRICS && pmon_metric_describe(cli->platform, i, &m) == PMON_OK; i++) {
    nearest_add(&near, text_of(m.name), 0, 0);
    if (!strcasecmp(spelled.s, m.name)) {
      snprintf(out, size, "; did you mean %s?", m.name);
      return;
    }
  }
  while (kinds & NEAR_EVENTS && pmon_event_next(cli->platform, UINT32_MAX, &c, &e))
    nearest_add(&near, text_of(e.event), 0, 0);
  nearest_format(&near, out, size);
}

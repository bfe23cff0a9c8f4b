/* SPDX-License-Identifier: MIT */
/* pmon metrics: metrics, and the groups that they are in. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli/facts/describe.h"
#include "cli/facts/near.h"

/* Whether `name` is the metric's name with a value for its parameter, which is a letter at the end of a part of the
 * name. */
static bool is_with_value(const struct pmon_metric_info *m, const char *name)
{
  const char *at = m->name;
  unsigned long value = 0;
  bool given = false;
  for (; *at && *name; at++) {
    char *end = NULL;
    if (*at == *m->param && !isalnum((unsigned char)at[1]) && isdigit((unsigned char)*name)) {
      value = strtoul(name, &end, 10);
      name = end;
      given = true;
    } else if (tolower((unsigned char)*at) == tolower((unsigned char)*name)) {
      name++;
    } else {
      return false;
    }
  }
  return given && !*at && !*name && value >= m->param_lo && value <= m->param_hi;
}

bool describe_is_metric(const struct pmon_metric_info *m, const char *name)
{
  const char *slash = strchr(name, '/');
  const size_t unit = slash ? (size_t)(slash - name) : 0;
  if (slash && (strlen(m->unit) != unit || strncasecmp(m->unit, name, unit) != 0))
    return false;
  const char *own = slash ? slash + 1 : name;
  return strcasecmp(own, m->name) == 0 || (*m->param && is_with_value(m, own));
}

bool describe_metric_of_other(struct cli *cli, const char *name, char *own, size_t size)
{
  struct pmon_plan_metric_info info = {.size = sizeof info};
  struct pmon_plan *plan = NULL;
  const bool found = !strpbrk(name, "=,*?[") && !pmon_plan_new(cli->context, cli->platform, &plan) &&
                     !pmon_plan_add_metrics(plan, name) && !pmon_plan_metric(plan, 0, &info);
  if (found)
    snprintf(own, size, "%s", info.name);
  pmon_plan_free(plan);
  return found;
}

void describe_metric_json(struct out *o, const char *platform, const struct pmon_metric_info *m)
{
  json_open(o, NULL, '{');
  json_text(o, "platform", platform);
  json_text(o, "unit", m->unit);
  json_text(o, "name", m->name);
  json_text(o, "equation", *m->equation ? m->equation : NULL);
  json_text(o, "result", m->result);
  json_bool(o, "per_second", m->per_second);
  json_text(o, "of", *m->of ? m->of : NULL);
  json_text(o, "param", *m->param ? m->param : NULL);
  json_text(o, "printed", *m->printed ? m->printed : NULL);
  json_text(o, "stale", *m->stale ? m->stale : NULL);
  json_text(o, "brief", m->brief);
  json_text(o, "note", m->note);
  json_text(o, "alias", m->alias);
  describe_origin_json(o, m->source, m->unsure, m->cite);
  json_close(o, '}');
}

static void metrics_write(struct cli *cli, const struct pmon_metric_info *m, bool json)
{
  struct out *out = &cli->out;
  if (json) {
    struct pmon_platform_info p = {.size = sizeof p};
    pmon_platform_describe(cli->platform, &p);
    describe_metric_json(out, p.name, m);
    json_end_line(out);
    return;
  }
  const size_t unit = strlen(m->unit), name = strlen(m->name) > 40 ? strlen(m->name) : 40;
  out_style(out, OUT_NAME);
  out_padded(out, m->name, 40);
  out_style(out, OUT_PLAIN);
  out_char(out, ' ');
  out_padded(out, m->unit, 7);
  if (unit >= 7)
    out_char(out, ' ');
  out_wrapped_from(out, m->brief, name + 1 + (unit >= 7 ? unit + 1 : 7), name + 8, cli_width());
}

static bool metrics_wanted(const struct cli_options *o, const char *unit, const struct pmon_metric_info *m)
{
  return (!unit || !strcmp(unit, m->unit)) && describe_name_wanted(o, m->name, m->brief);
}

/* Writes the metrics of the listed groups, group by group. Returns CLI_DONE, or CLI_USAGE after printing an error. */
static int metrics_of_groups(struct cli *cli, const struct cli_options *o, const char *unit, uint32_t *ret_found)
{
  struct pmon_metric_info m = {.size = sizeof m};
  uint32_t group, metric;
  for (const char *list = o->group; *list; list += *list == ',') {
    char name[128];
    const size_t n = strcspn(list, ",");
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), list);
    list += n;
    if (pmon_metric_group_find(cli->platform, name, &group))
      return cli_fail_context(cli, NULL);
    for (uint32_t i = 0; !pmon_metric_group_member(cli->platform, group, i, &metric); i++) {
      pmon_metric_describe(cli->platform, metric, &m);
      if (!metrics_wanted(o, unit, &m))
        continue;
      ++*ret_found;
      metrics_write(cli, &m, o->json);
    }
  }
  return CLI_DONE;
}

static void group_json(struct cli *cli, uint32_t group, const struct pmon_metric_group_info *g)
{
  struct out *out = &cli->out;
  struct pmon_platform_info p = {.size = sizeof p};
  struct pmon_metric_info m = {.size = sizeof m};
  uint32_t metric;
  pmon_platform_describe(cli->platform, &p);
  json_open(out, NULL, '{');
  json_text(out, "platform", p.name);
  json_text(out, "group", g->name);
  json_text(out, "brief", g->brief);
  json_open(out, "metrics", '[');
  for (uint32_t i = 0; !pmon_metric_group_member(cli->platform, group, i, &metric); i++) {
    pmon_metric_describe(cli->platform, metric, &m);
    json_open(out, NULL, '{');
    json_text(out, "unit", m.unit);
    json_text(out, "name", m.name);
    json_close(out, '}');
  }
  json_close(out, ']');
  json_text(out, "cite", g->cite);
  json_close(out, '}');
  json_end_line(out);
}

static void group_text(struct cli *cli, uint32_t group, const struct pmon_metric_group_info *g)
{
  struct out *out = &cli->out;
  struct pmon_metric_info m = {.size = sizeof m};
  uint32_t metric;
  char list[4096];
  size_t n = 0;
  out_style(out, OUT_NAME);
  out_padded(out, g->name, 9);
  out_style(out, OUT_PLAIN);
  out_char(out, ' ');
  out_wrapped(out, g->brief, 10, cli_width());
  for (uint32_t i = 0; n < sizeof list && !pmon_metric_group_member(cli->platform, group, i, &metric); i++) {
    pmon_metric_describe(cli->platform, metric, &m);
    n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", m.name);
  }
  out_style(out, OUT_DIM);
  out_repeat(out, ' ', 10);
  out_wrapped(out, list, 10, cli_width());
  out_style(out, OUT_PLAIN);
}

/* Lists the groups that have metrics on this platform. */
static int list_groups(struct cli *cli, const struct cli_options *o)
{
  struct pmon_metric_group_info g = {.size = sizeof g};
  uint32_t found = 0;
  for (uint32_t i = 0; !pmon_metric_group_describe(cli->platform, i, &g); i++) {
    if (!g.metrics || !describe_name_wanted(o, g.name, g.brief))
      continue;
    found++;
    if (o->json)
      group_json(cli, i, &g);
    else
      group_text(cli, i, &g);
  }
  return describe_found(cli, o, NEAR_GROUPS, found);
}

bool describe_group(struct cli *cli, const char *name)
{
  struct pmon_metric_group_info g = {.size = sizeof g};
  struct pmon_metric_info m = {.size = sizeof m};
  uint32_t group = 0, metric;
  while (!pmon_metric_group_describe(cli->platform, group, &g) && (strcasecmp(g.name, name) || !g.metrics))
    group++;
  if (strcasecmp(g.name ? g.name : "", name) || !g.metrics)
    return false;
  describe_heading(&cli->out, g.name, "metric group");
  describe_line(&cli->out, "is", g.brief);
  for (uint32_t i = 0; !pmon_metric_group_member(cli->platform, group, i, &metric); i++) {
    pmon_metric_describe(cli->platform, metric, &m);
    describe_format(&cli->out, "metric", "%s: %s", m.name, m.brief);
  }
  describe_format(&cli->out, "measure", "pmon stat -g %s", g.name);
  return true;
}

/* Fails because no metric matches; suggests near names if a name or pattern was given. */
static int metrics_fail_none(struct cli *cli, const struct cli_options *o)
{
  size_t n;
  if (o->args[0][strcspn(o->args[0], "*?[")] && pmon_metric_expand(cli->platform, o->args[0], NULL, 0, &n))
    return cli_fail(cli, "%s", pmon_context_error(cli->context));
  return describe_found(cli, o, NEAR_METRICS, 0);
}

static int run_metrics(struct cli *cli, int argc, char **argv)
{
  struct cli_options o;
  uint32_t unit, found = 0;
  int result;
  if (cli_read_options(cli, argc, argv, &o, &result) != 0 || (result = cli_unit(cli, &o, &unit)) != 0)
    return result;
  if (o.groups)
    return list_groups(cli, &o);
  struct pmon_metric_info m = {.size = sizeof m};
  struct pmon_unit_info u = {.size = sizeof u, .name = NULL};
  if (unit != UINT32_MAX)
    pmon_unit_describe(cli->platform, unit, &u);
  if (o.group)
    result = metrics_of_groups(cli, &o, u.name, &found);
  for (uint32_t i = 0; !o.group && pmon_metric_describe(cli->platform, i, &m) == PMON_OK; i++)
    if (metrics_wanted(&o, u.name, &m)) {
      found++;
      metrics_write(cli, &m, o.json);
    }
  return result || found || !o.n ? result : metrics_fail_none(cli, &o);
}

static const struct cli_option metrics_options[] = {
    {"group", 'g', "LIST", "only metrics of these groups, separated by commas", CLI_GROUPS, NULL},
    CLI_FLAG("groups", CLI_OPTION_GROUPS, "list the metric groups with their metrics"),
    CLI_OPTION_END,
};

const struct cli_command metrics_command = {
    .name = "metrics",
    .arguments = "[PATTERN]",
    .brief = "list derived metrics, their equations, and the groups of metrics",
    .run = run_metrics,
    .options = {{cli_unit_option, NULL}, {metrics_options, NULL}, {cli_json_option, NULL}, {NULL, NULL}},
    .value = CLI_METRIC,
};

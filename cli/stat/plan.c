/* SPDX-License-Identifier: MIT */
#include "cli/stat/plan.h"

#include "cli/common/comparison.h"
#include "cli/common/groups.h"
#include "cli/stat/run.h"

static void report_unreachable(const struct cli *cli, const struct pmon_event *e, const struct pmon_image_register *r)
{
  struct pmon_event_info info = {.size = sizeof info};
  char text[256];
  pmon_event_describe(e, &info);
  const struct comparison c = comparison_of(cli->platform, &info, r);
  if (c.threshold && comparison_unreachable(&c, &info, text, sizeof text))
    cli_warn(cli, "%s: %s", pmon_event_name(e), text);
}

/* Warns of events whose control or filter registers violate programming rules of the platform, or whose threshold they
 * cannot reach. */
static void report_violations(const struct cli *cli, const struct pmon_plan *plan)
{
  const struct pmon_event *e;
  struct pmon_image image;
  for (uint32_t i = 0; (e = pmon_plan_event(plan, i)); i++) {
    uint32_t instance = 0, counter = 0;
    while (instance < 63 && !(pmon_event_instances(e) >> instance & 1))
      instance++;
    while (counter < 31 && !(pmon_event_counters(e) >> counter & 1))
      counter++;
    if (pmon_event_encode(e, 0, instance, pmon_event_leader(e, counter), &image))
      continue;
    for (uint32_t k = 0; k < image.n; k++) {
      struct pmon_decoded d = {.size = sizeof d, .any_instance = true, .beside = &image};
      report_unreachable(cli, e, &image.registers[k]);
      if (pmon_decode_value(cli->platform, &image.registers[k].id, image.registers[k].value, &d))
        continue;
      for (uint32_t v = 0; v < d.n_violations; v++)
        cli_warn(cli, "%s: %s (%s)", pmon_event_name(e), d.violations[v].text, d.violations[v].cite);
    }
  }
}

/* Lines of intervals have room for some of the default metrics only: these are a group of their own. */
static int add_default_metrics(struct stat_run *s)
{
  const bool lines = s->times.interval_ns && s->output.format == PMON_FORMAT_TEXT && !s->files.record_path;
  return lines && groups_has(s->cli, "INTERVALS") ? pmon_plan_add_metric_groups(s->wanted.plan, "INTERVALS")
                                                  : pmon_plan_add_default_metrics(s->wanted.plan);
}

int stat_make_plan(struct stat_run *s)
{
  if (!s->wanted.plan && pmon_plan_new(s->cli->context, s->cli->platform, &s->wanted.plan))
    return cli_fail_context(s->cli, NULL);
  if ((!s->wanted.given && add_default_metrics(s)) || pmon_plan_add_invariants(s->wanted.plan, s->checks.given) ||
      pmon_plan_set_witness(s->wanted.plan, !s->method.no_witness) || pmon_plan_schedule(s->wanted.plan))
    return cli_fail_context(s->cli, NULL);
  report_violations(s->cli, s->wanted.plan);
  return CLI_DONE;
}

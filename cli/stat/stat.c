/* SPDX-License-Identifier: MIT */
/* `pmon stat`: measures a command, through the registers of a backend. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/common/comparison.h"
#include "cli/common/groups.h"
#include "cli/page/page.h"
#include "cli/page/save.h"
#include "cli/stat/stat.h"
#include "cli/target/privileges.h"

static void report_unreachable(const struct stat_run *s, const struct pmon_event *e,
                               const struct pmon_image_register *r)
{
  struct pmon_event_info info = {.size = sizeof info};
  char text[256];
  pmon_event_describe(e, &info);
  const struct comparison c = comparison_of(s->cli->platform, &info, r);
  if (c.threshold && comparison_unreachable(&c, &info, text, sizeof text))
    cli_warn(s->cli, "%s: %s", pmon_event_name(e), text);
}

/* Warns of events whose control or filter registers violate programming rules of the platform, or whose threshold they
 * cannot reach. */
static void report_violations(const struct stat_run *s)
{
  const struct pmon_event *e;
  struct pmon_image image;
  for (uint32_t i = 0; (e = pmon_plan_event(s->plan, i)); i++) {
    uint32_t instance = 0, counter = 0;
    while (instance < 63 && !(pmon_event_instances(e) >> instance & 1))
      instance++;
    while (counter < 31 && !(pmon_event_counters(e) >> counter & 1))
      counter++;
    if (pmon_event_encode(e, 0, instance, pmon_event_leader(e, counter), &image))
      continue;
    for (uint32_t k = 0; k < image.n; k++) {
      struct pmon_decoded d = {.size = sizeof d, .any_instance = true, .beside = &image};
      report_unreachable(s, e, &image.registers[k]);
      if (pmon_decode_value(s->cli->platform, &image.registers[k].id, image.registers[k].value, &d))
        continue;
      for (uint32_t v = 0; v < d.n_violations; v++)
        cli_warn(s->cli, "%s: %s (%s)", pmon_event_name(e), d.violations[v].text, d.violations[v].cite);
    }
  }
}

/* Lines of intervals have room for some of the default metrics only: these are a group of their own. */
static int add_default_metrics(struct stat_run *s)
{
  const bool lines = s->interval_ns && s->format == PMON_FORMAT_TEXT && !s->record_path;
  return lines && groups_has(s->cli, "INTERVALS") ? pmon_plan_add_metric_groups(s->plan, "INTERVALS")
                                                  : pmon_plan_add_default_metrics(s->plan);
}

int stat_make_plan(struct stat_run *s)
{
  if (!s->plan && pmon_plan_new(s->cli->context, s->cli->platform, &s->plan))
    return cli_fail_context(s->cli, NULL);
  if ((!s->wanted && add_default_metrics(s)) || pmon_plan_add_invariants(s->plan, s->check) ||
      pmon_plan_set_witness(s->plan, !s->no_witness) || pmon_plan_schedule(s->plan))
    return cli_fail_context(s->cli, NULL);
  report_violations(s);
  return CLI_DONE;
}

/* Writes the command in one line, cut if it is long. */
void stat_describe_command(struct stat_run *s)
{
  size_t n = 0;
  if (s->target.trace)
    snprintf(s->command_text, sizeof s->command_text, "trace %s", s->target.trace);
  if (s->target.scenario)
    snprintf(s->command_text, sizeof s->command_text, "scenario %s", s->target.scenario);
  if (s->target.bundles)
    snprintf(s->command_text, sizeof s->command_text, "bundles %s", s->target.bundles);
  if (s->target.generate)
    snprintf(s->command_text, sizeof s->command_text, "generated %s", s->target.generate);
  for (char **word = s->target.argv; word && *word && n < sizeof s->command_text; word++)
    n += (size_t)snprintf(s->command_text + n, sizeof s->command_text - n, "%s%s", n ? " " : "", *word);
}

/* The page of --html and the values of --summary come from a recording; without --record, from one that is removed
 * afterwards. */
static int measure_recorded(struct stat_run *s)
{
  char own[] = "/tmp/pmon-page-XXXXXX";
  const char *const path = s->record_path ? s->record_path : own;
  int fd = -1, result = s->html_path ? page_may_save(s->cli, s->html_path) : CLI_DONE;
  if (result != CLI_DONE)
    return result;
  stat_handle_signals(); /* before there is a file to remove */
  if (!s->record_path && (fd = mkostemp(own, O_CLOEXEC)) < 0)
    return cli_fail(s->cli, "%s: cannot be written: %s", own, strerror(errno));
  s->record_path = path;
  result = stat_measure(s);
  /* Without a recording of this measurement, the file is empty, or has an older one. */
  const int page =
      s->recorded && s->html_path
          ? page_write(s->cli, &(struct page_request){.paths = &path, .n_paths = 1, .unnamed = fd >= 0}, s->html_path)
          : CLI_DONE;
  if (fd >= 0) {
    close(fd);
    unlink(own);
  }
  return result == CLI_DONE ? page : result;
}

static int run_stat(struct cli *cli, int argc, char **argv)
{
  struct stat_run s = {.cli = cli};
  int result;
  target_options_init(&s.target);
  s.target.stop = &stat_stop;
  hardware_init(&s.hardware, NULL);
  if (!stat_read_options(&s, argc, argv, &result)) {
    if (s.target.argv)
      privileges_warn_of_program(cli, *s.target.argv);
    s.breakdown_given = s.breakdown != 0;
    if (!s.breakdown)
      s.breakdown = stat_default_breakdown(&s, s.interval_ns || s.every_count);
    stat_describe_command(&s);
    result = stat_prepare_devices(&s);
    if (result == CLI_DONE)
      result = stat_make_plan(&s);
    if (result == CLI_DONE)
      result = sampled_plan(&s);
    if (result == CLI_DONE)
      result = stat_find_devices(&s);
    if (result == CLI_DONE)
      result = s.html_path || s.summary ? measure_recorded(&s) : stat_measure(&s);
  }
  check_free(s.checker);
  devices_free(&s.devices);
  pmon_plan_free(s.plan);
  free(s.waiting);
  target_options_fini(&s.target);
  return result;
}

const struct cli_command stat_command = {
    .name = "stat",
    .arguments = "[-- COMMAND [ARGUMENT...]]",
    .brief = "measure a command: events and metrics per socket and in total",
    .run = run_stat,
    .options = {{stat_what_options, NULL},
                {stat_print_options, NULL},
                {stat_output_options, NULL},
                {stat_method_options, NULL},
                {stat_group_options, NULL},
                {stat_file_options, NULL},
                {target_input_options, NULL},
                {target_stream_options, NULL},
                {target_shape_options, NULL},
                {NULL, NULL}},
    .first = true,
};

/* SPDX-License-Identifier: MIT */
/* `pmon stat`: measures a command, through the registers of a backend. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/common/comparison.h"
#include "cli/common/groups.h"
#include "cli/common/one_value.h"
#include "cli/page/page.h"
#include "cli/page/save.h"
#include "cli/stat/kernel.h"
#include "cli/stat/stat.h"
#include "cli/target/privileges.h"
#include "cli/target/stream.h"

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

bool stat_on_host(struct stat_run *s)
{
  const struct target_options *t = &s->target;
  const bool emulated = t->trace || t->scenario || target_is_configured(t) ||
                        stream_is_wanted(t, target_model(s->cli)) /* a host cannot run it */;
  if (s->access_method && strcmp(s->access_method, "auto"))
    return strcmp(s->access_method, "machine") && strcmp(s->access_method, "replay");
  return !emulated && !s->replay && host_works(s->cli, &s->hardware);
}

/* Checks the fallback of a command for which neither --backend nor a parameter selected the machine: a warning or, if
 * the host's processor is of the platform, an error. CLI_DONE, or an exit code. */
static int check_fallback(struct stat_run *s)
{
  const struct target_options *t = &s->target;
  const bool automatic = !s->access_method || !strcmp(s->access_method, "auto");
  if (s->host || s->replay || !t->argv || !automatic || target_is_configured(t) ||
      stream_is_wanted(t, target_model(s->cli)))
    return CLI_DONE;
  if (host_is_real(s->cli, &s->hardware))
    return host_refuse(s->cli, &s->hardware);
  const int result = target_check_model(s->cli, t);
  if (result == CLI_DONE)
    hardware_report_emulated(s->cli, &s->hardware);
  return result;
}

/* Whether the options mean the host although it cannot be measured: without an input, a duration is one of the host. */
static bool stat_means_host(struct stat_run *s)
{
  const struct target_options *t = &s->target;
  const bool automatic = !s->access_method || !strcmp(s->access_method, "auto");
  return !s->host && !s->replay && automatic && !target_is_configured(t) && target_needs_no_input(s->cli, t);
}

/* Reports wrong usage, whatever the reason for which the host has no counters. */
static int refuse_no_input(const struct stat_run *s)
{
  return cli_fail(s->cli,
                  "no input, and no uncore counters are accessible on this host (pmon doctor explains the "
                  "reason); to measure on the emulated machine, add -- COMMAND, --trace FILE or --scenario FILE");
}

static int refuse_duration(const struct stat_run *s)
{
  cli_fail(s->cli, "--duration: no uncore counters are accessible on this host (pmon doctor explains the reason); to "
                   "measure on the emulated machine, add -- COMMAND, --trace FILE or --scenario FILE");
  return CLI_NO_HARDWARE;
}

int stat_check_host(struct stat_run *s)
{
  const struct target_options *t = &s->target;
  s->host = stat_on_host(s);
  if (s->host && (t->trace || t->scenario || t->bundles || t->generate || target_is_configured(t) || s->replay))
    return cli_fail(s->cli,
                    "--backend %s: traces, scenarios, parameters, --place, --host-threads and --fault require the "
                    "emulated machine; use --backend machine",
                    s->access_method);
  if (s->access_method && !strcmp(s->access_method, "replay") && !s->replay)
    return cli_fail(s->cli, "--backend replay requires a log; add --replay FILE");
  if ((s->resctrl_group || s->own_group) && !s->host)
    return cli_fail(s->cli, "--resctrl-%s: the emulated machine has no groups; add --backend perf, direct or resctrl",
                    s->own_group ? "new" : "group");
  if (s->own_group && (s->resctrl_group || !t->argv))
    return cli_fail(s->cli, "--resctrl-new %s",
                    s->resctrl_group ? "cannot be combined with --resctrl-group" : "needs a command to measure");
  const bool idle = s->dry && target_needs_no_input(s->cli, t);
  if (s->duration_ns && !idle && stat_means_host(s))
    return host_is_real(s->cli, &s->hardware) ? host_refuse(s->cli, &s->hardware) : refuse_duration(s);
  if (!idle && stat_means_host(s))
    return refuse_no_input(s);
  const int result = s->host || s->replay || idle ? CLI_DONE : target_check(s->cli, t);
  return result == CLI_DONE ? check_fallback(s) : result;
}

static void report_unreachable(const struct stat_run *s, const struct pmon_event *e,
                               const struct pmon_image_register *r)
{
  struct pmon_event_info info = {.size = sizeof info};
  char text[256];
  pmon_event_describe(e, &info);
  const struct comparison c = comparison_of(s->cli->platform, &info, r);
  if (c.threshold && comparison_unreachable(&c, &info, text, sizeof text))
    cli_fail(s->cli, "warning: %s: %s", pmon_event_name(e), text);
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
        cli_fail(s->cli, "warning: %s: %s (%s)", pmon_event_name(e), d.violations[v].text, d.violations[v].cite);
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

uint32_t stat_default_breakdown(const struct stat_run *s, bool intervals)
{
  return intervals && s->format == PMON_FORMAT_TEXT ? PMON_IN_TOTAL : PMON_BY_PACKAGE | PMON_IN_TOTAL;
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
                {stat_file_options, NULL},
                {target_input_options, NULL},
                {target_stream_options, NULL},
                {target_shape_options, NULL},
                {NULL, NULL}},
    .first = true,
};

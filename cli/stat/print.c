/* SPDX-License-Identifier: MIT */
#include "cli/stat/print.h"

#include <stdlib.h>
#include <pmon/regions.h>
#include "cli/stat/run.h"
#include "cli/stat/write.h"

static void make_head(struct stat_run *s, const struct pmon_session *session, uint32_t packages,
                      struct pmon_report_head *head)
{
  struct pmon_plan_info plan = {.size = sizeof plan};
  pmon_plan_describe(s->wanted.plan, &plan);
  *head =
      (struct pmon_report_head){.size = sizeof *head,
                                .platform = "the emulated machine",
                                .command = s->names.command,
                                .rounds = plan.rounds,
                                .seconds = pmon_session_seconds(session),
                                .end_seconds = (double)(pmon_session_now_ns(session) - s->progress.origin_ns) * 1e-9,
                                .packages = packages,
                                .backend = s->names.backend,
                                .machine = s->names.machine,
                                .host = s->names.host,
                                .columns = s->output.file ? 0 : cli_width(),
                                .color = !s->output.file && s->cli->out.color};
  struct pmon_platform_info platform = {.size = sizeof platform};
  if (!pmon_platform_describe(s->cli->platform, &platform)) {
    head->platform = platform.name;
    head->package = platform.package;
  }
  head->paused_seconds = (double)s->control.paused_ns * 1e-9;
  if (s->names.time > 0)
    head->time = s->names.time + head->end_seconds;
  struct pmon_session_info info = {.size = sizeof info};
  if (!pmon_session_describe(session, &info)) {
    head->freeze = info.freeze;
    head->freeze_seconds = (double)info.freeze_ns * 1e-9;
    head->skew_seconds = (double)info.skew_ns * 1e-9;
  }
}

int stat_make_report(struct stat_run *s, struct pmon_session *session, uint32_t packages,
                     struct pmon_report **ret_report)
{
  struct pmon_report_head head;
  make_head(s, session, packages, &head);
  if (stat_times_has_intervals(&s->times))
    head.interval = ++s->intervals.number;
  const struct pmon_estimate estimate = sampled_estimate(&s->sampled);
  const struct pmon_report_filter wanted = {sizeof wanted, s->watch.wants_row, s->watch.user};
  int status = pmon_report_new(&head, ret_report);
  if (!status)
    status = pmon_report_add_session_rows(*ret_report, session, s->wanted.plan, s->output.breakdown,
                                          s->watch.wants_row ? &wanted : NULL);
  if (!status && s->sampled.share > 0)
    status = pmon_report_estimate(*ret_report, &estimate);
  return status ? status : pmon_report_add_invariants(*ret_report, session);
}

static int print_check_output(const struct cli *cli, int status)
{
  if (status == PMON_E_NO_DATA) /* stat_devices_name() has printed the reason */
    return CLI_USAGE;
  if (status)
    cli_fail(cli, "standard output: cannot be written: %s", cli_status_text(status));
  return status ? CLI_FAILED : CLI_DONE;
}

int stat_print_lost(const struct stat_run *s, int result)
{
  if (!stat_values_all_lost(&s->values))
    return result;
  cli_fail(s->cli, "no counter has a value: %s%s", s->values.reason,
           s->source.host && !s->source.replay ? "; `pmon doctor` explains which counters are accessible" : "");
  return result == CLI_DONE ? CLI_NO_HARDWARE : result;
}

int stat_print_report(struct stat_run *s, struct pmon_session *session, uint32_t packages)
{
  struct pmon_report *r = NULL;
  int status = stat_make_report(s, session, packages, &r);
  if (status) {
    pmon_report_free(r);
    return print_check_output(s->cli, status);
  }
  if (s->watch.on_report) {
    s->watch.on_report(s->watch.user, r, pmon_session_seconds(session),
                       (double)(pmon_session_now_ns(session) - s->progress.origin_ns) * 1e-9);
    pmon_report_free(r);
    return CLI_DONE;
  }
  stat_values_add(&s->values, r);
  if (s->repeats.reports) {
    stat_checks_invariants(s->cli, &s->checks, r, s->checks.given && !s->times.interval_ns);
    s->repeats.reports[s->repeats.n++] = r;
    return CLI_DONE;
  }
  if (!stat_intervals_add(s, &(struct stat_interval){session, r, packages}, &status))
    status = stat_write_report(s, r);
  stat_checks_invariants(s->cli, &s->checks, r, s->checks.given && !s->times.interval_ns);
  pmon_report_free(r);
  return print_check_output(s->cli, status);
}

int stat_print_region(struct stat_run *s, const struct pmon_session *view, uint32_t packages,
                      const struct pmon_region_info *info)
{
  struct pmon_report_head head;
  struct pmon_report *r = NULL;
  make_head(s, view, packages, &head);
  head.paused_seconds = 0;
  head.region = info->name;
  head.thread = info->thread;
  head.calls = info->calls;
  head.missing_ends = info->missing_ends;
  head.missing_begins = info->missing_begins;
  int status = pmon_report_new(&head, &r);
  if (!status)
    status = pmon_report_add_session(r, view, s->wanted.plan, s->output.breakdown);
  if (!status && s->repeats.runs > 1)
    return stat_region_runs_add(s->cli, &s->repeats, info, r);
  if (!status)
    status = stat_write_region(s, r);
  pmon_report_free(r);
  return print_check_output(s->cli, status);
}

int stat_print_mean(struct stat_run *s)
{
  struct pmon_report *mean = NULL;
  int status = 0;
  if (s->repeats.n)
    status = pmon_report_new_mean((const struct pmon_report *const *)s->repeats.reports, s->repeats.n, &mean);
  if (!status && mean)
    status = stat_write_report(s, mean);
  pmon_report_free(mean);
  const int regions = stat_region_runs_print(s);
  status = status ? status : regions;
  for (uint32_t i = 0; i < s->repeats.n; i++)
    pmon_report_free(s->repeats.reports[i]);
  free(s->repeats.reports);
  s->repeats.reports = NULL;
  return print_check_output(s->cli, status);
}

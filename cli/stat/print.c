/* SPDX-License-Identifier: MIT */
/* The reports of `pmon stat`, and its progress. */
#include <errno.h>
#include <sys/ioctl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/stat/histogram.h"
#include "cli/stat/series.h"
#include "cli/stat/stat.h"
#include <pmon/regions.h>

enum { VIOLATIONS_PRINTED = 20 };

static double seconds_since(const struct timespec *t)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - t->tv_sec) + (double)(now.tv_nsec - t->tv_nsec) * 1e-9;
}

void stat_begin_at(struct stat_run *s, uint64_t now_ns)
{
  s->origin_ns = strcmp(s->backend, "machine") ? now_ns : 0;
}

void stat_show_progress(struct stat_run *s, uint64_t now_ns)
{
  if (!cli_takes_escapes(STDERR_FILENO) || seconds_since(&s->started) < 1 || seconds_since(&s->shown) < 0.2)
    return;
  fprintf(stderr, "\r%.3f ms measured, %.0f s passed \033[K", (double)(now_ns - s->origin_ns) * 1e-6,
          seconds_since(&s->started));
  clock_gettime(CLOCK_MONOTONIC, &s->shown);
}

void stat_clear_progress(const struct stat_run *s)
{
  if (cli_takes_escapes(STDERR_FILENO) && seconds_since(&s->started) > 1)
    fputs("\r\033[K", stderr);
}

/* Violated invariants are reported on standard error; the results remain unchanged. */
static void print_violations(struct stat_run *s, const struct pmon_report *r)
{
  struct pmon_invariant_violation invariant = {.size = sizeof invariant};
  struct pmon_platform_info platform = {.size = sizeof platform};
  const uint32_t checked = pmon_report_invariants_checked(r);
  uint32_t i = 0;
  pmon_platform_describe(s->cli->platform, &platform);
  out_flush(&s->cli->out);
  for (; !pmon_report_invariant_violation(r, i, &invariant); i++) {
    char where[64] = "in total", numbers[2][32];
    if (invariant.package != PMON_ALL)
      snprintf(where, sizeof where, "%s %u", platform.package, invariant.package);
    if (invariant.instance != PMON_ALL)
      snprintf(where, sizeof where, "%s %u, %s %u", platform.package, invariant.package,
               invariant.unit[0] ? invariant.unit : "instance", invariant.instance);
    snprintf(numbers[0], sizeof *numbers, "%.15g", invariant.left);
    snprintf(numbers[1], sizeof *numbers, "%.15g", invariant.right);
    if (i < VIOLATIONS_PRINTED)
      cli_note_marked(s->cli, strlen("invariant violated: ") + strlen(invariant.name),
                      "invariant violated: %s (%s): %s\n  %s: %s and %s [%s]", invariant.name, where, invariant.brief,
                      invariant.holds, numbers[0], numbers[1], invariant.cite);
  }
  s->invariant_violations += i;
  if (i > VIOLATIONS_PRINTED)
    cli_note(s->cli, "and %u more like these; --json lists all", i - VIOLATIONS_PRINTED);
  if (s->check && !s->interval_ns)
    cli_note(s->cli, "%u invariant%s checked, %u violation%s", checked, checked == 1 ? "" : "s", i, i == 1 ? "" : "s");
}

static void make_head(struct stat_run *s, const struct pmon_session *session, uint32_t packages,
                      struct pmon_report_head *head)
{
  struct pmon_plan_info plan = {.size = sizeof plan};
  pmon_plan_describe(s->plan, &plan);
  *head = (struct pmon_report_head){.size = sizeof *head,
                                    .platform = "the emulated machine",
                                    .command = s->command_text,
                                    .rounds = plan.rounds,
                                    .seconds = pmon_session_seconds(session),
                                    .end_seconds = (double)(pmon_session_now_ns(session) - s->origin_ns) * 1e-9,
                                    .packages = packages,
                                    .backend = s->backend,
                                    .machine = s->machine,
                                    .host = s->name,
                                    .columns = s->file ? 0 : cli_width(),
                                    .color = !s->file && s->cli->out.color};
  struct pmon_platform_info platform = {.size = sizeof platform};
  if (!pmon_platform_describe(s->cli->platform, &platform)) {
    head->platform = platform.name;
    head->package = platform.package;
  }
  head->paused_seconds = (double)s->control.paused_ns * 1e-9;
  if (s->time > 0)
    head->time = s->time + head->end_seconds;
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
  if (s->interval_ns || s->every_count)
    head.interval = ++s->interval;
  const struct pmon_estimate estimate = sampled_estimate(s);
  const struct pmon_report_filter wanted = {sizeof wanted, s->watch.wants_row, s->watch.user};
  int status = pmon_report_new(&head, ret_report);
  if (!status)
    status =
        pmon_report_add_session_rows(*ret_report, session, s->plan, s->breakdown, s->watch.wants_row ? &wanted : NULL);
  if (!status && s->sampled.share > 0)
    status = pmon_report_estimate(*ret_report, &estimate);
  return status ? status : pmon_report_add_invariants(*ret_report, session);
}

/* Writes the text above a table of intervals. */
static void describe_series(const struct stat_run *s, uint32_t packages, char *text, size_t size)
{
  struct pmon_platform_info platform = {.size = sizeof platform};
  struct pmon_plan_info plan = {.size = sizeof plan};
  char rounds[64] = "";
  pmon_platform_describe(s->cli->platform, &platform);
  pmon_plan_describe(s->plan, &plan);
  if (plan.rounds > 1)
    snprintf(rounds, sizeof rounds, ", counters shared in %u rounds", plan.rounds);
  snprintf(text, size, "%s%s%s%s on %s%s%s, %u %s%s%s\n\n", s->command_text, *s->command_text ? "\n" : "",
           *s->machine ? "EMULATED: " : "", platform.name, *s->machine ? "pmon's " : s->backend,
           *s->machine ? s->machine : "", *s->machine ? " machine" : "", packages, platform.package,
           packages == 1 ? "" : "s", rounds);
}

/* Begins the table of intervals, if its columns fit; s->series NULL: each interval has its own table. */
static int begin_series(struct stat_run *s, const struct pmon_report *r, uint32_t packages, double end_seconds)
{
  char text[1024];
  struct winsize terminal;
  struct pmon_plan_info plan = {.size = sizeof plan};
  struct series_layout layout = {.begin = text, .color = !s->file && s->cli->out.color, .step_seconds = end_seconds};
  s->series_tried = true;
  if (s->order != PMON_ORDER_GIVEN || s->top || s->by_device)
    return 0;
  pmon_plan_describe(s->plan, &plan);
  layout.estimates = plan.rounds > 1;
  if (!s->file) {
    layout.width = cli_width();
    if (layout.width && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &terminal))
      layout.height = terminal.ws_row;
  }
  describe_series(s, packages, text, sizeof text);
  return series_new(r, &layout, &s->series);
}

/* Adds a report to the histogram. */
static int add_to_histogram(struct stat_run *s, const struct pmon_session *session, const struct pmon_report *r,
                            uint32_t packages)
{
  struct pmon_platform_info platform = {.size = sizeof platform};
  int status = 0;
  if (!s->histogram) {
    pmon_platform_describe(s->cli->platform, &platform);
    describe_series(s, packages, s->begin, sizeof s->begin);
    status = histogram_new(r, platform.package, &s->histogram);
  }
  return status ? status : histogram_add(s->histogram, r, pmon_session_seconds(session));
}

int stat_end_series(struct stat_run *s)
{
  int status = series_end(s->series, stat_sink, s);
  s->series = NULL;
  if (s->histogram)
    status = histogram_write(s->histogram, s->format, s->begin, stat_sink, s);
  histogram_free(s->histogram);
  s->histogram = NULL;
  return status ? CLI_FAILED : CLI_DONE;
}

/* Writes a report as a line of the table of intervals. False: it is not in the table. */
static bool write_series(struct stat_run *s, const struct pmon_session *session, const struct pmon_report *r,
                         uint32_t packages, int *ret_status)
{
  *ret_status = 0;
  if (s->format != PMON_FORMAT_TEXT || !(s->interval_ns || s->every_count))
    return false;
  const double end = (double)(pmon_session_now_ns(session) - s->origin_ns) * 1e-9;
  if (!s->series_tried)
    *ret_status = begin_series(s, r, packages, end);
  if (*ret_status || !s->series)
    return *ret_status != 0;
  s->series_used = true;
  *ret_status = series_add(s->series, r, end, stat_sink, s);
  return true;
}

static int stat_check_output(const struct stat_run *s, int status)
{
  if (status == PMON_E_NO_DATA) /* stat_name_devices() has printed the reason */
    return CLI_USAGE;
  if (status)
    cli_fail(s->cli, "standard output: cannot be written: %s", cli_status_text(status));
  return status ? CLI_FAILED : CLI_DONE;
}

/* Counts the values that have no number because of their counters. A ratio whose divisor is zero is not counted. */
static void note_values(struct stat_run *s, const struct pmon_report *r)
{
  struct pmon_report_row row = {.size = sizeof row};
  for (uint32_t i = 0; !pmon_report_get(r, i, &row); i++, s->values++)
    if (!row.value.valid && row.value.flags & PMON_VALUE_INVALID && !s->lost_values++)
      snprintf(s->lost_reason, sizeof s->lost_reason, "%s", row.value.reason);
}

int stat_check_values(const struct stat_run *s, int result)
{
  if (!s->values || s->lost_values < s->values)
    return result;
  cli_fail(s->cli, "no counter has a value: %s%s", s->lost_reason,
           s->host && !s->replay ? "; `pmon doctor` explains which counters are accessible" : "");
  return result == CLI_DONE ? CLI_NO_HARDWARE : result;
}

int stat_print_report(struct stat_run *s, struct pmon_session *session, uint32_t packages)
{
  struct pmon_report *r = NULL;
  int status = stat_make_report(s, session, packages, &r);
  if (status) {
    pmon_report_free(r);
    return stat_check_output(s, status);
  }
  if (s->watch.on_report) {
    s->watch.on_report(s->watch.user, r, pmon_session_seconds(session),
                       (double)(pmon_session_now_ns(session) - s->origin_ns) * 1e-9);
    pmon_report_free(r);
    return CLI_DONE;
  }
  note_values(s, r);
  if (s->reports) {
    print_violations(s, r);
    s->reports[s->n_reports++] = r;
    return CLI_DONE;
  }
  if (s->wants_histogram)
    status = add_to_histogram(s, session, r, packages);
  else if (!write_series(s, session, r, packages, &status))
    status = stat_write_report(s, r);
  print_violations(s, r);
  pmon_report_free(r);
  return stat_check_output(s, status);
}

int stat_report_region(struct stat_run *s, const struct pmon_session *view, uint32_t packages,
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
    status = pmon_report_add_session(r, view, s->plan, s->breakdown);
  if (!status && s->runs > 1)
    return stat_region_runs_add(s, info, r);
  if (!status)
    status = stat_write_region(s, r);
  pmon_report_free(r);
  return stat_check_output(s, status);
}

int stat_print_mean(struct stat_run *s)
{
  struct pmon_report *mean = NULL;
  int status = 0;
  if (s->n_reports)
    status = pmon_report_new_mean((const struct pmon_report *const *)s->reports, s->n_reports, &mean);
  if (!status && mean)
    status = stat_write_report(s, mean);
  pmon_report_free(mean);
  const int regions = stat_region_runs_print(s);
  status = status ? status : regions;
  for (uint32_t i = 0; i < s->n_reports; i++)
    pmon_report_free(s->reports[i]);
  free(s->reports);
  s->reports = NULL;
  return stat_check_output(s, status);
}

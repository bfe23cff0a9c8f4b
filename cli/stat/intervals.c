/* SPDX-License-Identifier: MIT */
#include "cli/stat/intervals.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "cli/stat/histogram.h"
#include "cli/stat/run.h"
#include "cli/stat/series.h"

/* Writes the text above the table or the histogram. */
static void intervals_describe(const struct stat_run *s, uint32_t packages, char *text, size_t size)
{
  struct pmon_platform_info platform = {.size = sizeof platform};
  struct pmon_plan_info plan = {.size = sizeof plan};
  char rounds[64] = "", place[512];
  pmon_platform_describe(s->cli->platform, &platform);
  pmon_plan_describe(s->wanted.plan, &plan);
  if (plan.rounds > 1)
    snprintf(rounds, sizeof rounds, ", counters shared in %u rounds", plan.rounds);
  stat_names_format_place(&s->names, platform.name, place, sizeof place);
  snprintf(text, size, "%s%s%s, %u %s%s%s\n\n", s->names.command, *s->names.command ? "\n" : "", place, packages,
           platform.package, packages == 1 ? "" : "s", rounds);
}

/* Begins the table, if its columns fit; s->intervals.series NULL: each interval has its own table. */
static int intervals_begin_table(struct stat_run *s, const struct stat_interval *interval, double end_seconds)
{
  char text[1024];
  struct winsize terminal;
  struct pmon_plan_info plan = {.size = sizeof plan};
  struct pmon_platform_info platform = {.size = sizeof platform};
  struct series_layout layout = {
      .begin = text, .color = !s->output.file && s->cli->out.color, .step_seconds = end_seconds};
  s->intervals.tried = true;
  if (s->output.order != PMON_ORDER_GIVEN || s->output.top || s->output.by_device)
    return 0;
  pmon_platform_describe(s->cli->platform, &platform);
  layout.package = platform.package;
  pmon_plan_describe(s->wanted.plan, &plan);
  layout.estimates = plan.rounds > 1;
  if (!s->output.file) {
    layout.width = cli_width();
    if (layout.width && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &terminal))
      layout.height = terminal.ws_row;
  }
  intervals_describe(s, interval->packages, text, sizeof text);
  return series_new(interval->report, &layout, &s->intervals.series);
}

/* Adds the interval to the table. False: it is not in the table. */
static bool intervals_add_line(struct stat_run *s, const struct stat_interval *interval, int *ret_status)
{
  if (s->output.format != PMON_FORMAT_TEXT || !stat_times_has_intervals(&s->times))
    return false;
  const double end = (double)(pmon_session_now_ns(interval->session) - s->progress.origin_ns) * 1e-9;
  if (!s->intervals.tried)
    *ret_status = intervals_begin_table(s, interval, end);
  if (*ret_status || !s->intervals.series)
    return *ret_status != 0;
  s->intervals.used = true;
  *ret_status = series_add(s->intervals.series, interval->report, end, stat_output_write, &s->output);
  return true;
}

static int intervals_add_to_histogram(struct stat_run *s, const struct stat_interval *interval)
{
  struct stat_intervals *const all = &s->intervals;
  struct pmon_platform_info platform = {.size = sizeof platform};
  int status = 0;
  if (!all->histogram) {
    pmon_platform_describe(s->cli->platform, &platform);
    intervals_describe(s, interval->packages, all->begin, sizeof all->begin);
    status = histogram_new(interval->report, platform.package, &all->histogram);
  }
  return status ? status : histogram_add(all->histogram, interval->report, pmon_session_seconds(interval->session));
}

bool stat_intervals_add(struct stat_run *s, const struct stat_interval *interval, int *ret_status)
{
  *ret_status = 0;
  if (!s->output.histogram)
    return intervals_add_line(s, interval, ret_status);
  *ret_status = intervals_add_to_histogram(s, interval);
  return true;
}

int stat_intervals_end(struct stat_intervals *all, struct stat_output *o)
{
  int status = series_end(all->series, stat_output_write, o);
  all->series = NULL;
  if (all->histogram)
    status = histogram_write(all->histogram, o->format, all->begin, stat_output_write, o);
  histogram_free(all->histogram);
  all->histogram = NULL;
  return status ? CLI_FAILED : CLI_DONE;
}

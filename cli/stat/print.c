/* SPDX-License-Identifier: MIT */
/* The output of `pmon stat`: its destination, and progress. */
#include <errno.h>
#include <sys/ioctl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/common/paths.h"
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

/* Closes the file of -o. Returns an error number. */
static int stat_close_output(struct stat_run *s)
{
  out_finish(s->file);
  const int failed = close(s->file->fd) ? errno : 0, error = s->file->error ? s->file->error : failed;
  free(s->file);
  s->file = NULL;
  return error;
}

/* Writes to the file of -o; if that fails, this result and all further ones go to standard output, so that none is
 * lost. A pipe that is not read is treated as on standard output (cli/common/out.h). */
static int stat_write(void *user, const char *bytes, size_t n)
{
  struct stat_run *s = user;
  if (s->file) {
    out_bytes(s->file, bytes, n);
    out_flush(s->file);
    if (!s->file->error)
      return 0;
    cli_fail(s->cli, "%s: cannot be written: %s; the results follow on standard output", s->out_path,
             strerror(s->file->error));
    stat_close_output(s);
    s->out_failed = true;
  }
  out_bytes(&s->cli->out, bytes, n);
  out_flush(&s->cli->out);
  return 0;
}

int stat_sink(void *user, const char *bytes, size_t n)
{
  struct stat_run *s = user;
  return *s->separator.text ? separator_write(&s->separator, bytes, n, stat_write, s) : stat_write(s, bytes, n);
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
      cli_fail_marked(s->cli, strlen("invariant violated: ") + strlen(invariant.name),
                      "invariant violated: %s (%s): %s\n  %s: %s and %s [%s]", invariant.name, where, invariant.brief,
                      invariant.holds, numbers[0], numbers[1], invariant.cite);
  }
  s->invariant_violations += i;
  if (i > VIOLATIONS_PRINTED)
    cli_fail(s->cli, "and %u more like these; --json lists all", i - VIOLATIONS_PRINTED);
  if (s->check && !s->interval_ns)
    cli_fail(s->cli, "%u invariant%s checked, %u violation%s", checked, checked == 1 ? "" : "s", i, i == 1 ? "" : "s");
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

static int write_report(struct stat_run *s, struct pmon_report *r)
{
  int status = s->by_device ? stat_name_devices(s, r) : 0;
  if (!status && (s->order != PMON_ORDER_GIVEN || s->top))
    status = pmon_report_arrange(r, s->order, s->top);
  if (!status && s->format == PMON_FORMAT_CSV && !s->header_written)
    status = pmon_report_format(r, PMON_FORMAT_CSV_HEADER, stat_sink, s);
  if (!status && s->format == PMON_FORMAT_CSV_WIDE && !s->header_written)
    status = pmon_report_format(r, PMON_FORMAT_CSV_WIDE_HEADER, stat_sink, s);
  s->header_written = true;
  if (!status)
    status = pmon_report_format(r, s->format, stat_sink, s);
  if (!status && (s->interval_ns || s->every_count) && s->format == PMON_FORMAT_TEXT)
    status = stat_sink(s, "\n", 1);
  return status;
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
    status = write_report(s, r);
  print_violations(s, r);
  pmon_report_free(r);
  return stat_check_output(s, status);
}

int stat_write_region(struct stat_run *s, struct pmon_report *r)
{
  const int status = s->format == PMON_FORMAT_TEXT && !s->interval_ns ? stat_sink(s, "\n", 1) : 0;
  return status ? status : write_report(s, r);
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
    status = write_report(s, mean);
  pmon_report_free(mean);
  const int regions = stat_region_runs_print(s);
  status = status ? status : regions;
  for (uint32_t i = 0; i < s->n_reports; i++)
    pmon_report_free(s->reports[i]);
  free(s->reports);
  s->reports = NULL;
  return stat_check_output(s, status);
}

int stat_open_files(struct stat_run *s)
{
  s->cli->out.signals = &stat_stop.count;
  const int fd = s->out_path ? path_open_write(s->cli, s->out_path) : -1;
  if (s->out_path && fd < 0)
    return cli_fail(s->cli, "%s: cannot be written: %s", s->out_path, strerror(errno));
  if (s->out_path && !(s->file = calloc(1, sizeof *s->file))) {
    close(fd);
    return cli_fail_memory(s->cli);
  }
  if (s->file) {
    s->file->fd = fd;
    s->file->signals = &stat_stop.count;
  }
  const int log = s->log_path ? path_open_write(s->cli, s->log_path) : -1;
  if (s->log_path && (log < 0 || !(s->log = fdopen(log, "w"))))
    return cli_fail(s->cli, "%s: cannot be written: %s", s->log_path, strerror(errno));
  return CLI_DONE;
}

int stat_close_files(struct stat_run *s, int result)
{
  const int error = s->file ? stat_close_output(s) : 0;
  separator_fini(&s->separator);
  if (error) {
    cli_fail(s->cli, "%s: cannot be written: %s", s->out_path, strerror(error));
    s->out_failed = true;
  }
  if (s->log) {
    bool failed = ferror(s->log) != 0;
    if (fclose(s->log) || failed) {
      cli_fail(s->cli, "%s: cannot be written: %s", s->log_path, strerror(errno));
      s->out_failed = true;
    }
  }
  return s->out_failed && result == CLI_DONE ? CLI_FAILED : result;
}

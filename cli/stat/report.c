/* SPDX-License-Identifier: MIT */
/* `pmon report`: values from a recording. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <pmon/record.h>
#include "cli/common/groups.h"
#include "cli/common/recording.h"
#include "cli/page/page.h"
#include "cli/page/plot.h"
#include "cli/stat/by_device.h"
#include "cli/stat/print.h"
#include "cli/stat/run.h"

enum { CODE_HTML = CLI_OPTION_OWN, CODE_SVG, CODE_PNG };

struct report_options {
  const char *events, *metrics, *groups;
  const char *html, *plots[2]; /* --html; by enum plot_kind: --svg, --png */
  bool intervals, help;
};

static int report_take_option(struct stat_run *s, struct report_options *o, int code, const char *value)
{
  switch (code) {
  case 'h': o->help = true; return CLI_DONE;
  case 'p': s->cli->platform_name = value; return CLI_DONE;
  case 'e': return cli_take_list(s->cli, &o->events, value);
  case 'm': return cli_take_list(s->cli, &o->metrics, value);
  case 'g': return cli_take_list(s->cli, &o->groups, value);
  case 'I': o->intervals = true; return CLI_DONE;
  case CODE_HTML: o->html = value; return CLI_DONE;
  case CODE_SVG:
  case CODE_PNG: o->plots[code == CODE_SVG ? PLOT_SVG : PLOT_PNG] = value; return CLI_DONE;
  default: return stat_output_take_option(&s->output, code, value);
  }
}

/* Reports that FILE is missing. If an option names an output file, the user may have meant it as the recording. */
static int report_fail_missing(const struct cli *cli, const struct report_options *o)
{
  const char *const written[] = {o->html, o->plots[PLOT_SVG], o->plots[PLOT_PNG]};
  static const char *const option[] = {"--html", "--svg", "--png"};
  for (size_t i = 0; i < sizeof option / sizeof *option; i++)
    if (written[i])
      return cli_fail(cli, "FILE: missing argument; %s writes %s: add the recording to read", option[i], written[i]);
  return cli_fail_missing(cli, "FILE");
}

static int report_read_options(struct stat_run *s, int argc, char **argv, struct report_options *o)
{
  int c, result = CLI_DONE;
  optind = 0;
  while (result == CLI_DONE && !o->help && (c = cli_getopt(s->cli, argc, argv)) != -1)
    result = report_take_option(s, o, c, optarg);
  if (result == CLI_DONE)
    result = stat_output_check(&s->output);
  o->intervals |= s->output.histogram;
  if (result == CLI_DONE && !o->help && optind != argc - 1)
    result = optind == argc ? report_fail_missing(s->cli, o) : cli_fail_unexpected(s->cli, argv[optind + 1]);
  return result;
}

/* The number of values that a small file may have. In a larger one each value has counts, and a count has more than
 * BYTES_A_VALUE. */
enum { LEAST_VALUES = 1 << 18, BYTES_A_VALUE = 4 };

/* Limits the output: the text of an interval or region is as long for events without counts as for others. */
static int report_check_values(struct cli *cli, const char *path, const struct pmon_plan *plan, const char *what,
                               uint64_t n)
{
  struct pmon_plan_info info = {.size = sizeof info};
  struct stat file = {0};
  if (stat(path, &file))
    return CLI_DONE; /* removed since */
  pmon_plan_describe(plan, &info);
  const uint64_t values = n * (info.events + info.metrics);
  const uint64_t most = LEAST_VALUES + (uint64_t)file.st_size / BYTES_A_VALUE;
  if (values <= most)
    return CLI_DONE;
  return cli_fail(cli,
                  "%s: %" PRIu64 " values of %s, more than the %" PRIu64
                  " that a file of this size can have; choose fewer with -e, -m or -g",
                  path, values, what, most);
}

/* Makes the plan and a session for the recorded counts, and takes the names in results from the recording. */
static int report_open(struct stat_run *s, struct pmon_recording *r, const struct report_options *o,
                       const struct pmon_recording_info *info, struct pmon_session **ret_session)
{
  char *metrics = NULL;
  int result = groups_recorded(s->cli, r, o->groups, o->metrics, &metrics);
  if (result != CLI_DONE)
    return result;
  if (s->output.by_device)
    result = stat_devices_load(s->cli, &s->devices, r);
  stat_names_take_recording(&s->names, info);
  s->times.interval_ns = o->intervals;
  if (result == CLI_DONE && (pmon_recording_plan(r, s->cli->platform, o->events, metrics, &s->wanted.plan) ||
                             pmon_recording_session(r, s->wanted.plan, ret_session)))
    result = cli_fail_context(s->cli, NULL);
  free(metrics);
  return result;
}

/* Prints the report of each interval, or of the whole recording. */
static int report_counts(struct stat_run *s, struct pmon_recording *r, const struct report_options *o,
                         const struct pmon_recording_info *info, struct pmon_session *session)
{
  const uint32_t n = o->intervals ? info->intervals : 1;
  int result = CLI_DONE;
  for (uint32_t i = 0; result == CLI_DONE && i < n; i++) {
    if (pmon_recording_load(r, session, o->intervals ? i : UINT32_MAX)) {
      result = cli_fail_context(s->cli, NULL);
      break;
    }
    if (!i)
      stat_progress_begin_at(&s->progress, s->names.backend,
                             pmon_session_now_ns(session) - (uint64_t)(pmon_session_seconds(session) * 1e9 + 0.5));
    result = stat_print_report(s, session, info->packages);
  }
  const int series = stat_intervals_end(&s->intervals, &s->output);
  return result ? result : series;
}

static int report_print(struct stat_run *s, struct pmon_recording *r, const struct report_options *o, const char *path)
{
  struct pmon_recording_info info = {.size = sizeof info};
  struct pmon_session *session = NULL;
  pmon_recording_describe(r, &info);
  int result = report_open(s, r, o, &info, &session);
  if (result == CLI_DONE && o->intervals)
    result = report_check_values(s->cli, path, s->wanted.plan, "intervals", info.intervals);
  if (result == CLI_DONE)
    result = report_check_values(s->cli, path, s->wanted.plan, "regions", info.regions);
  if (result == CLI_DONE)
    result = report_counts(s, r, o, &info, session);
  if (result == CLI_DONE)
    result = stat_regions_print(s, &(struct stat_regions){session, r, info.packages});
  pmon_session_close(session);
  return result;
}

static const struct cli_option report_options[] = {
    {"event", 'e', "LIST", "only the recorded events in LIST", CLI_EVENTS, NULL},
    {"metric", 'm', "LIST", "metrics of recorded events, by name or NAME=EQUATION (default: those of the recording)",
     CLI_METRICS, NULL},
    CLI_GROUP_OPTION,
    CLI_FLAG("intervals", 'I', "report each recorded interval"),
    {"html", CODE_HTML, "FILE",
     "write a page instead: values, charts over time, maps of the units; one file that needs no network", CLI_FILE,
     NULL},
    {"svg", CODE_SVG, "FILE", "draw the values over time instead, a chart for each name (gnuplot)", CLI_FILE, NULL},
    {"png", CODE_PNG, "FILE", "like --svg, as a PNG image", CLI_FILE, NULL},
    CLI_OPTION_END,
};

/* Draws pages and plots in place of text. */
static int report_draw(const struct stat_run *s, const struct report_options *o, const char *path)
{
  const struct page_request request = {
      .paths = &path, .n_paths = 1, .events = o->events, .metrics = o->metrics, .groups = o->groups};
  int result = o->html ? page_write(s->cli, &request, o->html) : CLI_DONE;
  for (unsigned kind = 0; result == CLI_DONE && kind < sizeof o->plots / sizeof *o->plots; kind++)
    if (o->plots[kind])
      result = plot_write(s->cli, &request, (enum plot_kind)kind,
                          s->output.breakdown ? s->output.breakdown : PMON_IN_TOTAL, o->plots[kind]);
  return result;
}

static int report_show(struct stat_run *s, const struct report_options *o, const char *path)
{
  struct pmon_recording *r = NULL;
  if (o->html || o->plots[PLOT_SVG] || o->plots[PLOT_PNG])
    return report_draw(s, o, path);
  if (s->output.by_device)
    s->output.breakdown = PMON_BY_INSTANCE;
  if (!s->output.breakdown)
    s->output.breakdown = stat_output_default_breakdown(&s->output, o->intervals);
  int result = recording_open(s->cli, path, &r);
  if (result == CLI_DONE)
    result = report_print(s, r, o, path);
  pmon_recording_close(r);
  return result;
}

static int run_report(struct cli *cli, int argc, char **argv)
{
  struct stat_run s;
  struct report_options o = {0};
  stat_run_init(&s, cli);
  int result = report_read_options(&s, argc, argv, &o);
  if (o.help)
    cli_help(cli);
  else if (result == CLI_DONE)
    result = report_show(&s, &o, argv[optind]);
  stat_run_fini(&s);
  return result;
}

const struct cli_command report_command = {
    .name = "report",
    .arguments = "FILE",
    .brief = "compute values from counts that pmon stat --record saved",
    .run = run_report,
    .options = {{report_options, NULL}, {stat_print_options, NULL}, {NULL, NULL}},
    .value = CLI_FILE,
};

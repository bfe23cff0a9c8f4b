/* SPDX-License-Identifier: MIT */
#include "cli/top/top.h"
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/common/groups.h"
#include "cli/common/recording.h"
#include "cli/stat/by_device.h"
#include "cli/stat/measure.h"
#include "cli/stat/plan.h"
#include "cli/stat/print.h"
#include "cli/top/remote.h"
#include "cli/top/screen.h"

enum { CODE_BACKEND = CLI_OPTION_OWN, CODE_COLOR };
enum { HOST_NS = 1000000000, MACHINE_NS = 100000, KEYS_MS = 50 };
enum { PAST = 64 };                     /* maximum of intervals that are read before the current one after a seek, */
static const double PAST_SECONDS = 0.1; /* if this takes no longer than this */
static const double DELAY = 0.1;        /* between updates of a source that does not run in real time */

/* ---- a measurement ---- */

static void on_report(void *user, const struct pmon_report *report, double seconds, double end_seconds)
{
  struct top *t = user;
  if (!t->stat.source.host || !t->paused)
    top_show(t, report, seconds, end_seconds);
}

/* The host's counters continue while the display is paused. */
static bool on_tick(void *user)
{
  struct top *t = user;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (top_seconds_between(&t->drawn, &now) * 1000 >= KEYS_MS) {
    t->drawn = now;
    top_take_keys(t, 0);
  }
  return t->quit;
}

/* Shows the last screen until a key ends it. */
static void wait_for_quit(struct top *t)
{
  t->paused = t->ended = true;
  top_draw(t);
  while (!top_ends(t))
    top_take_keys(t, TOP_PAUSE_MS);
}

static int top_measure(struct top *t, bool monochrome)
{
  struct stat_run *s = &t->stat;
  int result = stat_make_plan(s);
  if (result != CLI_DONE)
    return result;
  stat_names_describe_command(&s->names, &s->target);
  s->output.breakdown = PMON_BY_PACKAGE | PMON_BY_INSTANCE | PMON_IN_TOTAL;
  s->times.interval_ns = s->times.interval_ns ? s->times.interval_ns : s->source.host ? HOST_NS : MACHINE_NS;
  if (!(s->source.host ? devices_read_host(&s->source.hardware, s->cli->platform, &s->devices)
                       : devices_of_scenario(&s->target.scene, s->cli->platform, &s->devices)))
    return cli_fail_memory(s->cli);
  s->watch.on_report = on_report;
  s->watch.on_tick = on_tick;
  s->watch.user = t;
  stat_handle_signals(); /* before the terminal's modes change */
  if (!(t->screen = screen_open(s->cli, monochrome)))
    return CLI_USAGE;
  result = stat_measure(s);
  if (result == CLI_DONE && t->history.reports && !top_ends(t))
    wait_for_quit(t);
  return result == CLI_DONE && stat_stop.number ? CLI_SIGNALLED + (int)stat_stop.number : result;
}

struct top_options {
  struct stat_lists lists;
  bool help, monochrome;
};

/* ---- a recording ---- */

struct player {
  struct top *top;
  struct pmon_recording *recording;
  struct pmon_session *session;
  const struct pmon_recording_info *info;
  double origin; /* of times (recording_origin()) */
};

static int load(const struct player *p, uint32_t position, struct pmon_report **ret_report)
{
  if (pmon_recording_load(p->recording, p->session, position))
    return cli_fail_context(p->top->stat.cli, NULL);
  return stat_make_report(&p->top->stat, p->session, p->info->packages, ret_report) ? cli_fail_memory(p->top->stat.cli)
                                                                                    : CLI_DONE;
}

/* Reads intervals before the position after a seek, for the last values: as many as can be read without a noticeable
 * delay, if one interval takes `seconds`. */
static int load_past(const struct player *p, double seconds)
{
  struct top *const t = p->top;
  const double most = PAST_SECONDS / fmax(seconds, 1e-6);
  uint32_t n = t->position < PAST ? t->position : PAST;
  int result = CLI_DONE;
  for (n = n < most ? n : (uint32_t)most; result == CLI_DONE && n; n--) {
    struct pmon_report *report = NULL;
    const uint32_t position = t->position - n;
    if (history_has(&t->history, position))
      continue;
    result = load(p, position, &report);
    if (result == CLI_DONE &&
        !history_add(&t->history, report, &(struct top_time){position, pmon_session_seconds(p->session), 0}))
      result = cli_fail_memory(t->stat.cli);
    pmon_report_free(report);
  }
  return result;
}

static int play(struct player *p)
{
  struct top *const t = p->top;
  while (!top_ends(t)) {
    struct pmon_report *report = NULL;
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    int result = load(p, t->position, &report);
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (result == CLI_DONE && t->position && !history_has(&t->history, t->position - 1)) {
      pmon_report_free(report);
      report = NULL;
      result = load_past(p, top_seconds_between(&begin, &end));
      result = result == CLI_DONE ? load(p, t->position, &report) : result;
    }
    if (result != CLI_DONE)
      return result;
    if (!t->position)
      p->origin = recording_origin(p->info, p->session);
    const bool last = t->ended = t->position + 1 == t->intervals;
    t->paused |= last; /* before it is shown: a key that then seeks finds the recording at rest */
    top_show(t, report, pmon_session_seconds(p->session), (double)pmon_session_now_ns(p->session) * 1e-9 - p->origin);
    pmon_report_free(report);
    if (last && !t->seek && !top_ends(t)) {
      t->paused = true;
      top_draw(t);
      top_wait(t, 0);
    }
    const int64_t next = (int64_t)t->position + (t->seek ? t->seek : 1);
    t->position = (uint32_t)(next < 0 ? 0 : next >= (int64_t)t->intervals ? (int64_t)t->intervals - 1 : next);
    t->seek = 0;
  }
  return CLI_DONE;
}

static int play_file(struct top *t, const struct top_options *o)
{
  struct cli *const cli = t->stat.cli;
  struct pmon_recording *r = NULL;
  struct pmon_session *session = NULL;
  struct pmon_recording_info info = {.size = sizeof info};
  char *metrics = NULL;
  int result = recording_open(cli, t->path, &r);
  if (result != CLI_DONE)
    return result;
  pmon_recording_describe(r, &info);
  snprintf(t->stat.names.machine, sizeof t->stat.names.machine, "%s", info.machine);
  t->stat.output.breakdown = PMON_BY_PACKAGE | PMON_BY_INSTANCE | PMON_IN_TOTAL;
  t->intervals = info.intervals;
  result = groups_recorded(cli, r, o->lists.groups, o->lists.metrics, &metrics);
  if (result == CLI_DONE && !info.intervals)
    result = cli_fail(cli, "%s: the recording has no intervals", t->path);
  else if (result != CLI_DONE ||
           pmon_recording_plan(r, cli->platform, o->lists.events, metrics, &t->stat.wanted.plan) ||
           pmon_recording_session(r, t->stat.wanted.plan, &session))
    result = result == CLI_DONE ? cli_fail_context(cli, NULL) : result;
  else if ((result = stat_devices_load(cli, &t->stat.devices, r)) == CLI_DONE &&
           !(t->screen = screen_open(cli, o->monochrome)))
    result = CLI_USAGE;
  else if (result == CLI_DONE)
    result = play(&(struct player){t, r, session, &info, 0});
  free(metrics);
  pmon_session_close(session);
  pmon_recording_close(r);
  return result;
}

/* ---- options ---- */

static int top_take_option(struct top *t, struct top_options *o, int code, const char *value)
{
  struct stat_run *s = &t->stat;
  switch (code) {
  case 'h': o->help = true; return CLI_DONE;
  case 'p': s->cli->platform_name = value; return CLI_DONE;
  case 'e': return cli_take_list(s->cli, &o->lists.events, value);
  case 'm': return cli_take_list(s->cli, &o->lists.metrics, value);
  case 'g': return cli_take_list(s->cli, &o->lists.groups, value);
  case 'I': return stat_time_parse(s->cli, "-I", value, &s->times.interval_ns);
  case CODE_BACKEND: return stat_source_parse_access_method(s->cli, &s->source, value);
  case CLI_OPTION_RESCTRL_GROUP:
  case CLI_OPTION_RESCTRL_NEW: stat_source_take_group(&s->source, code, value); return CLI_DONE;
  case CODE_COLOR: o->monochrome = !strcmp(value, "never"); return cli_take_color(s->cli, value);
  default: return target_take(s->cli, &s->target, code, value);
  }
}

static int top_read_options(struct top *t, struct top_options *o, int argc, char **argv)
{
  int c, result = stat_source_read_platform(t->stat.cli, &t->stat.source, &t->stat.target, argc, argv);
  optind = 0;
  while (result == CLI_DONE && !o->help && (c = cli_getopt(t->stat.cli, argc, argv)) != -1)
    result = top_take_option(t, o, c, optarg);
  if (result != CLI_DONE || o->help || optind == argc)
    return result;
  if (!strcmp(argv[optind - 1], "--"))
    t->stat.target.argv = argv + optind;
  else if (optind == argc - 1)
    t->path = argv[optind];
  else
    result = cli_fail(t->stat.cli, "%s: a command must follow \"--\": pmon top -- %s ...", argv[optind], argv[optind]);
  return result;
}

/* Shows a recording or an exporter's values. A signal ends it as it ends a measurement. */
static int top_show_others(struct top *t, const struct top_options *o)
{
  const bool remote = remote_is_address(t->path);
  if (remote && (o->lists.events || o->lists.metrics || o->lists.groups))
    return cli_fail(t->stat.cli,
                    "%s: an exporter serves the events and metrics it was started with; omit -e, -m and -g", t->path);
  if (stat_source_refuse_group(t->stat.cli, &t->stat.source, remote ? "exporters" : "recordings") != CLI_DONE)
    return CLI_USAGE;
  stat_handle_signals();
  const int result = remote ? remote_watch(t, o->monochrome) : play_file(t, o);
  return result == CLI_DONE && stat_stop.number ? CLI_SIGNALLED + (int)stat_stop.number : result;
}

static int top_run(struct top *t, const struct top_options *o)
{
  struct stat_run *s = &t->stat;
  if (t->path)
    return top_show_others(t, o);
  if (!cli_platform(s->cli))
    return CLI_USAGE;
  int result = stat_wanted_add_lists(s->cli, &s->source.hardware, &s->wanted, &o->lists);
  if (result == CLI_DONE && !s->wanted.given && groups_has(s->cli, "TOP"))
    result = stat_wanted_add(s->cli, &s->source.hardware, &s->wanted, 'g', "TOP");
  if (result == CLI_DONE)
    result = stat_source_choose(s->cli, &s->source, &s->target, s->times.duration_ns);
  return result == CLI_DONE ? top_measure(t, o->monochrome) : result;
}

static const struct cli_option top_options[] = {
    {"event", 'e', "LIST", "events, separated by commas", CLI_EVENTS, NULL},
    {"metric", 'm', "LIST", "metrics by name, or NAME=EQUATION (default: group TOP, or those of the recording)",
     CLI_METRICS, NULL},
    CLI_GROUP_OPTION,
    {"interval", 'I', "MS", "milliseconds, or a time with its unit (default: 1s on the host, 100us of simulated time)",
     CLI_TEXT, NULL},
    {"backend", CODE_BACKEND, "NAME", "access method: perf, direct, machine, or auto", CLI_WORDS,
     "auto perf direct machine"},
    {"color", CODE_COLOR, "WHEN", "never: shades of characters instead of colours", CLI_WORDS, "auto always never"},
    CLI_OPTION_END,
};

static int run_top(struct cli *cli, int argc, char **argv)
{
  struct top *t = calloc(1, sizeof *t);
  struct top_options o = {0};
  if (!t)
    return cli_fail_memory(cli);
  stat_run_init(&t->stat, cli);
  t->delay = DELAY;
  stat_at_signal = screen_discard;
  clock_gettime(CLOCK_MONOTONIC, &t->begun);
  o.monochrome = getenv("NO_COLOR") && *getenv("NO_COLOR");
  int result = top_read_options(t, &o, argc, argv);
  if (result == CLI_DONE && o.help)
    cli_help(cli);
  else if (result == CLI_DONE)
    result = top_run(t, &o);
  screen_close(t->screen);
  if (t->failed)
    result = cli_fail_memory(cli);
  history_clear(&t->history);
  stat_run_fini(&t->stat);
  free(t);
  return result;
}

const struct cli_command top_command = {
    .name = "top",
    .arguments = "[FILE | URL | -- COMMAND [ARGUMENT...]]",
    .emulated = "pmon top --backend machine -- COMMAND",
    .brief = "the processor, live: die, values with their history, instances",
    .run = run_top,
    .options = {{top_options, NULL},
                {stat_group_options, NULL},
                {target_input_options, NULL},
                {target_stream_options, NULL},
                {target_shape_options, NULL},
                {NULL, NULL}},
    .notes = "Keys: F1 help, d die, u units, v devices, Enter meaning, / filter, q quit.\nURL is the "
             "address of an exporter (http://HOST:PORT); its values are shown.\n",
    .value = CLI_FILE,
    .first = true,
};

/* SPDX-License-Identifier: MIT */
#include "cli/exporter/exporter.h"
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "cli/stat/stat.h"

enum { CODE_BACKEND = CLI_OPTION_OWN, CODE_LISTEN, CODE_SLICE };
enum { SIGNALLED = 128 }; /* an exit code beyond: a signal ended it, which is how a service ends */
enum { INTERVAL_NS = 1000000000, WAIT_NS = 100000000 };
#define ADDRESS "localhost:9738"

struct exporter {
  struct stat_run stat;
  struct exporter_totals totals;
  const char *address;
  struct timespec begun;
  bool wanted, help, failed;
};

static double seconds_since_begin(const struct exporter *x)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - x->begun.tv_sec) + (double)(now.tv_nsec - x->begun.tv_nsec) * 1e-9;
}

static double cpu_seconds(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/* Until a signal or `seconds` after the begin (INFINITY: never). */
static void wait_until(const struct exporter *x, double seconds)
{
  const struct timespec pause = {.tv_nsec = WAIT_NS};
  while (!stat_stop.number) {
    const double left = seconds - seconds_since_begin(x);
    if (left <= 0)
      return;
    const struct timespec rest = {.tv_nsec = (long)(left * 1e9)};
    nanosleep(left < WAIT_NS * 1e-9 ? &rest : &pause, NULL);
  }
}

/* Simulated time passes no faster than the time of those who ask. */
static void on_report(void *user, const struct pmon_report *report, double seconds, double end_seconds)
{
  struct exporter *x = user;
  if (!totals_add(&x->totals, report, seconds, cpu_seconds())) {
    x->failed = x->stat.quit = true;
    return;
  }
  if (!x->stat.host)
    wait_until(x, end_seconds);
}

static bool on_tick(void *user)
{
  return ((struct exporter *)user)->failed;
}

/* Adds what the platform has of the table; what it has not is no error. */
static int add_table(struct exporter *x)
{
  struct stat_run *s = &x->stat;
  uint32_t n = 0;
  if (pmon_plan_new(s->cli->context, s->cli->platform, &s->plan))
    return cli_fail_context(s->cli, NULL);
  for (uint32_t i = 0; i < exporter_table_size; i++) {
    const char *source = exporter_table[i].source;
    n += !(strchr(source, '/') ? pmon_plan_add_events(s->plan, source) : pmon_plan_add_metrics(s->plan, source));
  }
  s->wanted = true;
  return n ? CLI_DONE : cli_fail(s->cli, "this platform has none of the default series; give -m, -g or -e");
}

static int exporter_take_option(struct exporter *x, int code, const char *value)
{
  struct stat_run *s = &x->stat;
  switch (code) {
  case 'h': x->help = true; return CLI_DONE;
  case 'p': return CLI_DONE;
  case 'e':
  case 'm':
  case 'g': x->wanted = true; return stat_add_wanted(s, value, code);
  case 'I': return stat_take_time(s, "-I", value, &s->interval_ns);
  case CODE_SLICE: return stat_take_time(s, "--slice", value, &s->slice_ns);
  case CODE_BACKEND: return stat_parse_access_method(s, value);
  case CODE_LISTEN: x->address = value; return CLI_DONE;
  default: return target_take(s->cli, &s->target, code, value);
  }
}

static int exporter_read_options(struct exporter *x, int argc, char **argv)
{
  struct cli *const cli = x->stat.cli;
  int c, result;
  optind = 0;
  while ((c = cli_getopt(cli, argc, argv)) != -1) {
    if (c == '?')
      return CLI_USAGE;
    if (c == 'p')
      cli->platform_name = optarg;
  }
  result = target_platform(cli, &x->stat.target, cli->platform_name);
  optind = 0;
  while (result == CLI_DONE && !x->help && (c = cli_getopt(cli, argc, argv)) != -1)
    result = exporter_take_option(x, c, optarg);
  if (result != CLI_DONE || x->help)
    return result;
  if (optind < argc)
    return cli_fail_unexpected(cli, argv[optind]);
  if (!cli_platform(cli))
    return CLI_USAGE;
  result = x->wanted ? CLI_DONE : add_table(x);
  return result == CLI_DONE ? stat_check_host(&x->stat) : result;
}

static int exporter_run(struct exporter *x)
{
  struct stat_run *s = &x->stat;
  struct pmon_platform_info platform = {.size = sizeof platform};
  int result = stat_make_plan(s);
  if (result != CLI_DONE)
    return result;
  stat_describe_command(s);
  pmon_platform_describe(s->cli->platform, &platform);
  x->totals.platform = platform.name;
  x->totals.package = platform.package;
  x->totals.backend = s->backend;
  x->totals.machine = s->machine;
  s->breakdown = PMON_BY_PACKAGE | PMON_BY_INSTANCE;
  s->interval_ns = s->interval_ns ? s->interval_ns : INTERVAL_NS;
  s->on_report = on_report;
  s->on_tick = on_tick;
  s->watch_user = x;
  struct exporter_server *server = exporter_serve(s->cli, x->address, &x->totals);
  if (!server)
    return CLI_USAGE;
  cli_fail(s->cli, "serving http://%s/metrics", strncmp(x->address, "unix:", 5) ? x->address : "(socket)");
  clock_gettime(CLOCK_MONOTONIC, &x->begun);
  result = stat_measure(s);
  pthread_mutex_lock(&x->totals.lock);
  x->totals.ended = true;
  pthread_mutex_unlock(&x->totals.lock);
  /* Values of an emulated run remain to be read after its end. */
  if (result == CLI_DONE && !x->failed)
    wait_until(x, 1e18);
  exporter_stop(server);
  return x->failed ? cli_fail_memory(s->cli) : result > SIGNALLED ? CLI_DONE : result;
}

static const struct cli_option exporter_options[] = {
    {"listen", CODE_LISTEN, "ADDRESS", "HOST:PORT, [HOST]:PORT, :PORT or unix:PATH (default: " ADDRESS ")", CLI_TEXT,
     NULL},
    {"event", 'e', "LIST", "serve these events in place of the default series", CLI_EVENTS, NULL},
    {"metric", 'm', "LIST", "serve these metrics in place of the default series", CLI_METRICS, NULL},
    CLI_GROUP_OPTION,
    {"interval", 'I', "MS", "how often counters are read, in milliseconds or with a unit (default: 1s)", CLI_TEXT,
     NULL},
    {"slice", CODE_SLICE, "MS", "length of a time slice when events are multiplexed (default 1)", CLI_TEXT, NULL},
    {"backend", CODE_BACKEND, "NAME", "access method: perf, direct, machine, or auto", CLI_WORDS,
     "auto perf direct machine"},
    CLI_OPTION_END,
};

static int run_exporter(struct cli *cli, int argc, char **argv)
{
  struct exporter *x = calloc(1, sizeof *x);
  if (!x)
    return cli_fail_memory(cli);
  x->stat = (struct stat_run){.cli = cli, .out_fd = -1};
  x->address = ADDRESS;
  pthread_mutex_init(&x->totals.lock, NULL);
  target_options_init(&x->stat.target);
  x->stat.target.stop = &stat_stop;
  hardware_init(&x->stat.hardware, NULL);
  int result = exporter_read_options(x, argc, argv);
  if (result == CLI_DONE && x->help)
    cli_help(cli);
  else if (result == CLI_DONE)
    result = exporter_run(x);
  totals_fini(&x->totals);
  pmon_plan_free(x->stat.plan);
  target_options_fini(&x->stat.target);
  free(x);
  return result;
}

const struct cli_command exporter_command = {
    .name = "exporter",
    .arguments = "",
    .brief = "serve counters to Prometheus over HTTP",
    .run = run_exporter,
    .options = {{exporter_options, NULL},
                {target_input_options, NULL},
                {target_stream_options, NULL},
                {target_shape_options, NULL},
                {NULL, NULL}},
};

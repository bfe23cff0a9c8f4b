/* SPDX-License-Identifier: MIT */
#include "cli/exporter/exporter.h"
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "cli/exporter/config.h"
#include "cli/stat/by_device.h"
#include "cli/stat/host.h"
#include "cli/stat/measure.h"
#include "cli/stat/plan.h"
#include "cli/stat/run.h"
#include "cli/stat/stop.h"

enum { CODE_BACKEND = CLI_OPTION_OWN, CODE_CONFIG, CODE_LISTEN, CODE_OTLP, CODE_SLICE, CODE_WEB };
enum { WAIT_NS = 100000000, SLICES_PER_ROUND = 2, LEAST_SLICE_NS = 1000000 };
/* Each control register is checked once in so many intervals: more often, this would be most of an interval's cost. */
enum { VERIFY_INTERVALS = 8 };

struct exporter {
  struct stat_run stat;
  struct exporter_totals totals;
  struct exporter_given given;
  struct exporter_config config, next; /* next: the one read at SIGHUP, while reloading */
  struct exporter_listener listener;
  struct exporter_network *network;
  char *address, *access_method; /* in effect from start to end */
  struct timespec begun;
  bool help, failed, reloading, announced;
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

/* Starts a new network process with the configuration's certificates and users; if that fails, the old one remains. */
static int network_replace(struct exporter *x, struct exporter_config *c)
{
  const struct exporter_network_options o = {.fd = x->listener.fd,
                                             .web = c->has_web ? &c->web : NULL,
                                             .otlp = c->otlp,
                                             .otlp_interval_ns = c->otlp_interval_ns};
  struct exporter_network *network;
  const int result = exporter_network_start(x->stat.cli, &o, &network);
  if (result != CLI_DONE)
    return result;
  exporter_network_stop(x->network);
  x->network = network;
  x->totals.otlp = c->otlp != NULL;
  return CLI_DONE;
}

/* Reports settings that take effect after a restart only; at each reload, as long as they differ from those in
 * effect. */
static void reload_report_restart(struct exporter *x)
{
  const struct exporter_config *c = &x->next;
  const struct stat_run *s = &x->stat;
  if (!x->listener.handed_over && strcmp(c->address, x->address))
    cli_note(x->stat.cli, "%s %s: the new address takes effect after a restart", c->address_option, c->address);
  if (exporter_config_changes_method(c, s, x->access_method))
    cli_note(x->stat.cli, "%s %s: the new access method takes effect after a restart", c->access_option,
             exporter_config_method(c));
}

/* At SIGHUP: reads the files again. If they are wrong, prints a message and keeps the old configuration. */
static void exporter_reload(struct exporter *x)
{
  struct stat_run *s = &x->stat;
  int result = exporter_config_make(s->cli, &x->given, &x->next);
  const bool made = result == CLI_DONE;
  if (result == CLI_DONE)
    result = exporter_listen_check(s->cli, x->next.address_option, x->next.address);
  if (result == CLI_DONE)
    result = exporter_config_plan(s, &x->given, &x->next);
  if (result == CLI_DONE)
    result = network_replace(x, &x->next);
  if (result != CLI_DONE) {
    if (made)
      exporter_config_fini(&x->next);
    cli_note(s->cli, "the old configuration remains in effect");
    return;
  }
  reload_report_restart(x);
  x->reloading = true;
  if (x->totals.intervals)
    exporter_network_send(x->network, &x->totals);
}

static void network_lost(struct exporter *x)
{
  cli_fail(x->stat.cli, "the network process has exited, or has accepted no values for %d s", EXPORTER_SEND_S);
  x->failed = x->stat.quit = true;
}

/* Prints what is served, once the counters are open. */
static void exporter_announce(struct exporter *x)
{
  char name[512];
  exporter_listener_name(&x->listener, x->config.has_web && x->config.web.cert, name, sizeof name);
  cli_note(x->stat.cli, "serving %s", name);
  x->announced = true;
}

static bool exporter_ends(struct exporter *x)
{
  if (!x->announced)
    exporter_announce(x);
  if (exporter_config_take_hangup())
    exporter_reload(x);
  if (!x->failed && !exporter_network_lives(x->network))
    network_lost(x);
  return stat_stop.number || x->reloading || x->failed;
}

/* Waits until the end, or until `seconds` after the start. */
static void wait_until(struct exporter *x, double seconds)
{
  while (!exporter_ends(x)) {
    const double left = seconds - seconds_since_begin(x);
    if (left <= 0)
      return;
    const struct timespec rest = {.tv_nsec = left < WAIT_NS * 1e-9 ? (long)(left * 1e9) : WAIT_NS};
    nanosleep(&rest, NULL);
  }
}

/* Serves a report. Simulated time then waits for real time: it must not pass faster than that of the clients. */
static void on_report(void *user, const struct pmon_report *report, double seconds, double end_seconds)
{
  struct exporter *x = user;
  if (!totals_add(&x->totals, report, seconds, cpu_seconds())) {
    cli_fail_memory(x->stat.cli);
    x->failed = x->stat.quit = true;
  } else if (!exporter_network_send(x->network, &x->totals))
    network_lost(x);
  if (!x->failed && !x->stat.source.host)
    wait_until(x, end_seconds);
}

static bool wants_row(void *user, const struct pmon_report_row *row)
{
  struct exporter *x = user;
  return exporter_wants(&x->totals, row);
}

static bool on_tick(void *user)
{
  return exporter_ends(user);
}

static int exporter_take_option(struct exporter *x, int code, const char *value)
{
  struct stat_run *s = &x->stat;
  switch (code) {
  case 'h': x->help = true; return CLI_DONE;
  case 'p': return CLI_DONE;
  case 'e':
  case 'm':
  case 'g': x->given.wanted = true; return stat_wanted_add_option(s->cli, &s->source.hardware, &s->wanted, code, value);
  case 'I': return stat_time_parse(s->cli, "-I", value, &x->given.interval_ns);
  case CODE_SLICE: return stat_time_parse(s->cli, "--slice", value, &x->given.slice_ns);
  case CODE_BACKEND: x->given.access_method = value; return stat_source_parse_access_method(s->cli, &s->source, value);
  case CLI_OPTION_RESCTRL_GROUP: stat_source_take_group(&s->source, code, value); return CLI_DONE;
  case CODE_LISTEN: x->given.address = value; return CLI_DONE;
  case CODE_CONFIG: x->given.config = value; return exporter_config_await_hangups();
  case CODE_OTLP: x->given.otlp = value; return CLI_DONE;
  case CODE_WEB: x->given.web = value; return exporter_config_await_hangups();
  default: return target_take(s->cli, &s->target, code, value);
  }
}

/* Checks the input. Without one, only the host can be measured. */
static int exporter_check_input(struct exporter *x)
{
  struct stat_run *s = &x->stat;
  const struct target_options *t = &s->target;
  if (t->trace || t->scenario || t->bundles || t->generate || stat_source_is_host(s->cli, &s->source, t))
    return stat_source_choose(s->cli, &s->source, t, s->times.duration_ns);
  const char *inputs = !target_model(s->cli) || target_models_time(s->cli) ? "--scenario FILE or --trace FILE"
                                                                           : "--generate NAME or --bundles FILE";
  if (s->source.access_method && !strcmp(s->source.access_method, "machine"))
    return cli_fail(s->cli, "--backend machine: no input; add %s", inputs);
  if (host_is_real(s->cli, &s->source.hardware))
    return host_refuse(s->cli, &s->source.hardware);
  if (s->cli->platform_name && !target_model(s->cli)) /* an input would not help */
    return target_check_model(s->cli, t);
  cli_fail(s->cli,
           "no uncore counters are accessible on this host (pmon doctor explains why); to try the exporter on "
           "the emulated machine, add %s",
           inputs);
  return CLI_NO_HARDWARE;
}

static int exporter_read_options(struct exporter *x, int argc, char **argv)
{
  struct cli *const cli = x->stat.cli;
  int c, result = stat_source_read_platform(cli, &x->stat.source, &x->stat.target, argc, argv);
  optind = 0;
  while (result == CLI_DONE && !x->help && (c = cli_getopt(cli, argc, argv)) != -1)
    result = exporter_take_option(x, c, optarg);
  if (result == CLI_DONE && !x->help)
    result = stat_wanted_add_waiting(cli, &x->stat.source.hardware, &x->stat.wanted);
  if (result != CLI_DONE || x->help)
    return result;
  if (optind < argc)
    return cli_fail_unexpected(cli, argv[optind]);
  if (!cli_platform(cli))
    return CLI_USAGE;
  result = exporter_config_make(cli, &x->given, &x->config);
  if (result == CLI_DONE)
    result = exporter_listen_check(cli, x->config.address_option, x->config.address);
  if (result == CLI_DONE && x->config.access_method)
    result = stat_source_parse_access_method(cli, &x->stat.source, x->config.access_method);
  if (result == CLI_DONE)
    result = exporter_check_input(x);
  if (result == CLI_DONE && x->given.wanted)
    return stat_make_plan(&x->stat);
  return result == CLI_DONE ? exporter_config_plan(&x->stat, &x->given, &x->config) : result;
}

/* Returns the slice that gives each round SLICES_PER_ROUND slices in an interval; 0: it would be too short. A service
 * runs all the time, so that a few suffice, and cost little. */
static uint64_t rare_slice_ns(const struct pmon_plan *plan, uint64_t interval_ns)
{
  struct pmon_plan_info info = {.size = sizeof info};
  pmon_plan_describe(plan, &info);
  const uint64_t slice_ns = info.rounds ? interval_ns / (SLICES_PER_ROUND * (uint64_t)info.rounds) : 0;
  return slice_ns > LEAST_SLICE_NS ? slice_ns : 0;
}

/* Applies the configuration: the plan and the times of the next session. */
static void exporter_adopt(struct exporter *x)
{
  struct stat_run *s = &x->stat;
  if (x->config.plan) {
    pmon_plan_free(s->wanted.plan);
    s->wanted.plan = x->config.plan;
    x->config.plan = NULL;
  }
  s->times.interval_ns = x->config.interval_ns;
  s->method.slice_ns = x->config.slice_ns ? x->config.slice_ns : rare_slice_ns(s->wanted.plan, s->times.interval_ns);
  s->method.verify_given = true;
  s->method.verify_ns = VERIFY_INTERVALS * s->times.interval_ns;
  clock_gettime(CLOCK_MONOTONIC, &x->begun);
}

/* Changes the configuration after a session: totals continue, with other series. */
static void exporter_change(struct exporter *x)
{
  exporter_config_fini(&x->config);
  x->config = x->next;
  x->reloading = x->stat.quit = false;
  x->totals.changed = true;
  x->totals.ended = false;
  cli_note(x->stat.cli, "reloaded the configuration");
  exporter_adopt(x);
}

/* Runs sessions until a signal; the values of an emulated run can still be read after its end. */
static int exporter_measure(struct exporter *x)
{
  struct stat_run *s = &x->stat;
  int result = stat_begin(s);
  while (result == CLI_DONE) {
    result = stat_measure_once(s);
    if (result == CLI_DONE && !x->reloading && !x->failed) {
      x->totals.ended = true;
      x->failed = !exporter_network_send(x->network, &x->totals);
      wait_until(x, 1e18);
    }
    if (result != CLI_DONE || !x->reloading)
      break;
    exporter_change(x);
  }
  result = stat_end(s, result);
  /* A signal is the normal end of a service. */
  return x->failed ? CLI_FAILED : result > CLI_SIGNALLED ? CLI_DONE : result;
}

static int exporter_run(struct exporter *x)
{
  struct stat_run *s = &x->stat;
  struct pmon_platform_info platform = {.size = sizeof platform};
  stat_names_describe_command(&s->names, &s->target);
  pmon_platform_describe(s->cli->platform, &platform);
  x->totals.platform = platform.name;
  x->totals.package = platform.package;
  x->totals.backend = s->names.backend;
  x->totals.machine = s->names.machine;
  otlp_time(x->totals.start_ns);
  s->output.breakdown = PMON_BY_PACKAGE | PMON_BY_INSTANCE;
  s->watch.on_report = on_report;
  s->watch.wants_row = wants_row;
  s->watch.accesses = &x->totals.accesses;
  s->watch.on_tick = on_tick;
  s->watch.user = x;
  int result = stat_devices_read(s);
  stat_handle_signals(); /* before there is a socket to remove */
  if (result == CLI_DONE)
    result = exporter_listen(s->cli, x->config.address_option, x->config.address, &x->listener);
  if (result != CLI_DONE)
    return result;
  x->address = strdup(x->config.address);
  x->access_method = strdup(exporter_config_method(&x->config));
  x->totals.devices = &s->devices;
  exporter_adopt(x);
  result = x->address && x->access_method ? network_replace(x, &x->config) : cli_fail_memory(s->cli);
  if (result == CLI_DONE)
    result = exporter_measure(x);
  exporter_network_stop(x->network);
  exporter_unlisten(&x->listener);
  return result;
}

static const struct cli_option exporter_options[] = {
    {"listen", CODE_LISTEN, "ADDRESS", "HOST:PORT, [HOST]:PORT, :PORT or unix:PATH (default: localhost:9738)", CLI_TEXT,
     NULL},
    {"config", CODE_CONFIG, "FILE", "settings in YAML, read again at SIGHUP; options take precedence", CLI_FILE, NULL},
    {"web-config", CODE_WEB, "FILE", "TLS and users, in the format that Prometheus' exporters share", CLI_FILE, NULL},
    {"otlp", CODE_OTLP, "URL", "also push to an OpenTelemetry collector, every 10 s", CLI_TEXT, NULL},
    {"event", 'e', "LIST", "serve these events instead of the default series", CLI_EVENTS, NULL},
    {"metric", 'm', "LIST", "serve these metrics instead of the default series", CLI_METRICS, NULL},
    CLI_GROUP_OPTION,
    {"interval", 'I', "MS", "how often counters are read, in milliseconds or with a unit (default: 1s)", CLI_TEXT,
     NULL},
    {"slice", CODE_SLICE, "MS",
     "length of a time slice when events are multiplexed (default: two slices of each round in an interval, at "
     "least 1)",
     CLI_TEXT, NULL},
    {"backend", CODE_BACKEND, "NAME", "access method: perf, direct, machine, or auto", CLI_WORDS,
     "auto perf direct machine"},
    STAT_GROUP_OPTION,
    CLI_OPTION_END,
};

static int run_exporter(struct cli *cli, int argc, char **argv)
{
  struct exporter *x = calloc(1, sizeof *x);
  if (!x)
    return cli_fail_memory(cli);
  stat_run_init(&x->stat, cli);
  x->listener.fd = -1;
  int result = exporter_read_options(x, argc, argv);
  if (result == CLI_DONE && x->help)
    cli_help(cli);
  else if (result == CLI_DONE)
    result = exporter_run(x);
  totals_fini(&x->totals);
  exporter_config_fini(&x->config);
  stat_run_fini(&x->stat);
  free(x->address);
  free(x->access_method);
  free(x);
  return result;
}

const struct cli_command exporter_command = {
    .name = "exporter",
    .arguments = "",
    .emulated = "pmon exporter --backend machine --scenario FILE",
    .brief = "serve counters to Prometheus over HTTP",
    .run = run_exporter,
    .options = {{exporter_options, NULL},
                {target_input_options, NULL},
                {target_stream_options, NULL},
                {target_shape_options, NULL},
                {NULL, NULL}},
};

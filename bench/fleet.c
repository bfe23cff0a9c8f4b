/* SPDX-License-Identifier: MIT */
/*
 * A fleet of emulated servers in one process. Each has a machine, a session on it, and the exporter's HTTP server on an
 * address of its own: 127.1.0.2, 127.1.0.3 and so on. Platforms alternate, three of Emerald Rapids to one E5-2600;
 * loads are 1, 2 and 3. A server's number determines its load and the addresses that it writes. All intervals are a
 * tenth of a second of simulated time, and begin a second apart as far as this host keeps up.
 * Usage: bench_fleet SERVERS PORT [INTERVALS [BYTES OF A LOAD OF ONE]]
 *   after INTERVALS the values remain as they are; 0: measures for ever
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <pmon/machine.h>
#include <pmon/pmon.h>
#include "cli/common/cli.h"
#include "cli/exporter/exporter.h"

enum {
  LOADS = 3,
  BURSTS = 20,
  BURST_NS = 10000000,
  INTERVAL_NS = 100000000,
  LINE = 64,
  PORTS = 64,
  LOOK_INTERVALS = 8
};
#define REGION (UINT64_C(1) << 18) /* the region in which lines are written */

struct server {
  char name[PORTS];
  struct pmon_machine *machine;
  struct pmon_backend *backend;
  struct pmon_plan *plan;
  struct pmon_session *session;
  struct exporter_totals totals;
  struct exporter_texts texts;
  struct exporter_listener listener;
  struct pmon_report_head head;
  /* The load: lines of a burst, lines left of it, bursts left, and the generator of addresses. */
  uint32_t lines, left, bursts;
  uint64_t random;
};

static struct cli_command fleet_command = {.name = "fleet"};

/* Feeds bursts of lines that are written past the caches, a hundredth of a second apart; then the thread sleeps. */
static uint32_t server_feed(void *user, uint32_t thread, struct pmon_machine_access *accesses, uint32_t n)
{
  struct server *s = user;
  (void)thread;
  for (uint32_t i = 0; i < n; i++) {
    if (s->left) {
      s->left--;
      s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      accesses[i] = (struct pmon_machine_access){.address = REGION + (s->random >> 33) % (REGION / LINE) * LINE,
                                                 .size_bytes = LINE,
                                                 .kind = PMON_MACHINE_WRITE_PAST};
      continue;
    }
    accesses[i] = (struct pmon_machine_access){.address = BURST_NS, .kind = PMON_MACHINE_SLEEP};
    s->left = s->bursts ? s->lines : 0;
    s->bursts -= s->bursts > 0;
  }
  return n;
}

static bool server_failed(struct cli *cli, const struct server *s, const char *what)
{
  cli_fail(cli, "%s: %s: %s", s->name, what, pmon_context_error(cli->context));
  return false;
}

static bool server_open(struct cli *cli, struct server *s, const char *platform)
{
  struct pmon_machine_options machine = {
      .size = sizeof machine, .platform = platform, .settings = "prefetch=off", .feed = server_feed, .feed_user = s};
  struct pmon_clock clocks[16];
  struct pmon_session_options options = {.size = sizeof options,
                                         .clocks = clocks,
                                         .slice_ns = INTERVAL_NS / 4,
                                         .verify_ns = LOOK_INTERVALS * (uint64_t)INTERVAL_NS,
                                         .seed = s->random};
  struct pmon_platform_info info = {.size = sizeof info};
  const struct pmon_platform *p;
  if (pmon_platform_find(cli->context, platform, &p) || pmon_platform_describe(p, &info) ||
      pmon_machine_new(&machine, NULL, &s->machine) || pmon_machine_backend(s->machine, &s->backend))
    return server_failed(cli, s, "the machine");
  options.n_clocks = pmon_machine_clocks(s->machine, clocks, sizeof clocks / sizeof *clocks);
  if (pmon_plan_new(cli->context, p, &s->plan) || pmon_plan_add_metric_groups(s->plan, "EXPORTER") ||
      pmon_plan_schedule(s->plan) || pmon_session_new(s->plan, s->backend, &options, &s->session) ||
      pmon_session_start(s->session))
    return server_failed(cli, s, "the session");
  s->totals = (struct exporter_totals){
      .platform = info.name, .package = info.package, .backend = "machine", .machine = info.name};
  s->head = (struct pmon_report_head){.size = sizeof s->head, .platform = info.name, .packages = 2};
  return true;
}

static bool server_serve(struct cli *cli, struct server *s)
{
  struct exporter_network_options o = {.fd = -1};
  pthread_mutex_init(&s->texts.lock, NULL);
  if (exporter_listen(cli, "address", s->name, &s->listener) != CLI_DONE)
    return false;
  o.fd = s->listener.fd;
  return exporter_serve(cli, &o, &s->texts) != NULL;
}

/* Replaces the served texts by those of the current totals. */
static bool server_publish(struct server *s)
{
  for (enum exporter_format f = EXPORTER_PROMETHEUS; f < EXPORTER_OTLP; f++) {
    size_t size = 0;
    char *text = exporter_format(&s->totals, f, &size);
    if (!text)
      return false;
    pthread_mutex_lock(&s->texts.lock);
    char *before = s->texts.text[f];
    s->texts.text[f] = text;
    s->texts.size[f] = size;
    clock_gettime(CLOCK_MONOTONIC, &s->texts.received);
    pthread_mutex_unlock(&s->texts.lock);
    free(before);
  }
  return true;
}

static bool server_measure(struct cli *cli, struct server *s, bool last)
{
  struct pmon_report *report;
  bool ended;
  pmon_session_mark(s->session);
  if (pmon_session_run(s->session, pmon_session_now_ns(s->session) + INTERVAL_NS, &ended) ||
      pmon_report_new(&s->head, &report))
    return server_failed(cli, s, "an interval");
  bool good = !pmon_report_add_session(report, s->session, s->plan, PMON_BY_PACKAGE | PMON_BY_INSTANCE) &&
              totals_add(&s->totals, report, pmon_session_seconds(s->session), 0);
  pmon_report_free(report);
  s->totals.ended = last;
  return (good && server_publish(s)) || server_failed(cli, s, "a report");
}

/* Waits until the next interval is due, unless it is due already. */
static void fleet_wait(struct timespec *due)
{
  due->tv_sec++;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, due, NULL))
    continue;
}

static bool fleet_run(struct cli *cli, struct server *servers, uint32_t n, uint32_t intervals)
{
  struct timespec due;
  clock_gettime(CLOCK_MONOTONIC, &due);
  for (uint32_t k = 1; !intervals || k <= intervals; k++) {
    for (uint32_t i = 0; i < n; i++)
      if (!server_measure(cli, &servers[i], k == intervals))
        return false;
    fleet_wait(&due);
  }
  printf("measured %" PRIu32 " intervals\n", intervals);
  fflush(stdout);
  for (;;)
    fleet_wait(&due);
}

int main(int argc, char **argv)
{
  struct cli cli = {.command = &fleet_command};
  const uint32_t n = argc > 2 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
  const uint32_t bytes = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : 1 << 16;
  struct server *servers = calloc(n + 1, sizeof *servers);
  bool good = n && servers && !pmon_context_new(&cli.context);
  if (!n)
    fprintf(stderr, "usage: bench_fleet SERVERS PORT [INTERVALS [BYTES]]\n");
  /* A machine's tables are large and sparse: huge pages would be mostly unused. */
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  for (uint32_t i = 0; good && i < n; i++) {
    struct server *s = &servers[i];
    snprintf(s->name, sizeof s->name, "127.1.%" PRIu32 ".%" PRIu32 ":%s", (i + 1) / 250, (i + 1) % 250 + 1, argv[2]);
    s->lines = ((i + 1) % LOADS + 1) * bytes / LINE;
    s->bursts = BURSTS;
    s->random = i + 1;
    good = server_open(&cli, s, (i + 1) % 4 ? "emr" : "snbep") && server_serve(&cli, s);
  }
  return !(good && fleet_run(&cli, servers, n, argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0));
}

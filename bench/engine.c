/* SPDX-License-Identifier: MIT */
/* Measures the engine: the scheduling of 200 and 1,000 events of Emerald Rapids, and intervals of a session on a
 * backend whose registers answer at once, so that only the engine's own cost is measured. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <pmon/pmon.h>

enum { CHOICES = 20 };

static double bench_engine_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void bench_engine_need(struct pmon_context *context, int status)
{
  if (!status)
    return;
  fprintf(stderr, "engine: %s\n", pmon_context_error(context));
  exit(1);
}

/* A backend whose registers do nothing: a read returns the value last written to the register's place. */
struct quick {
  struct pmon_backend backend;
  uint64_t now_ns, value[1 << 16];
};

static uint64_t *slot(struct pmon_backend *b, const struct pmon_address *a)
{
  uint64_t h = (a->offset ^ (uint64_t)a->device << 20 ^ (uint64_t)a->package << 40 ^ (uint64_t)a->space << 44);
  return &((struct quick *)(void *)b)->value[h * UINT64_C(0x9e3779b97f4a7c15) >> 48];
}

static int quick_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  *ret_value = *slot(b, a);
  return 0;
}

static int quick_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  *slot(b, a) = value;
  return 0;
}

static int quick_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  struct quick *q = (struct quick *)(void *)b;
  q->now_ns = until_ns > q->now_ns ? until_ns : q->now_ns;
  *ret_now_ns = q->now_ns;
  *ret_ended = false;
  return 0;
}

static void quick_close(struct pmon_backend *b)
{
  (void)b;
}

/* Returns the seconds that the scheduling of `wanted` random events takes. *ret_info describes the plan. */
static double schedule(struct pmon_context *context, const struct pmon_platform *emr, uint32_t wanted, uint32_t seed,
                       struct pmon_plan_info *ret_info)
{
  static const char *const units[] = {"cha", "imc", "upi", "iio", "m2m", "pcu"};
  struct pmon_plan_info info = {.size = sizeof info};
  struct pmon_plan *plan;
  bench_engine_need(context, pmon_plan_new(context, emr, &plan));
  for (; info.events < wanted; pmon_plan_describe(plan, &info)) {
    uint32_t unit, rows = 0;
    struct pmon_event_cursor cursor = {0};
    struct pmon_event_info event = {.size = sizeof event};
    char text[256];
    bench_engine_need(context, pmon_unit_find(emr, units[(seed >> 8) % 6], &unit));
    while (pmon_event_next(emr, unit, &cursor, &event))
      rows++;
    seed = seed * 1664525 + 1013904223;
    cursor = (struct pmon_event_cursor){0};
    for (uint32_t left = (seed >> 8) % rows + 1; left; left--)
      pmon_event_next(emr, unit, &cursor, &event);
    snprintf(text, sizeof text, "%s/%s%s%s/", event.unit, event.event, event.umask ? "." : "",
             event.umask ? event.umask : "");
    pmon_plan_add_events(plan, text); /* an event that the plan already has does not count again */
  }
  double start = bench_engine_seconds();
  bench_engine_need(context, pmon_plan_schedule(plan));
  double took = bench_engine_seconds() - start;
  pmon_plan_describe(plan, &info);
  *ret_info = info;
  pmon_plan_free(plan);
  return took;
}

/* Schedules several choices of events, and prints the slowest. */
static void schedules(struct pmon_context *context, const struct pmon_platform *emr, uint32_t wanted)
{
  struct pmon_plan_info info, slowest = {.size = sizeof slowest};
  double most = 0;
  for (uint32_t seed = 1; seed <= CHOICES; seed++) {
    const double took = schedule(context, emr, wanted, seed, &info);
    if (took > most) {
      most = took;
      slowest = info;
    }
  }
  printf("schedule %u events: %.3f ms, the slowest of %u choices; %u rounds (no plan has fewer than %u)\n",
         slowest.events, most * 1e3, (unsigned)CHOICES, slowest.rounds, slowest.lower_bound);
}

static void session(struct pmon_context *context, const struct pmon_platform *emr, uint32_t intervals)
{
  static const struct pmon_backend_ops ops = {.size = sizeof ops,
                                              .name = "quick",
                                              .read = quick_read,
                                              .write = quick_write,
                                              .wait = quick_wait,
                                              .close = quick_close};
  struct quick *q = calloc(1, sizeof *q);
  struct pmon_plan *plan;
  struct pmon_session *s;
  struct pmon_value v;
  bool ended;
  if (!q)
    exit(1);
  q->backend = (struct pmon_backend){.ops = &ops, .packages = 2};
  bench_engine_need(context, pmon_plan_new(context, emr, &plan));
  bench_engine_need(
      context, pmon_plan_add_metrics(plan, "LLC_DRD_MISS_RATIO,LLC_MISS_LATENCY_NS,MEM_BANDWIDTH,DRAM_PAGE_HIT_RATIO,"
                                           "UPI_DATA_SENT_BANDWIDTH"));
  bench_engine_need(context, pmon_plan_add_events(plan, "iio/CLOCKTICKS/")); /* more than 600 counters in all */
  bench_engine_need(context, pmon_plan_schedule(plan));
  struct pmon_plan_slot_info slot_info = {.size = sizeof slot_info};
  uint32_t counters = 0;
  for (uint32_t i = 0; !pmon_plan_slot(plan, i, &slot_info); i++)
    counters += 2 * (uint32_t)__builtin_popcountll(slot_info.instances);
  bench_engine_need(context, pmon_session_new(plan, &q->backend, NULL, &s));
  bench_engine_need(context, pmon_session_start(s));
  double start = bench_engine_seconds();
  for (uint32_t i = 1; i <= intervals; i++) {
    bench_engine_need(context, pmon_session_run(s, i * UINT64_C(1000000), &ended));
    for (uint32_t m = 0; m < 5; m++)
      bench_engine_need(context, pmon_session_metric(s, m, &(struct pmon_scope){PMON_ALL, PMON_ALL}, &v));
    pmon_session_mark(s);
  }
  double took = (bench_engine_seconds() - start) / intervals;
  printf("interval of %u counters, five metrics: %.1f us; at 1,000 intervals a second %.1f %% of a core\n", counters,
         took * 1e6, took * 1e5);
  bench_engine_need(context, pmon_session_close(s));
  pmon_plan_free(plan);
  free(q);
}

int main(void)
{
  struct pmon_context *context;
  const struct pmon_platform *emr;
  if (pmon_context_new(&context))
    return 1;
  bench_engine_need(context, pmon_platform_find(context, "emr", &emr));
  schedules(context, emr, 200);
  schedules(context, emr, 1000);
  session(context, emr, 500);
  pmon_context_free(context);
  return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Is the stated uncertainty true? Workloads that change while events take turns on the counters of the emulated machine,
 * each measured twice: all events in several rounds, and a few at a time, all the time, which is the truth, since the
 * machine does the same each time. The interval of 95 % confidence has to hold it in about that part of the cases.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "machine/machine.h"
#include "rig.h"

enum { RUNS = 12, EVENTS = 12, TOGETHER = 4, SLICE_NS = 3000 };

/* A seed and sizes go into each. */
static const char *const workloads[] = {
  "seed %u\nthread 0 on core 0: stream read %uK stride 64\nthread 0 on core 0: spin 100k\n"
  "thread 0 on core 0: random write %uK count 3k\nthread 0 on core 0: spin 50k\n"
  "thread 0 on core 0: stream read %uK stride 64\n",
  "seed %u\nthread 0 on core 0: random modify %uK count 4k\nthread 1 on core 1: copy %uK times 2\n"
  "thread 1 on core 1: chase %uK\n",
  "seed %u\nthread 0 on core 0: chase %uK\nthread 1 on core 1: spin 100k\n"
  "thread 1 on core 1: stream write %uK stride 64\nthread 0 on core 0: random read %uK count 5k\n"};

struct side { const char *settings, *platform; const char *events[EVENTS]; };
static const struct side sides[] = {
  {"set sockets=1 cores=2 chas=2 imcs=1 upi.links=1 iio.stacks=1 l2.size=64K\n", "emr",
   {"cha/TOR_INSERTS.IA/", "cha/TOR_INSERTS.IA_HIT/", "cha/TOR_INSERTS.IA_MISS/", "cha/TOR_INSERTS.IA_MISS_DRD/",
    "cha/TOR_INSERTS.ALL/", "cha/TOR_INSERTS.IA_MISS_RFO/", "cha/TOR_INSERTS.IA_HIT_DRD/", "cha/TOR_INSERTS.IA_DRD/",
    "cha/TOR_INSERTS.IA_RFO/", "cha/TOR_INSERTS.IA_HIT_RFO/", "cha/REQUESTS.READS_LOCAL/", "cha/REQUESTS.WRITES_LOCAL/"}},
  {"set platform=snbep sockets=1 cores=2 chas=2 l2.size=64K\n", "snbep",
   {"imc/CAS_COUNT.RD/", "imc/CAS_COUNT.WR/", "imc/CAS_COUNT.ALL/", "imc/ACT_COUNT/", "imc/PRE_COUNT.PAGE_MISS/",
    "imc/RPQ_INSERTS/", "imc/WPQ_INSERTS/", "imc/RPQ_CYCLES_NE/", "imc/WPQ_CYCLES_NE/", "imc/RPQ_OCCUPANCY/",
    "imc/CAS_COUNT.RD_REG/", "imc/PRE_COUNT.PAGE_CLOSE/"}},
};

/* Counts some of the side's events through the scenario. */
static uint32_t measure(const struct side *side, const char *scenario, uint32_t first, uint32_t n, struct pmon_value *ret)
{
  const struct pmon_session_options options = {.size = sizeof options, .slice_ns = SLICE_NS};
  struct pmon_plan_info info = {.size = sizeof info};
  const struct pmon_platform *platform;
  struct pmon_backend *backend;
  char list[1000] = "";
  for (uint32_t i = first; i < first + n; i++)
    strcat(strcat(list, i > first ? "," : ""), side->events[i]);
  struct machine *m = rig_busy(scenario, &backend);
  ok(pmon_platform_find(context, side->platform, &platform));
  struct pmon_plan *plan = rig_plan(platform, list, NULL);
  struct pmon_session *s = rig_session(plan, backend, &options, UINT64_MAX);
  for (uint32_t i = 0; i < n; i++)
    ok(pmon_session_event(s, i, &(struct pmon_scope){0, PMON_ALL}, &ret[i]));
  ok(pmon_plan_describe(plan, &info));
  ok(pmon_session_close(s));
  pmon_backend_close(backend);
  machine_free(m);
  pmon_plan_free(plan);
  return info.rounds;
}

struct tally { unsigned cases, held; double width; };

static void count_cases(const struct side *side, unsigned workload, unsigned run, struct tally *t)
{
  struct pmon_value turns[EVENTS], truth[EVENTS];
  char scenario[1000];
  int n = snprintf(scenario, sizeof scenario, "%s", side->settings);
  const unsigned size = 64 + 37 * run % 160;
  snprintf(scenario + n, sizeof scenario - (size_t)n, workloads[workload], run + 1, size, 2 * size, 3 * size);
  assert_true(measure(side, scenario, 0, EVENTS, turns) > 1);
  for (uint32_t i = 0; i < EVENTS; i += TOGETHER)
    assert_int_equal(measure(side, scenario, i, TOGETHER, truth + i), 1);
  for (uint32_t i = 0; i < EVENTS; i++) {
    assert_true(turns[i].valid && truth[i].valid && truth[i].flags == 0);
    /* What is certain, or says of itself that nothing is known, is no case. */
    if (!(turns[i].flags & PMON_VALUE_SCALED) || turns[i].flags & PMON_VALUE_UNCERTAIN || truth[i].number < 200)
      continue;
    t->cases++;
    t->held += fabs(turns[i].number - truth[i].number) <= 1.96 * turns[i].sigma;
    t->width += 1.96 * turns[i].sigma / truth[i].number;
  }
}

static void intervals_hold_the_truth(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
    struct tally t = {0};
    for (unsigned w = 0; w < sizeof workloads / sizeof *workloads; w++)
      for (unsigned run = 0; run < RUNS; run++)
        count_cases(&sides[i], w, run, &t);
    const double part = (double)t.held / t.cases, width = t.width / t.cases;
    print_message("%s: %.1f %% of %u cases, half width %.0f %% of the count on average\n", sides[i].platform, 100 * part,
                  t.cases, 100 * width);
    assert_true(t.cases > 200);
    /* An interval that held always would be too wide to say anything. */
    assert_true(part >= 0.90 && part < 0.995 && width < 1.5);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(intervals_hold_the_truth)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

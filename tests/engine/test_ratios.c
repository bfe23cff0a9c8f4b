/* SPDX-License-Identifier: MIT */
/*
 * The events of a metric that fits into one round count in one round, also when the metric is measured with all of its
 * group. Values of other metrics report that they are estimates.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/machine.h"
#include "tests/engine/rig.h"

enum { ROUNDS = 1024 };

static struct pmon_plan *plan_of(const struct pmon_platform *platform, const struct pmon_plan_metric_info *m)
{
  char name[300];
  snprintf(name, sizeof name, "%s%s%s", m->unit, *m->unit ? "/" : "", m->name);
  return rig_plan(platform, NULL, name);
}

static uint32_t rounds_of(const struct pmon_plan *plan)
{
  struct pmon_plan_info info = {.size = sizeof info};
  ok(pmon_plan_describe(plan, &info));
  assert_true(info.rounds <= ROUNDS);
  return info.rounds;
}

/* Finds the rounds in which the plan counts an event, given by name. */
static void find_rounds(const struct pmon_plan *plan, const char *event, bool counts[ROUNDS])
{
  struct pmon_plan_slot_info slot = {.size = sizeof slot};
  memset(counts, 0, ROUNDS * sizeof *counts);
  for (uint32_t i = 0; !pmon_plan_slot(plan, i, &slot); i++)
    for (uint32_t r = 0; !strcmp(pmon_event_name(pmon_plan_event(plan, slot.event)), event) && r < ROUNDS; r++)
      counts[r] |= slot.round == r || slot.round == UINT32_MAX;
}

/* True if a round of `plan` counts all events of `alone`. */
static bool has_common_round(const struct pmon_plan *plan, const struct pmon_plan *alone)
{
  bool common[ROUNDS], own[ROUNDS], any = false;
  memset(common, 1, sizeof common);
  for (uint32_t e = 0; pmon_plan_event(alone, e); e++) {
    find_rounds(plan, pmon_event_name(pmon_plan_event(alone, e)), own);
    for (uint32_t r = 0; r < ROUNDS; r++)
      common[r] &= own[r];
  }
  for (uint32_t r = 0; r < rounds_of(plan); r++)
    any |= common[r];
  return any;
}

/* Returns how many metrics of the group have one round for all their events; *several: those that need more rounds. */
static uint32_t check_group(const struct pmon_platform *platform, const char *group, uint32_t *several)
{
  struct pmon_plan_metric_info m = {.size = sizeof m};
  struct pmon_plan *plan;
  uint32_t n = 0;
  ok(pmon_plan_new(context, platform, &plan));
  if (pmon_plan_add_metric_groups(plan, group) == PMON_E_NO_DATA) {
    pmon_plan_free(plan);
    return 0;
  }
  ok(pmon_plan_schedule(plan));
  for (uint32_t i = 0; !pmon_plan_metric(plan, i, &m); i++) {
    struct pmon_plan *alone = plan_of(platform, &m);
    if (rounds_of(alone) > 1)
      ++*several;
    else if (has_common_round(plan, alone))
      n++;
    else
      fail_msg("%s: no round counts all events of %s", group, m.name);
    pmon_plan_free(alone);
  }
  pmon_plan_free(plan);
  return n;
}

static void check_platform(const struct pmon_platform *platform, const char *together, uint32_t least, uint32_t most)
{
  struct pmon_metric_group_info g = {.size = sizeof g};
  uint32_t n = 0, several = 0;
  for (uint32_t i = 0; !pmon_metric_group_describe(platform, i, &g); i++)
    n += g.metrics ? check_group(platform, g.name, &several) : 0;
  n += check_group(platform, together, &several);
  assert_true(n >= least);
  if (several > most)
    fail_msg("%u metrics take several rounds", several);
}

static void events_of_a_metric_share_a_round(void **state)
{
  (void)state;
  check_platform(emr, "MEM,LLC,NUMA,UPI", 100, 0);
  check_platform(snbep, "MEM,NUMA,QPI", 40, 20);
}

/* A metric counted in several rounds is an estimate, or has no value. */
static void metrics_of_several_rounds_are_estimates(void **state)
{
  (void)state;
  static const char *const metrics = "LLC_MISS_RATIO,LLC_PREFETCH_MISS_RATIO,LLC_REQUESTS,LLC_MISSES";
  struct pmon_backend *b;
  struct machine *machine = rig_busy("set platform=snbep cores=2 chas=4\n"
                                     "thread 0 on core 0: stream read 4M\nthread 1 on core 1: stream write 4M\n",
                                     &b);
  struct pmon_plan *plan = rig_plan(snbep, NULL, metrics);
  const struct pmon_session_options o = {.size = sizeof o, .slice_ns = 2000};
  struct pmon_session *s = rig_session(plan, b, &o, UINT64_MAX);
  struct pmon_value v;
  uint32_t n = 0;
  assert_true(rounds_of(plan) > 1);
  for (uint32_t i = 0; i < 4; i++) {
    ok(pmon_session_metric(s, i, &(struct pmon_scope){0, PMON_ALL}, &v));
    n += v.valid;
    if (v.valid && !(v.flags & (PMON_VALUE_SCALED | PMON_VALUE_UNCERTAIN)))
      fail_msg("metric %u is %g, as if it were counted all the time", i, v.number);
  }
  assert_true(n > 0);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
  pmon_backend_close(b);
  machine_free(machine);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(events_of_a_metric_share_a_round),
      cmocka_unit_test(metrics_of_several_rounds_are_estimates),
  };
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

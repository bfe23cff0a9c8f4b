/* SPDX-License-Identifier: MIT */
/* Values in bytes: an amount adds up over the intervals; a level, such as that of a cache, is the last interval's.
 * Which of them a metric is follows from its equation, also if it is the user's own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/exporter/exporter.h"
#include "tests/engine/base.h"
#include "tests/engine/fake.h"

enum { INTERVAL_NS = 1000000, INTERVALS = 3 };

/* With CLOCKTICKS c in an interval: c bytes, in a sum with a number, too; c/1000000 bytes for the time of a level; the
 * product of a level and the time. */
static const char facts[] = "unit cha\ncite USER 1\n"
                            "metric AMOUNT\n  brief a\n  source MOD own\n  result bytes\n  equation CLOCKTICKS\n"
                            "metric LEAST\n  brief b\n  source MOD own\n  result bytes\n"
                            "  equation MAX(CLOCKTICKS - 5, 0)\n"
                            "metric LEVEL\n  brief c\n  source MOD own\n  result bytes\n"
                            "  equation CLOCKTICKS / SAMPLE_INTERVAL / 1000000\n"
                            "metric QUEUE\n  brief d\n  source MOD own\n  result bytes\n"
                            "  equation 64 * TOR_OCCUPANCY.IA / CLOCKTICKS\n"
                            "metric RATE\n  brief e\n  source MOD own\n  result bytes/s\n  equation CLOCKTICKS\n"
                            "metric USED\n  brief f\n  source MOD own\n  result bytes\n"
                            "  equation LEVEL * SAMPLE_INTERVAL\n"
                            "metric HIGH\n  brief g\n  source MOD own\n  result bytes\n"
                            "  equation 1000 * CLOCKTICKS / SAMPLE_INTERVAL\n"
                            "metric BEYOND\n  brief h\n  source MOD own\n  result bytes\n"
                            "  equation 1000000 * CLOCKTICKS\n";

static struct fake fake[1];

/* Returns a plan of emr's metrics and of those above; the caller frees it and the context. */
static struct pmon_plan *plan_with_facts(const char *events, struct pmon_context **ret_context,
                                         const struct pmon_platform **ret_platform)
{
  char path[] = "/tmp/pmon-levels-XXXXXX.met";
  const int fd = mkstemps(path, 4);
  struct pmon_plan *plan;
  assert_true(fd >= 0);
  assert_int_equal(write(fd, facts, sizeof facts - 1), sizeof facts - 1);
  close(fd);
  ok(pmon_context_new(ret_context));
  ok(pmon_context_extend(*ret_context, "emr", path));
  unlink(path);
  ok(pmon_platform_find(*ret_context, "emr", ret_platform));
  ok(pmon_plan_new(*ret_context, *ret_platform, &plan));
  ok(pmon_plan_add_events(plan, events));
  ok(pmon_plan_add_metrics(plan, "AMOUNT,LEAST,LEVEL,QUEUE,RATE,USED,HIGH,BEYOND,L3_OCCUPANCY"));
  ok(pmon_plan_schedule(plan));
  return plan;
}

/* The unit's bound in bytes/s limits an amount in bytes, and not a level. */
static void check_bounds(const struct pmon_report *report)
{
  struct pmon_report_row row = {.size = sizeof row};
  unsigned seen = 0;
  for (uint32_t i = 0; !pmon_report_get(report, i, &row); i++) {
    const bool beyond = !strcmp(row.name, "BEYOND");
    if (!beyond && strcmp(row.name, "HIGH"))
      continue;
    assert_true(row.value.valid && row.value.number > 1e11);
    assert_int_equal((row.value.flags & PMON_VALUE_IMPLAUSIBLE) != 0, beyond);
    seen++;
  }
  assert_true(seen > 2 && seen % 2 == 0);
}

/* Returns the texts of all series after some intervals; the caller frees it. */
static char *series_of(struct pmon_plan *plan, const struct pmon_platform *platform)
{
  const struct pmon_session_options options = {.size = sizeof options, .packages = 1, .freeze = PMON_FREEZE_NONE};
  const struct pmon_report_head head = {.size = sizeof head, .platform = "emr", .packages = 1};
  struct exporter_totals t = {.platform = "emr", .backend = "fake", .machine = "", .package = "socket"};
  struct pmon_report *report;
  struct pmon_session *s;
  bool ended;
  size_t size;
  fake_init(fake, platform);
  fake->end_ns = UINT64_MAX;
  ok(pmon_session_new(plan, &fake->backend, &options, &s));
  ok(pmon_session_start(s));
  for (int i = 0; i < INTERVALS; i++) {
    pmon_session_mark(s);
    ok(pmon_session_run(s, pmon_session_now_ns(s) + INTERVAL_NS, &ended));
    ok(pmon_report_new(&head, &report));
    ok(pmon_report_add_session(report, s, plan, PMON_BY_PACKAGE | PMON_BY_INSTANCE));
    check_bounds(report);
    assert_true(totals_add(&t, report, INTERVAL_NS * 1e-9, 0));
    pmon_report_free(report);
  }
  char *text = exporter_format(&t, EXPORTER_JSON, &size);
  assert_non_null(text);
  totals_fini(&t);
  ok(pmon_session_close(s));
  return text;
}

static void levels_are_gauges(void **state)
{
  static const struct {
    const char *source, *kind;
  } rows[] = {{"AMOUNT", "count"},
              {"LEAST", "count"},
              {"USED", "count"},
              {"RATE", "rate"},
              {"LEVEL", "gauge"},
              {"QUEUE", "gauge"},
              {"cha/CLOCKTICKS/", "count"},
              {"L3_OCCUPANCY", "gauge"},
              {"resctrl/LLC_OCCUPANCY/", "gauge"},
              {"resctrl/MBM_TOTAL_BYTES/", "count"}};
  struct pmon_context *own;
  const struct pmon_platform *platform;
  struct pmon_plan *plan =
      plan_with_facts("cha/CLOCKTICKS/,resctrl/LLC_OCCUPANCY/,resctrl/MBM_TOTAL_BYTES/", &own, &platform);
  char *text = series_of(plan, platform), want[120];
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    snprintf(want, sizeof want, "\"source\":\"%s\",", rows[i].source);
    const char *at = strstr(text, want), *end = at ? strchr(at, '}') : NULL;
    snprintf(want, sizeof want, "\"kind\":\"%s\"", rows[i].kind);
    const char *kind = at ? strstr(at, want) : NULL;
    if (!kind || kind > end)
      fail_msg("%s is not a %s", rows[i].source, rows[i].kind);
  }
  free(text);
  pmon_plan_free(plan);
  pmon_context_free(own);
}

/* Returns the occupancy that is reported for an interval of two readings; `scale` 0: that of the facts. */
static double occupancy(double scale)
{
  struct pmon_plan *plan = rig_plan(emr, "resctrl/LLC_OCCUPANCY/", NULL);
  const struct pmon_session_options options = {.size = sizeof options, .packages = 1, .freeze = PMON_FREEZE_NONE};
  const struct pmon_report_head head = {.size = sizeof head, .platform = "emr", .packages = 1};
  struct pmon_report_row row = {.size = sizeof row};
  struct pmon_report *report;
  struct pmon_session *s;
  bool ended;
  fake_init(fake, emr);
  fake->end_ns = UINT64_MAX;
  if (scale > 0)
    ok(pmon_plan_set_scale(plan, 0, scale, "lines"));
  ok(pmon_session_new(plan, &fake->backend, &options, &s));
  ok(pmon_session_start(s));
  ok(pmon_session_run(s, pmon_session_now_ns(s) + INTERVAL_NS, &ended));
  ok(pmon_session_run(s, pmon_session_now_ns(s) + INTERVAL_NS, &ended));
  ok(pmon_report_new(&head, &report));
  ok(pmon_report_add_session(report, s, plan, PMON_IN_TOTAL));
  ok(pmon_report_get(report, 0, &row));
  assert_true(row.value.valid && !row.amount && !row.count);
  assert_string_equal(row.unit, scale > 0 ? "lines" : "bytes");
  pmon_report_free(report);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
  return row.value.number;
}

static void a_level_is_a_mean_with_any_scale(void **state)
{
  (void)state;
  const double bytes = occupancy(0);
  assert_true(bytes > 0);
  assert_true(fabs(occupancy(1.0 / 64) * 64 / bytes - 1) < 1e-9);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(levels_are_gauges),
                                     cmocka_unit_test(a_level_is_a_mean_with_any_scale)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

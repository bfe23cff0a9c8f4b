/* SPDX-License-Identifier: MIT */
/* The exporter while other software takes its counters: totals keep their values, the validity series state the reason,
 * other series continue. */
#include <stdlib.h>
#include <string.h>
#include "cli/exporter/exporter.h"
#include "tests/engine/base.h"
#include "tests/engine/fake.h"

#define LABELS "socket=\"0\",event=\"cha0/CLOCKTICKS/\",instance_unit=\"cha\",unit_instance=\"0\""
#define VALIDITY "\npmon_metric_valid{series=\"pmon_events_total\"," LABELS ",reason=\""
#define REASON "other software changed the control register or a filter while it counted"

enum { INTERVAL_NS = 1000000, INTERVALS = 6, STOLEN_IN = 3 };

static struct fake fake[1];

/* Returns the value of a series in the text; -1: the text lacks it. */
static double series_value(const char *text, const char *series)
{
  const char *at = strstr(text, series);
  return at ? strtod(at + strlen(series), NULL) : -1;
}

static struct pmon_session *session_begin(struct pmon_plan *plan)
{
  const struct pmon_session_options options = {.size = sizeof options, .packages = 1, .freeze = PMON_FREEZE_NONE};
  struct pmon_session *s;
  fake_init(fake, emr);
  fake->end_ns = UINT64_MAX;
  ok(pmon_session_new(plan, &fake->backend, &options, &s));
  ok(pmon_session_start(s));
  return s;
}

/* Measures one interval and returns the text of all series, which the caller frees. */
static char *interval_serve(struct pmon_session *s, const struct pmon_plan *plan, struct exporter_totals *t)
{
  const struct pmon_report_head head = {.size = sizeof head, .platform = "emr", .packages = 1};
  struct pmon_report *report;
  bool ended;
  size_t size;
  pmon_session_mark(s);
  ok(pmon_session_run(s, pmon_session_now_ns(s) + INTERVAL_NS, &ended));
  ok(pmon_report_new(&head, &report));
  ok(pmon_report_add_session(report, s, plan, PMON_BY_PACKAGE | PMON_BY_INSTANCE));
  assert_true(totals_add(t, report, INTERVAL_NS * 1e-9, 0));
  pmon_report_free(report);
  char *text = exporter_format(t, EXPORTER_PROMETHEUS, &size);
  assert_non_null(text);
  return text;
}

static void stolen_counters_keep_their_totals(void **state)
{
  static const char total[] = "\npmon_events_total{" LABELS "} ";
  struct pmon_plan *plan = rig_plan(emr, "cha0/CLOCKTICKS/", NULL);
  struct pmon_session *s = session_begin(plan);
  struct exporter_totals t = {.platform = "emr", .backend = "fake", .machine = "", .package = "socket"};
  double before = 0;
  (void)state;
  fake->steal_at_ns = STOLEN_IN * (uint64_t)INTERVAL_NS + INTERVAL_NS / 2;
  for (uint64_t k = 0; k < INTERVALS; k++) {
    char *text = interval_serve(s, plan, &t);
    const double now = series_value(text, total);
    assert_true(k < STOLEN_IN ? now > before : now == before);
    before = now;
    assert_true(series_value(text, VALIDITY "\"} ") == (k < STOLEN_IN ? 1 : -1));
    assert_true(series_value(text, VALIDITY REASON "\"} ") == (k < STOLEN_IN ? -1 : 0));
    assert_int_equal(series_value(text, "\npmon_intervals_total "), k + 1);
    free(text);
  }
  totals_fini(&t);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
}

/* Returns how often the text occurs. */
static int occurrences(const char *in, const char *text)
{
  int n = 0;
  while ((in = strstr(in, text))) {
    in += strlen(text);
    n++;
  }
  return n;
}

#define OTLP_REASON "{\"key\":\"reason\",\"value\":{\"stringValue\":\"" REASON "\"}}"
#define OTLP_SERIES "{\"key\":\"series\",\"value\":{\"stringValue\":\"pmon.events\"}}"

/* OpenTelemetry messages have the validity of a series, its end when the reason changes, and its standard error. */
static void pushed_series_have_validity_and_errors(void **state)
{
  struct pmon_plan *plan = rig_plan(emr, "cha0/CLOCKTICKS/", NULL);
  struct pmon_session *s = session_begin(plan);
  struct exporter_totals t = {.platform = "emr", .backend = "fake", .machine = "", .package = "socket"};
  size_t size;
  (void)state;
  fake->steal_at_ns = STOLEN_IN * (uint64_t)INTERVAL_NS + INTERVAL_NS / 2;
  for (uint64_t k = 0; k < INTERVALS; k++) {
    const bool stolen = k >= STOLEN_IN;
    free(interval_serve(s, plan, &t));
    t.samples[0].variance = k == 1 ? 0.25 : 0;
    char *text = exporter_format(&t, EXPORTER_OTLP, &size);
    assert_non_null(text);
    assert_int_equal(occurrences(text, "\"name\":\"pmon.metric.valid\""), 1);
    assert_int_equal(occurrences(text, "\"asDouble\":1.0}"), !stolen);
    assert_int_equal(occurrences(text, OTLP_REASON "],\"timeUnixNano\""), stolen);
    assert_int_equal(occurrences(text, "\"asDouble\":0.0}"), stolen);
    assert_int_equal(occurrences(text, "\"flags\":1}"), stolen); /* of the series without a value */
    assert_int_equal(occurrences(text, OTLP_SERIES), stolen || k == 1 ? 2 : 1);
    assert_int_equal(occurrences(text, "\"name\":\"pmon.standard.error\""), k == 1);
    assert_int_equal(occurrences(text, "\"asDouble\":0.5}"), k == 1);
    free(text);
  }
  totals_fini(&t);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(stolen_counters_keep_their_totals),
                                     cmocka_unit_test(pushed_series_have_validity_and_errors)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

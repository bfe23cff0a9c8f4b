/* SPDX-License-Identifier: MIT */
/* What the headers promise about calls that fail, and about arguments at the edges of their ranges. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include <pmon/record.h>
#include "tests/engine/fake.h"

static struct pmon_context *context;
static const struct pmon_platform *emr, *snbep, *montecito;
static struct fake fake;
static const struct pmon_scope everywhere = {PMON_ALL, PMON_ALL};

static int contract_setup(void **state)
{
  (void)state;
  return pmon_context_new(&context) || pmon_platform_find(context, "emr", &emr) ||
         pmon_platform_find(context, "snbep", &snbep) || pmon_platform_find(context, "montecito", &montecito);
}

static int contract_teardown(void **state)
{
  (void)state;
  pmon_context_free(context);
  return 0;
}

static struct pmon_plan *scheduled_plan(const char *events)
{
  struct pmon_plan *plan;
  assert_int_equal(pmon_plan_new(context, emr, &plan), 0);
  assert_int_equal(pmon_plan_add_events(plan, events), 0);
  assert_int_equal(pmon_plan_schedule(plan), 0);
  return plan;
}

/* A list that fails selects none of its events, also those that a metric has added. */
static void a_failed_list_selects_no_event(void **state)
{
  struct pmon_plan *plan;
  (void)state;
  assert_int_equal(pmon_plan_new(context, emr, &plan), 0);
  assert_int_equal(pmon_plan_add_metrics(plan, "MEM_READ_BANDWIDTH"), 0);
  assert_string_equal(pmon_event_name(pmon_plan_event(plan, 0)), "imc/CAS_COUNT.RD/");
  assert_int_equal(pmon_plan_add_events(plan, "imc/CAS_COUNT.RD/,imc/NOSUCH/"), PMON_E_UNKNOWN);
  assert_false(pmon_plan_event_selected(plan, 0));
  assert_int_equal(pmon_plan_add_events(plan, "imc/CAS_COUNT.RD/"), 0);
  assert_int_equal(pmon_plan_add_events(plan, "imc/CAS_COUNT.RD/,imc/NOSUCH/"), PMON_E_UNKNOWN);
  assert_true(pmon_plan_event_selected(plan, 0));
  pmon_plan_free(plan);
}

/* Adds metrics M0 to M299 to a list, from `first` on in steps of `step` (modulo 300), and `last`. */
static int add_many_metrics(struct pmon_plan *plan, unsigned first, unsigned step, const char *last)
{
  char list[300 * 40];
  size_t n = 0;
  for (unsigned i = 0, metric = first; i < 300; i++, metric = (metric + step) % 300)
    n += (size_t)snprintf(list + n, sizeof list - n, "%sM%u=imc/CAS_COUNT.RD + %u", i ? "," : "", metric, metric);
  snprintf(list + n, sizeof list - n, "%s", last);
  return pmon_plan_add_metrics(plan, list);
}

/* The metrics of a list that fails are no longer in the plan, so that the next list begins with the first number again;
 * a metric that is in the plan is not added twice. */
static void a_failed_list_leaves_no_metric(void **state)
{
  struct pmon_plan_metric_info info = {.size = sizeof info};
  struct pmon_plan *plan;
  char name[16];
  (void)state;
  assert_int_equal(pmon_plan_new(context, emr, &plan), 0);
  assert_int_equal(pmon_plan_add_metrics(plan, "FIRST=imc/CAS_COUNT.RD"), 0);
  assert_int_equal(add_many_metrics(plan, 0, 1, ",LAST=imc/NOSUCH"), PMON_E_UNKNOWN);
  assert_int_equal(pmon_plan_metric(plan, 1, &info), PMON_E_RANGE);
  for (unsigned again = 0; again < 2; again++)
    assert_int_equal(add_many_metrics(plan, 299, 7, ""), 0);
  for (uint32_t i = 0; i < 300; i++) {
    assert_int_equal(pmon_plan_metric(plan, 1 + i, &info), 0);
    snprintf(name, sizeof name, "M%u", (299 + 7 * i) % 300);
    assert_string_equal(info.name, name);
  }
  assert_int_equal(pmon_plan_metric(plan, 301, &info), PMON_E_RANGE);
  pmon_plan_free(plan);
}

static void a_failed_expansion_sets_no_length(void **state)
{
  size_t length = 77;
  (void)state;
  assert_int_equal(pmon_event_expand(emr, "imc/CAS_COUNT.RD/,CAZ_*", NULL, 0, &length), PMON_E_UNKNOWN);
  assert_int_equal(pmon_metric_expand(emr, "MEM_VOLUME,MEN_*", NULL, 0, &length), PMON_E_UNKNOWN);
  assert_int_equal(length, 77);
}

/* Whichever access of a start, run, read, stop or resume fails: nothing more is counted, since the state of the
 * counters is not known. Otherwise rates would be too low without a flag. */
static void a_failed_session_counts_no_more(void **state)
{
  struct pmon_plan *plan = scheduled_plan("imc/CAS_COUNT.RD/");
  uint64_t most = 1, steps[5] = {0};
  (void)state;
  for (uint64_t n = 0; n <= most; n++) {
    struct pmon_backend *faulty;
    struct pmon_session *s;
    struct pmon_value before, after;
    bool ended = false;
    fake_init(&fake, emr);
    fake.end_ns = UINT64_MAX;
    assert_int_equal(pmon_backend_inject_new(&fake.backend, n, &faulty), 0);
    int step = 0, status = pmon_session_new(plan, faulty, NULL, &s);
    if (status) {
      free(faulty); /* the wrapper alone */
      continue;
    }
    for (; !status && step < 5; step++)
      status = step == 0 || step == 4 ? pmon_session_start(s)
               : step == 1            ? pmon_session_run(s, 5000, &ended)
               : step == 2            ? pmon_session_read(s)
                                      : pmon_session_stop(s);
    if (status) {
      assert_int_equal(status, PMON_E_IO);
      steps[step - 1]++;
      const double seconds = pmon_session_seconds(s);
      assert_int_equal(pmon_session_event(s, 0, &everywhere, &before), 0);
      assert_int_equal(pmon_session_start(s), PMON_E_STATE);
      assert_int_equal(pmon_session_run(s, 20000, &ended), PMON_E_STATE);
      assert_int_equal(pmon_session_read(s), PMON_E_STATE);
      assert_int_equal(pmon_session_reset(s), PMON_E_STATE);
      assert_int_equal(pmon_session_stop(s), PMON_E_STATE);
      assert_int_equal(pmon_session_verify(s), PMON_E_STATE);
      assert_non_null(strstr(pmon_context_error(context), "close it"));
      assert_int_equal(pmon_session_event(s, 0, &everywhere, &after), 0);
      assert_memory_equal(&before, &after, sizeof before);
      assert_true(pmon_session_seconds(s) == seconds);
    }
    most = n ? most : pmon_backend_inject_accesses(faulty);
    assert_int_equal(pmon_session_close(s), 0);
    free(faulty);
  }
  for (int i = 0; i < 5; i++)
    assert_true(steps[i]);
  pmon_plan_free(plan);
}

/* A run until a time that has passed reads nothing, and returns whether the workload has ended. */
static void a_run_until_the_past(void **state)
{
  struct pmon_plan *plan = scheduled_plan("imc/CAS_COUNT.RD/");
  struct pmon_session *s;
  bool ended = true;
  (void)state;
  fake_init(&fake, emr);
  fake.end_ns = 20000;
  assert_int_equal(pmon_session_new(plan, &fake.backend, NULL, &s), 0);
  assert_int_equal(pmon_session_start(s), 0);
  assert_int_equal(pmon_session_run(s, 5000, &ended), 0);
  assert_int_equal(pmon_session_run(s, 1000, &ended), 0);
  assert_false(ended);
  assert_int_equal(pmon_session_run(s, UINT64_MAX, &ended), 0);
  ended = false;
  assert_int_equal(pmon_session_run(s, 1000, &ended), 0);
  assert_true(ended);
  assert_int_equal(pmon_session_close(s), 0);
  pmon_plan_free(plan);
}

static void a_sample_source_of_a_smaller_struct(void **state)
{
  struct pmon_sample_source source = {.size = offsetof(struct pmon_sample_source, value), .value = 77};
  (void)state;
  assert_int_equal(pmon_sample_source_parse(context, montecito, "dcache=16", &source), 0);
  assert_true(source.kind == PMON_SOURCE_DATA_CACHE && source.value == 77);
  assert_int_equal(source.size, offsetof(struct pmon_sample_source, value));
  source.size = 0;
  assert_int_equal(pmon_sample_source_parse(context, montecito, "dcache=16", &source), PMON_E_INVALID);
}

/* The text names the function that the caller called. */
static void options_without_a_size(void **state)
{
  struct pmon_plan *plan = scheduled_plan("imc/CAS_COUNT.RD/");
  struct pmon_session *s;
  (void)state;
  fake_init(&fake, emr);
  assert_int_equal(pmon_session_new(plan, &fake.backend, &(struct pmon_session_options){.size = 0}, &s),
                   PMON_E_INVALID);
  assert_non_null(strstr(pmon_context_error(context), "pmon_session_new"));
  pmon_plan_free(plan);
}

/* The same names mean other events on another platform. */
static void a_recording_with_the_tables_of_another_platform(void **state)
{
  char path[] = "/tmp/pmon-contract-XXXXXX";
  const int fd = mkstemp(path);
  struct pmon_plan *plan = scheduled_plan("imc/CAS_COUNT.RD/"), *recorded;
  struct pmon_session *s;
  struct pmon_record *record;
  struct pmon_recording *r;
  (void)state;
  assert_true(fd >= 0 && !close(fd));
  fake_init(&fake, emr);
  assert_int_equal(pmon_session_new(plan, &fake.backend, NULL, &s), 0);
  assert_int_equal(pmon_record_new(s, path, NULL, &record), 0);
  assert_int_equal(pmon_session_start(s), 0);
  assert_int_equal(pmon_record_add(record), 0);
  assert_int_equal(pmon_record_close(record), 0);
  assert_int_equal(pmon_session_close(s), 0);
  assert_int_equal(pmon_recording_open(context, path, &r), 0);
  assert_int_equal(pmon_recording_plan(r, snbep, NULL, NULL, &recorded), PMON_E_INVALID);
  assert_non_null(strstr(pmon_context_error(context), "of platform emr, not of snbep"));
  assert_int_equal(pmon_recording_plan(r, emr, NULL, NULL, &recorded), 0);
  pmon_plan_free(recorded);
  pmon_recording_close(r);
  pmon_plan_free(plan);
  unlink(path);
}

static int keep_text(void *user, const char *bytes, size_t n)
{
  char *text = user;
  strncat(text, bytes, n);
  return 0;
}

/* A text whose head has no platform and no backend has no separator in their place. */
static void text_of_a_report_without_a_head(void **state)
{
  struct pmon_report_head head = {.size = sizeof head, .seconds = 2};
  struct pmon_report *report;
  (void)state;
  for (uint32_t packages = 0; packages < 3; packages += 2) {
    char text[4000] = "";
    head.packages = packages;
    assert_int_equal(pmon_report_new(&head, &report), 0);
    assert_int_equal(pmon_report_format(report, PMON_FORMAT_TEXT, keep_text, text), 0);
    const char *const want = packages ? "2 sockets: 2" : "2";
    if (strncmp(text, want, strlen(want)) != 0)
      fail_msg("%s", text);
    pmon_report_free(report);
  }
}

/* JSON has no numbers that are not finite. */
static void json_of_numbers_that_are_not_finite(void **state)
{
  const struct pmon_report_head head = {.size = sizeof head};
  struct pmon_report_row row = {.size = sizeof row,
                                .name = "X",
                                .unit = "",
                                .package = PMON_ALL,
                                .instance = PMON_ALL,
                                .value = {.valid = true, .number = NAN, .low = -INFINITY, .high = INFINITY}};
  struct pmon_report *report;
  char text[4000] = "";
  (void)state;
  assert_int_equal(pmon_report_new(&head, &report), 0);
  assert_int_equal(pmon_report_add(report, &row), 0);
  assert_int_equal(pmon_report_format(report, PMON_FORMAT_JSON, keep_text, text), 0);
  assert_non_null(strstr(text, "\"value\":null"));
  assert_non_null(strstr(text, "\"low\":null,\"high\":null"));
  pmon_report_free(report);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_failed_list_selects_no_event),
      cmocka_unit_test(a_failed_list_leaves_no_metric),
      cmocka_unit_test(a_failed_expansion_sets_no_length),
      cmocka_unit_test(a_failed_session_counts_no_more),
      cmocka_unit_test(a_run_until_the_past),
      cmocka_unit_test(a_sample_source_of_a_smaller_struct),
      cmocka_unit_test(options_without_a_size),
      cmocka_unit_test(a_recording_with_the_tables_of_another_platform),
      cmocka_unit_test(text_of_a_report_without_a_head),
      cmocka_unit_test(json_of_numbers_that_are_not_finite),
  };
  return cmocka_run_group_tests(tests, contract_setup, contract_teardown);
}

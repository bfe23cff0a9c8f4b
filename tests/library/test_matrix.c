/* SPDX-License-Identifier: MIT */
/*
 * Reads a matrix by rows and by columns in the default view: reading by columns is slow and must look worse. Its miss
 * ratio is the smaller one, because each of its accesses reaches the last-level cache and most hit there; so the view
 * has to show the number of requests behind the ratio.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/machine.h>
#include <pmon/pmon.h>

enum { SIDE = 1024, ELEMENT = 8 };

struct walk {
  bool by_columns;
  uint32_t at, end;
};

static uint32_t walk_on(void *user, uint32_t thread, struct pmon_machine_access *accesses, uint32_t n)
{
  struct walk *w = user;
  uint32_t i = 0;
  (void)thread;
  for (; i < n && w->at < w->end; i++, w->at++) {
    const uint64_t row = w->by_columns ? w->at % SIDE : w->at / SIDE,
                   column = w->by_columns ? w->at / SIDE : w->at % SIDE;
    accesses[i] = (struct pmon_machine_access){.address = (UINT64_C(1) << 32) + (row * SIDE + column) * ELEMENT,
                                               .size_bytes = ELEMENT};
  }
  return i;
}

struct view {
  struct pmon_report *report;
  double seconds;
  char text[8192];
  size_t length;
};

static int view_take(void *user, const char *bytes, size_t n)
{
  struct view *v = user;
  assert_true(v->length + n < sizeof v->text);
  memcpy(v->text + v->length, bytes, n);
  v->length += n;
  v->text[v->length] = 0;
  return 0;
}

static void view_measure(const char *platform, struct walk walk, struct view *v)
{
  const struct pmon_machine_options options = {.size = sizeof options,
                                               .platform = platform,
                                               .settings = "sockets=1 prefetch=off",
                                               .feed = walk_on,
                                               .feed_user = &walk};
  struct pmon_machine *machine = NULL;
  struct pmon_backend *backend = NULL;
  struct pmon_context *context = NULL;
  const struct pmon_platform *p;
  struct pmon_plan *plan = NULL;
  struct pmon_session *session = NULL;
  bool ended = false;
  *v = (struct view){0};
  assert_int_equal(pmon_machine_new(&options, NULL, &machine), 0);
  assert_int_equal(pmon_machine_backend(machine, &backend), 0);
  assert_int_equal(pmon_context_new(&context), 0);
  assert_int_equal(pmon_platform_find(context, platform, &p), 0);
  assert_int_equal(pmon_plan_new(context, p, &plan), 0);
  assert_int_equal(pmon_plan_add_default_metrics(plan), 0);
  assert_int_equal(pmon_plan_schedule(plan), 0);
  assert_int_equal(pmon_session_new(plan, backend, NULL, &session), 0);
  assert_int_equal(pmon_session_start(session), 0);
  assert_int_equal(pmon_session_run(session, UINT64_MAX, &ended), 0);
  assert_int_equal(pmon_session_stop(session), 0);
  v->seconds = pmon_session_seconds(session);
  const struct pmon_report_head head = {
      .size = sizeof head, .platform = platform, .seconds = v->seconds, .columns = 80};
  assert_int_equal(pmon_report_new(&head, &v->report), 0);
  assert_int_equal(pmon_report_add_session(v->report, session, plan, PMON_IN_TOTAL), 0);
  assert_int_equal(pmon_report_format(v->report, PMON_FORMAT_TEXT, view_take, v), 0);
  assert_int_equal(pmon_session_close(session), 0);
  pmon_plan_free(plan);
  pmon_context_free(context);
  pmon_backend_close(backend);
  pmon_machine_free(machine);
}

static double view_value(const struct view *v, const char *name, double *ret_base)
{
  struct pmon_report_row row = {.size = sizeof row};
  for (uint32_t i = 0; !pmon_report_get(v->report, i, &row); i++)
    if (!strcmp(row.name, name)) {
      assert_true(row.value.valid);
      if (ret_base)
        *ret_base = row.base;
      return row.value.number;
    }
  fail_msg("%s is not in the default view:\n%s", name, v->text);
  return 0;
}

static void compare_walks(const char *platform, const char *requests, const char *ratio, const char *label)
{
  struct view rows, columns;
  double few, many;
  view_measure(platform, (struct walk){.end = SIDE * SIDE}, &rows);
  view_measure(platform, (struct walk){.by_columns = true, .end = SIDE * SIDE}, &columns);
  printf("%s by rows:\n%s\n%s by columns:\n%s\n", platform, rows.text, platform, columns.text);
  assert_true(columns.seconds > 2 * rows.seconds);
  assert_true(view_value(&columns, ratio, &many) < view_value(&rows, ratio, &few));
  assert_true(view_value(&columns, requests, NULL) > 4 * view_value(&rows, requests, NULL));
  assert_true(many == view_value(&columns, requests, NULL));
  assert_true(few == view_value(&rows, requests, NULL));
  assert_true(view_value(&columns, "MEM_VOLUME", NULL) > 0.9 * view_value(&rows, "MEM_VOLUME", NULL));
  assert_non_null(strstr(columns.text, label));
  pmon_report_free(rows.report);
  pmon_report_free(columns.report);
}

static void columns_look_worse_than_rows(void **state)
{
  (void)state;
  compare_walks("emr", "LLC_REQUESTS", "LLC_MISS_RATIO", "LLC_MISS_RATIO of requests");
  compare_walks("snbep", "LLC_DATA_READS", "LLC_DRD_MISS_RATIO", "LLC_DRD_MISS_RATIO of data reads");
}

/* A ratio with few requests is marked. */
static void few_requests_are_noted(void **state)
{
  struct view few, many;
  (void)state;
  view_measure("emr", (struct walk){.end = 200}, &few);
  view_measure("emr", (struct walk){.end = 20000}, &many);
  assert_non_null(strstr(few.text, "a ratio of fewer than 100 counts: judge it by the counts"));
  assert_null(strstr(many.text, "a ratio of fewer than 100"));
  pmon_report_free(few.report);
  pmon_report_free(many.report);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_look_worse_than_rows),
      cmocka_unit_test(few_requests_are_noted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

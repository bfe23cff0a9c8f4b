/* SPDX-License-Identifier: MIT */
/* A 32-bit counter that wraps: the served total never decreases. The exporter requests only the rows that it serves
 * from an interval's report; their values equal those among all rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/exporter/exporter.h"
#include "machine/machine.h"
#include "machine/pmon/save.h"
#include "tests/engine/rig.h"

#define REST "set cores=4 chas=4 imcs=1 upi.links=1 iio.stacks=1\nthread 0 on core 0: sleep 100ms\n"
#define TOTAL "\npmon_events_total{socket=\"1\",event=\"rapl/PKG_ENERGY/\""

enum { INTERVAL_NS = 10000000, INTERVALS = 10 };

/* Returns the value of the first series that begins with the text; -1: none. */
static double total_in(const char *text)
{
  const char *at = strstr(text, TOTAL);
  at = at ? strchr(at, '}') : NULL;
  return at ? strtod(at + 1, NULL) : -1;
}

static void totals_pass_the_end_of_a_counter(void **state)
{
  const struct pmon_address energy = {.package = 1, .space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x611};
  const struct pmon_report_head head = {.size = sizeof head, .platform = "emr", .packages = 3};
  struct exporter_totals t = {.platform = "emr", .backend = "machine", .machine = "", .package = "socket"};
  struct pmon_backend *b;
  uint64_t before = 0, after = 0;
  double last = 0;
  (void)state;
  struct machine *m = rig_busy(REST, &b);
  ok(machine_register_load(m, &energy, UINT32_MAX - 1000));
  ok(b->ops->read(b, &energy, &before));
  struct pmon_plan *plan = rig_plan(emr, "rapl/PKG_ENERGY/", NULL);
  struct pmon_session *s;
  ok(pmon_session_new(plan, b, NULL, &s));
  ok(pmon_session_start(s));
  for (unsigned k = 0; k < INTERVALS; k++) {
    struct pmon_report *report;
    bool ended;
    size_t size;
    pmon_session_mark(s);
    ok(pmon_session_run(s, pmon_session_now_ns(s) + INTERVAL_NS, &ended));
    ok(pmon_report_new(&head, &report));
    ok(pmon_report_add_session(report, s, plan, PMON_BY_PACKAGE | PMON_BY_INSTANCE));
    assert_true(totals_add(&t, report, INTERVAL_NS * 1e-9, 0));
    pmon_report_free(report);
    char *text = exporter_format(&t, EXPORTER_PROMETHEUS, &size);
    const double now = total_in(text);
    assert_true(now > last);
    last = now;
    free(text);
  }
  ok(b->ops->read(b, &energy, &after));
  assert_int_equal(before, UINT32_MAX - 1000);
  assert_true(after < before);
  assert_true(fabs(last - 9) < 0.1); /* in joules: 90 W idle, for a tenth of a second */
  totals_fini(&t);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
  pmon_backend_close(b);
  machine_free(m);
}

static struct pmon_report *report_of(struct pmon_session *s, struct pmon_plan *plan,
                                     const struct pmon_report_filter *wanted)
{
  const struct pmon_report_head head = {.size = sizeof head, .platform = "emr", .packages = 3};
  struct pmon_report *report;
  ok(pmon_report_new(&head, &report));
  ok(pmon_report_add_session_rows(report, s, plan, PMON_BY_PACKAGE | PMON_BY_INSTANCE, wanted));
  return report;
}

static bool same_value(const struct pmon_value *a, const struct pmon_value *b)
{
  return a->number == b->number && a->sigma == b->sigma && a->valid == b->valid && a->flags == b->flags &&
         !strcmp(a->reason, b->reason);
}

static void an_interval_has_the_rows_that_are_served(void **state)
{
  struct pmon_report_row full = {.size = sizeof full}, row = {.size = sizeof row};
  struct exporter_totals t = {.platform = "emr", .backend = "machine", .machine = "", .package = "socket"};
  const struct pmon_report_filter wanted = {sizeof wanted, exporter_wants, &t};
  struct pmon_backend *b;
  struct pmon_session *s;
  bool ended;
  uint32_t n = 0, all = 0;
  (void)state;
  struct machine *m = rig_busy(REST, &b);
  /* By channel; by socket although its unit has instances; and events by instance. */
  struct pmon_plan *plan = rig_plan(emr, "cha/CLOCKTICKS/", "MEM_READ_BANDWIDTH,LLC_MISS_RATE,UNCORE_FREQUENCY");
  ok(pmon_session_new(plan, b, NULL, &s));
  ok(pmon_session_start(s));
  ok(pmon_session_run(s, pmon_session_now_ns(s) + INTERVAL_NS, &ended));
  struct pmon_report *every = report_of(s, plan, NULL), *served = report_of(s, plan, &wanted);
  for (; !pmon_report_get(every, all, &full); all++) {
    if (!exporter_wants(&t, &full))
      continue;
    ok(pmon_report_get(served, n++, &row));
    assert_string_equal(row.name, full.name);
    assert_int_equal(row.package, full.package);
    assert_int_equal(row.instance, full.instance);
    assert_true(same_value(&row.value, &full.value));
  }
  assert_int_equal(pmon_report_get(served, n, &row), PMON_E_RANGE);
  assert_true(n < all);
  assert_true(totals_add(&t, served, INTERVAL_NS * 1e-9, 0));
  assert_int_equal(t.n, n);
  totals_fini(&t);
  pmon_report_free(every);
  pmon_report_free(served);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
  pmon_backend_close(b);
  machine_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(totals_pass_the_end_of_a_counter),
                                     cmocka_unit_test(an_interval_has_the_rows_that_are_served)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

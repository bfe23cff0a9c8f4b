/* SPDX-License-Identifier: MIT */
/* Values in bytes: an amount adds up over the intervals; a level, such as that of a cache, is the last interval's. */
#include <stdlib.h>
#include <string.h>
#include "cli/exporter/exporter.h"
#include "tests/engine/base.h"

/* Adds an interval in which both names have this value, and returns the text of all series; the caller frees it. */
static char *interval_serve(struct exporter_totals *t, double value)
{
  static const char *const names[] = {"L3_OCCUPANCY", "resctrl/LLC_OCCUPANCY/", "MEM_VOLUME"};
  const struct pmon_report_head head = {.size = sizeof head, .platform = "emr", .packages = 1};
  struct pmon_report *report;
  size_t size;
  ok(pmon_report_new(&head, &report));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const struct pmon_report_row row = {.size = sizeof row,
                                        .name = names[i],
                                        .unit = "bytes",
                                        .instance = PMON_ALL,
                                        .value = {.number = value, .low = value, .high = value, .valid = true}};
    ok(pmon_report_add(report, &row));
  }
  assert_true(totals_add(t, report, 1, 0));
  pmon_report_free(report);
  char *text = exporter_format(t, EXPORTER_PROMETHEUS, &size);
  assert_non_null(text);
  return text;
}

static void levels_are_gauges(void **state)
{
  static const char *const lines[] = {
      "# TYPE pmon_l3_occupancy_bytes gauge\npmon_l3_occupancy_bytes{socket=\"0\"} 3000\n",
      "# TYPE pmon_llc_occupancy_bytes gauge\npmon_llc_occupancy_bytes{socket=\"0\"} 3000\n",
      "# TYPE pmon_events_total counter\npmon_events_total{socket=\"0\",event=\"MEM_VOLUME\"} 8000\n"};
  struct exporter_totals t = {.platform = "emr", .backend = "fake", .machine = "", .package = "socket"};
  (void)state;
  free(interval_serve(&t, 5000));
  char *text = interval_serve(&t, 3000);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    if (!strstr(text, lines[i]))
      fail_msg("not served: %s", lines[i]);
  free(text);
  totals_fini(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(levels_are_gauges)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

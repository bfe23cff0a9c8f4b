/* SPDX-License-Identifier: MIT */
/* The format of /metrics that a client gets, by its header Accept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "cli/exporter/network.h"

static const struct {
  const char *accept;
  bool openmetrics;
} cases[] = {
    {NULL, false},
    {"", false},
    {"*/*", false},
    {"text/plain", false},
    {"application/json", false},
    {"application/openmetrics-text", true},
    {"APPLICATION/OpenMetrics-Text ; Version=1.0.0", true},
    /* Prometheus 2.42 */
    {"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
     "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
     true},
    /* Prometheus 3 */
    {"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
     "text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
     true},
    {"application/openmetrics-text; version=\"1.0.0\"; q=0.9, text/plain; q=0.8", true},
    /* The client prefers the other format, or excludes this one. */
    {"application/openmetrics-text;q=0.5,text/plain", false},
    {"application/openmetrics-text;q=0,*/*;q=0.1", false},
    {"application/openmetrics-text;q=0.000", false},
    {"text/plain;q=0.751, application/openmetrics-text;q=0.75", false},
    {"text/*;q=0.9, application/openmetrics-text;q=0.8", false},
    {"*/*, application/openmetrics-text;q=0.8", false},
    /* A range that names text/plain itself takes precedence for it, wherever it is in the list. */
    {"text/plain;q=0.2, text/*;q=0.9, application/openmetrics-text;q=0.5", true},
    {"*/*;q=1, application/openmetrics-text;q=0.5, text/plain;q=0.4", true},
    {"text/plain;version=0.0.4;q=0.1, text/plain;q=0.6, application/openmetrics-text;q=0.5", false},
    /* An unsupported version. */
    {"application/openmetrics-text;version=2.0.0", false},
    {"application/openmetrics-text;version=0.0.1;q=0.75,text/plain;q=0.5", false},
    /* Malformed elements and parameters. */
    {";;;,,,;q=1,application/openmetrics-text", true},
    {"application/openmetrics-text;q=", false},
    {"application/openmetrics-text;q=9", false},
    {"application/openmetrics-text;q=1.9,text/plain", true},
    {"application/openmetrics-textual", false},
    {"x-application/openmetrics-text", false},
};

static void the_text_that_is_preferred(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (exporter_accepts_openmetrics(cases[i].accept) != cases[i].openmetrics)
      fail_msg("%s: expected %s", cases[i].accept ? cases[i].accept : "no header",
               cases[i].openmetrics ? "OpenMetrics" : "Prometheus' text");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_text_that_is_preferred)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

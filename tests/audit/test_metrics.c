/* SPDX-License-Identifier: MIT */
/*
 * Double entry of derived metrics: compares the name and equation of each metric in the guides' tables with the fact
 * files' `printed` line or, without one, their equation. Blanks and outer parentheses are ignored.
 * data/audit/metrics-differences.tsv has the differences.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include "tests/audit/explain.h"
#include "tests/audit/table.h"

#define TEXT 2048

struct audit {
  struct pmon_context *context;
  struct explain explain;
  unsigned compared;
};

/* Copies the text in lower case, without blanks, and without a pair of parentheses around the whole. */
static void squeeze(const char *text, char *out)
{
  size_t n = 0;
  for (; *text && n + 1 < TEXT; text++)
    if (!isspace((unsigned char)*text))
      out[n++] = (char)tolower((unsigned char)*text);
  out[n] = '\0';
  int depth = 0;
  for (size_t i = 0; i < n; i++) {
    depth += (out[i] == '(') - (out[i] == ')');
    if (!depth && i + 1 < n)
      return;
  }
  if (n > 1 && *out == '(') {
    memmove(out, out + 1, n - 2);
    out[n - 2] = '\0';
  }
}

/* Finds the metric by unit and name. */
static bool metrics_find(const struct pmon_platform *platform, const char *unit, const char *name,
                         struct pmon_metric_info *m)
{
  m->size = sizeof *m;
  for (uint32_t i = 0; !pmon_metric_describe(platform, i, m); i++)
    if (!strcmp(m->unit, unit) && !strcasecmp(m->name, name))
      return true;
  return false;
}

static void metrics_compare(struct audit *a, const char *platform_name)
{
  const struct pmon_platform *platform;
  struct table t;
  char path[1024];
  snprintf(path, sizeof path, "%s/%s-metrics.tsv", AUDIT_DIR, platform_name);
  assert_int_equal(table_read(path, &t), 0);
  assert_int_equal(pmon_platform_find(a->context, platform_name, &platform), 0);
  for (size_t i = 0; i < t.n_rows; i++) {
    const char *place[3] = {platform_name, table_cell(&t, i, "unit"), table_cell(&t, i, "metric")};
    const char *equation = table_cell(&t, i, "equation");
    struct pmon_metric_info m;
    char printed[TEXT], own[TEXT];
    a->compared++;
    if (!metrics_find(platform, place[1], place[2], &m)) {
      explain_difference(&a->explain, place, "missing");
      continue;
    }
    squeeze(equation, printed);
    squeeze(*m.printed ? m.printed : m.equation, own);
    if (strcmp(printed, own))
      explain_difference(&a->explain, place, *equation ? "equation" : "equation not printed");
  }
  struct pmon_metric_info m = {.size = sizeof m};
  for (uint32_t i = 0; !pmon_metric_describe(platform, i, &m); i++) {
    bool met = false;
    for (size_t r = 0; r < t.n_rows && !met; r++)
      met = !strcmp(table_cell(&t, r, "unit"), m.unit) && !strcasecmp(table_cell(&t, r, "metric"), m.name);
    if (!met)
      explain_difference(&a->explain, (const char *const[3]){platform_name, m.unit, m.name}, "extra");
  }
  table_free(&t);
}

static void metrics_equal_the_tables(void **state)
{
  (void)state;
  static struct audit a;
  assert_int_equal(pmon_context_new(&a.context), 0);
  assert_int_equal(explain_open(&a.explain, "metrics-differences.tsv"), 0);
  static const char *const platforms[] = {"emr", "snbep", "montecito"};
  for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++)
    metrics_compare(&a, platforms[i]);
  print_message("%u metrics\n", a.compared);
  assert_int_equal(a.explain.unexplained, 0);
  assert_int_equal(explain_stale(&a.explain), 0);
  explain_close(&a.explain);
  pmon_context_free(a.context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(metrics_equal_the_tables)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

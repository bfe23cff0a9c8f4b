/* SPDX-License-Identifier: MIT */
/*
 * The library in a program whose locale has a decimal comma and other lower-case letters: equations, scales, reports
 * and messages are as in the C locale. The environment selects the locale.
 */
#include <ftw.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include <pmon/pmon.h>

static struct pmon_context *context;
static const struct pmon_platform *emr;

static int locale_setup(void **state)
{
  (void)state;
  return pmon_context_new(&context) || pmon_platform_find(context, "emr", &emr);
}

static int locale_teardown(void **state)
{
  (void)state;
  pmon_context_free(context);
  return 0;
}

static void equations_have_points(void **state)
{
  static const char *const good[] = {"a=0.25*imc/CAS_COUNT.RD", "b=1.5e-3+iMc/CAS_count.rd*.5",
                                     "c=Round(2.5*cha/TOR_INSERTS.IA_MISS_WIL,1)", "LLC_DRD_MISS_RATIO",
                                     "llc_drd_miss_ratio"};
  (void)state;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    struct pmon_plan *plan;
    assert_int_equal(pmon_plan_new(context, emr, &plan), 0);
    if (pmon_plan_add_metrics(plan, good[i]))
      fail_msg("%s: %s", good[i], pmon_context_error(context));
    pmon_plan_free(plan);
  }
}

static int locale_take(void *user, const char *bytes, size_t n)
{
  strncat(user, bytes, n);
  return 0;
}

static void reports_have_points(void **state)
{
  static const char *const expected[] = {[PMON_FORMAT_TEXT] = "0.3750",
                                         [PMON_FORMAT_CSV] = ",0.375,",
                                         [PMON_FORMAT_CSV_HEADER] = "begin_seconds",
                                         [PMON_FORMAT_JSON] = "\"value\":0.375,"};
  (void)state;
  for (int format = PMON_FORMAT_TEXT; format <= PMON_FORMAT_JSON; format++) {
    static char text[8192];
    struct pmon_report_head head = {.size = sizeof head, .seconds = 0.5, .end_seconds = 1.5};
    struct pmon_report_row row = {.size = sizeof row,
                                  .name = "X",
                                  .unit = "",
                                  .package = PMON_ALL,
                                  .instance = PMON_ALL,
                                  .value = {.valid = true, .number = 0.375, .low = 0.25, .high = 0.5, .fraction = 1}};
    struct pmon_report *r;
    *text = 0;
    assert_int_equal(pmon_report_new(&head, &r), 0);
    assert_int_equal(pmon_report_add(r, &row), 0);
    assert_int_equal(pmon_report_format(r, (enum pmon_format)format, locale_take, text), 0);
    if (!strstr(text, expected[format]))
      fail_msg("%s lacks %s", text, expected[format]);
    if (strstr(text, "0,5") || strstr(text, "0,375"))
      fail_msg("%s", text);
    pmon_report_free(r);
  }
}

static void locale_write_file(const char *root, const char *name, const char *text)
{
  char path[400];
  snprintf(path, sizeof path, "%s%s", root, name);
  for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
    *slash = 0;
    mkdir(path, 0700);
  }
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  assert_int_equal(fclose(f), 0);
}

static int locale_remove(const char *path, const struct stat *st, int kind, struct FTW *at)
{
  (void)st, (void)kind, (void)at;
  return remove(path);
}

static void kernel_scales_have_points(void **state)
{
  char root[] = "/tmp/pmon-locale-XXXXXX";
  struct pmon_kernel_event event = {.size = sizeof event};
  struct pmon_system system = {.size = sizeof system, .end_fd = -1};
  (void)state;
  assert_non_null(mkdtemp(root));
  locale_write_file(root, "/bus/event_source/devices/uncore_imc/type", "9\n");
  locale_write_file(root, "/bus/event_source/devices/uncore_imc/cpumask", "0\n");
  locale_write_file(root, "/bus/event_source/devices/uncore_imc/events/x", "event=0x1\n");
  locale_write_file(root, "/bus/event_source/devices/uncore_imc/events/x.scale", "6.103515625e-5\n");
  locale_write_file(root, "/bus/event_source/devices/uncore_imc/events/x.unit", "MiB\n");
  system.sys = root;
  assert_int_equal(pmon_kernel_event_find(&system, "uncore_imc", "x", &event), 0);
  assert_true(event.scale == 6.103515625e-5);
  assert_int_equal(nftw(root, locale_remove, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void messages_have_points(void **state)
{
  struct pmon_plan *plan;
  (void)state;
  assert_int_equal(pmon_plan_new(context, emr, &plan), 0);
  assert_int_equal(pmon_plan_add_events(plan, "cha/CLOCKTICKS/"), 0);
  assert_int_equal(pmon_plan_set_scale(plan, 0, -0.5, ""), PMON_E_RANGE);
  assert_non_null(strstr(pmon_context_error(context), "-0.5"));
  pmon_plan_free(plan);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(equations_have_points), cmocka_unit_test(reports_have_points),
                                     cmocka_unit_test(kernel_scales_have_points),
                                     cmocka_unit_test(messages_have_points)};
  if (!setlocale(LC_ALL, "") || strcmp(localeconv()->decimal_point, ",")) {
    fputs("the locale of the environment has no comma in its numbers\n", stderr);
    return 1;
  }
  return cmocka_run_group_tests(tests, locale_setup, locale_teardown);
}

/* SPDX-License-Identifier: MIT */
/*
 * Compares Intel's public event files with pmon: each name, in the files' spelling, selects the same code, umask and
 * extension on the same counters. data/audit/files-differences.tsv has the differences with verdicts. The test needs no
 * event file: data/audit/PLATFORM-files.tsv has their names and codes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "tests/audit/event_files.h"
#include "tests/audit/explain.h"

static void files_compare(struct explain *explain, const char *name)
{
  struct pmon_context *context;
  const struct pmon_platform *platform;
  struct table files;
  char path[1024];
  size_t classes[EVENT_FILE_CLASSES] = {0};
  snprintf(path, sizeof path, "%s/%s-files.tsv", AUDIT_DIR, name);
  assert_int_equal(table_read(path, &files), 0);
  assert_int_equal(pmon_context_new(&context), 0);
  assert_int_equal(pmon_platform_find(context, name, &platform), 0);
  for (size_t i = 0; i < files.n_rows; i++) {
    char what[256];
    const char *place[3] = {name, table_cell(&files, i, "unit"), table_cell(&files, i, "name")};
    enum event_file_class class = event_file_compare(context, platform, &files, i, what);
    classes[class]++;
    if (class != EVENT_FILE_SAME && class != EVENT_FILE_LISTED)
      explain_difference(explain, place, what);
  }
  print_message("%s: %zu names, %zu the same\n", name, files.n_rows, classes[EVENT_FILE_SAME]);
  assert_true(classes[EVENT_FILE_SAME] > files.n_rows / 2);
  pmon_context_free(context);
  table_free(&files);
}

static void names_of_event_files_select_the_same(void **state)
{
  (void)state;
  struct explain explain;
  assert_int_equal(explain_open(&explain, "files-differences.tsv"), 0);
  files_compare(&explain, "emr");
  files_compare(&explain, "snbep");
  files_compare(&explain, "spr");
  assert_int_equal(explain.unexplained, 0);
  assert_int_equal(explain_stale(&explain), 0);
  explain_close(&explain);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_of_event_files_select_the_same)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

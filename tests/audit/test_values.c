/* SPDX-License-Identifier: MIT */
/*
 * Double entry of the names of values: compares opcodes and packet classes with tables extracted from the guides' text,
 * in both directions. data/audit/values-differences.tsv has the differences.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <cmocka.h>
#include "src/facts/db.h"
#include "src/facts/index.h"
#include "tests/audit/explain.h"
#include "tests/audit/table.h"

static const struct db *const db = &db_builtin;

static const struct db_values *values_of(const char *platform, const char *name)
{
  const struct db_platform *p = &db->platforms[db_find_platform(db, platform, strlen(platform))];
  for (uint32_t i = p->values.first; i < p->values.first + p->values.n; i++)
    if (!strcmp(db_text(db, db->values[i].name), name))
      return &db->values[i];
  return NULL;
}

/* True if the table has a row with this name and value in this list. */
static bool printed(const struct table *t, const char *list, const struct db_value *v)
{
  for (size_t i = 0; i < t->n_rows; i++)
    if (!strcmp(table_cell(t, i, "list"), list) && !strcasecmp(table_cell(t, i, "name"), db_text(db, v->name)) &&
        strtoull(table_cell(t, i, "value"), NULL, 0) == v->value)
      return true;
  return false;
}

static void compare_row(struct explain *explain, const struct table *t, size_t row, const char *platform)
{
  const char *place[3] = {platform, table_cell(t, row, "list"), table_cell(t, row, "name")};
  const struct db_values *list = values_of(platform, place[1]);
  uint64_t value = strtoull(table_cell(t, row, "value"), NULL, 0);
  char what[64];
  assert_non_null(list);
  for (uint32_t i = list->rows.first; i < list->rows.first + list->rows.n; i++)
    if (!strcasecmp(db_text(db, db->value_rows[i].name), place[2]) && db->value_rows[i].value == value)
      return;
  snprintf(what, sizeof what, "0x%" PRIx64 " missing", value);
  explain_difference(explain, place, what);
}

static void values_compare(struct explain *explain, const char *platform)
{
  struct table t;
  char path[1024], what[64];
  snprintf(path, sizeof path, "%s/%s-values.tsv", AUDIT_DIR, platform);
  assert_int_equal(table_read(path, &t), 0);
  for (size_t r = 0; r < t.n_rows; r++) {
    const char *list = table_cell(&t, r, "list");
    compare_row(explain, &t, r, platform);
    bool seen = false;
    for (size_t before = 0; before < r; before++)
      seen = seen || !strcmp(table_cell(&t, before, "list"), list);
    const struct db_values *own = seen ? NULL : values_of(platform, list);
    for (uint32_t i = own ? own->rows.first : 0; own && i < own->rows.first + own->rows.n; i++) {
      snprintf(what, sizeof what, "0x%" PRIx64 " extra", db->value_rows[i].value);
      if (!printed(&t, list, &db->value_rows[i]))
        explain_difference(explain, (const char *const[3]){platform, list, db_text(db, db->value_rows[i].name)}, what);
    }
  }
  print_message("%s: %zu names of values\n", platform, t.n_rows);
  table_free(&t);
}

static void values_equal_the_tables(void **state)
{
  (void)state;
  struct explain explain;
  assert_int_equal(explain_open(&explain, "values-differences.tsv"), 0);
  values_compare(&explain, "emr");
  values_compare(&explain, "snbep");
  assert_int_equal(explain.unexplained, 0);
  assert_int_equal(explain_stale(&explain), 0);
  explain_close(&explain);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(values_equal_the_tables)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

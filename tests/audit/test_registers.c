/* SPDX-License-Identifier: MIT */
/*
 * Double entry of registers: where each one stands and the fields of each layout, against tables that emr_registers.py
 * read out of the guide's text, both ways. Differences must stand in data/audit/emr-register-differences.tsv.
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
#include <pmon/pmon.h>
#include "src/facts/db.h"
#include "src/facts/index.h"
#include "tests/audit/explain.h"
#include "tests/audit/table.h"

#define TEXT 128

struct audit {
  struct pmon_context *context;
  const struct pmon_platform *platform;
  struct table addresses, fields;
  struct explain explain;
};

static void differ(struct audit *a, const char *where, const char *name, const char *what)
{
  explain_difference(&a->explain, (const char *const[2]){ where, name }, what);
}

/* One register of one instance, by what both sides call it: its role and number, or its name. */
struct place { const char *unit; uint32_t instance; char role[TEXT], name[TEXT], address[TEXT]; };

typedef void visit_fn(struct audit *a, const struct place *place);

static void each_register(struct audit *a, uint32_t unit, visit_fn *visit)
{
  struct pmon_unit_info u = { .size = sizeof u };
  struct pmon_register_info r = { .size = sizeof r };
  assert_int_equal(pmon_unit_describe(a->platform, unit, &u), 0);
  struct pmon_register_id id = { .unit = unit };
  for (; id.reg < u.registers; id.reg++) {
    assert_int_equal(pmon_register_describe(a->platform, unit, id.reg, &r), 0);
    for (id.instance = 0; id.instance < u.instances; id.instance++)
      for (id.index = 0; id.index < r.count; id.index++) {
        struct place place = { .unit = u.name, .instance = id.instance };
        struct pmon_address address;
        bool one = r.role == PMON_ROLE_UNIT_CTL || r.role == PMON_ROLE_UNIT_STATUS;
        if (one)
          snprintf(place.role, sizeof place.role, "%s", pmon_role_name(r.role));
        else
          snprintf(place.role, sizeof place.role, "%s%" PRIu32, pmon_role_name(r.role), r.index + id.index);
        snprintf(place.name, sizeof place.name, "%s", r.name);
        assert_int_equal(pmon_register_address(a->platform, &id, &address), 0);
        pmon_address_format(&address, place.address, sizeof place.address);
        visit(a, &place);
      }
  }
}

/* The row of a register, -1 when the guide's tables lack it. */
static long row_of(const struct audit *a, const struct place *p)
{
  for (size_t i = 0; i < a->addresses.n_rows; i++) {
    const char *name = table_cell(&a->addresses, i, "register");
    if (!strcmp(table_cell(&a->addresses, i, "unit"), p->unit) &&
        (uint32_t)atoi(table_cell(&a->addresses, i, "instance")) == p->instance &&
        (!strcmp(name, p->role) || !strcmp(name, p->name)))
      return (long)i;
  }
  return -1;
}

static void compare_address(struct audit *a, const struct place *p)
{
  long row = row_of(a, p);
  if (row < 0) {
    differ(a, p->unit, p->name, "address not printed");
    return;
  }
  const char *printed = table_cell(&a->addresses, (size_t)row, "address");
  char what[2 * TEXT + 8];
  a->addresses.row[row].line = 0;                       /* met */
  snprintf(what, sizeof what, "%s -> %s", printed, p->address);
  if (strcmp(printed, p->address))
    differ(a, p->unit, p->name, what);
}

static void addresses_are_those_of_the_tables(void **state)
{
  struct audit *a = *state;
  struct pmon_platform_info info = { .size = sizeof info };
  assert_int_equal(pmon_platform_describe(a->platform, &info), 0);
  for (uint32_t u = 0; u < info.units; u++)
    each_register(a, u, compare_address);
  for (size_t i = 0; i < a->addresses.n_rows; i++)
    if (a->addresses.row[i].line)
      differ(a, table_cell(&a->addresses, i, "unit"), table_cell(&a->addresses, i, "register"), "missing");
  print_message("%zu addresses\n", a->addresses.n_rows);
  assert_int_equal(a->explain.unexplained, 0);
}

static const struct db_layout *layout_of(const char *name)
{
  const struct db *db = &db_builtin;
  const struct db_platform *p = &db->platforms[db_find_platform(db, "emr", 3)];
  for (uint32_t i = p->layouts.first; i < p->layouts.first + p->layouts.n; i++)
    if (!strcmp(db_text(db, db->layouts[i].name), name))
      return &db->layouts[i];
  return NULL;
}

static bool printed_as(const struct audit *a, size_t row, const struct db_field *f)
{
  return (unsigned)atoi(table_cell(&a->fields, row, "hi")) == f->hi &&
         (unsigned)atoi(table_cell(&a->fields, row, "lo")) == f->lo;
}

static void compare_field(struct audit *a, size_t row, const struct db_layout *layout)
{
  static const char *const access[] = { "rw", "ro", "wo", "w1c", "w1s", "rsvd", "ign" };
  const struct db *db = &db_builtin;
  const char *where = table_cell(&a->fields, row, "layout"), *name = table_cell(&a->fields, row, "field");
  for (uint32_t i = layout->fields.first; i < layout->fields.first + layout->fields.n; i++) {
    const struct db_field *f = &db->fields[i];
    if (!printed_as(a, row, f))
      continue;
    const char *own = db_text(db, f->name), *kind = table_cell(&a->fields, row, "access");
    char what[TEXT];
    snprintf(what, sizeof what, "name %s -> %s", name, own);
    if (strcasecmp(name, own) && !(!strcmp(own, "-") && (!strcmp(name, "rsv") || !strcmp(name, "ig"))))
      differ(a, where, name, what);
    snprintf(what, sizeof what, "access %s -> %s", kind, access[f->access]);
    if (strcmp(kind, access[f->access]))
      differ(a, where, name, what);
    snprintf(what, sizeof what, "reset %s -> 0x%" PRIx64, table_cell(&a->fields, row, "reset"), f->reset);
    if (strtoull(table_cell(&a->fields, row, "reset"), NULL, 0) != f->reset)
      differ(a, where, name, what);
    return;
  }
  char what[TEXT];
  snprintf(what, sizeof what, "bits %s:%s missing", table_cell(&a->fields, row, "hi"),
           table_cell(&a->fields, row, "lo"));
  differ(a, where, name, what);
}

static void fields_are_those_of_the_tables(void **state)
{
  struct audit *a = *state;
  const struct db *db = &db_builtin;
  for (size_t i = 0; i < a->fields.n_rows; i++) {
    const char *name = table_cell(&a->fields, i, "layout");
    const struct db_layout *layout = layout_of(name);
    if (!layout) {
      differ(a, name, table_cell(&a->fields, i, "field"), "no such layout");
      continue;
    }
    compare_field(a, i, layout);
    if (i && !strcmp(table_cell(&a->fields, i - 1, "layout"), name))
      continue;
    for (uint32_t f = layout->fields.first; f < layout->fields.first + layout->fields.n; f++) {
      bool met = false;
      for (size_t j = i; j < a->fields.n_rows && !strcmp(table_cell(&a->fields, j, "layout"), name); j++)
        met = met || printed_as(a, j, &db->fields[f]);
      char what[TEXT];
      snprintf(what, sizeof what, "bits %u:%u extra", db->fields[f].hi, db->fields[f].lo);
      if (!met)
        differ(a, name, db_text(db, db->fields[f].name), what);
    }
  }
  print_message("%zu fields\n", a->fields.n_rows);
  assert_int_equal(a->explain.unexplained, 0);
}

static void every_explanation_is_needed(void **state)
{
  const struct audit *a = *state;
  assert_int_equal(explain_stale(&a->explain), 0);
}

static int set_up(void **state)
{
  static struct audit a;
  assert_int_equal(pmon_context_new(&a.context), 0);
  assert_int_equal(pmon_platform_find(a.context, "emr", &a.platform), 0);
  assert_int_equal(table_read(AUDIT_DIR "/emr-addresses.tsv", &a.addresses), 0);
  assert_int_equal(table_read(AUDIT_DIR "/emr-fields.tsv", &a.fields), 0);
  assert_int_equal(explain_open(&a.explain, "emr-register-differences.tsv"), 0);
  *state = &a;
  return 0;
}

static int tear_down(void **state)
{
  struct audit *a = *state;
  table_free(&a->addresses);
  table_free(&a->fields);
  explain_close(&a->explain);
  pmon_context_free(a->context);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(addresses_are_those_of_the_tables),
    cmocka_unit_test(fields_are_those_of_the_tables),
    cmocka_unit_test(every_explanation_is_needed),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* SPDX-License-Identifier: MIT */
/*
 * Double entry of registers: compares each register's address and the fields of each layout with the tables that
 * emr_registers.py and snbep_registers.py extract from the guides' text, in both directions.
 * data/audit/PLATFORM-register-differences.tsv has the differences.
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
#include "src/facts/vocabulary.h"
#include "tests/audit/explain.h"
#include "tests/audit/table.h"

#define TEXT 128

struct audit {
  const char *name;
  char differences[64];
  struct pmon_context *context;
  const struct pmon_platform *platform;
  struct table addresses, fields;
  struct explain explain;
};

static void differ(struct audit *a, const char *where, const char *name, const char *what)
{
  explain_difference(&a->explain, (const char *const[2]){where, name}, what);
}

/* One register of one instance, as both sides name it: by role and number, or by name. */
struct place {
  const char *unit;
  uint32_t instance;
  char role[TEXT], name[TEXT], address[TEXT];
};

typedef void visit_fn(struct audit *a, const struct place *place);

static void each_register(struct audit *a, uint32_t unit, visit_fn *visit)
{
  struct pmon_unit_info u = {.size = sizeof u};
  struct pmon_register_info r = {.size = sizeof r};
  assert_int_equal(pmon_unit_describe(a->platform, unit, &u), 0);
  struct pmon_register_id id = {.unit = unit};
  for (; id.reg < u.registers; id.reg++) {
    assert_int_equal(pmon_register_describe(a->platform, unit, id.reg, &r), 0);
    for (id.instance = 0; id.instance < u.instances; id.instance++)
      for (id.index = 0; id.index < r.count; id.index++) {
        struct place place = {.unit = u.name, .instance = id.instance};
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

/* True if the row is for this instance: by its number, or `*` for any. */
static bool is_instance(const char *cell, uint32_t instance)
{
  return !strcmp(cell, "*") || (uint32_t)atoi(cell) == instance;
}

/* Formats the row's address for an instance: its number replaces a `*`. */
static void printed_address(const char *cell, uint32_t instance, char *text, size_t size)
{
  const char *star = strchr(cell, '*');
  if (star)
    snprintf(text, size, "%.*s%" PRIu32 "%s", (int)(star - cell), cell, instance, star + 1);
  else
    snprintf(text, size, "%s", cell);
}

/* Returns the row of a register; -1: the guide's tables lack it. */
static long row_of(const struct audit *a, const struct place *p)
{
  for (size_t i = 0; i < a->addresses.n_rows; i++) {
    const char *name = table_cell(&a->addresses, i, "register");
    if (!strcmp(table_cell(&a->addresses, i, "unit"), p->unit) &&
        is_instance(table_cell(&a->addresses, i, "instance"), p->instance) &&
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
  char what[2 * TEXT + 8], printed[TEXT];
  printed_address(table_cell(&a->addresses, (size_t)row, "address"), p->instance, printed, sizeof printed);
  a->addresses.row[row].line = 0; /* marks the row as found */
  snprintf(what, sizeof what, "%s -> %s", printed, p->address);
  if (strcmp(printed, p->address))
    differ(a, p->unit, p->name, what);
}

static void addresses_equal_the_tables(void **state)
{
  struct audit *a = *state;
  struct pmon_platform_info info = {.size = sizeof info};
  assert_int_equal(pmon_platform_describe(a->platform, &info), 0);
  for (uint32_t u = 0; u < info.units; u++)
    each_register(a, u, compare_address);
  for (size_t i = 0; i < a->addresses.n_rows; i++)
    if (a->addresses.row[i].line)
      differ(a, table_cell(&a->addresses, i, "unit"), table_cell(&a->addresses, i, "register"), "missing");
  print_message("%zu addresses\n", a->addresses.n_rows);
  assert_int_equal(a->explain.unexplained, 0);
}

/* Finds a layout by its name, or by the name of a register with this layout. */
static const struct db_layout *layout_of(const struct audit *a, const char *name)
{
  const struct db *db = &db_builtin;
  const struct db_platform *p = &db->platforms[db_find_platform(db, a->name, strlen(a->name))];
  for (uint32_t i = p->layouts.first; i < p->layouts.first + p->layouts.n; i++)
    if (!strcmp(db_text(db, db->layouts[i].name), name))
      return &db->layouts[i];
  for (uint32_t u = p->units.first; u < p->units.first + p->units.n; u++) {
    struct db_span registers = db->units[u].registers;
    for (uint32_t r = registers.first; r < registers.first + registers.n; r++)
      if (!strcmp(db_text(db, db->registers[r].name), name))
        return &db->layouts[db->registers[r].layout];
  }
  return NULL;
}

static bool printed_as(const struct audit *a, size_t row, const struct db_field *f)
{
  return (unsigned)atoi(table_cell(&a->fields, row, "hi")) == f->hi &&
         (unsigned)atoi(table_cell(&a->fields, row, "lo")) == f->lo;
}

static bool is_reserved(const struct audit *a, size_t row)
{
  const char *name = table_cell(&a->fields, row, "field");
  return !strcmp(name, "rsv") || !strcmp(name, "ig");
}

/* True if two bit ranges overlap. */
static bool overlap(const struct audit *a, size_t row, const struct db_field *f)
{
  return (unsigned)atoi(table_cell(&a->fields, row, "hi")) >= f->lo &&
         (unsigned)atoi(table_cell(&a->fields, row, "lo")) <= f->hi;
}

/* The guide divides reserved bits into rows arbitrarily, and omits some. This is not a difference unless a field of the
 * other side overlaps them. */
static bool reserved_alike(const struct audit *a, size_t row, const struct db_layout *layout)
{
  for (uint32_t i = layout->fields.first; i < layout->fields.first + layout->fields.n; i++)
    if (!db_builtin.fields[i].reserved && overlap(a, row, &db_builtin.fields[i]))
      return false;
  return is_reserved(a, row);
}

/* True if one of the rows from `from` on, as far as they belong to the same layout, prints the field; for reserved
 * bits, if no row prints a field there. */
static bool is_printed(const struct audit *a, size_t from, const struct db_field *f)
{
  const char *name = table_cell(&a->fields, from, "layout");
  bool met = f->reserved;
  for (size_t row = from; row < a->fields.n_rows && !strcmp(table_cell(&a->fields, row, "layout"), name); row++) {
    if (f->reserved)
      met = met && (is_reserved(a, row) || !overlap(a, row, f));
    else
      met = met || printed_as(a, row, f);
  }
  return met;
}

static void compare_field(struct audit *a, size_t row, const struct db_layout *layout)
{
  const struct db *db = &db_builtin;
  const char *where = table_cell(&a->fields, row, "layout"), *name = table_cell(&a->fields, row, "field");
  for (uint32_t i = layout->fields.first; i < layout->fields.first + layout->fields.n; i++) {
    const struct db_field *f = &db->fields[i];
    if (!printed_as(a, row, f))
      continue;
    const char *own = db_text(db, f->name), *kind = table_cell(&a->fields, row, "access");
    char what[TEXT];
    snprintf(what, sizeof what, "name %s -> %s", name, own);
    if (strcasecmp(name, own))
      differ(a, where, name, what);
    snprintf(what, sizeof what, "access %s -> %s", kind, vocabulary_name(VOCABULARY_ACCESSES, f->access));
    if (strcmp(kind, vocabulary_name(VOCABULARY_ACCESSES, f->access)))
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

static void fields_equal_the_tables(void **state)
{
  struct audit *a = *state;
  const struct db *db = &db_builtin;
  for (size_t i = 0; i < a->fields.n_rows; i++) {
    const char *name = table_cell(&a->fields, i, "layout");
    const struct db_layout *layout = layout_of(a, name);
    if (!layout) {
      differ(a, name, table_cell(&a->fields, i, "field"), "no such layout");
      continue;
    }
    if (!reserved_alike(a, i, layout))
      compare_field(a, i, layout);
    if (i && !strcmp(table_cell(&a->fields, i - 1, "layout"), name))
      continue;
    for (uint32_t f = layout->fields.first; f < layout->fields.first + layout->fields.n; f++) {
      char what[TEXT];
      snprintf(what, sizeof what, "bits %u:%u extra", db->fields[f].hi, db->fields[f].lo);
      if (!is_printed(a, i, &db->fields[f]))
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

static int registers_set_up(struct audit *a, const char *platform)
{
  char path[1024];
  *a = (struct audit){.name = platform};
  assert_int_equal(pmon_context_new(&a->context), 0);
  assert_int_equal(pmon_platform_find(a->context, platform, &a->platform), 0);
  snprintf(path, sizeof path, "%s/%s-addresses.tsv", AUDIT_DIR, platform);
  assert_int_equal(table_read(path, &a->addresses), 0);
  snprintf(path, sizeof path, "%s/%s-fields.tsv", AUDIT_DIR, platform);
  assert_int_equal(table_read(path, &a->fields), 0);
  snprintf(a->differences, sizeof a->differences, "%s-register-differences.tsv", platform);
  assert_int_equal(explain_open(&a->explain, a->differences), 0);
  return 0;
}

static int set_up_emr(void **state)
{
  static struct audit a;
  *state = &a;
  return registers_set_up(&a, "emr");
}

static int set_up_snbep(void **state)
{
  static struct audit a;
  *state = &a;
  return registers_set_up(&a, "snbep");
}

static int registers_tear_down(void **state)
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
      cmocka_unit_test(addresses_equal_the_tables),
      cmocka_unit_test(fields_equal_the_tables),
      cmocka_unit_test(every_explanation_is_needed),
  };
  int failed = cmocka_run_group_tests_name("emr", tests, set_up_emr, registers_tear_down);
  return failed + cmocka_run_group_tests_name("snbep", tests, set_up_snbep, registers_tear_down);
}

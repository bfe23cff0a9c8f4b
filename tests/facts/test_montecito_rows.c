/* SPDX-License-Identifier: MIT */
/*
 * Montecito's events against data/audit/montecito-events.txt, which a script extracted from the guide's text: Table
 * 4-42 and the list of 4.15. Each difference needs a verdict there, and each verdict a difference. Then the facts that
 * neither place has: counters, sets, defaults, and the constants of the registers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "src/facts/field.h"
#include "src/facts/db.h"
#include "src/facts/index.h"

enum { VERDICTS = 64 };

static const struct db *const db = &db_builtin;

struct audit {
  uint32_t set, event, codes, lists, umasks;
  char place[8], name[64];  /* where the lines are, and the event that they describe */
  unsigned idle, idle_here; /* umasks that count nothing: in the audit, in the facts */
  struct {
    char place[8], name[64], what[16];
    unsigned used;
  } verdicts[VERDICTS];
  uint32_t n_verdicts, unexplained;
};

static uint32_t platform(void)
{
  return db_find_platform(db, "montecito", 9);
}

static uint32_t event_named(const char *name)
{
  uint32_t set = db_find_set(db, platform(), "pmu", 3);
  return db_find_event(db, set, name, strlen(name));
}

static const char *attr_of(uint32_t event, const char *key)
{
  struct db_span attrs = db->events[event].attrs;
  for (uint32_t i = attrs.first; i < attrs.first + attrs.n; i++)
    if (!strcmp(db_text(db, db->attrs[i].key), key))
      return db_text(db, db->attrs[i].value);
  return "";
}

static void differs(struct audit *a, const char *what, const char *guide, const char *facts)
{
  bool any = false;
  for (uint32_t i = 0; i < a->n_verdicts; i++)
    if (!strcmp(a->verdicts[i].place, a->place) && !strcmp(a->verdicts[i].name, a->name) &&
        !strcmp(a->verdicts[i].what, what)) {
      a->verdicts[i].used++;
      any = true;
    }
  if (!any) {
    print_error("%s %s: %s is %s there, %s in the facts\n", a->place, a->name, what, guide, facts);
    a->unexplained++;
  }
}

static void montecito_rows_compare(struct audit *a, const char *what, const char *guide, const char *facts)
{
  if (strcmp(guide, facts) != 0)
    differs(a, what, guide, facts);
}

/* Parses `0-3,8` into a mask. */
static unsigned list_bits(const char *list)
{
  unsigned bits = 0;
  while (*list) {
    char *end;
    unsigned long lo = strtoul(list, &end, 10), hi = *end == '-' ? strtoul(end + 1, &end, 10) : lo;
    for (; lo <= hi; lo++)
      bits |= 1u << lo;
    list = end + (*end == ',');
  }
  return bits;
}

static void end_event(struct audit *a)
{
  char guide[16], facts[16];
  snprintf(guide, sizeof guide, "0x%x", a->idle);
  snprintf(facts, sizeof facts, "0x%x", a->idle_here);
  if (a->event != DB_NONE && !strcmp(a->place, "list"))
    montecito_rows_compare(a, "idle", guide, facts);
  a->event = DB_NONE;
  a->idle = a->idle_here = 0;
}

static void begin_event(struct audit *a, const char *place, char *const *w)
{
  end_event(a);
  snprintf(a->place, sizeof a->place, "%s", place);
  snprintf(a->name, sizeof a->name, "%s", w[0]);
  a->event = event_named(w[0]);
  if (a->event == DB_NONE)
    fail_msg("no event %s", w[0]);
  const struct db_event *e = &db->events[a->event];
  char code[16], max[16] = "-", qualifiers[16];
  snprintf(code, sizeof code, "0x%02x", (unsigned)e->code);
  if (e->max_inc)
    snprintf(max, sizeof max, "%u", e->max_inc);
  snprintf(qualifiers, sizeof qualifiers, "%c/%c/%c", *attr_of(a->event, "iar") == 'y' ? 'Y' : 'N',
           *attr_of(a->event, "dar") == 'y' ? 'Y' : 'N', *attr_of(a->event, "opm") == 'y' ? 'Y' : 'N');
  montecito_rows_compare(a, "code", w[1], code);
  montecito_rows_compare(a, "type", w[2], attr_of(a->event, "type"));
  montecito_rows_compare(a, "max", w[3], max);
  montecito_rows_compare(a, "qualifiers", w[4], qualifiers);
  a->idle_here = list_bits(attr_of(a->event, "none")) | list_bits(attr_of(a->event, "illegal")) |
                 list_bits(attr_of(a->event, "undefined"));
}

static void read_bits(const char *text, unsigned *ret_value, unsigned *ret_any)
{
  assert_int_equal(strlen(text), 4);
  *ret_value = *ret_any = 0;
  for (; *text; text++) {
    *ret_value = *ret_value << 1 | (*text == '1');
    *ret_any = *ret_any << 1 | (*text == 'x');
  }
}

static void one_umask(struct audit *a, char *const *w)
{
  unsigned value, any;
  char guide[16], facts[16] = "missing";
  read_bits(w[1], &value, &any);
  snprintf(guide, sizeof guide, "0x%x/0x%x", value, any);
  uint32_t u = db_find_umask(db, a->event, w[0], strlen(w[0]));
  if (u != DB_NONE)
    snprintf(facts, sizeof facts, "0x%x/0x%x", (unsigned)db->umasks[u].value,
             (unsigned)db_umask_extra(db, &db->umasks[u])->any);
  montecito_rows_compare(a, "umasks", guide, facts);
  a->umasks++;
}

static void one_line(struct audit *a, char *line)
{
  char *w[8] = {NULL}, *save = NULL;
  int n = 0;
  for (char *t = strtok_r(line, " \n", &save); t && n < 8; t = strtok_r(NULL, " \n", &save))
    w[n++] = t;
  if (!n || *w[0] == '#')
    return;
  if (!strcmp(w[0], "verdict")) {
    assert_true(n > 4 && a->n_verdicts < VERDICTS); /* with a reason */
    snprintf(a->verdicts[a->n_verdicts].place, 8, "%s", w[1]);
    snprintf(a->verdicts[a->n_verdicts].name, 64, "%s", w[2]);
    snprintf(a->verdicts[a->n_verdicts++].what, 16, "%s", w[3]);
  } else if (!strcmp(w[0], "code") || !strcmp(w[0], "list")) {
    assert_int_equal(n, 6);
    begin_event(a, w[0], w + 1);
    a->codes += *w[0] == 'c';
    a->lists += *w[0] == 'l';
  } else if (!strcmp(w[0], "umask")) {
    assert_int_equal(n, 3);
    one_umask(a, w + 1);
  } else {
    unsigned value, any;
    assert_string_equal(w[0], "idle");
    assert_int_equal(n, 2);
    read_bits(w[1], &value, &any);
    for (unsigned v = 0; v < 16; v++)
      a->idle |= (v & ~any) == value ? 1u << v : 0;
  }
}

/* Verdicts are at the end of the file, so it is read twice: for the verdicts, then for the rows. */
static void rows_equal_the_guide(void **state)
{
  (void)state;
  struct audit a = {.event = DB_NONE};
  char line[256];
  for (int pass = 0; pass < 2; pass++) {
    FILE *f = fopen(AUDIT_FILE, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
      if ((strncmp(line, "verdict", 7) == 0) == (pass == 0))
        one_line(&a, line);
    end_event(&a);
    fclose(f);
  }
  assert_int_equal(a.codes, 171);
  assert_int_equal(a.lists, 169);
  assert_int_equal(a.umasks, 527);
  assert_int_equal(a.unexplained, 0);
  for (uint32_t i = 0; i < a.n_verdicts; i++)
    if (!a.verdicts[i].used)
      fail_msg("%s %s: no difference in %s", a.verdicts[i].place, a.verdicts[i].name, a.verdicts[i].what);
  uint32_t umasks = 0;
  struct db_span events = db->sets[db_find_set(db, platform(), "pmu", 3)].events;
  assert_int_equal(events.n, 171);
  for (uint32_t e = events.first; e < events.first + events.n; e++)
    umasks += db->events[e].umasks.n;
  assert_int_equal(umasks, 527);
}

/* 3.3.3: bus, external request, system interface and L2D events on 4 to 9, halted cycles on 10. 4.2.1: so are events
 * that may occur while their thread is in the background (F, S), or that belong to no thread (C), except for
 * CPU_OP_CYCLES. The rest is on all counters. */
static void counters_follow_the_codes(void **state)
{
  (void)state;
  struct db_span events = db->sets[db_find_set(db, platform(), "pmu", 3)].events;
  for (uint32_t e = events.first; e < events.first + events.n; e++) {
    uint64_t high = db->events[e].code >> 4, code = db->events[e].code;
    bool duplicated = (high >= 8 && high <= 0xb) || high >= 0xe;
    duplicated |= code != 0x12 && *attr_of(e, "type") != 'A';
    uint32_t expected = code == 0x18 ? 0x400 : duplicated ? 0x3f0 : 0xfff0;
    if (db->events[e].counters != expected)
      fail_msg("%s on counters 0x%x", db_text(db, db->events[e].name), db->events[e].counters);
  }
  const struct db_unit *u = &db->units[db_find_unit(db, platform(), "pmu", 3)];
  assert_int_equal(u->first_counter, 4);
  assert_int_equal(u->counters, 12);
  assert_int_equal(u->width_bits, 47);
}

/* Tables 4-11 to 4-16 and 4-21 to 4-29, by code. */
static void sets_equal_the_tables(void **state)
{
  (void)state;
  static const struct {
    const char *set;
    uint8_t codes[5];
  } sets[] = {
      {"L1D.0", {0xc0, 0xc1, 0xc2, 0xc3}},
      {"L1D.1", {0xc4, 0xc5, 0xc7}},
      {"L1D.2", {0xca}},
      {"L1D.3", {0xcd, 0xce, 0xcf}},
      {"L1D.4", {0xd0, 0xd1, 0xd2}},
      {"L1D.6", {0xd8, 0xd9}},
      {"L2D.0", {0xe0, 0xe1, 0xe2}},
      {"L2D.1", {0xe4, 0xe5}},
      {"L2D.2", {0xe6}},
      {"L2D.3", {0xe8, 0xe9}},
      {"L2D.4", {0xea, 0xeb}},
      {"L2D.5", {0xec, 0xed}},
      {"L2D.6", {0xef}},
      {"L2D.7", {0xf0, 0xf1}},
      {"L2D.8", {0xf2, 0xf3}},
  };
  struct db_span events = db->sets[db_find_set(db, platform(), "pmu", 3)].events;
  for (uint32_t e = events.first; e < events.first + events.n; e++) {
    const char *expected = "";
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
      for (size_t c = 0; c < 5 && sets[s].codes[c]; c++)
        if (sets[s].codes[c] == db->events[e].code)
          expected = sets[s].set;
    assert_string_equal(attr_of(e, "set"), expected);
  }
}

static uint64_t reset_of(const char *layout)
{
  uint32_t row = db_find_layout(db, platform(), layout, strlen(layout));
  assert_int_not_equal(row, DB_NONE);
  uint64_t value = 0;
  for (uint32_t i = 0; i < db->layouts[row].fields.n; i++) {
    const struct db_field *f = &db->fields[db->layouts[row].fields.first + i];
    value = field_set(f, value, f->reset);
  }
  return value;
}

/* 3.3.12; the notes of the layouts list its errors. */
static void registers_reset_to_the_printed_values(void **state)
{
  (void)state;
  assert_int_equal(reset_of("OPCODE_MASK0"), 0x030f01ffffffffff);
  assert_int_equal(reset_of("OPCODE_MASK1"), 0x000f01ffffffffff);
  assert_int_equal(reset_of("OPCODE_MATCH"), 0x1ffffffffff);
  assert_int_equal(reset_of("OPCODE_CONFIG"), 0xfffffff0);
  assert_int_equal(reset_of("IAR_CONFIG"), 0xdb6);
  assert_int_equal(reset_of("DAR_CONFIG"), 0x2078fefefefe);
  assert_int_equal(reset_of("OVERFLOW_STATUS"), 0);
}

static uint64_t montecito_rows_value_of(const char *values, const char *name)
{
  uint32_t row = db_find_values(db, platform(), values, strlen(values));
  assert_int_not_equal(row, DB_NONE);
  struct db_span rows = db->values[row].rows;
  for (uint32_t i = rows.first; i < rows.first + rows.n; i++)
    if (!strcmp(db_text(db, db->value_rows[i].name), name))
      return db->value_rows[i].value;
  fail_msg("%s has no %s", values, name);
  return 0;
}

/* Consistency of the caches' geometry (size, ways, line, index), of PAL's masks, and of the register files. */
static void numbers_of_the_processor_agree(void **state)
{
  (void)state;
  static const char *const caches[] = {"CACHE_L1D", "CACHE_L1I", "CACHE_L2D", "CACHE_L2I", "CACHE_L3"};
  for (size_t i = 0; i < 5; i++) {
    uint64_t line = montecito_rows_value_of(caches[i], "line"), sets = montecito_rows_value_of(caches[i], "sets");
    assert_int_equal(montecito_rows_value_of(caches[i], "bytes"),
                     line * sets * montecito_rows_value_of(caches[i], "ways"));
    assert_int_equal(line, 1u << montecito_rows_value_of(caches[i], "index_low"));
    assert_int_equal(line * sets, UINT64_C(2) << montecito_rows_value_of(caches[i], "index_high"));
  }
  uint64_t pmc = 0, pmd = 0;
  const struct db_unit *u = &db->units[db_find_unit(db, platform(), "pmu", 3)];
  for (uint32_t i = u->registers.first; i < u->registers.first + u->registers.n; i++) {
    const struct db_register *r = &db->registers[i];
    const struct db_place *own = r->own_place == DB_NONE ? NULL : &db->places[r->own_place];
    if (own && own->space != PMON_SPACE_PMD)
      continue; /* IBR and DBR are architectural */
    for (uint32_t k = 0; k < r->count; k++)
      *(own ? &pmd : &pmc) |= UINT64_C(1) << ((own ? own->base : r->offset) + k);
  }
  assert_int_equal(pmc, montecito_rows_value_of("PAL_PERF_MON_INFO", "PAL_PMCmask"));
  /* The mask includes PMD37, which is in the range of Table 3-5, but no table gives it a field. */
  assert_int_equal(pmd | UINT64_C(1) << 37, montecito_rows_value_of("PAL_PERF_MON_INFO", "PAL_PMDmask"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_equal_the_guide),           cmocka_unit_test(counters_follow_the_codes),
      cmocka_unit_test(sets_equal_the_tables),          cmocka_unit_test(registers_reset_to_the_printed_values),
      cmocka_unit_test(numbers_of_the_processor_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* The machine's table of events against the fact files: two transcriptions of chapter 4. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "machine/montecito/events/events.h"
#include "machine/pmon/coverage.h"
#include "src/facts/db.h"

static const struct db_platform *platform(void)
{
  for (uint32_t i = 0; i < db_builtin.n_platforms; i++)
    if (!strcmp(db_text(&db_builtin, db_builtin.platforms[i].name), "montecito"))
      return &db_builtin.platforms[i];
  fail_msg("the facts have no montecito");
  return NULL;
}

static const char *attr(const struct db_event *e, const char *key)
{
  for (uint32_t i = e->attrs.first; i < e->attrs.first + e->attrs.n; i++)
    if (!strcmp(db_text(&db_builtin, db_builtin.attrs[i].key), key))
      return db_text(&db_builtin, db_builtin.attrs[i].value);
  return "";
}

static bool is(const struct db_event *e, const char *key, bool machine)
{
  return (*attr(e, key) == 'y') == machine;
}

/* Deliberate differences: the facts state something for some umasks only, or of a table as printed. */
static bool known(const char *name, const char *what)
{
  static const struct {
    const char *name, *what;
  } rows[] = {/* the umask QUAL alone is constrained */
              {"CPU_OP_CYCLES", "opm"},
              {"CPU_OP_CYCLES", "iar"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i].name, name) && !strcmp(rows[i].what, what))
      return true;
  return false;
}

#define CHECK(what, holds)                                                                                             \
  if (!(holds) && !known(m->name, what)) {                                                                             \
    print_error("%s: %s differs\n", m->name, what);                                                                    \
    differences++;                                                                                                     \
  }

static unsigned check_umasks(const struct db_event *e, const struct montecito_event *m)
{
  const bool adds = m->code == 0x4e; /* its four bits add up: each name is counted by every umask that contains its
                                      * bit */
  unsigned differences = 0, mine = 0;
  for (uint32_t i = e->umasks.first; i < e->umasks.first + e->umasks.n; i++) {
    const struct db_umask *u = &db_builtin.umasks[i];
    const char *name = db_text(&db_builtin, u->name);
    const uint64_t looked_at = ~db_umask_extra(&db_builtin, u)->any;
    uint16_t expected = 0;
    for (unsigned v = 0; v < 16; v++)
      if (adds ? (v & u->value) == u->value : (v & looked_at) == (u->value & looked_at))
        expected |= (uint16_t)(1u << v);
    if (montecito_umask_values(m, name) != expected) {
      print_error("%s.%s: 0x%04x in the facts, 0x%04x in the machine\n", m->name, name, expected,
                  montecito_umask_values(m, name));
      differences++;
    }
  }
  for (const struct montecito_umask *u = m->umasks; u && u->name; u++)
    mine++;
  if (mine != e->umasks.n) {
    print_error("%s: %u unit masks in the facts, %u in the machine\n", m->name, e->umasks.n, mine);
    differences++;
  }
  return differences;
}

static unsigned events_check(const struct db_event *e, const struct montecito_event *m)
{
  const bool iar = m->need != NEED_NONE, dar = m->need == NEED_MEMORY || m->need == NEED_DATA;
  const bool opm = m->need == NEED_TAG || m->need == NEED_MEMORY;
  char set[8] = "";
  unsigned differences = 0;
  if (m->set)
    snprintf(set, sizeof set, "%s.%u", (m->set & SET_KIND) == SET_L1D ? "L1D" : "L2D", m->set & 0xfu);
  CHECK("code", m->code == e->code)
  CHECK("type", *attr(e, "type") == m->type)
  CHECK("max", m->max == e->max_inc)
  /* 4.2.1: banked counters count these, but not while their thread is in the background */
  const uint32_t banked = m->type == TYPE_A || m->code == 0x12 || m->code == 0x18 ? UINT32_MAX : 0x3f0;
  CHECK("counters", (montecito_event_counters(m->code) & banked) == e->counters)
  CHECK("iar", is(e, "iar", iar))
  CHECK("dar", is(e, "dar", dar))
  CHECK("opm", is(e, "opm", opm))
  CHECK("set", !strcmp(attr(e, "set"), set))
  CHECK("mesi", is(e, "mesi", m->flags & EVENT_MESI))
  return differences + check_umasks(e, m);
}

static void test_facts(void **state)
{
  const struct db_platform *p = platform();
  unsigned differences = 0, met = 0;
  (void)state;
  for (uint32_t s = p->sets.first; s < p->sets.first + p->sets.n; s++) {
    const struct db_span span = db_builtin.sets[s].events;
    for (uint32_t i = span.first; i < span.first + span.n; i++, met++) {
      const struct db_event *e = &db_builtin.events[i];
      const struct montecito_event *m = montecito_event_find_by_name(db_text(&db_builtin, e->name));
      if (!m) {
        print_error("%s: not in the machine\n", db_text(&db_builtin, e->name));
        differences++;
        continue;
      }
      differences += events_check(e, m);
    }
  }
  assert_int_equal(differences, 0);
  assert_true(met >= 170);
}

/* Each event states for each umask how it is moved; only the two events that the guide does not explain are moved by
 * nothing. tests/coverage/test_cores.c finds by running programs which rows are modelled. */
static void test_coverage(void **state)
{
  struct machine_coverage r;
  unsigned n = 0, none = 0, modelled = 0;
  (void)state;
  for (; montecito_coverage(n, &r); n++) {
    assert_non_null(r.part);
    assert_true(*r.part);
    none += !strcmp(r.how, "not modelled");
    modelled += !strcmp(r.how, "modelled");
  }
  assert_int_equal(n, 609);
  assert_int_equal(none, 2);
  assert_true(modelled * 100 >= n * 50);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_facts), cmocka_unit_test(test_coverage)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

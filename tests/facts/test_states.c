/* SPDX-License-Identifier: MIT */
/* Which events count a state, cycle by cycle, and with which umasks: states.tsv has all that do. `test_facts_states
 * --table` writes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/platform.h>
#include "src/facts/states.h"
#include "src/platform/platform.h"
#include "tests/whole_file.h"

static const char *const platforms[] = {"emr", "snbep", "montecito"};

/* PLATFORM SET EVENT, and the umasks that count a state, `*` for all, or `-` where the event has none. */
static void write_event(FILE *f, const char *platform, const struct db *db, const struct db_set *set, uint32_t event)
{
  const struct db_event *e = &db->events[event];
  uint32_t n = 0;
  for (uint32_t u = e->umasks.first; u < e->umasks.first + e->umasks.n; u++)
    n += (db->umasks[u].flags & DB_STATES) != 0;
  if (!n && !(e->flags & DB_STATES && !e->umasks.n))
    return;
  fprintf(f, "%s\t%s\t%s\t", platform, db_text(db, set->name), db_text(db, e->name));
  if (n == e->umasks.n)
    fprintf(f, "%s", n ? "*" : "-");
  for (uint32_t u = e->umasks.first, k = 0; n < e->umasks.n && u < e->umasks.first + e->umasks.n; u++)
    if (db->umasks[u].flags & DB_STATES)
      fprintf(f, "%s%s", k++ ? "," : "", db_text(db, db->umasks[u].name));
  fprintf(f, "\n");
}

static bool is_seen(const uint32_t *sets, uint32_t n, uint32_t set)
{
  bool seen = false;
  for (uint32_t i = 0; i < n; i++)
    seen |= sets[i] == set;
  return seen;
}

static void write_platform(FILE *f, struct pmon_context *context, const char *name)
{
  const struct pmon_platform *p;
  uint32_t sets[64], n = 0;
  assert_int_equal(pmon_platform_find(context, name, &p), PMON_OK);
  for (uint32_t u = p->row->units.first; u < p->row->units.first + p->row->units.n; u++) {
    const struct db_span imports = p->db->units[u].imports;
    for (uint32_t i = imports.first; i < imports.first + imports.n; i++) {
      const struct db_set *set = &p->db->sets[p->db->imports[i].set];
      if (is_seen(sets, n, p->db->imports[i].set))
        continue;
      assert_true(n < sizeof sets / sizeof *sets);
      sets[n++] = p->db->imports[i].set;
      for (uint32_t e = set->events.first; e < set->events.first + set->events.n; e++)
        write_event(f, name, p->db, set, e);
    }
  }
}

static void write_all(FILE *f)
{
  struct pmon_context *context;
  assert_int_equal(pmon_context_new(&context), PMON_OK);
  for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++)
    write_platform(f, context, platforms[i]);
  pmon_context_free(context);
}

static void events_that_count_states_are_those_of_the_table(void **state)
{
  (void)state;
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  assert_non_null(f);
  write_all(f);
  fclose(f);
  char *expected = whole_file(FACTS_DIR "/states.tsv");
  assert_non_null(expected);
  for (const char *a = text, *b = expected; *a || *b;) {
    const int n = (int)strcspn(a, "\n"), m = (int)strcspn(b, "\n");
    if (n != m || memcmp(a, b, (size_t)n) != 0)
      fail_msg("'%.*s' instead of '%.*s'", n, a, m, b);
    a += n + (a[n] != 0);
    b += m + (b[m] != 0);
  }
  free(text);
  free(expected);
}

/* A second source are the guides' names: what is called cycles or occupancy counts a state, except for one event, whose
 * cycles are bus locks. */
static void what_is_called_cycles_counts_a_state(void **state)
{
  (void)state;
  struct pmon_context *context;
  unsigned named = 0;
  assert_int_equal(pmon_context_new(&context), PMON_OK);
  for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++) {
    const struct pmon_platform *p;
    assert_int_equal(pmon_platform_find(context, platforms[i], &p), PMON_OK);
    for (uint32_t e = 0; e < p->db->n_events; e++) {
      const struct db_event *event = &p->db->events[e];
      const char *name = db_text(p->db, event->name);
      uint32_t flags = event->umasks.n ? DB_STATES : event->flags;
      for (uint32_t u = event->umasks.first; u < event->umasks.first + event->umasks.n; u++)
        flags &= p->db->umasks[u].flags;
      if (!strstr(name, "CYCLES") && !strstr(name, "OCCUPANCY"))
        continue;
      named++;
      if (!(flags & DB_STATES) != !strcmp(name, "LOCK_CYCLES"))
        fail_msg("%s %s", platforms[i], name);
    }
  }
  assert_true(named > 150);
  pmon_context_free(context);
}

static void descriptions_say_what_is_counted(void **state)
{
  (void)state;
  static const struct {
    const char *brief, *event, *umask;
    bool states;
  } rows[] = {
      {"Cycles in which the read data buffer was not empty.", "RDB_NE", "", true},
      {"Counts the number of cycles where the buffer has an element.", "RDB_NE", "", true},
      {"Memory clock cycles in which a queue had reads pending.", "RPQ", "", true},
      {"Credits in use, added up each cycle.", "CREDITS", "", true},
      {"Requests of the cache, and cycles of its walker: cycles with a walk.", "WALKS", "ANY", true},
      {"Bubbles (cycles without new bundles) that the front end sees.", "BUBBLE", "", true},
      {"Entries per cycle of the counter 0's occupancy.", "COUNTER0_OCCUPANCY", "", true},
      {"Lock sequences started.", "LOCK_CYCLES", "", false},
      {"Requests that waited for some cycles: more than one.", "REQUESTS", "", false},
      {"Bundles missing in cycles without a stall.", "LOST_BW", "", false},
      {"Bicycles.", "RIDES", "", false},
      {"", "", "", false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (states_are_counted(rows[i].brief, rows[i].event, rows[i].umask) != rows[i].states)
      fail_msg("%s", rows[i].brief);
}

int main(int argc, char **argv)
{
  if (argc > 1 && !strcmp(argv[1], "--table")) {
    write_all(stdout);
    return 0;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(events_that_count_states_are_those_of_the_table),
                                     cmocka_unit_test(what_is_called_cycles_counts_a_state),
                                     cmocka_unit_test(descriptions_say_what_is_counted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

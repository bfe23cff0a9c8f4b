/* SPDX-License-Identifier: MIT */
/* Which events count a state, cycle by cycle, and with which umasks: compares the tables' column with two other
 * sources, the descriptions and the guides' names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/platform.h>
#include "cli/import/states.h"
#include "src/platform/platform.h"

/* Events that count the missing bundles of a cycle, up to two: a stall counts as many as it has cycles, although their
 * descriptions do not name cycles. */
static bool is_silent(const char *event)
{
  return !strcmp(event, "FE_LOST_BW") || !strcmp(event, "BE_LOST_BW_DUE_TO_FE") ||
         !strcmp(event, "IDEAL_BE_LOST_BW_DUE_TO_FE");
}

static void check_row(const char *name, const char *umask, const char *text, bool states)
{
  if (states_are_counted(text, name, umask) != (states && !is_silent(name)))
    fail_msg("%s.%s %s `states`, and is described so: %s", name, umask, states ? "has" : "has no", text);
}

/* Returns the facts of all built-in platforms. */
static const struct db *built_in(struct pmon_context **ret_context)
{
  const struct pmon_platform *p;
  assert_int_equal(pmon_context_new(ret_context), PMON_OK);
  assert_int_equal(pmon_platform_find(*ret_context, "emr", &p), PMON_OK);
  return p->db;
}

static void descriptions_agree_with_the_column(void **state)
{
  (void)state;
  struct pmon_context *context;
  const struct db *db = built_in(&context);
  unsigned n = 0;
  for (const struct db_event *e = db->events; e < db->events + db->n_events; e++) {
    const char *name = db_text(db, e->name);
    if (!e->umasks.n)
      check_row(name, "", db_text(db, e->brief), e->flags & DB_STATES);
    n += (e->flags & DB_STATES) != 0;
    for (uint32_t i = e->umasks.first; i < e->umasks.first + e->umasks.n; i++) {
      const struct db_umask *u = &db->umasks[i];
      check_row(name, db_text(db, u->name), db_text(db, u->sentence), u->flags & DB_STATES);
    }
  }
  assert_true(n > 430);
  pmon_context_free(context);
}

static bool has_one_of(const char *name, const char *const *words)
{
  bool has = false;
  for (; *words; words++)
    has = has || strstr(name, *words);
  return has;
}

/* Events named cycles or occupancy count a state, except one, whose cycles are bus locks; events named inserts,
 * refusals, retries, commands and the like do not. */
static void names_agree_with_the_column(void **state)
{
  (void)state;
  static const char *const states[] = {"CYCLES", "OCCUPANCY", NULL}, *const occurrences[] = {
                                                                         "INSERTS",   "RETRY",     "NACK",
                                                                         "ACQUIRED",  "RETURNED",  "CAS_COUNT",
                                                                         "ACT_COUNT", "PRE_COUNT", "VICTIMS",
                                                                         "REQUESTS",  "RETIRED",   NULL};
  struct pmon_context *context;
  const struct db *db = built_in(&context);
  unsigned named = 0, others = 0;
  for (const struct db_event *e = db->events; e < db->events + db->n_events; e++) {
    const char *name = db_text(db, e->name);
    uint32_t all = e->umasks.n ? DB_STATES : e->flags, some = e->flags;
    for (uint32_t u = e->umasks.first; u < e->umasks.first + e->umasks.n; u++)
      all &= db->umasks[u].flags, some |= db->umasks[u].flags;
    if (has_one_of(name, states)) {
      named++;
      if (!(all & DB_STATES) != !strcmp(name, "LOCK_CYCLES"))
        fail_msg("%s", name);
    } else if (has_one_of(name, occurrences)) {
      others++;
      if (some & DB_STATES)
        fail_msg("%s has `states`", name);
    }
  }
  assert_true(named > 150 && others > 150);
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
      {"TOR Occupancy : DRds issued by iA Cores.", "TOR_OCCUPANCY", "IA_DRD", true},
      {"AD Egress Not Empty; Scheduler 0.", "TxR_AD_CYCLES_NE", "SCHED0", true},
      {"Write Tracker Not Empty : Channel 0.", "WR_TRACKER_NE", "CH0", true},
      {"CMS Clockticks.", "CMS_CLOCKTICKS", "", true},
      {"Injection Starvation; Onto AK Ring.", "TxR_STARVED", "AK", true},
      {"Stall on No Sbo Credits; For SBo0, AD Ring.", "STALL_NO_SBO_CREDIT", "SBO0_AD", true},
      {"Times that the response queue (ISMQ) made a bid.", "RxR_EXT_STARVED", "ISMQ_BIDS", false},
      {"Near Mem Read Starved.", "SB_CANARY", "NMRD_STARVED", false},
      {"Lock sequences started.", "LOCK_CYCLES", "", false},
      {"Requests that waited for some cycles: more than one.", "REQUESTS", "", false},
      {"Bundles missing in cycles without a stall.", "LOST_BW", "", false},
      {"Stalls that lasted at least so long: 4 cycles or more.", "STALL", "GTE_4", false},
      {"Bicycles.", "RIDES", "", false},
      {"", "", "", false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (states_are_counted(rows[i].brief, rows[i].event, rows[i].umask) != rows[i].states)
      fail_msg("%s", rows[i].brief);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(descriptions_agree_with_the_column),
                                     cmocka_unit_test(names_agree_with_the_column),
                                     cmocka_unit_test(descriptions_say_what_is_counted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

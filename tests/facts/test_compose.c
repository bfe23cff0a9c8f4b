/* SPDX-License-Identifier: MIT */
/* Descriptions of rows: their composition from event and umask; each is understandable by itself. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "src/facts/compose.h"

static const struct db *const db = &db_builtin;

static void expect(const char *sentence, const char *event, const char *umask)
{
  char text[256];
  assert_int_equal(compose_sentence(text, sizeof text, event, &umask, 1), strlen(sentence));
  assert_string_equal(text, sentence);
}

static void the_umask_follows_the_first_clause(void **state)
{
  (void)state;
  expect("Commands sent: reads.", "Commands sent.", "reads");
  expect("Commands sent: reads. Each moves 64 bytes.", "Commands sent; each moves 64 bytes.", "reads");
  expect("Commands sent: reads. DRAM only.", "Commands sent: DRAM only.", "reads");
  expect("Commands sent: reads. tRCD is not seen.", "Commands sent. tRCD is not seen.", "reads");
  expect("Commands, late ones: reads.", "Commands, late ones, by kind.", "reads");
  expect("Commands at 1:1 ratio: reads.", "Commands at 1:1 ratio.", "reads");
}

static void a_sentence_stands_alone(void **state)
{
  (void)state;
  expect("Cycles with a free entry.", "Commands sent; each moves 64 bytes.", "Cycles with a free entry.");
}

static void several_umasks_are_joined(void **state)
{
  (void)state;
  static const char *const two[] = {"reads", "writes"}, *const mixed[] = {"Cycles with reads.", "writes"};
  char text[64];
  compose_sentence(text, sizeof text, "Commands sent; each moves a line.", two, 2);
  assert_string_equal(text, "Commands sent: reads + writes. Each moves a line.");
  compose_sentence(text, sizeof text, "Commands sent.", mixed, 2);
  assert_string_equal(text, "Cycles with reads. Writes.");
  assert_int_equal(compose_sentence(text, 8, "Commands sent.", two, 1), strlen("Commands sent: reads."));
  assert_string_equal(text, "Command");
}

/* Returns the fault of a text that is not a complete sentence: a capital or a name at the beginning, a period at the
 * end, and no fragments of a list. */
static const char *fault_of(const char *text)
{
  size_t n = strlen(text);
  if (n < 12 || text[n - 1] != '.')
    return "does not end in a period";
  if (strstr(text, "..") || strstr(text, ".:") || strstr(text, ": .") || strstr(text, "  "))
    return "has an empty part";
  const char *colon = strstr(text, ": ");
  if (colon && strstr(colon + 2, ": "))
    return "has two colons";
  if (islower((unsigned char)text[0]) && islower((unsigned char)text[1]) && islower((unsigned char)text[2]))
    return "begins in lower case";
  static const char *const advice[] = {"needs a choice", " should ", "Make sure", "Do not ", "edge_det", "Invert "};
  for (size_t i = 0; i < sizeof advice / sizeof *advice; i++)
    if (strstr(text, advice[i]))
      return "is advice, which is a note's";
  return NULL;
}

static void every_row_is_described_by_a_sentence(void **state)
{
  (void)state;
  for (uint32_t i = 0; i < db->n_events; i++)
    if (fault_of(db_text(db, db->events[i].brief)))
      fail_msg("%s: \"%s\" %s", db_text(db, db->events[i].name), db_text(db, db->events[i].brief),
               fault_of(db_text(db, db->events[i].brief)));
  for (uint32_t i = 0; i < db->n_umasks; i++)
    if (fault_of(db_text(db, db->umasks[i].sentence)))
      fail_msg("%s: \"%s\" %s", db_text(db, db->umasks[i].name), db_text(db, db->umasks[i].sentence),
               fault_of(db_text(db, db->umasks[i].sentence)));
}

/* True if the first clause of a description names a unit of counting, in the singular or plural. */
static bool names_a_unit(const char *text)
{
  static const char *const units[] = {
      "cycle",     "clock",       "time",    "request",      "read",      "write",     "message",   "flit",
      "slot",      "entr",        "credit",  "snoop",        "look-up",   "fill",      "access",    "prefetch",
      "packet",    "instruction", "command", "activate",     "precharge", "error",     "change",    "transaction",
      "response",  "answer",      "event",   "insert",       "branch",    "load",      "walk",      "bundle",
      "syllable",  "stall",       "bytes",   "invalidation", "line",      "operation", "core",      "retr",
      "attempt",   "tries",       "flush",   "switch",       "victim",    "purge",     "fetch",     "reference",
      "match",     "data",        "bubble",  "bypass",       "conflict",  "directory", "hits",      "misses",
      "grant",     "rejection",   "update",  "register",     "store",     "fault",     "increment", "result",
      "interrupt", "chances",     "moved",   "acknowledge",  "No ",       "sends",     "transfer",  "overflow",
      "energy",
  };
  char clause[512];
  size_t n = strcspn(text, ":;.");
  snprintf(clause, sizeof clause, "%.*s", (int)n, text);
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
    if (strcasestr(clause, units[i]))
      return true;
  return false;
}

static void every_row_names_its_unit_of_counting(void **state)
{
  (void)state;
  for (uint32_t i = 0; i < db->n_events; i++) {
    const struct db_event *e = &db->events[i];
    if (!names_a_unit(db_text(db, e->brief)))
      fail_msg("%s: \"%s\" counts what?", db_text(db, e->name), db_text(db, e->brief));
    for (uint32_t u = e->umasks.first; u < e->umasks.first + e->umasks.n; u++)
      if (!names_a_unit(db_text(db, db->umasks[u].sentence)))
        fail_msg("%s.%s: \"%s\" counts what?", db_text(db, e->name), db_text(db, db->umasks[u].name),
                 db_text(db, db->umasks[u].sentence));
  }
}

struct row_text {
  db_str event, umask, sentence;
};

/* Collects the rows of a set of events: each umask, and each event without umasks. */
static size_t rows_collect(const struct db_set *set, struct row_text *rows, size_t most)
{
  size_t n = 0;
  for (uint32_t i = set->events.first; i < set->events.first + set->events.n; i++) {
    const struct db_event *e = &db->events[i];
    assert_true(n + e->umasks.n < most);
    if (!e->umasks.n)
      rows[n++] = (struct row_text){.event = e->name, .sentence = e->brief};
    for (uint32_t u = e->umasks.first; u < e->umasks.first + e->umasks.n; u++)
      rows[n++] = (struct row_text){e->name, db->umasks[u].name, db->umasks[u].sentence};
  }
  return n;
}

/* Rows of one unit with equal descriptions could not be distinguished, whether they belong to one event or to two. */
static void no_two_rows_read_the_same(void **state)
{
  (void)state;
  static struct row_text rows[2048];
  for (uint32_t i = 0; i < db->n_sets; i++) {
    const size_t n = rows_collect(&db->sets[i], rows, sizeof rows / sizeof *rows);
    for (size_t k = 0; k < n; k++)
      for (size_t j = 0; j < k; j++)
        if (rows[k].sentence == rows[j].sentence)
          fail_msg("%s.%s and %s.%s: \"%s\"", db_text(db, rows[k].event), db_text(db, rows[k].umask),
                   db_text(db, rows[j].event), db_text(db, rows[j].umask), db_text(db, rows[k].sentence));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_umask_follows_the_first_clause),
      cmocka_unit_test(a_sentence_stands_alone),
      cmocka_unit_test(several_umasks_are_joined),
      cmocka_unit_test(every_row_is_described_by_a_sentence),
      cmocka_unit_test(every_row_names_its_unit_of_counting),
      cmocka_unit_test(no_two_rows_read_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

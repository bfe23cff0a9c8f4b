/* SPDX-License-Identifier: MIT */
/*
 * Double entry: the fact files against a second transcription of the guides, row by row and in both directions.
 *
 * data/audit/PLATFORM-*.tsv was read out of the guides' text by programs (emr_guide.py and its kin) that never saw the
 * fact files. Every difference must stand in data/audit/PLATFORM-differences.tsv with a verdict and a reason; one that
 * does not, and a line there that no difference uses, fail the test. The test needs no guide.
 */
#include <dirent.h>
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

#define TEXT 256

/* One event with one umask of the fact files, in the terms of the second transcription. */
struct fact {
  const char *unit, *event, *umask, *alias;
  bool beyond; /* marked as from another source than the guide */
  bool met;
  bool printed; /* printed in the guide, not only in the facts */
  char code[24], umask_value[24], ext[24], counters[64], max_inc[16], type[24], iar[24], dar[24], opm[24];
  char match0[24], mask0[24], match_rds[24], mask_rds[24], any[24];
};

struct audit {
  const char *platform;
  struct pmon_context *context;
  const struct pmon_platform *pmon;
  struct fact *fact;
  size_t n_facts;
  struct explain explain;
  unsigned compared;
};

static const struct {
  const char *name;
  size_t offset;
} columns[] = {
    {"code", offsetof(struct fact, code)},
    {"umask_value", offsetof(struct fact, umask_value)},
    {"ext", offsetof(struct fact, ext)},
    {"counters", offsetof(struct fact, counters)},
    {"max_inc", offsetof(struct fact, max_inc)},
    {"type", offsetof(struct fact, type)},
    {"iar", offsetof(struct fact, iar)},
    {"dar", offsetof(struct fact, dar)},
    {"opm", offsetof(struct fact, opm)},
    {"any", offsetof(struct fact, any)},
    {"match0", offsetof(struct fact, match0)},
    {"mask0", offsetof(struct fact, mask0)},
    {"match_rds", offsetof(struct fact, match_rds)},
    {"mask_rds", offsetof(struct fact, mask_rds)},
};

/* Returns the extension: the bits that select the event in addition to code and umask. umask_ext, or IIO's masks at
 * their places from bit 36 of the control register on, or the extra bit of the event code. */
static uint64_t extension(const struct pmon_event_info *info)
{
  uint64_t ext = info->ext;
  for (uint32_t i = 0; i < info->n_fields; i++) {
    if (!strcmp(info->fields[i].name, "fc_mask"))
      ext |= info->fields[i].value << 12;
    else
      ext |= info->fields[i].value;
  }
  return ext;
}

/* Adds properties that an event's description lacks: Montecito's, which are attributes. */
static void add_attributes(const struct db *db, const struct db_event *event, struct fact *f)
{
  static const struct {
    const char *key;
    size_t offset;
  } keys[] = {
      {"type", offsetof(struct fact, type)},
      {"iar", offsetof(struct fact, iar)},
      {"dar", offsetof(struct fact, dar)},
      {"opm", offsetof(struct fact, opm)},
  };
  for (uint32_t i = event->attrs.first; i < event->attrs.first + event->attrs.n; i++)
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
      if (!strcmp(db_text(db, db->attrs[i].key), keys[k].key))
        snprintf((char *)f + keys[k].offset, sizeof f->type, "%s", db_text(db, db->attrs[i].value));
}

/* Adds the value of a QPI packet's filters: message class in bits 12:9, opcode in bits 8:5. */
static void add_packet(const struct db *db, struct db_span settings, struct fact *f)
{
  static const struct {
    const char *name;
    unsigned shift;
    size_t offset;
  } parts[] = {
      {"MATCH0.MC", 9, offsetof(struct fact, match0)},     {"MATCH0.OPC", 5, offsetof(struct fact, match0)},
      {"MASK0.MC", 9, offsetof(struct fact, mask0)},       {"MASK0.OPC", 5, offsetof(struct fact, mask0)},
      {"MATCH1.RDS", 0, offsetof(struct fact, match_rds)},
  };
  for (uint32_t i = settings.first; i < settings.first + settings.n; i++) {
    const char *name = db_text(db, db->settings[i].name);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
      char *text = (char *)f + parts[k].offset;
      uint64_t value = strtoull(text, NULL, 16) | db->settings[i].value << parts[k].shift;
      if (!strcmp(name, parts[k].name))
        snprintf(text, sizeof f->match0, "0x%" PRIx64, value);
    }
    if (!strcmp(name, "MASK1.RDS") && db->settings[i].value)
      snprintf(f->mask_rds, sizeof f->mask_rds, "0x%" PRIx64, db->settings[i].value);
  }
}

/* Adds what the public description lacks, from the tables themselves. */
static void add_rest(const struct audit *a, struct fact *f)
{
  const struct db *db = &db_builtin;
  const struct db_platform *p = &db->platforms[db_find_platform(db, a->platform, strlen(a->platform))];
  for (uint32_t s = p->sets.first; s < p->sets.first + p->sets.n; s++) {
    const char *set = db_text(db, db->sets[s].name);
    if (strncmp(set, f->unit, strlen(f->unit)))
      continue;
    uint32_t at = db_find_event(db, s, f->event, strlen(f->event));
    if (at == DB_NONE)
      continue;
    const struct db_event *event = &db->events[at];
    snprintf(f->any, sizeof f->any, "0x0");
    add_attributes(db, event, f);
    add_packet(db, event->settings, f);
    for (uint32_t u = event->umasks.first; u < event->umasks.first + event->umasks.n; u++)
      if (!strcmp(db_text(db, db->umasks[u].name), f->umask)) {
        add_packet(db, db->umasks[u].settings, f);
        snprintf(f->any, sizeof f->any, "0x%" PRIx64, db_umask_extra(db, &db->umasks[u])->any);
      }
  }
}

static void collect(struct audit *a)
{
  struct pmon_event_cursor at = {0};
  struct pmon_event_info info = {.size = sizeof info};
  size_t room = 0;
  while (pmon_event_next(a->pmon, UINT32_MAX, &at, &info)) {
    if (info.kind != PMON_EVENT_PROGRAMMED)
      continue;
    if (a->n_facts == room)
      a->fact = realloc(a->fact, (room = 2 * room + 512) * sizeof *a->fact);
    assert_non_null(a->fact);
    struct fact *f = &a->fact[a->n_facts++];
    *f = (struct fact){.unit = info.unit,
                       .event = info.event,
                       .umask = info.umask ? info.umask : "",
                       .alias = info.alias,
                       .beyond = *info.source != '\0'};
    snprintf(f->code, sizeof f->code, "0x%" PRIx32, info.code);
    snprintf(f->umask_value, sizeof f->umask_value, "0x%" PRIx64, info.umask_value);
    snprintf(f->ext, sizeof f->ext, "0x%" PRIx64, extension(&info));
    if (info.max_inc)
      snprintf(f->max_inc, sizeof f->max_inc, "%" PRIu32, info.max_inc);
    for (unsigned c = 0, n = 0; c < 32; c++)
      if (info.counters >> c & 1)
        n += (unsigned)snprintf(f->counters + n, sizeof f->counters - n, "%s%u", n ? "," : "", c);
    add_rest(a, f);
  }
}

/* True if the comma-separated list has the name. */
static bool among(const char *names, const char *name)
{
  size_t length = strlen(name);
  for (; *names; names += strcspn(names, ","), names += *names == ',')
    if (strcspn(names, ",") == length && !strncasecmp(names, name, length))
      return true;
  return false;
}

/* Finds a fact; umask `*`: any, for a row about the whole event. */
static struct fact *double_find(const struct audit *a, const char *unit, const char *event, const char *umask)
{
  for (int alias = 0; alias < 2; alias++)
    for (size_t i = 0; i < a->n_facts; i++) {
      struct fact *f = &a->fact[i];
      bool same = alias ? among(f->alias, event) : !strcasecmp(f->event, event);
      if (same && (!strcmp(umask, "*") || !strcasecmp(f->umask, umask)) && !strcmp(f->unit, unit))
        return f;
    }
  return NULL;
}

static void compare_row(struct audit *a, const struct table *t, size_t row)
{
  const char *place[3] = {table_cell(t, row, "unit"), table_cell(t, row, "event"), table_cell(t, row, "umask")};
  struct fact *f = double_find(a, place[0], place[1], place[2]);
  a->compared++;
  if (!f) {
    explain_difference(&a->explain, place, "missing");
    return;
  }
  f->met = f->met || strcmp(place[2], "*");
  f->printed = strncmp(table_cell(t, row, "table"), "facts", 5) != 0;
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    if (table_column(t, columns[i].name) < 0)
      continue;
    const char *guide = table_cell(t, row, columns[i].name), *data = (const char *)f + columns[i].offset;
    char what[TEXT];
    snprintf(what, sizeof what, "%s %s -> %s", columns[i].name, *guide ? guide : "-", *data ? data : "-");
    if (strcasecmp(guide, data))
      explain_difference(&a->explain, place, what);
  }
}

/* Compares a unit's number of events with the number of rows in the guide's own table. */
static void compare_count(struct audit *a, const struct table *t, size_t row)
{
  const char *unit = table_cell(t, row, "unit");
  unsigned n = 0;
  const char *last = "";
  for (size_t i = 0; i < a->n_facts; i++) {
    const struct fact *f = &a->fact[i];
    if (strcmp(f->unit, unit) || !strcmp(f->event, last) || (f->beyond && !f->printed))
      continue;
    last = f->event;
    n++;
  }
  char what[TEXT];
  snprintf(what, sizeof what, "events %s -> %u", table_cell(t, row, "events"), n);
  if ((unsigned)atoi(table_cell(t, row, "events")) != n)
    explain_difference(&a->explain, (const char *const[3]){unit, "", ""}, what);
}

/* True for a platform's tables that do not describe its events. */
static bool is_other(const char *name)
{
  static const char *const kinds[] = {"-addresses", "-differences", "-fields", "-files", "-metrics", "-values"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strstr(name, kinds[i]))
      return true;
  return false;
}

/* Compares the files of a platform: those of its units, or the file of their counts. Returns the number of files. */
static unsigned compare_files(struct audit *a, bool counts)
{
  unsigned files = 0;
  DIR *dir = opendir(AUDIT_DIR);
  assert_non_null(dir);
  size_t length = strlen(a->platform);
  for (const struct dirent *entry; (entry = readdir(dir));) {
    const char *name = entry->d_name;
    if (strncmp(name, a->platform, length) || name[length] != '-' || !strstr(name, ".tsv") || is_other(name) ||
        counts != (strstr(name, "-counts") != NULL))
      continue;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", AUDIT_DIR, name);
    struct table t;
    assert_int_equal(table_read(path, &t), 0);
    for (size_t i = 0; i < t.n_rows; i++)
      (counts ? compare_count : compare_row)(a, &t, i);
    files++;
    table_free(&t);
  }
  closedir(dir);
  return files;
}

static void audit(const char *platform)
{
  struct audit a = {.platform = platform};
  assert_int_equal(pmon_context_new(&a.context), 0);
  assert_int_equal(pmon_platform_find(a.context, platform, &a.pmon), 0);
  collect(&a);
  char name[64];
  snprintf(name, sizeof name, "%s-differences.tsv", platform);
  assert_int_equal(explain_open(&a.explain, name), 0);
  assert_true(compare_files(&a, false) > 0);
  assert_int_equal(compare_files(&a, true), 1);
  for (size_t i = 0; i < a.n_facts; i++)
    if (!a.fact[i].met)
      explain_difference(&a.explain, (const char *const[3]){a.fact[i].unit, a.fact[i].event, a.fact[i].umask},
                         a.fact[i].beyond ? "beyond" : "extra");
  print_message("%s: %u rows compared with %zu facts\n", platform, a.compared, a.n_facts);
  assert_int_equal(a.explain.unexplained, 0);
  assert_int_equal(explain_stale(&a.explain), 0);
  explain_close(&a.explain);
  free(a.fact);
  pmon_context_free(a.context);
}

static void emerald_rapids(void **state)
{
  (void)state;
  audit("emr");
}

static void montecito(void **state)
{
  (void)state;
  audit("montecito");
}

static void e5_2600(void **state)
{
  (void)state;
  audit("snbep");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(emerald_rapids), cmocka_unit_test(e5_2600),
                                     cmocka_unit_test(montecito)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Platforms that import another one: their own blocks take precedence, also for what was imported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include "src/facts/index.h"
#include "tests/facts/toy.h"

static const char platform_text[] = "platform more\ntitle More\ncite MORE 1\nimport emr\nfile toy.reg\nfile toy.evt\n";
static const char reg_text[] =
    "cite MORE 2\nregister PCU_FILTER width 64\n  63:32 - rsvd 0\n  31:0 whole rw 0 all bands at once\n";
static const char evt_text[] =
    "events pcu\ncite MORE 3\nevent MY_OWN 0x7f counters 0-3\n brief mine\nevent CLOCKTICKS 0x11\n brief replaced\n";

static int read_more(void *context, const char *path, char **ret_text, size_t *ret_size)
{
  (void)context;
  const char *text = strstr(path, ".platform") ? platform_text : strstr(path, ".reg") ? reg_text : evt_text;
  *ret_text = strdup(text);
  *ret_size = strlen(text);
  return *ret_text ? 0 : PMON_E_MEMORY;
}

static void user_blocks_override_imported_blocks(void **state)
{
  (void)state;
  const char *file = "more.platform";
  struct facts_reader reader = {read_more, NULL};
  struct facts_input input = {.files = &file, .n = 1, .reader = &reader, .base = &db_builtin};
  struct text_error error = {"", 0, 0, ""};
  struct db *db = NULL;
  int status = facts_load_all(&input, &error, &db);
  if (status)
    print_error("%s:%u:%u: %s\n", error.file, error.line, error.column, error.text);
  assert_int_equal(status, 0);
  uint32_t emr = db_find_platform(db, "emr", 3), more = db_find_platform(db, "more", 4);
  assert_int_equal(db->n_platforms, db_builtin.n_platforms + 1);
  assert_int_equal(db->platforms[more].units.n, db->platforms[emr].units.n);
  assert_int_equal(db->platforms[more].metrics.n, db->platforms[emr].metrics.n);

  uint32_t old_set = db_find_set(db, emr, "pcu", 3), set = db_find_set(db, more, "pcu", 3);
  assert_int_not_equal(set, old_set);
  assert_int_equal(db->sets[set].events.n, db->sets[old_set].events.n + 1);
  assert_int_equal(db_find_event(db, old_set, "my_own", 6), DB_NONE);
  assert_int_equal(db->events[db_find_event(db, set, "my_own", 6)].code, 0x7f);
  assert_int_equal(db->events[db_find_event(db, set, "clockticks", 10)].code, 0x11);
  assert_int_equal(db->events[db_find_event(db, old_set, "clockticks", 10)].code, 0x01);

  /* The imported unit has the replaced layout, the old platform's unit the old one. */
  const struct db_unit *pcu = &db->units[db_find_unit(db, more, "pcu", 3)];
  const struct db_unit *old = &db->units[db_find_unit(db, emr, "pcu", 3)];
  uint32_t reg = pcu->registers.first + pcu->registers.n - 1, old_reg = old->registers.first + old->registers.n - 1;
  assert_int_equal(db->registers[reg].role, PMON_ROLE_FILTER);
  assert_int_not_equal(db_find_field(db, db->registers[reg].layout, "whole", 5), DB_NONE);
  assert_int_equal(db_find_field(db, db->registers[old_reg].layout, "whole", 5), DB_NONE);
  assert_int_equal(db->imports[pcu->imports.first].set, set);
  /* Umasks of imported events are found under the new platform's sets, too. */
  uint32_t cha = db_find_set(db, more, "cha", 3), tor = db_find_event(db, cha, "tor_inserts", 11);
  assert_int_not_equal(tor, DB_NONE);
  assert_int_not_equal(db_find_umask(db, tor, "ia_miss_drd", 11), DB_NONE);
  facts_free(db);
}

static const char *omission;

static int read_omission(void *context, const char *path, char **ret_text, size_t *ret_size)
{
  (void)context;
  const char *text =
      strstr(path, ".platform") ? "platform less\ntitle Less\ncite MORE 1\nimport emr\nfile less.evt\n" : omission;
  *ret_text = strdup(text);
  *ret_size = strlen(text);
  return *ret_text ? 0 : PMON_E_MEMORY;
}

static int load_omission(const char *text, struct text_error *error, struct db **ret_db)
{
  const char *file = "less.platform";
  struct facts_reader reader = {read_omission, NULL};
  const struct facts_input input = {.files = &file, .n = 1, .reader = &reader, .base = &db_builtin};
  omission = text;
  return facts_load_all(&input, error, ret_db);
}

/* `event NAME without PATTERN` leaves umasks of an imported event out, of this platform only. */
static void umasks_can_be_left_out(void **state)
{
  (void)state;
  struct text_error error = {"", 0, 0, ""};
  struct db *db = NULL;
  assert_int_equal(load_omission("events cha\ncite MORE 3\nevent TOR_INSERTS without IA_*_EXP_LOCAL\n"
                                 "event TOR_INSERTS without PMM\n",
                                 &error, &db),
                   0);
  static const struct {
    const char *umask;
    bool there;
  } umasks[] = {{"ia_miss_drd_cxl_exp_local", false}, {"ia_miss_drd_local", true}, {"pmm", false}, {"ddr", true}};
  const uint32_t emr = db_find_platform(db, "emr", 3), less = db_find_platform(db, "less", 4);
  const uint32_t old = db_find_event(db, db_find_set(db, emr, "cha", 3), "tor_inserts", 11);
  const uint32_t own = db_find_event(db, db_find_set(db, less, "cha", 3), "tor_inserts", 11);
  const uint32_t other = db_find_event(db, db_find_set(db, less, "cha", 3), "tor_occupancy", 13);
  for (size_t i = 0; i < sizeof umasks / sizeof *umasks; i++) {
    const size_t n = strlen(umasks[i].umask);
    assert_int_not_equal(db_find_umask(db, old, umasks[i].umask, n), DB_NONE);
    assert_int_equal(db_find_umask(db, own, umasks[i].umask, n) != DB_NONE, umasks[i].there);
    assert_int_not_equal(db_find_umask(db, other, umasks[i].umask, n), DB_NONE);
  }
  facts_free(db);
  assert_int_equal(load_omission("events cha\ncite MORE 3\nevent NO_SUCH without A\n", &error, &db), PMON_E_UNKNOWN);
  assert_string_equal(error.text, "an event of an imported platform expected, not NO_SUCH");
  assert_int_equal(error.line, 3);
  assert_int_equal(load_omission("events cha\ncite MORE 3\nevent TOR_INSERTS without NO*NE\n", &error, &db),
                   PMON_E_UNKNOWN);
  assert_string_equal(error.text, "a umask of the imported event TOR_INSERTS expected, none matches 'NO*NE'");
}

static const char bare_text[] = "platform more\ntitle More\ncite MORE 1\nimport emr registers\nfile more.evt\n";

static int read_bare(void *context, const char *path, char **ret_text, size_t *ret_size)
{
  (void)context;
  const char *text = strstr(path, ".platform") ? bare_text : evt_text;
  *ret_text = strdup(text);
  *ret_size = strlen(text);
  return *ret_text ? 0 : PMON_E_MEMORY;
}

static void registers_alone_come_without_events(void **state)
{
  (void)state;
  const char *file = "more.platform";
  struct facts_reader reader = {read_bare, NULL};
  struct facts_input input = {.files = &file, .n = 1, .reader = &reader, .base = &db_builtin};
  struct text_error error = {"", 0, 0, ""};
  struct db *db = NULL;
  assert_int_equal(facts_load_all(&input, &error, &db), 0);
  uint32_t emr = db_find_platform(db, "emr", 3), more = db_find_platform(db, "more", 4);
  assert_int_equal(db->platforms[more].units.n, db->platforms[emr].units.n);
  assert_int_equal(db->platforms[more].layouts.n, db->platforms[emr].layouts.n);
  assert_int_equal(db->platforms[more].metrics.n, 0);
  assert_int_equal(db->platforms[more].invariants.n, 0);
  for (uint32_t i = 0; i < db->platforms[more].sets.n; i++) {
    const struct db_set *set = &db->sets[db->platforms[more].sets.first + i];
    assert_int_equal(set->events.n, strcmp(db_text(db, set->name), "pcu") ? 0 : 2);
  }
  facts_free(db);
}

static void two_platforms_in_one(void **state)
{
  (void)state;
  struct toy toy = {.base = &db_builtin};
  struct text_error error = {"", 0, 0, ""};
  struct db *db = NULL;
  assert_int_equal(toy_load(&toy, &error, &db), 0);
  uint32_t row = db_find_platform(db, "toy", 3);
  assert_int_equal(db->platforms[row].units.n, 2);
  assert_int_equal(db_find_unit(db, row, "cha", 3), DB_NONE);
  assert_int_not_equal(db_find_unit(db, db_find_platform(db, "emr", 3), "cha", 3), DB_NONE);
  facts_free(db);
}

static void one_name_is_one_platform(void **state)
{
  (void)state;
  struct toy toy = {.suffix = NULL};
  struct text_error error = {"", 0, 0, ""};
  struct db *first = NULL, *db = NULL;
  assert_int_equal(toy_load(&toy, &error, &first), 0);
  toy.base = first;
  assert_int_equal(toy_load(&toy, &error, &db), PMON_E_CONFLICT);
  assert_string_equal(error.text, "a new platform name expected, 'toy' already exists");
  facts_free(first);
}

/* From disk, and through `import` of a platform that has not been read yet. */
static void an_import_is_searched_in_the_platform_folder(void **state)
{
  (void)state;
  struct text_error error = {"", 0, 0, ""};
  struct db *db = NULL;
  int status = facts_load(FACTS_DIR "/more/more.platform", &error, &db);
  if (status)
    print_error("%s:%u:%u: %s\n", error.file, error.line, error.column, error.text);
  assert_int_equal(status, 0);
  uint32_t toy = db_find_platform(db, "toy", 3), more = db_find_platform(db, "more", 4);
  assert_int_equal(toy, db_builtin.n_platforms);
  assert_int_equal(more, toy + 1);
  /* Two files fill the set, which is merged with the imported one. */
  uint32_t set = db_find_set(db, more, "balls", 5), old = db_find_set(db, toy, "balls", 5);
  assert_int_equal(db->sets[set].events.n, db->sets[old].events.n + 2);
  assert_int_not_equal(db_find_event(db, set, "FIRST", 5), DB_NONE);
  assert_int_not_equal(db_find_event(db, set, "SECOND", 6), DB_NONE);
  assert_int_not_equal(db_find_event(db, set, "CLOCKTICKS", 10), DB_NONE);
  assert_int_equal(db_find_event(db, old, "FIRST", 5), DB_NONE);
  facts_free(db);
}

static const struct pmon_platform *extended(struct pmon_context *context, const char *files, int want)
{
  const struct pmon_platform *platform = NULL;
  assert_int_equal(pmon_context_extend(context, "emr", files), want);
  assert_int_equal(pmon_platform_find(context, "emr", &platform), 0);
  return platform;
}

static uint32_t metrics_of(const struct pmon_platform *platform, const char *name, uint32_t *ret_found)
{
  struct pmon_metric_info info = {.size = sizeof info};
  uint32_t n = 0;
  for (*ret_found = 0; !pmon_metric_describe(platform, n, &info); n++)
    *ret_found += !strcmp(info.name, name);
  return n;
}

/* The function behind `-p emr,mine.met`: the platform keeps its name and contents. */
static void user_files_extend_a_platform(void **state)
{
  (void)state;
  struct pmon_context *context;
  struct pmon_platform_info info = {.size = sizeof info};
  uint32_t found, before;
  assert_int_equal(pmon_context_new(&context), 0);
  const struct pmon_platform *platform;
  assert_int_equal(pmon_platform_find(context, "emr", &platform), 0);
  before = metrics_of(platform, "READ_SHARE", &found);
  assert_int_equal(found, 0);

  /* a failure changes nothing */
  assert_ptr_equal(extended(context, FACTS_DIR "/more/none.met", PMON_E_IO), platform);
  assert_non_null(strstr(pmon_context_error(context), "'" FACTS_DIR "/more/none.met' cannot be read"));
  assert_int_not_equal(*pmon_context_error(context), ':');
  assert_ptr_equal(extended(context, FACTS_DIR "/more/mine.met," FACTS_DIR "/toy/toy.met", PMON_E_UNKNOWN), platform);
  assert_int_equal(pmon_context_extend(context, "none", FACTS_DIR "/more/mine.met"), PMON_E_UNKNOWN);

  const struct pmon_platform *own = extended(context, FACTS_DIR "/more/mine.met", 0);
  assert_ptr_not_equal(own, platform);
  assert_int_equal(metrics_of(own, "READ_SHARE", &found), before + 1);
  assert_int_equal(found, 1);
  pmon_platform_describe(own, &info);
  assert_string_equal(info.name, "emr");
  assert_string_equal(info.base, "emr");
  struct pmon_plan *plan;
  assert_int_equal(pmon_plan_new(context, own, &plan), 0);
  assert_int_equal(pmon_plan_add_metrics(plan, "READ_SHARE,MEM_BW_TOTAL"), 0);
  assert_int_equal(pmon_plan_schedule(plan), 0);
  pmon_plan_free(plan);
  pmon_context_free(context);
}

/* The base of an importing platform is the platform whose registers, and therefore whose machine, it has. */
static void a_platform_has_its_base(void **state)
{
  (void)state;
  struct pmon_context *context;
  struct pmon_platform_info info = {.size = sizeof info};
  assert_int_equal(pmon_context_new(&context), 0);
  assert_int_equal(pmon_context_load(context, FACTS_DIR "/more/more.platform"), 0);
  pmon_platform_describe(pmon_platform_get(context, 1), &info);
  assert_string_equal(info.name, "more");
  assert_string_equal(info.base, "toy");
  pmon_platform_describe(pmon_platform_get(context, 0), &info);
  assert_string_equal(info.base, "toy");
  pmon_context_free(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(user_blocks_override_imported_blocks),
      cmocka_unit_test(umasks_can_be_left_out),
      cmocka_unit_test(registers_alone_come_without_events),
      cmocka_unit_test(two_platforms_in_one),
      cmocka_unit_test(one_name_is_one_platform),
      cmocka_unit_test(an_import_is_searched_in_the_platform_folder),
      cmocka_unit_test(user_files_extend_a_platform),
      cmocka_unit_test(a_platform_has_its_base),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

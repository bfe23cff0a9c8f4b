/* SPDX-License-Identifier: MIT */
/*
 * Each file of refused/ is one of the toy platform's files with one error. Its first line says where the parser must
 * stop, and with which message: `# refused FILE:LINE:COLUMN MESSAGE`.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "src/facts/parser.h"
#include "tests/facts/toy.h"

static void refused_refuse(const char *file)
{
  char name[300], found[600], expected[600];
  size_t size;
  snprintf(name, sizeof name, "refused/%s", file);
  char *text = toy_read(name, &size);
  assert_non_null(text);
  static const char mark[] = "# refused ";
  assert_memory_equal(text, mark, sizeof mark - 1);
  const char *line = text + sizeof mark - 1, *end = memchr(line, '\n', size - (sizeof mark - 1));
  assert_non_null(end);
  snprintf(expected, sizeof expected, "%s: %.*s", file, (int)(end - line), line);

  struct toy toy = {.suffix = strrchr(file, '.'), .text = text, .size = size};
  struct text_error error = {"", 0, 0, ""};
  struct db *db = NULL;
  int status = toy_load(&toy, &error, &db);
  const char *slash = strrchr(error.file, '/');
  snprintf(found, sizeof found, "%s: %s:%u:%u %s", file, slash ? slash + 1 : error.file, error.line, error.column,
           error.text);
  free(text);
  assert_string_equal(found, expected);
  assert_true(status < 0);
  assert_null(db);
}

static void every_file_is_refused_at_its_marked_line(void **state)
{
  (void)state;
  struct dirent **files;
  int n = scandir(FACTS_DIR "/refused", &files, NULL, alphasort);
  assert_true(n > 140);
  for (int i = 0; i < n; i++) {
    if (files[i]->d_name[0] != '.')
      refused_refuse(files[i]->d_name);
    free(files[i]);
  }
  free(files);
}

/* A file truncated anywhere must be refused or give a whole table, never crash or give half a table. */
static void cut_files_are_refused_or_whole(void **state)
{
  (void)state;
  static const char *const suffixes[] = {".reg", ".unit", ".evt", ".met", ".rule", ".platform"};
  for (size_t s = 0; s < sizeof suffixes / sizeof *suffixes; s++) {
    char name[32];
    size_t size;
    snprintf(name, sizeof name, "toy/toy%s", suffixes[s]);
    char *text = toy_read(name, &size);
    assert_non_null(text);
    for (size_t cut = 0; cut < size; cut++) {
      struct toy toy = {.suffix = suffixes[s], .text = text, .size = cut};
      struct text_error error = {"", 0, 0, ""};
      struct db *db = NULL;
      int status = toy_load(&toy, &error, &db);
      assert_true((status == 0) == (db != NULL));
      assert_true(status == 0 || *error.text);
      facts_free(db);
    }
    free(text);
  }
}

static void a_missing_platform_file_is_named(void **state)
{
  (void)state;
  struct text_error error = {"", 0, 0, ""};
  struct db *db = NULL;
  char text[600];
  assert_true(facts_load("no/such.platform", &error, &db) < 0);
  text_error_format(&error, text, sizeof text);
  assert_string_equal(text,
                      "no/such.platform: expected a platform file; 'no/such.platform' cannot be read: "
                      "No such file or directory; expected an absolute path, or one relative to the current directory");
}

/* The budget of searches grows by 64 steps per byte of input; a search costs a step even if it has nothing to look
 * at. */
static void searches_have_a_budget(void **state)
{
  (void)state;
  struct text_error error = {"", 0, 0, ""};
  struct builder b;
  assert_true(builder_init(&b, NULL, &error));
  b.bytes = 10;
  assert_true(builder_step(&b, BUILDER_STEPS + 640));
  assert_false(builder_step(&b, 1));
  b.steps = 0;
  const uint32_t layout = builder_push(&b, ROWS_layouts, &(struct db_layout){.name = 0}, (struct facts_pos){0, 0, 0});
  for (int i = 0; i < 3; i++)
    assert_int_equal(build_find_field(&b, layout, text_of("none")), DB_NONE);
  assert_int_equal(b.steps, 3);
  builder_fini(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_file_is_refused_at_its_marked_line),
      cmocka_unit_test(cut_files_are_refused_or_whole),
      cmocka_unit_test(a_missing_platform_file_is_named),
      cmocka_unit_test(searches_have_a_budget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

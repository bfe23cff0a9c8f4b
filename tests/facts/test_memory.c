/* SPDX-License-Identifier: MIT */
/*
 * Loading without memory: the n-th allocation fails, for every n until the load succeeds. Each failure is PMON_E_MEMORY
 * and leaks nothing (linked with --wrap for the allocator's functions).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/status.h>
#include "tests/facts/toy.h"

static long allowed = -1; /* successful allocations before one fails; negative: all succeed */
static long live;         /* blocks not freed */

void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_malloc(size_t size);
void __real_free(void *p);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void __wrap_free(void *p);

static int refused(void)
{
  if (allowed < 0)
    return 0;
  return allowed-- == 0;
}

void *__wrap_calloc(size_t n, size_t size)
{
  void *p = refused() ? NULL : __real_calloc(n, size);
  live += p != NULL;
  return p;
}

void *__wrap_realloc(void *old, size_t size)
{
  void *p = refused() ? NULL : __real_realloc(old, size);
  live += p != NULL && !old;
  return p;
}

void *__wrap_malloc(size_t size)
{
  void *p = refused() ? NULL : __real_malloc(size);
  live += p != NULL;
  return p;
}

void __wrap_free(void *p)
{
  live -= p != NULL;
  __real_free(p);
}

/* All texts are in memory, so that only the loader allocates (apart from its copy of them). */
static struct {
  char name[32];
  char *text;
  size_t size;
} texts[6];

static int read_text(void *context, const char *path, char **ret_text, size_t *ret_size)
{
  (void)context;
  for (size_t i = 0; i < 6; i++)
    if (strstr(texts[i].name, path)) {
      *ret_text = malloc(texts[i].size);
      *ret_size = texts[i].size;
      if (!*ret_text)
        return PMON_E_MEMORY;
      memcpy(*ret_text, texts[i].text, texts[i].size);
      return 0;
    }
  return PMON_E_IO;
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
  (void)state;
  static const char *const suffixes[] = {"platform", "reg", "unit", "evt", "met", "rule"};
  for (size_t i = 0; i < 6; i++) {
    strcpy(texts[i].name, "toy/toy.");
    strcat(texts[i].name, suffixes[i]);
    texts[i].text = toy_read(texts[i].name, &texts[i].size);
    assert_non_null(texts[i].text);
  }
  const char *file = "toy.platform";
  struct facts_reader reader = {read_text, NULL};
  struct facts_input input = {.files = &file, .n = 1, .reader = &reader};
  long before = live, n = 0;
  for (;; n++) {
    struct text_error error = {"", 0, 0, ""};
    struct db *db = NULL;
    allowed = n;
    int status = facts_load_all(&input, &error, &db);
    allowed = -1;
    if (!status) {
      facts_free(db);
      assert_int_equal(live, before);
      break;
    }
    assert_int_equal(status, PMON_E_MEMORY);
    assert_null(db);
    assert_string_equal(error.text, "no memory");
    assert_int_equal(live, before);
  }
  assert_true(n > 50);
  for (size_t i = 0; i < 6; i++)
    free(texts[i].text);
}

static void statuses_have_names(void **state)
{
  (void)state;
  assert_string_equal(pmon_status_name(0), "PMON_OK");
  assert_string_equal(pmon_status_name(PMON_E_RANGE), "PMON_E_RANGE");
  assert_string_equal(pmon_status_name(PMON_E_STOLEN), "PMON_E_STOLEN");
  assert_string_equal(pmon_status_name(PMON_E_STOLEN - 1), "PMON_?");
  assert_string_equal(pmon_status_name(1), "PMON_?");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
      cmocka_unit_test(statuses_have_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Findings by function, without a guest: as text, JSON and JUnit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "cli/vm/by_function.h"

static const struct symbol driver = {.name = "box_init", .module = "my_uncore"},
                           kernel = {.name = "<sysfs>", .module = ""}, way = {.name = "native_write_msr", .module = ""};

/* Returns the call chain of an access by `function` (NULL: unknown) through the kernel. */
static struct callers_chain chain(const struct symbol *function)
{
  return (struct callers_chain){.n = 2, .driver = function ? 1 : 2, .function = {&way, function}};
}

static void add(struct by_functions *b, const struct symbol *function, bool advice, bool known)
{
  const struct callers_chain by = chain(function);
  by_function_add(b, &by, advice, known);
}

static char *written(void (*write)(const struct by_functions *b, struct out *out), const struct by_functions *b)
{
  struct out *out = calloc(1, sizeof *out);
  assert_non_null(out);
  write(b, out);
  out->buffer[out->n] = 0;
  char *text = strdup(out->buffer);
  free(out);
  assert_non_null(text);
  return text;
}

static void test_functions(void **state)
{
  struct by_functions b;
  char text[200];
  (void)state;
  assert_true(by_function_init(&b, 5));
  char *junit = written(by_function_write_junit, &b), *json = written(by_function_write_json, &b);
  assert_string_equal(junit, "");
  assert_string_equal(json, "\"functions\":[]");
  free(junit);
  free(json);
  add(&b, &driver, false, true);
  add(&b, &kernel, false, false);
  add(&b, NULL, false, false);
  add(&b, &driver, false, false);
  add(&b, &driver, true, false);
  assert_int_equal(b.n, 2);
  by_function_format(&b, 0, text, sizeof text);
  assert_string_equal(text, "function box_init [my_uncore]: 2 violations (1 known), 1 advisory");
  by_function_format(&b, 1, text, sizeof text);
  assert_string_equal(text, "function <sysfs>: 1 violation (0 known), 0 advisories");
  junit = written(by_function_write_junit, &b);
  assert_string_equal(junit,
                      "  <properties>\n"
                      "    <property name=\"box_init [my_uncore]\" value=\"2 violations (1 known), 1 advisory\"/>\n"
                      "    <property name=\"&lt;sysfs&gt;\" value=\"1 violation (0 known), 0 advisories\"/>\n"
                      "  </properties>\n");
  json = written(by_function_write_json, &b);
  assert_string_equal(json,
                      "\"functions\":[{\"function\":\"box_init\",\"module\":\"my_uncore\",\"violations\":2,\"known\":1,"
                      "\"advices\":1},{\"function\":\"<sysfs>\",\"module\":null,\"violations\":1,\"known\":0,"
                      "\"advices\":0}]");
  free(junit);
  free(json);
  by_function_free(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_functions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

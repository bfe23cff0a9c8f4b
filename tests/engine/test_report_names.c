/* SPDX-License-Identifier: MIT */
/* Reports with names of arbitrary bytes: valid JSON, and no control sequences for a terminal. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/report.h>

static int report_take(void *user, const char *bytes, size_t n)
{
  strncat(user, bytes, n);
  return 0;
}

/* A command's arguments may contain any bytes; the JSON stays valid. */
static void any_bytes_make_valid_json(void **state)
{
  char name[] = "a\"\\\n\x01\xff\xc3\xa9 \xe2\x82", text[2048] = "";
  struct pmon_report_head head = {.size = sizeof head, .command = name};
  struct pmon_report *r;
  json_error_t error;
  (void)state;
  assert_int_equal(pmon_report_new(&head, &r), 0);
  assert_int_equal(pmon_report_format(r, PMON_FORMAT_JSON, report_take, text), 0);
  json_t *o = json_loads(text, 0, &error);
  assert_non_null(o);
  assert_string_equal(json_string_value(json_object_get(o, "command")), "a\"\\\n\x01\xc3\xbf\xc3\xa9 \xc3\xa2\xc2\x82");
  json_decref(o);
  pmon_report_free(r);
}

/* A region's name comes from the workload, the command from a recording: neither may send control sequences to a
 * terminal. */
static void control_characters_are_escaped_in_text(void **state)
{
  static const struct {
    const char *command, *region;
    uint32_t columns;
    const char *first;
  } rows[] = {{"a\033]0;x\007\nb\xc3\xa9", NULL, 0, "a\\x1b]0;x\\x07\\x0ab\xc3\xa9\n"},
              {"123456789\033abc", NULL, 8, "12345...\n"},
              {"a", "\033[2Jr\x7f\xc3\xa9", 0, "region \\x1b[2Jr\\x7f\xc3\xa9, all threads: 3 calls, "}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[2048] = "";
    struct pmon_report_head head = {.size = sizeof head,
                                    .command = rows[i].command,
                                    .region = rows[i].region,
                                    .thread = PMON_REGION_ALL_THREADS,
                                    .calls = 3,
                                    .columns = rows[i].columns};
    struct pmon_report *r;
    assert_int_equal(pmon_report_new(&head, &r), 0);
    assert_int_equal(pmon_report_format(r, PMON_FORMAT_TEXT, report_take, text), 0);
    assert_memory_equal(text, rows[i].first, strlen(rows[i].first));
    pmon_report_free(r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_bytes_make_valid_json),
                                     cmocka_unit_test(control_characters_are_escaped_in_text)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

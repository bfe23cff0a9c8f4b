/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <pmon/status.h>
#include "tests/trace/collect.h"

static void read_text(const char *text, struct collected *c)
{
  struct trace_input *in;
  struct trace_source *s;
  char error[TRACE_ERROR_SIZE];

  *c = (struct collected){0};
  assert_int_equal(trace_input_memory("file", text, strlen(text), &in), 0);
  c->status = trace_source_of_input(in, error, sizeof error, &s);
  if (c->status == 0)
    collect(s, c);
  else
    memcpy(c->error, error, sizeof error);
}

static void test_lines_become_records(void **state)
{
  /* the words are spelled out, so that a wrong shift in the macros is found */
  static const uint64_t expected[] = {
      0x8203000004222c40, 0x0003001ffeffe7e0, 0x0012001ffeffe7e4,
      0x8205000004222c43, 0x0003000000601000, 0x0013000000601000, /* modify */
      0x0003000000700000, 0x0001000000700008,                     /* ten bytes in two pieces */
  };
  struct collected c;

  (void)state;
  read_text("==77== Lackey, an example Valgrind tool\n"
            "--77-- warning: something\n"
            "\n"
            "I  04222c40,3\n L 1ffeffe7e0,8\n S 1ffeffe7e4,4\r\nI  04222c43,5\n M 00601000,8\n L 700000,10",
            &c);
  assert_int_equal(c.status, 0);
  assert_int_equal(c.threads, 1);
  assert_int_equal(c.n[0], sizeof expected / sizeof expected[0]);
  assert_memory_equal(c.record[0], expected, sizeof expected);
  collected_free(&c);
}

static void test_wrong_lines_are_reported_by_number(void **state)
{
  static const char *const wrong[] = {
      "L 04222c40,3",
      " L 04222c40",
      " L 04222c40,",
      " L ,3",
      " L 04222cg0,3",
      " L 04222c40,3x",
      " L 04222c40,0",
      " L 04222c40,5000",
      " X 04222c40,3",
      "I 04222c40,3",
      "I  04222c40,99",
      "hello",
      " L 12345678123456781,4",
      " L",
      "I",
  };

  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    char text[128];
    struct collected c;

    snprintf(text, sizeof text, "I  04222c40,3\n L 1000,8\n%s\n S 1000,8\n", wrong[i]);
    read_text(text, &c);
    if (c.status != PMON_E_SYNTAX || !strstr(c.error, "file: line 3: "))
      fail_msg("'%s': status %d, '%s'", wrong[i], c.status, c.error);
    assert_int_equal(c.total, 2);
    collected_free(&c);
  }
}

static void test_an_overlong_line_and_a_zero_byte_are_refused(void **state)
{
  char *text = malloc(100002);
  struct trace_input *in;
  struct trace_source *s;
  struct collected c;
  char error[TRACE_ERROR_SIZE];

  (void)state;
  memset(text, '0', 100001);
  memcpy(text, "I  ", 3);
  text[100001] = 0;
  read_text(text, &c);
  assert_int_equal(c.status, PMON_E_SYNTAX);
  assert_non_null(strstr(c.error, "line 1: the line is too long"));
  collected_free(&c);
  free(text);

  assert_int_equal(trace_input_memory("file", " L 1000,8\0\n L 1000,8\n", 21, &in), 0);
  assert_int_equal(trace_source_of_input(in, error, sizeof error, &s), 0);
  collect(s, &c);
  assert_int_equal(c.status, PMON_E_SYNTAX);
  assert_non_null(strstr(c.error, "line 1: contains a NUL byte"));
  collected_free(&c);
}

static void test_an_empty_file_is_refused_as_a_trace(void **state)
{
  struct collected c;

  (void)state;
  read_text("", &c);
  assert_int_equal(c.status, PMON_E_SYNTAX);
  assert_non_null(strstr(c.error, "empty"));
}

static void test_another_file_is_refused_when_it_is_opened(void **state)
{
  static const char *const others[] = {"hello\n", "L 04222c40,3\n", "I 04222c40,3\n", "\177ELF", " X 1000,8\n", " ;\n"};
  static const char *const own[] = {"\n \r\n L 1000,8\n", "==1== Lackey\n L 1000,8\n", "        \n L 1000,8",
                                    " L 1000,8"};
  struct trace_input *in;
  struct trace_source *s;
  struct collected c;
  char error[TRACE_ERROR_SIZE];

  (void)state;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    assert_int_equal(trace_input_memory("file", others[i], strlen(others[i]), &in), 0);
    assert_int_equal(trace_source_of_input(in, error, sizeof error, &s), PMON_E_SYNTAX);
    assert_non_null(strstr(error, "file: not a trace; expected a file of `pmon machine record`"));
  }
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    read_text(own[i], &c);
    assert_int_equal(c.status, 0);
    assert_int_equal(c.total, 1);
    collected_free(&c);
  }
}

/* Texts with more lines than fit into one window. */
static void test_long_texts_are_complete(void **state)
{
  const unsigned lines = 300000;
  char *text = malloc(lines * 20u), *to = text;
  struct collected c;

  (void)state;
  for (unsigned i = 0; i < lines; i++)
    to += sprintf(to, " %c %x,4\n", i % 3 ? 'L' : 'S', 0x1000 + 4 * i);
  read_text(text, &c);
  assert_int_equal(c.status, 0);
  assert_int_equal(c.n[0], lines);
  for (unsigned i = 0; i < lines; i++)
    assert_int_equal(c.record[0][i], record_access(0x1000 + 4 * i, 2, i % 3 == 0, 0));
  collected_free(&c);
  free(text);
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines_become_records),
      cmocka_unit_test(test_wrong_lines_are_reported_by_number),
      cmocka_unit_test(test_an_overlong_line_and_a_zero_byte_are_refused),
      cmocka_unit_test(test_an_empty_file_is_refused_as_a_trace),
      cmocka_unit_test(test_another_file_is_refused_when_it_is_opened),
      cmocka_unit_test(test_long_texts_are_complete),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

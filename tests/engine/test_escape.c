/* SPDX-License-Identifier: MIT */
/* Which characters are printed as they are, and which as a number (src/base/escape.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "src/base/escape.h"

static void append(void *user, const char *s, size_t n)
{
  strncat(user, s, n);
}

static void what_acts_on_a_terminal_is_written_as_a_number(void **state)
{
  static const struct {
    const char *text, *escaped, *in_lines;
  } rows[] = {
      {"", "", ""},
      {"plain ~", "plain ~", "plain ~"},
      {"a\nb\tc", "a\\x0ab\\x09c", "a\nb\tc"},
      {"\r\b\033[2J\177", "\\x0d\\x08\\x1b[2J\\x7f", "\\x0d\\x08\\x1b[2J\\x7f"},
      {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
       "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
      {"\xc2\x9b"
       "31m",
       "\\x9b31m", "\\x9b31m"}, /* CSI in UTF-8 */
      {"\x9b"
       "31m",
       "\\x9b31m", "\\x9b31m"},                                    /* as a single byte */
      {"\xe2\x80\xaegpj.exe", "\\u202egpj.exe", "\\u202egpj.exe"}, /* right-to-left override */
      {"\xe2\x81\xa6x", "\\u2066x", "\\u2066x"},
      {"\xc0\x9b", "\\xc0\\x9b", "\\xc0\\x9b"}, /* longer than necessary */
      {"\xe0\x80\x9b", "\\xe0\\x80\\x9b", "\\xe0\\x80\\x9b"},
      {"\xed\xa0\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80"}, /* half of a surrogate pair */
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\\xf4\\x90\\x80\\x80"},
      {"cut \xe2\x82", "cut \\xe2\\x82", "cut \\xe2\\x82"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[80] = "", lines[80] = "";
    escape_write(rows[i].text, strlen(rows[i].text), LINES_ESCAPED, append, text);
    escape_write(rows[i].text, strlen(rows[i].text), LINES_PLAIN, append, lines);
    assert_string_equal(text, rows[i].escaped);
    assert_string_equal(lines, rows[i].in_lines);
  }
}

/* Every byte of every output is printable. */
static void all_pairs_of_bytes_come_out_plain(void **state)
{
  (void)state;
  for (unsigned pair = 0; pair < 0x10000; pair++) {
    const char in[] = {(char)(pair >> 8), (char)pair};
    char out[80] = "";
    escape_write(in, sizeof in, LINES_ESCAPED, append, out);
    assert_int_equal(escape_plain(out, strlen(out), LINES_ESCAPED), strlen(out));
    assert_true(strlen(out) >= 2);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_acts_on_a_terminal_is_written_as_a_number),
                                     cmocka_unit_test(all_pairs_of_bytes_come_out_plain)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

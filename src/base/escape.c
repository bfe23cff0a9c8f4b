/* SPDX-License-Identifier: MIT */
#include "src/base/escape.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

size_t escape_decode(const char *s, size_t n, uint32_t *ret_code)
{
  static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
  const uint8_t c = n ? (uint8_t)*s : 0xff;
  const size_t length = c < 0x80                ? 1
                        : c >= 0xc2 && c < 0xe0 ? 2
                        : c >= 0xe0 && c < 0xf0 ? 3
                        : c >= 0xf0 && c < 0xf5 ? 4
                                                : 0;
  uint32_t code = length == 1 ? c : c & (0x7fu >> length);
  if (!length || length > n)
    return 0;
  for (size_t i = 1; i < length; i++) {
    if (((uint8_t)s[i] & 0xc0) != 0x80)
      return 0;
    code = code << 6 | ((uint8_t)s[i] & 0x3f);
  }
  if (code < lowest[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    return 0;
  *ret_code = code;
  return length;
}

static bool escape_is_plain(uint32_t code)
{
  return code >= 0x20 && code != 0x7f && !(code >= 0x80 && code < 0xa0) && !(code >= 0x202a && code <= 0x202e) &&
         !(code >= 0x2066 && code <= 0x2069) && code != 0x200e && code != 0x200f && code != 0x61c;
}

size_t escape_plain(const char *s, size_t n, enum escape_lines lines)
{
  size_t i = 0;
  while (i < n) {
    const uint8_t c = (uint8_t)s[i];
    uint32_t code;
    if ((c >= 0x20 && c < 0x7f) || (lines && (c == '\n' || c == '\t'))) {
      i++;
      continue;
    }
    const size_t length = escape_decode(s + i, n - i, &code);
    if (!length || !escape_is_plain(code))
      break;
    i += length;
  }
  return i;
}

size_t escape_format(const char *s, size_t n, char text[ESCAPE_TEXT])
{
  uint32_t code;
  const size_t length = escape_decode(s, n, &code);
  if (!length)
    code = (uint8_t)*s;
  snprintf(text, ESCAPE_TEXT, code < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)code);
  return length ? length : 1;
}

void escape_write(const char *s, size_t n, enum escape_lines lines, void (*write)(void *user, const char *s, size_t n),
                  void *user)
{
  char text[ESCAPE_TEXT];
  for (size_t i = 0; i < n;) {
    const size_t plain = escape_plain(s + i, n - i, lines);
    if (plain)
      write(user, s + i, plain);
    i += plain;
    if (i < n) {
      i += escape_format(s + i, n - i, text);
      write(user, text, strlen(text));
    }
  }
}

/* SPDX-License-Identifier: MIT */
#include "src/base/buffer.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include "src/base/escape.h"
#include "src/base/real.h"
#include "src/base/writer.h"

bool buffer_grow(struct buffer *b, size_t n)
{
  const size_t cap = 2 * b->cap + n + 256;
  char *grown = b->failed ? NULL : realloc(b->data, cap);
  b->failed = !grown;
  if (!grown)
    return false;
  b->data = grown;
  b->cap = cap;
  return true;
}

void buffer_add_decimal(struct buffer *b, uint64_t value)
{
  char digits[20];
  struct writer w = {.at = digits, .size = sizeof digits};
  write_decimal(&w, value);
  buffer_add_bytes(b, digits, w.n);
}

void buffer_add(struct buffer *b, const char *format, ...)
{
  for (int again = 0; again < 2 && !b->failed; again++) {
    va_list args;
    va_start(args, format);
    const size_t room = b->cap - b->n;
    const int n = real_print_list(b->data ? b->data + b->n : NULL, room, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n < room) {
      b->n += (size_t)n;
      return;
    }
    if (n < 0)
      b->failed = true;
    else
      buffer_grow(b, (size_t)n + 1);
  }
}

static void buffer_add_piece(void *user, const char *s, size_t n)
{
  buffer_add_bytes(user, s, n);
}

void buffer_add_text(struct buffer *b, const char *s, size_t n)
{
  escape_write(s, n, LINES_ESCAPED, buffer_add_piece, b);
}

void buffer_add_csv(struct buffer *b, const char *s)
{
  if (!s[strcspn(s, ",\"\r\n")]) {
    buffer_add_text(b, s, strlen(s));
    return;
  }
  buffer_add_bytes(b, "\"", 1);
  for (size_t n; *s; s += n + (s[n] != 0)) {
    n = strcspn(s, "\"");
    buffer_add_text(b, s, n);
    if (s[n])
      buffer_add_bytes(b, "\"\"", 2);
  }
  buffer_add_bytes(b, "\"", 1);
}

void buffer_add_real(struct buffer *b, double v)
{
  char text[32];
  int digits = 15;
  if (v == floor(v) && fabs(v) < 9007199254740992.0) {
    buffer_add(b, "%.0f", v);
    return;
  }
  do
    real_print(text, sizeof text, "%.*g", digits, v);
  while (real_parse(text, NULL) != v && digits++ < 17);
  buffer_add(b, "%s", text);
}

void buffer_fill(struct buffer *b, char c, size_t n)
{
  while (n--)
    buffer_add_bytes(b, &c, 1);
}

void buffer_end_line(struct buffer *b)
{
  while (b->n && b->data[b->n - 1] == ' ')
    b->n--;
  buffer_add_bytes(b, "\n", 1);
}

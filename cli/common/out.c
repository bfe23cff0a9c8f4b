/* SPDX-License-Identifier: MIT */
#include "cli/common/out.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "src/base/escape.h"

enum { PIECE = 4096, LOOK_MS = 100 }; /* a pipe that can be written to has room for a piece */

/* Waits until output can be written. false: more than `most` signals have come. A signal may come before the wait:
 * therefore each wait is short. */
static bool out_is_read(const struct out *o, sig_atomic_t most)
{
  struct pollfd end = {.fd = o->fd, .events = POLLOUT};
  for (;;) {
    const int ready = poll(&end, 1, LOOK_MS);
    if (ready > 0 || (ready < 0 && errno != EINTR))
      return true;
    if (*o->signals > most)
      return false;
  }
}

/* Returns how much was written before an error, or before output is not read after more than `most` signals. */
static size_t out_write(struct out *o, const char *s, size_t n, sig_atomic_t most)
{
  size_t done = 0;
  while (done < n && !o->error) {
    if (o->signals && !out_is_read(o, most))
      break;
    const size_t left = n - done, part = o->signals && left > PIECE ? PIECE : left;
    const ssize_t written = write(o->fd, s + done, part);
    if (written >= 0)
      done += (size_t)written;
    else if (errno != EINTR)
      o->error = errno;
  }
  return done;
}

static void out_hold(struct out *o, const char *s, size_t n)
{
  char *held = realloc(o->held, o->n_held + n);
  if (!held) {
    o->error = ENOMEM;
    return;
  }
  memcpy(held + o->n_held, s, n);
  o->held = held;
  o->n_held += n;
}

void out_flush(struct out *o)
{
  const size_t done = o->n_held ? 0 : out_write(o, o->buffer, o->n, 0);
  if (done < o->n && !o->error)
    out_hold(o, o->buffer + done, o->n - done);
  o->n = 0;
}

void out_finish(struct out *o)
{
  out_flush(o);
  if (o->n_held)
    out_write(o, o->held, o->n_held, 1);
  free(o->held);
  o->held = NULL;
  o->n_held = 0;
}

void out_bytes(struct out *o, const char *s, size_t n)
{
  while (n) {
    size_t room = sizeof o->buffer - o->n, part = n < room ? n : room;
    memcpy(o->buffer + o->n, s, part);
    o->n += part;
    s += part;
    n -= part;
    if (o->n == sizeof o->buffer)
      out_flush(o);
  }
}

static void out_piece(void *user, const char *s, size_t n)
{
  out_bytes(user, s, n);
}

/* Writes text that may come from files, programs or devices: escapes all characters that could control a terminal. */
void out_text_part(struct out *o, const char *s, size_t n)
{
  escape_write(s, n, LINES_PLAIN, out_piece, o);
}

void out_text(struct out *o, const char *s)
{
  out_text_part(o, s, strlen(s));
}

void out_char(struct out *o, char c)
{
  out_bytes(o, &c, 1);
}

void out_repeat(struct out *o, char c, size_t n)
{
  while (n--)
    out_bytes(o, &c, 1);
}

static size_t out_number(struct out *o, uint64_t value, unsigned base, unsigned digits)
{
  char text[24];
  size_t at = sizeof text;
  do
    text[--at] = "0123456789abcdef"[value % base];
  while ((value /= base) != 0 || (sizeof text - at < digits && at > 0));
  out_bytes(o, text + at, sizeof text - at);
  return sizeof text - at;
}

void out_decimal(struct out *o, uint64_t value)
{
  out_number(o, value, 10, 1);
}

void out_hex_wide(struct out *o, uint64_t value, unsigned digits)
{
  out_bytes(o, "0x", 2);
  out_number(o, value, 16, digits);
}

void out_style(struct out *o, enum out_style style)
{
  static const char *const codes[] = {"\033[0m", "\033[1m", "\033[2m", "\033[36m", "\033[33m"};
  if (o->color)
    out_bytes(o, codes[style], strlen(codes[style]));
}

/* Returns the number of columns of a text: each UTF-8 character counts as one. */
static size_t out_columns(const char *s, size_t n)
{
  size_t c = 0;
  for (size_t i = 0; i < n; i++)
    c += ((unsigned char)s[i] & 0xc0) != 0x80;
  return c;
}

void out_padded(struct out *o, const char *s, size_t width)
{
  size_t n = strlen(s), c = out_columns(s, n);
  out_text_part(o, s, n);
  if (c < width)
    out_repeat(o, ' ', width - c);
}

size_t out_length(const char *s)
{
  return out_columns(s, strlen(s));
}

void out_wrapped_from(struct out *o, const char *s, size_t at, size_t indent, size_t width)
{
  bool first = true;
  if (!width && !strchr(s, '\n')) {
    out_text(o, s);
    out_char(o, '\n');
    return;
  }
  while (*s) {
    size_t n = strcspn(s, " \n"), c = out_columns(s, n);
    if (first ? width && at + c > width && at > indent : (width && at + 1 + c > width) || s[-1] == '\n') {
      out_char(o, '\n');
      out_repeat(o, ' ', indent);
      at = indent;
    } else if (!first) {
      out_char(o, ' ');
      at++;
    }
    first = false;
    out_text_part(o, s, n);
    at += c;
    s += n + (s[n] != 0);
  }
  out_char(o, '\n');
}

void out_wrapped(struct out *o, const char *s, size_t indent, size_t width)
{
  out_wrapped_from(o, s, indent, indent, width);
}

void out_wrapped_list(struct out *o, size_t indent, size_t width, const char *format, va_list ap)
{
  char *text;
  if (vasprintf(&text, format, ap) < 0) {
    o->error = ENOMEM;
    return;
  }
  out_wrapped(o, text, indent, width);
  free(text);
}

void out_wrapped_format(struct out *o, size_t indent, size_t width, const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  out_wrapped_list(o, indent, width, format, ap);
  va_end(ap);
}

size_t out_mask(struct out *o, uint64_t mask)
{
  const char *separator = "";
  size_t n = 0;
  for (unsigned i = 0; i < 64; i++) {
    if (!(mask >> i & 1))
      continue;
    unsigned last = i;
    while (last < 63 && (mask >> (last + 1) & 1))
      last++;
    out_text(o, separator);
    n += strlen(separator) + out_number(o, i, 10, 1);
    if (last > i) {
      out_char(o, '-');
      n += 1 + out_number(o, last, 10, 1);
    }
    separator = ",";
    i = last;
  }
  if (*separator)
    return n;
  out_char(o, '-');
  return 1;
}

/* Writes the text in quotes, escaped for JSON. Characters that are not printed themselves are written as numbers. */
static void json_write_quoted(struct out *o, const char *s)
{
  uint32_t code;
  size_t left = strlen(s);
  out_char(o, '"');
  while (left) {
    size_t n = escape_plain(s, strcspn(s, "\"\\"), LINES_ESCAPED);
    out_bytes(o, s, n);
    s += n;
    left -= n;
    if (!left)
      break;
    n = 1;
    if (*s == '"' || *s == '\\') {
      out_char(o, '\\');
      out_char(o, *s);
    } else {
      code = (unsigned char)*s;
      const size_t length = escape_decode(s, left, &code);
      n = length ? length : 1;
      out_bytes(o, "\\u", 2);
      for (int shift = 12; shift >= 0; shift -= 4)
        out_char(o, "0123456789abcdef"[code >> shift & 15]);
    }
    s += n;
    left -= n;
  }
  out_char(o, '"');
}

static void json_begin_value(struct out *o, const char *key)
{
  if (o->comma)
    out_char(o, ',');
  o->comma = true;
  if (key) {
    json_write_quoted(o, key);
    out_char(o, ':');
  }
}

void json_open(struct out *o, const char *key, char bracket)
{
  json_begin_value(o, key);
  out_char(o, bracket);
  o->comma = false;
}

void json_close(struct out *o, char bracket)
{
  out_char(o, bracket);
  o->comma = true;
}

void json_text(struct out *o, const char *key, const char *s)
{
  json_begin_value(o, key);
  if (s)
    json_write_quoted(o, s);
  else
    out_text(o, "null");
}

void json_number(struct out *o, const char *key, uint64_t value)
{
  json_begin_value(o, key);
  out_decimal(o, value);
}

void json_bool(struct out *o, const char *key, bool value)
{
  json_begin_value(o, key);
  out_text(o, value ? "true" : "false");
}

void json_end_line(struct out *o)
{
  out_char(o, '\n');
  o->comma = false;
}

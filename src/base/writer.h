/* SPDX-License-Identifier: MIT */
/* Writes text into a buffer of fixed size and truncates it; `n` counts all characters, including truncated ones. */
#ifndef PMON_BASE_WRITER_H
#define PMON_BASE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct writer {
  char *at;
  size_t size, n;
};

static inline void write_bytes(struct writer *w, const char *s, size_t n)
{
  if (n && w->n < w->size) { /* an empty text may be NULL */
    size_t room = w->size - w->n;
    memcpy(w->at + w->n, s, n < room ? n : room);
  }
  w->n += n;
}

static inline void write_text(struct writer *w, const char *s)
{
  write_bytes(w, s, strlen(s));
}

static inline void write_char(struct writer *w, char c)
{
  write_bytes(w, &c, 1);
}

static inline void write_number(struct writer *w, uint64_t value, unsigned base)
{
  char digits[24];
  size_t at = sizeof digits;
  do
    digits[--at] = "0123456789abcdef"[value % base];
  while ((value /= base) != 0);
  write_bytes(w, digits + at, sizeof digits - at);
}

static inline void write_decimal(struct writer *w, uint64_t value)
{
  write_number(w, value, 10);
}

static inline void write_hex(struct writer *w, uint64_t value)
{
  write_bytes(w, "0x", 2);
  write_number(w, value, 16);
}

/* Ends the text with a NUL, which overwrites the last byte of a full buffer. Returns the length of the whole text. */
static inline size_t write_end(struct writer *w)
{
  if (w->size)
    w->at[w->n < w->size ? w->n : w->size - 1] = 0;
  return w->n;
}

#endif

/* SPDX-License-Identifier: MIT */
/* A growing text. After a failed allocation it takes nothing more. Once something was added, even an empty text, a NUL
 * that n does not count follows. The owner frees `data`. */
#ifndef PMON_BASE_BUFFER_H
#define PMON_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buffer {
  char *data;
  size_t n, cap;
  bool failed;
};

/* Makes room for n more bytes; false: no memory. */
bool buffer_grow(struct buffer *b, size_t n);

/* Inline for speed: services write tens of thousands of pieces in each interval, and a stream takes ten times as
 * long. */
static inline void buffer_add_bytes(struct buffer *b, const char *s, size_t n)
{
  if (b->cap - b->n <= n && !buffer_grow(b, n + 1))
    return;
  memcpy(b->data + b->n, s, n);
  b->data[b->n += n] = 0;
}

void buffer_add_decimal(struct buffer *b, uint64_t value);
void buffer_add(struct buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds the first n bytes of an untrusted text (from a program, a recording or a device); characters that a terminal
 * would act on are escaped. */
void buffer_add_text(struct buffer *b, const char *s, size_t n);
/* Adds such a text as a field of CSV (RFC 4180), quoted if it has to be. */
void buffer_add_csv(struct buffer *b, const char *s);
/* Adds a number for programs: whole ones as such, others with the fewest digits that give the same number when read. */
void buffer_add_real(struct buffer *b, double v);
void buffer_fill(struct buffer *b, char c, size_t n);
/* Ends a line, without blanks before its end. */
void buffer_end_line(struct buffer *b);

#endif

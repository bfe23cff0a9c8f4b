/* SPDX-License-Identifier: MIT */
/*
 * Buffered standard output. Text and JSON are formatted directly into the buffer, because listings have thousands of
 * rows.
 */
#ifndef CLI_COMMON_OUT_H
#define CLI_COMMON_OUT_H

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* signals: how many have come that end the command; NULL: each ends the process. After the first, output that is not
 * read is held in memory, so that the command restores registers and ends its programs; out_finish() then waits for the
 * reader, until the second. */
struct out {
  int fd;
  const volatile sig_atomic_t *signals;
  char *held;
  size_t n_held;
  bool color;
  int error; /* errno of the first failed write; 0: none */
  size_t n;
  bool comma; /* inside JSON: a comma precedes the next member */
  char buffer[1 << 16];
};

enum out_style { OUT_PLAIN, OUT_BOLD, OUT_DIM, OUT_NAME, OUT_WARN };

void out_flush(struct out *o);
/* Writes everything, at the end of the command. */
void out_finish(struct out *o);
void out_bytes(struct out *o, const char *s, size_t n);
/* Characters that a terminal would act on, except line ends and tabs, are escaped in texts (not in out_bytes()). */
void out_text(struct out *o, const char *s);
void out_text_part(struct out *o, const char *s, size_t n); /* the first `n` bytes */
void out_char(struct out *o, char c);
void out_repeat(struct out *o, char c, size_t n);
void out_decimal(struct out *o, uint64_t value);
void out_hex_wide(struct out *o, uint64_t value, unsigned digits);
void out_style(struct out *o, enum out_style style); /* OUT_PLAIN ends any other; nothing without color */
/* Left-aligned in `width` columns; longer texts stay whole. */
void out_padded(struct out *o, const char *s, size_t width);
/* Writes `s` in lines of at most `width` columns (0: one line) and a newline. Lines after the first are indented by
 * `indent`; the caller has already written the first line's indentation. */
void out_wrapped(struct out *o, const char *s, size_t indent, size_t width);
/* The same after a beginning of the first line that has `at` columns. */
void out_wrapped_from(struct out *o, const char *s, size_t at, size_t indent, size_t width);
/* Returns the number of columns of a text: each UTF-8 character counts as one. */
size_t out_length(const char *s);
/* The same as out_wrapped() for a formatted text of any length. Without memory, `error` is ENOMEM. */
void out_wrapped_format(struct out *o, size_t indent, size_t width, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void out_wrapped_list(struct out *o, size_t indent, size_t width, const char *format, va_list ap);
/* Writes the numbers of the bits that are set, as 0-3,5. Returns the number of columns. */
size_t out_mask(struct out *o, uint64_t mask);

/* JSON, one object a line. A key of NULL writes a list's element. */
void json_open(struct out *o, const char *key, char bracket);
void json_close(struct out *o, char bracket);
void json_text(struct out *o, const char *key, const char *s); /* NULL: null */
void json_number(struct out *o, const char *key, uint64_t value);
void json_bool(struct out *o, const char *key, bool value);
void json_end_line(struct out *o);

#endif

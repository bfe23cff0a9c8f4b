/* SPDX-License-Identifier: MIT */
/*
 * Output of untrusted texts (files, programs, devices) to a terminal. Characters that a terminal would act on, or that
 * would reorder the text around them, are written as numbers: control characters (C0, DEL, C1), Unicode's directional
 * marks, and bytes that are not UTF-8. Every output of pmon goes through here.
 */
#ifndef PMON_BASE_ESCAPE_H
#define PMON_BASE_ESCAPE_H

#include <stddef.h>
#include <stdint.h>

/* Decodes the UTF-8 character at `s`, which has at most `n` bytes. Returns the number of its bytes; 0: it is not
 * UTF-8. */
size_t escape_decode(const char *s, size_t n, uint32_t *ret_code);

/* Whether line ends and tabs are written as numbers as well, or unchanged. */
enum escape_lines { LINES_ESCAPED, LINES_PLAIN };

/* Returns the number of bytes at the start of `s`, up to `n`, that are written unchanged. */
size_t escape_plain(const char *s, size_t n, enum escape_lines lines);

enum { ESCAPE_TEXT = 12 };

/* Formats the character at `s`, where escape_plain() is 0, as \xHH or \uHHHH. Returns the number of its bytes in `s`,
 * at least 1. */
size_t escape_format(const char *s, size_t n, char text[ESCAPE_TEXT]);

/* Passes all of `s` to `write`, in pieces that are safe to print. */
void escape_write(const char *s, size_t n, enum escape_lines lines, void (*write)(void *user, const char *s, size_t n),
                  void *user);

#endif

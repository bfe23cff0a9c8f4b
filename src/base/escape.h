/* SPDX-License-Identifier: MIT */
/*
 * Texts of unknown origin (files, programs, devices) on their way to a terminal. What a terminal would act on, or what
 * would reorder the text around it, is written as its number: control characters (C0, DEL, C1), the marks of Unicode
 * that change the direction, and bytes that are not UTF-8. Every output of pmon goes through here.
 */
#ifndef PMON_BASE_ESCAPE_H
#define PMON_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the character of UTF-8 at `s`, and its number; 0: it is none. `n`: bytes of `s` at most. */
size_t escape_decode(const char *s, size_t n, uint32_t *ret_code);

/* Bytes at the start of `s`, up to `n`, that are shown as they are. `lines`: line ends and tabs are among them. */
size_t escape_plain(const char *s, size_t n, bool lines);

enum { ESCAPE_TEXT = 12 };

/* The number of the character at `s`, where escape_plain() is 0, as \xHH or \uHHHH. Returns how many bytes of `s` it
 * is, at least 1. */
size_t escape_format(const char *s, size_t n, char text[ESCAPE_TEXT]);

/* Gives `write` all of `s` in pieces that are shown as they are. */
void escape_write(const char *s, size_t n, bool lines, void (*write)(void *user, const char *s, size_t n), void *user);

#endif

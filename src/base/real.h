/* SPDX-License-Identifier: MIT */
/*
 * Decimal numbers with a point, independent of the locale of the program that uses the library: formats and reports are
 * the same in each. No other place calls strtod() or prints a fraction for a file, a report or a message.
 */
#ifndef PMON_BASE_REAL_H
#define PMON_BASE_REAL_H

#include <stdarg.h>
#include <stddef.h>

/* strtod() in the C locale. */
double real_parse(const char *s, char **ret_end);

/* snprintf() and vsnprintf() in the C locale. */
int real_print(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int real_print_list(char *text, size_t size, const char *format, va_list args) __attribute__((format(printf, 3, 0)));

#endif

/* SPDX-License-Identifier: MIT */
/* Numbers as people read them. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report.h"

/* 1234567 -> 1,234,567, in front of any fraction. */
static void group_digits(const char *plain, char *text, size_t size)
{
  const char *digits = plain + (*plain == '-');
  size_t whole = strspn(digits, "0123456789"), n = 0;
  if (*plain == '-' && n + 1 < size)
    text[n++] = '-';
  for (size_t i = 0; digits[i] && n + 2 < size; i++) {
    if (i && i < whole && (whole - i) % 3 == 0)
      text[n++] = ',';
    text[n++] = digits[i];
  }
  text[n] = 0;
}

/* Four significant digits, or all of a whole number below a million millions. */
static void plain_number(double number, char *text, size_t size)
{
  char plain[64];
  double a = fabs(number);
  if (a >= 1e15)
    snprintf(plain, sizeof plain, "%.6e", number);
  else if (number == floor(number) || a >= 1000)
    snprintf(plain, sizeof plain, "%.0f", number);
  else if (a >= 0.001)
    snprintf(plain, sizeof plain, "%.*f", a >= 100 ? 1 : a >= 10 ? 2 : a >= 1 ? 3 : 4, number);
  else
    snprintf(plain, sizeof plain, "%.3e", number);
  group_digits(plain, text, size);
}

void report_number(double number, const char *unit, char *text, size_t size)
{
  static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
  char plain[40];
  if (!strcmp(unit, "ratio")) {
    plain_number(number * 100, plain, sizeof plain);
    snprintf(text, size, "%s %%", plain);
  } else if (!strcmp(unit, "Hz") || (!strncmp(unit, "bytes", 5) && (!unit[5] || unit[5] == '/'))) {
    unsigned p = 0;
    for (; fabs(number) >= 1000 && p < 5; p++)
      number /= 1000;
    plain_number(number, plain, sizeof plain);
    snprintf(text, size, "%s %s%s%s", plain, prefixes[p], *unit == 'H' ? "Hz" : "B", *unit == 'H' ? "" : unit + 5);
  } else {
    plain_number(number, plain, sizeof plain);
    snprintf(text, size, "%s%s%s", plain, *unit ? " " : "", unit);
  }
}

void report_percent(double part, double number, char *text, size_t size)
{
  double p = number != 0 ? fabs(100 * part / number) : part > 0 ? INFINITY : 0;
  if (p > 100)
    snprintf(text, size, ">100 %%");
  else if (p == 0)
    snprintf(text, size, "0 %%");
  else if (p < 0.0995)
    snprintf(text, size, "<0.1 %%");
  else
    snprintf(text, size, "%.*f %%", p >= 9.95 ? 0 : p >= 0.995 ? 1 : 2, p);
}

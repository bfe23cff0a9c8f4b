/* SPDX-License-Identifier: MIT */
#include "src/base/real.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/* Sets the C locale for this thread, and returns the previous one. Returns 0 if there is no memory: nothing has
 * changed. If the C library's own C locale is set already, nothing needs to be allocated. */
static locale_t real_enter(locale_t *ret_own)
{
  *ret_own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return *ret_own ? uselocale(*ret_own) : (locale_t)0;
}

static void real_leave(locale_t before, locale_t own)
{
  if (!own)
    return;
  uselocale(before);
  freelocale(own);
}

double real_parse(const char *s, char **ret_end)
{
  locale_t own;
  const locale_t before = real_enter(&own);
  const double value = strtod(s, ret_end);
  real_leave(before, own);
  return value;
}

int real_print_list(char *text, size_t size, const char *format, va_list args)
{
  locale_t own;
  const locale_t before = real_enter(&own);
  const int n = vsnprintf(text, size, format, args);
  real_leave(before, own);
  return n;
}

int real_print(char *text, size_t size, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  const int n = real_print_list(text, size, format, args);
  va_end(args);
  return n;
}

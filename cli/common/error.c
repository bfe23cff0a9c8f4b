/* SPDX-License-Identifier: MIT */
/* Writes texts to standard error. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "cli/common/cli.h"
#include "src/base/escape.h"

enum { ERROR_SIZE = 4096 };

static void error_write(void *file, const char *s, size_t n)
{
  fwrite(s, 1, n, file);
}

void cli_write_error(const char *s, size_t n)
{
  escape_write(s, n, true, error_write, stderr);
}

void cli_print_error(const char *format, ...)
{
  char text[ERROR_SIZE];
  va_list ap;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  cli_write_error(text, strlen(text));
}

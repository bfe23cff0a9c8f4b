/* SPDX-License-Identifier: MIT */
/* Writes texts to standard error. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/common/cli.h"
#include "src/base/escape.h"

static void error_write(void *file, const char *s, size_t n)
{
  fwrite(s, 1, n, file);
}

void cli_write_error(const char *s, size_t n)
{
  escape_write(s, n, LINES_PLAIN, error_write, stderr);
}

char *cli_format_error(char *buffer, size_t n, const char *format, va_list ap)
{
  va_list again;
  va_copy(again, ap);
  const int length = vsnprintf(buffer + n, CLI_MESSAGE_SIZE - n, format, ap);
  char *text = buffer;
  if (length >= 0 && n + (size_t)length >= CLI_MESSAGE_SIZE && (text = malloc(n + (size_t)length + 1))) {
    memcpy(text, buffer, n);
    vsnprintf(text + n, (size_t)length + 1, format, again);
  }
  va_end(again);
  return text ? text : buffer;
}

void cli_print_error(const char *format, ...)
{
  char buffer[CLI_MESSAGE_SIZE];
  va_list ap;
  va_start(ap, format);
  char *const text = cli_format_error(buffer, 0, format, ap);
  va_end(ap);
  cli_write_error(text, strlen(text));
  if (text != buffer)
    free(text);
}

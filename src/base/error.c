/* SPDX-License-Identifier: MIT */
#include "src/base/error.h"
#include <stdio.h>

void text_error_set(struct text_error *e, const char *file, uint32_t line, uint32_t column, const char *text)
{
  if (!e)
    return;
  snprintf(e->file, sizeof e->file, "%s", file);
  snprintf(e->text, sizeof e->text, "%s", text);
  e->line = line;
  e->column = column;
}

void text_error_format(const struct text_error *e, char *out, uint32_t size)
{
  if (!*e->file) /* a text in memory: positions in it mean nothing to the user */
    snprintf(out, size, "%s", e->text);
  else if (e->line)
    snprintf(out, size, "%s:%u:%u: %s", e->file, e->line, e->column, e->text);
  else
    snprintf(out, size, "%s: %s", e->file, e->text);
}

/* SPDX-License-Identifier: MIT */
/* Writes free text into fact files. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "cli/import/import.h"

/* Writes free text without control characters. */
static void import_write_words(FILE *f, const char *text, size_t n)
{
  for (size_t i = 0; i < n; i++)
    fputc((unsigned char)text[i] < ' ' || text[i] == 127 ? ' ' : text[i], f);
}

void import_write_line(FILE *f, const char *why)
{
  import_write_words(f, why, strlen(why));
  fputs("; omitted\n", f);
}

/* Writes free text as one line. */
void import_write_text(FILE *f, const char *text, const char *instead)
{
  text += strspn(text, " \t\r\n");
  if (!*text)
    text = instead;
  import_write_words(f, text, strlen(text));
  fputc('\n', f);
}

void import_write_sentence(FILE *f, const char *text)
{
  size_t n = strlen(text);
  while (n && (isspace((unsigned char)text[n - 1]) || text[n - 1] == '.'))
    n--;
  import_write_words(f, text, n);
  fputs(".\n", f);
}

/* SPDX-License-Identifier: MIT */
/* Lines of text from an untrusted file: of limited length, without NUL bytes. */
#ifndef PMON_BASE_LINE_H
#define PMON_BASE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MOST = 4096 };
#define LINE_REFUSED "a line of text of at most 4095 bytes expected"

struct line {
  char text[LINE_MOST + 1]; /* with its line end, if it has one */
  size_t n;
  bool refused; /* the line is longer, or has a NUL byte: reading stops */
};

/* Reads the next line. False: the file has ended, cannot be read (ferror), or the line was refused. */
static inline bool line_read(FILE *f, struct line *line)
{
  int c = 1;
  line->n = 0;
  line->refused = false;
  while (line->n < LINE_MOST && c != '\n' && (c = getc(f)) != EOF && c)
    line->text[line->n++] = (char)c;
  line->text[line->n] = 0;
  line->refused = !c || (line->n == LINE_MOST && c != '\n');
  return !line->refused && line->n && !ferror(f);
}

#endif

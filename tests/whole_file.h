/* SPDX-License-Identifier: MIT */
/* Reads a whole file as text. */
#ifndef TESTS_WHOLE_FILE_H
#define TESTS_WHOLE_FILE_H

#include <stdio.h>
#include <stdlib.h>

/* Returns the file's text, which the caller frees; NULL: the file cannot be read. */
static inline char *whole_file(const char *path)
{
  FILE *f = fopen(path, "r");
  if (!f)
    return NULL;
  fseek(f, 0, SEEK_END);
  long size = ftell(f);
  rewind(f);
  char *text = size < 0 ? NULL : calloc(1, (size_t)size + 1);
  if (text && fread(text, 1, (size_t)size, f) != (size_t)size) {
    free(text);
    text = NULL;
  }
  fclose(f);
  return text;
}

#endif

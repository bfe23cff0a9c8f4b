/* SPDX-License-Identifier: MIT */
/* An error in a text: its position, and what was expected there. */
#ifndef PMON_BASE_ERROR_H
#define PMON_BASE_ERROR_H

#include <stdarg.h>
#include <stdint.h>

struct text_error {
  char file[256];
  uint32_t line, column; /* from 1; 0: the whole file */
  char text[256];        /* what was found and what was expected */
};

/* Fills `e` (may be NULL). Long texts are truncated. */
void text_error_set(struct text_error *e, const char *file, uint32_t line, uint32_t column, const char *text);

/* Writes "file:line:column: text" into `out` of `size` bytes. */
void text_error_format(const struct text_error *e, char *out, uint32_t size);

#endif

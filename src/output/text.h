/* SPDX-License-Identifier: MIT */
/* Functions that the head and the table of a text report share. */
#ifndef PMON_OUTPUT_TEXT_H
#define PMON_OUTPUT_TEXT_H

#include "src/output/report.h"

/* On terminals: headings are bold, text around values is dim, doubtful values are coloured. */
enum text_style { TEXT_PLAIN, TEXT_BOLD, TEXT_DIM, TEXT_WARN };
void text_add_styled(const struct pmon_report *r, enum text_style style, const char *s, struct buffer *b);

/* Returns the columns that a text takes: continuation bytes of UTF-8 take none. */
size_t text_columns(const char *s);

/* Adds words to a line that is filled up to column `at`, and breaks lines at the report's columns; further lines are
 * indented. */
void text_add_words(const struct pmon_report *r, const char *words, size_t at, size_t indent, struct buffer *b);

/* Adds the head: what was measured; of a region its name, calls and time; of an interval its start and end. */
void text_add_head(const struct pmon_report *r, struct buffer *b);

#endif

/* SPDX-License-Identifier: MIT */
/* Shared by the files that parse the stream: a line, split into words. Private to machine/montecito/. */
#ifndef MACHINE_MONTECITO_STREAM_LINE_H
#define MACHINE_MONTECITO_STREAM_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "machine/montecito/stream/record.h"

enum { STREAM_WORDS = 16 };

struct stream_line {
  char text[1024];
  char *word[STREAM_WORDS];
  unsigned n;
  char *error;
  size_t error_size;
};

/* Writes `what` and `word` into the line's error text; returns `status`. */
int stream_error(struct stream_line *l, int status, const char *what, const char *word);
/* As stream_error(), for a word that is not in a list: "WHAT 'WORD': expected a, b or c". Returns PMON_E_SYNTAX. */
int stream_error_words(struct stream_line *l, const char *what, const char *word, const char *const *words, unsigned n);
#define STREAM_ERROR_WORDS(l, what, word, names)                                                                       \
  stream_error_words(l, what, word, names, sizeof(names) / sizeof(*(names)))
/* Parses a whole word as an unsigned 64-bit number; false when it is none. */
bool stream_parse_number(const char *text, uint64_t *ret);
/* Returns the index of `word` in a list of names, which may contain NULL; -1 when it is absent. */
int stream_find_word(const char *const *names, unsigned n, const char *word);
#define STREAM_FIND(names, word) stream_find_word(names, sizeof(names) / sizeof(*(names)), word)

/* stream_bundle.c: [+]b ADDRESS TEMPLATE SLOT SLOT SLOT [ATTRIBUTE...] */
int stream_parse_bundle(struct stream_line *l, struct montecito_record *r);

#endif

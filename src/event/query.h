/* SPDX-License-Identifier: MIT */
/* What a user asks for in words: synonyms.inc has what they mean. */
#ifndef PMON_EVENT_QUERY_H
#define PMON_EVENT_QUERY_H

#include <stdint.h>
#include "src/base/text.h"

enum { QUERY_WORDS = 8, QUERY_TEXT = 256 };

struct query {
  char text[QUERY_TEXT]; /* lower case, with phrases replaced */
  struct text words[QUERY_WORDS];
  const char *also[QUERY_WORDS]; /* synonyms, separated by commas; "": none */
  uint32_t n;
};

/* Splits a question into words that carry meaning; one typing error in a known word is corrected. */
void query_parse(struct query *q, const char *question);

/* A searched text, and the score of a match in it. */
struct query_place {
  const char *text; /* may be NULL */
  uint32_t weight;
};

/* How well the places answer the question; 0: a word is not found. Of three and more words, one may be missing. */
uint32_t query_score(const struct query *q, const struct query_place *places, size_t n);

/* How many words of a name the question does not have. */
uint32_t query_foreign(const struct query *q, const char *name);

#endif

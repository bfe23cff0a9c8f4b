/* SPDX-License-Identifier: MIT */
/* Search by words: a user's question, and how well a text answers it. synonyms.inc has the synonyms and phrases. */
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

/* Returns how well the places match the question; 0: a word is not found. Of three and more words, one may be
 * missing. */
uint32_t query_score(const struct query *q, const struct query_place *places, size_t n);

/* Returns the number of words in a name that the question lacks. */
uint32_t query_foreign(const struct query *q, const char *name);

#endif

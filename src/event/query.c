/* SPDX-License-Identifier: MIT */
#include "src/event/query.h"
#include "src/base/nearest.h"

#define PHRASE(from, to)
#define STOP(word)
#define SYNONYM(word, also) {word, also},
static const struct {
  const char *word, *also;
} synonyms[] = {
#include "src/event/synonyms.inc"
};
#undef PHRASE
#undef SYNONYM
#define PHRASE(from, to) {from, to},
#define SYNONYM(word, also)
static const struct {
  const char *from, *to;
} phrases[] = {
#include "src/event/synonyms.inc"
};
#undef PHRASE
#undef STOP
#define PHRASE(from, to)
#define STOP(word) word,
static const char *const stops[] = {
#include "src/event/synonyms.inc"
};

enum { SHORT = 3, LONG_ENOUGH_FOR_TYPOS = 5, WHOLE = 4 };

static bool is_word_char(char c)
{
  return (text_lower(c) >= 'a' && text_lower(c) <= 'z') || (c >= '0' && c <= '9');
}

/* Returns the length of a phrase at the start of the question, with or without a plural's s; 0: it is not there. */
static size_t phrase_length(const char *question, const char *phrase)
{
  const size_t n = strlen(phrase);
  if (strlen(question) < n || !text_same(question, phrase, n))
    return 0;
  const size_t plural = text_lower(question[n]) == 's';
  return is_word_char(question[n + plural]) ? 0 : n + plural;
}

/* Copies the question in lower case, with its phrases replaced; a long question is cut. */
static void normalize(struct query *q, const char *question)
{
  size_t n = 0;
  while (*question && n + 1 < QUERY_TEXT) {
    const bool begins = !n || !is_word_char(q->text[n - 1]);
    size_t i = 0, length = 0;
    for (; begins && i < sizeof phrases / sizeof *phrases; i++)
      if ((length = phrase_length(question, phrases[i].from)))
        break;
    if (!begins || i == sizeof phrases / sizeof *phrases) {
      q->text[n++] = text_lower(*question++);
      continue;
    }
    for (const char *to = phrases[i].to; *to && n + 1 < QUERY_TEXT; to++)
      q->text[n++] = *to;
    question += length;
  }
  q->text[n] = 0;
}

static bool is_stop(struct text word)
{
  for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
    if (text_is(word, stops[i]))
      return true;
  return false;
}

/* Returns the synonyms of a word. A word with one typing error is replaced by the nearest known word. */
static const char *find_synonyms(struct text *word)
{
  struct text nearest = {NULL, 0};
  const char *also = "";
  for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
    if (text_is(*word, synonyms[i].word))
      return synonyms[i].also;
    const struct text known = text_of(synonyms[i].word);
    if (!nearest.s && word->n >= LONG_ENOUGH_FOR_TYPOS && known.n >= LONG_ENOUGH_FOR_TYPOS &&
        nearest_distance(*word, known, 1) <= 1) {
      nearest = known;
      also = synonyms[i].also;
    }
  }
  if (nearest.s)
    *word = nearest;
  return also;
}

void query_parse(struct query *q, const char *question)
{
  *q = (struct query){.n = 0};
  normalize(q, question);
  for (int pass = 0; pass < 2 && !q->n; pass++) /* a question of stop words only is taken as it is */
    for (const char *s = q->text; *s && q->n < QUERY_WORDS;) {
      struct text word = {s, 0};
      while (is_word_char(s[word.n]))
        word.n++;
      s += word.n ? word.n : 1;
      if (!word.n || (!pass && is_stop(word)))
        continue;
      q->also[q->n] = find_synonyms(&word);
      q->words[q->n++] = word;
    }
}

/* Returns the word without an ending that its other forms may lack; short words keep theirs. */
static struct text stem_of(struct text word)
{
  static const char *const endings[] = {"ing", "ies", "es", "ed", "s"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    const size_t n = strlen(endings[i]);
    if (word.n >= n + 4 && text_same(word.s + word.n - n, endings[i], n))
      return (struct text){word.s, word.n - n};
  }
  return word;
}

/* Returns 4 if `in` has the word as a whole, 2 if a word of it begins so, 1 if a word contains it, 0: no match. Short
 * words do not match inside other words: io is no part of ratio. */
static uint32_t match(struct text word, const char *in)
{
  uint32_t best = 0;
  const char first = text_lower(word.s[0]);
  const size_t length = strlen(in);
  for (size_t i = 0; i + word.n <= length && best < WHOLE; i++) {
    if (text_lower(in[i]) != first || !text_same(in + i, word.s, word.n))
      continue;
    const bool begins = i == 0 || !is_word_char(in[i - 1]), ends = !is_word_char(in[i + word.n]);
    const uint32_t found = begins && ends ? WHOLE : begins && word.n > 2 ? 2 : word.n > SHORT ? 1 : 0;
    best = found > best ? found : best;
  }
  return best;
}

static uint32_t score_word(struct text word, const struct query_place *places, size_t n)
{
  uint32_t score = 0;
  for (size_t i = 0; i < n; i++)
    score += places[i].text ? match(word, places[i].text) * places[i].weight : 0;
  return score;
}

/* Synonyms match whole words only, because their parts occur in many other words. */
static uint32_t score_synonyms(const char *also, const struct query_place *places, size_t n)
{
  uint32_t best = 0;
  while (*also) {
    const struct text other = {also, strcspn(also, ",")};
    uint32_t score = 0;
    for (size_t i = 0; i < n; i++)
      if (places[i].text && match(other, places[i].text) == WHOLE)
        score += places[i].weight;
    best = score > best ? score : best;
    also += other.n + (also[other.n] == ',');
  }
  return best;
}

uint32_t query_score(const struct query *q, const struct query_place *places, size_t n)
{
  uint32_t sum = 0, missing = 0;
  for (uint32_t i = 0; i < q->n; i++) {
    uint32_t word = score_word(q->words[i], places, n) + 4 * score_synonyms(q->also[i], places, n);
    if (!word)
      word = score_word(stem_of(q->words[i]), places, n);
    sum += word;
    missing += word ? 0 : *q->also[i] ? 2 : 1; /* a known word must be found */
  }
  return !missing ? sum : missing == 1 && q->n > 2 ? sum / 4 : 0;
}

/* Whether the question has this word, directly or as a synonym. */
static bool has_word(const struct query *q, struct text word)
{
  for (uint32_t i = 0; i < q->n; i++) {
    if (word.n == q->words[i].n && text_same(word.s, q->words[i].s, word.n))
      return true;
    for (const char *s = q->also[i]; *s;) {
      const struct text other = {s, strcspn(s, ",")};
      if (word.n == other.n && text_same(word.s, other.s, word.n))
        return true;
      s += other.n + (s[other.n] == ',');
    }
  }
  return false;
}

uint32_t query_foreign(const struct query *q, const char *name)
{
  uint32_t foreign = 0;
  while (*name) {
    struct text word = {name, 0};
    while (is_word_char(name[word.n]))
      word.n++;
    foreign += word.n && !has_word(q, word);
    name += word.n ? word.n : 1;
  }
  return foreign;
}

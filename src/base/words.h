/* SPDX-License-Identifier: MIT */
/* Alternatives in messages: "a, b or c". Header-only, for rooms that do not link the rest of src/base. */
#ifndef PMON_BASE_WORDS_H
#define PMON_BASE_WORDS_H

#include <stddef.h>
#include "src/base/writer.h"

/* Writes word `i` of `n` alternatives, with its separator. */
static inline void words_write(struct writer *w, size_t i, size_t n, const char *word, size_t length)
{
  write_text(w, i == 0 ? "" : i + 1 == n ? " or " : ", ");
  write_bytes(w, word, length);
}

/* Formats an array of words, skipping NULL entries; returns `text`. */
static inline const char *words_format(const char *const *words, size_t count, char *text, size_t size)
{
  struct writer w = {text, size, 0};
  size_t n = 0, k = 0;
  for (size_t i = 0; i < count; i++)
    n += words[i] != NULL;
  for (size_t i = 0; i < count; i++)
    if (words[i])
      words_write(&w, k++, n, words[i], strlen(words[i]));
  write_end(&w);
  return text;
}

/* Formats words that are separated by blanks; returns `text`. */
static inline const char *words_format_line(const char *words, char *text, size_t size)
{
  struct writer w = {text, size, 0};
  size_t n = 0, k = 0;
  for (const char *s = words; *(s += strspn(s, " ")); s += strcspn(s, " "))
    n++;
  for (const char *s = words; *(s += strspn(s, " ")); s += strcspn(s, " "))
    words_write(&w, k++, n, s, strcspn(s, " "));
  write_end(&w);
  return text;
}

#endif

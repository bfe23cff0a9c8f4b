/* SPDX-License-Identifier: MIT */
#include "src/facts/states.h"

static bool is_letter(char c)
{
  return text_lower(c) >= 'a' && text_lower(c) <= 'z';
}

/* The next word of letters; its end is the rest's begin. */
static struct text next_word(struct text *rest)
{
  while (rest->n && !is_letter(*rest->s))
    rest->s++, rest->n--;
  struct text word = {rest->s, 0};
  while (rest->n && is_letter(*rest->s))
    rest->s++, rest->n--, word.n++;
  return word;
}

static bool is_one_of(struct text word, const char *const *words)
{
  bool is = false;
  for (; *words; words++)
    is |= text_is(word, *words);
  return is;
}

/* "Cycles ...", "Core clock cycles ...", and as other files have it, "Counts the number of cycles ...". */
static bool begins_with_cycles(const char *text)
{
  static const char *const before[] = {"counts", "the",    "number", "total",  "of", "core",
                                       "clock",  "memory", "bus",    "uncore", NULL};
  static const char *const cycles[] = {"cycles", "clocks", "clockticks", "uclks", "dclks", "qfclks", NULL};
  struct text rest = text_of(text), word = next_word(&rest);
  while (is_one_of(word, before))
    word = next_word(&rest);
  return is_one_of(word, cycles);
}

/* Whether a word begins with cycle or clock. */
static bool mentions_cycles(const char *text)
{
  struct text rest = text_of(text);
  bool does = false;
  for (struct text word = next_word(&rest); word.n; word = next_word(&rest))
    does |= word.n >= 5 && (text_same(word.s, "cycle", 5) || text_same(word.s, "clock", 5));
  return does;
}

/* "Bubbles (cycles without new bundles) ..." */
static bool explains_cycles(const char *text)
{
  const char *aside = strstr(text, " (cycles ");
  return aside && !memchr(text, ' ', (size_t)(aside - text));
}

bool states_are_counted(const char *brief, const char *event, const char *umask)
{
  const char *part = strstr(brief, ": ");
  const bool named =
      strstr(event, "CYCLES") || strstr(umask, "CYCLES") || strstr(event, "OCCUPANCY") || strstr(umask, "OCCUPANCY");
  return begins_with_cycles(brief) || (part && begins_with_cycles(part)) || explains_cycles(brief) ||
         strstr(brief, "added up every cycle") || strstr(brief, "added up each cycle") ||
         (named && mentions_cycles(brief));
}

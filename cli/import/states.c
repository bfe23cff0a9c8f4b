/* SPDX-License-Identifier: MIT */
#include "cli/import/states.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Returns the next word of letters; n is its length. */
static const char *next_word(const char *text, size_t *n)
{
  while (*text && !isalpha((unsigned char)*text))
    text++;
  for (*n = 0; isalpha((unsigned char)text[*n]);)
    ++*n;
  return text;
}

static bool is_one_of(const char *word, size_t n, const char *const *words)
{
  bool is = false;
  for (; *words; words++)
    is = is || (strlen(*words) == n && !strncasecmp(word, *words, n));
  return is;
}

static const char *const cycles[] = {"cycles", "clocks", "clockticks", "uclks", "dclks", "qfclks", NULL};
static const char *const times[] = {"times", NULL};

/* Whether the text begins with "Cycles ...", "Core clock cycles ...", or, as in other files, "Counts the number of
 * cycles ...". */
static bool begins_with(const char *text, const char *const *words)
{
  static const char *const before[] = {"counts", "the",    "number", "total",  "of", "core",
                                       "clock",  "memory", "bus",    "uncore", NULL};
  size_t n;
  const char *word = next_word(text, &n);
  if (strcspn(text, "0123456789") < (size_t)(word - text)) /* "4 cycles or more" */
    return false;
  while (is_one_of(word, n, before))
    word = next_word(word + n, &n);
  return is_one_of(word, n, words);
}

/* Matches "Bubbles (cycles without new bundles) ...". */
static bool explains_cycles(const char *text)
{
  const char *aside = strstr(text, " (cycles ");
  return aside && !memchr(text, ' ', (size_t)(aside - text));
}

/* Parts of Intel's names for events that count in each cycle, and whether they can be in the umask's name too.
 * LOCK_CYCLES is in names of the UBox's lock sequences and of core cycles: for these the description decides. */
static const struct {
  const char *part;
  bool umasks, at_end;
} names[] = {{"OCCUPANCY", true, false},  {"CYCLES", true, false},      {"OUTSTANDING", true, false},
             {"CLOCKTICKS", true, false}, {"_NE", true, true},          {"STARVED", false, false},
             {"STALL_NO_", false, false}, {"STALL0_NO_", false, false}, {"STALL1_NO_", false, false}};

static bool has_part(const char *name, const char *part, bool at_end)
{
  const size_t n = strlen(name), k = strlen(part);
  return at_end ? n >= k && !strcmp(name + n - k, part) : strstr(name, part) != NULL;
}

static bool is_named_so(const char *event, const char *umask)
{
  bool is = false;
  for (size_t i = 0; i < sizeof names / sizeof *names && strcmp(event, "LOCK_CYCLES") != 0; i++)
    is = is || has_part(event, names[i].part, names[i].at_end) ||
         (names[i].umasks && has_part(umask, names[i].part, names[i].at_end));
  return is;
}

bool states_are_counted(const char *brief, const char *event, const char *umask)
{
  const char *part = strstr(brief, ": ");
  return begins_with(brief, cycles) || (part && begins_with(part, cycles)) || explains_cycles(brief) ||
         strstr(brief, "added up every cycle") || strstr(brief, "added up each cycle") ||
         (is_named_so(event, umask) && !begins_with(brief, times));
}

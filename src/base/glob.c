/* SPDX-License-Identifier: MIT */
#include "src/base/glob.h"

static bool glob_is_sign(char c)
{
  return c == '*' || c == '?' || c == '[';
}

struct text glob_beginning(struct text pattern)
{
  size_t n = 0;
  while (n < pattern.n && !glob_is_sign(pattern.s[n]))
    n++;
  return (struct text){pattern.s, n};
}

bool glob_is_pattern(struct text t)
{
  return glob_beginning(t).n < t.n;
}

/* Returns the length of a set at s[0..n), including its brackets; 0: it has no end. */
static size_t set_length(const char *s, size_t n)
{
  size_t at = 1;
  at += at < n && s[at] == '!';
  at += at < n && s[at] == ']';
  while (at < n && s[at] != ']')
    at++;
  return at < n ? at + 1 : 0;
}

static bool set_has(const char *s, size_t length, char c)
{
  const bool inverted = s[1] == '!';
  bool found = false;
  c = text_lower(c);
  for (size_t i = 1 + inverted; i + 1 < length; i++) {
    const char low = text_lower(s[i]);
    if (i + 3 < length && s[i + 1] == '-') {
      found |= c >= low && c <= text_lower(s[i + 2]);
      i += 2;
    } else {
      found |= c == low;
    }
  }
  return found != inverted;
}

/* True if the first part of the pattern matches one character; *ret_length: length of the part. */
static bool matches_one(struct text pattern, char c, size_t *ret_length)
{
  const size_t set = *pattern.s == '[' ? set_length(pattern.s, pattern.n) : 0;
  *ret_length = set ? set : 1;
  return set ? set_has(pattern.s, set, c) : *pattern.s == '?' || text_same(pattern.s, &c, 1);
}

/* After a mismatch the last `*` takes one more character: the time is at most proportional to the product of the
 * lengths. */
bool glob_matches(struct text pattern, struct text name)
{
  size_t at = 0, i = 0, star = SIZE_MAX, taken = 0, length;
  while (i < name.n) {
    if (at < pattern.n && pattern.s[at] == '*') {
      star = at++;
      taken = i;
    } else if (at < pattern.n && matches_one((struct text){pattern.s + at, pattern.n - at}, name.s[i], &length)) {
      at += length;
      i++;
    } else if (star != SIZE_MAX) {
      at = star + 1;
      i = ++taken;
    } else {
      return false;
    }
  }
  while (at < pattern.n && pattern.s[at] == '*')
    at++;
  return at == pattern.n;
}

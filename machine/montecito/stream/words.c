/* SPDX-License-Identifier: MIT */
/* Words and numbers of a line of a stream, and the errors that name them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/montecito/stream/line.h"
#include "src/base/words.h"

int stream_error(struct stream_line *l, int status, const char *what, const char *word)
{
  snprintf(l->error, l->error_size, "%s: '%s'", what, word);
  return status;
}

int stream_error_words(struct stream_line *l, const char *what, const char *word, const char *const *words, unsigned n)
{
  char text[200];
  snprintf(l->error, l->error_size, "%s '%s': expected %s", what, word, words_format(words, n, text, sizeof text));
  return PMON_E_SYNTAX;
}

int stream_find_word(const char *const *names, unsigned n, const char *word)
{
  for (unsigned i = 0; i < n; i++)
    if (names[i] && !strcmp(names[i], word))
      return (int)i;
  return -1;
}

bool stream_parse_number(const char *text, uint64_t *ret)
{
  char *end;
  if (*text < '0' || *text > '9')
    return false;
  errno = 0;
  *ret = strtoull(text, &end, 0);
  return !*end && !errno;
}

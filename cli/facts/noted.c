/* SPDX-License-Identifier: MIT */
#include "cli/facts/noted.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool is_word(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

static bool note_names(const char *note, const char *word, size_t n)
{
  for (const char *at = note; at && *at; at++)
    if (!strncasecmp(at, word, n) && !is_word(at[n]) && (at == note || !is_word(at[-1])))
      return true;
  return false;
}

bool noted_next(const struct cli *cli, const char *name, uint32_t *unit, struct pmon_unit_info *info)
{
  const char *slash = strchr(name, '/'), *word = slash ? slash + 1 : name;
  const size_t n = strcspn(word, "/,.");
  while (memchr(word, '_', n) && pmon_unit_describe(cli->platform, (*unit)++, info) == PMON_OK)
    if (note_names(info->note, word, n))
      return true;
  return false;
}

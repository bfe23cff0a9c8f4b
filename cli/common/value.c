/* SPDX-License-Identifier: MIT */
#include "cli/common/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int value_parse_count(const struct cli *cli, const char *option, const char *text, uint32_t most, uint32_t *ret)
{
  char *end;
  unsigned long long v = strtoull(text, &end, 10);
  if (end == text || *end || *text == '-' || !v || v > most) {
    char expected[40];
    snprintf(expected, sizeof expected, "a number from 1 to %" PRIu32, most);
    return cli_fail_value(cli, option, text, expected);
  }
  *ret = (uint32_t)v;
  return CLI_DONE;
}

int value_parse_word(const struct cli *cli, const char *option, const char *text, const struct value_words *words,
                     uint32_t *ret)
{
  char list[160];
  for (uint32_t i = 0; i < words->n; i++)
    if (words->names[i] && !strcmp(text, words->names[i])) {
      *ret = i;
      return CLI_DONE;
    }
  return cli_fail_value(cli, option, text, cli_format_words(words->names, words->n, list, sizeof list));
}

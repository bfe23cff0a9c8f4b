/* SPDX-License-Identifier: MIT */
/* Values of options: numbers, and words of a list. */
#ifndef CLI_COMMON_VALUE_H
#define CLI_COMMON_VALUE_H

#include "cli/common/cli.h"

/* Parses a number from 1 to `most`. CLI_DONE, or CLI_USAGE after printing an error. */
int value_parse_count(const struct cli *cli, const char *option, const char *text, uint32_t most, uint32_t *ret);

/* NULL entries are skipped. */
struct value_words {
  const char *const *names;
  uint32_t n;
};
/* Parses one of the words; its index goes to *ret. CLI_DONE, or CLI_USAGE after printing an error. */
int value_parse_word(const struct cli *cli, const char *option, const char *text, const struct value_words *words,
                     uint32_t *ret);

#endif

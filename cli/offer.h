/* SPDX-License-Identifier: MIT */
/* Completions of the last word: the values of each kind of option, printed one a line. */
#ifndef CLI_OFFER_H
#define CLI_OFFER_H

#include "cli/common/cli.h"

/* The word to complete; its first `kept` characters stay unchanged. */
struct completing {
  struct cli *cli;
  const char *word;
  size_t kept;
  const char *before; /* printed before the word: the --option= whose value it is */
  size_t before_n;
};

/* Offers the kept characters followed by `text` and `end`, if that begins like the word. */
void complete_offer(const struct completing *c, const char *text, const char *end);

/* Offers the long options of the command's tables, without aliases. */
void complete_offer_options(const struct completing *c, const struct cli_command *command, const char *action);

/* Offers the values of an option or argument; `words`: of CLI_WORDS, separated by blanks. */
void complete_offer_value(struct completing *c, enum cli_value value, const char *words);

#endif

/* SPDX-License-Identifier: MIT */
/* pmon __complete, which the shells' scripts call: finds the option or argument to which the last word belongs. */
#include <string.h>
#include "cli/offer.h"

/* Returns the option that `word` names, if its value is the next word; else NULL. */
static const struct cli_option *option_before_value(const struct cli_command *command, const char *action,
                                                    const char *word)
{
  const struct cli_option *rows[CLI_OPTIONS];
  const size_t n = cli_options_of(command, action, rows);
  for (size_t i = 0; i < n; i++) {
    const bool brief = word[0] == '-' && word[1] && !word[2] && rows[i]->code == word[1];
    if (rows[i]->argument && *rows[i]->argument != '[' &&
        (brief || (!strncmp(word, "--", 2) && !strcmp(word + 2, rows[i]->name))))
      return rows[i];
  }
  /* --color may follow every command. */
  return !strcmp(word, "--color") && command != &cli_top_command ? option_before_value(&cli_top_command, NULL, word)
                                                                 : NULL;
}

/* Completes --option=VALUE in one word. False: the word is something else. */
static bool offer_joined_value(struct completing *c, const struct cli_command *command, const char *action)
{
  const struct cli_option *rows[CLI_OPTIONS];
  const size_t n = cli_options_of(command, action, rows);
  const char *equals = strchr(c->word, '=');
  if (strncmp(c->word, "--", 2) != 0 || !equals)
    return false;
  for (size_t i = 0; i < n; i++) {
    const size_t length = strlen(rows[i]->name);
    if (length != (size_t)(equals - c->word - 2) || strncmp(c->word + 2, rows[i]->name, length) != 0)
      continue;
    /* The value is completed as a separate word; the option is printed before each completion. */
    c->before = c->word;
    c->before_n = (size_t)(equals + 1 - c->word);
    c->word = equals + 1;
    complete_offer_value(c, rows[i]->value, rows[i]->words);
  }
  return true;
}

/* State derived from the words before the one to complete. */
struct complete_context {
  const struct cli_command *command; /* &cli_top_command: none yet */
  const char *action;                /* of a command with actions; NULL: none yet */
  const struct cli_option *option;   /* whose value the word is; NULL: none */
  bool done;                         /* a command follows: the shell completes it */
};

static struct complete_context complete_read_words(struct cli *cli, int n, char **words)
{
  struct complete_context at = {.command = &cli_top_command};
  for (int i = 0; i < n && !at.done; i++) {
    const char *word = words[i];
    if (strcmp(word, "--") == 0) {
      at.done = true;
    } else if (at.option) {
      if (at.option->code == 'p')
        cli->platform_name = word;
      at.option = NULL;
    } else if (word[0] == '-') {
      at.option = option_before_value(at.command, at.action, word);
    } else if (at.command == &cli_top_command) {
      const struct cli_command *found = cli_command_find(cli->commands, word);
      at.command = found ? found : at.command;
    } else if (at.command->actions && !at.action) {
      at.action = word;
    }
  }
  return at;
}

static void offer_commands(const struct completing *c)
{
  for (const struct cli_command *const *k = c->cli->commands; *k; k++)
    if (!(*k)->hidden)
      complete_offer(c, (*k)->name, "");
}

/* The words are not parsed as options. */
static int run_complete(struct cli *cli, int argc, char **argv)
{
  struct completing c = {.cli = cli, .word = argc > 1 ? argv[argc - 1] : ""};
  const struct complete_context at = complete_read_words(cli, argc > 2 ? argc - 2 : 0, argv + 1);
  if (at.done)
    return CLI_DONE;
  if (!cli_platform(cli))
    return CLI_USAGE;
  if (at.option) {
    complete_offer_value(&c, at.option->value, at.option->words);
  } else if (c.word[0] == '-') {
    if (!offer_joined_value(&c, at.command, at.action))
      complete_offer_options(&c, at.command, at.action);
  } else if (at.command == &cli_top_command) {
    offer_commands(&c);
  } else if (at.command->actions && !at.action) {
    for (const struct cli_action *a = at.command->actions; a->name; a++)
      complete_offer(&c, a->name, "");
  } else {
    complete_offer_value(&c, at.command->value, at.command->words);
  }
  return CLI_DONE;
}

const struct cli_command complete_command = {
    .name = "__complete",
    .arguments = "WORDS...",
    .brief = "print what the last word could become",
    .run = run_complete,
    .hidden = true,
};

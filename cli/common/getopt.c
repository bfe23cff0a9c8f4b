/* SPDX-License-Identifier: MIT */
/* Converts a command's table of options for getopt_long(). */
#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "cli/common/cli.h"
#include "cli/common/other_tools.h"
#include "src/base/nearest.h"

const struct cli_option cli_global_options[] = {
    {"platform", 'p', "NAME", "processor platform (default: this host's, else emr)", CLI_PLATFORM, NULL},
    CLI_FLAG("help", 'h', "print this help"),
    CLI_OPTION_END,
};
const struct cli_option cli_json_option[] = {
    CLI_FLAG("json", CLI_OPTION_JSON, "print one JSON object per line"),
    CLI_OPTION_END,
};
const struct cli_option cli_unit_option[] = {
    {"unit", 'u', "UNIT", "only this unit (`pmon units` lists them)", CLI_UNIT, NULL},
    CLI_OPTION_END,
};

static const struct cli_option top_options[] = {
    CLI_FLAG("version", CLI_OPTION_VERSION, "print the version"),
    {"color", CLI_OPTION_COLOR, "WHEN", "auto (on terminals unless NO_COLOR is set), always or never", CLI_WORDS,
     "auto always never"},
    CLI_OPTION_END,
};

const struct cli_command cli_top_command = {
    .name = "",
    .arguments = "COMMAND ...",
    .brief = "events, registers and counts of processor uncores",
    .options = {{top_options, NULL}, {NULL, NULL}},
    .notes = "With a slash or ending in .platform, the platform's NAME is a platform file;\n"
             "NAME,FILE.met,... adds user-supplied metrics, invariants or events to it.\n"
             "\n"
             "Exit status: 0 done, 1 the measured command failed, 2 usage or input error,\n"
             "3 no permission, no such hardware, or no counter with a value.\n",
    .first = true,
};

const struct cli_command *cli_command_find(const struct cli_command *const *commands, const char *name)
{
  for (const struct cli_command *const *c = commands; *c; c++)
    if (strcmp((*c)->name, name) == 0)
      return *c;
  return NULL;
}

bool cli_action_is_listed(const char *actions, const char *action)
{
  const size_t n = strlen(action);
  for (const char *word = actions; *word; word += strspn(word, " ")) {
    const size_t length = strcspn(word, " ");
    if (length == n && !strncmp(word, action, n))
      return true;
    word += length;
  }
  return false;
}

size_t cli_options_of(const struct cli_command *command, const char *action,
                      const struct cli_option *ret_rows[CLI_OPTIONS])
{
  size_t n = 0;
  for (const struct cli_option *row = cli_global_options; row->name; row++)
    ret_rows[n++] = row;
  for (const struct cli_option_table *t = command->options; t->rows; t++) {
    if (action && t->actions && !cli_action_is_listed(t->actions, action))
      continue;
    for (const struct cli_option *row = t->rows; row->name; row++) {
      assert(n < CLI_OPTIONS);
      ret_rows[n++] = row;
    }
  }
  return n;
}

static bool option_is_letter(const struct cli_option *row)
{
  return row->code < 256;
}

/* Returns the option, as the user wrote it, that getopt_long() has just rejected with `c`. */
static const char *option_given(char **argv, int c, char letter[3])
{
  const char *given = argv[optind - 1];
  if (c == '?' && optopt && optopt < 256 &&
      !strchr(given, '=')) { /* possibly one of several letters after one hyphen */
    letter[1] = (char)optopt;
    return letter;
  }
  return given;
}

/* Writes the remedy for an option that does not exist: the counterpart of another tool's option, or a similar option.
 * Returns false if none is known. */
static bool suggest_option(const char *given, const struct cli_option *const *rows, size_t n, char *hint, size_t size)
{
  char name[64];
  const char *other = other_tools_option(given, rows, n);
  if (other)
    return snprintf(hint, size, "%s", other), true;
  if (strncmp(given, "--", 2))
    return false;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(given + 2, "="), given + 2);
  struct nearest near = {.name = text_of(name)};
  for (size_t i = 0; i < n; i++)
    if (rows[i]->name)
      nearest_add(&near, text_of(rows[i]->name), (uint32_t)i, 0);
  if (near.n)
    snprintf(hint, size, "did you mean --%.*s?", (int)near.best[0].name.n, near.best[0].name.s);
  return near.n > 0;
}

/* Returns `c`, an option with its value; '?' after printing an error if the value should be the name of a file but is
 * empty, or is - for a file that cannot be standard output. `index` is the row of the option; -1 if the option was
 * written as a letter. */
static int check_value(struct cli *cli, int c, int index, const struct cli_option *const *rows, size_t n)
{
  size_t row = index >= 0 ? (size_t)index : 0;
  if (!optarg || (*optarg && strcmp(optarg, "-")))
    return c;
  while (index < 0 && row < n && rows[row]->code != c)
    row++;
  if (row == n || (rows[row]->value != CLI_NEW_FILE && (*optarg || rows[row]->value != CLI_FILE)))
    return c;
  const char letter[] = {(char)c, '\0'};
  cli_fail(cli, "%s%s: %s", index < 0 ? "-" : "--", index < 0 ? letter : rows[row]->name,
           *optarg ? "- is not the name of a file, and this file cannot be written to standard output"
                   : "the name of the file is empty");
  return '?';
}

const struct cli_action *cli_action_find(const struct cli_command *command, const char *name)
{
  const struct cli_action *a = command && name ? command->actions : NULL;
  while (a && a->name && strcmp(a->name, name) != 0)
    a++;
  return a && a->name ? a : NULL;
}

/* Whether options end at the first argument, because what follows may belong to another command. */
static bool getopt_ends_early(const struct cli_command *command, const char *action)
{
  const struct cli_action *a = cli_action_find(command, action);
  return a ? a->first : command->first;
}

/* Takes pmon's own --color WHEN, which may also follow a command without such an option, when getopt_long() has
 * rejected it. Returns false for a different option or a wrong value; `ret_failed`: an error is printed. */
static bool take_color(struct cli *cli, int argc, char **argv, bool *ret_failed)
{
  static const char name[] = "--color";
  const size_t n = sizeof name - 1;
  const char *given = argv[optind - 1], *when = given + n + 1;
  *ret_failed = false;
  if (strncmp(given, name, n) != 0 || (given[n] && given[n] != '='))
    return false;
  if (!given[n] && optind == argc)
    return cli_fail(cli, "--color: missing value"), *ret_failed = true, false;
  if (!given[n])
    when = argv[optind++];
  *ret_failed = cli_take_color(cli, when) != CLI_DONE;
  return !*ret_failed;
}

/* Refuses a word that is an option of PCM: getopt_long() would take its letters for options of their own, -out=x for -o
 * with the value ut=x. */
static bool refuse_word(struct cli *cli, int argc, char **argv, const struct cli_option *const *rows, size_t n)
{
  const int next = optind ? optind : 1;
  const char *word = next < argc ? argv[next] : "";
  const char *hint = word[0] == '-' && word[1] != '-' ? other_tools_word(word, rows, n) : NULL;
  if (hint)
    cli_fail(cli, "%.*s: no such option; %s", (int)strcspn(word, "="), word, hint);
  return hint != NULL;
}

/* Refuses `--` as a value: it begins the command, and the option lacks its value. */
static bool refuse_dashes(struct cli *cli, int c, int index, const struct cli_option *const *rows, size_t n)
{
  char given[64] = {'-', (char)c};
  if (!optarg || strcmp(optarg, "--"))
    return false;
  if (index >= 0)
    snprintf(given, sizeof given, "--%s", rows[index]->name);
  const char *hint = other_tools_option(given, rows, n);
  cli_fail(cli, "%s: missing value before --%s%s", given, hint ? "; " : "", hint ? hint : "");
  return true;
}

/* Finds the command of pmon that has an option of this name: its name, and in *ret_action its action, NULL if every
 * action has the option. NULL: no command has it. */
static const char *command_with_option(const struct cli *cli, const char *name, size_t length, const char **ret_action)
{
  for (const struct cli_command *const *c = cli->commands; *c; c++)
    for (const struct cli_option_table *t = (*c)->options; t->rows; t++)
      for (const struct cli_option *row = t->rows; row->name; row++)
        if (strlen(row->name) == length && !strncmp(row->name, name, length) && !(*c)->hidden)
          return *ret_action = t->actions, (*c)->name;
  return NULL;
}

/* Refuses an option that getopt_long() has taken as an abbreviation, if another command has an option of just this
 * name: the user means that one. */
static bool refuse_abbreviation(struct cli *cli, char **argv, int index, const struct cli_option *const *rows)
{
  if (index < 0)
    return false;
  const char *given = argv[optind - (optarg && optarg == argv[optind - 1] ? 2 : 1)], *action = NULL;
  const size_t length = strcspn(given, "=");
  const bool whole = strlen(rows[index]->name) + 2 == length;
  const char *command = whole ? NULL : command_with_option(cli, given + 2, length - 2, &action);
  if (command)
    cli_fail(cli, "%.*s: no such option: pmon %s%s%.*s has it; if --%s is meant, write it in full", (int)length, given,
             command, action ? " " : "", action ? (int)strcspn(action, " ") : 0, action ? action : "",
             rows[index]->name);
  return command != NULL;
}

int cli_getopt(struct cli *cli, int argc, char **argv)
{
  const struct cli_command *command = cli->command ? cli->command : &cli_top_command;
  const struct cli_option *rows[CLI_OPTIONS];
  struct option options[CLI_OPTIONS + 1];
  char letters[2 * CLI_OPTIONS + 3], letter[] = "-?";
  const size_t n = cli_options_of(command, command->actions ? argv[0] : NULL, rows);
  char *at = letters;

  if (getopt_ends_early(command, argv[0]))
    *at++ = '+';
  *at++ = ':';
  for (size_t i = 0; i < n; i++) {
    const int has = !rows[i]->argument          ? no_argument
                    : *rows[i]->argument == '[' ? optional_argument
                                                : required_argument;
    options[i] = (struct option){rows[i]->name, has, NULL, rows[i]->code};
    if (!option_is_letter(rows[i]))
      continue;
    *at++ = (char)rows[i]->code;
    if (has == required_argument)
      *at++ = ':';
  }
  *at = '\0';
  options[n] = (struct option){0};
  opterr = 0;
  int index = -1;
  bool failed;
  int c;
  if (refuse_word(cli, argc, argv, rows, n))
    return '?';
  do
    c = getopt_long(argc, argv, letters, options, &index);
  while (c == '?' && take_color(cli, argc, argv, &failed));
  if (c != '?' && c != ':' && c != -1 &&
      (refuse_abbreviation(cli, argv, index, rows) || refuse_dashes(cli, c, index, rows, n)))
    return '?';
  if (c != '?' && c != ':')
    return check_value(cli, c, index, rows, n);
  if (c == '?' && failed)
    return '?';
  const char *given = option_given(argv, c, letter);
  const char *name = cli->command ? command->name : "";
  const char *problem = c == ':'                                                   ? "missing value"
                        : optopt && !strncmp(given, "--", 2) && strchr(given, '=') ? "the option takes no value"
                                                                                   : "no such option";
  char hint[120];
  if (c == '?' && !strcmp(problem, "no such option") && suggest_option(given, rows, n, hint, sizeof hint))
    cli_fail(cli, "%s: %s; %s", given, problem, hint);
  else
    cli_fail(cli, "%s: %s; `pmon%s%s%s%s --help` lists the options", given, problem, *name ? " " : "", name,
             cli->action ? " " : "", cli->action ? cli->action : "");
  return '?';
}

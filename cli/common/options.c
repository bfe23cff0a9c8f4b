/* SPDX-License-Identifier: MIT */
/* Options that several commands share, lists of options that are repeated, and the loop of commands that process their
 * arguments one by one. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "cli/common/cli.h"

bool cli_option_is(const struct cli_option *rows, int code)
{
  while (rows->name && rows->code != code)
    rows++;
  return rows->name != NULL;
}

static bool option_read_number(const char *text, int64_t *ret_value)
{
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 0);
  *ret_value = value;
  return *text && !*end && !errno && value >= 0;
}

static int option_parse_format(struct cli *cli, const char *text, struct cli_options *o)
{
  o->json = strcmp(text, "json") == 0;
  o->perf = strcmp(text, "perf-json") == 0;
  if (o->json || o->perf || strcmp(text, "text") == 0)
    return 0;
  return cli_fail_word(cli, "--format", text, "text json perf-json");
}

static int option_parse_number(struct cli *cli, const char *option, int64_t *ret_value)
{
  return option_read_number(optarg, ret_value) ? 0 : cli_fail_value(cli, option, optarg, "a number");
}

/* Returns 0, or an exit code. */
static int option_take(struct cli *cli, int code, struct cli_options *o)
{
  switch (code) {
  case 'p': cli->platform_name = optarg; return 0;
  case 'u': o->unit = optarg; return 0;
  case 'g': o->group = optarg; return 0;
  case CLI_OPTION_GROUPS: o->groups = true; return 0;
  case CLI_OPTION_REPLAY: o->replay = optarg; return 0;
  case CLI_OPTION_ROOT: o->root = optarg; return 0;
  case CLI_OPTION_RECORDING: o->recording = optarg; return 0;
  case CLI_OPTION_JSON: o->json = true; return 0;
  case CLI_OPTION_FORMAT: return option_parse_format(cli, optarg, o);
  case CLI_OPTION_CODE: return option_parse_number(cli, "--code", &o->code);
  case CLI_OPTION_COUNTER: return option_parse_number(cli, "--counter", &o->counter);
  case CLI_OPTION_INSTANCE: return option_parse_number(cli, "--instance", &o->instance);
  default: return CLI_USAGE;
  }
}

int cli_read_options(struct cli *cli, int argc, char **argv, struct cli_options *ret_options, int *ret_exit)
{
  struct cli_options *o = ret_options;
  *o = (struct cli_options){.code = -1, .counter = -1, .instance = -1};
  optind = 0;
  int c;
  while ((c = cli_getopt(cli, argc, argv)) != -1) {
    if (c == 'h') {
      cli_help(cli);
      *ret_exit = CLI_DONE;
      return -1;
    }
    *ret_exit = c == '?' ? CLI_USAGE : option_take(cli, c, o);
    if (*ret_exit)
      return -1;
  }
  o->n = argc - optind;
  o->args = argv + optind;
  *ret_exit = CLI_USAGE;
  return cli_platform(cli) ? 0 : -1;
}

/* Processes each name that matches a word that is a pattern. */
static int each_match(struct cli *cli, const struct cli_options *o, const struct cli_each *how, const char *word)
{
  size_t n = 0, length;
  int result = CLI_DONE;
  const bool metrics = how->patterns == CLI_NAME_PATTERNS && !pmon_metric_expand(cli->platform, word, NULL, 0, &n);
  if (!metrics && pmon_event_expand(cli->platform, word, NULL, 0, &n))
    return cli_fail_context(cli, word);
  char *const names = malloc(n + 1);
  if (!names)
    return cli_fail_memory(cli);
  if (metrics)
    pmon_metric_expand(cli->platform, word, names, n + 1, &n);
  else
    pmon_event_expand(cli->platform, word, names, n + 1, &n);
  for (char *at = names; *at; at += length) {
    length = metrics ? strcspn(at, ",") : pmon_event_text_length(at);
    const bool last = !at[length];
    at[length] = 0;
    const int status = how->one(cli, o, at);
    result = status ? status : result;
    length += !last;
  }
  free(names);
  return result;
}

int cli_each(struct cli *cli, int argc, char **argv, const struct cli_each *how)
{
  struct cli_options o;
  int result;
  if (cli_read_options(cli, argc, argv, &o, &result) != 0)
    return result;
  if (!o.n)
    return cli_fail_missing(cli, how->argument);
  result = CLI_DONE;
  for (int i = 0; i < o.n; i++) {
    const bool pattern = how->patterns != CLI_NO_PATTERNS && o.args[i][strcspn(o.args[i], "*?[")];
    const int status = pattern ? each_match(cli, &o, how, o.args[i]) : how->one(cli, &o, o.args[i]);
    result = status ? status : result;
  }
  return result;
}

int cli_unit(struct cli *cli, const struct cli_options *options, uint32_t *ret_unit)
{
  *ret_unit = UINT32_MAX;
  if (options->unit && pmon_unit_find(cli->platform, options->unit, ret_unit) != PMON_OK)
    return cli_fail_context(cli, options->unit);
  return 0;
}

struct cli_joined {
  struct cli_joined *next;
  char *text;
};

int cli_take_list(struct cli *cli, const char **list, const char *value)
{
  if (!*list) {
    *list = value;
    return CLI_DONE;
  }
  struct cli_joined *joined = malloc(sizeof *joined);
  if (!joined || asprintf(&joined->text, "%s,%s", *list, value) < 0) {
    free(joined);
    return cli_fail_memory(cli);
  }
  joined->next = cli->joined;
  cli->joined = joined;
  *list = joined->text;
  return CLI_DONE;
}

void cli_free_lists(struct cli *cli)
{
  for (struct cli_joined *next; cli->joined; cli->joined = next) {
    next = cli->joined->next;
    free(cli->joined->text);
    free(cli->joined);
  }
}

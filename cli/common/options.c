/* SPDX-License-Identifier: MIT */
/* The options that commands have in common, and commands that do the same with each word behind them. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "cli/common/cli.h"

int cli_getopt(struct cli *cli, int argc, char **argv, const char *letters, const struct option *options)
{
  opterr = 0;
  const int c = getopt_long(argc, argv, letters, options, NULL);
  if (c != '?' && c != ':')
    return c;
  const char *name = cli->command ? cli->command->name : "", *given = argv[optind - 1];
  char letter[] = "-?";
  if (c == '?' && optopt && !strchr(given, '=')) { /* among several behind one hyphen, perhaps */
    letter[1] = (char)optopt;
    given = letter;
  }
  if (c == ':')
    cli_fail(cli, "%s needs a value", given);
  else
    cli_fail(cli, "no such option as %s; `pmon%s%s --help` lists them", given, *name ? " " : "", name);
  return '?';
}

static bool read_number(const char *text, int64_t *ret_value)
{
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 0);
  *ret_value = value;
  return *text && !*end && !errno && value >= 0;
}

int cli_read_options(struct cli *cli, int argc, char **argv, const char *accept, struct cli_options *ret_options,
                     int *ret_exit)
{
  static const struct option options[] = {
      {"platform", 1, NULL, 'p'}, {"help", 0, NULL, 'h'},   {"unit", 1, NULL, 'u'},
      {"json", 0, NULL, 'j'},     {"code", 1, NULL, 'c'},   {"counter", 1, NULL, 'n'},
      {"instance", 1, NULL, 'i'}, {"format", 1, NULL, 'f'}, {NULL, 0, NULL, 0},
  };
  struct cli_options *o = ret_options;
  *o = (struct cli_options){.code = -1, .counter = -1, .instance = -1};
  optind = 0;
  int c;
  while ((c = cli_getopt(cli, argc, argv, ":p:hu:", options)) != -1) {
    int64_t *number = c == 'c' ? &o->code : c == 'n' ? &o->counter : c == 'i' ? &o->instance : NULL;
    *ret_exit = CLI_USAGE;
    if (c == '?')
      return -1;
    if (c != 'p' && c != 'h' && !strchr(accept, c)) {
      const char *given = argv[optind - 1];
      if (optarg == given) /* -u UNIT: the option stands before its value */
        given = argv[optind - 2];
      cli_fail(cli, "no such option as %s; `pmon %s --help` lists them", given, argv[0]);
      return -1;
    }
    if (c == 'p') {
      cli->platform_name = optarg;
    } else if (c == 'u') {
      o->unit = optarg;
    } else if (c == 'j') {
      o->json = true;
    } else if (c == 'f') {
      o->json = strcmp(optarg, "json") == 0;
      o->perf = strcmp(optarg, "perf-json") == 0;
      if (!o->json && !o->perf && strcmp(optarg, "text") != 0) {
        cli_fail(cli, "--format %s: text, json or perf-json is expected", optarg);
        return -1;
      }
    } else if (c == 'h') {
      cli_help(cli);
      *ret_exit = CLI_DONE;
      return -1;
    } else if (number && !read_number(optarg, number)) {
      cli_fail(cli, "\"%s\" is no number", optarg);
      return -1;
    }
  }
  o->n = argc - optind;
  o->args = argv + optind;
  *ret_exit = CLI_USAGE;
  return cli_platform(cli) ? 0 : -1;
}

int cli_each(struct cli *cli, int argc, char **argv, const struct cli_each *how)
{
  struct cli_options o;
  int result;
  if (cli_read_options(cli, argc, argv, how->accept, &o, &result) != 0)
    return result;
  if (!o.n)
    return cli_fail(cli, "%s is expected", how->expected);
  result = CLI_DONE;
  for (int i = 0; i < o.n; i++) {
    int status = how->one(cli, &o, o.args[i]);
    result = status ? status : result;
  }
  return result;
}

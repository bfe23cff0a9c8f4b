/* SPDX-License-Identifier: MIT */
/* `pmon restore`: gives back what a session that was killed could not. */
#include <getopt.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/target.h"

enum { CODE_BACKEND = 256 };

bool journal_default_path(char *path, size_t size, const char *name)
{
  const char *folder = getenv("XDG_RUNTIME_DIR");
  return folder && *folder == '/' && (size_t)snprintf(path, size, "%s/pmon-%s.journal", folder, name) < size;
}

/* Gives one journal back through a machine that has the configured shape. */
static int restore_one(struct cli *cli, struct target_options *options, const char *path)
{
  struct target target;
  struct pmon_backend *allowed;
  uint32_t n = 0;
  int result = target_open_idle(cli, options, &target);
  if (result != CLI_DONE)
    return result;
  if (pmon_backend_allow_new(target.backend, cli->platform, &allowed)) {
    result = cli_fail(cli, "no memory");
  } else {
    target.backend = allowed;
    if (pmon_restore(cli->context, target.backend, path, &n))
      result = cli_fail_context(cli, NULL);
    else
      cli_fail(cli, "%s: %u registers given back", path, n);
  }
  target_close(&target);
  return result;
}

/* All journals in the user's folder for such files. */
static int restore_all(struct cli *cli, struct target_options *options)
{
  char pattern[400];
  glob_t found = {0};
  int result = CLI_DONE;
  if (!journal_default_path(pattern, sizeof pattern, "*"))
    return cli_fail(cli, "name the journal: XDG_RUNTIME_DIR, where they are by default, is not set");
  if (glob(pattern, 0, NULL, &found) || !found.gl_pathc)
    cli_fail(cli, "nothing to give back: there is no %s", pattern);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    int one = restore_one(cli, options, found.gl_pathv[i]);
    result = result ? result : one;
  }
  globfree(&found);
  return result;
}

static int read_options(struct cli *cli, int argc, char **argv, struct target_options *target, bool *ret_help)
{
  static const struct option options[] = {{"platform", 1, NULL, 'p'}, {"help", 0, NULL, 'h'},
                                          {"backend", 1, NULL, CODE_BACKEND}, TARGET_OPTIONS, {NULL, 0, NULL, 0}};
  int c, result = CLI_DONE;
  optind = 0;
  while (result == CLI_DONE && (c = getopt_long(argc, argv, "p:h", options, NULL)) != -1) {
    if (c == 'h') {
      cli_help(cli);
      *ret_help = true;
      return CLI_DONE;
    }
    if (c == 'p')
      cli->platform_name = optarg;
    else if (c == CODE_BACKEND)
      result = strcmp(optarg, "machine") ? cli_fail(cli, "there is no backend \"%s\"; there is: machine", optarg)
                                         : CLI_DONE;
    else
      result = c == TARGET_SET || c == TARGET_PRESET ? target_take(cli, target, c, optarg) : CLI_USAGE;
  }
  return result == CLI_DONE && !cli_platform(cli) ? CLI_USAGE : result;
}

int cli_restore(struct cli *cli, int argc, char **argv)
{
  struct target_options target;
  bool help = false;
  target_options_init(&target);
  int result = read_options(cli, argc, argv, &target, &help);
  if (result == CLI_DONE && !help && optind >= argc)
    result = restore_all(cli, &target);
  for (int i = optind; result == CLI_DONE && !help && i < argc; i++)
    result = restore_one(cli, &target, argv[i]);
  target_options_fini(&target);
  return result;
}

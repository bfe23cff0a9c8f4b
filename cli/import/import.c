/* SPDX-License-Identifier: MIT */
/* pmon import: makes a user-supplied platform from event files in Intel's format. */
#include "cli/import/import.h"
#include "cli/target/hardware.h"
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

struct import_options {
  const char *output, *name, *as, *only, *root;
  bool host;
};

enum { CODE_NAME = CLI_OPTION_OWN, CODE_AS, CODE_HOST, CODE_ONLY };

static int import_read_options(struct cli *cli, int argc, char **argv, struct import_options *o)
{
  int c;
  optind = 0;
  while ((c = cli_getopt(cli, argc, argv)) != -1) {
    switch (c) {
    case 'h': cli_help(cli); return -1;
    case 'o': o->output = optarg; break;
    case CODE_NAME: o->name = optarg; break;
    case CODE_ONLY: o->only = optarg; break;
    case CLI_OPTION_ROOT: o->root = optarg; break;
    case CODE_HOST: o->host = true; break;
    case CODE_AS:
    case 'p': o->as = optarg; break; /* -p has the meaning of --as */
    default: return CLI_USAGE;
    }
  }
  return argc - optind == 1  ? CLI_DONE
         : argc - optind > 1 ? cli_fail_unexpected(cli, argv[optind + 1])
                             : cli_fail_missing(cli, "FILE.json|DIRECTORY");
}

/* Chooses the new platform's name: --name, else the name of the output file, else that of the event file. */
static int choose_name(struct import *im, const struct import_options *o, char *name, size_t size)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  const char *from = o->name ? o->name : im->source, *suffix = o->output ? strstr(o->output, ".platform") : NULL;
  const struct pmon_platform *other;
  if (!o->name && suffix && !suffix[9]) {
    const char *slash = strrchr(o->output, '/');
    from = slash ? slash + 1 : o->output;
  }
  size_t n = o->name ? strlen(from) : strcspn(from, ".");
  snprintf(name, size, "%.*s", (int)(n < size ? n : size - 1), from);
  for (char *c = name; *c; c++) {
    if (*c >= 'A' && *c <= 'Z')
      *c = (char)(*c - 'A' + 'a');
    if (!strchr(letters, *c) && o->name)
      return cli_fail_value(im->cli, "--name", o->name, "letters, digits, '_' and '-'");
    if (!strchr(letters, *c))
      *c = '_';
  }
  if (!*name)
    return cli_fail(im->cli, "%s: no platform name can be derived; add --name NAME", im->path);
  if (pmon_platform_find(im->cli->context, name, &other) == PMON_OK)
    return cli_fail(im->cli, "%s: a platform of this name exists; add --name NAME", name);
  im->name = name;
  return CLI_DONE;
}

/* Chooses the folder: for -o FILE.platform that of the file; for -o FOLDER this folder, which is created if
 * necessary. */
static int choose_folder(struct import *im, const struct import_options *o, char *folder, size_t size)
{
  const char *suffix = o->output ? strstr(o->output, ".platform") : NULL;
  const char *slash = o->output ? strrchr(o->output, '/') : NULL;
  bool is_file = suffix && !suffix[9];
  *folder = 0;
  if (!o->output || (is_file && !slash))
    return CLI_DONE;
  int n = is_file ? (int)(slash - o->output) : (int)strlen(o->output);
  if ((size_t)n + 2 > size)
    return cli_fail(im->cli, "-o %s: the path is too long", o->output);
  snprintf(folder, size, "%.*s", n, o->output);
  if (n && mkdir(folder, 0777) != 0 && errno != EEXIST) {
    cli_fail(im->cli, "%s: %s", folder, strerror(errno));
    return CLI_FAILED;
  }
  if (!n || folder[n - 1] != '/')
    strcat(folder, "/");
  return CLI_DONE;
}

static int choose_base(struct import *im, const struct import_options *o)
{
  if (!o->as)
    im->base = import_choose(im);
  else if (import_is_file(o->as))
    return import_load_base(im, o->as);
  else if (strcasecmp(o->as, "none") != 0 && pmon_platform_find(im->cli->context, o->as, &im->base) != PMON_OK)
    return cli_fail_context(im->cli, NULL);
  return CLI_DONE;
}

/* Checks that the library can read the written files. */
static int import_read_back(struct import *im, const char *folder)
{
  char path[4200];
  struct pmon_platform_info info = {.size = sizeof info};
  snprintf(path, sizeof path, "%s%s.platform", folder, im->name);
  if (pmon_context_load(im->cli->context, path) != PMON_OK)
    return cli_fail_context(im->cli, NULL);
  const size_t used = im->n_rows - im->left_out;
  const size_t more = im->left_out > IMPORT_REPORTS ? im->left_out - IMPORT_REPORTS : 0;
  if (more)
    cli_note(im->cli, "%zu more object%s omitted", more, more == 1 ? "" : "s");
  if (im->base)
    pmon_platform_describe(im->base, &info);
  printf("%s: %zu event%s, %zu omitted%s%s\n", path, used, used == 1 ? "" : "s", im->left_out,
         im->base ? ", registers of " : "", im->base ? info.name : "");
  const char *separator = "these units are counted through Linux perf only: ";
  for (uint32_t i = 0; i < im->n_units; i++)
    if (im->units[i].kind) {
      printf("%s%s", separator, im->units[i].name);
      separator = ", ";
    }
  printf("%sload it with: pmon -p %s%s list\n", *separator == ',' ? "\n" : "", strchr(path, '/') ? "" : "./", path);
  return CLI_DONE;
}

static int import_run(struct import *im, const struct import_options *o)
{
  char name[64], folder[4096];
  int result = import_add_file(im, im->path);
  if (!result && !im->n_rows)
    result = cli_fail(im->cli, "%s: the array of events is empty; expected one of Intel's event files", im->path);
  if (!result)
    result = choose_name(im, o, name, sizeof name);
  if (!result)
    result = choose_base(im, o);
  if (!result)
    result = choose_folder(im, o, folder, sizeof folder);
  if (!result)
    result = import_finish(im, folder);
  return result ? result : import_read_back(im, folder);
}

static const struct cli_option import_options[] = {
    {"output", 'o', "OUT",
     "a folder, or a file ending in .platform (default: for a file the current folder, for a directory "
     "~/.local/share/pmon/platforms)",
     CLI_NEW_FILE, NULL},
    {"name", CODE_NAME, "NAME", "the platform's name (default: the file's)", CLI_TEXT, NULL},
    {"as", CODE_AS, "PLATFORM",
     "source of the units' registers: a platform, none, or a FILE.platform of pmon discover -o (default: for a file "
     "the best match, for a directory none)",
     CLI_PLATFORM, NULL},
    CLI_FLAG("host", CODE_HOST, "for a directory: only the platform of this host's processor"),
    {"only", CODE_ONLY, "NAME", "for a directory: only the processor of this folder, such as ICX", CLI_TEXT, NULL},
    {"root", CLI_OPTION_ROOT, "DIR",
     "read the system's files below DIR instead of /; --host then selects their processor", CLI_FILE, NULL},
    CLI_OPTION_END,
};

static int run_import(struct cli *cli, int argc, char **argv)
{
  struct import_options o = {0};
  int result = import_read_options(cli, argc, argv, &o);
  struct hardware h;
  if (!result && o.root)
    result = hardware_take_root(cli, &h, o.root);
  if (result)
    return result < 0 ? CLI_DONE : result;
  struct stat st;
  if (!stat(argv[optind], &st) && S_ISDIR(st.st_mode)) {
    return import_run_directory(
        cli, &(struct import_directory){
                 .path = argv[optind], .output = o.output, .name = o.name, .only = o.only, .as = o.as, .host = o.host});
  }
  if (o.host || o.only)
    return cli_fail(cli, "%s applies only to a directory with mapfile.csv", o.host ? "--host" : "--only");
  struct import im = {.cli = cli, .path = argv[optind], .cpus = ""};
  const char *slash = strrchr(im.path, '/');
  im.source = slash && slash[1] ? slash + 1 : im.path;
  result = import_run(&im, &o);
  import_free(&im);
  return result;
}

const struct cli_command import_command = {
    .name = "import",
    .arguments = "FILE.json|DIRECTORY",
    .brief = "make platform files from event files in Intel's format",
    .run = run_import,
    .options = {{import_options, NULL}, {NULL, NULL}},
    .notes = "Examples: pmon import events.json -o mine.platform\n"
             "          pmon import perfmon/ --host\n",
    .value = CLI_FILE,
};

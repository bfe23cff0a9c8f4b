/* SPDX-License-Identifier: MIT */
/* pmon import: makes a user-supplied platform from an event file in Intel's format. */
#include "cli/import/import.h"
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define MOST_REPORTS 20 /* messages about omitted rows; further ones are only counted */

struct import_options {
  const char *output, *name, *as;
};

void import_leave_out(struct import *im, struct import_row *row, const char *format, ...)
{
  va_list ap;
  row->used = false;
  if (im->left_out++ >= MOST_REPORTS)
    return;
  char why[1024];
  va_start(ap, format);
  vsnprintf(why, sizeof why, format, ap);
  va_end(ap);
  cli_print_error("pmon import: object %zu (%s): %s; omitted\n", row->e.number,
                  *row->e.name ? row->e.name : "without name", why);
}

enum { CODE_NAME = CLI_OPTION_OWN, CODE_AS };

static int import_read_options(struct cli *cli, int argc, char **argv, struct import_options *o)
{
  int c;
  optind = 0;
  while ((c = cli_getopt(cli, argc, argv)) != -1) {
    if (c == '?')
      return CLI_USAGE;
    if (c == 'h') {
      cli_help(cli);
      return -1;
    }
    *(c == 'o' ? &o->output : c == CODE_NAME ? &o->name : &o->as) = optarg; /* -p has the meaning of --as */
  }
  return argc - optind == 1  ? CLI_DONE
         : argc - optind > 1 ? cli_fail_unexpected(cli, argv[optind + 1])
                             : cli_fail_missing(cli, "FILE.json");
}

/* The new platform's name: --name, else that of the output file, else that of the event file. */
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

/* -o FILE.platform: into the file's folder; -o FOLDER: into this folder, which is created if necessary. */
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

static int read_rows(struct import *im)
{
  char error[512];
  if (intel_open(im->path, &im->file, error, sizeof error) != PMON_OK)
    return cli_fail(im->cli, "%s", error);
  im->rows = calloc(im->file.n ? im->file.n : 1, sizeof *im->rows);
  for (size_t i = 0; im->rows && i < im->file.n; i++) {
    im->rows[i].used = true;
    if (intel_event(&im->file, i, &im->rows[i].e, error, sizeof error) != PMON_OK)
      import_leave_out(im, &im->rows[i], "%s", error);
  }
  return im->rows ? CLI_DONE : CLI_FAILED;
}

/* Checks that the library can read the written files. */
static int import_read_back(struct import *im, const char *folder)
{
  char path[4200];
  struct pmon_platform_info info = {.size = sizeof info};
  snprintf(path, sizeof path, "%s%s.platform", folder, im->name);
  if (pmon_context_load(im->cli->context, path) != PMON_OK)
    return cli_fail_context(im->cli, NULL);
  size_t used = im->file.n - im->left_out;
  if (im->left_out > MOST_REPORTS)
    fprintf(stderr, "pmon import: %zu more objects omitted\n", im->left_out - MOST_REPORTS);
  if (im->base)
    pmon_platform_describe(im->base, &info);
  printf("%s: %zu events, %zu omitted%s%s\n", path, used, im->left_out, im->base ? ", registers as of " : "",
         im->base ? info.name : "");
  const char *separator = "of these units only the events are known: ";
  for (uint32_t i = 0; i < im->n_units; i++)
    if (im->units[i].base == UINT32_MAX) {
      printf("%s%s", separator, im->units[i].name);
      separator = ", ";
    }
  printf("%sload it with: pmon -p %s%s list\n", *separator == ',' ? "\n" : "", strchr(path, '/') ? "" : "./", path);
  return CLI_DONE;
}

static int import_run(struct import *im, const struct import_options *o)
{
  char name[64], folder[4096];
  int result = read_rows(im);
  if (!result)
    result = choose_name(im, o, name, sizeof name);
  if (!result)
    result = choose_base(im, o);
  if (result)
    return result;
  int status = import_place(im);
  if (!status)
    status = import_check(im);
  if (!status)
    status = import_group(im);
  if (status) {
    cli_fail(im->cli, "no memory");
    return CLI_FAILED;
  }
  if (im->left_out == im->file.n)
    return cli_fail(im->cli, "%s: none of its %zu objects can be used", im->path, im->file.n);
  result = choose_folder(im, o, folder, sizeof folder);
  if (!result)
    result = import_write(im, folder);
  return result ? result : import_read_back(im, folder);
}

static const struct cli_option import_options[] = {
    {"output", 'o', "OUT", "a folder, or a file ending in .platform (default: the current folder)", CLI_FILE, NULL},
    {"name", CODE_NAME, "NAME", "the platform's name (default: the file's)", CLI_TEXT, NULL},
    {"as", CODE_AS, "PLATFORM",
     "source of the units' registers: a platform, none, or a FILE.platform of pmon discover -o (default: the best "
     "match)",
     CLI_PLATFORM, NULL},
    CLI_OPTION_END,
};

static int run_import(struct cli *cli, int argc, char **argv)
{
  struct import_options o = {0};
  int result = import_read_options(cli, argc, argv, &o);
  if (result)
    return result < 0 ? CLI_DONE : result;
  struct import im = {.cli = cli, .path = argv[optind]};
  const char *slash = strrchr(im.path, '/');
  im.source = slash ? slash + 1 : im.path;
  if (!*im.source)
    im.source = im.path;
  result = import_run(&im, &o);
  for (size_t i = 0; im.rows && i < im.file.n; i++) {
    free(im.rows[i].event);
    free(im.rows[i].umask);
    free(im.rows[i].settings);
  }
  free(im.rows);
  intel_close(&im.file);
  return result;
}

const struct cli_command import_command = {
    .name = "import",
    .arguments = "FILE.json",
    .brief = "make a platform file from an event file in Intel's format",
    .run = run_import,
    .options = {{import_options, NULL}, {NULL, NULL}},
    .notes = "Example: pmon import events.json -o mine.platform\n",
    .value = CLI_FILE,
};

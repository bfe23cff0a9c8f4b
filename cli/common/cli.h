/* SPDX-License-Identifier: MIT */
/* What the subcommands of `pmon` share: one file each, one row each in main.c's table. */
#ifndef CLI_COMMON_CLI_H
#define CLI_COMMON_CLI_H

#include <stdbool.h>
#include <pmon/pmon.h>
#include "cli/common/out.h"

enum cli_exit { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_NO_HARDWARE = 3 };

struct cli_command;

struct cli {
  struct pmon_context *context;
  const char *platform_name;            /* of -p: a name or a .platform file; NULL: this host's, else emr */
  const struct pmon_platform *platform; /* set by cli_platform() */
  bool has_root;                        /* this host is what --root names: */
  struct pmon_cpu root_cpu;             /* its processor; all zeros: it is not told */
  const struct cli_command *command;
  struct out out;   /* standard output */
  bool error_color; /* on standard error */
};

/* argv[0] is the subcommand's name; the result is an enum cli_exit. A `hidden` row stays out of the help. */
struct cli_command {
  const char *name, *arguments, *brief;
  int (*run)(struct cli *cli, int argc, char **argv);
  const char *options; /* help on its own options, lines ending in \n; may be NULL */
  bool hidden;
};

extern const struct cli_command cli_commands[]; /* ends with name NULL */

struct option;
/* getopt_long() that tells itself what is wrong, and then returns '?'. `letters` begin with ':', or "+:". */
int cli_getopt(struct cli *cli, int argc, char **argv, const char *letters, const struct option *options);

/* Options that commands have in common; a command takes those it names in `accept`. */
struct cli_options {
  const char *unit;                /* -u */
  bool json;                       /* --json, or --format json */
  bool perf;                       /* --format perf-json */
  int64_t code, counter, instance; /* --code, --counter, --instance; -1: not given */
  int n;                           /* arguments that are no options, */
  char **args;                     /* in their order */
};

/* Reads the options that begin with letters of `accept` (u: -u, j: --json, c: --code, n: --counter, i: --instance,
 * f: --format); -p and --help are understood always. 0, or -1 when *ret_exit is to be the result (help given, or an
 * error told). */
int cli_read_options(struct cli *cli, int argc, char **argv, const char *accept, struct cli_options *ret_options,
                     int *ret_exit);

/* A command that does the same with each word: which options it takes, what a word is ("an event"), and `one`, which
 * may change the word and returns CLI_DONE, or an exit code after telling the error. */
struct cli_each {
  const char *accept, *expected;
  int (*one)(struct cli *cli, const struct cli_options *options, char *word);
};
/* Runs such a command on all words; the last exit code that is not CLI_DONE, if any. */
int cli_each(struct cli *cli, int argc, char **argv, const struct cli_each *how);

/* The platform meant; NULL after telling the error. */
const struct pmon_platform *cli_platform(struct cli *cli);
/* The name of the one that is meant without -p: of this host's processor, or of the one whose files --root names; "emr"
 * when there are no facts about it. */
const char *cli_default_platform(struct cli *cli);
/* Whether -p names files of the user's. */
bool cli_platform_is_own(const struct cli *cli);

/* --color auto, always or never. CLI_DONE, or CLI_USAGE after telling the error. */
int cli_take_color(struct cli *cli, const char *when);

/* "pmon NAME: " and the text on standard error; returns CLI_USAGE. */
int cli_fail(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Tells the context's last error, under the text that it is about (NULL: none) and a mark at its column; returns the
 * exit code that the status asks for. */
int cli_fail_context(const struct cli *cli, const char *text);

/* The exit code that stands for a status (enum pmon_status). */
int cli_exit_code(int status);

/* The unit of -u in *ret_unit; UINT32_MAX without -u. 0, or an exit code after telling the error. */
int cli_unit(struct cli *cli, const struct cli_options *options, uint32_t *ret_unit);

/* Columns to use on standard output: the terminal's width; 0 where it is none: do not wrap, do not cut. */
unsigned cli_width(void);

/* Prints the help of the command that runs. */
void cli_help(const struct cli *cli);

/* Writes everything out; CLI_FAILED after telling so when that was not possible, else `result`. */
int cli_finish(struct cli *cli, int result);

/* The path of journal `name` in $XDG_RUNTIME_DIR. false: that is not set. */
bool journal_default_path(char *path, size_t size, const char *name);

int cli_list(struct cli *cli, int argc, char **argv);
int cli_search(struct cli *cli, int argc, char **argv);
int cli_units(struct cli *cli, int argc, char **argv);
int cli_registers(struct cli *cli, int argc, char **argv);
int cli_metrics(struct cli *cli, int argc, char **argv);
int cli_show(struct cli *cli, int argc, char **argv);
int cli_encode(struct cli *cli, int argc, char **argv);
int cli_decode(struct cli *cli, int argc, char **argv);
int cli_explain(struct cli *cli, int argc, char **argv);
int cli_completion(struct cli *cli, int argc, char **argv);
int cli_complete(struct cli *cli, int argc, char **argv);
int cli_import(struct cli *cli, int argc, char **argv);
int cli_stat(struct cli *cli, int argc, char **argv);
int cli_report(struct cli *cli, int argc, char **argv);
int cli_sample(struct cli *cli, int argc, char **argv);
int cli_restore(struct cli *cli, int argc, char **argv);
int cli_machine(struct cli *cli, int argc, char **argv);
int cli_vm(struct cli *cli, int argc, char **argv);

#endif

/* SPDX-License-Identifier: MIT */
/* What the subcommands of `pmon` share: one file each, one row each in main.c's table. */
#ifndef CLI_COMMON_CLI_H
#define CLI_COMMON_CLI_H

#include <stdbool.h>
#include <stdio.h>
#include <pmon/pmon.h>
#include "cli/common/out.h"

enum cli_exit { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_NO_HARDWARE = 3 };

/* What a value or an argument is, for the shells' completion. */
enum cli_value {
  CLI_TEXT, /* nothing is offered */
  CLI_FILE,
  CLI_WORDS, /* one of the option's `words` */
  CLI_PLATFORM,
  CLI_UNIT,
  CLI_EVENT,
  CLI_EVENTS, /* separated by commas */
  CLI_METRIC,
  CLI_METRICS, /* separated by commas */
  CLI_REGISTER,
  CLI_NAME,    /* an event or a metric */
  CLI_SETTING, /* NAME=VALUE, a parameter of the emulated machine */
  CLI_SOURCE   /* KIND or KIND=WHICH, a sample source */
};

/*
 * One option: getopt, help, completion and the check of the manual pages all read this row. `code` is what cli_getopt()
 * returns: a character is the option's letter, too; others begin at 256. `argument`: its name in the help, NULL for an
 * option without a value, "[=FILE]" for one that may be left out.
 */
struct cli_option {
  const char *name;
  int code;
  const char *argument, *help;
  enum cli_value value;
  const char *words; /* of CLI_WORDS, separated by blanks */
};

/* Rows that end with name NULL, and the actions of the command that accept them ("run mount"); NULL: all. */
struct cli_option_table {
  const struct cli_option *rows;
  const char *actions;
};
enum { CLI_TABLES = 10 };

/* What the first word after a command's name may be. The last row has name NULL. */
struct cli_action {
  const char *name, *arguments, *help;
};

/* Codes of options that several commands have. */
enum cli_option_code {
  CLI_OPTION_JSON = 256,
  CLI_OPTION_CSV,
  CLI_OPTION_COLOR,
  CLI_OPTION_CODE,
  CLI_OPTION_COUNTER,
  CLI_OPTION_INSTANCE,
  CLI_OPTION_FORMAT,
  CLI_OPTION_ROOT,
  CLI_OPTION_REPLAY,
  CLI_OPTION_MACHINE,
  CLI_OPTION_VERSION,
  CLI_OPTION_OWN = 300 /* a command's own begin here */
};
#define CLI_FLAG(name, code, help)                                                                                     \
  {                                                                                                                    \
    name, code, NULL, help, CLI_TEXT, NULL                                                                             \
  }
#define CLI_OPTION_END                                                                                                 \
  {                                                                                                                    \
    NULL, 0, NULL, NULL, CLI_TEXT, NULL                                                                                \
  }
extern const struct cli_option cli_json_option[], cli_unit_option[], cli_global_options[];

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

/* argv[0] is the subcommand's name; the result is an enum cli_exit. */
struct cli_command {
  const char *name, *arguments, *brief;
  int (*run)(struct cli *cli, int argc, char **argv);
  struct cli_option_table options[CLI_TABLES]; /* ends with rows NULL; -p and --help are always understood */
  const char *notes;                           /* printed under the options; lines end with \n; may be NULL */
  const struct cli_action *actions;            /* NULL: none */
  enum cli_value value;                        /* its arguments */
  const char *words;                           /* of CLI_WORDS */
  bool first;                                  /* options end at the first argument */
  bool spellings;                              /* the help explains how events are written */
  bool hidden;                                 /* the help does not list it */
};

/* Ends with NULL. */
extern const struct cli_command *const cli_commands[];
/* NULL: there is none of that name. */
const struct cli_command *cli_command_find(const char *name);

/* What stands before any command: `pmon` with its own options. */
extern const struct cli_command cli_top_command;

enum { CLI_OPTIONS = 64 }; /* at most of one command */
/* The rows of all options that the command (its `action`; NULL: any) accepts, the global ones first. Their number. */
size_t cli_options_of(const struct cli_command *command, const char *action,
                      const struct cli_option *ret_rows[CLI_OPTIONS]);

/* getopt_long() with the options of the command, or of its action (argv[0]) when it has actions; before a command is
 * known, with pmon's own. After an error message it returns '?'. Set optind to 0 before the first call. */
int cli_getopt(struct cli *cli, int argc, char **argv);

/* Options that commands on facts have in common. */
struct cli_options {
  const char *unit;                /* -u */
  bool json;                       /* --json, or --format json */
  bool perf;                       /* --format perf-json */
  int64_t code, counter, instance; /* --code, --counter, --instance; -1: not given */
  int n;                           /* arguments that are no options, */
  char **args;                     /* in their order */
};

/* Reads the command's options; all must be among --unit, --json, --code, --counter, --instance and --format. 0, or -1
 * when *ret_exit is to be the result (help printed, or an error reported). */
int cli_read_options(struct cli *cli, int argc, char **argv, struct cli_options *ret_options, int *ret_exit);

/* A command that does the same with each word: what a word is ("an event"), and `one`, which may change the word and
 * returns CLI_DONE, or an exit code after an error message. */
struct cli_each {
  const char *expected;
  int (*one)(struct cli *cli, const struct cli_options *options, char *word);
};
/* Runs such a command on all words; the last exit code that is not CLI_DONE, if any. */
int cli_each(struct cli *cli, int argc, char **argv, const struct cli_each *how);

/* The platform meant; NULL after telling the error. */
const struct pmon_platform *cli_platform(struct cli *cli);
/* The name of the platform that is meant without -p: of this host's processor, or of the one whose files --root names;
 * without facts about it, the name of model_default(). */
const char *cli_default_platform(struct cli *cli);
/* Whether -p names files of the user's. */
bool cli_platform_is_user_supplied(const struct cli *cli);

/* --color auto, always or never. CLI_DONE, or CLI_USAGE after telling the error. */
int cli_take_color(struct cli *cli, const char *when);

/* "pmon NAME: " and the text on standard error; returns CLI_USAGE. */
int cli_fail(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reports that memory ran out; returns CLI_FAILED. */
int cli_fail_memory(const struct cli *cli);

/* The text of a status for which there is no other one. */
const char *cli_status_text(int status);

/* Reports the context's last error, under the text that it is about (NULL: none) and a mark at its column; returns the
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
/* Prints the help of a command, and of pmon itself. */
void cli_print_command_help(FILE *to, const struct cli_command *c);
void cli_print_help(FILE *to);

/* Writes everything out; CLI_FAILED after telling so when that was not possible, else `result`. */
int cli_finish(struct cli *cli, int result);

/* The path of journal `name` in $XDG_RUNTIME_DIR. false: that is not set. */
bool journal_default_path(char *path, size_t size, const char *name);

extern const struct cli_command list_command;
extern const struct cli_command search_command;
extern const struct cli_command units_command;
extern const struct cli_command registers_command;
extern const struct cli_command metrics_command;
extern const struct cli_command show_command;
extern const struct cli_command encode_command;
extern const struct cli_command decode_command;
extern const struct cli_command explain_command;
extern const struct cli_command stat_command;
extern const struct cli_command sample_command;
extern const struct cli_command report_command;
extern const struct cli_command restore_command;
extern const struct cli_command machine_command;
extern const struct cli_command vm_command;
extern const struct cli_command import_command;
extern const struct cli_command discover_command;
extern const struct cli_command capture_command;
extern const struct cli_command doctor_command;
extern const struct cli_command completion_command;
extern const struct cli_command complete_command;

#endif

/* SPDX-License-Identifier: MIT */
/* Declarations that the subcommands of `pmon` share. Each subcommand has a file and a row in pmon.c's table. */
#ifndef CLI_COMMON_CLI_H
#define CLI_COMMON_CLI_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <pmon/pmon.h>
#include "cli/common/out.h"

struct signal_settings;

/* CLI_SIGNALLED: plus the number of the signal that ended the measurement or its command, as in a shell. */
enum cli_exit { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_NO_HARDWARE = 3, CLI_SIGNALLED = 128 };

/* Kinds of values and arguments, for the shells' completion. */
enum cli_value {
  CLI_TEXT, /* no completion */
  CLI_FILE,
  CLI_NEW_FILE, /* a file that is written, for which - does not mean standard output */
  CLI_WORDS,    /* one of the option's `words` */
  CLI_PLATFORM,
  CLI_UNIT,
  CLI_EVENT,
  CLI_EVENTS, /* separated by commas */
  CLI_METRIC,
  CLI_METRICS, /* separated by commas */
  CLI_GROUPS,  /* metric groups, separated by commas */
  CLI_REGISTER,
  CLI_NAME,    /* an event or a metric */
  CLI_SETTING, /* NAME=VALUE, a parameter of the emulated machine */
  CLI_SOURCE   /* KIND or KIND=WHICH, a sample source */
};

/*
 * One option. getopt, help, completion and the check of the manual pages all read this row. `code` is returned by
 * cli_getopt(); a character is also the option's letter, other codes begin at 256. `argument`: its name in the help,
 * NULL for an option without a value, "[=FILE]" for an optional one. `help` NULL: an alias, which help does not list.
 */
struct cli_option {
  const char *name;
  int code;
  const char *argument, *help;
  enum cli_value value;
  const char *words; /* of CLI_WORDS, separated by blanks */
};

/* Rows, ended by name NULL, and the actions of the command that accept them ("run mount"); NULL: all. */
struct cli_option_table {
  const struct cli_option *rows;
  const char *actions;
};
enum { CLI_TABLES = 10 };

/* The first word after the command's name. The last row has name NULL. */
struct cli_action {
  const char *name, *arguments, *help;
  bool first; /* options end at the action's first argument: another command may follow, with its own */
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
  CLI_OPTION_RECORDING,
  CLI_OPTION_PER_SOCKET,
  CLI_OPTION_PER_UNIT,
  CLI_OPTION_SORT,
  CLI_OPTION_TOP,
  CLI_OPTION_BY,
  CLI_OPTION_HISTOGRAM,
  CLI_OPTION_GROUPS,
  CLI_OPTION_RESCTRL_GROUP,
  CLI_OPTION_RESCTRL_NEW,
  CLI_OPTION_OWN = 300 /* codes of options of one command begin here */
};
#define CLI_FLAG(name, code, help)                                                                                     \
  {                                                                                                                    \
    name, code, NULL, help, CLI_TEXT, NULL                                                                             \
  }
#define CLI_GROUP_OPTION                                                                                               \
  {                                                                                                                    \
    "group", 'g', "LIST", "metric groups, separated by commas: MEM, LLC, IO ... (pmon metrics --groups)", CLI_GROUPS,  \
        NULL                                                                                                           \
  }
#define CLI_OPTION_END                                                                                                 \
  {                                                                                                                    \
    NULL, 0, NULL, NULL, CLI_TEXT, NULL                                                                                \
  }
extern const struct cli_option cli_json_option[], cli_unit_option[], cli_global_options[];

struct cli_command;

struct cli {
  struct pmon_context *context;
  const char *platform_name;                 /* of -p: a name or a .platform file; NULL: this host's, else emr */
  const char *platform_file;                 /* the file that determined the platform instead of -p; NULL: none */
  const struct pmon_platform *platform;      /* set by cli_platform() */
  bool has_root;                             /* --root was given: */
  struct pmon_cpu root_cpu;                  /* the processor below --root; all zeros: unknown */
  const struct cli_command *const *commands; /* all of them, ended by NULL */
  const struct cli_command *command;
  const char *action;                    /* the command's action ("check" of machine); NULL: none */
  struct out out;                        /* standard output */
  bool error_color;                      /* on standard error */
  const struct signal_settings *signals; /* of pmon's caller, for the measured command; NULL: unchanged */
  struct cli_joined *joined;             /* lists of options that were repeated; NULL: none */
};

/* argv[0] is the subcommand's name; the result is an enum cli_exit. */
struct cli_command {
  const char *name, *arguments, *brief;
  int (*run)(struct cli *cli, int argc, char **argv);
  struct cli_option_table options[CLI_TABLES]; /* ends with rows NULL; -p and --help are always accepted */
  const char *notes;                           /* printed below the options; lines end with \n; may be NULL */
  const char *emulated;                        /* how it measures on the emulated machine; NULL: pmon stat does */
  const struct cli_action *actions;            /* NULL: none */
  enum cli_value value;                        /* kind of its arguments */
  const char *words;                           /* the words, if `value` is CLI_WORDS */
  const char *platform;                        /* its default platform; NULL: this host's, else emr */
  bool first;     /* options end at the first argument; of a command with actions, where the action's row says so */
  bool spellings; /* the help explains how events are written */
  bool hidden;    /* `pmon --help` does not list it */
};

/* Finds a command in a table that ends with NULL. NULL: no such command. */
const struct cli_command *cli_command_find(const struct cli_command *const *commands, const char *name);

/* `pmon` itself, with the options before the command. */
extern const struct cli_command cli_top_command;

enum { CLI_OPTIONS = 64 }; /* maximum per command */
/* Writes the rows of all options that the command accepts (with `action` not NULL, those of this action), aliases
 * included, global options first. Returns their number. */
size_t cli_options_of(const struct cli_command *command, const char *action,
                      const struct cli_option *ret_rows[CLI_OPTIONS]);

/* The command's action; NULL: it has none of this name. */
const struct cli_action *cli_action_find(const struct cli_command *command, const char *name);
/* Whether `actions`, separated by blanks, contains `action`. */
bool cli_action_is_listed(const char *actions, const char *action);

/* Whether one of the rows has this code. */
bool cli_option_is(const struct cli_option *rows, int code);

/* getopt_long() with the options of the command, or of its action argv[0] if it has actions; with those of
 * cli_top_command if cli->command is NULL. Returns '?' after printing an error. Set optind to 0 before the first
 * call. */
int cli_getopt(struct cli *cli, int argc, char **argv);
/* Takes the list of an option that can be repeated: appends `value` to `*list` after a comma. `cli` owns the text. */
int cli_take_list(struct cli *cli, const char **list, const char *value);
void cli_free_lists(struct cli *cli);

/* Options that the commands on facts share. */
struct cli_options {
  const char *unit;                /* -u */
  const char *replay;              /* --replay: a captured machine */
  const char *root;                /* --root */
  const char *recording;           /* --recording */
  const char *group;               /* -g */
  bool json;                       /* --json, or --format json */
  bool perf;                       /* --format perf-json */
  bool groups;                     /* --groups */
  int64_t code, counter, instance; /* --code, --counter, --instance; -1: not given */
  int n;                           /* arguments other than options, */
  char **args;                     /* in order */
};

/* Parses the command's options, which must be among --unit, --json, --code, --counter, --instance, --replay, --root,
 * --group, --groups and --format. Returns 0, or -1 with the command's exit code in *ret_exit (after help or an error
 * message).
 */
int cli_read_options(struct cli *cli, int argc, char **argv, struct cli_options *ret_options, int *ret_exit);

/* A command that processes its words one by one: `argument` is their name in the usage line ("EVENT"); `one` processes
 * a word, which it may change, and returns CLI_DONE, or an exit code after printing an error. Patterns in words
 * are replaced by the names that they match. */
struct cli_each {
  const char *argument;
  int (*one)(struct cli *cli, const struct cli_options *options, char *word);
  enum { CLI_NO_PATTERNS, CLI_EVENT_PATTERNS, CLI_NAME_PATTERNS } patterns; /* NAME: metrics before events */
};
/* Runs `one` on all words. Returns the last exit code other than CLI_DONE, if any. */
int cli_each(struct cli *cli, int argc, char **argv, const struct cli_each *how);

/* The selected platform (-p, else the default). NULL after printing an error. */
const struct pmon_platform *cli_platform(struct cli *cli);
/* The name of the platform used without -p: that of this host's processor, or of the one below --root; if the facts do
 * not contain the processor, the name of model_default(). */
const char *cli_default_platform(struct cli *cli);
/* Whether -p names user-supplied files. */
bool cli_platform_is_user_supplied(const struct cli *cli);

/* Whether the platform's register addresses are not known, so that only Linux perf can count its events. */
bool cli_platform_is_perf_only(struct cli *cli);

/* The first line of a platform file that `pmon import` writes begins so, followed by ", format N" with this number. It
 * grows when imports get units, events or metrics that earlier ones lack: older files are reported when used. */
#define CLI_IMPORT_LINE "# Written by pmon import"
enum { CLI_IMPORT_FORMAT = 3 };

/* The folder of the user's imported platforms, with a slash at its end: $XDG_DATA_HOME/pmon/platforms/, or
 * ~/.local/share/pmon/platforms/. False: neither variable is set, or privileges are borrowed. */
bool cli_platform_folder(char *folder, size_t size);

/* Without -p: takes the platform that a file of unknown origin names, from those that are compiled in; such a file
 * never makes pmon open another one. `name` must outlive cli. CLI_DONE, or CLI_USAGE after printing an error. */
int cli_platform_of_file(struct cli *cli, const char *path, const char *name);

/* Applies --color. CLI_DONE, or CLI_USAGE after printing an error. */
int cli_take_color(struct cli *cli, const char *when);
/* True if a descriptor is a terminal that has colours and moves its cursor; with TERM=dumb none does. */
bool cli_takes_escapes(int fd);

/*
 * Messages on standard error: "pmon COMMAND: " and the text, which has the form `object: problem; remedy`, wrapped at a
 * terminal's width. An error is the reason for an exit code other than CLI_DONE; cli_fail() returns CLI_USAGE. A
 * warning has "warning: " before its text: the results may not be what the user expects. A note is any other message,
 * after which the command continues.
 */
int cli_fail(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_warn(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_note(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A note of which the first `n` bytes have the colour of warnings on a terminal. */
void cli_note_marked(const struct cli *cli, size_t n, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Texts on standard error as they are, without a name before them. In these as in messages, characters that a terminal
 * would act on, except line ends and tabs, are escaped: files, programs and devices may have chosen them. */
enum { CLI_MESSAGE_SIZE = 4096 }; /* longer texts need memory of their own */
void cli_write_error(const char *s, size_t n);
void cli_print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Formats such a text behind the first n bytes of `buffer`, which has CLI_MESSAGE_SIZE bytes. Returns the buffer or, if
 * the text is longer, memory that the caller frees. A text for which there is no memory is cut. */
char *cli_format_error(char *buffer, size_t n, const char *format, va_list ap) __attribute__((format(printf, 3, 0)));
/* Reports a value that `option` does not accept, and what it accepts: a text, or one of `words`, separated by blanks.
 * Return CLI_USAGE. */
int cli_fail_value(const struct cli *cli, const char *option, const char *value, const char *expected);
int cli_fail_word(const struct cli *cli, const char *option, const char *value, const char *words);
/* Formats an array of words as "a, b or c"; returns `text`. */
const char *cli_format_words(const char *const *words, size_t n, char *text, size_t size);
/* Report an argument that is missing (its name in the usage line), or one too many. Return CLI_USAGE. */
int cli_fail_missing(const struct cli *cli, const char *argument);
int cli_fail_unexpected(const struct cli *cli, const char *argument);

/* Reports that memory ran out; returns CLI_FAILED. */
int cli_fail_memory(const struct cli *cli);

/* The text of a status for which there is no other one. */
const char *cli_status_text(int status);

/* Prints the context's last error, then `text` with the error's column marked, unless `text` is NULL. Returns the exit
 * code for the error's status. */
int cli_fail_context(const struct cli *cli, const char *text);
/* Does the same for operations that start to use registers: PMON_E_STATE, another process uses them, is
 * CLI_NO_HARDWARE. */
int cli_fail_registers(const struct cli *cli);
/* The same for a file that could not be read: PMON_E_IO is then wrong usage; the other statuses keep their code. */
int cli_fail_file(const struct cli *cli);
/* Reports that an argument, the name of a file, is empty; returns CLI_USAGE. */
int cli_fail_no_file(const struct cli *cli);

/* The exit code for a status (enum pmon_status). */
int cli_exit_code(int status);

/* The unit named by -u in *ret_unit; UINT32_MAX without -u. 0, or an exit code after printing an error. */
int cli_unit(struct cli *cli, const struct cli_options *options, uint32_t *ret_unit);

/* Width of the terminal on standard output; 0 if it is no terminal: lines are neither wrapped nor cut. */
unsigned cli_width(void);
/* The same for the terminal on standard error. */
size_t cli_error_width(void);

/* Prints the help of the running command. */
void cli_help(const struct cli *cli);
/* Print the help of a command, and of pmon itself. */
void cli_print_command_help(FILE *to, const struct cli_command *c);
void cli_print_help(FILE *to, const struct cli_command *const *commands);

/* The path of journal `name` in $XDG_RUNTIME_DIR. False: the variable is not set. */
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
extern const struct cli_command diff_command;
extern const struct cli_command top_command;
extern const struct cli_command exporter_command;
extern const struct cli_command restore_command;
extern const struct cli_command machine_command;
extern const struct cli_command vm_command;
extern const struct cli_command bench_driver_command;
extern const struct cli_command bench_tool_command;
extern const struct cli_command import_command;
extern const struct cli_command discover_command;
extern const struct cli_command capture_command;
extern const struct cli_command doctor_command;
extern const struct cli_command completion_command;
extern const struct cli_command complete_command;

#endif

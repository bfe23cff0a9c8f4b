/* SPDX-License-Identifier: MIT */
#include "cli/stat/options.h"

#include <getopt.h>
#include <string.h>
#include "cli/common/value.h"
#include "cli/stat/run.h"

enum { MOST_RUNS = 10000 };
enum {
  CODE_BACKEND = CLI_OPTION_OWN,
  CODE_LOG,
  CODE_SLICE,
  CODE_CHECK,
  CODE_JOURNAL,
  CODE_RECORD,
  CODE_EVERY,
  CODE_DRY,
  CODE_FORCE,
  CODE_FREEZE,
  CODE_VERIFY,
  CODE_DURATION,
  CODE_EXIT,
  CODE_HTML,
  CODE_WITNESS,
  CODE_SUMMARY,
  CODE_SAMPLED,
  CODE_CONTROL,
  CODE_PRE,
  CODE_POST
};

/* -1: counters are disabled until a command enables them. */
static int parse_delay(struct stat_run *s, const char *text)
{
  s->control.starts_disabled = !strcmp(text, "-1");
  s->times.delay_ns = 0;
  if (!s->control.starts_disabled && !stat_time_read(text, &s->times.delay_ns))
    return cli_fail_value(s->cli, "-D", text, STAT_TIME_FORM ", or -1 with --control");
  return CLI_DONE;
}

/* The variable that a flag sets, or in which an option's text is stored. */
static bool *option_flag(struct stat_run *s, int code)
{
  switch (code) {
  case CODE_DRY: return &s->source.dry;
  case CODE_FORCE: return &s->source.force;
  case CODE_CHECK: return &s->checks.given;
  case CODE_EXIT: return &s->pass_exit;
  case CODE_SUMMARY: return &s->summary;
  default: return NULL;
  }
}

static const char **option_word(struct stat_run *s, int code)
{
  switch (code) {
  case 'o': return &s->output.path;
  case CODE_RECORD: return &s->files.record_path;
  case CLI_OPTION_REPLAY: return &s->source.replay;
  case CODE_LOG: return &s->files.log_path;
  case CODE_HTML: return &s->files.page_path;
  case CODE_CONTROL: return &s->control.where;
  case CODE_PRE: return &s->pre;
  case CODE_POST: return &s->post;
  default: return NULL;
  }
}

static int stat_take_option(struct stat_run *s, int code, const char *value)
{
  bool *const flag = option_flag(s, code);
  const char **const word = option_word(s, code);
  if (flag)
    *flag = true;
  if (word)
    *word = code == 'o' && !strcmp(value, "-") ? NULL : value;
  if (flag || word)
    return CLI_DONE;
  if (cli_option_is(stat_print_options, code))
    return stat_output_take_option(&s->output, code, value);
  switch (code) {
  case 'e':
  case 'm':
  case 'g': return stat_wanted_add_option(s->cli, &s->source.hardware, &s->wanted, code, value);
  case 'I': return stat_time_parse(s->cli, "-I", value, &s->times.interval_ns);
  case CODE_SLICE: return stat_time_parse(s->cli, "--slice", value, &s->method.slice_ns);
  case 'D': return parse_delay(s, value);
  case CODE_DURATION: return stat_time_parse(s->cli, "--duration", value, &s->times.duration_ns);
  case 'a': return CLI_DONE; /* accepted without effect: uncore counters are always system-wide */
  case CODE_BACKEND: return stat_source_parse_access_method(s->cli, &s->source, value);
  case CODE_FREEZE: return stat_method_parse_freeze(s->cli, &s->method, value);
  case CODE_VERIFY: return stat_method_parse_verify(s->cli, &s->method, value);
  case CODE_WITNESS: return stat_method_parse_witness(s->cli, &s->method, value);
  case CODE_EVERY: return stat_times_parse_every(s->cli, &s->source.hardware, &s->wanted, &s->times, value);
  case CLI_OPTION_RESCTRL_GROUP:
  case CLI_OPTION_RESCTRL_NEW: stat_source_take_group(&s->source, code, value); return CLI_DONE;
  case 'r': return value_parse_count(s->cli, "-r", value, MOST_RUNS, &s->repeats.runs);
  case CODE_SAMPLED: return sampled_take_option(s->cli, &s->sampled, value);
  case CODE_JOURNAL: return stat_files_parse_journal(s->cli, &s->files, value);
  default: return target_take(s->cli, &s->target, code, value);
  }
}

/* Refuses `perf stat record` and `perf stat report`, unless there are commands of these names. */
static int check_command(const struct cli *cli, const struct target_options *target)
{
  const char *name = target->argv ? *target->argv : "";
  if (strcmp(name, "record") && strcmp(name, "report"))
    return CLI_DONE;
  if (target_finds_command(name))
    return CLI_DONE;
  return cli_fail(cli,
                  "%s: no such command in PATH; perf stat record is pmon stat --record FILE, perf stat report is "
                  "pmon report FILE",
                  name);
}

static int check_control(const struct stat_run *s)
{
  const struct stat_control *c = &s->control;
  if (s->source.replay && c->where)
    return cli_fail(s->cli, "--replay cannot be combined with --control: the log has the commands");
  if (c->where && (s->times.every_count || s->times.delay_ns))
    return cli_fail(s->cli, "--control cannot be combined with --every, or with a -D other than -1");
  if (c->starts_disabled && !c->where && !s->source.replay)
    return cli_fail(s->cli, "-D -1 leaves the counters disabled until a command enables them; add --control");
  return CLI_DONE;
}

/* Rejects options that exclude each other. CLI_DONE, or an exit code after printing an error. */
static int check_options(struct stat_run *s)
{
  if (s->source.replay && (s->target.argv || s->target.trace || s->target.scenario))
    return cli_fail(s->cli, "--replay cannot be combined with a command, --trace or --scenario");
  if (s->source.replay && (s->pre || s->post))
    return cli_fail(s->cli, "--replay cannot be combined with --pre or --post");
  if (s->times.every_count && (s->times.interval_ns || s->repeats.runs > 1 || s->times.delay_ns))
    return cli_fail(s->cli, "--every cannot be combined with -I, -r or -D");
  if (s->summary && !s->times.interval_ns && !s->times.every_count)
    return cli_fail(s->cli, "--summary follows intervals; add -I or --every");
  if (s->repeats.runs > 1 && (s->source.replay || s->times.interval_ns || s->files.record_path))
    return cli_fail(s->cli, "-r cannot be combined with -I, --replay or --record");
  if (s->files.page_path && (s->repeats.runs > 1 || s->source.dry))
    return cli_fail(s->cli, "--html cannot be combined with -r or --dry-run; `pmon diff --html` compares runs");
  if (s->output.histogram && !s->times.interval_ns && !s->times.every_count)
    return cli_fail(s->cli, "--histogram: add -I MS, the length of an interval");
  int result = check_control(s);
  if (result == CLI_DONE)
    result = check_command(s->cli, &s->target);
  if (result == CLI_DONE)
    result = sampled_check(s);
  if (result == CLI_DONE)
    result = stat_output_check(&s->output);
  return result == CLI_DONE ? stat_source_choose(s->cli, &s->source, &s->target, s->times.duration_ns) : result;
}

/* Whether the option names what is counted: by names of the platform, which other options choose. */
static bool is_of_platform(int code)
{
  return code == 'e' || code == 'm' || code == 'g' || code == CODE_EVERY;
}

/* Takes the options with names of the platform, or all others. CLI_DONE, or an exit code; *ret_help: -h is among
 * them. */
static int stat_take_options(struct stat_run *s, int argc, char **argv, bool of_platform, bool *ret_help)
{
  int c, result = CLI_DONE;
  optind = 0;
  while (result == CLI_DONE && (c = cli_getopt(s->cli, argc, argv)) != -1) {
    if (c == 'h') {
      *ret_help = true;
      return CLI_DONE;
    }
    if (c != 'p' && c != CLI_OPTION_ROOT && is_of_platform(c) == of_platform)
      result = stat_take_option(s, c, optarg);
  }
  return result;
}

int stat_read_options(struct stat_run *s, int argc, char **argv, int *ret_exit)
{
  bool help = false;
  *ret_exit = stat_source_read_platform(s->cli, &s->source, &s->target, argc, argv);
  for (int of_platform = 0; of_platform < 2 && *ret_exit == CLI_DONE && !help; of_platform++)
    *ret_exit = stat_take_options(s, argc, argv, of_platform, &help);
  if (!help && *ret_exit == CLI_DONE)
    *ret_exit = stat_wanted_add_waiting(s->cli, &s->source.hardware, &s->wanted);
  if (help)
    cli_help(s->cli);
  if (help || *ret_exit != CLI_DONE)
    return 1;
  if (optind < argc)
    s->target.argv = argv + optind;
  *ret_exit = cli_platform(s->cli) ? check_options(s) : CLI_USAGE;
  return *ret_exit != CLI_DONE;
}

const struct cli_option stat_what_options[] = {
    {"event", 'e', "LIST", "events, separated by commas; {a,b}: a group, counted at the same time", CLI_EVENTS, NULL},
    {"metric", 'm', "LIST", "metrics by name, or NAME=EQUATION (default without -e and -g: group DEFAULT)", CLI_METRICS,
     NULL},
    CLI_GROUP_OPTION,
    {"interval", 'I', "MS", "report every MS milliseconds (or with a unit: 500us, 2s)", CLI_TEXT, NULL},
    {"duration", CODE_DURATION, "MS",
     "end after MS milliseconds (or with a unit: 10s); without it and a command, a host is measured until Ctrl-C",
     CLI_TEXT, NULL},
    {"delay", 'D', "MS", "leave out the first MS milliseconds (or with a unit: 10s); -1: until --control enables",
     CLI_TEXT, NULL},
    {"control", CODE_CONTROL, "CHANNEL",
     "commands from fifo:PATH[,PATH] or fd:N[,N] enable, disable or stop the counters, or list the events; the second "
     "of these receives \"ack\"",
     CLI_TEXT, NULL},
    CLI_FLAG("summary", CODE_SUMMARY, "with -I or --every: also report the whole measurement, after the intervals"),
    CLI_FLAG("exit-code", CODE_EXIT, "exit with the command's exit status (128 + N after signal N) if it is not 0"),
    {"every", CODE_EVERY, "N,EVENT", "report each time EVENT has counted N on one instance", CLI_EVENT, NULL},
    {"repeat", 'r', "N", "measure N times; report mean, its 95 % confidence interval and the deviation between runs",
     CLI_TEXT, NULL},
    {"pre", CODE_PRE, "COMMAND", "run a shell command before each measurement; it is not measured", CLI_TEXT, NULL},
    {"post", CODE_POST, "COMMAND", "run a shell command after each measurement; it is not measured", CLI_TEXT, NULL},
    {"sample-intervals", CODE_SAMPLED, "[=PERCENT]",
     "simulate only a share of the command in detail (default 2 %), and estimate the values with their 95 % intervals",
     CLI_TEXT, NULL},
    CLI_FLAG("all", 'a', "accepted for compatibility with perf; uncore counters are always system-wide"),
    CLI_OPTION_END,
};
const struct cli_option stat_output_options[] = {
    {"output", 'o', "FILE", "write to FILE instead of standard output", CLI_FILE, NULL},
    {"html", CODE_HTML, "FILE",
     "also write a page: values, charts over time (with -I), maps of the units; one file that needs no network",
     CLI_FILE, NULL},
    CLI_OPTION_END,
};
const struct cli_option stat_method_options[] = {
    {"backend", CODE_BACKEND, "NAME",
     "access method: perf (the kernel's driver), direct (registers; or one kind: msr, pci, mmio), resctrl "
     "(values of unit resctrl alone), machine (emulated), replay; auto (default): perf or direct on a host of the "
     "platform, else machine",
     CLI_WORDS, "auto perf direct msr pci mmio resctrl machine replay"},
    CLI_FLAG("dry-run", CODE_DRY, "print every register write instead of making it"),
    CLI_FLAG("force", CODE_FORCE,
             "take over registers that hold another program's events; use another processor's tables"),
    {"root", CLI_OPTION_ROOT, "DIR", "read the system's files below DIR instead of /", CLI_FILE, NULL},
    {"slice", CODE_SLICE, "MS", "length of a time slice when events are multiplexed (default 1)", CLI_TEXT, NULL},
    {"witness", CODE_WITNESS, "WORD",
     "if all events are multiplexed, also count one event in every round, which shows what rounds missed: on "
     "(default), off",
     CLI_WORDS, "on off"},
    {"freeze", CODE_FREEZE, "SCOPE",
     "freeze scope during a counter read: global, box (unit by unit), boundaries (unit by unit, at start and end "
     "only), none (default: global, else boundaries)",
     CLI_WORDS, "global box boundaries none"},
    {"verify", CODE_VERIFY, "MS",
     "how often to check that controls and filters are unchanged (default with -I: 1000; 0: at each read)", CLI_TEXT,
     NULL},
    CLI_FLAG("check", CODE_CHECK,
             "measure the invariants, check every access against the programming rules, and fail on a violation"),
    CLI_OPTION_END,
};
const struct cli_option stat_file_options[] = {
    {"replay", CLI_OPTION_REPLAY, "FILE", "read register values from a log that --log wrote with the same options",
     CLI_FILE, NULL},
    {"record", CODE_RECORD, "FILE", "save the counts for pmon report", CLI_NEW_FILE, NULL},
    {"journal", CODE_JOURNAL, "[=FILE]",
     "save register contents for pmon restore (in $XDG_RUNTIME_DIR, else /run; default on real hardware)", CLI_NEW_FILE,
     NULL},
    {"log", CODE_LOG, "FILE", "write every register access to FILE", CLI_NEW_FILE, NULL},
    CLI_OPTION_END,
};

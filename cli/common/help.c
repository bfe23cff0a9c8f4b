/* SPDX-License-Identifier: MIT */
/* Prints the help of a command, from its table of options, in 80 columns. */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include "cli/common/cli.h"

enum { HELP_WIDTH = 79, HELP_INDENT = 24 };

static const char spellings_help[] = "Events are written\n"
                                     "  unit/EVENT.UMASK,attribute=value,.../   cha/TOR_INSERTS.IA_MISS_DRD,thresh=4/\n"
                                     "  unit3/... or unit0-7/...                only some instances of the unit\n"
                                     "  EVENT.UMASK                             if only one unit has it\n"
                                     "The spellings of Linux perf (uncore_cha/event=0x35,umask=0x1/), Intel's event\n"
                                     "files (UNC_CHA_TOR_INSERTS.IA_MISS_DRD), libpfm4\n"
                                     "(spr_unc_cha0::UNC_CHA_CLOCKTICKS) and the guides\n"
                                     "(EVENT.UMASK{edge_det,thresh=0x1}) are also accepted. Case does not matter.\n";

static const char equations_help[] = "Equations (-m NAME=EQUATION) consist of\n"
                                     "  imc/CAS_COUNT.RD, imc/CAS_COUNT.RD,thresh=1/, EVENT{edge_det}   events\n"
                                     "  MEM_READ_BANDWIDTH                      metrics, including other equations\n"
                                     "  64, 1e9, + - * / ( ), MIN(a,b), MAX(a,b), ROUND(a,digits), IF(a<b,then,else)\n"
                                     "  SAMPLE_INTERVAL (seconds), TSC, TSC_SPEED (MHz), CLOCK_HZ(unit)\n"
                                     "  GB_CONVERSION (1024 * 1024 * 1024, as in the E5-2600's guide)\n"
                                     "For example -m 'READ_BYTES=imc/CAS_COUNT.RD/*64'. A slash before an operand\n"
                                     "divides: imc/CAS_COUNT.RD/imc/CAS_COUNT.ALL.\n";

/* Prints `text` in lines indented by `indent`; the first line already has `column` characters. */
static void help_print_wrapped(FILE *to, const char *text, size_t column, size_t indent)
{
  while (*text) {
    const size_t n = strcspn(text, " ");
    if (column + 1 + n > HELP_WIDTH) {
      fprintf(to, "\n%*s", (int)indent, "");
      column = indent;
    } else if (column > indent) {
      fputc(' ', to);
      column++;
    }
    fprintf(to, "%.*s", (int)n, text);
    column += n;
    text += n + strspn(text + n, " ");
  }
  fputc('\n', to);
}

static void help_print_row(FILE *to, const char *left, const char *text)
{
  size_t n = strlen(left);
  fputs(left, to);
  if (n + 1 > HELP_INDENT) {
    fputc('\n', to);
    n = 0;
  }
  fprintf(to, "%*s", (int)(HELP_INDENT - n), "");
  help_print_wrapped(to, text, HELP_INDENT, HELP_INDENT);
}

static void help_print_options(FILE *to, const struct cli_option *rows)
{
  for (const struct cli_option *o = rows; o->name; o++) {
    char left[120], letter[8] = "    ";
    const bool optional = o->argument && *o->argument == '[';
    if (o->code < 256)
      snprintf(letter, sizeof letter, "-%c, ", o->code);
    snprintf(left, sizeof left, "  %s--%s%s%s", letter, o->name, o->argument && !optional ? " " : "",
             o->argument ? o->argument : "");
    help_print_row(to, left, o->help);
  }
}

/* Prints the options that every command has, with the command's own default platform. */
static void help_print_globals(FILE *to, const struct cli_command *c)
{
  struct cli_option rows[8];
  char text[80];
  size_t n = 0;
  for (; cli_global_options[n].name; n++) {
    assert(n + 1 < sizeof rows / sizeof *rows);
    rows[n] = cli_global_options[n];
    if (rows[n].code == 'p' && c->platform) {
      snprintf(text, sizeof text, "processor platform (default: %s)", c->platform);
      rows[n].help = text;
    }
  }
  rows[n] = cli_global_options[n];
  help_print_options(to, rows);
}

static void help_print_actions(FILE *to, const struct cli_action *actions)
{
  for (const struct cli_action *a = actions; a->name; a++) {
    char left[120];
    snprintf(left, sizeof left, "  %s%s%s", a->name, *a->arguments ? " " : "", a->arguments);
    help_print_row(to, left, a->help);
  }
}

static bool takes_metrics(const struct cli_command *c)
{
  bool takes = false;
  for (const struct cli_option_table *t = c->options; t->rows; t++)
    for (const struct cli_option *o = t->rows; o->name; o++)
      takes = takes || o->value == CLI_METRICS;
  return takes;
}

static void help_print_usage(FILE *to, const char *name, const char *arguments, const char *brief)
{
  fprintf(to, "usage: pmon %s [-p PLATFORM] [OPTIONS]%s%s\n\n", name, *arguments ? " " : "", arguments);
  help_print_wrapped(to, brief, 0, 0);
  fputc('\n', to);
}

/* Prints only what concerns this action, without options of other actions. */
static void help_print_action(FILE *to, const struct cli_command *c, const struct cli_action *a)
{
  char name[80];
  snprintf(name, sizeof name, "%s %s", c->name, a->name);
  help_print_usage(to, name, a->arguments, a->help);
  help_print_globals(to, c);
  for (const struct cli_option_table *t = c->options; t->rows; t++)
    if (!t->actions || cli_action_is_listed(t->actions, a->name))
      help_print_options(to, t->rows);
}

void cli_print_command_help(FILE *to, const struct cli_command *c)
{
  const char *previous = NULL;
  if (c->actions)
    fprintf(to, "usage: pmon %s [-p PLATFORM] %s\n\n%s\n\n", c->name, c->arguments, c->brief);
  else
    help_print_usage(to, c->name, c->arguments, c->brief);
  if (c->actions) {
    fprintf(to, "Actions (`pmon %s ACTION --help` prints an action's options):\n", c->name);
    help_print_actions(to, c->actions);
    fputs("\nOptions:\n", to);
  }
  help_print_globals(to, c);
  for (const struct cli_option_table *t = c->options; t->rows; t++) {
    if (t->actions && (!previous || strcmp(t->actions, previous) != 0))
      fprintf(to, "Of %s:\n", t->actions);
    previous = t->actions;
    help_print_options(to, t->rows);
  }
  if (c->notes)
    fprintf(to, "\n%s", c->notes);
  if (c->spellings)
    fprintf(to, "\n%s", spellings_help);
  if (takes_metrics(c))
    fprintf(to, "\n%s", equations_help);
}

void cli_print_help(FILE *to, const struct cli_command *const *commands)
{
  fputs("pmon: events, registers and counts of processor uncores\n\nusage: pmon [-p PLATFORM] COMMAND ...\n\n", to);
  for (const struct cli_command *const *c = commands; *c; c++)
    if (!(*c)->hidden)
      fprintf(to, "  %-12s %s\n", (*c)->name, (*c)->brief);
  fputc('\n', to);
  help_print_options(to, cli_global_options);
  help_print_options(to, cli_top_command.options[0].rows);
  fprintf(to, "\n%s\n%s", cli_top_command.notes, spellings_help);
}

void cli_help(const struct cli *cli)
{
  const struct cli_action *action = cli_action_find(cli->command, cli->action);
  if (action)
    help_print_action(stdout, cli->command, action);
  else
    cli_print_command_help(stdout, cli->command);
}

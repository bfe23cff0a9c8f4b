/* SPDX-License-Identifier: MIT */
/* pmon completion, and what the scripts that it prints ask: which words could the last one become? */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "cli/facts/describe.h"

/* Bash splits words at = and : too, so the line is split at blanks anew, and what bash holds for done is cut off. */
static const char bash_script[] =
    "_pmon() {\n"
    "  local line=${COMP_LINE:0:COMP_POINT} cur=${COMP_WORDS[COMP_CWORD]} IFS=$' \\t\\n'\n"
    "  local words; read -ra words <<< \"$line\"\n"
    "  case $line in *[[:blank:]]) words+=('') ;; esac\n"
    "  local full=${words[${#words[@]}-1]}\n"
    "  case $cur in '='|':') cur= ;; esac\n"
    "  local done=${full%\"$cur\"}\n"
    "  IFS=$'\\n'\n"
    "  COMPREPLY=($(pmon __complete \"${words[@]:1}\" 2>/dev/null))\n"
    "  COMPREPLY=(\"${COMPREPLY[@]#\"$done\"}\")\n"
    "  case ${COMPREPLY[0]} in *[./=,]) compopt -o nospace ;; esac\n"
    "}\n"
    "complete -o default -F _pmon pmon\n";
static const char zsh_script[] = "_pmon() {\n"
                                 "  local -a found\n"
                                 "  found=(${(f)\"$(pmon __complete ${(Q)words[2,CURRENT]} 2>/dev/null)\"})\n"
                                 "  (( $#found )) && compadd -Q -S '' -- $found || _files\n"
                                 "}\n"
                                 "compdef _pmon pmon\n";
static const char fish_script[] = "function __pmon_complete\n"
                                  "  set -l words (commandline -opc)\n"
                                  "  pmon __complete $words[2..-1] (commandline -ct) 2>/dev/null\n"
                                  "end\n"
                                  "complete -c pmon -a '(__pmon_complete)'\n";

int cli_completion(struct cli *cli, int argc, char **argv)
{
  static const struct {
    const char *shell, *script;
  } scripts[] = {
      {"bash", bash_script},
      {"zsh", zsh_script},
      {"fish", fish_script},
  };
  struct cli_options o;
  int result;
  if (cli_read_options(cli, argc, argv, "", &o, &result) != 0)
    return result;
  for (size_t i = 0; o.n == 1 && i < sizeof scripts / sizeof *scripts; i++)
    if (strcmp(o.args[0], scripts[i].shell) == 0) {
      out_text(&cli->out, scripts[i].script);
      return CLI_DONE;
    }
  return cli_fail(cli, "bash, zsh or fish is expected");
}

/* The word to complete: `kept` characters before it stay as they are. */
struct completing {
  struct cli *cli;
  const char *word;
  size_t kept;
};

/* Offers `text` and `end` behind what is kept, when it begins as the word does. */
static void offer(const struct completing *c, const char *text, const char *end)
{
  const char *begun = c->word + c->kept;
  if (strncasecmp(begun, text, strlen(begun)) != 0)
    return;
  out_bytes(&c->cli->out, c->word, c->kept);
  out_text(&c->cli->out, text);
  out_text(&c->cli->out, end);
  out_char(&c->cli->out, '\n');
}

static void offer_platforms(const struct completing *c)
{
  const struct pmon_platform *p;
  struct pmon_platform_info info = {.size = sizeof info};
  for (uint32_t i = 0; (p = pmon_platform_get(c->cli->context, i)) != NULL; i++)
    if (pmon_platform_describe(p, &info) == PMON_OK)
      offer(c, info.name, "");
}

static void offer_units(const struct completing *c, const char *end)
{
  struct pmon_unit_info u = {.size = sizeof u};
  for (uint32_t i = 0; pmon_unit_describe(c->cli->platform, i, &u) == PMON_OK; i++)
    offer(c, u.name, end);
}

static void offer_metrics(const struct completing *c)
{
  struct pmon_metric_info m = {.size = sizeof m};
  for (uint32_t i = 0; pmon_metric_describe(c->cli->platform, i, &m) == PMON_OK; i++)
    if (!*m.stale)
      offer(c, m.name, "");
}

static void offer_registers(const struct completing *c)
{
  struct pmon_register_info r = {.size = sizeof r};
  struct pmon_unit_info u = {.size = sizeof u};
  for (uint32_t i = 0; pmon_unit_describe(c->cli->platform, i, &u) == PMON_OK; i++)
    for (uint32_t k = 0; pmon_register_describe(c->cli->platform, i, k, &r) == PMON_OK; k++) {
      char name[96];
      struct pmon_register_id id = {i, k, 0, 0};
      for (id.index = 0; id.index < r.count; id.index++) {
        pmon_register_name(c->cli->platform, &id, name, sizeof name);
        offer(c, name, "=");
      }
    }
}

static bool has_registers(const struct pmon_platform *p, uint32_t unit)
{
  struct pmon_register_info r = {.size = sizeof r};
  return pmon_register_describe(p, unit, 0, &r) == PMON_OK;
}

/* Event names of a unit (`.` behind those that need a umask), or the umasks of `event` when that is not NULL. Units
 * without counters of their own lend theirs to the others, which do not list them. */
static void offer_events(const struct completing *c, uint32_t unit, const char *event, size_t event_n)
{
  struct pmon_event_cursor at = {0};
  struct pmon_event_info e = {.size = sizeof e};
  const char *last = "";
  while (pmon_event_next(c->cli->platform, UINT32_MAX, &at, &e)) {
    if (at.unit != unit && has_registers(c->cli->platform, at.unit))
      continue;
    if (event) {
      if (e.umask && strlen(e.event) == event_n && strncasecmp(e.event, event, event_n) == 0)
        offer(c, e.umask, "/");
    } else if (strcmp(e.event, last) != 0) {
      offer(c, e.event, e.has_umasks ? "." : "/");
      last = e.event;
    }
  }
}

/* Fields of the unit's control and filter registers. */
static void offer_attributes(const struct completing *c, uint32_t unit)
{
  struct pmon_register_info r = {.size = sizeof r};
  struct pmon_field_info f = {.size = sizeof f};
  for (uint32_t k = 0; pmon_register_describe(c->cli->platform, unit, k, &r) == PMON_OK; k++) {
    if (r.role != PMON_ROLE_CTL && r.role != PMON_ROLE_FILTER)
      continue;
    for (uint32_t i = 0; pmon_field_describe(c->cli->platform, unit, k, i, &f) == PMON_OK; i++)
      if (strcmp(f.name, "-") != 0 && strcmp(f.access, "rw") == 0)
        offer(c, f.name, f.hi == f.lo ? "" : "=");
  }
}

/* An event text, from `kept` on. */
static void offer_event(struct completing *c)
{
  const char *begun = c->word + c->kept, *slash = strchr(begun, '/'), *comma = slash ? strrchr(slash, ',') : NULL;
  if (!slash) {
    offer_units(c, "/");
    return;
  }
  char name[64];
  uint32_t unit;
  snprintf(name, sizeof name, "%.*s", (int)(slash - begun), begun);
  if (pmon_unit_find(c->cli->platform, name, &unit) != PMON_OK)
    return;
  const char *dot = comma ? NULL : strchr(slash, '.');
  c->kept = (size_t)((comma ? comma : dot ? dot : slash) + 1 - c->word);
  if (comma)
    offer_attributes(c, unit);
  else
    offer_events(c, unit, dot ? slash + 1 : NULL, dot ? (size_t)(dot - slash - 1) : 0);
}

/* The last event of a list separated by commas. */
static void offer_event_list(struct completing *c)
{
  for (;;) {
    size_t n = pmon_event_text_length(c->word + c->kept);
    if (!c->word[c->kept + n])
      break;
    c->kept += n + 1;
  }
  offer_event(c);
}

/* The long options that a help text shows. */
static void offer_options(const struct completing *c, const char *help)
{
  for (const char *s = help; s && (s = strstr(s, "--")) != NULL;) {
    char option[64];
    size_t n = 2 + strspn(s + 2, "abcdefghijklmnopqrstuvwxyz-");
    snprintf(option, sizeof option, "%.*s", (int)n, s);
    if (n > 2)
      offer(c, option, "");
    s += n;
  }
}

static const struct cli_command *find(const char *name)
{
  const struct cli_command *c = cli_commands;
  while (c->name && strcmp(c->name, name) != 0)
    c++;
  return c->name ? c : NULL;
}

static bool is_option(const char *word, const char *brief, const char *full)
{
  return strcmp(word, brief) == 0 || strcmp(word, full) == 0;
}

static void offer_colors(const struct completing *c)
{
  offer(c, "auto", "");
  offer(c, "always", "");
  offer(c, "never", "");
}

/* What stands behind an option; false when `before` is no option with a value. */
static bool offer_value(struct completing *c, const char *before)
{
  if (is_option(before, "-p", "--platform"))
    offer_platforms(c);
  else if (is_option(before, "-u", "--unit"))
    offer_units(c, "");
  else if (is_option(before, "-e", "--event"))
    offer_event_list(c);
  else if (is_option(before, "-m", "--metric"))
    offer_metrics(c);
  else if (is_option(before, "--color", "--color"))
    offer_colors(c);
  else
    return false;
  return true;
}

static void offer_argument(struct completing *c, const struct cli_command *command)
{
  if (strncmp(c->word, "-", 1) == 0) {
    offer_options(c, "--platform --help");
    offer_options(c, command->options);
  } else if (strcmp(command->name, "decode") == 0) {
    offer_registers(c);
  } else if (strcmp(command->name, "units") == 0) {
    offer_units(c, "");
  } else if (strcmp(command->name, "metrics") == 0) {
    offer_metrics(c);
  } else if (strcmp(command->name, "completion") == 0) {
    offer(c, "bash", "");
    offer(c, "zsh", "");
    offer(c, "fish", "");
  } else if (strstr(command->arguments, "EVENT") || strcmp(command->name, "show") == 0) {
    offer_event(c);
    if (strcmp(command->name, "show") == 0 && !strchr(c->word, '/'))
      offer_metrics(c);
  }
}

/* Takes its words as they are: no options of its own. */
int cli_complete(struct cli *cli, int argc, char **argv)
{
  struct completing c = {.cli = cli, .word = argc > 1 ? argv[argc - 1] : ""};
  const struct cli_command *command = NULL;
  for (int i = 1; i < argc - 1; i++) {
    if (is_option(argv[i], "-p", "--platform") && i + 1 < argc - 1)
      cli->platform_name = argv[++i];
    else if (!command && argv[i][0] != '-')
      command = find(argv[i]);
    else if (strcmp(argv[i], "--") == 0)
      return CLI_DONE; /* a command of the user's follows: the shell knows better */
  }
  if (!cli_platform(cli))
    return CLI_USAGE;
  if (argc > 2 && offer_value(&c, argv[argc - 2]))
    return CLI_DONE;
  if (command) {
    offer_argument(&c, command);
    return CLI_DONE;
  }
  offer_options(&c, "--platform --help --version --color");
  for (const struct cli_command *k = cli_commands; k->name; k++)
    if (!k->hidden)
      offer(&c, k->name, "");
  return CLI_DONE;
}

/* SPDX-License-Identifier: MIT */
/* `pmon list`: one event a line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/common/event_name.h"
#include "cli/common/other_tools.h"
#include "cli/facts/describe.h"
#include "cli/facts/event_line.h"
#include "cli/facts/perf.h"

static const struct cli_option list_options[] = {
    {"code", CLI_OPTION_CODE, "N", "only events with this code", CLI_TEXT, NULL},
    {"counter", CLI_OPTION_COUNTER, "N", "only events that counter N can count", CLI_TEXT, NULL},
    {"format", CLI_OPTION_FORMAT, "FORMAT", "text, json, or perf-json: an event file in the format of Linux perf",
     CLI_WORDS, "text json perf-json"},
    CLI_OPTION_END,
};

/* Returns the first pattern that matches no event of the unit even alone; NULL if each pattern matches events, but no
 * event matches them all. */
static const char *list_find_unmatched(struct cli *cli, uint32_t unit, const struct cli_options *o)
{
  for (int i = 0; i < o->n; i++) {
    struct pmon_event_cursor c = {0};
    struct pmon_event_info e = {.size = sizeof e};
    bool found = false;
    while (!found && pmon_event_next(cli->platform, unit, &c, &e))
      found = describe_event_matches(cli, &e, o->args[i]);
    if (!found)
      return o->args[i];
  }
  return NULL;
}

/* A unit without instances whose events other units share: the mesh stop. */
struct shared {
  struct pmon_unit_info unit;
  size_t n; /* the number of its events that match */
};

/* Whether instances of the unit count this event of a shared unit. */
static bool list_counts(struct cli *cli, const char *unit, const struct pmon_event_info *e)
{
  char text[512];
  struct pmon_event_info own = {.size = sizeof own};
  struct pmon_event *event;
  event_name_format(unit, e, text, sizeof text);
  if (pmon_event_resolve(cli->context, cli->platform, text, &event))
    return false;
  const bool same = !pmon_event_describe(event, &own) && !strcmp(own.brief, e->brief) && !strcmp(own.cite, e->cite);
  pmon_event_free(event);
  return same;
}

/* Finds the shared unit that has further events of the unit of -u; *ret_shared: the matching ones. */
static bool list_find_shared(struct cli *cli, const struct cli_options *o, struct shared *ret_shared)
{
  struct pmon_event_info e = {.size = sizeof e};
  *ret_shared = (struct shared){.unit.size = sizeof ret_shared->unit};
  for (uint32_t i = 0; o->unit && !pmon_unit_describe(cli->platform, i, &ret_shared->unit); i++) {
    struct pmon_event_cursor c = {0};
    if (ret_shared->unit.instances || !pmon_event_next(cli->platform, i, &c, &e) || !list_counts(cli, o->unit, &e))
      continue;
    do
      ret_shared->n += describe_wanted(cli, &e, o);
    while (pmon_event_next(cli->platform, i, &c, &e));
    return ret_shared->n > 0;
  }
  return false;
}

/* Fails for a word of `perf list`, or for a text that is an event in a spelling that the list does not have. False: it
 * is neither. */
static bool list_fail_spelled(struct cli *cli, const char *pattern)
{
  struct pmon_event *event = NULL;
  const char *perf = other_tools_list(pattern);
  if (perf)
    cli_fail(cli, "%s: no event matches; %s", pattern, perf);
  else if (!pmon_event_resolve(NULL, cli->platform, pattern, &event))
    cli_fail(cli, "%s: no event matches; it is another spelling of %s", pattern, pmon_event_name(event));
  pmon_event_free(event);
  return perf || event;
}

/* Fails because no event matches; suggests near names if a name or pattern was given. */
static int list_fail_none(struct cli *cli, uint32_t unit, const struct cli_options *o)
{
  char near[5][128], text[640];
  const char *choices[5] = {near[0], near[1], near[2], near[3], near[4]};
  struct shared shared;
  size_t n;
  if (list_find_shared(cli, o, &shared))
    return cli_fail(cli, "%s: no event of its own matches; it also counts events of %s that do: `pmon list -u %s`",
                    o->unit, shared.unit.name, shared.unit.name);
  if (!o->n && o->code < 0 && o->counter < 0) /* a unit without events */
    return CLI_DONE;
  if (!o->n)
    return cli_fail(cli, "%s: no event matches; `pmon list` lists all", o->code >= 0 ? "--code" : "--counter");
  const char *pattern = list_find_unmatched(cli, unit, o);
  if (!pattern)
    return cli_fail(cli, "%s: no event matches both this pattern and %s", o->args[0],
                    o->n > 1       ? "the other patterns"
                    : o->code >= 0 ? "--code"
                                   : "--counter");
  if (pattern[strcspn(pattern, "*?[")] && pmon_event_expand(cli->platform, pattern, NULL, 0, &n))
    return cli_fail(cli, "%s", pmon_context_error(cli->context));
  if (list_fail_spelled(cli, pattern))
    return CLI_USAGE;
  n = pmon_event_suggest(cli->platform, pattern, near[0], sizeof near[0], 5);
  if (n)
    return cli_fail(cli, "%s: no event matches; did you mean %s?", pattern,
                    cli_format_words(choices, n, text, sizeof text));
  return cli_fail(cli, "%s: no event matches; `pmon search WORD...` also searches descriptions", pattern);
}

static int run_list(struct cli *cli, int argc, char **argv)
{
  struct cli_options o;
  int result;
  uint32_t unit;
  if (cli_read_options(cli, argc, argv, &o, &result) != 0)
    return result;
  if ((result = cli_unit(cli, &o, &unit)) != 0)
    return result;
  if (o.perf)
    return perf_list(cli, &o, unit);
  struct pmon_event_cursor c = {0};
  struct pmon_event_info e = {.size = sizeof e};
  size_t widest = 0, found = 0;
  unsigned width = cli_width();
  while (!o.json && pmon_event_next(cli->platform, unit, &c, &e))
    if (describe_wanted(cli, &e, &o) && describe_event_name_length(&e) > widest)
      widest = describe_event_name_length(&e);
  widest = event_line_name_width(widest, width);
  bool headed = !width; /* the header is for readers; scripts get the events alone */
  c = (struct pmon_event_cursor){0};
  while (pmon_event_next(cli->platform, unit, &c, &e)) {
    if (!describe_wanted(cli, &e, &o))
      continue;
    found++;
    if (o.json) {
      describe_event_json(&cli->out, &e);
      json_end_line(&cli->out);
    } else {
      if (!headed)
        event_line_header(&cli->out, widest, width);
      headed = true;
      event_line_write(&cli->out, &e, widest, width);
    }
  }
  struct shared shared;
  if (found && !o.json && width && list_find_shared(cli, &o, &shared)) /* for readers, as the header */
    out_wrapped_format(&cli->out, 0, width, "%zu more row%s in %s, whose events %s counts, too: pmon list -u %s",
                       shared.n, shared.n == 1 ? " is" : "s are", shared.unit.name, o.unit, shared.unit.name);
  return found ? CLI_DONE : list_fail_none(cli, unit, &o);
}

const struct cli_command list_command = {
    .name = "list",
    .arguments = "[PATTERN...]",
    .brief = "list events and umasks of a platform",
    .run = run_list,
    .options = {{cli_unit_option, NULL}, {list_options, NULL}, {cli_json_option, NULL}, {NULL, NULL}},
    .notes = "PATTERN is part of a name or a word of the description; with * or ? it must\n"
             "match the whole name. Several patterns must all match.\n",
    .value = CLI_EVENT,
};

/* SPDX-License-Identifier: MIT */
/* `pmon search`: facts that match words, the best first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/facts/describe.h"
#include "cli/facts/event_line.h"
#include "cli/facts/near.h"
#include "cli/facts/noted.h"
#include "cli/facts/topics.h"

#define FOUND 200
#define ALIKE 3        /* maximum of rows per event in a search result */
#define FACTS_SHOWN 8  /* values, and registers, in a search result */
#define GROUP_WEIGHT 3 /* of metric groups, for a query for values per device, channel or the like */
#define NAMES_WIDTH 50 /* of events */
#define FILE_WIDTH 80  /* of events if there is no terminal */
#define WORTH 3        /* results with a score lower than the best by this factor are omitted */

struct found_metric {
  uint32_t score, row;
};

static int search_by_score(const void *a, const void *b)
{
  const struct found_metric *x = a, *y = b;
  return x->score != y->score ? (x->score < y->score ? 1 : -1) : x->row < y->row ? -1 : x->row > y->row;
}

/* Writes `KIND NAME (UNIT)`, without the parentheses if there is no unit, and the indent of the description below. */
static void search_write_heading(struct out *o, const char *kind, const struct pmon_metric_info *fact)
{
  out_style(o, OUT_BOLD);
  out_text(o, kind);
  out_char(o, ' ');
  out_text(o, fact->name);
  out_style(o, OUT_PLAIN);
  out_text(o, *fact->unit ? " (" : "");
  out_text(o, fact->unit);
  out_text(o, *fact->unit ? ")\n    " : "\n    ");
}

static void search_write_metric(struct cli *cli, const struct pmon_metric_info *m, bool json)
{
  struct out *o = &cli->out;
  if (json) {
    struct pmon_platform_info p = {.size = sizeof p};
    pmon_platform_describe(cli->platform, &p);
    describe_metric_json(o, p.name, m);
    json_end_line(o);
    return;
  }
  search_write_heading(o, "metric", m);
  out_wrapped(o, m->brief, 4, cli_width());
}

/* Writes the metric groups whose score, multiplied by `weight`, is from `least` to `most`. */
static size_t search_groups(struct cli *cli, const char *query, uint32_t weight, uint32_t least, uint32_t most)
{
  struct pmon_metric_group_info g = {.size = sizeof g};
  struct out *o = &cli->out;
  size_t n = 0;
  for (uint32_t i = 0; pmon_metric_group_describe(cli->platform, i, &g) == PMON_OK; i++) {
    const struct pmon_metric_info fact = {.name = g.name, .unit = "", .brief = g.brief, .result = "", .source = ""};
    const uint32_t score = g.metrics ? weight * pmon_metric_score(&fact, query) : 0;
    if (!score || score < least || score > most)
      continue;
    n++;
    out_style(o, OUT_BOLD);
    out_text(o, "group ");
    out_text(o, g.name);
    out_style(o, OUT_PLAIN);
    out_text(o, " (pmon stat -g ");
    out_text(o, g.name);
    out_text(o, ")\n    ");
    out_wrapped(o, g.brief, 4, cli_width());
  }
  return n;
}

static size_t search_metrics(struct cli *cli, const char *query, uint32_t unit, bool json)
{
  struct found_metric found[FOUND];
  size_t n = 0;
  struct pmon_metric_info m = {.size = sizeof m};
  struct pmon_unit_info u = {.size = sizeof u};
  if (unit != UINT32_MAX)
    pmon_unit_describe(cli->platform, unit, &u);
  for (uint32_t i = 0; pmon_metric_describe(cli->platform, i, &m) == PMON_OK && n < FOUND; i++) {
    uint32_t score = *m.stale ? 0 : pmon_metric_score(&m, query);
    if (score && (unit == UINT32_MAX || strcmp(u.name, m.unit) == 0))
      found[n++] = (struct found_metric){score, i};
  }
  qsort(found, n, sizeof found[0], search_by_score);
  while (n && found[n - 1].score < found[0].score / WORTH)
    n--;
  /* A query for values per device or channel is answered by a group: it comes first if it fits better than any
   * metric. */
  const uint32_t best = n ? found[0].score : 0;
  const bool groups = !json && unit == UINT32_MAX;
  const bool first = groups && strstr(query, "per ");
  size_t shown = first ? search_groups(cli, query, GROUP_WEIGHT, best + 1, UINT32_MAX) : 0;
  for (size_t i = 0; i < n; i++) {
    pmon_metric_describe(cli->platform, found[i].row, &m);
    search_write_metric(cli, &m, json);
  }
  shown += groups ? search_groups(cli, query, first ? GROUP_WEIGHT : 1, best / WORTH, first ? best : UINT32_MAX) : 0;
  return n + shown;
}

/* A value or register that matches, with the score of its name and description. */
struct found_fact {
  uint32_t score, list, row; /* row: in a list of values, or among a unit's registers */
};

static int search_compare_facts(const void *a, const void *b)
{
  const struct found_fact *x = a, *y = b;
  return x->score != y->score ? (x->score < y->score ? 1 : -1) : x->list != y->list ? (x->list < y->list ? -1 : 1) : 0;
}

/* Sorts the facts, and drops those that score much lower than the best. */
static size_t search_best_facts(struct found_fact *found, size_t n)
{
  qsort(found, n, sizeof found[0], search_compare_facts);
  while (n && found[n - 1].score < found[0].score / WORTH)
    n--;
  return n < FACTS_SHOWN ? n : FACTS_SHOWN;
}

static void search_write_fact(struct cli *cli, bool json, const char *kind, const struct pmon_metric_info *fact)
{
  struct out *o = &cli->out;
  if (json) {
    struct pmon_platform_info p = {.size = sizeof p};
    pmon_platform_describe(cli->platform, &p);
    json_open(o, NULL, '{');
    json_text(o, "platform", p.name);
    json_text(o, kind, fact->name);
    json_text(o, strcmp(kind, "value") == 0 ? "values" : strcmp(kind, "unit") == 0 ? "alias" : "unit", fact->unit);
    json_text(o, "brief", fact->brief);
    json_text(o, "cite", fact->cite);
    json_close(o, '}');
    json_end_line(o);
    return;
  }
  search_write_heading(o, kind, fact);
  out_wrapped(o, *fact->brief ? fact->brief : "-", 4, cli_width());
}

/* Searches the named values of fields: opcodes, packets, states. */
static size_t search_values(struct cli *cli, const char *query, bool json)
{
  struct found_fact found[FOUND];
  struct pmon_values_info v = {.size = sizeof v};
  struct pmon_value_info row = {.size = sizeof row};
  size_t n = 0;
  for (uint32_t i = 0; pmon_values_describe(cli->platform, i, &v) == PMON_OK; i++)
    for (uint32_t k = 0; n < FOUND && pmon_value_describe(cli->platform, i, k, &row) == PMON_OK; k++) {
      const struct pmon_metric_info fact = {.name = row.name, .unit = v.name, .brief = row.meaning, .result = ""};
      const uint32_t score = pmon_metric_score(&fact, query);
      if (score)
        found[n++] = (struct found_fact){score, i, k};
    }
  n = search_best_facts(found, n);
  for (size_t i = 0; i < n; i++) {
    char value[96];
    pmon_values_describe(cli->platform, found[i].list, &v);
    pmon_value_describe(cli->platform, found[i].list, found[i].row, &row);
    snprintf(value, sizeof value, "%s, 0x%llx", v.name, (unsigned long long)row.value);
    const struct pmon_metric_info fact = {
        .name = row.name, .unit = json ? v.name : value, .brief = row.meaning, .cite = v.cite};
    search_write_fact(cli, json, "value", &fact);
  }
  return n;
}

static size_t search_registers(struct cli *cli, const char *query, uint32_t unit, bool json)
{
  struct found_fact found[FOUND];
  struct pmon_unit_info u = {.size = sizeof u};
  struct pmon_register_info r = {.size = sizeof r};
  struct pmon_platform_info p = {.size = sizeof p};
  size_t n = 0;
  pmon_platform_describe(cli->platform, &p);
  for (uint32_t i = 0; i <= p.units; i++)
    for (uint32_t k = 0, row = i < p.units ? i : PMON_UNIT_NONE;
         n < FOUND && pmon_register_describe(cli->platform, row, k, &r) == PMON_OK; k++) {
      const struct pmon_metric_info fact = {.name = r.name, .unit = r.alias, .brief = r.brief, .result = ""};
      const uint32_t score = unit == UINT32_MAX || unit == row ? pmon_metric_score(&fact, query) : 0;
      struct pmon_register_match m = {.size = sizeof m};
      const bool again = row == PMON_UNIT_NONE && pmon_register_resolve(cli->platform, r.name, &m) == PMON_OK &&
                         m.id.unit != PMON_UNIT_NONE; /* a layout that has the name of its register */
      if (score && !again)
        found[n++] = (struct found_fact){score, row, k};
    }
  n = search_best_facts(found, n);
  for (size_t i = 0; i < n; i++) {
    u.name = "a layout";
    pmon_register_describe(cli->platform, found[i].list, found[i].row, &r);
    if (found[i].list != PMON_UNIT_NONE)
      pmon_unit_describe(cli->platform, found[i].list, &u);
    const struct pmon_metric_info fact = {.name = r.name, .unit = u.name, .brief = r.brief, .cite = r.cite};
    search_write_fact(cli, json, "register", &fact);
  }
  return n;
}

/* Counts the results from `first` to before `end` that belong to the same event as result `n`. */
static size_t count_alike(const struct pmon_event_match *matched, size_t n, size_t first, size_t end)
{
  size_t alike = 0;
  for (size_t i = first; i < end; i++)
    alike += matched[i].at.unit == matched[n].at.unit && matched[i].at.import == matched[n].at.import &&
             matched[i].at.event == matched[n].at.event;
  return alike;
}

/* Returns the width for results: all have the layout of narrow terminals, because their names differ much in length. */
static unsigned search_event_width(void)
{
  const unsigned width = cli_width();
  return !width ? FILE_WIDTH : width < EVENT_LINE_NARROW ? width : EVENT_LINE_NARROW - 1;
}

/* Writes the column headings of the events that follow, on terminals only: scripts get the results alone. */
static void search_write_header(struct cli *cli, bool json)
{
  if (!json && cli_width())
    event_line_header(&cli->out, NAMES_WIDTH, search_event_width());
}

/* Prints one result. For an event with many umasks only the best few are shown; after the last of them a command that
 * lists the others is printed. */
static void search_write_event(struct cli *cli, const struct pmon_event_info *e, bool json, size_t before,
                               size_t behind)
{
  if (json) {
    describe_event_json(&cli->out, e);
    json_end_line(&cli->out);
    return;
  }
  if (before < ALIKE)
    event_line_write(&cli->out, e, NAMES_WIDTH, search_event_width());
  if (before == ALIKE - 1 && behind) {
    out_text(&cli->out, "    more of this event: pmon list ");
    out_text(&cli->out, e->unit);
    out_char(&cli->out, '/');
    out_text(&cli->out, e->event);
    out_char(&cli->out, '\n');
  }
}

/* Finds names that differ from the name of their row, as `pmon show` does: an event's older name or its name in another
 * tool, a register of one instance or at an address, a unit's alias, and names that are not available here, which a
 * unit's note explains. */
static size_t search_name(struct cli *cli, const char *name, bool json)
{
  struct pmon_event *event = NULL;
  struct pmon_event_info e = {.size = sizeof e};
  struct pmon_register_match m = {.size = sizeof m};
  struct pmon_register_info r = {.size = sizeof r};
  struct pmon_unit_info u = {.size = sizeof u};
  uint32_t unit = 0;
  size_t n = 0;
  if (pmon_event_resolve(cli->context, cli->platform, name, &event) == PMON_OK &&
      pmon_event_describe(event, &e) == PMON_OK && e.event) {
    search_write_header(cli, json);
    search_write_event(cli, &e, json, 0, 0);
    n = 1;
  } else if (pmon_register_resolve(cli->platform, name, &m) == PMON_OK &&
             pmon_register_describe(cli->platform, m.id.unit, m.id.reg, &r) == PMON_OK) {
    pmon_unit_describe(cli->platform, m.id.unit, &u);
    search_write_fact(cli, json, "register",
                      &(struct pmon_metric_info){.name = r.name, .unit = u.name, .brief = r.brief, .cite = r.cite});
    n = 1;
  } else if (pmon_unit_find(cli->platform, name, &unit) == PMON_OK &&
             pmon_unit_describe(cli->platform, unit, &u) == PMON_OK) {
    search_write_fact(cli, json, "unit",
                      &(struct pmon_metric_info){.name = u.name, .unit = u.alias, .brief = u.title, .cite = u.cite});
    n = 1;
  } else {
    for (unit = 0; noted_next(cli, name, &unit, &u); n++)
      search_write_fact(cli, json, "noted",
                        &(struct pmon_metric_info){.name = name, .unit = u.name, .brief = u.note, .cite = u.cite});
  }
  pmon_event_free(event);
  return n;
}

/* Fails because nothing matches the words of `query`, each followed by a space; suggests names near to the first word
 * that has any. */
static int search_fail_none(struct cli *cli, const struct cli_options *o, const char *query)
{
  char names[512] = "";
  for (int i = 0; i < o->n && !*names; i++)
    near_format(cli, NEAR_REGISTERS | NEAR_VALUES | NEAR_GROUPS | NEAR_METRICS | NEAR_EVENTS, o->args[i], names,
                sizeof names);
  return cli_fail(cli, "%.*s: nothing found%s", (int)strlen(query) - 1, query,
                  *names ? names : "; use fewer or other words");
}

#define SEARCHABLE "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

static int run_search(struct cli *cli, int argc, char **argv)
{
  struct cli_options o;
  int result;
  uint32_t unit;
  char query[256] = "";
  if (cli_read_options(cli, argc, argv, &o, &result) != 0)
    return result;
  if ((result = cli_unit(cli, &o, &unit)) != 0)
    return result;
  for (int i = 0; i < o.n; i++)
    snprintf(query + strlen(query), sizeof query - strlen(query), "%s ", o.args[i]);
  if (!o.n)
    return cli_fail_missing(cli, "WORDS");
  if (!query[strcspn(query, SEARCHABLE)])
    return cli_fail(cli, "\"%.*s\": contains no word to search for; for example `pmon search read bandwidth`",
                    (int)strlen(query) - 1, query);
  struct pmon_event_match matched[FOUND];
  size_t metrics = search_metrics(cli, query, unit, o.json);
  size_t n = pmon_event_search(cli->platform, query, matched, FOUND), shown = 0;
  while (n && matched[n - 1].score < matched[0].score / WORTH)
    n--;
  for (size_t i = 0; i < n; i++) {
    struct pmon_event_info e = {.size = sizeof e};
    if (pmon_event_at(cli->platform, &matched[i].at, &e) != PMON_OK ||
        (unit != UINT32_MAX && matched[i].at.unit != unit))
      continue;
    if (!shown++)
      search_write_header(cli, o.json);
    search_write_event(cli, &e, o.json, count_alike(matched, i, 0, i), count_alike(matched, i, i + 1, n));
  }
  shown += unit == UINT32_MAX ? search_values(cli, query, o.json) : 0;
  shown += search_registers(cli, query, unit, o.json);
  shown += unit == UINT32_MAX ? topics_search(cli, query, o.json) : 0;
  const bool by_name = !metrics && !shown && unit == UINT32_MAX;
  for (int i = 0; by_name && i < o.n; i++)
    shown += search_name(cli, o.args[i], o.json);
  return metrics || shown ? CLI_DONE : search_fail_none(cli, &o, query);
}

const struct cli_command search_command = {
    .name = "search",
    .arguments = "WORDS...",
    .brief = "find events, metrics, registers, manual pages, scenarios by words",
    .run = run_search,
    .options = {{cli_unit_option, NULL}, {cli_json_option, NULL}, {NULL, NULL}},
    .notes = "Example: pmon search read bandwidth\n",
};

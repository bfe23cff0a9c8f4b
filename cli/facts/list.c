/* SPDX-License-Identifier: MIT */
/* pmon list, pmon search: one event a line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/facts/describe.h"
#include "cli/facts/perf.h"

#define NARROW 120 /* in narrower terminals a description gets its own lines */
#define LONGEST_NAME 64
#define FOUND 200
#define ALIKE 3        /* maximum of rows per event in a search result */
#define FACTS_SHOWN 8  /* values, and registers, in a search result */
#define GROUP_WEIGHT 3 /* of metric groups, where a question is for values per device, channel or the like */
#define WORTH 3        /* results with a score lower than the best by this factor are omitted */

static bool list_matches(const struct pmon_event_info *e, const char *pattern)
{
  char name[512];
  int n = snprintf(name, sizeof name, "%s/%s%s%s/", e->unit, e->event, e->umask ? "." : "", e->umask ? e->umask : "");
  if (n >= (int)sizeof name)
    return false;
  char *event = name + strlen(e->unit) + 1;
  if (describe_matches(pattern, name) || describe_matches(pattern, e->brief) || describe_matches(pattern, e->alias))
    return true;
  name[n - 1] = 0;
  return describe_matches(pattern, name) || describe_matches(pattern, event);
}

bool describe_wanted(const struct pmon_event_info *e, const struct cli_options *o)
{
  if (o->code >= 0 && (e->kind != PMON_EVENT_PROGRAMMED || e->code != (uint64_t)o->code))
    return false;
  if (o->counter >= 0 && (e->kind != PMON_EVENT_PROGRAMMED || o->counter > 31 || !(e->counters >> o->counter & 1)))
    return false;
  for (int i = 0; i < o->n; i++)
    if (!list_matches(e, o->args[i]))
      return false;
  return true;
}

/* 0x35 0x01+0xc817fe: code, umask, extension; then the other fields that the row sets: 0x00 0x02 ev_sel_ext=0x1. */
static void list_write_code(struct out *o, const struct pmon_event_info *e)
{
  static const char *const kinds[] = {"", "fixed counter", "free-running"};
  char text[256];
  size_t n;
  if (e->kind != PMON_EVENT_PROGRAMMED)
    snprintf(text, sizeof text, "%s", kinds[e->kind]);
  else if (e->ext)
    snprintf(text, sizeof text, "0x%02x 0x%02x+0x%llx", e->code, (unsigned)e->umask_value, (unsigned long long)e->ext);
  else
    snprintf(text, sizeof text, "0x%02x 0x%02x", e->code, (unsigned)e->umask_value);
  n = strlen(text);
  for (uint32_t i = 0; i < e->n_fields && n < sizeof text; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%s=0x%llx", i ? "," : " ", e->fields[i].name,
                          (unsigned long long)e->fields[i].value);
  out_padded(o, text, 21);
  if (strlen(text) >= 21)
    out_char(o, ' ');
}

static void list_write_event(struct out *o, const struct pmon_event_info *e, size_t name_width, unsigned width)
{
  size_t n = describe_event_name_length(e);
  out_style(o, OUT_NAME);
  describe_event_name(o, e);
  out_style(o, OUT_PLAIN);
  if (width && width < NARROW) {
    out_repeat(o, ' ', n < name_width ? name_width - n : 1);
    list_write_code(o, e);
    if (e->kind == PMON_EVENT_PROGRAMMED)
      out_mask(o, e->counters);
    out_text(o, "\n    ");
    out_wrapped(o, *e->brief ? e->brief : "-", 4, width);
    return;
  }
  out_repeat(o, ' ', n < name_width ? name_width - n + 1 : 1);
  list_write_code(o, e);
  if (e->kind == PMON_EVENT_PROGRAMMED)
    out_mask(o, e->counters);
  out_text(o, "  ");
  out_wrapped(o, *e->brief ? e->brief : "-", (n < name_width ? name_width : n) + 27, width);
}

static const struct cli_option list_options[] = {
    {"code", CLI_OPTION_CODE, "N", "only events with this code", CLI_TEXT, NULL},
    {"counter", CLI_OPTION_COUNTER, "N", "only events that counter N can count", CLI_TEXT, NULL},
    {"format", CLI_OPTION_FORMAT, "FORMAT", "text, json, or perf-json: an event file in the format of Linux perf",
     CLI_WORDS, "text json perf-json"},
    CLI_OPTION_END,
};

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
    if (describe_wanted(&e, &o) && describe_event_name_length(&e) > widest)
      widest = describe_event_name_length(&e);
  size_t most = width && width < NARROW ? width - 26 : LONGEST_NAME;
  widest = widest < most ? widest : most;
  c = (struct pmon_event_cursor){0};
  while (pmon_event_next(cli->platform, unit, &c, &e)) {
    if (!describe_wanted(&e, &o))
      continue;
    found++;
    if (o.json) {
      describe_event_json(&cli->out, &e);
      json_end_line(&cli->out);
    } else {
      list_write_event(&cli->out, &e, widest, width);
    }
  }
  if (!found && o.n && o.args[0][strcspn(o.args[0], "*?[")] &&
      pmon_event_expand(cli->platform, o.args[0], NULL, 0, &found)) {
    cli_fail(cli, "%s", pmon_context_error(cli->context));
  } else if (!found && o.n) {
    char near[5][128];
    size_t n = pmon_event_suggest(cli->platform, o.args[0], near[0], sizeof near[0], 5);
    const char *choices[5] = {near[0], near[1], near[2], near[3], near[4]};
    char text[640];
    if (n)
      cli_fail(cli, "%s: no event matches; did you mean %s?", o.args[0],
               cli_format_words(choices, n, text, sizeof text));
    else
      cli_fail(cli, "%s: no event matches; `pmon search WORD...` also searches descriptions", o.args[0]);
  }
  return CLI_DONE;
}

const struct cli_command list_command = {
    .name = "list",
    .arguments = "[PATTERN...]",
    .brief = "list events and umasks of a platform",
    .run = run_list,
    .options = {{cli_unit_option, NULL}, {list_options, NULL}, {cli_json_option, NULL}, {NULL, NULL}},
    .notes = "PATTERN is part of a name or a word of the description; with * or ? it is a\n"
             "pattern of the whole name. Several patterns must all match.\n",
    .value = CLI_EVENT,
};

struct found_metric {
  uint32_t score, row;
};

static int search_by_score(const void *a, const void *b)
{
  const struct found_metric *x = a, *y = b;
  return x->score != y->score ? (x->score < y->score ? 1 : -1) : x->row < y->row ? -1 : x->row > y->row;
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
  out_style(o, OUT_BOLD);
  out_text(o, "metric ");
  out_text(o, m->name);
  out_style(o, OUT_PLAIN);
  out_text(o, " (");
  out_text(o, m->unit);
  out_text(o, ")\n    ");
  out_wrapped(o, m->brief, 4, cli_width());
}

/* The metric groups that match with a score, times `weight`, from `least` to `most`. */
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
  /* A question for values per device or channel is one for a group, which leads then if it fits better than any metric.
   */
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

/* A value or register that matches: the score is that of its name and description. */
struct found_fact {
  uint32_t score, list, row; /* row: of a list of values, or of a unit's registers */
};

static int search_compare_facts(const void *a, const void *b)
{
  const struct found_fact *x = a, *y = b;
  return x->score != y->score ? (x->score < y->score ? 1 : -1) : x->list != y->list ? (x->list < y->list ? -1 : 1) : 0;
}

/* Sorts, and leaves out what scores much lower than the best. */
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
    json_text(o, strcmp(kind, "value") == 0 ? "values" : "unit", fact->unit);
    json_text(o, "brief", fact->brief);
    json_text(o, "cite", fact->cite);
    json_close(o, '}');
    json_end_line(o);
    return;
  }
  out_style(o, OUT_BOLD);
  out_text(o, kind);
  out_char(o, ' ');
  out_text(o, fact->name);
  out_style(o, OUT_PLAIN);
  out_text(o, " (");
  out_text(o, fact->unit);
  out_text(o, ")\n    ");
  out_wrapped(o, *fact->brief ? fact->brief : "-", 4, cli_width());
}

/* Opcodes, packets, states: the named values of fields. */
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
                         m.id.unit != PMON_UNIT_NONE; /* a layout with the name of its register */
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

/* How many results from `first` to before `end` belong to the same event as result `n`. */
static size_t count_alike(const struct pmon_event_match *matched, size_t n, size_t first, size_t end)
{
  size_t alike = 0;
  for (size_t i = first; i < end; i++)
    alike += matched[i].at.unit == matched[n].at.unit && matched[i].at.import == matched[n].at.import &&
             matched[i].at.event == matched[n].at.event;
  return alike;
}

/* Prints one result. Of an event with many umasks only the best few are shown; the last of them names the command that
 * lists the others. */
static void search_write_found(struct cli *cli, const struct pmon_event_info *e, size_t before, size_t behind)
{
  if (before < ALIKE)
    list_write_event(&cli->out, e, 50, 80);
  if (before == ALIKE - 1 && behind) {
    out_text(&cli->out, "    more of this event: pmon list ");
    out_text(&cli->out, e->unit);
    out_char(&cli->out, '/');
    out_text(&cli->out, e->event);
    out_char(&cli->out, '\n');
  }
}

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
    shown++;
    if (o.json) {
      describe_event_json(&cli->out, &e);
      json_end_line(&cli->out);
    } else {
      search_write_found(cli, &e, count_alike(matched, i, 0, i), count_alike(matched, i, i + 1, n));
    }
  }
  shown += unit == UINT32_MAX ? search_values(cli, query, o.json) : 0;
  shown += search_registers(cli, query, unit, o.json);
  if (!metrics && !shown)
    cli_fail(cli, "%s: no event, metric, value or register found; use fewer or other words", o.args[0]);
  return CLI_DONE;
}

const struct cli_command search_command = {
    .name = "search",
    .arguments = "WORDS...",
    .brief = "find events, metrics, metric groups, values and registers by words",
    .run = run_search,
    .options = {{cli_unit_option, NULL}, {cli_json_option, NULL}, {NULL, NULL}},
    .notes = "Example: pmon search read bandwidth\n",
};

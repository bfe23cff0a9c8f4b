/* SPDX-License-Identifier: MIT */
/* Draws views that fill the screen: the instances of a value, its meaning, the help. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/top/screen.h"
#include "cli/top/view.h"

enum { TEXT = 384, VALUE = 13 };

void view_draw_units(struct top *t, int lines, int columns)
{
  char text[TEXT], value[PMON_REPORT_TEXT];
  const double most = view_most(t, t->chosen);
  int line = 3;
  uint32_t skipped = 0;
  snprintf(text, sizeof text, "%s by instance", t->chosen);
  screen_text(t->screen, 1, 1, columns, SCREEN_BOLD, text);
  for (uint32_t i = 0; i < t->history.n; i++) {
    const struct top_row *row = &t->history.rows[i];
    if (row->instance == PMON_ALL || strcmp(row->name, t->chosen))
      continue;
    /* Instances for which there is no line are only counted. */
    if (line >= lines - 1) {
      skipped++;
      continue;
    }
    view_value(row, value, sizeof value);
    snprintf(text, sizeof text, "%s %u %s %-3u %*s", top_package(t), row->package, row->of ? row->of : "",
             row->instance, VALUE, value);
    view_draw_bar(t, row, most, line++, text);
  }
  if (line == 3)
    screen_text(t->screen, line, 1, columns, SCREEN_DIM,
                "this value has no instances; select another one with the arrow keys");
  if (skipped) {
    snprintf(text, sizeof text, "and %u more: enlarge the terminal, or use pmon stat --per-unit", skipped);
    screen_text(t->screen, lines - 2, 1, columns, SCREEN_WARN, text);
  }
}

static int draw_wrapped(struct top *t, int line, int lines, int columns, const char *text)
{
  while (*text && line < lines) {
    size_t n = strlen(text), room = columns > 4 ? (size_t)columns - 4 : 1;
    char part[TEXT];
    if (n > room) {
      for (n = room; n && text[n] != ' ';)
        n--;
      n = n ? n : room;
    }
    snprintf(part, sizeof part, "%.*s", (int)n, text);
    screen_text(t->screen, line++, 2, columns - 2, SCREEN_PLAIN, part);
    text += n + (text[n] == ' ');
  }
  return line;
}

/* Finds the meaning of an exporter's name in the platform that the exporter measures, if this pmon has that
 * platform. */
static void describe_by_name(const struct top *t, const char *name, const char **ret_brief, const char **ret_cite)
{
  struct pmon_metric_info metric = {.size = sizeof metric};
  const struct pmon_platform *const platform = t->stat.cli->platform;
  for (uint32_t i = 0; platform && !pmon_metric_describe(platform, i, &metric); i++)
    if (!strcmp(metric.name, name)) {
      *ret_brief = metric.brief;
      *ret_cite = metric.cite;
    }
}

static void describe_name(const struct top *t, const char *name, const char **ret_brief, const char **ret_cite)
{
  struct pmon_plan_metric_info metric = {.size = sizeof metric};
  struct pmon_event_info info = {.size = sizeof info};
  const struct pmon_event *event;
  *ret_brief = *ret_cite = "";
  if (t->remote) {
    describe_by_name(t, name, ret_brief, ret_cite);
    return;
  }
  for (uint32_t i = 0; !pmon_plan_metric(t->stat.wanted.plan, i, &metric); i++)
    if (!strcmp(metric.name, name)) {
      *ret_brief = metric.brief;
      *ret_cite = metric.cite;
      return;
    }
  for (uint32_t i = 0; (event = pmon_plan_event(t->stat.wanted.plan, i)); i++)
    if (!strcmp(pmon_event_name(event), name) && !pmon_event_describe(event, &info)) {
      *ret_brief = info.brief;
      *ret_cite = info.cite;
      return;
    }
}

/* Draws the newest value of a row, and the extremes and the mean of its past ones. Returns the next line. */
static int draw_past(struct top *t, const struct top_row *row, int line, int columns)
{
  char text[TEXT], value[PMON_REPORT_TEXT];
  double low = INFINITY, high = -INFINITY, sum = 0;
  uint32_t n = 0;
  for (uint32_t i = 0; i < TOP_HISTORY; i++) {
    const double v = history_past(&t->history, row, i);
    if (isnan(v))
      continue;
    low = fmin(low, v);
    high = fmax(high, v);
    sum += v;
    n++;
  }
  const struct {
    const char *word;
    double number;
  } facts[] = {{"now", row->value.number}, {"lowest", low}, {"mean of intervals", n ? sum / n : 0}, {"highest", high}};
  for (size_t i = 0; n && i < sizeof facts / sizeof *facts; i++) {
    const struct pmon_value shown = {
        .number = facts[i].number, .low = facts[i].number, .high = facts[i].number, .valid = true};
    view_format(row, &shown, value, sizeof value);
    snprintf(text, sizeof text, "%-18s %s", facts[i].word, i || row->value.valid ? value : "no data");
    screen_text(t->screen, line++, 2, columns - 2, SCREEN_PLAIN, text);
  }
  return line;
}

void view_draw_detail(struct top *t, int lines, int columns)
{
  const struct top_row *row = history_total(&t->history, t->chosen);
  const char *brief, *cite;
  char text[TEXT];
  screen_text(t->screen, 1, 1, columns, SCREEN_BOLD, t->chosen);
  if (!row)
    return;
  describe_name(t, t->chosen, &brief, &cite);
  int line = draw_past(t, row, draw_wrapped(t, 3, lines - 1, columns, brief) + 1, columns);
  if (!row->value.valid)
    line = draw_wrapped(t, line, lines - 1, columns, row->value.reason);
  else if (row->value.high > row->value.low) {
    char number[PMON_REPORT_TEXT], after[PMON_REPORT_TEXT];
    const struct pmon_report_row full = {.size = sizeof full, .unit = row->unit, .value = row->value};
    pmon_report_row_text(&full, number, after);
    snprintf(text, sizeof text, "%-18s %s %s", "95 % interval", number, after);
    screen_text(t->screen, line++, 2, columns - 2, SCREEN_PLAIN, text);
  }
  line++;
  view_draw_spark(t, row, line, 2, columns - 4);
  snprintf(text, sizeof text, "Source: %s", cite);
  if (*cite)
    draw_wrapped(t, line + 2, lines - 1, columns, text);
}

void view_draw_help(struct top *t, int lines, int columns)
{
  static const char *const help[] = {"F1 h ?         this help; any key leaves it",
                                     "d F2           the die: a cell for each instance of a unit, coloured by load",
                                     "u F3           the selected value's instances: bars, and their last values",
                                     "v F5           I/O devices with the values of their ports",
                                     "t              show or hide each value's sockets and instances in the table",
                                     "Enter F4       what the selected value means, its range and its source",
                                     "Up Down        select a value; its unit's cells show it",
                                     "/              filter by a part of the name; Esc removes the filter",
                                     "s              sort by load, or in the order in which they were given",
                                     "space p        pause and resume; . makes one step",
                                     "+ -            faster and slower: a shorter or longer interval on a host",
                                     "Left Right     seek in a recording; Home and End: its start and end",
                                     "q F10          quit; all registers are restored",
                                     "",
                                     "The scale of a cell ends at the largest value that an instance has had so far.",
                                     "Counts of events are shown per second, metrics as they are in the interval. A",
                                     "dim value is from an earlier interval: in this one, its counters counted other",
                                     "events."};
  screen_text(t->screen, 1, 1, columns, SCREEN_BOLD, "pmon top: keys");
  for (int i = 0; i < (int)(sizeof help / sizeof *help) && 3 + i < lines - 1; i++)
    screen_text(t->screen, 3 + i, 2, columns - 2, SCREEN_PLAIN, help[i]);
}

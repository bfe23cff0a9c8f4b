/* SPDX-License-Identifier: MIT */
/* The title, and the table of rows with their past values. */
#include <stdlib.h>
#include <string.h>
#include "cli/top/screen.h"
#include "cli/top/view.h"
#include "src/base/text.h"

enum { NAME_LEAST = 20, SPARK_LEAST = 8, NAMES = 512, LINES_MOST = 4096 };

static void format_time(double seconds, char *text, size_t size)
{
  const double scale = seconds >= 1 ? 1 : seconds >= 1e-3 ? 1e3 : 1e6;
  snprintf(text, size, "%.3f %s", seconds * scale, seconds >= 1 ? "s" : seconds >= 1e-3 ? "ms" : "us");
}

void view_draw_title(struct top *t, int columns)
{
  char text[VIEW_TEXT], end[32], length[32], place[48] = "";
  struct pmon_platform_info platform = {.size = sizeof platform, .name = t->platform};
  double part, megabytes;
  top_cost(t, &part, &megabytes);
  if (!t->remote)
    pmon_platform_describe(t->stat.cli->platform, &platform);
  format_time(t->history.newest.end_seconds, end, sizeof end);
  format_time(t->history.newest.seconds, length, sizeof length);
  if (t->remote)
    snprintf(place, sizeof place, "  %.40s", t->path);
  else if (t->path)
    snprintf(place, sizeof place, "  %u of %u", t->position + 1, t->intervals);
  snprintf(text, sizeof text, " pmon top  %s%s  %s  interval %s%s%s", *t->stat.names.machine ? "EMULATED " : "",
           platform.name, end, length, place,
           t->ended    ? "  ENDED"
           : t->paused ? "  PAUSED"
                       : "");
  screen_fill(t->screen, 0, SCREEN_BAR);
  screen_text(t->screen, 0, 0, columns, SCREEN_BAR, text);
  snprintf(text, sizeof text, "pmon uses %.1f %% cpu, %.0f MB ", part * 100, megabytes);
  const int n = (int)strlen(text);
  if (columns >= 100)
    screen_text(t->screen, 0, columns - n, n, SCREEN_BAR, text);
}

static bool is_shown(const struct top *t, const char *name)
{
  const size_t n = strlen(t->filter), m = strlen(name);
  bool found = false; /* strcasestr() depends on the locale: with a Turkish one "imc" does not match "IMC" */
  for (size_t i = 0; !found && i + n <= m; i++)
    found = text_same(name + i, t->filter, n);
  return found;
}

/* Lists the names, each once, in the order of the report or by their load. */
static uint32_t list_names(const struct top *t, const struct top_row **names, uint32_t most)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->history.n && n < most; i++) {
    const struct top_row *row = &t->history.rows[i];
    if (row->instance != PMON_ALL || !is_shown(t, row->name) || history_total(&t->history, row->name) != row)
      continue;
    names[n++] = row;
  }
  /* Insertion sort: there are few rows, and equal ones keep their order. */
  for (uint32_t i = 1; t->sorted && i < n; i++)
    for (uint32_t k = i; k && names[k]->most > 0 &&
                         (names[k - 1]->most <= 0 ||
                          names[k]->value.number / names[k]->most > names[k - 1]->value.number / names[k - 1]->most);
         k--) {
      const struct top_row *held = names[k];
      names[k] = names[k - 1];
      names[k - 1] = held;
    }
  return n;
}

/* Lists the lines of the table: the names, and below each its rows of packages and instances if the tree is open. */
static uint32_t list_lines(const struct top *t, const struct top_row **lines, uint32_t most)
{
  const struct top_row *names[NAMES];
  const uint32_t n_names = list_names(t, names, NAMES);
  uint32_t n = 0;
  for (uint32_t i = 0; i < n_names; i++) {
    if (n < most)
      lines[n++] = names[i];
    for (uint32_t k = 0; t->tree && k < t->history.n && n < most; k++)
      if (&t->history.rows[k] != names[i] && !strcmp(t->history.rows[k].name, names[i]->name))
        lines[n++] = &t->history.rows[k];
  }
  return n;
}

/* Formats the beginning of a table line: the name, or for the rows below it the package and the instance. */
static void format_line(const struct top *t, const struct top_row *row, char *text, size_t size)
{
  if (history_total(&t->history, row->name) == row)
    snprintf(text, size, "%s", row->name);
  else if (row->instance == PMON_ALL)
    snprintf(text, size, "  %s %u", top_package(t), row->package);
  else
    snprintf(text, size, "    %s %u %s %u", top_package(t), row->package, row->of ? row->of : "", row->instance);
}

static void draw_value(struct top *t, const struct top_row *row, int line, int column, enum screen_style style)
{
  char text[VIEW_TEXT], right[VIEW_TEXT];
  if (!row)
    return;
  const enum screen_style own = view_value(row, text, sizeof text);
  snprintf(right, sizeof right, "%*s", VIEW_VALUE - 1, text);
  screen_text(t->screen, line, column, VIEW_VALUE, own == SCREEN_PLAIN ? style : own, right);
}

static int longest_name(const struct top *t)
{
  size_t longest = NAME_LEAST;
  for (uint32_t i = 0; i < t->history.n; i++)
    longest = strlen(t->history.rows[i].name) > longest ? strlen(t->history.rows[i].name) : longest;
  return (int)longest;
}

/* Draws a line of the table. `shape`: the widths of the name and of the columns of values, and the number of
 * columns. */
static void draw_line(struct top *t, const struct top_row *row, int at, bool chosen, const int shape[3])
{
  const int name_width = shape[0], values = shape[1], columns = shape[2];
  const uint32_t packages = values > VIEW_VALUE ? view_packages(t) : 0;
  const bool total = history_total(&t->history, row->name) == row;
  const enum screen_style style = chosen ? SCREEN_SELECTED : SCREEN_PLAIN;
  const int spark = columns - name_width - values - 2;
  char text[VIEW_TEXT];
  if (chosen) {
    screen_fill(t->screen, at, style);
    snprintf(t->chosen, sizeof t->chosen, "%s", row->name);
  }
  format_line(t, row, text, sizeof text);
  screen_text(t->screen, at, 1, name_width - 1, style, text);
  for (uint32_t p = 0; total && p < packages; p++)
    draw_value(t, view_find_row(t, row->name, p, PMON_ALL), at, name_width + (int)p * VIEW_VALUE, style);
  draw_value(t, row, at, name_width + values - VIEW_VALUE, style);
  view_draw_spark(t, row, at, columns - spark, spark);
}

void view_draw_table(struct top *t, int line, int end, int columns)
{
  const struct top_row *rows[LINES_MOST];
  const uint32_t packages = view_packages(t);
  const bool each = packages > 1 && columns >= NAME_LEAST + (int)(packages + 1) * VIEW_VALUE + SPARK_LEAST + 14;
  const int values = each ? (int)(packages + 1) * VIEW_VALUE : VIEW_VALUE, longest = longest_name(t) + 2;
  int name_width = columns - values - SPARK_LEAST - 2;
  char head[VIEW_TEXT];
  name_width = name_width > longest ? longest : name_width < NAME_LEAST ? NAME_LEAST : name_width;
  t->shown = list_lines(t, rows, LINES_MOST);
  t->selected = t->selected < t->shown ? t->selected : t->shown ? t->shown - 1 : 0;
  const int room = end - line - 1;
  const uint32_t first = room > 0 && t->selected >= (uint32_t)room ? t->selected - (uint32_t)room + 1 : 0;
  t->table_first = first;
  t->table_line = line + 1;
  screen_text(t->screen, line, 1, name_width, SCREEN_BOLD, "value");
  for (uint32_t p = 0; each && p < packages; p++) {
    snprintf(head, sizeof head, "%*s %u", VIEW_VALUE - 3, top_package(t), p);
    screen_text(t->screen, line, name_width + (int)p * VIEW_VALUE, VIEW_VALUE, SCREEN_BOLD, head);
  }
  snprintf(head, sizeof head, "%*s", VIEW_VALUE - 1, "total");
  screen_text(t->screen, line, name_width + values - VIEW_VALUE, VIEW_VALUE, SCREEN_BOLD, head);
  for (uint32_t i = first; i < t->shown && line + 1 + (int)(i - first) < end; i++)
    draw_line(t, rows[i], line + 1 + (int)(i - first), i == t->selected, (const int[]){name_width, values, columns});
  if (!t->shown)
    screen_text(t->screen, line + 1, 1, columns, SCREEN_DIM,
                *t->filter ? "no name contains the filter" : "nothing measured yet");
}

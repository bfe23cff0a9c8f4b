/* SPDX-License-Identifier: MIT */
/* Parts of all views: formatted values, the bars at top and bottom, tables of rows with their past values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/top/screen.h"
#include "cli/top/view.h"
#include "src/base/text.h"

enum { TEXT = 256, NAME_LEAST = 20, VALUE = 13, SPARK_LEAST = 8, NAMES = 512, LINES_MOST = 4096 };

/* Formats a value with three to five digits and a prefix: "112.3 M/s". */
static void format_scaled(double v, const char *end, char *text, size_t size)
{
  static const char prefixes[] = " kMGT";
  int p = 0;
  for (; fabs(v) >= 1000 && prefixes[p + 1]; p++)
    v /= 1000;
  const int digits = fabs(v) >= 100 ? 1 : fabs(v) >= 10 ? 2 : v != 0 ? 3 : 0;
  snprintf(text, size, "%.*f%s%.*s%s", digits, v, p ? " " : "", p > 0, &prefixes[p], end);
}

void view_format(const struct top_row *row, const struct pmon_value *value, char *text, size_t size)
{
  char number[PMON_REPORT_TEXT], after[PMON_REPORT_TEXT];
  const struct pmon_report_row full = {.size = sizeof full, .unit = row->unit, .value = *value};
  const size_t n = strlen(row->unit);
  const bool rate = n >= 2 && !strcmp(row->unit + n - 2, "/s");
  pmon_report_row_text(&full, number, after);
  if (!strcmp(row->unit, "/s") || (strlen(number) >= VALUE && strcmp(number, "unknown,")))
    format_scaled(value->number, rate ? "/s" : "", text, size);
  else
    snprintf(text, size, "%s", !strcmp(number, "unknown,") ? after : number);
}

enum screen_style view_value(const struct top_row *row, char *text, size_t size)
{
  const struct pmon_value *value = history_shown(row);
  if (value)
    view_format(row, value, text, size);
  else
    snprintf(text, size, "no data");
  return row->value.valid ? SCREEN_PLAIN : value ? SCREEN_DIM : SCREEN_WARN;
}

double view_load(const struct top_row *row, double most)
{
  const struct pmon_value *value = row ? history_shown(row) : NULL;
  return !value ? -1 : most > 0 ? value->number / most : 0;
}

static void format_time(double seconds, char *text, size_t size)
{
  const double scale = seconds >= 1 ? 1 : seconds >= 1e-3 ? 1e3 : 1e6;
  snprintf(text, size, "%.3f %s", seconds * scale, seconds >= 1 ? "s" : seconds >= 1e-3 ? "ms" : "us");
}

/* ---- the bars at the top and the bottom ---- */

void view_draw_title(struct top *t, int columns)
{
  char text[TEXT], end[32], length[32], place[48] = "";
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
  snprintf(text, sizeof text, " pmon top  %s%s  %s  interval %s%s%s", *t->stat.machine ? "EMULATED " : "",
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

/* Draws what keys do, as many as fit: keys at the end of the list are less important and are omitted first. */
static void draw_keys(struct top *t, int line, int columns)
{
  char text[TEXT] = "";
  const char *const keys[] = {"F1 help",
                              "d die",
                              "u units",
                              t->ended    ? ""
                              : t->paused ? "space resume"
                                          : "space pause",
                              "/ filter",
                              "Enter explain",
                              t->remote || (t->ended && !t->path) ? ""
                              : t->path                           ? "<- -> seek"
                              : t->paused                         ? ". step"
                                                                  : "",
                              "v devices",
                              "t tree",
                              "s sort"};
  static const char quit[] = "  q quit";
  size_t n = 0;
  screen_fill(t->screen, line, SCREEN_BAR);
  if (t->filtering)
    snprintf(text, sizeof text, " filter: %s_   Enter keeps it, Esc removes it", t->filter);
  else if (*t->problem)
    snprintf(text, sizeof text, " %s   F1 help  q quit", t->problem);
  for (size_t i = 0; !t->filtering && !*t->problem && i < sizeof keys / sizeof *keys; i++)
    if (*keys[i] && n + strlen(keys[i]) + 2 + strlen(quit) <= (size_t)columns)
      n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? "  " : " ", keys[i]);
  if (n)
    snprintf(text + n, sizeof text - n, "%s", quit);
  screen_text(t->screen, line, 0, columns, SCREEN_BAR, text);
}

/* ---- names of the table ---- */

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
    snprintf(text, size, "  socket %u", row->package);
  else
    snprintf(text, size, "    socket %u %s %u", row->package, row->of ? row->of : "", row->instance);
}

void view_draw_spark(struct top *t, const struct top_row *row, int line, int column, int width)
{
  double most = 0;
  for (int i = 0; i < width; i++)
    most = fmax(most, fmax(0, history_past(&t->history, row, (uint32_t)i)));
  for (int i = 0; i < width; i++) {
    const double v = history_past(&t->history, row, (uint32_t)(width - 1 - i));
    screen_spark(t->screen, line, column + i, isnan(v) ? -1 : most > 0 ? v / most : 0);
  }
}

/* Finds the row of a name in a package and instance. */
const struct top_row *view_find_row(const struct top *t, const char *name, uint32_t package, uint32_t instance)
{
  for (uint32_t i = 0; i < t->history.n; i++) {
    const struct top_row *row = &t->history.rows[i];
    if (row->package == package && row->instance == instance && !strcmp(row->name, name))
      return row;
  }
  return NULL;
}

uint32_t view_packages(const struct top *t)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->history.n; i++)
    if (t->history.rows[i].package != PMON_ALL && t->history.rows[i].package + 1 > n)
      n = t->history.rows[i].package + 1;
  return n ? n : 1;
}

static void draw_value(struct top *t, const struct top_row *row, int line, int column, enum screen_style style)
{
  char text[TEXT], right[TEXT];
  if (!row)
    return;
  const enum screen_style own = view_value(row, text, sizeof text);
  snprintf(right, sizeof right, "%*s", VALUE - 1, text);
  screen_text(t->screen, line, column, VALUE, own == SCREEN_PLAIN ? style : own, right);
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
  const uint32_t packages = values > VALUE ? view_packages(t) : 0;
  const bool total = history_total(&t->history, row->name) == row;
  const enum screen_style style = chosen ? SCREEN_SELECTED : SCREEN_PLAIN;
  const int spark = columns - name_width - values - 2;
  char text[TEXT];
  if (chosen) {
    screen_fill(t->screen, at, style);
    snprintf(t->chosen, sizeof t->chosen, "%s", row->name);
  }
  format_line(t, row, text, sizeof text);
  screen_text(t->screen, at, 1, name_width - 1, style, text);
  for (uint32_t p = 0; total && p < packages; p++)
    draw_value(t, view_find_row(t, row->name, p, PMON_ALL), at, name_width + (int)p * VALUE, style);
  draw_value(t, row, at, name_width + values - VALUE, style);
  view_draw_spark(t, row, at, columns - spark, spark);
}

void view_draw_table(struct top *t, int line, int end, int columns)
{
  const struct top_row *rows[LINES_MOST];
  const uint32_t packages = view_packages(t);
  const bool each = packages > 1 && columns >= NAME_LEAST + (int)(packages + 1) * VALUE + SPARK_LEAST + 14;
  const int values = each ? (int)(packages + 1) * VALUE : VALUE, longest = longest_name(t) + 2;
  int name_width = columns - values - SPARK_LEAST - 2;
  char head[TEXT];
  name_width = name_width > longest ? longest : name_width < NAME_LEAST ? NAME_LEAST : name_width;
  t->shown = list_lines(t, rows, LINES_MOST);
  t->selected = t->selected < t->shown ? t->selected : t->shown ? t->shown - 1 : 0;
  const int room = end - line - 1;
  const uint32_t first = room > 0 && t->selected >= (uint32_t)room ? t->selected - (uint32_t)room + 1 : 0;
  t->table_first = first;
  t->table_line = line + 1;
  screen_text(t->screen, line, 1, name_width, SCREEN_BOLD, "value");
  for (uint32_t p = 0; each && p < packages; p++) {
    snprintf(head, sizeof head, "%*s %u", VALUE - 3, "socket", p);
    screen_text(t->screen, line, name_width + (int)p * VALUE, VALUE, SCREEN_BOLD, head);
  }
  snprintf(head, sizeof head, "%*s", VALUE - 1, "total");
  screen_text(t->screen, line, name_width + values - VALUE, VALUE, SCREEN_BOLD, head);
  for (uint32_t i = first; i < t->shown && line + 1 + (int)(i - first) < end; i++)
    draw_line(t, rows[i], line + 1 + (int)(i - first), i == t->selected, (const int[]){name_width, values, columns});
  if (!t->shown)
    screen_text(t->screen, line + 1, 1, columns, SCREEN_DIM,
                *t->filter ? "no name contains the filter" : "nothing measured yet");
}

/* Returns the largest value of a name's instances so far, which is shown as full load. */
double view_most(const struct top *t, const char *name)
{
  double most = 0;
  for (uint32_t i = 0; i < t->history.n; i++)
    if (t->history.rows[i].instance != PMON_ALL && !strcmp(t->history.rows[i].name, name))
      most = fmax(most, t->history.rows[i].most);
  return most;
}

void top_draw(struct top *t)
{
  if (stat_stop.number)
    return; /* the terminal may be one that is not read any more */
  int lines, columns;
  screen_size(t->screen, &lines, &columns);
  screen_clear(t->screen);
  if (lines < 5 || columns < 40) {
    screen_text(t->screen, 0, 0, columns, SCREEN_WARN, "40x5 at least");
    screen_flush(t->screen);
    return;
  }
  view_draw_title(t, columns);
  switch (t->view) {
  case TOP_DIE: view_draw_dies(t, lines, columns); break;
  case TOP_DEVICES: view_draw_devices(t, lines, columns); break;
  case TOP_UNITS: view_draw_units(t, lines, columns); break;
  case TOP_DETAIL: view_draw_detail(t, lines, columns); break;
  case TOP_HELP: view_draw_help(t, lines, columns); break;
  }
  draw_keys(t, lines - 1, columns);
  screen_flush(t->screen);
}

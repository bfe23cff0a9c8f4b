/* SPDX-License-Identifier: MIT */
/* Values of a view: found by name, formatted, as a bar and as past values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/top/screen.h"
#include "cli/top/view.h"

const char *top_package(const struct top *t)
{
  struct pmon_platform_info info = {.size = sizeof info, .package = "socket"};
  if (t->stat.cli->platform) /* an exporter's may not be known, or not yet */
    pmon_platform_describe(t->stat.cli->platform, &info);
  return info.package;
}

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
  if (!strcmp(row->unit, "/s") || (strlen(number) >= VIEW_VALUE && strcmp(number, "unknown,")))
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

/* Returns the largest value of a name's instances so far, which is shown as full load. */
double view_most(const struct top *t, const char *name)
{
  double most = 0;
  for (uint32_t i = 0; i < t->history.n; i++)
    if (t->history.rows[i].instance != PMON_ALL && !strcmp(t->history.rows[i].name, name))
      most = fmax(most, t->history.rows[i].most);
  return most;
}

void view_draw_bar(struct top *t, const struct top_row *row, double most, int line, const char *text)
{
  int lines, columns;
  char value[PMON_REPORT_TEXT];
  screen_size(t->screen, &lines, &columns);
  const int used = 1 + screen_text(t->screen, line, 1, columns, view_value(row, value, sizeof value), text);
  const int room = (columns - used - 3) / 2;
  const double load = view_load(row, most);
  const int bar = room > 0 && load > 0 ? (int)(room * load + 0.5) : 0;
  for (int k = 0; k < bar; k++)
    screen_load(t->screen, line, used + 1 + k, 1, load, NULL);
  view_draw_spark(t, row, line, used + 2 + room, room > 0 ? room : 0);
}

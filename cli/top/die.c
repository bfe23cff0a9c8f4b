/* SPDX-License-Identifier: MIT */
/* The die of each socket: units as groups of cells, coloured by their load. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/top/screen.h"
#include "cli/top/view.h"

enum { TEXT = 256, GROUPS = 16, CELL = 4, MEMORY_CELL = 5, TABLE_LEAST = 6 };

/* Units of which the map shows a group of cells, and where: links above the centre, memory beside it. */
enum place { BELOW, ABOVE, BESIDE };
static const struct {
  const char *unit;
  enum place place;
} places[] = {{"upi", ABOVE},  {"qpi", ABOVE},    {"m3upi", ABOVE},  {"r3qpi", ABOVE}, {"imc", BESIDE},
              {"m2m", BESIDE}, {"cxlcm", BESIDE}, {"cxldp", BESIDE}, {"ha", BESIDE}};

struct group {
  const char *unit, *name;
  enum place place;
  uint32_t cells; /* of one package */
};

static enum place place_of(const char *unit)
{
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (!strcmp(places[i].unit, unit))
      return places[i].place;
  return BELOW;
}

/* The units that have values of instances, each with the name that is shown: the selected one where it is its unit's.
 */
static uint32_t list_groups(const struct top *t, struct group groups[GROUPS])
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->history.n; i++) {
    const struct top_row *row = &t->history.rows[i];
    uint32_t g = 0;
    if (row->instance == PMON_ALL || !row->of)
      continue;
    while (g < n && strcmp(groups[g].unit, row->of))
      g++;
    if (g == n && n == GROUPS)
      continue;
    if (g == n)
      groups[n++] = (struct group){.unit = row->of, .name = row->name, .place = place_of(row->of)};
    if (!strcmp(row->name, t->chosen))
      groups[g].name = row->name;
    if (row->instance + 1 > groups[g].cells)
      groups[g].cells = row->instance + 1;
  }
  return n;
}

/* The group in the middle: of what lies neither above nor beside, the one with the most instances. */
static const struct group *center_of(const struct group *groups, uint32_t n)
{
  const struct group *best = NULL;
  for (uint32_t i = 0; i < n; i++)
    if (!best || (groups[i].place == BELOW && (best->place != BELOW || groups[i].cells > best->cells)))
      best = &groups[i];
  return best;
}

static void draw_cell(struct top *t, const struct group *g, uint32_t package, uint32_t instance, const int at[3])
{
  char label[16];
  const struct top_row *row = view_find_row(t, g->name, package, instance);
  const double most = view_most(t, g->name);
  snprintf(label, sizeof label, "%u", instance);
  screen_load(t->screen, at[0], at[1], at[2],
              !row || !row->value.valid ? -1
              : most > 0                ? row->value.number / most
                                        : 0,
              label);
}

/* A line of cells with the unit's name before it. */
static void draw_strip(struct top *t, const struct group *g, uint32_t package, int line, const int box[2])
{
  const int name = screen_text(t->screen, line, box[0], 6, SCREEN_DIM, g->unit) + 1;
  const int room = g->cells ? (box[1] - name) / (int)g->cells : 0, cell = room > CELL ? CELL : room < 2 ? 2 : room;
  for (uint32_t i = 0; i < g->cells && name + (int)(i + 1) * cell <= box[1]; i++)
    draw_cell(t, g, package, i, (const int[]){line, box[0] + name + (int)i * cell, cell - 1});
}

/* One package in the columns from box[0] on, box[1] of them. Returns its lines. */
static int draw_die(struct top *t, const struct group *groups, uint32_t n, uint32_t package, const int box[2], int line)
{
  char title[32];
  const struct group *const center = center_of(groups, n);
  const int first = line;
  bool beside = false;
  snprintf(title, sizeof title, "socket %u", package);
  screen_text(t->screen, line++, box[0], box[1], SCREEN_BOLD, title);
  for (uint32_t i = 0; i < n; i++) {
    if (&groups[i] != center && groups[i].place == ABOVE)
      draw_strip(t, &groups[i], package, line++, box);
    beside |= &groups[i] != center && groups[i].place == BESIDE;
  }
  const int side = beside ? MEMORY_CELL + 2 : 0, width = box[1] - 2 * side;
  const int across = width / 3 < 1 ? 1 : width / 3 > 16 ? 16 : width / 3;
  int bottom = line;
  for (uint32_t i = 0; center && i < center->cells; i++) {
    const int at = line + (int)i / across;
    draw_cell(t, center, package, i, (const int[]){at, box[0] + side + (int)i % across * 3, 2});
    bottom = at + 1;
  }
  int left = line;
  for (uint32_t i = 0; i < n; i++) {
    if (&groups[i] == center || groups[i].place != BESIDE)
      continue;
    const uint32_t half = (groups[i].cells + 1) / 2;
    for (uint32_t k = 0; k < groups[i].cells; k++) {
      const int right = box[0] + side + across * 3 + 1;
      draw_cell(t, &groups[i], package, k,
                (const int[]){left + (int)(k % half), k < half ? box[0] : right, MEMORY_CELL});
    }
    left += (int)half;
  }
  line = bottom > left ? bottom : left;
  for (uint32_t i = 0; i < n; i++)
    if (&groups[i] != center && groups[i].place == BELOW)
      draw_strip(t, &groups[i], package, line++, box);
  return line - first;
}

/* What the cells show, and the scale. */
static void draw_legend(struct top *t, const struct group *groups, uint32_t n, int line, int columns)
{
  char text[TEXT] = "";
  size_t at = 0;
  for (uint32_t i = 0; i < n && at < sizeof text - 1; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "%s%s: %s", i ? ", " : "", groups[i].unit, groups[i].name);
  const int scale = columns >= 60 ? 24 : 0;
  screen_text(t->screen, line, 1, columns - scale - 2, SCREEN_DIM, text);
  if (!scale)
    return;
  screen_text(t->screen, line, columns - scale, 2, SCREEN_DIM, "0");
  for (int i = 0; i < 16; i++)
    screen_load(t->screen, line, columns - scale + 2 + i, 1, i / 15.0, NULL);
  screen_text(t->screen, line, columns - scale + 19, 5, SCREEN_DIM, "most");
}

void view_draw_dies(struct top *t, int lines, int columns)
{
  struct group groups[GROUPS];
  const uint32_t n = list_groups(t, groups), packages = view_packages(t);
  const uint32_t across = packages < 2 ? 1 : columns / 2 >= 34 ? 2 : 1;
  int line = 1;
  for (uint32_t p = 0; n && p < packages; p += across) {
    int used = 0;
    for (uint32_t k = 0; k < across && p + k < packages; k++) {
      const int width = columns / (int)across - 2, box[] = {1 + (int)k * (columns / (int)across), width};
      const int own = line + 4 < lines - TABLE_LEAST ? draw_die(t, groups, n, p + k, box, line) : 0;
      used = own > used ? own : used;
    }
    line += used;
  }
  if (n && line + TABLE_LEAST < lines)
    draw_legend(t, groups, n, line++, columns);
  /* A small terminal has room for the table alone. */
  if (line + 3 >= lines) {
    screen_clear(t->screen);
    view_draw_title(t, columns);
    line = 1;
  }
  view_draw_table(t, line, lines - 1, columns);
}

/* SPDX-License-Identifier: MIT */
/* Draws the die of each socket: units as groups of cells, coloured by their load. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/top/die.h"
#include "cli/top/view.h"

enum { TEXT = 256, GROUPS = 16, CELL = 4, MEMORY_CELL = 5, TABLE_LEAST = 6, DIE_LEAST = 34, MIDDLE = 16, DEVICES = 3 };

/* Positions of units, and the metrics of their links. */
static const struct form forms[] = {
    {"upi", ABOVE, NO_FABRIC, "UPI_DATA_SENT_BANDWIDTH", "UPI_DATA_RECEIVED_BANDWIDTH"},
    {"qpi", ABOVE, NO_FABRIC, "QPI_DATA_SENT_BANDWIDTH", "QPI_DATA_RECEIVED_BANDWIDTH"},
    {"m3upi", ABOVE, NO_FABRIC, NULL, NULL},
    {"r3qpi", ABOVE, NO_FABRIC, NULL, NULL},
    {"imc", BESIDE, NO_FABRIC, NULL, NULL},
    {"m2m", BESIDE, NO_FABRIC, NULL, NULL},
    {"cxlcm", BESIDE, NO_FABRIC, NULL, NULL},
    {"cxldp", BESIDE, NO_FABRIC, NULL, NULL},
    {"ha", BESIDE, NO_FABRIC, NULL, NULL},
    {"cha", BELOW, MESH, NULL, NULL},
    {"cbo", BELOW, RING, NULL, NULL},
};
static const struct form plain = {"", BELOW, NO_FABRIC, NULL, NULL};

struct group {
  const char *unit, *name;
  const struct form *form;
  uint32_t cells; /* of one package */
};

static const struct form *form_of(const char *unit)
{
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (!strcmp(forms[i].unit, unit))
      return &forms[i];
  return &plain;
}

/* Lists the units that have values of instances, each with the name of the value to show: the selected name if it
 * belongs to the unit. */
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
      groups[n++] = (struct group){.unit = row->of, .name = row->name, .form = form_of(row->of)};
    if (!strcmp(row->name, t->chosen))
      groups[g].name = row->name;
    if (row->instance + 1 > groups[g].cells)
      groups[g].cells = row->instance + 1;
  }
  return n;
}

/* Returns the group in the middle: of those that are neither above nor beside it, the one with the most instances. */
static const struct group *center_of(const struct group *groups, uint32_t n)
{
  const struct group *best = NULL;
  for (uint32_t i = 0; i < n; i++)
    if (!best || (groups[i].form->place == BELOW && (best->form->place != BELOW || groups[i].cells > best->cells)))
      best = &groups[i];
  return best;
}

static void draw_cell(struct top *t, const struct group *g, uint32_t package, uint32_t instance, const int at[3])
{
  char label[16];
  const struct top_row *row = view_find_row(t, g->name, package, instance);
  snprintf(label, sizeof label, "%u", instance);
  screen_load(t->screen, at[0], at[1], at[2], view_load(row, view_most(t, g->name)), label);
}

/* Draws a line of cells after the unit's name. */
static void draw_strip(struct top *t, const struct group *g, uint32_t package, int line, const int box[2])
{
  const int name = screen_text(t->screen, line, box[0], 6, SCREEN_DIM, g->unit) + 1;
  const int room = g->cells ? (box[1] - name) / (int)g->cells : 0, cell = room > CELL ? CELL : room < 2 ? 2 : room;
  for (uint32_t i = 0; i < g->cells && name + (int)(i + 1) * cell <= box[1]; i++)
    draw_cell(t, g, package, i, (const int[]){line, box[0] + name + (int)i * cell, cell - 1});
}

/* One package, in `width` columns beginning at `column`, above the line `end`. */
struct die {
  struct top *t;
  const struct group *groups;
  const struct group *center;
  uint32_t n, package;
  int column, width, end;
};

/* Draws the title, and what the links of the package send and receive if no arrows fit between the dies. */
static void draw_title(const struct die *d, int line, bool flows)
{
  char title[32], text[TEXT];
  snprintf(title, sizeof title, "%s %u ", top_package(d->t), d->package);
  const int used = screen_text(d->t->screen, line, d->column, d->width, SCREEN_BOLD, title);
  for (uint32_t i = 0; flows && i < d->n; i++)
    if (links_format(d->t, d->groups[i].form, d->package, text, sizeof text)) {
      screen_text(d->t->screen, line, d->column + used, d->width - used, SCREEN_PLAIN, text);
      return;
    }
}

/* Draws the cells in the middle: rows connected by a mesh, or two rows surrounded by a ring. Returns the next line. */
static int draw_center(const struct die *d, int line, int column, int across)
{
  struct top_screen *const screen = d->t->screen;
  const bool utf8 = screen_has_utf8(screen), ring = d->center->form->fabric == RING;
  const char *const between = d->center->form->fabric == NO_FABRIC ? " " : utf8 ? "─" : "-";
  const uint32_t cells = d->center->cells, row = ring ? (cells + 1) / 2 : (uint32_t)across;
  for (uint32_t i = 0; i < cells; i++) {
    const bool back = ring && i >= row; /* the lower row of a ring is in reverse order */
    const uint32_t x = back ? 2 * row - 1 - i : i % row;
    const int at = line + (int)(i / row), left = column + (int)x * 3 + ring;
    if (at >= d->end + TABLE_LEAST) /* below the screen, as are all later cells: a ring has two rows */
      break;
    draw_cell(d->t, d->center, d->package, i, (const int[]){at, left, 2});
    if (x + 1 < row && (ring || i + 1 < cells))
      screen_text(screen, at, left + 2, 1, SCREEN_DIM, between);
  }
  const int last = line + (cells ? (int)((cells - 1) / row) : 0);
  for (int at = line; ring && at <= line + 1; at++) {
    screen_text(screen, at, column, 1, SCREEN_DIM, !utf8 ? "+" : at == line ? "╭" : "╰");
    screen_text(screen, at, column + (int)row * 3, 1, SCREEN_DIM, !utf8 ? "+" : at == line ? "╮" : "╯");
  }
  return (ring && last == line ? last + 1 : last) + 1;
}

/* Draws units beside the middle, half of their cells on each side. Returns the next line. */
static int draw_beside(const struct die *d, int line, int right)
{
  for (uint32_t i = 0; i < d->n; i++) {
    const struct group *g = &d->groups[i];
    if (g == d->center || g->form->place != BESIDE)
      continue;
    const uint32_t half = (g->cells + 1) / 2;
    for (uint32_t k = 0; k < g->cells; k++)
      draw_cell(d->t, g, d->package, k,
                (const int[]){line + (int)(k % half), k < half ? d->column : right, MEMORY_CELL});
    line += (int)half;
  }
  return line;
}

/* Draws the first devices at the ports of a unit. Returns the next line. */
static int draw_devices(const struct die *d, const struct group *g, int line)
{
  char text[TEXT], name[TEXT - 16];
  const struct pmon_device *device;
  for (uint32_t i = 0; (device = view_device(d->t, g->unit, d->package, i)) && line < d->end; i++) {
    if (i == DEVICES) {
      screen_text(d->t->screen, line++, d->column + 4, d->width - 4, SCREEN_DIM, "more: v");
      break;
    }
    const bool known = device->port < 26;
    snprintf(name, sizeof name, "%s %s", device->address, device->name ? device->name : "");
    snprintf(text, sizeof text, "%3u%c %s", device->instance, known ? 'A' + (char)device->port : ' ', name);
    screen_text(d->t->screen, line++, d->column, d->width, SCREEN_DIM, text);
  }
  return line;
}

/* Draws a die. Returns the number of its lines. */
static int draw_die(const struct die *d, int line, bool flows)
{
  const int first = line;
  bool beside = false;
  draw_title(d, line++, flows);
  for (uint32_t i = 0; i < d->n; i++) {
    if (&d->groups[i] != d->center && d->groups[i].form->place == ABOVE)
      draw_strip(d->t, &d->groups[i], d->package, line++, (const int[]){d->column, d->width});
    beside |= &d->groups[i] != d->center && d->groups[i].form->place == BESIDE;
  }
  const bool ring = d->center->form->fabric == RING;
  const int side = beside ? MEMORY_CELL + 2 : 0, width = d->width - 2 * side, room = (width - 2 * ring) / 3;
  const int across = room < 1 ? 1 : room > MIDDLE ? MIDDLE : room;
  const int columns = ring ? ((int)d->center->cells + 1) / 2 * 3 + 1 : across * 3;
  const int bottom = draw_center(d, line, d->column + side, across);
  const int left = draw_beside(d, line, d->column + side + columns + 1);
  line = bottom > left ? bottom : left;
  for (uint32_t i = 0; i < d->n; i++)
    if (&d->groups[i] != d->center && d->groups[i].form->place == BELOW) {
      draw_strip(d->t, &d->groups[i], d->package, line++, (const int[]){d->column, d->width});
      line = draw_devices(d, &d->groups[i], line);
    }
  return line - first;
}

static const struct group *links_of(const struct group *groups, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    if (groups[i].form->sent)
      return &groups[i];
  return NULL;
}

/* Draws the names of what the cells show, and the scale. */
static void draw_legend(struct top *t, const struct group *groups, uint32_t n, int line, int columns)
{
  char text[TEXT];
  const int scale = columns >= 60 ? 24 : 0;
  int at = 1;
  /* Names that do not fit completely are omitted. */
  for (uint32_t i = 0; i < n; i++) {
    const int length = snprintf(text, sizeof text, "%s%s: %s", at > 1 ? ", " : "", groups[i].unit, groups[i].name);
    const bool fits = at + length <= columns - scale - 1;
    screen_text(t->screen, line, at, fits ? length : 0, SCREEN_DIM, text);
    at += fits ? length : 0;
  }
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
  const int across = packages < 2 ? 1 : columns / 2 >= DIE_LEAST ? 2 : 1;
  /* Arrows for the links of two sockets are between them; with more sockets the connections cannot be shown. */
  const struct group *const links =
      packages == 2 && across == 2 && columns >= 2 * DIE_LEAST + LINKS_WIDTH ? links_of(groups, n) : NULL;
  const int gap = links ? LINKS_WIDTH : 0, width = (columns - gap) / across;
  int line = 1;
  for (uint32_t p = 0; n && p < packages; p += (uint32_t)across) {
    int used = 0;
    for (int k = 0; k < across && p + (uint32_t)k < packages; k++) {
      const struct die d = {
          t, groups, center_of(groups, n), n, p + (uint32_t)k, 1 + k * (width + gap), width - 2, lines - TABLE_LEAST};
      const int own = line + 4 < d.end ? draw_die(&d, line, !links) : 0;
      used = own > used ? own : used;
    }
    if (links && used)
      links_draw(t, links->form, links->cells, (const int[]){line + 1, line + used, width});
    line += used;
  }
  if (n && line + TABLE_LEAST < lines)
    draw_legend(t, groups, n, line++, columns);
  /* A small terminal has room only for the table. */
  if (line + 3 >= lines) {
    screen_clear(t->screen);
    view_draw_title(t, columns);
    line = 1;
  }
  view_draw_table(t, line, lines - 1, columns);
}

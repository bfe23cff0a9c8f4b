/* SPDX-License-Identifier: MIT */
/* Draws links between sockets: the data that flow in each direction. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/top/die.h"
#include "cli/top/view.h"

enum { SHAFT = 6, FLOW = 64 };

/* Returns the data that a package sends: from its own counts, else from what the other of two packages receives. */
static const struct top_row *sent_by(const struct top *t, const struct form *form, uint32_t package, uint32_t link)
{
  const struct top_row *row = view_find_row(t, form->sent, package, link);
  return row ? row : view_find_row(t, form->received, 1 - package, link);
}

bool links_format(struct top *t, const struct form *form, uint32_t package, char *text, size_t size)
{
  char value[FLOW];
  const bool utf8 = screen_has_utf8(t->screen);
  const char *const names[] = {form->sent, form->received};
  const char *const words[] = {utf8 ? "→" : "sent", utf8 ? "←" : "received"};
  size_t n = 0;
  *text = 0;
  for (int i = 0; i < 2; i++) {
    const struct top_row *row = names[i] ? view_find_row(t, names[i], package, PMON_ALL) : NULL;
    if (!row || n >= size)
      continue;
    view_value(row, value, sizeof value);
    n += (size_t)snprintf(text + n, size - n, " %s %s", words[i], value);
  }
  return *text;
}

/* Draws one direction of all links together. */
static void draw_flow(struct top *t, const struct top_row *row, const char *arrow, const int at[2])
{
  char text[FLOW + 8], value[FLOW];
  if (!row)
    return;
  const enum screen_style style = view_value(row, value, sizeof value);
  snprintf(text, sizeof text, "%s %s", arrow, value);
  const int blank = (LINKS_WIDTH - 2 - (int)strlen(value)) / 2;
  screen_text(t->screen, at[0], at[1] + (blank > 0 ? blank : 0), LINKS_WIDTH, style, text);
}

static void draw_shaft(struct top *t, const struct top_row *row, double most, int line, int column)
{
  screen_load(t->screen, line, column, SHAFT, view_load(row, most), NULL);
}

void links_draw(struct top *t, const struct form *form, uint32_t n, const int at[3])
{
  const bool utf8 = screen_has_utf8(t->screen);
  const double most = fmax(view_most(t, form->sent), view_most(t, form->received));
  const int column = at[2] + 1;
  int line = at[0];
  for (uint32_t i = 0; i < n && line + 2 < at[1]; i++, line++) {
    char number[12];
    snprintf(number, sizeof number, "%2u", i);
    screen_text(t->screen, line, column, 1, SCREEN_BOLD, utf8 ? "◀" : "<");
    draw_shaft(t, sent_by(t, form, 1, i), most, line, column + 1);
    screen_text(t->screen, line, column + 1 + SHAFT, 3, SCREEN_DIM, number);
    draw_shaft(t, sent_by(t, form, 0, i), most, line, column + 4 + SHAFT);
    screen_text(t->screen, line, column + 4 + 2 * SHAFT, 1, SCREEN_BOLD, utf8 ? "▶" : ">");
  }
  draw_flow(t, sent_by(t, form, 0, PMON_ALL), utf8 ? "→" : "->", (const int[]){line, column});
  draw_flow(t, sent_by(t, form, 1, PMON_ALL), utf8 ? "←" : "<-", (const int[]){line + 1, column});
}

/* SPDX-License-Identifier: MIT */
/* The whole screen: the view between the title and the line of keys. */
#include <stdlib.h>
#include <string.h>
#include "cli/top/screen.h"
#include "cli/top/view.h"

/* Draws what keys do, as many as fit: keys at the end of the list are less important and are omitted first. */
static void draw_keys(struct top *t, int line, int columns)
{
  char text[VIEW_TEXT] = "";
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

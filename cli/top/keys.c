/* SPDX-License-Identifier: MIT */
/* What keys and clicks do. */
#include <math.h>
#include <string.h>
#include "cli/top/screen.h"
#include "cli/top/top.h"

static const double FASTEST = 0.01, SLOWEST = 5, LEAST_NS = 1e8, MOST_NS = 6e10;

static void edit_filter(struct top *t, int key)
{
  const size_t n = strlen(t->filter);
  if (key == SCREEN_ESCAPE)
    *t->filter = 0;
  if (key == SCREEN_ESCAPE || key == SCREEN_ENTER)
    t->filtering = false;
  else if (key == SCREEN_ERASE && n)
    t->filter[n - 1] = 0;
  else if (key >= ' ' && key < 127 && n + 1 < sizeof t->filter) {
    t->filter[n] = (char)key;
    t->filter[n + 1] = 0;
  }
}

static void select_line(struct top *t, int64_t by)
{
  const int64_t at = (int64_t)t->selected + by, last = t->shown ? (int64_t)t->shown - 1 : 0;
  t->selected = (uint32_t)(at < 0 ? 0 : at > last ? last : at);
}

static void set_view(struct top *t, enum top_view view)
{
  t->view = t->view == view ? TOP_DIE : view;
}

/* Handles the keys that move in a recording; other sources cannot be read at another time. */
static void seek(struct top *t, int key)
{
  const int64_t all = t->intervals, page = all / 20 > 1 ? all / 20 : 1;
  switch (key) {
  case SCREEN_LEFT: t->seek -= page; break;
  case SCREEN_RIGHT: t->seek += page; break;
  case SCREEN_HOME: t->seek = -all; break;
  case SCREEN_END: t->seek = all; break;
  default: break;
  }
}

/* Changes the speed: the interval if the source runs in real time, else the delay between two intervals. */
static void change_speed(struct top *t, double factor)
{
  const double interval = (double)t->stat.times.interval_ns * factor;
  if (top_is_real(t))
    t->stat.times.interval_ns = (uint64_t)fmin(fmax(interval, LEAST_NS), MOST_NS);
  else
    t->delay = fmin(fmax(t->delay * factor, FASTEST), SLOWEST);
}

static void take_letter(struct top *t, int key)
{
  switch (key) {
  case 'q': t->quit = true; break;
  case 'h':
  case '?': set_view(t, TOP_HELP); break;
  case 'd': t->view = TOP_DIE; break;
  case 'u': set_view(t, TOP_UNITS); break;
  case 'v': set_view(t, TOP_DEVICES); break;
  case 't': t->tree = !t->tree; break;
  case 's': t->sorted = !t->sorted; break;
  case 'p':
  case ' ': t->paused = !t->paused; break;
  case '.': t->paused = t->step = true; break;
  case '+': change_speed(t, 0.5); break;
  case '-': change_speed(t, 2); break;
  case '/': t->filtering = true; break;
  default: break;
  }
}

static void take_key(struct top *t, int key)
{
  if (t->filtering) {
    edit_filter(t, key);
    return;
  }
  if (t->view == TOP_HELP && key != SCREEN_RESIZED && key != 'q') {
    t->view = TOP_DIE;
    return;
  }
  switch (key) {
  case SCREEN_UP: select_line(t, -1); break;
  case SCREEN_DOWN: select_line(t, 1); break;
  case SCREEN_PAGE_UP: select_line(t, -10); break;
  case SCREEN_PAGE_DOWN: select_line(t, 10); break;
  case SCREEN_ENTER:
  case SCREEN_F1 + 3: set_view(t, TOP_DETAIL); break;
  case SCREEN_ESCAPE: t->view = TOP_DIE; break;
  case SCREEN_F1: set_view(t, TOP_HELP); break;
  case SCREEN_F1 + 1: t->view = TOP_DIE; break;
  case SCREEN_F1 + 2: set_view(t, TOP_UNITS); break;
  case SCREEN_F1 + 4: set_view(t, TOP_DEVICES); break;
  case SCREEN_F1 + 9: t->quit = true; break;
  case SCREEN_CLICK:
    if (screen_click_line(t->screen) >= t->table_line)
      t->selected = t->table_first + (uint32_t)(screen_click_line(t->screen) - t->table_line);
    break;
  default:
    if (key < SCREEN_UP)
      take_letter(t, key);
    else
      seek(t, key);
  }
}

void top_take_keys(struct top *t, int wait_ms)
{
  bool any = false;
  for (int key; (key = screen_key(t->screen, wait_ms)) != SCREEN_NONE; wait_ms = 0) {
    take_key(t, key);
    any = true;
  }
  if (any)
    top_draw(t);
}

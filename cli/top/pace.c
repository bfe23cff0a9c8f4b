/* SPDX-License-Identifier: MIT */
/* The pace at which reports are shown, and keys handled meanwhile. */
#include <time.h>
#include "cli/top/top.h"

void top_wait(struct top *t, double seconds)
{
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (;;) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double left = seconds - top_seconds_between(&begin, &now);
    if (top_ends(t) || t->step || t->seek || (!t->paused && left <= 0))
      break;
    top_take_keys(t, t->paused || left * 1000 > TOP_PAUSE_MS ? TOP_PAUSE_MS : (int)(left * 1000) + 1);
  }
  t->step = false;
}

void top_show(struct top *t, const struct pmon_report *report, double seconds, double end_seconds)
{
  /* Intervals of a recording may be shown in any order. */
  const struct top_time time = {t->intervals ? t->position : t->history.reports, seconds, end_seconds};
  if (!history_add(&t->history, report, &time)) {
    t->failed = t->quit = true;
    return;
  }
  top_draw(t);
  if (top_is_real(t))
    top_take_keys(t, 0);
  else
    top_wait(t, t->delay);
}

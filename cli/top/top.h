/* SPDX-License-Identifier: MIT */
/*
 * `pmon top`: a measurement or a recording, live on a terminal. top.c has the options and the sources of reports,
 * history.c the values so far, screen.c the terminal, views.c the views, keys.c the keys.
 */
#ifndef CLI_TOP_TOP_H
#define CLI_TOP_TOP_H

#include <time.h>
#include "cli/common/rate.h"
#include "cli/stat/run.h"
#include "cli/stat/stop.h"

enum { TOP_PAUSE_MS = 200 }; /* between looks at the keys while nothing else happens */

enum { TOP_HISTORY = 512 }; /* values kept for each row */
enum { TOP_HELD = 32 };     /* intervals for which a value is shown while there is no newer one */

/* A value in one scope, and its past values (NAN: none), that of interval n at n % TOP_HISTORY. */
struct top_row {
  char *name, *of; /* of: the unit of the instance; NULL: none */
  char unit[RATE_UNIT];
  uint32_t package, instance, ports;
  struct pmon_value value; /* of the newest interval */
  struct pmon_value held;  /* the last valid value, */
  uint64_t held_at;        /* its interval, */
  uint32_t age;            /* and its age in intervals; TOP_HELD: too old, or of a later interval */
  double past[TOP_HISTORY];
  double most; /* the largest value so far */
};

/* An interval: its number from 0, its length, and its end. */
struct top_time {
  uint64_t position;
  double seconds, end_seconds;
};

struct top_history {
  struct top_row *rows;
  uint32_t n;
  uint64_t reports; /* so far */
  struct top_time newest;
  uint64_t past_at[TOP_HISTORY]; /* intervals of the past values, from 1; 0: none */
};

/* Adds a report; counts become rates. A recording's report may be of an interval before the newest, or of one that is
 * there already. False: no memory, or a report with other rows. */
bool history_add(struct top_history *h, const struct pmon_report *report, const struct top_time *time);
void history_clear(struct top_history *h);
/* Returns the row of a name for everything: in total, or of the only package. NULL: none. */
const struct top_row *history_total(const struct top_history *h, const char *name);
/* Returns the value to show: the newest one, or the one held from an earlier interval in which its event had counters;
 * NULL: none. */
const struct pmon_value *history_shown(const struct top_row *row);
/* Whether the history has the values of an interval. */
bool history_has(const struct top_history *h, uint64_t position);
/* Returns the value `back` intervals before the newest; NAN: none, or it was not shown. */
double history_past(const struct top_history *h, const struct top_row *row, uint32_t back);

enum top_view { TOP_DIE, TOP_UNITS, TOP_DEVICES, TOP_DETAIL, TOP_HELP };

struct top {
  struct stat_run stat;
  struct top_history history;
  struct top_screen *screen;
  const char *path;                /* a recording, or an exporter's address; NULL: a measurement */
  bool remote;                     /* an exporter is read */
  char platform[64], problem[200]; /* of the exporter; why its last answer has no values ("": it has) */
  enum top_view view;
  bool ended; /* the workload or the recording: no interval follows */
  bool paused, quit, step, sorted, tree, filtering, ascii, failed;
  char filter[64];
  uint32_t selected, shown; /* the selected line; the number of lines */
  uint32_t table_first;     /* the first visible line, */
  int table_line;           /* and its line on the screen */
  char chosen[160];         /* the name on the selected line */
  double delay;             /* least time between two updates on the screen */
  int64_t seek;             /* recordings: intervals to move forward or back */
  uint32_t position, intervals;
  struct timespec begun, drawn;
};

/* Draws the view. */
void top_draw(struct top *t);
/* Handles keys: all pending ones, or, with `wait_ms`, waits that long for one. */
void top_take_keys(struct top *t, int wait_ms);

/* Shows a new report, and waits while the display is paused or updates too fast. */
void top_show(struct top *t, const struct pmon_report *report, double seconds, double end_seconds);

/* Returns the platform's term for a package. */
const char *top_package(const struct top *t);

/* Whether time passes by itself: on this host, or an exporter's. */
bool top_is_real(const struct top *t);

/* Waits, and handles keys meanwhile, longer while the display is paused; a step, a seek or quitting ends the wait. */
void top_wait(struct top *t, double seconds);

/* Returns the processor time of pmon itself, as a part of the time that passed, and its memory in MB. */
void top_cost(const struct top *t, double *ret_part, double *ret_megabytes);

static inline double top_seconds_between(const struct timespec *a, const struct timespec *b)
{
  return (double)(b->tv_sec - a->tv_sec) + (double)(b->tv_nsec - a->tv_nsec) * 1e-9;
}

/* Whether the user has quit, or a signal has come. */
static inline bool top_ends(const struct top *t)
{
  return t->quit || stat_stop.number;
}

#endif

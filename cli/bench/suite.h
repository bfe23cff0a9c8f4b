/* SPDX-License-Identifier: MIT */
/*
 * The checks that `pmon bench-driver` runs in a guest: a check has rounds, a round has lines (docs/bench.md has the
 * format). Each round has its own window of simulated time, so that nothing of one round falls into another. A suite
 * becomes a scenario, which makes things happen, and a script for the guest, which measures them.
 */
#ifndef CLI_BENCH_SUITE_H
#define CLI_BENCH_SUITE_H

#include "cli/common/cli.h"

enum {
  BENCH_SOCKETS = 2,
  BENCH_START_NS = 2000, /* of the first window */
  BENCH_WINDOW_NS = 4000,
  BENCH_INJECT_NS = 500, /* within a window's first half */
  BENCH_LATER_NS = 2500, /* within its second half */
};

enum bench_kind {
  BENCH_INJECT, /* occurrences, as in a line of a scenario without the time */
  BENCH_LATER,  /* the same, in the window's second half */
  BENCH_HOLD,   /* an occupancy or state: `UNIT EVENT LEVEL [socket N] for TIME` */
  BENCH_RUN,    /* a shell command before the measurement */
  BENCH_WHILE,  /* a shell command that is measured; it calls `step` for each half of the window */
  BENCH_COUNT,  /* an event in perf's spelling, and its count on each socket */
  BENCH_GROUP,  /* the round's events are one group of perf */
  BENCH_MUST,   /* a shell command that must succeed after the measurement */
};

struct bench_line {
  enum bench_kind kind;
  unsigned check, round;
  char *text;
  uint64_t want[BENCH_SOCKETS];
};

struct bench_check {
  char *name, *brief;
  unsigned sockets, processors; /* least numbers in the guest: of sockets, and of processors of a socket */
};

/* How many events of a kind of unit the check `events` counts. */
struct bench_events {
  char *unit, *pmu; /* pmu: the kernel's name, "": that of the facts */
  unsigned most;
};

struct bench_suite {
  struct bench_check *check;
  struct bench_line *line;
  struct bench_events *events;
  char **except; /* patterns of UNIT/EVENT/ that `events` skips */
  unsigned n_checks, n_lines, n_events, n_excepts, rounds;
};

/* Appends the lines of a text, which `path` names in messages. CLI_DONE, or CLI_USAGE after a message. Call
 * suite_free() in any case. */
int suite_parse(struct cli *cli, const char *path, const char *text, struct bench_suite *s);
void suite_free(struct bench_suite *s);
/* Adds the rounds of the check `events`, for each kind of unit in the suite and all its units: each event has a
 * different count on each unit and socket. CLI_DONE, or an exit code after a message. */
int suite_add_events(struct cli *cli, struct bench_suite *s);
/* Appends a line with a copy of the text. False: no memory. */
bool suite_add(struct bench_suite *s, const struct bench_line *line);

/* The size of a cell's guest. */
struct bench_shape {
  unsigned sockets, processors; /* processors: of each socket */
};
/* Whether the check can run in that guest, and `only` (NULL: all) names it. */
bool suite_has(const struct bench_suite *s, unsigned check, const struct bench_shape *shape, const char *only);
/* Write the scenario, and the guest's script. */
void suite_write_scenario(const struct bench_suite *s, const char *platform, struct out *out);
void suite_write_script(const struct bench_suite *s, const struct bench_shape *shape, const char *only,
                        struct out *out);

#endif

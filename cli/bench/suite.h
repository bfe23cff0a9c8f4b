/* SPDX-License-Identifier: MIT */
/*
 * What `pmon bench-driver` runs in a guest: checks of rounds, a round of lines (docs/bench.md has the format). Each
 * round has its own window of simulated time, so that what happens in one is in no other. A suite becomes a scenario,
 * which says what happens, and a script for the guest, which measures it.
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
  BENCH_INJECT, /* occurrences, as a scenario's line has them without the time */
  BENCH_LATER,  /* the same, in the window's second half */
  BENCH_HOLD,   /* an occupancy or state: `UNIT EVENT LEVEL [socket N] for TIME` */
  BENCH_RUN,    /* a shell command before the measurement */
  BENCH_WHILE,  /* a shell command that is measured; it calls `step` for each half of the window */
  BENCH_COUNT,  /* an event as perf writes it, and its count on each socket */
  BENCH_GROUP,  /* the round's events are one group of perf's */
  BENCH_MUST,   /* a shell command that has to succeed after the measurement */
};

struct bench_line {
  enum bench_kind kind;
  unsigned check, round;
  char *text;
  uint64_t want[BENCH_SOCKETS];
};

struct bench_check {
  char *name, *brief;
  unsigned sockets, processors; /* that the guest must have at least: all, and of a socket */
};

/* How many events of a kind of unit the check `events` takes. */
struct bench_events {
  char *unit, *pmu; /* pmu: the kernel's name, "": that of the facts */
  unsigned most;
};

struct bench_suite {
  struct bench_check *check;
  struct bench_line *line;
  struct bench_events *events;
  char **except; /* patterns of UNIT/EVENT/ that `events` leaves out */
  unsigned n_checks, n_lines, n_events, n_excepts, rounds;
};

/* Appends the lines of a text, which `path` names in messages. CLI_DONE, or CLI_USAGE after a message. suite_free() in
 * any case. */
int suite_parse(struct cli *cli, const char *path, const char *text, struct bench_suite *s);
void suite_free(struct bench_suite *s);
/* Adds the rounds of the check `events`: every kind of unit that the suite names, every unit of a kind, each event with
 * another count on each unit and socket. CLI_DONE, or an exit code after a message. */
int suite_add_events(struct cli *cli, struct bench_suite *s);
/* Appends a line with a copy of the text. False: no memory. */
bool suite_add(struct bench_suite *s, const struct bench_line *line);

/* What runs in a cell. */
struct bench_shape {
  unsigned sockets, processors; /* processors: of each socket */
};
/* Whether the check can run there and `only` (NULL: all) names it. */
bool suite_has(const struct bench_suite *s, unsigned check, const struct bench_shape *shape, const char *only);
/* The scenario, and the guest's script. */
void suite_write_scenario(const struct bench_suite *s, const char *platform, struct out *out);
void suite_write_script(const struct bench_suite *s, const struct bench_shape *shape, const char *only,
                        struct out *out);

#endif

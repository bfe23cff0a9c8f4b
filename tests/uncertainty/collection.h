/* SPDX-License-Identifier: MIT */
/*
 * A collection of kinds of workloads, read from a file: the platform, lengths of time slices, settings of the machine,
 * groups of events that count at the same time, and the kinds.
 *
 *   platform NAME
 *   slices MICROSECONDS...
 *   set NAME=VALUE ...             of the machine (Xeons)
 *   count EVENT ...                a group of events that fit onto the counters together
 *   alone EVENT ...                a further group, after those, measured only if its unit is selected
 *   kind NAME                      followed by the workload's lines:
 *                                  of a scenario (docs/scenarios.md), or `trace FILE`; of Montecito, `PROGRAM CYCLES`
 *   repeat N ... end               lines that occur N times
 *   {NUMBER[K|M|k]}, {seed}        differ from run to run
 */
#ifndef TESTS_UNCERTAINTY_COLLECTION_H
#define TESTS_UNCERTAINTY_COLLECTION_H

#include <stddef.h>
#include <stdint.h>

enum { COLLECTION_GROUPS = 16, COLLECTION_EVENTS = 64, COLLECTION_KINDS = 32, COLLECTION_SLICES = 8 };

struct kind {
  char *name, *lines;
};

struct collection {
  char *text; /* the file's text, which the other members point into */
  const char *platform, *settings;
  uint64_t slice_ns[COLLECTION_SLICES];
  unsigned n_slices;
  char *event[COLLECTION_EVENTS];
  unsigned group_end[COLLECTION_GROUPS], n_groups, n_shared; /* n_shared: those that are not `alone` */
  struct kind kind[COLLECTION_KINDS];
  unsigned n_kinds;
};

/* Loads a collection. Like collection_lines(), ends the program with a message if the file is not as above. */
void collection_load(const char *path, struct collection *ret);
/* collection_keep_shared(): removes the `alone` groups; collection_keep_unit(): all events of other units. */
void collection_keep_shared(struct collection *c);
void collection_keep_unit(struct collection *c, const char *unit);
/* Returns the lines of a kind for one run, with braces and repetitions expanded; the caller frees them. */
char *collection_lines(const struct kind *kind, unsigned run);
void collection_free(struct collection *c);

static inline unsigned collection_events(const struct collection *c)
{
  return c->n_groups ? c->group_end[c->n_groups - 1] : 0;
}

#endif

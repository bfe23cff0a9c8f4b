/* SPDX-License-Identifier: MIT */
/*
 * A collection of kinds of workloads, from a file: the platform, lengths of time slices, settings of the machine,
 * events in groups that count side by side, and the kinds.
 *
 *   platform NAME
 *   slices MICROSECONDS...
 *   set NAME=VALUE ...             of the machine (Xeons)
 *   count EVENT ...                a group of events, all of which have a counter at once
 *   alone EVENT ...                another group, behind those, for where only its unit's events count
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
  char *text; /* of the file, which the others point into */
  const char *platform, *settings;
  uint64_t slice_ns[COLLECTION_SLICES];
  unsigned n_slices;
  char *event[COLLECTION_EVENTS];
  unsigned group_end[COLLECTION_GROUPS], n_groups, n_shared; /* n_shared: not `alone` */
  struct kind kind[COLLECTION_KINDS];
  unsigned n_kinds;
};

/* Ends the program, as collection_lines() does, with a text on standard error where the file is not as above. */
void collection_load(const char *path, struct collection *ret);
/* Leaves the groups that are not `alone`; or of all groups the events of that unit. */
void collection_keep_shared(struct collection *c);
void collection_keep_unit(struct collection *c, const char *unit);
/* The lines of a kind for one run, without braces and repetitions; the caller's. */
char *collection_lines(const struct kind *kind, unsigned run);
void collection_free(struct collection *c);

static inline unsigned collection_events(const struct collection *c)
{
  return c->n_groups ? c->group_end[c->n_groups - 1] : 0;
}

#endif

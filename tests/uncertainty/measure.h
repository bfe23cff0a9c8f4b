/* SPDX-License-Identifier: MIT */
/*
 * Measures a collection's workloads on the emulated machine in two ways: all events multiplexed; and one group at a
 * time without multiplexing, which gives the true counts, as the machine is deterministic.
 */
#ifndef TESTS_UNCERTAINTY_MEASURE_H
#define TESTS_UNCERTAINTY_MEASURE_H

#include <pmon/value.h>
#include "tests/uncertainty/collection.h"

/* The counts of one event in successive time steps, over the whole workload. */
struct timeline {
  double *count;
  uint32_t n;
};

struct truth {
  double total[COLLECTION_EVENTS];
  struct timeline line[COLLECTION_EVENTS]; /* steps of step_ns; the last one is shorter */
  uint64_t step_ns, ns;
};

/* `lines`: collection_lines(). */
void measure_truth(const struct collection *c, const char *lines, uint64_t step_ns, struct truth *ret);
void truth_fini(struct truth *t);

struct multiplexed {
  uint64_t slice_ns, seed;
  bool no_witness; /* pmon adds no witness */
};
/* Returns the number of rounds. */
uint32_t measure_multiplexed(const struct collection *c, const char *lines, const struct multiplexed *how,
                             struct pmon_value ret[COLLECTION_EVENTS]);

/* The estimate of plain scaling, computed from the timelines: rounds in a fixed order, slices of equal length, the
 * count divided by the share of the time, and an interval from the deviations of slices from the mean rate. False: the
 * event's round had no slice. */
struct plain {
  double number, half;
};
bool measure_plain(const struct truth *t, uint32_t event, uint64_t slice_ns, const uint32_t round_of[2],
                   struct plain *ret);

#endif

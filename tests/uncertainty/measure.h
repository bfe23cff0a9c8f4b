/* SPDX-License-Identifier: MIT */
/*
 * Workloads of a collection on the emulated machine, measured in two ways: all events multiplexed, and a group at a
 * time, all the time, which is the truth: the machine does the same each time.
 */
#ifndef TESTS_UNCERTAINTY_MEASURE_H
#define TESTS_UNCERTAINTY_MEASURE_H

#include <pmon/value.h>
#include "tests/uncertainty/collection.h"

/* What one event counted in each step of time, from the beginning of the workload to its end. */
struct timeline {
  double *count;
  uint32_t n;
};

struct truth {
  double total[COLLECTION_EVENTS];
  struct timeline line[COLLECTION_EVENTS]; /* of step_ns, the last step shorter */
  uint64_t step_ns, ns;
};

/* `lines`: collection_lines(). */
void measure_truth(const struct collection *c, const char *lines, uint64_t step_ns, struct truth *ret);
void truth_fini(struct truth *t);

struct multiplexed {
  uint64_t slice_ns, seed;
  bool no_witness; /* pmon adds none of its own */
};
/* Returns the number of rounds. */
uint32_t measure_multiplexed(const struct collection *c, const char *lines, const struct multiplexed *how,
                             struct pmon_value ret[COLLECTION_EVENTS]);

/* What plain scaling makes of the same: rounds in a fixed order, slices of equal length, the count by the part of the
 * time, and an interval from the deviations of slices from the mean rate. false: the round's turn did not come. */
struct plain {
  double number, half;
};
bool measure_plain(const struct truth *t, uint32_t event, uint64_t slice_ns, const uint32_t round_of[2],
                   struct plain *ret);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Records everything that the traffic of a whole machine reports to its blocks, before any counter receives it. The
 * linker's --wrap replaces the reporting functions of machine/pmon/block.h; their arguments are summed by unit, event
 * code and attributes.
 */
#ifndef TESTS_COVERAGE_RECORDER_H
#define TESTS_COVERAGE_RECORDER_H

#include <stddef.h>
#include <stdint.h>
#include "tests/coverage/whole.h"

/* amount: number of pulses; for spans and levels, the level integrated over time, in femtoseconds. */
struct record {
  const char *unit;
  uint16_t code;
  uint64_t attr;
  double amount;
};
struct recorder;

struct recorder *recorder_new(void);
void recorder_free(struct recorder *r);

/* Runs a scenario file to its end on a machine of its own; fails the test if that is not possible. */
void recorder_run(struct recorder *r, const char *path, whole_resolve_fn resolve);

/* As recorder_run(), in steps of `step` femtoseconds; returns the time of the end. */
uint64_t recorder_run_in_steps(struct recorder *r, const char *path, whole_resolve_fn resolve, uint64_t step);

/* Returns the records so far, unordered. */
const struct record *recorder_records(const struct recorder *r, size_t *ret_n);

#endif

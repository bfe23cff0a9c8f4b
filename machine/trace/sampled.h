/* SPDX-License-Identifier: MIT */
/*
 * The machine's side of a run of which only intervals are simulated in detail (enum ring_phase). Between them caches
 * and memory do what they do for the lines that the plugin lets through; what is not known is how long the instructions
 * take. They take as long as those of the last interval.
 */
#ifndef MACHINE_TRACE_SAMPLED_H
#define MACHINE_TRACE_SAMPLED_H

#include <stdbool.h>
#include <stdint.h>

struct core_front;

struct sampled_run {
  const struct core_front *front; /* the sampled thread's core; NULL: no phase has begun */
  unsigned phase;
  uint64_t instructions, time; /* of the core when the phase began */
  uint64_t detailed;           /* instructions that were simulated in detail, in all phases that have ended */
  uint64_t pace;               /* fs that an instruction between intervals takes, besides misses */
  int64_t stalls;              /* fs an instruction by which misses made the last stretch between intervals longer */
  uint64_t intervals;          /* that have ended */
  double last, sum,
      differences; /* fs an instruction of the last interval; of all; squares of consecutive differences */
};

/* A record of sampling (record_is_sampling()) of the thread whose records so far were fed to that core: a phase begins,
 * or the instructions that are skipped have passed. */
void sampled_take(struct sampled_run *m, struct core_front *front, uint64_t record);

/* Instructions of the sampled thread so far; 0: all were simulated in detail. */
uint64_t sampled_instructions(const struct sampled_run *m);

/* The relative variance of the simulated time, from how the intervals' paces differ from their neighbours'; below two
 * intervals INFINITY. */
double sampled_time_variance(const struct sampled_run *m);

#endif

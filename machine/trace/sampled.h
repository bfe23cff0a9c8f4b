/* SPDX-License-Identifier: MIT */
/*
 * The machine's side of a run of which only intervals are simulated in detail (enum ring_phase). Between them caches
 * and memory do what they do for the lines that the plugin lets through; what is not known is how long the instructions
 * take. They take as long as those of the thread's last interval.
 */
#ifndef MACHINE_TRACE_SAMPLED_H
#define MACHINE_TRACE_SAMPLED_H

#include <stdbool.h>
#include <stdint.h>

struct core_front;

/* Of one thread or of all; fs and instructions. The weight of a thread is the time that its skipped instructions took.
 */
struct sampled_sums {
  double weight, error; /* where differences show an error: the sum of weights; of weights by relative errors */
  double unknown;       /* where a thread has none, the same: that of a single interval, by weight */
  double squares;       /* of relative differences of consecutive intervals, halved */
};

/* A thread; all zeros before its first record. Its own time: without what others do on its core, and without waits. */
struct sampled_thread {
  unsigned phase;
  uint64_t instructions, time; /* of the phase so far */
  uint64_t skipped;            /* instructions that were not recorded, in all phases */
  uint64_t pace;               /* fs that an instruction between intervals takes, besides misses */
  int64_t stalls;              /* fs an instruction by which misses made the last stretch between intervals longer */
  uint64_t intervals;          /* that have ended */
  double last, sum,
      differences;           /* fs an instruction of the last interval; of all; squares of consecutive differences */
  struct sampled_sums given; /* what the run has of this thread */
};

struct sampled_run {
  uint64_t instructions, detailed; /* of all threads; of them those that were simulated in detail */
  uint64_t intervals, freedom;     /* of all threads; differences of two */
  struct sampled_sums sums;
};

/* The thread executed recorded instructions, which took it so long. */
void sampled_add(struct sampled_run *m, struct sampled_thread *th, uint64_t instructions, uint64_t time);
/* A record of sampling (record_is_sampling()) of the thread, on its core: a phase begins, or the instructions that are
 * skipped have passed. */
void sampled_take(struct sampled_run *m, struct sampled_thread *th, struct core_front *front, uint64_t record);
/* The thread ends, or the run does for now: what it skipped since its last phase began counts, too. */
void sampled_end(struct sampled_run *m, struct sampled_thread *th);

/* The relative standard error of the simulated time, from how the intervals' paces of each thread differ from their
 * neighbours'. Errors of threads that run at once do not cancel, so that this is the mean of theirs. Without two
 * neighbouring intervals INFINITY. */
double sampled_time_error(const struct sampled_run *m);

#endif

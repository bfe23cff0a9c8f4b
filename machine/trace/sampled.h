/* SPDX-License-Identifier: MIT */
/*
 * The machine's side of a run in which only intervals are simulated in detail (enum ring_phase). Between intervals,
 * caches and memory simulate the accesses that the plugin's filter passes; the time of the instructions is estimated by
 * the thread's last interval.
 */
#ifndef MACHINE_TRACE_SAMPLED_H
#define MACHINE_TRACE_SAMPLED_H

#include <stdbool.h>
#include <stdint.h>

struct core_front;

/* Sums of one thread, or of all threads. Times are in fs. A thread's weight is the estimated time of its skipped
 * instructions. */
struct sampled_sums {
  double weight, error; /* threads with two or more intervals: sum of weights; sum of weights times relative errors */
  double unknown; /* threads with fewer intervals: sum of weights, whose relative error is that of a single interval */
  double squares; /* sum of halved squares of the relative differences of consecutive intervals */
};

/* A thread; all zeros before its first record. Its time excludes waits and the time that other threads use its core. */
struct sampled_thread {
  unsigned phase;
  uint64_t instructions, time;   /* of the phase so far */
  uint64_t paced, paced_time;    /* of the phase so far: instructions that were not recorded, and their time */
  uint64_t skipped;              /* instructions that were not recorded, in all phases */
  uint64_t pace;                 /* between intervals: fs per instruction, without misses */
  int64_t stalls;                /* fs per instruction that misses added in the last stretch between intervals, or
                                  * so far in this one */
  bool stretched;                /* the first stretch between intervals has ended */
  bool looks;                    /* the stretch uses its own stalls: none precedes it, or misses took nearly all time */
  uint64_t intervals;            /* number of completed intervals */
  double last, sum, differences; /* fs per instruction: the last interval's; sum; sum of squared differences */
  struct sampled_sums counted;   /* this thread's part of the run's sums */
};

struct sampled_run {
  uint64_t instructions, detailed; /* of all threads: executed; simulated in detail */
  uint64_t intervals, freedom;     /* of all threads: completed intervals; differences of two consecutive ones */
  struct sampled_sums sums;
};

/* Adds recorded instructions of the thread, and the time that they took, in fs. */
void sampled_add(struct sampled_run *m, struct sampled_thread *th, uint64_t instructions, uint64_t time);
/* Handles a sampling record (record_is_sampling()) of the thread on its core: starts a phase, or advances the core by
 * the skipped instructions. */
void sampled_take(struct sampled_run *m, struct sampled_thread *th, struct core_front *front, uint64_t record);
/* At the thread's end, or the run's for now: updates the run's sums with the instructions skipped since the thread's
 * last phase began. */
void sampled_end(struct sampled_run *m, struct sampled_thread *th);

/* Returns the relative standard error of the simulated time, estimated from the differences between neighbouring
 * intervals of each thread. The errors of threads that run in parallel do not cancel, so the result is their weighted
 * mean. INFINITY: no thread has two neighbouring intervals. */
double sampled_time_error(const struct sampled_run *m);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The result of a measurement: a number with its uncertainty, or the reason why there is no number.
 */
#ifndef PMON_VALUE_H
#define PMON_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <pmon/api.h>

PMON_BEGIN_DECLS

/* Conditions of a count, or of a count that a metric uses. */
enum pmon_value_flag {
  PMON_VALUE_WRAPPED = 1,        /* the counter wrapped once; the count includes it */
  PMON_VALUE_SCALED = 2,         /* the counter ran part of the time; the count is scaled to all of it: by time, or
                                    by a co-measured event (PMON_VALUE_WITNESS) */
  PMON_VALUE_LOST = 4,           /* the counter may have wrapped more than once: the count is a lower bound */
  PMON_VALUE_UNAVAILABLE = 8,    /* the counter could not be read, or reads as all ones */
  PMON_VALUE_STOLEN = 16,        /* other software changed its control register or filter during the measurement */
  PMON_VALUE_BACKWARDS = 32,     /* the counter decreased by more than a wrap explains */
  PMON_VALUE_STUCK = 128,        /* the clock of its unit did not advance although time passed */
  PMON_VALUE_UNCERTAIN = 64,     /* its uncertainty is unknown, for instance scaled from a single time slice */
  PMON_VALUE_VANISHED = 256,     /* its device disappeared during the measurement */
  PMON_VALUE_UNKNOWN = 512,      /* other counters saw activity that it may have missed: there is no number */
  PMON_VALUE_IMPLAUSIBLE = 1024, /* the number, or a part of the sum, exceeds the hardware's maximum */
  PMON_VALUE_SILENT = 2048,      /* an instance, or one of those in the sum, counted nothing while nearly all
                                    neighbouring instances, among which requests are distributed evenly, counted */
  PMON_VALUE_SAMPLED = 4096,     /* only intervals of the run were simulated in detail: the number is an estimate */
  PMON_VALUE_WITNESS = 8192,     /* the count is scaled by the part of a co-measured event's count in the same time
                                    slices, instead of by the part of the time (pmon_session_scaling()) */
  PMON_VALUE_PARTIAL = 16384     /* instances whose MSRs could not be read from the start are not in the sum, although
                                    one with the same or a higher number could; no discovery page lists them */
};

/* All flags of this version. */
#define PMON_VALUE_FLAGS                                                                                               \
  (PMON_VALUE_WRAPPED | PMON_VALUE_SCALED | PMON_VALUE_LOST | PMON_VALUE_UNCERTAIN | PMON_VALUE_INVALID |              \
   PMON_VALUE_UNKNOWN | PMON_VALUE_IMPLAUSIBLE | PMON_VALUE_SILENT | PMON_VALUE_SAMPLED | PMON_VALUE_WITNESS |         \
   PMON_VALUE_PARTIAL)

/* Flags that make a count invalid. */
#define PMON_VALUE_INVALID                                                                                             \
  (PMON_VALUE_UNAVAILABLE | PMON_VALUE_STOLEN | PMON_VALUE_BACKWARDS | PMON_VALUE_STUCK | PMON_VALUE_VANISHED)

/*
 * A number. If `valid` is false, `number` is undefined and `reason` holds the cause. sigma is one standard error of the
 * estimate, 0 for an unscaled count. low and high are the ends of its 95 % confidence interval, which includes
 * Student's factor and what is known about bursts; it is therefore not symmetrical in general. high is INFINITY where
 * nothing limits the number; both equal `number` for an unscaled count. The counted events are number * fraction, or
 * with PMON_VALUE_WITNESS number * share (pmon_session_scaling()). A metric has the flag if an operand has it.
 */
struct pmon_value {
  double number, sigma;
  double low, high;
  double fraction; /* fraction of the measured time: 1 unless scaled */
  uint32_t flags;  /* enum pmon_value_flag */
  bool valid;
  char reason[163];
};

PMON_END_DECLS

#endif

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
  PMON_VALUE_WRAPPED = 1,     /* the counter wrapped once; the count includes it */
  PMON_VALUE_SCALED = 2,      /* the counter ran part of the time; the count is scaled to all of it */
  PMON_VALUE_LOST = 4,        /* the counter may have wrapped more than once: the count is a lower bound */
  PMON_VALUE_UNAVAILABLE = 8, /* the counter could not be read, or reads as all ones */
  PMON_VALUE_STOLEN = 16,     /* other software changed its control register while it counted */
  PMON_VALUE_BACKWARDS = 32,  /* the counter decreased by more than a wrap explains */
  PMON_VALUE_STUCK = 128,     /* the clock of its unit did not advance although time passed */
  PMON_VALUE_UNCERTAIN = 64,  /* scaled from a single time slice: its variance is unknown */
  PMON_VALUE_VANISHED = 256   /* its device disappeared during the measurement */
};

/* Flags that make a count invalid. */
#define PMON_VALUE_INVALID                                                                                             \
  (PMON_VALUE_UNAVAILABLE | PMON_VALUE_STOLEN | PMON_VALUE_BACKWARDS | PMON_VALUE_STUCK | PMON_VALUE_VANISHED)

/*
 * A number. If `valid` is false, `number` is undefined and `reason` holds the cause. sigma is the standard deviation of
 * the estimate, 0 for an unscaled count; number +- 1.96 sigma is the 95 % confidence interval.
 */
struct pmon_value {
  double number, sigma;
  double fraction; /* fraction of the measured time: 1 unless scaled */
  uint32_t flags;  /* enum pmon_value_flag */
  bool valid;
  char reason[163];
};

PMON_END_DECLS

#endif

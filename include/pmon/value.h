/* SPDX-License-Identifier: MIT */
/*
 * What a measurement yields: a number that says how sure it is, or the reason why there is none.
 */
#ifndef PMON_VALUE_H
#define PMON_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <pmon/api.h>

PMON_BEGIN_DECLS

/* What happened to a count, or to one that a metric used. */
enum pmon_value_flag {
  PMON_VALUE_WRAPPED = 1,     /* the counter passed its end once; that is accounted for */
  PMON_VALUE_SCALED = 2,      /* it ran part of the time; the count is scaled to all of it */
  PMON_VALUE_LOST = 4,        /* it may have passed its end more than once: the count is a lower bound */
  PMON_VALUE_UNAVAILABLE = 8, /* the counter could not be read, or reads as all ones */
  PMON_VALUE_STOLEN = 16,     /* somebody else changed its control register while it ran */
  PMON_VALUE_BACKWARDS = 32,  /* it went backwards by more than a wrap explains */
  PMON_VALUE_STUCK = 128,     /* the clock of its unit did not move although time passed */
  PMON_VALUE_UNCERTAIN = 64,  /* scaled from a single slice of time: nothing tells how much it varies */
  PMON_VALUE_VANISHED = 256   /* its device went away while it was measured */
};

/* Flags with which a count is no number any more. */
#define PMON_VALUE_INVALID                                                                                             \
  (PMON_VALUE_UNAVAILABLE | PMON_VALUE_STOLEN | PMON_VALUE_BACKWARDS | PMON_VALUE_STUCK | PMON_VALUE_VANISHED)

/*
 * A number. When `valid` is false, number means nothing and reason says why. sigma is the standard deviation of the
 * estimate, 0 for what was counted and not estimated; number +- 1.96 sigma is the interval of 95 % confidence.
 */
struct pmon_value {
  double number, sigma;
  double fraction; /* of the time that was measured: 1 unless scaled */
  uint32_t flags;  /* enum pmon_value_flag */
  bool valid;
  char reason[163];
};

PMON_END_DECLS

#endif

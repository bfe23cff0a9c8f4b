/* SPDX-License-Identifier: MIT */
/*
 * Floating-point arithmetic in the register format: 64 bits of significand, 17 of exponent (manual, volume 1, chapter
 * 5). Results are computed exactly, then rounded once.
 */
#ifndef MACHINE_MONTECITO_EXEC_FP_H
#define MACHINE_MONTECITO_EXEC_FP_H

#include "machine/montecito/exec/cpu.h"

/* Exceptions, as bits of the flags and of the trap masks in ar.fpsr. */
enum { FP_INVALID = 1, FP_DENORMAL = 2, FP_ZERO_DIVIDE = 4, FP_OVERFLOW = 8, FP_UNDERFLOW = 16, FP_INEXACT = 32 };
enum fp_rounding { TO_NEAREST, TO_DOWN, TO_UP, TO_ZERO };

/* How a result is rounded: from a status field and the instruction's completer. */
struct fp_control {
  unsigned precision;      /* bits of the significand: 24, 53 or 64 */
  int32_t lowest, highest; /* exponents of normal numbers, without bias */
  unsigned rounding;       /* enum fp_rounding */
  bool flush, tiny;        /* flush: tiny results become zero; tiny: set when there was one */
  unsigned flags;          /* exceptions that occurred */
};

/* Returns the control for status field `sf` of ar.fpsr. completer 0: the field's precision; 1: single; 2: double. */
struct fp_control fp_control_of(uint64_t fpsr, unsigned sf, unsigned completer);
/* Returns the instruction's status field, bits 35:34. */
static inline unsigned fp_status_field(const struct montecito_slot *s)
{
  return (unsigned)(s->encoding >> 34 & 3);
}
/* Adds the flags to the status field. Returns true if one of them is a trap that is not masked; a fault is then set. */
bool fp_control_end(struct exec_cpu *c, unsigned sf, const struct fp_control *k);

/* Returns a * b + c; the caller negates operands. NaNs and infinities follow IEEE 754; a NaTVal gives a NaTVal. */
struct exec_float fp_multiply_add(struct exec_float a, struct exec_float b, struct exec_float c, struct fp_control *k);
/* Returns a * b without an addition (f2 = f0): the sign of a zero result is the product's. */
struct exec_float fp_multiply(struct exec_float a, struct exec_float b, struct fp_control *k);
/* Returns a / b; neither is zero. */
struct exec_float fp_divide(struct exec_float a, struct exec_float b, struct fp_control *k);

bool fp_is_nan(struct exec_float x);
bool fp_is_unsupported(struct exec_float x); /* an infinity or NaN whose significand does not begin with 1: invalid */
bool fp_is_signalling(struct exec_float x);
bool fp_is_infinite(struct exec_float x);
bool fp_is_zero(struct exec_float x);
bool fp_is_unnormal(struct exec_float x); /* a significand that does not begin with 1, but not zero */
/* Returns -1, 0, 1; 2: unordered. A signalling NaN sets FP_INVALID; with `quiet` false any NaN does. */
int fp_compare(struct exec_float a, struct exec_float b, bool quiet, struct fp_control *k);
/* Converts to a 64-bit integer; returns INT64_MIN and sets FP_INVALID where the value does not fit. */
uint64_t fp_to_integer(struct exec_float x, bool is_unsigned, struct fp_control *k);
/* Converts the signed integer in a significand to a number. */
struct exec_float fp_of_integer(uint64_t significand);
struct exec_float fp_quiet(struct exec_float x);
struct exec_float fp_default_nan(void);

/* Conversions between the bits of the 4-byte and 8-byte memory formats and the register's value. */
struct exec_float fp_of_single(uint32_t bits);
struct exec_float fp_of_double(uint64_t bits);
uint32_t fp_to_single(struct exec_float x);
uint64_t fp_to_double(struct exec_float x);
/* The 10-byte format: significand, then sign and exponent. */
struct exec_float fp_of_extended(uint64_t significand, uint16_t rest);
uint16_t fp_to_extended(struct exec_float x);

#endif

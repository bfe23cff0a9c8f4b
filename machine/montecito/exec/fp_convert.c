/* SPDX-License-Identifier: MIT */
/* Conversions between the register format, memory formats and integers. */
#include "machine/montecito/exec/fp.h"

#define TOP (UINT64_C(1) << 63)

/* A memory format: exponent bits, fraction bits. */
struct format {
  unsigned exponent_bits, fraction_bits;
};
static const struct format formats[] = {{8, 23}, {11, 52}};

static struct exec_float of_format(uint64_t bits, const struct format *f)
{
  const uint32_t most = (1u << f->exponent_bits) - 1, bias = most >> 1;
  const uint32_t exponent = (uint32_t)(bits >> f->fraction_bits) & most;
  const uint64_t fraction = (bits & ((UINT64_C(1) << f->fraction_bits) - 1)) << (63 - f->fraction_bits);
  struct exec_float x = {.sign = bits >> (f->fraction_bits + f->exponent_bits) & 1};
  if (exponent == most) {
    x.exponent = EXPONENT_SPECIAL;
    x.significand = TOP | fraction;
  } else if (exponent) {
    x.exponent = exponent - bias + EXPONENT_BIAS;
    x.significand = TOP | fraction;
  } else if (fraction) {
    x.exponent = 1 - bias + EXPONENT_BIAS;
    x.significand = fraction;
  }
  return x;
}

/* Takes the register's bits as they are: values that the format does not have lose bits. */
static uint64_t to_format(struct exec_float x, const struct format *f)
{
  const uint32_t most = (1u << f->exponent_bits) - 1, low = most >> 1;
  uint64_t exponent = (x.exponent >> 16 & 1) << (f->exponent_bits - 1) | (x.exponent & low);
  if (x.exponent == EXPONENT_SPECIAL)
    exponent = most;
  else if (!(x.significand >> 63))
    exponent = 0;
  return (uint64_t)x.sign << (f->exponent_bits + f->fraction_bits) | exponent << f->fraction_bits |
         x.significand << 1 >> (64 - f->fraction_bits);
}

struct exec_float fp_of_single(uint32_t bits)
{
  return of_format(bits, &formats[0]);
}

struct exec_float fp_of_double(uint64_t bits)
{
  return of_format(bits, &formats[1]);
}

uint32_t fp_to_single(struct exec_float x)
{
  return (uint32_t)to_format(x, &formats[0]);
}

uint64_t fp_to_double(struct exec_float x)
{
  return to_format(x, &formats[1]);
}

struct exec_float fp_of_extended(uint64_t significand, uint16_t rest)
{
  enum { MOST = 0x7fff, BIAS = 16383 };
  const uint32_t exponent = rest & MOST;
  struct exec_float x = {.significand = significand, .sign = rest >> 15};
  if (exponent == MOST)
    x.exponent = EXPONENT_SPECIAL;
  else if (exponent)
    x.exponent = exponent - BIAS + EXPONENT_BIAS;
  else if (significand)
    x.exponent = 1 - BIAS + EXPONENT_BIAS;
  return x;
}

uint16_t fp_to_extended(struct exec_float x)
{
  enum { MOST = 0x7fff };
  unsigned exponent = (x.exponent >> 16 & 1) << 14 | (x.exponent & 0x3fff);
  if (x.exponent == EXPONENT_SPECIAL)
    exponent = MOST;
  else if (!(x.significand >> 63) && exponent == 1)
    exponent = 0; /* a denormal */
  return (uint16_t)((unsigned)x.sign << 15 | exponent);
}

struct exec_float fp_of_integer(uint64_t significand)
{
  struct exec_float x = {.sign = significand >> 63};
  if (!significand)
    return x;
  x.significand = x.sign ? -significand : significand;
  const unsigned zeros = (unsigned)__builtin_clzll(x.significand);
  x.significand <<= zeros;
  x.exponent = EXPONENT_INTEGER - zeros;
  return x;
}

static uint64_t integer_invalid(struct fp_control *k)
{
  k->flags |= FP_INVALID;
  return TOP;
}

/* Returns the rounded magnitude. *ret_fits is false beyond 64 bits. */
static uint64_t integer_magnitude(struct exec_float x, struct fp_control *k, bool *ret_fits)
{
  const int64_t shift = (int64_t)EXPONENT_INTEGER - (int64_t)x.exponent;
  uint64_t kept = x.significand, lost = 0;
  *ret_fits = true;
  if (shift < 0) { /* an unnormal can have a higher exponent */
    *ret_fits = !x.significand || (-shift < 64 && x.significand << -shift >> -shift == x.significand);
    return *ret_fits && x.significand ? x.significand << -shift : 0;
  }
  if (shift > 0) {
    lost = shift < 64 ? x.significand << (64 - shift) : shift == 64 ? x.significand : x.significand != 0;
    kept = shift < 64 ? x.significand >> shift : 0;
  }
  if (!lost)
    return kept;
  k->flags |= FP_INEXACT;
  const bool half = shift <= 64 && lost >> 63, rest = shift <= 64 ? lost << 1 != 0 : lost != 0;
  const bool up = k->rounding == TO_NEAREST ? half && (rest || kept & 1)
                                            : (k->rounding == TO_UP && !x.sign) || (k->rounding == TO_DOWN && x.sign);
  kept += up;
  *ret_fits = kept || !up;
  return kept;
}

uint64_t fp_to_integer(struct exec_float x, bool is_unsigned, struct fp_control *k)
{
  bool fits;
  if (x.exponent == EXPONENT_SPECIAL)
    return integer_invalid(k);
  const unsigned before = k->flags;
  const uint64_t magnitude = integer_magnitude(x, k, &fits);
  fits = fits && (is_unsigned ? !x.sign || !magnitude : magnitude <= (x.sign ? TOP : TOP - 1));
  if (!fits) {
    k->flags = before;
    return integer_invalid(k);
  }
  return x.sign ? -magnitude : magnitude;
}

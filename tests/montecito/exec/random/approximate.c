/* SPDX-License-Identifier: MIT */
/* frcpa, frsqrta, fprcpa and fprsqrta (formats F6, F7), with the host's arithmetic: an approximation is the function's
 * value at the middle of the interval that the leading bits select, with ten bits of fraction. */
#include <math.h>
#include <string.h>
#include "tests/montecito/exec/random/state.h"

enum { SPECIAL = 0x1ffff, DENORMAL = 0xc001, PLACES = 10, UNITS = 1 << PLACES };
#define HIGHEST (UINT64_C(1) << 63)

static const struct float_value natval = {0, FLOAT_NATVAL, false}, no_number = {UINT64_C(3) << 62, SPECIAL, true};

static bool is_natval(struct float_value x)
{
  return x.exponent == FLOAT_NATVAL && !x.significand && !x.sign;
}
static bool is_unsupported(struct float_value x)
{
  return x.exponent == SPECIAL && x.significand < HIGHEST;
}
static bool is_nan(struct float_value x)
{
  return x.exponent == SPECIAL && x.significand > HIGHEST;
}
static bool is_infinite(struct float_value x)
{
  return x.exponent == SPECIAL && x.significand == HIGHEST;
}
static bool is_zero(struct float_value x)
{
  return x.exponent != SPECIAL && !x.significand;
}
static struct float_value quiet_nan(struct float_value x)
{
  x.significand |= UINT64_C(1) << 62;
  return x;
}

/* Returns the exponent of a nonzero number; its significand, 1 to 2, begins at the top of *ret_bits. */
static int exponent(struct float_value x, uint64_t *ret_bits)
{
  int e = (x.exponent ? (int)x.exponent : DENORMAL) - FLOAT_BIAS;
  for (; x.significand < HIGHEST; x.significand *= 2)
    e--;
  *ret_bits = x.significand;
  return e;
}

/* Returns `units` / 1024, from 1 to 2, times 2^e. */
static struct float_value scaled(long units, int e)
{
  return (struct float_value){(uint64_t)units << (63 - PLACES), (uint32_t)(e + FLOAT_BIAS), false};
}

static long reciprocal_units(uint64_t bits)
{
  return lround(UNITS * 2 / (1 + ((double)(bits << 1 >> 56) + 0.5) / 256));
}
/* `odd`: the exponent is odd. */
static long root_units(uint64_t bits, bool odd)
{
  return lround(UNITS * 2 / sqrt((odd ? 2 : 1) * (1 + ((double)(bits << 1 >> 57) + 0.5) / 128)));
}

/* ---- quotients that are final ---- */

/* x / y in 64 bits, rounded to nearest, with the range of ar.fpsr at the start: 15 bits of exponent. */
static struct float_value quotient(struct float_value x, struct float_value y)
{
  uint64_t a, b, q = 0, rest;
  int e = exponent(x, &a);
  e -= exponent(y, &b);
  if (a < b)
    e--;
  rest = a < b ? a : a - b;
  q = a >= b;
  unsigned bits = a >= b ? 64 : 65; /* with one bit to round by */
  const bool sign = x.sign != y.sign;
  if (e > 16383)
    return (struct float_value){HIGHEST, SPECIAL, sign};
  if (e < -16382)
    bits = e < -16382 - 66 ? 0 : bits - (unsigned)(-16382 - e); /* a denormal number */
  if (!bits || bits > 65)
    return (struct float_value){0, 0, sign};
  for (unsigned i = 0; i < bits; i++) {
    const bool carry = rest >> 63;
    rest *= 2;
    const bool one = carry || rest >= b;
    if (i + 1 == bits) { /* the bit below the last one */
      rest = one ? rest - b : rest;
      q += one && (rest || q & 1);
    } else {
      rest = one ? rest - b : rest;
      q = q << 1 | one;
    }
  }
  if (e >= -16382 && !(q & HIGHEST)) { /* rounding has made it 2 */
    q = HIGHEST;
    e++;
  }
  return (struct float_value){q, q ? (uint32_t)((e < -16382 ? -16382 : e) + FLOAT_BIAS) : 0, sign};
}

/* ---- one number ---- */

static void approximation(struct sim *s, const struct insn *v, struct float_value x, bool iterate)
{
  sim_fr_set(s, v->r1, x);
  sim_pr_set(s, v->p2, iterate);
}

static void do_frcpa(struct sim *s, const struct insn *v)
{
  const struct float_value a = sim_fr(s, v->r2), b = sim_fr(s, v->r3);
  const bool sign = a.sign != b.sign;
  uint64_t bits;
  if (is_natval(a) || is_natval(b)) {
    approximation(s, v, natval, false);
  } else if (is_unsupported(a) || is_unsupported(b)) {
    approximation(s, v, no_number, false);
  } else if (is_nan(a) || is_nan(b)) {
    approximation(s, v, quiet_nan(is_nan(a) ? a : b), false);
  } else if ((is_zero(a) && is_zero(b)) || (is_infinite(a) && is_infinite(b))) {
    approximation(s, v, no_number, false);
  } else if (is_infinite(a) || is_zero(b)) {
    approximation(s, v, (struct float_value){HIGHEST, SPECIAL, sign}, false);
  } else if (is_infinite(b) || is_zero(a)) {
    approximation(s, v, (struct float_value){0, 0, sign}, false);
  } else {
    const int e = -exponent(b, &bits) - 1;
    struct float_value x = scaled(reciprocal_units(bits), e);
    x.sign = b.sign;
    const bool fits = e + FLOAT_BIAS > 0 && e + FLOAT_BIAS < SPECIAL;
    approximation(s, v, fits ? x : quotient(a, b), fits);
  }
}

static void do_frsqrta(struct sim *s, const struct insn *v)
{
  const struct float_value b = sim_fr(s, v->r3);
  uint64_t bits;
  if (is_natval(b)) {
    approximation(s, v, natval, false);
  } else if (is_nan(b)) {
    approximation(s, v, quiet_nan(b), false);
  } else if (is_unsupported(b) || (b.sign && !is_zero(b))) {
    approximation(s, v, no_number, false);
  } else if (is_zero(b) || is_infinite(b)) {
    approximation(s, v, b, false);
  } else {
    const int e = exponent(b, &bits), half = (int)floor(e / 2.0);
    approximation(s, v, scaled(root_units(bits, e & 1), -half - 1), true);
  }
}

/* ---- pairs of singles ---- */

static float single_of(uint32_t bits)
{
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static uint32_t bits_of(float x)
{
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
enum { SINGLE_QUIET = 0x400000 };
#define SINGLE_INFINITY 0x7f800000u
#define SINGLE_NO_NUMBER 0xffc00000u

/* Returns the exponent, and the significand as in exponent(). */
static int single_exponent(uint32_t x, uint64_t *ret_bits)
{
  int e;
  *ret_bits = (uint64_t)ldexp(frexp((double)fabsf(single_of(x)), &e), 64);
  return e - 1;
}

/* Returns a magnitude as a single: infinity above the range; below the normal numbers, the last bits are lost. */
static uint32_t single_bits(double x)
{
  if (x >= ldexp(1, 128))
    return SINGLE_INFINITY;
  return x < ldexp(1, -126) ? (uint32_t)ldexp(x, 149) : bits_of((float)x);
}

static uint32_t reciprocal(uint32_t a, uint32_t b, bool *iterate)
{
  const float x = single_of(a), y = single_of(b);
  const uint32_t sign = (a ^ b) & 1u << 31;
  uint64_t bits;
  const bool number = isfinite(x) && isfinite(y) && x != 0 && y != 0;
  if (number) {
    const int e = single_exponent(b, &bits), of_a = single_exponent(a, &(uint64_t){0});
    /* the model's own: no iteration leaves the normal singles */
    if (e < -126 || e > 124 || of_a - e > 126 || of_a - e < -124 || of_a < -102)
      *iterate = false;
    return (b & 1u << 31) | single_bits(ldexp((double)reciprocal_units(bits), -e - 1 - PLACES));
  }
  *iterate = false;
  if (isnan(x) || isnan(y))
    return (isnan(x) ? a : b) | SINGLE_QUIET;
  if ((x == 0 && y == 0) || (isinf(x) && isinf(y)))
    return SINGLE_NO_NUMBER;
  return sign | (isinf(x) || y == 0 ? SINGLE_INFINITY : 0);
}

static uint32_t reciprocal_root(uint32_t b, bool *iterate)
{
  const float y = single_of(b);
  uint64_t bits;
  if (isfinite(y) && y > 0) {
    const int e = single_exponent(b, &bits), half = (int)floor(e / 2.0);
    if (e < -102)
      *iterate = false;
    return single_bits(ldexp((double)root_units(bits, e & 1), -half - 1 - PLACES));
  }
  *iterate = false;
  if (isnan(y))
    return b | SINGLE_QUIET;
  if (y == 0)
    return b | SINGLE_INFINITY;
  return y < 0 ? SINGLE_NO_NUMBER : 0;
}

static void do_pair(struct sim *s, const struct insn *v)
{
  const bool root = v->row->b;
  const struct float_value x = sim_fr(s, root ? v->r3 : v->r2), y = sim_fr(s, v->r3);
  uint64_t pair = 0;
  bool iterate = true;
  if (is_natval(x) || is_natval(y)) {
    approximation(s, v, natval, false);
    return;
  }
  for (unsigned i = 0; i < 64; i += 32) {
    const uint32_t a = (uint32_t)(x.significand >> i), b = (uint32_t)(y.significand >> i);
    pair |= (uint64_t)(root ? reciprocal_root(b, &iterate) : reciprocal(a, b, &iterate)) << i;
  }
  approximation(s, v, (struct float_value){pair, FLOAT_INTEGER, false}, iterate);
}

#define F6(op) MAJOR(op) | AT(1, 33)
#define F7(op) MAJOR(op) | AT(1, 36) | AT(1, 33)
const struct row rows_approximate[] = {
    {"frcpa", 'F', FORM_APPROXIMATE, F6(0), do_frcpa, 0, 0},
    {"frsqrta", 'F', FORM_APPROXIMATE, F7(0), do_frsqrta, 0, 1},
    {"fprcpa", 'F', FORM_APPROXIMATE, F6(1), do_pair, 0, 0},
    {"fprsqrta", 'F', FORM_APPROXIMATE, F7(1), do_pair, 0, 1},
};
const size_t n_rows_approximate = sizeof rows_approximate / sizeof *rows_approximate;

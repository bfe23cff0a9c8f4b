/* SPDX-License-Identifier: MIT */
/*
 * The executor's floating point against the host's, which rounds correctly too: products and sums in three precisions
 * and four roundings, with their exceptions; comparisons, conversions, approximations.
 */
#include <fenv.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "machine/montecito/exec/code.h"
#include "machine/montecito/exec/fp.h"
#include "tests/montecito/exec/numbers.h"

enum { ROUNDS = 400000 };
static const int roundings[] = {
    [TO_NEAREST] = FE_TONEAREST, [TO_DOWN] = FE_DOWNWARD, [TO_UP] = FE_UPWARD, [TO_ZERO] = FE_TOWARDZERO};

/* Returns numbers whose sums often cancel, overflow and underflow; zeros, infinities and denormals among them. */
static uint64_t random_double(void)
{
  static const uint64_t special[] = {0,
                                     0x8000000000000000,
                                     0x7ff0000000000000,
                                     0xfff0000000000000,
                                     1,
                                     0x000fffffffffffff,
                                     0x0010000000000000,
                                     0x7fefffffffffffff,
                                     0x3ff0000000000000};
  const uint64_t r = test_random();
  if (r % 16 == 0)
    return special[r / 16 % (sizeof special / sizeof *special)];
  const uint64_t near = 0x3ff - 40 + r / 16 % 80, far = r / 16 % 0x7ff, exponent = r % 16 < 11 ? near : far;
  return (test_random() & UINT64_C(0x800fffffffffffff)) | exponent << 52;
}

static uint32_t random_single(void)
{
  static const uint32_t special[] = {0, 0x80000000, 0x7f800000, 0xff800000, 1, 0x007fffff, 0x00800000, 0x7f7fffff};
  const uint64_t r = test_random();
  if (r % 16 == 0)
    return special[r / 16 % (sizeof special / sizeof *special)];
  const uint32_t exponent = (uint32_t)(r % 16 < 11 ? 0x7f - 20 + r / 16 % 40 : r / 16 % 0xff);
  return ((uint32_t)test_random() & 0x807fffff) | exponent << 23;
}

static unsigned host_exceptions(void)
{
  const int e = fetestexcept(FE_ALL_EXCEPT);
  return (e & FE_INVALID ? FP_INVALID : 0u) | (e & FE_OVERFLOW ? FP_OVERFLOW : 0u) |
         (e & FE_UNDERFLOW ? FP_UNDERFLOW : 0u) | (e & FE_INEXACT ? FP_INEXACT : 0u);
}

static double double_of(uint64_t bits)
{
  double d;
  memcpy(&d, &bits, sizeof d);
  return d;
}

static float single_of(uint32_t bits)
{
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

static struct fp_control control(unsigned completer, unsigned rounding)
{
  struct fp_control k = fp_control_of(UINT64_C(0x9804c0270033f), 0, completer);
  k.rounding = rounding;
  return k;
}

static void test_double(void **unused)
{
  (void)unused;
  for (unsigned i = 0; i < ROUNDS; i++) {
    const uint64_t a = random_double(), b = random_double(), c = random_double();
    struct fp_control k = control(2, i % 4);
    const struct exec_float x = fp_multiply_add(fp_of_double(a), fp_of_double(b), fp_of_double(c), &k);
    volatile double va = double_of(a), vb = double_of(b), vc = double_of(c);
    fesetround(roundings[i % 4]);
    feclearexcept(FE_ALL_EXCEPT);
    volatile double host = fma(va, vb, vc);
    const unsigned exceptions = host_exceptions();
    fesetround(FE_TONEAREST);
    uint64_t bits;
    const double value = host;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value))
      assert_true(fp_is_nan(x));
    else
      assert_int_equal(fp_to_double(x), bits);
    assert_int_equal(k.flags & ~(unsigned)FP_DENORMAL, exceptions);
  }
}

static void test_single(void **unused)
{
  (void)unused;
  for (unsigned i = 0; i < ROUNDS; i++) {
    const uint32_t a = random_single(), b = random_single(), c = random_single();
    struct fp_control k = control(1, i % 4);
    const struct exec_float x = fp_multiply_add(fp_of_single(a), fp_of_single(b), fp_of_single(c), &k);
    volatile float va = single_of(a), vb = single_of(b), vc = single_of(c);
    fesetround(roundings[i % 4]);
    feclearexcept(FE_ALL_EXCEPT);
    volatile float host = fmaf(va, vb, vc);
    const unsigned exceptions = host_exceptions();
    fesetround(FE_TONEAREST);
    uint32_t bits;
    const float value = host;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value))
      assert_true(fp_is_nan(x));
    else
      assert_int_equal(fp_to_single(x), bits);
    assert_int_equal(k.flags & ~(unsigned)FP_DENORMAL, exceptions);
  }
}

#ifdef __x86_64__
static struct exec_float of_long(long double value)
{
  struct {
    uint64_t significand;
    uint16_t rest;
  } raw = {0, 0};
  memcpy(&raw, &value, 10);
  return fp_of_extended(raw.significand, raw.rest);
}

/* Sums and products with 64 bits of significand. */
static void test_extended(void **unused)
{
  (void)unused;
  for (unsigned i = 0; i < ROUNDS; i++) {
    volatile long double a = ldexpl((long double)test_random(), (int)(test_random() % 200) - 100);
    volatile long double b = ldexpl((long double)test_random(), (int)(test_random() % 200) - 100);
    struct fp_control k = control(0, i % 4), l = k;
    b = test_random() & 1 ? -b : b;
    fesetround(roundings[i % 4]);
    volatile long double product = a * b, sum = a + b;
    fesetround(FE_TONEAREST);
    const struct exec_float x = fp_multiply(of_long(a), of_long(b), &k), p = of_long(product), s = of_long(sum);
    const struct exec_float y = fp_multiply_add(of_long(a), of_long(1), of_long(b), &l);
    assert_int_equal(x.significand, p.significand);
    assert_int_equal(x.exponent, p.exponent);
    assert_int_equal(y.significand, s.significand);
    assert_int_equal(y.exponent, s.exponent);
    assert_int_equal(y.sign, s.sign);
  }
}
#endif

static void test_convert(void **unused)
{
  (void)unused;
  for (unsigned i = 0; i < ROUNDS; i++) {
    const uint64_t a = random_double();
    struct fp_control k = control(0, i % 4);
    const uint64_t x = fp_to_integer(fp_of_double(a), false, &k);
    const double d = double_of(a);
    volatile double v = d;
    fesetround(roundings[i % 4]);
    volatile double whole = nearbyint(v);
    fesetround(FE_TONEAREST);
    if (whole >= -0x1p63 && whole < 0x1p63)
      assert_int_equal(x, (uint64_t)(int64_t)whole);
    else
      assert_true(x == UINT64_C(1) << 63 && k.flags == FP_INVALID);
    assert_int_equal(fp_to_double(fp_of_double(a)), a);
    const uint64_t n = test_random() >> (i % 64);
    struct fp_control d53 = control(2, TO_NEAREST);
    volatile double of_n = (double)(int64_t)n;
    uint64_t bits;
    const double value = of_n;
    memcpy(&bits, &value, sizeof bits);
    assert_int_equal(fp_to_double(fp_multiply(fp_of_integer(n), fp_of_double(0x3ff0000000000000), &d53)), bits);
  }
}

static void test_compare(void **unused)
{
  (void)unused;
  for (unsigned i = 0; i < ROUNDS; i++) {
    const uint64_t a = random_double(), b = i % 3 ? random_double() : a ^ (test_random() & 1);
    struct fp_control k = control(0, 0);
    const double x = double_of(a), y = double_of(b);
    assert_int_equal(fp_compare(fp_of_double(a), fp_of_double(b), true, &k), isunordered(x, y) ? 2
                                                                             : x < y           ? -1
                                                                                               : x > y);
  }
}

/* Of several NaNs, the result is f4, then f2, then f3 (f1 = f3 * f4 + f2). */
static void test_order_of_nans(void **unused)
{
  const uint64_t one = 0x3ff0000000000000, nan = 0x7ff8000000000000;
  const struct {
    uint64_t f3, f4, f2, wanted;
  } rows[] = {{nan | 3, nan | 4, nan | 2, nan | 4},
              {nan | 3, nan | 4, one, nan | 4},
              {one, nan | 4, nan | 2, nan | 4},
              {nan | 3, one, nan | 2, nan | 2},
              {nan | 3, one, one, nan | 3}};
  (void)unused;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct fp_control k = control(0, 0);
    const struct exec_float x =
        fp_multiply_add(fp_of_double(rows[i].f3), fp_of_double(rows[i].f4), fp_of_double(rows[i].f2), &k);
    assert_true(fp_to_double(x) == rows[i].wanted);
  }
}

/* ---- approximations of pairs ---- */

static struct exec_cpu pair_cpu(uint64_t x, uint64_t y)
{
  struct exec_cpu c = {.pr = 1, .ar = {[AR_FPSR] = UINT64_C(0x9804c0270033f)}};
  c.fr[6] = (struct exec_float){x, EXPONENT_INTEGER, false};
  c.fr[7] = (struct exec_float){y, EXPONENT_INTEGER, false};
  return c;
}

static bool pair_execute(struct exec_cpu *c, unsigned operation)
{
  struct montecito_slot s = {0};
  const struct exec_instruction v = {.operation = (uint8_t)operation, .r1 = 8, .r2 = 6, .r3 = 7, .p2 = 6};
  exec_function_of(operation)(c, &v, &s);
  assert_int_equal(c->fault.kind, FAULT_NONE);
  assert_int_equal(c->fr[8].exponent, EXPONENT_INTEGER);
  return c->pr >> 6 & 1;
}

/* True if at least that many bits of the half are correct, as the manual specifies. */
static bool is_near(float half, double exact, double bits)
{
  return fabs((double)half / exact - 1) < exp2(-bits);
}

/* For each half of a pair: final results are the host's quotient, others are close to the reciprocal; the predicate is
 * true if both are close, and the iteration cannot leave the range of singles. */
static void test_reciprocals(void **unused)
{
  unsigned iterated = 0;
  (void)unused;
  for (unsigned i = 0; i < ROUNDS; i++) {
    const uint32_t a[2] = {random_single(), random_single()}, b[2] = {random_single(), random_single()};
    struct exec_cpu c = pair_cpu((uint64_t)a[1] << 32 | a[0], (uint64_t)b[1] << 32 | b[0]);
    const bool iterate = pair_execute(&c, EXEC_FPRCPA);
    bool wanted = true;
    for (unsigned k = 0; k < 2; k++) {
      const float x = single_of(a[k]), y = single_of(b[k]), r = single_of((uint32_t)(c.fr[8].significand >> (32 * k)));
      if (x == 0 || y == 0 || isinf(x) || isinf(y)) {
        wanted = false;
        assert_true(isnan(x / y) ? isnan(r) : r == x / y && signbit(r) == signbit(x / y));
        continue;
      }
      const int of_x = ilogbf(x), of_y = ilogbf(y), of_quotient = of_x - of_y;
      wanted = wanted && of_y >= -126 && of_y <= 124 && of_quotient <= 126 && of_quotient >= -124 && of_x >= -102;
      if (of_y < -128)
        assert_true(isinf(r) && signbit(r) == signbit(y));
      else if (of_y < 126)
        assert_true(is_near(r, 1 / (double)y, 8.886));
    }
    assert_int_equal(iterate, wanted);
    iterated += iterate;
  }
  assert_true(iterated > ROUNDS / 4);
}

static void test_reciprocal_roots(void **unused)
{
  unsigned iterated = 0;
  (void)unused;
  for (unsigned i = 0; i < ROUNDS; i++) {
    const uint32_t b[2] = {random_single() & ~(i % 4 ? UINT32_C(1) << 31 : 0), random_single() & INT32_MAX};
    struct exec_cpu c = pair_cpu(0, (uint64_t)b[1] << 32 | b[0]);
    const bool iterate = pair_execute(&c, EXEC_FPRSQRTA);
    bool wanted = true;
    for (unsigned k = 0; k < 2; k++) {
      const float y = single_of(b[k]), r = single_of((uint32_t)(c.fr[8].significand >> (32 * k)));
      wanted = wanted && y > 0 && !isinf(y) && ilogbf(y) >= -102;
      if (y < 0)
        assert_true(isnan(r));
      else if (y == 0)
        assert_true(isinf(r) && signbit(r) == signbit(y));
      else if (isinf(y))
        assert_true(r == 0 && !signbit(r));
      else
        assert_true(is_near(r, 1 / sqrt((double)y), 8.831));
    }
    assert_int_equal(iterate, wanted);
    iterated += iterate;
  }
  assert_true(iterated > ROUNDS / 4);
}

/* A NaTVal operand makes the result NaTVal; a division by zero sets its flag. */
static void test_pairs_of_nat(void **unused)
{
  const uint64_t ones = UINT64_C(0x3f8000003f800000);
  struct exec_cpu c = pair_cpu(ones, 0x3f800000);
  (void)unused;
  assert_false(pair_execute(&c, EXEC_FPRCPA));
  assert_true(c.fr[8].significand >> 32 == 0x7f800000);
  assert_int_equal(c.ar[AR_FPSR] >> 13 & 63, FP_ZERO_DIVIDE);
  for (unsigned operation = EXEC_FPRCPA; operation <= EXEC_FPRSQRTA; operation++) {
    struct montecito_slot s = {0};
    const struct exec_instruction v = {.operation = (uint8_t)operation, .r1 = 8, .r2 = 6, .r3 = 7, .p2 = 6};
    c = pair_cpu(ones, ones);
    c.pr |= 1 << 6;
    c.fr[7] = exec_natval();
    exec_function_of(operation)(&c, &v, &s);
    assert_true(exec_is_natval(c.fr[8]) && !(c.pr >> 6 & 1));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_double),           cmocka_unit_test(test_single),
#ifdef __x86_64__
                                     cmocka_unit_test(test_extended),
#endif
                                     cmocka_unit_test(test_convert),          cmocka_unit_test(test_compare),
                                     cmocka_unit_test(test_order_of_nans),    cmocka_unit_test(test_reciprocals),
                                     cmocka_unit_test(test_reciprocal_roots), cmocka_unit_test(test_pairs_of_nat)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

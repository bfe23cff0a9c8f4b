/* SPDX-License-Identifier: MIT */
/*
 * Random and directed operands with the executor's results, one line each, which exact.py computes again. Numbers are
 * in the register format, sign:exponent:significand. Usage: ia64_operations COUNT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "machine/montecito/exec/fp.h"
#include "tests/montecito/exec/numbers.h"

enum { FORMATS = 4, ROUNDINGS = 4 };
#define TOP (UINT64_C(1) << 63)

/* Mostly numbers near 1, so that sums cancel; or at the ends of the ranges of singles, doubles and extended numbers; or
 * anywhere. Significands with few bits cause ties. */
static struct exec_float random_number(void)
{
  static const int ends[] = {-126, 127, -1022, 1023, -16382, 16383, -65534, 65535};
  const uint64_t r = test_random();
  const unsigned kind = (unsigned)(r % 8), near = (unsigned)(r / 8 % 70);
  int exponent = (int)near - 35;
  if (kind == 5 || kind == 6)
    exponent = ends[r / 1024 % (sizeof ends / sizeof *ends)] / (kind == 6 ? 2 : 1) + (int)(near % 5) - 2;
  else if (kind == 7)
    exponent = (int)(test_random() % 0x1fffe) + 1 - EXPONENT_BIAS;
  exponent = exponent < 1 - EXPONENT_BIAS ? 1 - EXPONENT_BIAS : exponent > EXPONENT_BIAS ? EXPONENT_BIAS : exponent;
  uint64_t significand = test_random();
  if (r >> 20 & 1)
    significand &= UINT64_MAX << (r >> 24 & 63);
  else if (r >> 21 & 1)
    significand |= UINT64_MAX >> (r >> 24 & 63);
  return (struct exec_float){significand | TOP, (uint32_t)(exponent + EXPONENT_BIAS), r >> 30 & 1};
}

/* Keeps the highest `bits` bits of the significand, of which the last is set. */
static void keep_bits(struct exec_float *x, unsigned bits)
{
  const uint64_t last = UINT64_C(1) << (64 - bits);
  x->significand = (x->significand & ~(last - 1)) | last;
}

/* Makes a product that often has one bit more than the precision, and lies halfway between two results. */
static void make_halfway(struct exec_float x[3], unsigned precision)
{
  const unsigned bits = 1 + (unsigned)(test_random() % (precision - 1));
  keep_bits(&x[0], bits);
  keep_bits(&x[1], precision + 1 - bits);
  x[2] = (struct exec_float){0};
}

/* The precisions of ar.fpsr and of the completers .s and .d, and the widest range. */
static struct fp_control control(unsigned format, unsigned rounding)
{
  const uint64_t start = UINT64_C(0x9804c0270033f), widest = UINT64_C(1) << (6 + 1);
  struct fp_control k = fp_control_of(format == 3 ? start | widest : start, 0, format < 3 ? format : 0);
  k.rounding = rounding;
  return k;
}

static void print_number(struct exec_float x)
{
  printf(" %u:%x:%" PRIx64, x.sign, x.exponent, x.significand);
}

static void operation_print(const char *name, const struct fp_control *before, const struct exec_float *x, unsigned n)
{
  struct fp_control k = *before;
  const struct exec_float r = n == 3 ? fp_multiply_add(x[0], x[1], x[2], &k) : fp_divide(x[0], x[1], &k);
  printf("%s %u %d %d %u", name, k.precision, k.lowest, k.highest, k.rounding);
  for (unsigned i = 0; i < n; i++)
    print_number(x[i]);
  print_number(r);
  printf(" %u\n", k.flags);
}

int main(int argc, char **argv)
{
  const unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
  for (unsigned long i = 0; i < count; i++) {
    const struct fp_control k = control((unsigned)i % FORMATS, (unsigned)i / FORMATS % ROUNDINGS);
    struct exec_float x[] = {random_number(), random_number(), random_number()};
    if (i % 3 == 0)
      make_halfway(x, k.precision);
    operation_print("fma", &k, x, 3);
    operation_print("divide", &k, x, 2);
  }
  return 0;
}

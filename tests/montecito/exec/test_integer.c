/* SPDX-License-Identifier: MIT */
/*
 * Integer and parallel instructions against a second implementation, which computes results bit by bit or element by
 * element: random operands, including the extreme values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "machine/montecito/exec/code.h"
#include "tests/montecito/exec/numbers.h"

enum { ROUNDS = 3000 };

static uint64_t random_operand(void)
{
  static const uint64_t special[] = {
      0, 1, UINT64_MAX, UINT64_C(1) << 63, INT64_MAX, 0x7f7f7f7f80808080, 0x80007fff8000};
  const uint64_t r = test_random();
  return r % 4 ? test_random() >> (r / 4 % 3 ? 0 : r / 16 % 64) : special[r / 4 % (sizeof special / sizeof *special)];
}

/* Executes one instruction with r2 and r3, and returns r1. */
static uint64_t execute(const struct exec_instruction *v, uint64_t r2, uint64_t r3)
{
  struct exec_cpu c = {.pr = 1};
  struct montecito_slot s = {0};
  struct exec_instruction w = *v;
  w.r1 = 4;
  w.r2 = 5;
  w.r3 = 6;
  c.gr[5] = r2;
  c.gr[6] = r3;
  exec_function_of(w.operation)(&c, &w, &s);
  assert_int_equal(c.fault.kind, FAULT_NONE);
  return c.gr[4];
}

static void check_result(const struct exec_instruction *v, uint64_t r2, uint64_t r3, uint64_t wanted)
{
  const uint64_t is = execute(v, r2, r3);
  if (is != wanted)
    print_message("operation %u, sub %u, imm %lld, pos %u, len %u: %llx, %llx\n", v->operation, v->sub,
                  (long long)v->imm, v->pos, v->len, (unsigned long long)r2, (unsigned long long)r3);
  assert_int_equal(is, wanted);
}

static bool bit_of(uint64_t value, int i)
{
  return i >= 0 && i < 64 && value >> i & 1;
}

/* Deposits, extracts and shifts of pairs, bit by bit. */
static void test_bit_fields(void **unused)
{
  (void)unused;
  for (unsigned round = 0; round < ROUNDS; round++) {
    const uint64_t a = random_operand(), b = random_operand();
    const int pos = (int)(test_random() % 64), len = 1 + (int)(test_random() % 64);
    uint64_t dep = 0, zero = 0, extr = 0, extru = 0, shrp = 0;
    for (int i = 0; i < 64; i++) {
      const bool inside = i >= pos && i < pos + len, within = i < len && pos + i < 64;
      const int top = pos + len < 64 ? pos + len - 1 : 63;
      dep |= (uint64_t)(inside ? bit_of(a, i - pos) : bit_of(b, i)) << i;
      zero |= (uint64_t)(inside && bit_of(a, i - pos)) << i;
      extru |= (uint64_t)(within && bit_of(b, pos + i)) << i;
      extr |= (uint64_t)(within ? bit_of(b, pos + i) : bit_of(b, top)) << i;
      shrp |= (uint64_t)(pos + i < 64 ? bit_of(b, pos + i) : bit_of(a, pos + i - 64)) << i;
    }
    struct exec_instruction v = {.pos = (uint8_t)pos, .len = (uint8_t)len, .imm = pos};
    v.operation = EXEC_DEP;
    check_result(&v, a, b, dep);
    v.operation = EXEC_DEP_Z;
    check_result(&v, a, b, zero);
    v.operation = EXEC_EXTR;
    check_result(&v, a, b, extr);
    v.sub = 1;
    check_result(&v, a, b, extru);
    v.operation = EXEC_SHRP;
    check_result(&v, a, b, shrp);
  }
}

/* Returns one element as a number. */
static int64_t element(uint64_t value, unsigned i, unsigned bytes, bool is_signed)
{
  int64_t x = 0;
  for (unsigned k = bytes; k-- > 0;)
    x = x * 256 + (int64_t)(value >> (8 * (i * bytes + k)) & 255);
  return is_signed && x >= INT64_C(1) << (8 * bytes - 1) ? x - (INT64_C(1) << (8 * bytes)) : x;
}

static int64_t clamp(int64_t x, unsigned bytes, bool is_signed)
{
  const int64_t high = (INT64_C(1) << (8 * bytes - is_signed)) - 1, low = is_signed ? -high - 1 : 0;
  return x > high ? high : x < low ? low : x;
}

static uint64_t placed(int64_t x, unsigned i, unsigned bytes)
{
  uint64_t result = 0;
  for (unsigned k = 0; k < bytes; k++)
    result |= (uint64_t)(x >> (8 * k) & 255) << (8 * (i * bytes + k));
  return result;
}

/* Returns one element of the result. */
static int64_t naive_element(const struct exec_instruction *v, uint64_t a, uint64_t b, unsigned i, unsigned bytes)
{
  const unsigned form = v->sub >> 4;
  const bool xs = form == 1, ys = form == 1 || form == 3;
  const int64_t x = element(a, i, bytes, xs), y = element(b, i, bytes, ys);
  const int64_t sum = v->operation == EXEC_PSUB ? x - y : x + y;
  switch (v->operation) {
  case EXEC_PADD:
  case EXEC_PSUB: return form ? clamp(sum, bytes, xs) : sum;
  case EXEC_PAVG: {
    const int64_t s = element(a, i, bytes, false) + element(b, i, bytes, false);
    return form ? (s + 1) / 2 : s / 2 + (s % 2 && s / 2 % 2 == 0);
  }
  case EXEC_PCMP: return form ? (element(a, i, bytes, true) > element(b, i, bytes, true) ? -1 : 0) : x == y ? -1 : 0;
  case EXEC_PMIN: {
    const int64_t p = element(a, i, bytes, !form), q = element(b, i, bytes, !form);
    return p < q ? p : q;
  }
  default: {
    const int64_t p = element(a, i, bytes, !form), q = element(b, i, bytes, !form);
    return p > q ? p : q;
  }
  }
}

static void test_parallel(void **unused)
{
  static const struct {
    uint8_t operation, sub;
  } cases[] = {{EXEC_PADD, 0},  {EXEC_PADD, 1},  {EXEC_PADD, 2},  {EXEC_PADD, 16}, {EXEC_PADD, 17},
               {EXEC_PADD, 32}, {EXEC_PADD, 33}, {EXEC_PADD, 48}, {EXEC_PADD, 49}, {EXEC_PSUB, 0},
               {EXEC_PSUB, 17}, {EXEC_PSUB, 32}, {EXEC_PSUB, 49}, {EXEC_PAVG, 0},  {EXEC_PAVG, 1},
               {EXEC_PAVG, 16}, {EXEC_PAVG, 17}, {EXEC_PCMP, 0},  {EXEC_PCMP, 17}, {EXEC_PCMP, 2},
               {EXEC_PCMP, 18}, {EXEC_PMIN, 16}, {EXEC_PMIN, 1},  {EXEC_PMAX, 16}, {EXEC_PMAX, 1}};
  (void)unused;
  for (unsigned round = 0; round < ROUNDS; round++)
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
      const struct exec_instruction v = {.operation = cases[k].operation, .sub = cases[k].sub};
      const unsigned bytes = 1u << (v.sub & 15);
      const uint64_t a = random_operand(), b = random_operand();
      uint64_t wanted = 0;
      for (unsigned i = 0; i < 8 / bytes; i++)
        wanted |= placed(naive_element(&v, a, b, i, bytes), i, bytes);
      check_result(&v, a, b, wanted);
    }
}

/* Operations that only move bytes: the text names the source of each result byte, byte of r2 (0 to 7) or r3 (8 to 15),
 * highest first. */
static void test_moved_bytes(void **unused)
{
  static const struct {
    uint8_t operation, sub, imm;
    const char *from;
  } cases[] = {{EXEC_MIX, 0, 0, "6e4c2a08"},     {EXEC_MIX, 16, 0, "7f5d3b19"},    {EXEC_MIX, 1, 0, "54dc1098"},
               {EXEC_MIX, 17, 0, "76fe32ba"},    {EXEC_MIX, 2, 0, "3210ba98"},     {EXEC_MIX, 18, 0, "7654fedc"},
               {EXEC_UNPACK, 16, 0, "7f6e5d4c"}, {EXEC_UNPACK, 0, 0, "3b2a1908"},  {EXEC_UNPACK, 17, 0, "76fe54dc"},
               {EXEC_UNPACK, 1, 0, "32ba1098"},  {EXEC_UNPACK, 18, 0, "7654fedc"}, {EXEC_UNPACK, 2, 0, "3210ba98"},
               {EXEC_MUX1, 0, 0, "00000000"},    {EXEC_MUX1, 0, 8, "73516240"},    {EXEC_MUX1, 0, 9, "73625140"},
               {EXEC_MUX1, 0, 10, "75316420"},   {EXEC_MUX1, 0, 11, "01234567"},   {EXEC_MUX2, 0, 0x1b, "10325476"},
               {EXEC_MUX2, 0, 0xe4, "76543210"}};
  (void)unused;
  for (unsigned round = 0; round < 200; round++)
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
      const struct exec_instruction v = {.operation = cases[k].operation, .sub = cases[k].sub, .imm = cases[k].imm};
      const uint64_t pair[2] = {test_random(), test_random()};
      uint64_t wanted = 0;
      for (unsigned i = 0; i < 8; i++) {
        const char digit = cases[k].from[i];
        const unsigned from = (unsigned)(digit >= 'a' ? digit - 'a' + 10 : digit - '0');
        wanted = wanted << 8 | (pair[from / 8] >> (8 * (from % 8)) & 255);
      }
      check_result(&v, pair[0], pair[1], wanted);
    }
}

/* Every operation has its own function: none has that of a nonexistent operation. */
static void test_functions(void **unused)
{
  (void)unused;
  for (unsigned operation = 0; operation < EXEC_OPERATIONS; operation++)
    if (exec_function_of(operation) == exec_function_of(EXEC_OPERATIONS))
      fail_msg("operation %u has no function", operation);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bit_fields), cmocka_unit_test(test_parallel),
                                     cmocka_unit_test(test_moved_bytes), cmocka_unit_test(test_functions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

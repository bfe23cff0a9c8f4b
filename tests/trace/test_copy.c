/* SPDX-License-Identifier: MIT */
/* Which words the ring's reader accepts: a second implementation of the description in machine/trace/ring.h; and the
 * addresses of processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "machine/trace/area.h"

enum { FEW = 24, HIGHS = 1 << 16 };

static struct ring ring;
static uint64_t copied[RING_RECORDS];

/* True if a word with these high 16 bits, and the others zero, is accepted. */
static bool taken(unsigned high)
{
  const unsigned size = high & 7, manner = high >> 11 & 3, note = high >> 13 & 3;
  const unsigned bytes = high & 511, count = high >> 9 & 63;

  if (high >> 15)
    return high == 0x8000 || (bytes && count); /* the start of a region, or a block */
  if (note == 1)
    return true;
  if (note == 2)
    return (high >> 7 & 63) < 33 || (high >> 7 & 63) == 63; /* a register, or the summary */
  if (note == 3)
    return !(high & 0x1e00);
  return size <= 6 && manner != 3;
}

static const uint64_t usual[] = {UINT64_C(0x8204) << 48 | 0x401000, UINT64_C(0x0003) << 48 | 0x7fff0010,
                                 UINT64_C(0x0033) << 48 | 0x7fff0020};

static void fill(uint64_t from, size_t n)
{
  for (size_t i = 0; i < n; i++)
    ring.record[(from + i) % RING_RECORDS] = usual[i % 3];
}

static void each_word_is_looked_at_wherever_it_stands(void **state)
{
  (void)state;
  const uint64_t from = RING_RECORDS - 5; /* wraps at the end */

  for (unsigned high = 0; high < HIGHS; high++) {
    const ptrdiff_t n = taken(high) ? FEW : -1;
    for (unsigned at = 0; at < FEW; at += high % 7 ? 5 : 1) {
      fill(from, FEW);
      ring.record[(from + at) % RING_RECORDS] = (uint64_t)high << 48;
      if (ring_copy(&ring, from, from + FEW, copied, RING_RECORDS) != n)
        fail_msg("a word of %04x at %u", high, at);
      if (n == FEW)
        assert_memory_equal(&copied[at], &ring.record[(from + at) % RING_RECORDS], sizeof copied[0]);
    }
  }
}

static void what_low_bits_a_mark_has_is_looked_at(void **state)
{
  (void)state;
  static const struct {
    uint64_t word;
    bool taken;
  } marks[] = {{UINT64_C(1) << 63 | UINT64_C(1) << 47 | 7, true},
               {UINT64_C(1) << 63 | 1 << 16, false},
               {UINT64_C(1) << 63 | UINT64_C(1) << 45 | 500, true},
               {UINT64_C(1) << 63 | UINT64_C(1) << 45 | 1 << 20, false}};

  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    fill(0, FEW);
    ring.record[9] = marks[i].word;
    assert_int_equal(ring_copy(&ring, 0, FEW, copied, RING_RECORDS), marks[i].taken ? FEW : -1);
  }
}

static void the_copy_is_as_long_as_there_is_room(void **state)
{
  (void)state;
  fill(0, RING_RECORDS);
  for (size_t n = 0; n < RING_RECORDS; n = 2 * n + 1) {
    const uint64_t from = 3 * RING_RECORDS + 11;
    memset(copied, 0, sizeof copied);
    assert_int_equal(ring_copy(&ring, from, from + n, copied, RING_RECORDS), n);
    assert_int_equal(ring_copy(&ring, from, from + RING_RECORDS, copied, n), n);
    for (size_t i = 0; i <= n; i++)
      assert_int_equal(copied[i], i < n ? ring.record[(from + i) % RING_RECORDS] : 0);
  }
  assert_int_equal(ring_copy(&ring, 5, 5 + RING_RECORDS + 1, copied, 1), -1);
}

/* The same program runs in each process, at the same addresses. */
static void no_two_of_8160_processes_have_a_page_in_common(void **state)
{
  enum { PROCESSES = 8160 };
  const uint64_t page = UINT64_C(0x4000400000);
  (void)state;
  for (uint64_t n = 0; n < PROCESSES; n++) {
    const uint64_t bits = record_process_bits(n);
    assert_int_not_equal(bits >> RECORD_PROCESS_SHIFT & RECORD_PROCESSES, 0); /* as in the first process */
    assert_int_equal(bits & ~RECORD_PROCESS_BITS, 0);
    for (uint64_t i = 0; i < n; i++)
      assert_true((page ^ bits) != (page ^ record_process_bits(i)));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_word_is_looked_at_wherever_it_stands),
      cmocka_unit_test(what_low_bits_a_mark_has_is_looked_at),
      cmocka_unit_test(the_copy_is_as_long_as_there_is_room),
      cmocka_unit_test(no_two_of_8160_processes_have_a_page_in_common),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

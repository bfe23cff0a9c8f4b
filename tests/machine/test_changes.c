/* SPDX-License-Identifier: MIT */
/*
 * The list of a counter's changes against an array with one element per cycle: in whatever order changes are added,
 * near the end of the list or far from it, the increment of each cycle is the sum of the changes.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "machine/pmon/state.h"

enum { CYCLES = 4096, CHANGES = 3000 };

static uint64_t next(uint64_t *random)
{
  *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *random >> 33;
}

/* Spans and pulses that begin up to `spread` cycles before or after their place in order. */
static void compared(uint64_t spread, bool wants_mixed)
{
  static struct machine m;
  struct block b = {.machine = &m};
  struct changes list = {0};
  int64_t *naive = calloc(CYCLES + 2, sizeof *naive), sum = 0;
  uint64_t random = spread + 1;
  size_t at = 0;
  bool mixed = false;
  assert_non_null(naive);
  for (uint64_t i = 0; i < CHANGES; i++) {
    const uint64_t from = (i + next(&random) % (spread + 1)) % CYCLES, length = next(&random) % 40;
    const int64_t n = 1 + (int64_t)(next(&random) % 5);
    const uint64_t to = from + (i % 3 ? 1 : length) < CYCLES ? from + (i % 3 ? 1 : length) : CYCLES;
    if (i % 3) {
      changes_pulse(&b, &list, from, n);
    } else {
      changes_push(&b, &list, from, n);
      changes_push(&b, &list, to, -n);
    }
    naive[from] += n;
    naive[to] -= n;
  }
  mixed = list.mixed;
  changes_sort(&list);
  assert_false(list.mixed);
  for (uint64_t cycle = 0; cycle <= CYCLES; cycle++) {
    int64_t here = 0;
    for (; at < list.n && list.at[at].cycle == cycle; at++)
      here += list.at[at].delta;
    assert_int_equal(here, naive[cycle]);
    sum += here;
    assert_true(sum >= 0);
  }
  assert_int_equal(at, list.n);
  assert_int_equal(sum, 0);
  assert_int_equal(mixed, wants_mixed);
  free(list.at);
  free(naive);
}

static void nearly_in_order(void **state)
{
  (void)state;
  compared(0, false);
  compared(3, false);
}

static void out_of_order(void **state)
{
  (void)state;
  compared(300, true);
  compared(CYCLES, true);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nearly_in_order),
      cmocka_unit_test(out_of_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

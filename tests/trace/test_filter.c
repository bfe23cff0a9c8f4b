/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filters of a sampled run's threads: which lines each thread has cached, and which lines are shared. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "plugin/filter.h"

enum { LINE = 0x7000, ROUNDS = 2000 };

static void test_code_with_zero_bits_is_no_empty_place(void **state)
{
  static const uint64_t far[] = {0, UINT64_C(1) << 38, UINT64_C(1) << 39, UINT64_C(3) << 45};
  struct filter *f = filter_claim();

  (void)state;
  for (unsigned i = 0; i < sizeof far / sizeof *far; i++) {
    assert_false(filter_has_code(&filter_none, far[i]));
    assert_false(filter_has_code(f, far[i]));
    *filter_code_place(f, far[i]) = filter_code_entry(far[i]);
    assert_true(filter_has_code(f, far[i] + 63));
    assert_false(filter_has_code(f, far[i] + 64));
  }
  filter_release(f);
}

static void test_stores_share_a_line(void **state)
{
  struct filter *a = filter_claim(), *b = filter_claim();

  (void)state;
  filter_add(a, LINE, false);
  assert_false(filter_shared(b, LINE, false)); /* both threads load the line */
  filter_add(b, LINE, false);
  assert_true(filter_shared(a, LINE, true));
  assert_false(filter_has(b, LINE, false));
  assert_true(filter_shared(b, LINE, false)); /* and it remains shared */
  filter_release(a);
  filter_release(b);
}

static void test_the_last_thread_shares_nothing(void **state)
{
  struct filter *a = filter_claim(), *b = filter_claim();

  (void)state;
  filter_add(a, LINE, true);
  assert_true(filter_shared(b, LINE, false));
  filter_release(a);
  assert_false(filter_shared(b, LINE, false));
  a = filter_claim();
  assert_false(filter_shared(b, LINE, false)); /* earlier sharing is forgotten */
  filter_release(a);
  filter_release(b);
}

static void test_drop_leaves_the_line_to_none(void **state)
{
  struct filter *a = filter_claim(), *b = filter_claim();

  (void)state;
  filter_add(a, LINE, true);
  filter_add(b, LINE, false);
  filter_add(b, LINE + 64, false);
  filter_drop(LINE + 8);
  assert_false(filter_has(a, LINE, false) || filter_has(b, LINE, false));
  assert_true(filter_has(b, LINE + 64, false));
  filter_release(a);
  filter_release(b);
}

static pthread_barrier_t begin, end; /* two barriers, as the sanitizer takes one thread's wait for the other's, too */

/* A thread of a program accesses another thread's lines, with and without stores, some of them non-temporal. */
static void *use_lines(void *data)
{
  struct filter *f = filter_claim();
  const bool *store = data;

  pthread_barrier_wait(&begin);
  for (uint64_t i = 0; i < ROUNDS; i++) {
    const uint64_t va = i % 64 * 256;

    if (!filter_has(f, va, *store) && !filter_shared(f, va, *store))
      filter_add(f, va, *store);
    if (i % 1000 == 0)
      filter_clear(f);
    if (i % 100 == 7)
      filter_drop(va);
  }
  pthread_barrier_wait(&end); /* neither thread ends before the other one has begun */
  filter_release(f);
  return NULL;
}

/* The thread sanitizer reports accesses that are not atomic (scripts/check_threads.sh). */
static void test_threads_use_the_same_lines(void **state)
{
  static bool store[] = {false, true};
  pthread_t thread[2];

  (void)state;
  assert_int_equal(pthread_barrier_init(&begin, NULL, 2), 0);
  assert_int_equal(pthread_barrier_init(&end, NULL, 2), 0);
  for (unsigned i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, use_lines, &store[i]), 0);
  for (unsigned i = 0; i < 2; i++)
    assert_int_equal(pthread_join(thread[i], NULL), 0);
  assert_false(filter_has_others());
  pthread_barrier_destroy(&begin);
  pthread_barrier_destroy(&end);
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_code_with_zero_bits_is_no_empty_place),
      cmocka_unit_test(test_stores_share_a_line),
      cmocka_unit_test(test_the_last_thread_shares_nothing),
      cmocka_unit_test(test_drop_leaves_the_line_to_none),
      cmocka_unit_test(test_threads_use_the_same_lines),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

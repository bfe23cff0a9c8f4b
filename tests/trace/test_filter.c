/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filters of a sampled run's threads: which lines they have, and which are shared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "plugin/filter.h"

enum { LINE = 0x7000 };

static void line_put(struct filter *f, uint64_t va, bool store)
{
  *filter_place(f, va) = (uint16_t)filter_entry(va, store);
}

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
  line_put(a, LINE, false);
  assert_false(filter_shared(b, LINE, false)); /* both load it */
  line_put(b, LINE, false);
  assert_true(filter_shared(a, LINE, true));
  assert_false(filter_has(b, LINE, false));
  assert_true(filter_shared(b, LINE, false)); /* and stays so */
  filter_release(a);
  filter_release(b);
}

static void test_the_last_thread_shares_nothing(void **state)
{
  struct filter *a = filter_claim(), *b = filter_claim();

  (void)state;
  line_put(a, LINE, true);
  assert_true(filter_shared(b, LINE, false));
  filter_release(a);
  assert_false(filter_shared(b, LINE, false));
  a = filter_claim();
  assert_false(filter_shared(b, LINE, false)); /* what was shared before that is forgotten */
  filter_release(a);
  filter_release(b);
}

static void test_drop_leaves_the_line_to_none(void **state)
{
  struct filter *a = filter_claim(), *b = filter_claim();

  (void)state;
  line_put(a, LINE, true);
  line_put(b, LINE, false);
  line_put(b, LINE + 64, false);
  filter_drop(LINE + 8);
  assert_false(filter_has(a, LINE, false) || filter_has(b, LINE, false));
  assert_true(filter_has(b, LINE + 64, false));
  filter_release(a);
  filter_release(b);
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_code_with_zero_bits_is_no_empty_place),
      cmocka_unit_test(test_stores_share_a_line),
      cmocka_unit_test(test_the_last_thread_shares_nothing),
      cmocka_unit_test(test_drop_leaves_the_line_to_none),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

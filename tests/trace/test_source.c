/* SPDX-License-Identifier: MIT */
/* A whole guest as a source, while its processors do nothing: time rests, or passes where they wait for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "machine/trace/guest.h"

static void test_a_guest_without_records_rests(void **state)
{
  struct guest *g;
  struct trace_window window;
  char error[TRACE_ERROR_SIZE];
  unsigned threads;
  bool ended = true;

  (void)state;
  assert_int_equal(guest_open(2, error, sizeof error, &g), 0);
  struct trace_source *s = guest_source(g);
  assert_int_equal(s->ops->poll(s, &threads, &ended), 0);
  assert_int_equal(threads, 2);
  assert_false(ended);
  assert_int_equal(s->ops->await(s, 1), TRACE_REST);
  guest_sleeps(g, true);
  assert_int_equal(s->ops->await(s, TRACE_ANY), TRACE_SLEEP);
  assert_int_equal(s->ops->window(s, 1, &window), 0);
  assert_int_equal(window.n, 0);
  assert_false(guest_followed(g));
  trace_source_free(s);
}

int main(void)
{
  static const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_guest_without_records_rests)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

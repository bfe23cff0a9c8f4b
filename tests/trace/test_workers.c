/* SPDX-License-Identifier: MIT */
/* Work is done once, by any thread, and its result is available when work_finish() returns; cancelled work is done at
 * most once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdint.h>
#include "machine/trace/workers.h"

enum { WORKS = 300, SHARED_MOST = 9 };

struct sum {
  struct work work;
  uint64_t from, result;
  unsigned runs;
};

static void sum_run(struct work *w)
{
  struct sum *s = (struct sum *)w;

  s->runs++;
  for (uint64_t i = 0; i < s->from; i++)
    s->result += i;
}

static void test_each_piece_is_done_once(void **state)
{
  (void)state;
  for (unsigned threads = 0; threads < 4; threads++) {
    struct workers *ws = workers_new(threads);
    struct sum sum[WORKS] = {0};

    assert_true((ws != NULL) == (threads != 0));
    for (unsigned round = 0; round < 3; round++) { /* each piece is started again */
      for (unsigned i = 0; i < WORKS; i++) {
        sum[i].work.run = sum_run;
        sum[i].from = 100 * i;
        assert_false(work_has_begun(&sum[i].work));
        work_begin(ws, &sum[i].work);
        assert_true(work_has_begun(&sum[i].work));
      }
      for (unsigned i = WORKS; i-- > 0;) { /* the last one is rarely started yet */
        work_finish(ws, &sum[i].work);
        assert_int_equal(sum[i].runs, round + 1);
        assert_int_equal(sum[i].result, (round + 1) * (100 * (uint64_t)i * (100 * (uint64_t)i - 1) / 2));
        assert_false(work_has_begun(&sum[i].work));
      }
    }
    workers_free(ws);
  }
}

static void test_cancelled_work_is_left_alone(void **state)
{
  struct sum sum[WORKS] = {0};
  unsigned runs = 0;

  (void)state;
  for (unsigned threads = 0; threads < 3; threads++) {
    struct workers *ws = workers_new(threads);

    for (unsigned i = 0; i < WORKS; i++) {
      sum[i] = (struct sum){.work.run = sum_run, .from = 10000};
      work_begin(ws, &sum[i].work);
    }
    for (unsigned i = WORKS; i-- > 0;) {
      work_cancel(ws, &sum[i].work);
      assert_false(work_has_begun(&sum[i].work));
      assert_true(sum[i].runs <= 1);
      runs += sum[i].runs;
      work_cancel(ws, &sum[i].work); /* if it has not begun */
    }
    assert_true(threads || !runs);
    workers_free(ws);
  }
  workers_free(NULL);
}

struct shared {
  struct sum sum[SHARED_MOST];
  unsigned done[SHARED_MOST];
};

static void shared_run(void *context, unsigned i)
{
  struct shared *s = context;

  s->done[i]++;
  sum_run(&s->sum[i].work);
}

/* Many calls in sequence, with as many parts as threads, fewer or more, and other work in between. */
static void test_each_part_is_shared_once(void **state)
{
  (void)state;
  for (unsigned threads = 0; threads < 4; threads++) {
    struct workers *ws = workers_new_sharing(threads, 2);
    struct sum other = {.work.run = sum_run, .from = 3000};
    struct shared s = {0};

    for (unsigned call = 1; call < 2000; call++) {
      const unsigned n = call % (SHARED_MOST + 1);
      for (unsigned i = 0; i < n; i++) {
        s.done[i] = 0;
        s.sum[i] = (struct sum){.from = 7 * i + call % 100};
      }
      if (call % 50 == 0)
        work_begin(ws, &other.work);
      workers_share(ws, shared_run, &s, n);
      for (uint64_t i = 0; i < n; i++) {
        const uint64_t from = 7 * i + call % 100;
        assert_int_equal(s.done[i], 1);
        assert_int_equal(s.sum[i].result, from ? from * (from - 1) / 2 : 0);
      }
      if (call % 50 == 0)
        work_finish(ws, &other.work);
    }
    assert_int_equal(other.runs, 1999 / 50);
    workers_free(ws);
  }
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_piece_is_done_once),
      cmocka_unit_test(test_cancelled_work_is_left_alone),
      cmocka_unit_test(test_each_part_is_shared_once),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

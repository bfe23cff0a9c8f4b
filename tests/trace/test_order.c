/* SPDX-License-Identifier: MIT */
/* The choice of the next thread, against a scan of all threads: times advance; threads become idle, resume and end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include "machine/common/state.h"
#include "machine/trace/threads.h"

enum { CORES = 20, THREADS = 50, STEPS = 20000 };

static uint32_t order_random(uint64_t *state)
{
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(*state >> 33);
}

/* Returns the next thread by a scan in the order of their numbers. */
static struct thread *look_at_each(const struct threads *s, const struct traffic *t, const struct thread *except,
                                   uint64_t *ret_time)
{
  struct thread *best = NULL;
  *ret_time = UINT64_MAX;
  for (unsigned i = 0; i < s->n; i++) {
    struct thread *th = s->thread[i];
    if (!th || th == except || th->status != THREAD_ACTIVE)
      continue;
    const uint64_t time = thread_time(t, th);
    if (!best || time < *ret_time || (time == *ret_time && th->turn < best->turn)) {
      best = th;
      *ret_time = time;
    }
  }
  return best;
}

static unsigned order_count(const struct threads *s, unsigned core, int thread, const struct thread *except)
{
  unsigned n = 0;
  for (unsigned i = 0; i < s->n; i++) {
    const struct thread *th = s->thread[i];
    n += th && th != except && th->status == THREAD_ACTIVE && th->feeder.core == core &&
         (thread < 0 || th->feeder.thread == (unsigned)thread);
  }
  return n;
}

static void expect_as_by_a_look(struct threads *s, const struct traffic *t, const struct thread *one)
{
  uint64_t time, next, least, second, other;
  const struct thread *first = look_at_each(s, t, NULL, &least);
  look_at_each(s, t, first, &second);
  look_at_each(s, t, one, &other);
  assert_ptr_equal(threads_furthest_behind(s, t, &time, &next), first);
  assert_true(time == least && next == second);
  assert_true(threads_other_time(s, t, one) == other);
  assert_int_equal(threads_active(s, one->feeder.core), order_count(s, one->feeder.core, -1, NULL));
  assert_int_equal(threads_active_beside(s, one, true), order_count(s, one->feeder.core, (int)one->feeder.thread, one));
  assert_int_equal(threads_active_beside(s, one, false), order_count(s, one->feeder.core, !one->feeder.thread, one));
}

static void the_next_thread_is_that_of_a_look_at_each(void **state)
{
  struct core_front front[CORES] = {0}, *fronts[CORES];
  struct traffic *t = calloc(1, sizeof *t);
  struct threads s = {0};
  uint64_t random = 1, turns = 0;
  (void)state;
  assert_non_null(t);
  t->front.core = fronts;
  t->config.value[CONFIG_CORE_THREADS] = 2;
  for (unsigned i = 0; i < CORES; i++)
    fronts[i] = &front[i];
  for (unsigned i = 0; i < THREADS; i++) {
    assert_true(threads_make_room(&s));
    struct thread *th = threads_new();
    assert_non_null(th);
    th->number = i;
    th->feeder.core = i % CORES;
    threads_add(&s, t, th);
    threads_set_status(&s, t, th, THREAD_ACTIVE);
  }
  for (unsigned step = 0; step < STEPS && s.alive; step++) {
    struct thread *th = s.thread[s.live[order_random(&random) % s.alive]];
    struct core_front *f = fronts[th->feeder.core];
    expect_as_by_a_look(&s, t, th);
    th->turn = ++turns;
    if (f->thread == th->feeder.thread)
      f->time += order_random(&random) % 4; /* makes equal times frequent */
    else
      f->parked += order_random(&random) % 4;
    if (order_random(&random) % 16 == 0)
      threads_set_status(&s, t, th, th->status == THREAD_ACTIVE ? THREAD_IDLE : THREAD_ACTIVE);
    if (order_random(&random) % 512 == 0) {
      threads_set_status(&s, t, th, THREAD_DONE);
      threads_drop(&s, th);
    }
  }
  assert_true(s.paired && s.alive < THREADS);
  threads_fini(&s);
  free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_next_thread_is_that_of_a_look_at_each)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/*
 * Regions through the library, over a register file with known rates: pmon_session_read() at each begin and end, as in
 * a program that measures itself. Nesting, threads, recursion, unmatched begins and ends, multiplexed events, frozen
 * counters, and an input for each status.
 */
#include "tests/engine/regions_rig.h"

/* Successful allocations before one fails; 0: none fails. */
static unsigned left;
void *__real_calloc(size_t n, size_t size);
void *__real_malloc(size_t size);
void *__real_realloc(void *at, size_t size);
char *__real_strdup(const char *text);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *at, size_t size);
char *__wrap_strdup(const char *text);

static bool allocation_fails(void)
{
  return left && !--left;
}

void *__wrap_calloc(size_t n, size_t size)
{
  return allocation_fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_malloc(size_t size)
{
  return allocation_fails() ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *at, size_t size)
{
  return allocation_fails() ? NULL : __real_realloc(at, size);
}

char *__wrap_strdup(const char *text)
{
  return allocation_fails() ? NULL : __real_strdup(text);
}

static void nested_and_overlapping_regions(void **state)
{
  (void)state;
  regions_begin(ONE_EVENT, NULL);
  work(100);
  enter(0, "outer");
  work(1000);
  for (int i = 0; i < 10; i++) {
    enter(0, "inner");
    work(200);
    leave(0, "inner");
    work(7);
  }
  enter(0, "right");
  work(3000);
  leave(0, "outer");
  work(50);
  leave(0, "right");
  work(10000);
  ok(pmon_session_read(session));
  check("outer", ALL, 1, 6070);
  check("outer", 0, 1, 6070);
  check("inner", ALL, 10, 2000);
  check("right", 0, 1, 3050);
  regions_end();
}

static void recursion_counts_once(void **state)
{
  (void)state;
  regions_begin(ONE_EVENT, NULL);
  for (int call = 0; call < 2; call++) {
    for (int i = 0; i < 4; i++) {
      enter(3, "r");
      work(100);
    }
    for (int i = 0; i < 4; i++) {
      work(10);
      leave(3, "r");
    }
    work(9999);
  }
  check("r", 3, 2, 880);
  check("r", ALL, 2, 880);
  assert_true(info_of("r", 3).missing_ends == 0 && info_of("r", 3).missing_begins == 0);
  regions_end();
}

/* "All threads" is in the region while at least one thread is. */
static void threads_are_counted_alone_and_together(void **state)
{
  (void)state;
  regions_begin(ONE_EVENT, NULL);
  enter(7, "t");
  work(1000);
  enter(UINT64_MAX - 1, "t");
  work(2000);
  leave(7, "t");
  work(4000);
  leave(UINT64_MAX - 1, "t");
  work(500);
  enter(7, "t");
  work(8000);
  leave(7, "t");
  check("t", ALL, 3, 15000);
  check("t", 7, 2, 11000);
  check("t", UINT64_MAX - 1, 1, 6000);
  /* In the order of their first begin, all threads first. */
  assert_int_equal(result_of("t", ALL), 0);
  assert_int_equal(result_of("t", 7), 1);
  assert_int_equal(result_of("t", UINT64_MAX - 1), 2);
  regions_end();
}

static void begins_and_ends_that_do_not_match(void **state)
{
  (void)state;
  regions_begin(ONE_EVENT, NULL);
  leave(1, "a");
  enter(1, "b");
  enter(1, "b");
  enter(2, "b");
  work(100);
  ok(pmon_session_read(session));
  ok(pmon_session_region_close(session, 1));
  work(1000);
  leave(1, "b");
  work(10000);
  ok(pmon_session_read(session));
  ok(pmon_session_region_close(session, ALL));
  work(100000);
  ok(pmon_session_read(session));
  assert_int_equal(info_of("a", 1).missing_begins, 1);
  assert_int_equal(info_of("a", ALL).missing_begins, 1);
  assert_int_equal(info_of("a", ALL).calls, 0);
  assert_string_equal(value_of("a", ALL, 0).reason, "no time was measured");
  assert_int_equal(info_of("b", 1).missing_ends, 2);
  assert_int_equal(info_of("b", 1).missing_begins, 1);
  assert_int_equal(info_of("b", 2).missing_ends, 1);
  assert_int_equal(info_of("b", ALL).missing_ends, 3);
  check("b", 1, 1, 100);
  check("b", 2, 1, 11100);
  check("b", ALL, 2, 11100);
  regions_end();
}

/* Neither a mark nor a pause changes a region's counts. */
static void intervals_and_pauses(void **state)
{
  (void)state;
  regions_begin(ONE_EVENT, NULL);
  enter(0, "r");
  work(1000);
  ok(pmon_session_reset(session));
  work(200);
  ok(pmon_session_stop(session));
  work(50000);
  ok(pmon_session_start(session));
  work(30);
  leave(0, "r");
  check("r", 0, 1, 1230);
  assert_true(fabs(pmon_session_seconds(session) - 230e-9) < 1e-12);
  regions_end();
}

#define FAILS(call, status, text)                                                                                      \
  do {                                                                                                                 \
    assert_int_equal((call), (status));                                                                                \
    if (!strstr(pmon_context_error(context), text))                                                                    \
      fail_msg("\"%s\" lacks \"%s\"", pmon_context_error(context), text);                                              \
  } while (0)

/* A region's metrics know the numbers of instances, although the region has no counters of its own. */
static void instances_are_those_of_the_session(void **state)
{
  (void)state;
  const struct pmon_scope all = {PMON_ALL, PMON_ALL};
  struct pmon_value whole, part;
  fake_init(fake, emr);
  fake->end_ns = UINT64_C(1) << 40;
  plan = rig_plan(emr, NULL, "n=INSTANCES(m2m)+0*m2m/CLOCKTICKS");
  ok(pmon_session_new(plan, &fake->backend, NULL, &session));
  ok(pmon_session_start(session));
  enter(0, "r");
  work(1000);
  leave(0, "r");
  ok(pmon_session_metric(session, 0, &all, &whole));
  ok(pmon_session_metric(pmon_session_region(session, result_of("r", 0)), 0, &all, &part));
  assert_true(whole.valid && whole.number > 1);
  assert_true(part.valid && part.number == whole.number);
  regions_end();
}

static void each_status_has_its_input(void **state)
{
  struct pmon_region_info info = {.size = 0};
  char name[16];
  (void)state;
  fake_init(fake, emr);
  plan = rig_plan(emr, ONE_EVENT, NULL);
  ok(pmon_session_new(plan, &fake->backend, NULL, &session));
  FAILS(pmon_session_region_begin(session, 0, "r"), PMON_E_STATE, "region r: the session has not begun");
  FAILS(pmon_session_region_end(session, 0, "r"), PMON_E_STATE, "region r: the session has not begun");
  ok(pmon_session_start(session));
  for (int end = 0; end < 2; end++) {
    int (*const call)(struct pmon_session *, uint64_t, const char *) =
        end ? pmon_session_region_end : pmon_session_region_begin;
    FAILS(call(session, 0, NULL), PMON_E_INVALID, "a region needs a name");
    FAILS(call(session, 0, ""), PMON_E_INVALID, "a region needs a name");
    FAILS(call(session, ALL, "r"), PMON_E_INVALID, "a name and a thread number");
  }
  FAILS(pmon_session_region_describe(session, 0, &info), PMON_E_RANGE, "does not exist");
  assert_null(pmon_session_region(session, 0));
  ok(pmon_session_region_close(session, 5)); /* of a thread that is in no region */
  /* A name with its first thread takes two results, each further thread one. */
  for (unsigned i = 0; i < PMON_REGIONS_MAX / 2; i++) {
    snprintf(name, sizeof name, "r%u", i);
    ok(pmon_session_region_begin(session, 0, name));
    ok(pmon_session_region_end(session, 0, name));
  }
  FAILS(pmon_session_region_begin(session, 1, "r0"), PMON_E_RANGE, "more than 4096 region results");
  FAILS(pmon_session_region_end(session, 0, "new"), PMON_E_RANGE, "more than 4096 region results");
  ok(pmon_session_region_begin(session, 0, "r0")); /* existing regions continue */
  FAILS(pmon_session_region_describe(session, 0, &info), PMON_E_INVALID, "size");
  regions_end();
}

/* Whichever allocation fails, the call fails, and earlier regions keep their values. */
static void no_memory(void **state)
{
  (void)state;
  for (unsigned at = 1;; at++) {
    regions_begin(ONE_EVENT, NULL);
    enter(0, "before");
    work(100);
    ok(pmon_session_read(session));
    for (unsigned i = 0; i < 14; i++) /* the next one has to grow the table */
      ok(pmon_session_region_end(session, i + 1, "before"));
    left = at;
    const int status = pmon_session_region_begin(session, 0, "r");
    const bool failed = !left;
    left = 0;
    if (failed)
      FAILS(status, PMON_E_MEMORY, "no memory for a region");
    else
      ok(status);
    ok(pmon_session_region_begin(session, 0, "r"));
    work(10);
    leave(0, "r");
    check("before", 0, 1, 110);
    assert_true(info_of("r", 0).seconds > 9e-9);
    regions_end();
    if (!failed) {
      assert_true(at > 8);
      return;
    }
  }
}

static bool stop_at_each_look(void *user, uint64_t now_ns)
{
  (void)now_ns;
  return *(bool *)user = true;
}

/* Stops, as at the marks of a program, while a counter wraps without a sign in the status registers (the fake has
 * none), as can happen between the last look and the freeze: the interval ends nevertheless, at the next run. */
static void an_unseen_overflow_ends_its_interval(void **state)
{
  bool stopped = true, ended;
  struct pmon_value v;
  (void)state;
  regions_begin(ONE_EVENT, &(struct pmon_session_options){.size = sizeof(struct pmon_session_options),
                                                          .every_count = 10000,
                                                          .every_poll_ns = 100,
                                                          .tick = stop_at_each_look,
                                                          .tick_user = &stopped});
  for (unsigned k = 0; k < 3; k++) {
    stopped = true;
    for (unsigned runs = 0; stopped; runs++) {
      stopped = false;
      ok(pmon_session_run(session, UINT64_MAX, &ended));
      assert_true(runs < 200);
    }
    ok(pmon_session_event(session, 0, &(struct pmon_scope){0, PMON_ALL}, &v));
    assert_true(v.valid && v.number >= 10000 && v.number < 20000);
    pmon_session_mark(session);
  }
  regions_end();
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(nested_and_overlapping_regions),
                                     cmocka_unit_test(recursion_counts_once),
                                     cmocka_unit_test(threads_are_counted_alone_and_together),
                                     cmocka_unit_test(begins_and_ends_that_do_not_match),
                                     cmocka_unit_test(intervals_and_pauses),
                                     cmocka_unit_test(instances_are_those_of_the_session),
                                     cmocka_unit_test(each_status_has_its_input),
                                     cmocka_unit_test(no_memory),
                                     cmocka_unit_test(an_unseen_overflow_ends_its_interval)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

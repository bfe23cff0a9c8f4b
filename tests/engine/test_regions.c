/* SPDX-License-Identifier: MIT */
/*
 * Regions through the library, over a register file with known rates: pmon_session_read() at each begin and end, as a
 * program does that measures itself. Nesting, threads, recursion, begins and ends that do not match, multiplexed
 * events, frozen counters, and each status with an input that has it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <pmon/regions.h>
#include "base.h"
#include "fake.h"

/* Allocations until one fails; 0: none does. */
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

static struct fake fake[1];
static struct pmon_plan *plan;
static struct pmon_session *session;

/* A session that has begun; event code n counts n times a nanosecond. */
static void regions_begin(const char *events, const struct pmon_session_options *options)
{
  fake_init(fake, emr);
  fake->end_ns = UINT64_C(1) << 40;
  plan = rig_plan(emr, events, NULL);
  ok(pmon_session_new(plan, &fake->backend, options, &session));
  ok(pmon_session_start(session));
}

static void regions_end(void)
{
  char name[80];
  ok(pmon_session_close(session));
  if (fake_changed(fake, name, sizeof name))
    fail_msg("%s was not restored", name);
  pmon_plan_free(plan);
}

/* The program works for so long. */
static void work(uint64_t ns)
{
  bool ended;
  ok(fake->backend.ops->wait(&fake->backend, fake->now_ns + ns, &(uint64_t){0}, &ended));
}

static void enter(uint64_t thread, const char *name)
{
  ok(pmon_session_read(session));
  ok(pmon_session_region_begin(session, thread, name));
}

static void leave(uint64_t thread, const char *name)
{
  ok(pmon_session_read(session));
  ok(pmon_session_region_end(session, thread, name));
}

/* The number of a result; fails when there is none. */
static uint32_t result_of(const char *name, uint64_t thread)
{
  struct pmon_region_info info = {.size = sizeof info};
  for (uint32_t i = 0; !pmon_session_region_describe(session, i, &info); i++)
    if (!strcmp(info.name, name) && info.thread == thread)
      return i;
  fail_msg("no result of region %s, thread %d", name, (int)thread);
  return 0;
}

static struct pmon_region_info info_of(const char *name, uint64_t thread)
{
  struct pmon_region_info info = {.size = sizeof info};
  ok(pmon_session_region_describe(session, result_of(name, thread), &info));
  return info;
}

static struct pmon_value value_of(const char *name, uint64_t thread, uint32_t event)
{
  struct pmon_value v;
  const struct pmon_session *view = pmon_session_region(session, result_of(name, thread));
  ok(pmon_session_event(view, event, &(struct pmon_scope){0, 0}, &v));
  return v;
}

/* An exact value: event 0 counts 5 a nanosecond. */
static void check(const char *name, uint64_t thread, uint64_t calls, uint64_t ns)
{
  const struct pmon_region_info info = info_of(name, thread);
  const struct pmon_value v = value_of(name, thread, 0);
  if (info.calls != calls || fabs(info.seconds - (double)ns * 1e-9) > 1e-12 || !v.valid || v.flags || v.sigma != 0 ||
      v.number != 5.0 * (double)ns)
    fail_msg("%s, thread %d: %d calls, %.9f s, %.0f", name, (int)thread, (int)info.calls, info.seconds, v.number);
}

#define ALL PMON_REGION_ALL_THREADS
#define ONE_EVENT "imc0/CAS_COUNT.RD/"

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

/* All threads together are in the region while at least one is. */
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
  /* In the order in which they began, all threads first. */
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

/* Neither a mark, nor a pause, changes what a region has counted. */
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

/* Readings take time for which counters are frozen: a region that stays open misses it, and is scaled to its time. A
 * region that begins or ends there does not. */
static void frozen_counters_are_scaled(void **state)
{
  (void)state;
  regions_begin(ONE_EVENT, &(struct pmon_session_options){.size = sizeof(struct pmon_session_options),
                                                          .freeze = PMON_FREEZE_GLOBAL});
  fake->access_ns = 100;
  enter(0, "outer");
  const uint64_t from_ns = fake->now_ns;
  work(1000000);
  enter(0, "inner");
  work(1000000);
  leave(0, "inner");
  work(1000000);
  const uint64_t ns = fake->now_ns - from_ns;
  leave(0, "outer");
  fake->access_ns = 0;
  const struct pmon_value outer = value_of("outer", 0, 0), inner = value_of("inner", 0, 0);
  assert_true(inner.valid && !inner.flags && inner.fraction == 1);
  assert_true(outer.valid && outer.flags & PMON_VALUE_SCALED && outer.fraction < 1);
  assert_true(fabs(outer.number - 5.0 * (double)ns) < 5.0 * 1000);
  assert_true(fabs(info_of("outer", 0).seconds - (double)ns * 1e-9) < 1e-6);
  struct pmon_session_info info = {.size = sizeof info};
  ok(pmon_session_describe(pmon_session_region(session, result_of("inner", 0)), &info));
  assert_int_equal(info.freeze, PMON_FREEZE_GLOBAL);
  assert_true(info.freeze_ns > 0 && info.skew_ns > 0);
  regions_end();
}

static uint64_t random_state;

static uint64_t random_below(uint64_t n)
{
  random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (random_state >> 33) % n;
}

/* Nine events on four counters. A region has a value for the events whose rounds ran in it, scaled to its time and
 * flagged; for the others the reason. At constant rates each value is right but for rounding. */
static void multiplexed_events_have_right_values_or_none(void **state)
{
  static const struct pmon_session_options options = {.size = sizeof options, .slice_ns = 10000};
  unsigned exact = 0, scaled = 0, none = 0;
  (void)state;
  random_state = 1;
  regions_begin("cha0/event=1,umask=1/,cha0/event=2,umask=1/,cha0/event=3,umask=1/,cha0/event=4,umask=1/,"
                "cha0/event=5,umask=1/,cha0/event=6,umask=1/,cha0/event=7,umask=1/,cha0/event=8,umask=1/,"
                "cha0/event=9,umask=1/",
                &options);
  work(1000000);
  for (int k = 0; k < 200; k++) {
    char name[16];
    snprintf(name, sizeof name, "r%d", k < 150 ? k % 50 : k - 100); /* of three calls, or of one */
    enter(0, name);
    for (uint64_t i = random_below(12); i; i--) {
      work(1 + random_below(9000));
      ok(pmon_session_read(session)); /* lets the next round count, where it is due */
    }
    work(1 + random_below(3000));
    leave(0, name);
    work(random_below(20000));
  }
  for (int k = 0; k < 100; k++)
    for (uint32_t event = 0; event < 9; event++) {
      char name[16];
      snprintf(name, sizeof name, "r%d", k);
      const struct pmon_value v = value_of(name, 0, event);
      const double right = (event + 1) * info_of(name, 0).seconds * 1e9;
      if (!v.valid) {
        assert_string_equal(v.reason, "its turn on the counters did not come");
        none++;
        continue;
      }
      if (fabs(v.number - right) > right * 1e-9)
        fail_msg("%s, event %u: %.3f, not %.3f", name, event, v.number, right);
      assert_int_equal((v.flags & PMON_VALUE_SCALED) != 0, v.fraction < 1);
      assert_true(v.fraction == 1 ? v.sigma == 0 : v.sigma > 0);
      scaled += v.fraction < 1;
      exact += v.fraction == 1;
    }
  if (scaled < 100 || none < 5 || !exact)
    fail_msg("%u values scaled, %u exact, %u absent", scaled, exact, none);
  regions_end();
}

#define FAILS(call, status, text)                                                                                      \
  do {                                                                                                                 \
    assert_int_equal((call), (status));                                                                                \
    if (!strstr(pmon_context_error(context), text))                                                                    \
      fail_msg("\"%s\" lacks \"%s\"", pmon_context_error(context), text);                                              \
  } while (0)

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
    FAILS(call(session, ALL, "r"), PMON_E_INVALID, "the number of one thread");
  }
  FAILS(pmon_session_region_describe(session, 0, &info), PMON_E_RANGE, "there are not so many");
  assert_null(pmon_session_region(session, 0));
  ok(pmon_session_region_close(session, 5)); /* of a thread that is in none */
  /* A name and a thread take two results, a further thread one. */
  for (unsigned i = 0; i < PMON_REGIONS_MAX / 2; i++) {
    snprintf(name, sizeof name, "r%u", i);
    ok(pmon_session_region_begin(session, 0, name));
    ok(pmon_session_region_end(session, 0, name));
  }
  FAILS(pmon_session_region_begin(session, 1, "r0"), PMON_E_RANGE, "more than 4096 results");
  FAILS(pmon_session_region_end(session, 0, "new"), PMON_E_RANGE, "more than 4096 results");
  ok(pmon_session_region_begin(session, 0, "r0")); /* those that there are go on */
  FAILS(pmon_session_region_describe(session, 0, &info), PMON_E_INVALID, "size");
  regions_end();
}

static void overflow_intervals_have_no_regions(void **state)
{
  (void)state;
  regions_begin(ONE_EVENT,
                &(struct pmon_session_options){.size = sizeof(struct pmon_session_options), .every_count = 1000});
  FAILS(pmon_session_region_begin(session, 0, "r"), PMON_E_UNSUPPORTED, "region r: overflows end");
  FAILS(pmon_session_region_end(session, 0, "r"), PMON_E_UNSUPPORTED, "region r: overflows end");
  regions_end();
}

/* Whichever allocation fails, that call does, and the regions before it keep their values. */
static void no_memory(void **state)
{
  (void)state;
  for (unsigned at = 1;; at++) {
    regions_begin(ONE_EVENT, NULL);
    enter(0, "before");
    work(100);
    ok(pmon_session_read(session));
    for (unsigned i = 0; i < 14; i++) /* the next has to make room */
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

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(nested_and_overlapping_regions),
                                     cmocka_unit_test(recursion_counts_once),
                                     cmocka_unit_test(threads_are_counted_alone_and_together),
                                     cmocka_unit_test(begins_and_ends_that_do_not_match),
                                     cmocka_unit_test(intervals_and_pauses),
                                     cmocka_unit_test(frozen_counters_are_scaled),
                                     cmocka_unit_test(multiplexed_events_have_right_values_or_none),
                                     cmocka_unit_test(each_status_has_its_input),
                                     cmocka_unit_test(overflow_intervals_have_no_regions),
                                     cmocka_unit_test(no_memory)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

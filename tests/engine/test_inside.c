/* SPDX-License-Identifier: MIT */
/* A program that measures itself: event sets are read, reset, stopped and resumed while time passes. */
#include <stdio.h>
#include <string.h>
#include "machine/machine.h"
#include "machine/pmon/violation.h"
#include "tests/engine/rig.h"

#define SMALL "sockets=1 cores=1 chas=2 imcs=1 upi.links=1 iio.stacks=1"
#define SNBEP "platform=snbep sockets=1 cores=1 chas=1"
#define STREAM "set " SMALL "\nthread 0 on core 0: stream read 256K stride 64\n"

static const char *const clocks[] = {"cha/CLOCKTICKS/", "imc/DCLK/", "imc/CAS_COUNT.RD/", NULL};
static const char *const snbep_clocks[] = {"cbo/CLOCKTICKS/", "imc/CLOCKTICKS/", NULL};

/* Counts of successive readings add up exactly to those of an equal machine that is read at the end only. */
static void readings_add_up(void **state)
{
  static const uint32_t ways[] = {PMON_FREEZE_GLOBAL, PMON_FREEZE_BOX, PMON_FREEZE_NONE, PMON_FREEZE_BOUNDARIES};
  (void)state;
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    double whole[3] = {0}, pieces[3] = {0};
    for (int cut = 0; cut < 2; cut++) {
      struct pmon_backend *b;
      struct machine *m = rig_busy(STREAM, &b);
      struct pmon_set *set = rig_set(emr, b, ways[w], clocks);
      struct pmon_value v[3];
      ok(pmon_set_start(set));
      for (int i = 0; i < 10; i++) {
        rig_work(b, 3001);
        if (!cut && i < 9)
          continue;
        ok(pmon_set_read(set, v, 3));
        for (int k = 0; k < 3; k++) {
          assert_true(v[k].valid && v[k].sigma == 0 && !(v[k].flags & ~(uint32_t)PMON_VALUE_WRAPPED));
          if (cut)
            pieces[k] += v[k].number;
          else
            whole[k] = v[k].number;
        }
        pmon_session_mark(pmon_set_session(set));
      }
      ok(pmon_set_close(set));
      pmon_backend_close(b);
      machine_free(m);
    }
    for (int k = 0; k < 3; k++) {
      assert_true(whole[k] > 100);
      assert_true(pieces[k] == whole[k]);
    }
  }
}

static void reset_starts_from_0(void **state)
{
  struct pmon_backend *b;
  struct machine *m = rig_idle(SMALL, &b);
  struct pmon_set *set = rig_set(emr, b, PMON_FREEZE_BEST, clocks);
  struct pmon_value v, again;
  (void)state;
  ok(pmon_set_start(set));
  rig_work(b, 100000);
  ok(pmon_set_reset(set));
  ok(pmon_set_read(set, &v, 1));
  assert_true(v.valid && v.number == 0);
  rig_work(b, 10000);
  ok(pmon_set_read(set, &v, 1));
  /* two units, 2.2 GHz */
  assert_true(v.number > 2 * 21900 && v.number < 2 * 22100);
  assert_true(pmon_session_seconds(pmon_set_session(set)) == 1e-5);
  ok(pmon_set_stop(set, &again, 1));
  assert_true(again.number == v.number);
  ok(pmon_set_reset(set));
  ok(pmon_set_start(set));
  ok(pmon_set_read(set, &v, 1));
  assert_true(v.valid && v.number == 0);
  ok(pmon_set_close(set));
  pmon_backend_close(b);
  machine_free(m);
}

/* Nothing between stop and start is counted, whether counters are frozen then or not. */
static void stop_leaves_out_and_start_resumes(void **state)
{
  static const struct {
    const struct pmon_platform *const *platform;
    const char *where, *const *events;
    uint32_t freeze;
    double low, high;
  } rows[] = {{&emr, SMALL, clocks, PMON_FREEZE_GLOBAL, 2 * 43900, 2 * 44100},
              {&emr, SMALL, clocks, PMON_FREEZE_BOX, 2 * 43900, 2 * 44100},
              {&emr, SMALL, clocks, PMON_FREEZE_BOUNDARIES, 2 * 43900, 2 * 44100},
              {&emr, SMALL, clocks, PMON_FREEZE_NONE, 2 * 43900, 2 * 44100},
              {&snbep, SNBEP, snbep_clocks, PMON_FREEZE_BEST, 40000, 80000},
              {&snbep, SNBEP, snbep_clocks, PMON_FREEZE_NONE, 40000, 80000}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_backend *b;
    struct machine *m = rig_idle(rows[i].where, &b);
    struct pmon_set *set = rig_set(*rows[i].platform, b, rows[i].freeze, rows[i].events);
    struct pmon_value first, v;
    bool ended;
    ok(pmon_set_start(set));
    rig_work(b, 10000);
    ok(pmon_set_stop(set, &first, 1));
    rig_work(b, 1000000);
    ok(pmon_set_read(set, &v, 1));
    assert_true(v.number == first.number);
    assert_int_equal(pmon_session_run(pmon_set_session(set), UINT64_MAX, &ended), PMON_E_STATE);
    assert_int_equal(pmon_set_stop(set, NULL, 0), PMON_E_STATE);
    ok(pmon_set_start(set));
    ok(pmon_set_read(set, &v, 1));
    assert_true(v.number == first.number);
    rig_work(b, 10000);
    ok(pmon_set_stop(set, &v, 1));
    if (!v.valid || v.number < rows[i].low || v.number > rows[i].high)
      fail_msg("row %zu: %g", i, v.number);
    const double seconds = pmon_session_seconds(pmon_set_session(set));
    assert_true(seconds > 1.99e-5 && seconds < 2.01e-5);
    ok(pmon_set_close(set));
    pmon_backend_close(b);
    machine_free(m);
  }
}

/* Free-running counters belong to the firmware: pmon does not stop them, but leaves a pause out nevertheless. */
static void free_running_counters_are_left_running(void **state)
{
  static const char *const events[] = {"iio/BW_IN_PORT0/", "cha/CLOCKTICKS/", NULL};
  struct pmon_backend *b;
  struct machine *m = rig_idle(SMALL, &b);
  struct pmon_set *set = rig_set(emr, b, PMON_FREEZE_BEST, events);
  struct pmon_value v[2];
  (void)state;
  ok(pmon_set_start(set));
  rig_work(b, 10000);
  ok(pmon_set_stop(set, v, 2));
  assert_true(v[0].valid && v[1].valid && v[1].number > 0);
  rig_work(b, 10000);
  ok(pmon_set_start(set));
  ok(pmon_set_read(set, v, 2));
  assert_true(v[0].valid && v[0].number == 0);
  ok(pmon_set_close(set));
  pmon_backend_close(b);
  machine_free(m);
}

/* More events than counters: each value is a number with its uncertainty, or has a reason. */
static void multiplexed_values_are_flagged(void **state)
{
  static const char *const events[] = {"cha0/CLOCKTICKS/",
                                       "cha0/TOR_INSERTS.IA/",
                                       "cha0/TOR_INSERTS.IA_HIT/",
                                       "cha0/TOR_INSERTS.IA_MISS/",
                                       "cha0/TOR_INSERTS.ALL/",
                                       "cha0/REQUESTS.READS_LOCAL/",
                                       NULL};
  struct pmon_backend *b;
  struct machine *m = rig_idle(SMALL, &b);
  struct pmon_set *set = rig_set(emr, b, PMON_FREEZE_BEST, events);
  struct pmon_value v[6];
  unsigned none = 0;
  (void)state;
  ok(pmon_set_start(set));
  rig_work(b, 1000);
  ok(pmon_set_read(set, v, 6));
  for (int i = 0; i < 6; i++) {
    none += !v[i].valid;
    assert_true(v[i].valid ? (v[i].flags & PMON_VALUE_UNCERTAIN) || v[i].fraction == 1 : *v[i].reason != 0);
  }
  assert_true(none > 0 && none < 6);
  for (int i = 0; i < 40; i++) {
    rig_work(b, 20000);
    ok(pmon_set_read(set, v, 6));
  }
  for (int i = 0; i < 6; i++)
    assert_true(v[i].valid && !(v[i].flags & PMON_VALUE_UNCERTAIN) &&
                (v[i].fraction == 1 || v[i].flags & PMON_VALUE_SCALED));
  assert_true(v[0].number > 2.2 * 801000 * 0.99 && v[0].number < 2.2 * 801000 * 1.01);
  ok(pmon_set_close(set));
  pmon_backend_close(b);
  machine_free(m);
}

static int walk_through(struct pmon_set *set, struct pmon_backend *b)
{
  struct pmon_value v[3];
  int status = pmon_set_start(set);
  rig_work(b, 2000);
  if (!status)
    status = pmon_set_read(set, v, 1);
  if (!status)
    status = pmon_set_reset(set);
  rig_work(b, 2000);
  if (!status)
    status = pmon_set_stop(set, v, 1);
  rig_work(b, 2000);
  if (!status)
    status = pmon_set_start(set);
  rig_work(b, 2000);
  return status ? status : pmon_set_read(set, v, 1);
}

/* Whichever access of a read, reset, stop or resume fails: every register is restored. */
static void each_failing_access_restores_all(void **state)
{
  static const uint32_t ways[] = {PMON_FREEZE_GLOBAL, PMON_FREEZE_BOX, PMON_FREEZE_NONE, PMON_FREEZE_BOUNDARIES};
  (void)state;
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    uint64_t accesses = 1, failed = 0;
    for (uint64_t n = 0; n <= accesses; n += TESTS_STEP) {
      struct pmon_backend *b, *faulty;
      struct machine *m = rig_idle(SMALL, &b);
      char when[80];
      rig_disturb(b, emr);
      struct rig_registers *held = rig_registers_read(b, emr);
      machine_violations_clear(m);
      ok(pmon_backend_inject_new(b, n, &faulty));
      struct pmon_set *set = rig_set(emr, faulty, ways[w], clocks);
      int status = walk_through(set, b);
      assert_true(n || !status);
      failed += status == PMON_E_IO;
      assert_true(!status || *pmon_context_error(context));
      ok(pmon_set_close(set));
      if (!n)
        accesses = pmon_backend_inject_accesses(faulty);
      snprintf(when, sizeof when, "way %u, access %llu failed", ways[w], (unsigned long long)n);
      rig_nothing_broken(m);
      rig_registers_same(b, held, when);
      pmon_backend_close(faulty);
      machine_free(m);
    }
    assert_true(accesses > 30 && failed > accesses / TESTS_STEP / 2 && failed < accesses / TESTS_STEP);
  }
}

static void misuse_is_refused_with_a_text(void **state)
{
  const struct pmon_session_options overflows = {.size = sizeof overflows, .every_count = 1000};
  struct pmon_backend *b;
  struct machine *m = rig_idle(SMALL, &b);
  struct pmon_set *set;
  struct pmon_value v[2];
  (void)state;
  assert_int_equal(pmon_set_new(context, emr, NULL, NULL, &set), PMON_E_INVALID);
  ok(pmon_set_new(context, emr, b, NULL, &set));
  assert_int_equal(pmon_set_start(set), PMON_E_STATE);
  assert_non_null(strstr(pmon_context_error(context), "empty"));
  assert_int_equal(pmon_set_add(set, "cha/NO_SUCH/", NULL), PMON_E_UNKNOWN);
  assert_int_equal(pmon_set_read(set, v, 0), PMON_E_STATE);
  assert_int_equal(pmon_set_reset(set), PMON_E_STATE);
  assert_int_equal(pmon_set_stop(set, v, 0), PMON_E_STATE);
  assert_null(pmon_set_session(set));
  ok(pmon_set_add(set, "cha/CLOCKTICKS/", NULL));
  ok(pmon_set_start(set));
  assert_int_equal(pmon_set_start(set), PMON_E_STATE);
  assert_int_equal(pmon_set_add(set, "imc/DCLK/", NULL), PMON_E_STATE);
  assert_int_equal(pmon_set_read(set, v, 2), PMON_E_RANGE);
  ok(pmon_set_close(set));
  ok(pmon_set_close(NULL));
  ok(pmon_set_new(context, emr, b, &overflows, &set));
  ok(pmon_set_add(set, "cha/CLOCKTICKS/", NULL));
  ok(pmon_set_start(set));
  assert_int_equal(pmon_set_read(set, v, 1), PMON_E_UNSUPPORTED);
  assert_int_equal(pmon_set_stop(set, v, 1), PMON_E_UNSUPPORTED);
  ok(pmon_set_close(set));
  pmon_backend_close(b);
  machine_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(readings_add_up),
      cmocka_unit_test(reset_starts_from_0),
      cmocka_unit_test(stop_leaves_out_and_start_resumes),
      cmocka_unit_test(free_running_counters_are_left_running),
      cmocka_unit_test(multiplexed_values_are_flagged),
      cmocka_unit_test(each_failing_access_restores_all),
      cmocka_unit_test(misuse_is_refused_with_a_text),
  };
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

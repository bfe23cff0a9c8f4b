/* SPDX-License-Identifier: MIT */
/*
 * Two sessions on one backend: each has exactly the counts that it has alone; whichever ends first, every register
 * holds its original content at the end. test_overlap_conflict.c tests sessions that cannot share.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "machine/machine.h"
#include "machine/pmon/violation.h"
#include "tests/engine/rig.h"

#define SMALL "sockets=1 cores=1 chas=2 imcs=1 upi.links=1 iio.stacks=1"
#define STREAM "set " SMALL "\nthread 0 on core 0: stream read 256K stride 64\n"

enum { EVENTS = 3 };

static const uint32_t ways[] = {PMON_FREEZE_GLOBAL, PMON_FREEZE_BOX, PMON_FREEZE_NONE, PMON_FREEZE_BOUNDARIES};
enum { WAYS = sizeof ways / sizeof *ways };

static const char *const firsts[] = {"cha/CLOCKTICKS/", "imc/CAS_COUNT.RD/", "upi/CLOCKTICKS/", NULL};
static const char *const seconds[] = {"cha/TOR_INSERTS.IA/", "imc/DCLK/", "m2m/CLOCKTICKS/", NULL};

/* The points in time of two sessions, or of one of them alone (`who`: bit 0 the first, bit 1 the second). */
struct story {
  struct pmon_set *set[2];
  struct pmon_value values[2][EVENTS];
  unsigned who;
};

static void start(struct story *t, unsigned i)
{
  if (t->who >> i & 1)
    ok(pmon_set_start(t->set[i]));
}

static void read_values(struct story *t, unsigned i)
{
  if (t->who >> i & 1)
    ok(pmon_set_read(t->set[i], t->values[i], EVENTS));
}

static void stop(struct story *t, unsigned i)
{
  if (t->who >> i & 1)
    ok(pmon_set_stop(t->set[i], t->values[i], EVENTS));
}

static void close_set(struct story *t, unsigned i)
{
  if (t->who >> i & 1)
    ok(pmon_set_close(t->set[i]));
}

static void play(struct story *t, unsigned who, const uint32_t freeze[2], unsigned first_to_close)
{
  struct pmon_backend *b;
  struct machine *m = rig_busy(STREAM, &b);
  *t = (struct story){.who = who};
  rig_disturb(b, emr);
  struct rig_registers *held = rig_registers_read(b, emr);
  machine_violations_clear(m);
  for (unsigned i = 0; i < 2; i++)
    if (who >> i & 1)
      t->set[i] = rig_set(emr, b, freeze[i], i ? seconds : firsts);
  start(t, 0);
  rig_work(b, 1501);
  start(t, 1);
  rig_work(b, 2003);
  read_values(t, 1);
  rig_work(b, 1000);
  stop(t, 1);
  rig_work(b, 3001);
  read_values(t, 0);
  rig_work(b, 700);
  start(t, 1);
  rig_work(b, 2500);
  stop(t, 0);
  rig_work(b, 900);
  read_values(t, 1);
  start(t, 0);
  rig_work(b, 1234);
  read_values(t, first_to_close);
  close_set(t, first_to_close);
  rig_work(b, 4321);
  read_values(t, !first_to_close);
  close_set(t, !first_to_close);
  rig_nothing_broken(m);
  rig_registers_same(b, held, first_to_close ? "the second ended first" : "the first ended first");
  pmon_backend_close(b);
  machine_free(m);
}

static void each_counts_what_it_counts_alone(void **state)
{
  (void)state;
  for (size_t w = 0; w < WAYS * WAYS * 2; w++) {
    const uint32_t freeze[2] = {ways[w / 2 % WAYS], ways[w / 2 / WAYS]};
    struct story both, alone;
    play(&both, 3, freeze, w & 1);
    for (unsigned i = 0; i < 2; i++) {
      play(&alone, 1u << i, freeze, w & 1);
      for (int k = 0; k < EVENTS; k++) {
        const struct pmon_value *v = &both.values[i][k], *want = &alone.values[i][k];
        assert_true(want->valid && want->number > 50);
        if (!v->valid || v->number != want->number || v->flags != want->flags || v->sigma != want->sigma)
          fail_msg("ways %u and %u, %s: %.15g, alone %.15g %s", freeze[0], freeze[1], (i ? seconds : firsts)[k],
                   v->number, want->number, v->reason);
      }
    }
  }
}

/* A session that was never started, or that was stopped, changes nothing of the other at its close. */
static void any_state_at_close_restores(void **state)
{
  (void)state;
  for (unsigned how = 0; how < WAYS * 8; how++) {
    struct pmon_backend *b;
    struct machine *m = rig_idle(SMALL, &b);
    struct pmon_session *s[2];
    struct pmon_plan *plan[2];
    const struct pmon_session_options options = {.size = sizeof options, .freeze = ways[how / 8]};
    rig_disturb(b, emr);
    struct rig_registers *held = rig_registers_read(b, emr);
    machine_violations_clear(m);
    for (unsigned i = 0; i < 2; i++) {
      plan[i] = rig_plan(emr, i ? "cha/TOR_INSERTS.IA/,imc/DCLK/" : "cha/CLOCKTICKS/,imc/CAS_COUNT.RD/", NULL);
      ok(pmon_session_new(plan[i], b, &options, &s[i]));
    }
    assert_int_equal(pmon_session_conflicts(s[1], NULL, NULL), 0);
    if (how & 1)
      ok(pmon_session_start(s[0]));
    ok(pmon_session_start(s[1]));
    if (how & 2)
      ok(pmon_session_stop(s[1]));
    rig_work(b, 1000);
    ok(pmon_session_close(s[how >> 2 & 1]));
    rig_work(b, 1000);
    ok(pmon_session_close(s[!(how >> 2 & 1)]));
    rig_nothing_broken(m);
    rig_registers_same(b, held, "closed");
    pmon_plan_free(plan[0]);
    pmon_plan_free(plan[1]);
    pmon_backend_close(b);
    machine_free(m);
  }
}

static int second_walks_through(struct pmon_set *set, struct pmon_backend *b)
{
  struct pmon_value v;
  int status = pmon_set_start(set);
  rig_work(b, 1000);
  if (!status)
    status = pmon_set_read(set, &v, 1);
  rig_work(b, 1000);
  if (!status)
    status = pmon_set_stop(set, &v, 1);
  rig_work(b, 1000);
  if (!status)
    status = pmon_set_start(set);
  rig_work(b, 1000);
  const int closed = pmon_set_close(set);
  return status ? status : closed;
}

/* Whichever access of the second session fails, also while it restores: the first session counts as if it were alone,
 * and all registers are restored. */
static void a_failing_second_leaves_the_first_right(void **state)
{
  (void)state;
  for (size_t w = 0; w < WAYS; w++) {
    uint64_t before = 0, accesses = 0, failed = 0;
    double alone[EVENTS] = {0};
    for (uint64_t n = 0; n <= accesses; n++) {
      struct pmon_backend *b, *faulty;
      struct machine *m = rig_busy(STREAM, &b);
      struct pmon_value v[EVENTS];
      rig_disturb(b, emr);
      struct rig_registers *held = rig_registers_read(b, emr);
      ok(pmon_backend_inject_new(b, n, &faulty));
      struct pmon_set *first = rig_set(emr, faulty, ways[w], firsts);
      struct pmon_set *second = rig_set(emr, faulty, ways[w % 2], seconds);
      ok(pmon_set_start(first));
      before = pmon_backend_inject_accesses(faulty);
      int status = second_walks_through(second, b);
      accesses = n ? accesses : pmon_backend_inject_accesses(faulty);
      failed += status == PMON_E_IO;
      rig_work(b, 1000);
      ok(pmon_set_read(first, v, EVENTS));
      for (int i = 0; i < EVENTS; i++) {
        alone[i] = n ? alone[i] : v[i].number;
        if (!v[i].valid || v[i].flags || v[i].number != alone[i] || v[i].number < 50)
          fail_msg("way %zu, access %llu failed: %s counts %.15g, not %.15g", w, (unsigned long long)n, firsts[i],
                   v[i].number, alone[i]);
      }
      ok(pmon_set_close(first));
      char when[80];
      snprintf(when, sizeof when, "way %zu, access %llu failed", w, (unsigned long long)n);
      rig_registers_same(b, held, when);
      pmon_backend_close(faulty);
      machine_free(m);
      n = n ? n : before; /* the accesses of the first session are tested elsewhere */
    }
    assert_true(accesses > before + 30 && failed > (accesses - before) / 3);
  }
}

/* A backend whose accesses take time, as those of hardware. */
struct slow {
  struct pmon_backend base;
  uint64_t access_ns;
};

static struct slow *slow_of(struct pmon_backend *b)
{
  return (struct slow *)(void *)b;
}

static int slow_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  rig_work(b->inner, slow_of(b)->access_ns);
  return b->inner->ops->read(b->inner, a, ret_value);
}

static int slow_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  rig_work(b->inner, slow_of(b)->access_ns);
  return b->inner->ops->write(b->inner, a, value);
}

static int slow_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  return b->inner->ops->wait(b->inner, until_ns, ret_now_ns, ret_ended);
}

static void slow_close(struct pmon_backend *b)
{
  pmon_backend_close(b->inner);
}

/* While the second session is read, counters of the first session are frozen. This time is in no count and in no second
 * of the first session; where only some of its counters were frozen, their counts are flagged as scaled. */
static void frozen_time_is_left_out(void **state)
{
  static const struct pmon_backend_ops ops = {sizeof ops, "slow", slow_read, slow_write, slow_wait, slow_close};
  static const char *const first_events[] = {"cha/CLOCKTICKS/", "upi/CLOCKTICKS/", NULL};
  static const char *const second_events[] = {"cha/TOR_INSERTS.IA/", NULL};
  static const uint32_t kinds[] = {PMON_FREEZE_GLOBAL, PMON_FREEZE_BOX};
  (void)state;
  for (int k = 0; k < 2; k++) {
    struct slow slow = {.access_ns = 200};
    struct pmon_value v[2];
    struct pmon_backend *b;
    struct machine *m = rig_idle(SMALL, &b);
    slow.base = (struct pmon_backend){.ops = &ops, .packages = 1, .inner = b};
    struct pmon_set *first = rig_set(emr, &slow.base, PMON_FREEZE_NONE, first_events);
    struct pmon_set *second = rig_set(emr, &slow.base, kinds[k], second_events);
    ok(pmon_set_start(first));
    ok(pmon_set_start(second));
    ok(pmon_set_reset(first));
    const uint64_t from_ns = pmon_session_now_ns(pmon_set_session(first));
    for (int i = 0; i < 50; i++) {
      rig_work(b, 20000);
      ok(pmon_set_read(second, NULL, 0));
    }
    ok(pmon_set_read(first, v, 2));
    const double span = pmon_session_seconds(pmon_set_session(first));
    assert_true(v[0].valid && v[1].valid);
    if (fabs(v[0].number / span / 4.4e9 - 1) > 0.01)
      fail_msg("kind %d: %g counts in %g s", k, v[0].number, span);
    assert_int_equal((v[0].flags & PMON_VALUE_SCALED) != 0, k == 1);
    assert_int_equal((v[1].flags & PMON_VALUE_SCALED) != 0, 0);
    const double elapsed = (double)(pmon_session_now_ns(pmon_set_session(first)) - from_ns) * 1e-9;
    /* each reading of the second session makes five or more accesses while the counters are frozen */
    if (k ? fabs(span - elapsed) > 1e-6 || v[0].fraction > 0.99 : span > elapsed - 50 * 4 * 200e-9)
      fail_msg("kind %d: %g s of %g s, fraction %g", k, span, elapsed, v[0].fraction);
    ok(pmon_set_close(second));
    ok(pmon_set_close(first));
    pmon_backend_close(&slow.base);
    machine_free(m);
  }
}

/* Two sessions measure the same workload to its end: the session that is closed leaves the other's counters running. */
static void an_ended_run_leaves_the_other_running(void **state)
{
  struct pmon_backend *b;
  struct machine *m = rig_idle(SMALL, &b);
  struct pmon_plan *one = rig_plan(emr, "cha/CLOCKTICKS/", NULL), *two = rig_plan(emr, "upi/CLOCKTICKS/", NULL);
  struct pmon_session *s[2];
  struct pmon_value v, again;
  bool ended = false;
  const struct pmon_scope all = {PMON_ALL, PMON_ALL};
  (void)state;
  ok(pmon_session_new(one, b, NULL, &s[0]));
  ok(pmon_session_new(two, b, NULL, &s[1]));
  ok(pmon_session_start(s[0]));
  ok(pmon_session_start(s[1]));
  for (int i = 0; i < 3; i++) {
    ok(pmon_session_run(s[0], pmon_session_now_ns(s[0]) + 10000, &ended));
    assert_true(ended);
    ok(pmon_session_event(s[0], 0, &all, &v));
    rig_work(b, 10000);
    ok(pmon_session_read(s[0]));
    ok(pmon_session_event(s[0], 0, &all, &again));
    assert_true(again.number == v.number);
    ok(pmon_session_read(s[1]));
  }
  assert_true(v.number > 3 * 2 * 21900 && v.number < 3 * 2 * 22100);
  ok(pmon_session_event(s[1], 0, &all, &v));
  assert_true(v.valid && v.number > 50000);
  ok(pmon_session_close(s[0]));
  ok(pmon_session_close(s[1]));
  pmon_plan_free(one);
  pmon_plan_free(two);
  pmon_backend_close(b);
  machine_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_counts_what_it_counts_alone),        cmocka_unit_test(any_state_at_close_restores),
      cmocka_unit_test(a_failing_second_leaves_the_first_right), cmocka_unit_test(frozen_time_is_left_out),
      cmocka_unit_test(an_ended_run_leaves_the_other_running),
  };
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

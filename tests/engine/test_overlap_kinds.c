/* SPDX-License-Identifier: MIT */
/*
 * Two sessions on one backend, beyond test_overlap.c: on Montecito, where one register freezes a thread's counters;
 * both multiplexed; and with a journal each, when the process is killed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/engine/dying.h"
#include "tests/engine/fake.h"
#include "tests/engine/rig.h"
#include "machine/machine.h"
#include "machine/montecito/machine.h"
#include "machine/montecito/stream/stream.h"

#define SMALL "sockets=1 cores=1 chas=2 imcs=1 upi.links=1 iio.stacks=1"

enum { EVENTS = 6 };

static struct montecito_machine *generated(const char *what, struct pmon_backend **ret_backend)
{
  struct montecito_machine *m;
  struct montecito_source *source;
  char error[200] = "";
  if (montecito_generator_open(what, error, sizeof error, &source))
    fail_msg("%s", error);
  assert_int_equal(montecito_machine_new(&m), 0);
  montecito_machine_attach(m, source);
  ok(montecito_backend_new(m, ret_backend));
  return m;
}

static const char *const firsts[] = {"CPU_OP_CYCLES.ALL", "IA64_INST_RETIRED.THIS", "L1I_READS", NULL};
static const char *const seconds[] = {"CPU_OP_CYCLES.ALL", "NOPS_RETIRED", "INST_DISPERSED", NULL};

/* `who`: bit 0 the first session, bit 1 the second. Each acts at the same times, whether alone or not. The sessions
 * overlap in every way: one begins, stops, resumes and ends while the other counts. */
static void montecito_story(unsigned who, const uint32_t freeze[2], unsigned first_to_close,
                            struct pmon_value values[2][EVENTS])
{
  struct pmon_backend *b;
  struct montecito_machine *m = generated("mixed:400000", &b);
  struct pmon_set *set[2] = {NULL, NULL};
  /* The counters hold 0: they lose any other value when they are off while a session counts on the thread (Table
   * 3-5). */
  struct rig_registers *held = rig_registers_read(b, montecito);
  for (unsigned i = 0; i < 2; i++)
    if (who >> i & 1)
      set[i] = rig_set(montecito, b, freeze[i], i ? seconds : firsts);
  ok(set[0] ? pmon_set_start(set[0]) : 0);
  rig_work(b, 1500);
  ok(set[1] ? pmon_set_start(set[1]) : 0);
  rig_work(b, 2000);
  ok(set[0] ? pmon_set_read(set[0], NULL, 0) : 0);
  rig_work(b, 1100);
  ok(set[1] ? pmon_set_stop(set[1], NULL, 0) : 0);
  rig_work(b, 900);
  ok(set[1] ? pmon_set_start(set[1]) : 0);
  rig_work(b, 1300);
  for (unsigned k = 0; k < 2; k++) {
    const unsigned i = first_to_close ^ k;
    ok(set[i] ? pmon_set_read(set[i], values[i], 3) : 0);
    ok(pmon_set_close(set[i]));
    rig_work(b, 700);
  }
  char when[80];
  snprintf(when, sizeof when, "sessions %u, freeze %u and %u, %u closes first", who, freeze[0], freeze[1],
           first_to_close);
  rig_registers_same(b, held, when);
  pmon_backend_close(b);
  montecito_machine_free(m);
}

static void on_montecito_each_counts_what_it_counts_alone(void **state)
{
  static const uint32_t ways[] = {PMON_FREEZE_BOX, PMON_FREEZE_NONE, PMON_FREEZE_BOUNDARIES};
  (void)state;
  for (unsigned w = 0; w < 3 * 3 * 2; w++) {
    const uint32_t freeze[2] = {ways[w / 2 % 3], ways[w / 6]};
    struct pmon_value both[2][EVENTS], alone[2][EVENTS];
    montecito_story(3, freeze, w & 1, both);
    montecito_story(1, freeze, w & 1, alone);
    montecito_story(2, freeze, w & 1, alone);
    for (unsigned i = 0; i < 2; i++)
      for (int k = 0; k < 3; k++) {
        const struct pmon_value *v = &both[i][k], *want = &alone[i][k];
        assert_true(want->valid && want->number > 0);
        if (!v->valid || v->number != want->number || v->flags != want->flags)
          fail_msg("freeze %u and %u, %s: %.15g (flags %u), alone %.15g (flags %u) %s", freeze[0], freeze[1],
                   (i ? seconds : firsts)[k], v->number, v->flags, want->number, want->flags, v->reason);
      }
  }
}

/* Twelve counters per thread, five events per session: the third session is multiplexed on two counters, the fourth is
 * refused with the event's name. Events of one set select the set for each other: a counter of another session excludes
 * them. */
static void on_montecito_what_does_not_fit_is_refused(void **state)
{
  static const struct {
    const char *events[6];
    unsigned fit;
  } rows[] = {
      {{"CPU_OP_CYCLES.ALL", "IA64_INST_RETIRED.THIS", "L1I_READS", "NOPS_RETIRED", "INST_DISPERSED"}, 3},
      {{"STORES_RETIRED"}, 1},
  };
  (void)state;
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    struct pmon_backend *b;
    struct montecito_machine *m = generated("mixed:1000", &b);
    struct pmon_set *set[8];
    unsigned n = 0;
    int status = 0;
    struct rig_registers *held = rig_registers_read(b, montecito);
    while (!status && n < 8) {
      set[n] = rig_set(montecito, b, PMON_FREEZE_BEST, rows[r].events);
      status = pmon_set_start(set[n++]);
    }
    assert_int_equal(status, PMON_E_CONFLICT);
    assert_int_equal(n, rows[r].fit + 1);
    assert_non_null(strstr(pmon_context_error(context), "(instance 0, package 0) is used by session 1 for pmu/"));
    for (unsigned i = 0; i < n; i++)
      ok(pmon_set_close(set[i]));
    rig_registers_same(b, held, "refused");
    pmon_backend_close(b);
    montecito_machine_free(m);
  }
}

/* 3.3.5: the range of one session would act on the events of the other, which set none. */
static void on_montecito_a_range_of_another_session_is_refused(void **state)
{
  static const char *const ranges[][2] = {{"IA64_INST_RETIRED", NULL},
                                          {"pmu/IA64_INST_RETIRED,IBR0.addr=0x1000/", NULL}};
  (void)state;
  for (unsigned order = 0; order < 2; order++) {
    struct pmon_backend *b;
    struct montecito_machine *m = generated("mixed:1000", &b);
    struct pmon_set *first = rig_set(montecito, b, PMON_FREEZE_BEST, ranges[order]);
    struct pmon_set *second = rig_set(montecito, b, PMON_FREEZE_BEST, ranges[!order]);
    ok(pmon_set_start(first));
    assert_int_equal(pmon_set_start(second), PMON_E_CONFLICT);
    assert_non_null(strstr(pmon_context_error(context), "is used by session 1 for pmu/IA64_INST_RETIRED"));
    ok(pmon_set_close(first));
    ok(pmon_set_close(second));
    pmon_backend_close(b);
    montecito_machine_free(m);
  }
}

/* Each session is multiplexed on the counters that it has; a clock event in each shows that no session's time is
 * attributed to the other. */
static void two_multiplexed_sessions_estimate_right(void **state)
{
  static const char *const one[] = {"cha0/CLOCKTICKS/",
                                    "cha0/TOR_INSERTS.IA/",
                                    "cha0/TOR_INSERTS.ALL/",
                                    "cha0/TOR_INSERTS.IA_HIT/",
                                    "cha0/TOR_INSERTS.IA_MISS/",
                                    "imc0/DCLK/",
                                    NULL};
  static const char *const two[] = {"cha1/CLOCKTICKS/",
                                    "cha1/TOR_INSERTS.IA/",
                                    "cha1/TOR_INSERTS.ALL/",
                                    "cha1/TOR_INSERTS.IA_HIT/",
                                    "cha1/TOR_INSERTS.IA_MISS/",
                                    "m2m0/CLOCKTICKS/",
                                    NULL};
  static const uint32_t ways[] = {PMON_FREEZE_GLOBAL, PMON_FREEZE_BOX, PMON_FREEZE_NONE, PMON_FREEZE_BOUNDARIES};
  (void)state;
  for (unsigned w = 0; w < 16; w++) {
    struct pmon_backend *b;
    struct machine *m = rig_idle(SMALL, &b);
    struct pmon_value v[2][EVENTS];
    bool scaled;
    rig_disturb(b, emr);
    struct rig_registers *held = rig_registers_read(b, emr);
    struct pmon_set *set[2] = {rig_set(emr, b, ways[w % 4], one), rig_set(emr, b, ways[w / 4], two)};
    ok(pmon_set_start(set[0]));
    ok(pmon_set_start(set[1]));
    const uint64_t begun_ns = pmon_session_now_ns(pmon_set_session(set[0]));
    for (int i = 0; i < 60; i++) {
      rig_work(b, 20000);
      ok(pmon_set_read(set[i & 1], NULL, 0));
      ok(pmon_set_read(set[!(i & 1)], NULL, 0));
    }
    for (int i = 0; i < 2; i++) {
      ok(pmon_set_read(set[i], v[i], EVENTS));
      const double ns = (double)(pmon_session_now_ns(pmon_set_session(set[i])) - begun_ns);
      assert_true(v[i][0].valid);
      scaled = false;
      for (int k = 0; k < EVENTS; k++)
        scaled |= v[i][k].flags & PMON_VALUE_SCALED && v[i][k].fraction < 0.99;
      assert_true(scaled);
      if (fabs(v[i][0].number / (2.2 * ns) - 1) > 0.02)
        fail_msg("freeze %u and %u, session %d: %.10g clock ticks in %.10g ns", ways[w % 4], ways[w / 4], i,
                 v[i][0].number, ns);
      for (int k = 1; k < EVENTS - 1; k++)
        assert_true(v[i][k].valid && v[i][k].number == 0);
      assert_true(v[i][EVENTS - 1].valid && v[i][EVENTS - 1].number > 0);
    }
    ok(pmon_set_close(set[w & 1]));
    ok(pmon_set_close(set[!(w & 1)]));
    rig_nothing_broken(m);
    rig_registers_same(b, held, "two multiplexed sessions");
    pmon_backend_close(b);
    machine_free(m);
  }
}

/* Both sessions share a filter: each journal has the filter's original content, also that of the second session, which
 * begins while the first one's values are in the filter. False: the sessions ended before they ran out of writes. */
static bool both_die(uint64_t writes, struct fake *fake, char journals[2][80])
{
  struct dying d;
  struct pmon_plan *plan[2] = {rig_plan(snbep, "cbo0/TOR_INSERTS.OPCODE,opc=0x182/,imc0/CAS_COUNT.RD/", NULL),
                               rig_plan(snbep, "cbo0/TOR_INSERTS.MISS_OPCODE,opc=0x182/,ha/CLOCKTICKS/", NULL)};
  struct pmon_session *s[2] = {NULL, NULL};
  int status = 0;
  fake_init(fake, snbep);
  dying_init(&d, &fake->backend, writes);
  for (int i = 0; !status && i < 2; i++) {
    const struct pmon_session_options options = {.size = sizeof options, .journal = journals[i]};
    status = pmon_session_new(plan[i], &d.backend, &options, &s[i]);
    if (!status)
      status = pmon_session_start(s[i]);
  }
  for (int i = 0; !status && i < 2; i++)
    status = pmon_session_read(s[i]);
  for (int i = 0; i < 2; i++) {
    const int closed = s[i] ? pmon_session_close(s[i]) : 0;
    status = status ? status : closed;
    pmon_plan_free(plan[i]);
  }
  return status != 0;
}

static void journals_of_both_restore_in_any_order(void **state)
{
  static struct fake fake;
  char folder[] = "/tmp/pmon-overlap-XXXXXX", journals[2][80];
  uint64_t most = 0;
  (void)state;
  assert_non_null(mkdtemp(folder));
  for (int i = 0; i < 2; i++)
    snprintf(journals[i], sizeof journals[i], "%s/%d", folder, i);
  for (unsigned order = 0; order < 2; order++)
    for (uint64_t writes = 1; both_die(writes, &fake, journals); writes++) {
      char name[80] = "";
      unsigned there = 0;
      for (unsigned k = 0; k < 2; k++) {
        uint32_t n = 0;
        if (access(journals[order ^ k], F_OK))
          continue;
        there++;
        ok(pmon_restore(context, &fake.backend, journals[order ^ k], &n));
      }
      if (!there || fake_changed(&fake, name, sizeof name))
        fail_msg("order %u, dead after %llu writes, %u journals: %s is not restored", order, (unsigned long long)writes,
                 there, name);
      most = writes > most ? writes : most;
    }
  assert_true(most > 20);
  assert_int_equal(access(journals[0], F_OK), -1);
  assert_int_equal(access(journals[1], F_OK), -1);
  rmdir(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(on_montecito_each_counts_what_it_counts_alone),
      cmocka_unit_test(on_montecito_what_does_not_fit_is_refused),
      cmocka_unit_test(on_montecito_a_range_of_another_session_is_refused),
      cmocka_unit_test(two_multiplexed_sessions_estimate_right),
      cmocka_unit_test(journals_of_both_restore_in_any_order),
  };
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

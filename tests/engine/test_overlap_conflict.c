/* SPDX-License-Identifier: MIT */
/*
 * A second session on a backend gets free counters, or is refused with the names of the used resource and of the
 * session that uses it.
 */
#include <math.h>
#include <string.h>
#include "machine/machine.h"
#include "tests/engine/rig.h"

#define SMALL "sockets=1 cores=1 chas=2 imcs=1 upi.links=1 iio.stacks=1"
#define SNBEP "platform=snbep sockets=1 cores=1 chas=1"

enum { EVENTS = 3 };

/* An event on several instances gets a counter that is free on all of them; what does not fit is multiplexed. */
static void taken_counters_are_avoided(void **state)
{
  static const char *const three[] = {"cha0/TOR_INSERTS.IA/", "cha0/CLOCKTICKS/", "cha1/CLOCKTICKS/", NULL};
  static const char *const more[] = {"cha/REQUESTS.READS_LOCAL/", "cha/TOR_INSERTS.ALL/", "cha/CLOCKTICKS/", NULL};
  struct pmon_backend *b, *wrapped;
  struct machine *m = rig_idle(SMALL, &b);
  struct pmon_value v[EVENTS];
  (void)state;
  struct pmon_set *first = rig_set(emr, b, PMON_FREEZE_BEST, three);
  ok(pmon_set_start(first));
  /* A wrapper reaches the same registers. */
  ok(pmon_backend_inject_new(b, 0, &wrapped));
  struct pmon_set *second = rig_set(emr, wrapped, PMON_FREEZE_BEST, more);
  ok(pmon_set_start(second));
  for (int i = 0; i < 20; i++) {
    rig_work(b, 20000);
    ok(pmon_set_read(second, v, EVENTS));
  }
  for (int i = 0; i < EVENTS; i++)
    assert_true(v[i].valid && (v[i].fraction == 1 || v[i].flags & PMON_VALUE_SCALED));
  assert_true(v[2].number > 2 * 2.2 * 399000 && v[2].number < 2 * 2.2 * 401000);
  ok(pmon_set_read(first, v, EVENTS));
  for (int i = 1; i < EVENTS; i++)
    assert_true(v[i].valid && !v[i].flags && v[i].number > 2.2 * 399000 && v[i].number < 2.2 * 401000);
  ok(pmon_set_close(second));
  ok(pmon_set_close(first));
  pmon_backend_close(wrapped);
  machine_free(m);
}

/* In a multiplexed session, a unit that is not multiplexed uses its counters in every round: these are taken, others
 * are free. */
static void counters_of_every_round_are_avoided(void **state)
{
  static const char *const first[] = {"cha0/CLOCKTICKS/",
                                      "cha0/TOR_INSERTS.IA/",
                                      "cha0/TOR_INSERTS.IA_HIT/",
                                      "cha0/TOR_INSERTS.IA_MISS/",
                                      "cha0/TOR_INSERTS.ALL/",
                                      "imc0/CLOCKTICKS/",
                                      NULL};
  static const char *const second[] = {"imc0/CLOCKTICKS/", NULL};
  struct pmon_backend *b;
  struct machine *m = rig_idle(SMALL, &b);
  struct pmon_value v[6], own;
  (void)state;
  struct pmon_set *one = rig_set(emr, b, PMON_FREEZE_BEST, first);
  ok(pmon_set_start(one));
  struct pmon_set *two = rig_set(emr, b, PMON_FREEZE_BEST, second);
  ok(pmon_set_start(two));
  rig_work(b, 400000);
  ok(pmon_set_read(two, &own, 1));
  ok(pmon_set_read(one, v, 6));
  assert_true(own.valid && v[5].valid && own.number > 0 && v[5].number > 0);
  assert_true(fabs(own.number / v[5].number - 1) < 0.02);
  ok(pmon_set_close(two));
  ok(pmon_set_close(one));
  pmon_backend_close(b);
  machine_free(m);
}

static void must_be_refused(const struct pmon_platform *platform, struct pmon_backend *b, const char *event,
                            const char *const *words)
{
  struct pmon_session *s;
  struct pmon_plan *plan = rig_plan(platform, event, NULL);
  assert_int_equal(pmon_session_new(plan, b, NULL, &s), PMON_E_CONFLICT);
  for (; *words; words++)
    if (!strstr(pmon_context_error(context), *words))
      fail_msg("no \"%s\" in: %s", *words, pmon_context_error(context));
  pmon_plan_free(plan);
}

static const struct {
  const struct pmon_platform *const *platform;
  const char *where, *first[7], *second, *words[6];
} rows[] = {
    {&emr,
     SMALL,
     {"cha0/CLOCKTICKS/", "cha0/TOR_INSERTS.IA/", "cha0/TOR_INSERTS.IA_HIT/", "cha0/TOR_INSERTS.IA_MISS/"},
     "cha/REQUESTS.READS_LOCAL/",
     {"cha/REQUESTS.READS_LOCAL/", "instance 0, package 0", "session 1", "cha0/", NULL}},
    {&emr, /* multiplexed; some events have a counter all the time */
     SMALL,
     {"cha0/CLOCKTICKS/", "cha0/TOR_INSERTS.IA/", "cha0/TOR_INSERTS.IA_HIT/", "cha0/TOR_INSERTS.IA_MISS/",
      "cha0/TOR_INSERTS.ALL/", "cha0/REQUESTS.READS_LOCAL/"},
     "cha0/REQUESTS.WRITES_LOCAL/",
     {"cha0/REQUESTS.WRITES_LOCAL/", "instance 0, package 0", "session 1", "cha0/", NULL}},
    {&emr, /* this event needs one counter, of which one instance is used */
     SMALL,
     {"cha0/TOR_OCCUPANCY.IA/"},
     "cha0/TOR_OCCUPANCY.IA_HIT/",
     {"cha0/TOR_OCCUPANCY.IA_HIT/", "(instance 0, package 0)", "session 1 for cha0/TOR_OCCUPANCY.IA/"}},
    {&emr, SMALL, {"imc/DCLK/"}, "imc0/DCLK/", {"imc0/DCLK/", "instance 0, package 0", "session 1 for imc/DCLK/"}},
    {&snbep,
     SNBEP,
     {"cbo/TOR_INSERTS.OPCODE,opc=0x182/"},
     "cbo0/TOR_INSERTS.OPCODE,opc=0x187/",
     {"opc=0x187", "FILTER", "session 1 for", "0x182"}},
    {&snbep, /* the second session's match value would act on the first one's events, which set none */
     SNBEP,
     {"qpi/CTO_COUNT/"},
     "qpi0/CTO_COUNT,MATCH0.MC=0xe,MASK0.MC=0xf/",
     {"MC=0xe", "PKT_MA", "session 1 for qpi/CTO_COUNT/", NULL}},
    {&snbep,
     SNBEP,
     {"cbo/TOR_INSERTS.MISS_ALL,tid_en=1/"},
     "cbo0/TOR_INSERTS.OPCODE,opc=0x182/",
     {"opc=0x182", "FILTER", "session 1 for", "tid_en", NULL}},
    {&snbep,
     SNBEP,
     {"ha/ADDR_OPC_MATCH.FILT,opc=1/"},
     "ha/ADDR_OPC_MATCH.FILT,lo_addr=5/",
     {"lo_addr=0x5", "MATCH", "session 1 for", "opc=0x1", NULL}},
    {&snbep, SNBEP, {"pcu/DEMOTIONS_CORE0/"}, "pcu/FREQ_BAND0_CYCLES,filt7_0=1/", {"filt7_0=0x1", "FILTER", NULL}},
    {&emr,
     SMALL,
     {"cha/CLOCKTICKS,tid_en=1/"},
     "cha0/CLOCKTICKS,tid=core0.1/",
     {"tid=0x1", "FILTER", "session 1 for", NULL}},
};

/* The message names the event, the register and the session that uses it; once that session is closed, the same plan is
 * accepted. */
static void what_does_not_fit_is_refused_by_name(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_backend *b;
    struct machine *m = rig_idle(rows[i].where, &b);
    struct rig_registers *held = rig_registers_read(b, *rows[i].platform);
    struct pmon_set *first = rig_set(*rows[i].platform, b, PMON_FREEZE_BEST, rows[i].first);
    struct pmon_session *s;
    ok(pmon_set_start(first));
    must_be_refused(*rows[i].platform, b, rows[i].second, rows[i].words);
    rig_work(b, 1000);
    struct pmon_value v;
    ok(pmon_set_read(first, &v, 1));
    assert_true(v.valid);
    ok(pmon_set_close(first));
    struct pmon_plan *plan = rig_plan(*rows[i].platform, rows[i].second, NULL);
    ok(pmon_session_new(plan, b, NULL, &s));
    ok(pmon_session_start(s));
    ok(pmon_session_close(s));
    pmon_plan_free(plan);
    rig_registers_same(b, held, rows[i].second);
    pmon_backend_close(b);
    machine_free(m);
  }
}

/* Sessions that need the same filter value share the filter. */
static void equal_filters_are_shared(void **state)
{
  static const char *const first[] = {"cbo/TOR_INSERTS.OPCODE,opc=0x182/", NULL};
  static const char *const second[] = {"cbo/TOR_INSERTS.MISS_OPCODE,opc=0x182/", NULL};
  (void)state;
  for (int order = 0; order < 2; order++) {
    struct pmon_backend *b;
    struct machine *m = rig_idle(SNBEP, &b);
    rig_disturb(b, snbep);
    struct rig_registers *held = rig_registers_read(b, snbep);
    struct pmon_set *set[2] = {rig_set(snbep, b, PMON_FREEZE_BEST, first), rig_set(snbep, b, PMON_FREEZE_BEST, second)};
    struct pmon_value v;
    ok(pmon_set_start(set[0]));
    ok(pmon_set_start(set[1]));
    rig_work(b, 1000);
    ok(pmon_set_close(set[order]));
    rig_work(b, 1000);
    ok(pmon_set_read(set[!order], &v, 1));
    assert_true(v.valid && !(v.flags & PMON_VALUE_INVALID));
    ok(pmon_set_close(set[!order]));
    rig_registers_same(b, held, "a shared filter");
    pmon_backend_close(b);
    machine_free(m);
  }
}

/* An overflow freezes whole packages: a session with overflows excludes others there. */
static void overflows_exclude_other_sessions(void **state)
{
  const struct pmon_session_options overflows = {.size = sizeof overflows, .every_count = 1000};
  struct pmon_backend *b;
  struct machine *m = rig_idle(SMALL, &b);
  struct pmon_plan *one = rig_plan(emr, "cha/CLOCKTICKS/", NULL), *two = rig_plan(emr, "imc/CAS_COUNT.RD/", NULL);
  struct pmon_session *s, *other;
  (void)state;
  ok(pmon_session_new(one, b, &overflows, &s));
  assert_int_equal(pmon_session_new(two, b, NULL, &other), PMON_E_CONFLICT);
  assert_non_null(strstr(pmon_context_error(context), "session 1"));
  ok(pmon_session_close(s));
  ok(pmon_session_new(two, b, NULL, &other));
  assert_int_equal(pmon_session_new(one, b, &overflows, &s), PMON_E_CONFLICT);
  ok(pmon_session_close(other));
  pmon_plan_free(one);
  pmon_plan_free(two);
  pmon_backend_close(b);
  machine_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(taken_counters_are_avoided),           cmocka_unit_test(counters_of_every_round_are_avoided),
      cmocka_unit_test(what_does_not_fit_is_refused_by_name), cmocka_unit_test(equal_filters_are_shared),
      cmocka_unit_test(overflows_exclude_other_sessions),
  };
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

/* SPDX-License-Identifier: MIT */
/*
 * Faults of hardware, on the emulated machine: another program writes a control register or a counter, a unit reads as
 * all ones from some time on, a unit is off. Each is reported as what it is, on its instance, and never as a number;
 * the counts of other instances are unaffected.
 */
#include <stdio.h>
#include <string.h>
#include "machine/machine.h"
#include "tests/engine/rig.h"

#define EMR "set sockets=1 cores=1 chas=2 imcs=1 upi.links=1 iio.stacks=1\nthread 0 on core 0: spin 1M\n"
#define SNBEP "set platform=snbep sockets=1 cores=2 chas=2\nthread 0 on core 0: spin 1M\n"
enum { MIDDLE_NS = 20000, END_NS = 30000 };

/* From `from_ns` on, registers of one instance of a unit read as all ones, or do not change. */
enum lie { LIE_NONE, LIE_ONES, LIE_STILL };
struct liar {
  struct pmon_backend backend;
  struct pmon_backend *inner;
  const struct pmon_platform *platform;
  uint32_t unit, instance;
  enum lie lie;
  uint64_t now_ns, from_ns;
};

static struct liar *truth_of(struct pmon_backend *b)
{
  return (struct liar *)(void *)b;
}

static int liar_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  struct liar *l = truth_of(b);
  struct pmon_register_info info = {.size = sizeof info};
  struct pmon_register_id id;
  int status = l->inner->ops->read(l->inner, a, ret_value);
  if (status || !l->lie || l->now_ns < l->from_ns || pmon_register_find(l->platform, a, &id) || id.unit != l->unit ||
      id.instance != l->instance || pmon_register_describe(l->platform, id.unit, id.reg, &info))
    return status;
  if (l->lie == LIE_ONES)
    *ret_value = UINT64_MAX;
  else if (info.role == PMON_ROLE_CTR)
    *ret_value = 0;
  return 0;
}

static int liar_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  return truth_of(b)->inner->ops->write(truth_of(b)->inner, a, value);
}

static int liar_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  int status = truth_of(b)->inner->ops->wait(truth_of(b)->inner, until_ns, ret_now_ns, ret_ended);
  truth_of(b)->now_ns = *ret_now_ns;
  return status;
}

static void liar_close(struct pmon_backend *b)
{
  pmon_backend_close(truth_of(b)->inner);
}

static const struct pmon_backend_ops liar_ops = {sizeof liar_ops, "liar", liar_read, liar_write, liar_wait, liar_close};

struct trial {
  const char *name, *scenario, *platform, *unit, *events;
  enum lie lie;
  uint64_t from_ns;
  enum pmon_role written; /* by another program in the middle, on instance 1; PMON_ROLE_N: nothing */
  uint64_t value;         /* what is written */
  uint32_t flag;
  const char *reason;
};

#define CHA "cha/TOR_INSERTS.IA_MISS_DRD/,cha/CLOCKTICKS/"
#define CBO "cbo/TOR_INSERTS.MISS_ALL/,cbo/CLOCKTICKS/"
static const struct trial trials[] = {
    {"emr control", EMR, "emr", "cha", CHA, LIE_NONE, 0, PMON_ROLE_CTL, 0x150, PMON_VALUE_STOLEN, "other software"},
    {"emr counter", EMR, "emr", "cha", "cha/CLOCKTICKS/", LIE_NONE, 0, PMON_ROLE_CTR, 1, PMON_VALUE_BACKWARDS,
     "backwards"},
    {"emr ones", EMR, "emr", "cha", CHA, LIE_ONES, MIDDLE_NS, PMON_ROLE_N, 0, PMON_VALUE_UNAVAILABLE, "cannot be read"},
    {"emr still", EMR, "emr", "cha", CHA, LIE_STILL, 0, PMON_ROLE_N, 0, PMON_VALUE_STUCK, "clock"},
    {"snbep control", SNBEP, "snbep", "cbo", CBO, LIE_NONE, 0, PMON_ROLE_CTL, 0x400001, PMON_VALUE_STOLEN,
     "other software"},
    {"snbep counter", SNBEP, "snbep", "cbo", "cbo/CLOCKTICKS/", LIE_NONE, 0, PMON_ROLE_CTR, 1, PMON_VALUE_BACKWARDS,
     "backwards"},
    {"snbep ones", SNBEP, "snbep", "cbo", CBO, LIE_ONES, MIDDLE_NS, PMON_ROLE_N, 0, PMON_VALUE_UNAVAILABLE,
     "cannot be read"},
    {"snbep still", SNBEP, "snbep", "cbo", CBO, LIE_STILL, 0, PMON_ROLE_N, 0, PMON_VALUE_STUCK, "clock"},
};

/* Writes all registers of this role on instance 1 whose counters are in use. */
static void disturb(const struct trial *t, struct liar *l)
{
  struct pmon_register_info info = {.size = sizeof info};
  for (uint32_t r = 0; !pmon_register_describe(l->platform, l->unit, r, &info); r++)
    for (uint32_t i = 0; info.role == (uint32_t)t->written && i < info.count; i++) {
      const struct pmon_register_id id = {.unit = l->unit, .reg = r, .instance = 1, .index = i};
      struct pmon_address a;
      uint64_t old;
      ok(pmon_register_address(l->platform, &id, &a));
      if (!l->inner->ops->read(l->inner, &a, &old) && old)
        ok(l->inner->ops->write(l->inner, &a, t->value));
    }
}

static void truth_try(const struct trial *t)
{
  struct liar l = {.backend = {.ops = &liar_ops}, .instance = 1, .lie = t->lie, .from_ns = t->from_ns};
  struct machine *m = rig_busy(t->scenario, &l.inner);
  struct pmon_session *s;
  struct pmon_value v;
  bool ended;
  l.backend.packages = l.inner->packages;
  ok(pmon_platform_find(context, t->platform, &l.platform));
  ok(pmon_unit_find(l.platform, t->unit, &l.unit));
  struct pmon_plan *plan = rig_plan(l.platform, t->events, NULL);
  ok(pmon_session_new(plan, &l.backend, NULL, &s));
  ok(pmon_session_start(s));
  ok(pmon_session_run(s, MIDDLE_NS, &ended));
  disturb(t, &l);
  ok(pmon_session_run(s, END_NS, &ended));
  for (uint32_t event = 0; pmon_plan_event(plan, event); event++) {
    ok(pmon_session_event(s, event, &(struct pmon_scope){0, 1}, &v));
    if (v.valid || !(v.flags & t->flag) || !strstr(v.reason, t->reason))
      fail_msg("%s, event %u: %g, flags 0x%x, \"%s\"", t->name, event, v.number, v.flags, v.valid ? "" : v.reason);
    ok(pmon_session_event(s, event, &(struct pmon_scope){0, PMON_ALL}, &v));
    assert_false(v.valid); /* no sum of part of the instances */
    ok(pmon_session_event(s, event, &(struct pmon_scope){0, 0}, &v));
    assert_true(v.valid && v.flags == 0);
  }
  ok(pmon_session_close(s));
  liar_close(&l.backend);
  machine_free(m);
  pmon_plan_free(plan);
}

static void errors_are_reported(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
    truth_try(&trials[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(errors_are_reported)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

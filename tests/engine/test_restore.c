/* SPDX-License-Identifier: MIT */
/*
 * Whichever access fails, the first, the second, ..., the last: every register holds its original content afterwards.
 * Tested for each way of freezing, with intervals that overflows end, and with samples. Without a failure, no
 * programming rule of the guide is violated.
 */
#include <stdio.h>
#include <string.h>
#include "tests/engine/cores.h"
#include "machine/check/check.h"
#include "machine/montecito/machine.h"
#include "machine/machine.h"
#include "machine/pmon/violation.h"
#include "tests/engine/rig.h"

#define EMR "sockets=1 cores=1 chas=2 imcs=1 upi.links=1 iio.stacks=1"
#define SNBEP "platform=snbep sockets=1 cores=1 chas=1"
#define WIDE "cha/TOR_OCCUPANCY.IA_HIT_DRD/,imc/DCLK/,upi/CLOCKTICKS/,iio/BW_IN_PORT0/,m2m/CLOCKTICKS/"
#define ROUNDS                                                                                                         \
  "cha0/TOR_INSERTS.IA/,cha0/TOR_INSERTS.IA_HIT/,cha0/TOR_INSERTS.IA_MISS/,cha0/TOR_INSERTS.ALL/,"                     \
  "cha0/REQUESTS.READS_LOCAL/,imc0/DCLK/"
#define TURNS "cbo0/CLOCKTICKS/,cbo0/TOR_OCCUPANCY.ALL/,cbo0/TOR_INSERTS.MISS_ALL/,imc0/CAS_COUNT.RD/,pcu/CLOCKTICKS/"
#define LOOP                                                                                                           \
  "b 0x4000 mii ld=0x10000,l2,lat=9 nop nop\nstall exe.gr 60\n"                                                        \
  "b 0x4010 mib nop nop br=0x4000,taken,right\nstall exe.gr 60\n"

struct trial {
  const char *name, *platform, *where, *events; /* where: the machine's settings, or a stream of bundles */
  struct pmon_session_options options;
  const char *wanted; /* the sample source; NULL: none */
  bool advice;        /* the guide advises against this */
};
#define OPTIONS(...)                                                                                                   \
  {                                                                                                                    \
    .size = sizeof(struct pmon_session_options), .slice_ns = 20000, __VA_ARGS__                                        \
  }

static const struct trial trials[] = {
    {"emr", "emr", EMR, WIDE, OPTIONS(.freeze = PMON_FREEZE_BEST), NULL, false},
    {"emr, rounds", "emr", EMR, ROUNDS, OPTIONS(.freeze = PMON_FREEZE_GLOBAL), NULL, false},
    {"emr, box", "emr", EMR, "cha0/CLOCKTICKS/,imc0/DCLK/,upi0/CLOCKTICKS/", OPTIONS(.freeze = PMON_FREEZE_BOX), NULL,
     false},
    {"emr, none", "emr", EMR, "cha0/CLOCKTICKS/,imc0/DCLK/,upi0/CLOCKTICKS/", OPTIONS(.freeze = PMON_FREEZE_NONE), NULL,
     true},
    {"emr, overflow", "emr", EMR, "cha0/CLOCKTICKS/,cha1/CLOCKTICKS/", OPTIONS(.every_count = 50000), NULL, false},
    {"snbep", "snbep", SNBEP, TURNS, OPTIONS(.freeze = PMON_FREEZE_BEST), NULL, false},
    {"snbep, none", "snbep", SNBEP, TURNS, OPTIONS(.freeze = PMON_FREEZE_NONE), NULL, true},
    {"montecito", "montecito", LOOP LOOP LOOP LOOP, "CPU_OP_CYCLES.ALL,DATA_EAR_EVENTS", OPTIONS(.freeze = 0), NULL,
     false},
    {"montecito, ranges", "montecito", LOOP LOOP LOOP LOOP,
     "IA64_INST_RETIRED,pmu/IA64_INST_RETIRED,IBR0.addr=0x1000/,pmu/DATA_REFERENCES_SET0,DBR0.addr=8,PMC33.match=1/",
     OPTIONS(.freeze = 0), NULL, false},
    {"montecito, overflow", "montecito", LOOP LOOP LOOP LOOP, "CPU_OP_CYCLES.ALL", OPTIONS(.every_count = 200), NULL,
     false},
    {"montecito, loads", "montecito", LOOP LOOP LOOP LOOP, "DATA_EAR_EVENTS", OPTIONS(.every_count = 2), "dcache",
     false},
    {"montecito, branches", "montecito", LOOP LOOP LOOP LOOP, "ETB_EVENT", OPTIONS(.every_count = 4), "branches",
     false},
};

/* The machine of a trial, and its saved registers. */
struct world {
  struct machine *machine;
  struct montecito_machine *cores;
  struct pmon_backend *backend;
};

static void restore_begin(const struct trial *t, struct world *w)
{
  *w = (struct world){0};
  if (strcmp(t->platform, "montecito"))
    w->machine = rig_idle(t->where, &w->backend);
  else
    w->cores = cores_busy(t->where, &w->backend);
  /* The session starts with frozen threads: a counter that runs while its thread is off loses its value (Table 3-5). */
  for (uint32_t thread = 0; w->cores && thread < w->backend->packages; thread++)
    ok(w->backend->ops->write(w->backend,
                              &(struct pmon_address){.package = thread, .space = PMON_SPACE_PMC, .width_bits = 64}, 1));
}

static void restore_end(struct world *w, struct pmon_backend *backend)
{
  pmon_backend_close(backend);
  machine_free(w->machine);
  montecito_machine_free(w->cores);
}

static void violations_clear(struct world *w)
{
  if (w->machine)
    machine_violations_clear(w->machine);
  else
    montecito_machine_violations_clear(w->cores);
}

static void nothing_broken(const struct world *w, struct checker *c, const struct trial *t, bool advice_too)
{
  const struct check_finding *list;
  const struct machine_violation *v;
  if (w->machine ? machine_violations(w->machine, &v) : montecito_machine_violations(w->cores, &v))
    fail_msg("%s: %s.%s: %s (%s)", t->name, v->name, v->field, v->rule, v->section);
  assert_int_equal(check_errors(c), 0);
  if (advice_too && check_findings(c, &list))
    fail_msg("%s: %s = 0x%llx, access %llu: %s (%s)", t->name, list->name, (unsigned long long)list->value,
             (unsigned long long)list->access, list->brief, list->cite);
}

static void restore_take(void *user, const struct pmon_sample *sample)
{
  *(unsigned *)user += sample->flags != 0;
}

/* Runs one session whose access number fail_at fails (0: none). Returns the number of accesses made. */
static uint64_t run_once(const struct trial *t, struct pmon_plan *plan, uint64_t fail_at, int *ret_status)
{
  const struct pmon_platform *platform;
  struct pmon_session_options options = t->options;
  struct pmon_backend *faulty, *checked;
  struct pmon_session *s = NULL;
  struct pmon_sample_source wanted = {.size = sizeof wanted};
  struct checker *checker;
  struct world w;
  unsigned samples = 0;
  bool ended = false;
  char when[80];
  ok(pmon_platform_find(context, t->platform, &platform));
  restore_begin(t, &w);
  rig_disturb(w.backend, platform);
  struct rig_registers *held = rig_registers_read(w.backend, platform);
  violations_clear(&w);
  ok(check_new(platform, &checker));
  ok(pmon_backend_inject_new(w.backend, fail_at, &faulty));
  ok(check_backend_new(faulty, checker, &checked));
  options.every_poll_ns = w.machine ? 5000 : 100;
  options.sample = restore_take;
  options.sample_user = &samples;
  if (t->wanted) {
    ok(pmon_sample_source_parse(context, platform, t->wanted, &wanted));
    options.source = &wanted;
  }
  int status = pmon_session_new(plan, checked, &options, &s);
  if (!status)
    status = pmon_session_start(s);
  /* Without a workload the machine is always at the workload's end; time passes nevertheless. */
  while (!status && (w.machine ? pmon_session_now_ns(s) < 60000 : !ended))
    status = pmon_session_run(s, w.machine ? 60000 : UINT64_MAX, &ended);
  assert_int_equal(pmon_session_close(s), 0);
  check_end(checker);
  snprintf(when, sizeof when, "%s, access %llu failed", t->name, (unsigned long long)fail_at);
  nothing_broken(&w, checker, t, !fail_at && !t->advice);
  rig_registers_same(w.backend, held, when);
  assert_true(fail_at == 1 || check_accesses(checker) > 0);
  if (!fail_at && t->wanted)
    assert_true(samples >= 2);
  check_free(checker);
  uint64_t accesses = pmon_backend_inject_accesses(faulty);
  restore_end(&w, checked);
  *ret_status = status;
  return accesses;
}

static void all_registers_are_restored(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
    const struct pmon_platform *platform;
    int status;
    ok(pmon_platform_find(context, trials[i].platform, &platform));
    struct pmon_plan *plan = rig_plan(platform, trials[i].events, NULL);
    uint64_t accesses = run_once(&trials[i], plan, 0, &status);
    ok(status);
    uint64_t failed = 0;
    for (uint64_t n = 1; n <= accesses; n += TESTS_STEP) {
      run_once(&trials[i], plan, n, &status);
      failed += status == PMON_E_IO;
    }
    print_message("%s: %llu accesses, %llu of them fail the session\n", trials[i].name, (unsigned long long)accesses,
                  (unsigned long long)failed);
    /* restoring accesses are retried */
    assert_true(accesses > 30 && failed > accesses / TESTS_STEP / 3 && failed < accesses / TESTS_STEP);
    pmon_plan_free(plan);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_registers_are_restored)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

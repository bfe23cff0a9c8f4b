/* SPDX-License-Identifier: MIT */
/* Every invariant of the facts on the emulated machine under several loads; violations are found. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "machine/machine.h"
#include "tests/engine/rig.h"
#include "src/metric/expr.h"

#define SMALL "set sockets=2 cores=4 chas=4 imcs=2 upi.links=1 iio.stacks=2\n"

static const char *const scenarios[] = {
    SMALL "set numa=interleave\nseed 3\nthread 0 on core 0: stream read 256K stride 64 times 2\n"
          "thread 1 on core 1: random modify 512K count 6k\nthread 2 on core 5: copy 256K times 2\n"
          "thread 3 on core 6: random prefetch 1M count 3k\n",
    SMALL "set numa=interleave\nthread 0 on core 0: stream write 64K stride 64 shared ring times 60\n"
          "thread 1 on core 4: stream read 64K stride 64 shared ring times 60\n"
          "thread 2 on core 5: random past-caches 256K count 40k\nthread 3 on core 2: stream flush 128K stride 64\n",
    SMALL "dma write 8GB/s stack 0 port 0 for 700us\ndma read 8GB/s stack 1 port 1 for 700us\n"
          "dma write 2GB/s stack 1 port 0 partial for 700us\nthread 0 on core 1: chase 512K\n"};

/* Counts of events on both sockets, all instances; up to four are measured in one run, as all runs are equal. */
enum { COUNTED = 64 };
struct counted {
  char name[COUNTED][96];
  double count[COUNTED];
  unsigned n;
  const char *unit;
};

static void add_name(struct counted *c, const char *name)
{
  for (unsigned i = 0; i < c->n; i++)
    if (!strcmp(c->name[i], name))
      return;
  assert_true(c->n < COUNTED);
  snprintf(c->name[c->n++], sizeof *c->name, "%s", name);
}

/* Returns a plan of the events from `first` on that fit into one round, and their number. */
static struct pmon_plan *plan_some(const struct counted *c, unsigned first, unsigned *ret_n)
{
  struct pmon_plan_info info = {.size = sizeof info};
  for (unsigned n = c->n - first < 4 ? c->n - first : 4;; n--) {
    char text[4 * 128] = "";
    for (unsigned i = 0, at = 0; i < n; i++)
      at += (unsigned)snprintf(text + at, sizeof text - at, "%s%s/%s/", i ? "," : "", c->unit, c->name[first + i]);
    struct pmon_plan *plan = rig_plan(emr, text, NULL);
    ok(pmon_plan_describe(plan, &info));
    *ret_n = n;
    if (n == 1 || info.rounds == 1)
      return plan;
    pmon_plan_free(plan);
  }
}

/* Returns the number of events counted. */
static unsigned count_some(struct counted *c, unsigned first, const char *scenario)
{
  struct pmon_backend *backend;
  struct pmon_value v;
  unsigned n;
  struct pmon_plan *plan = plan_some(c, first, &n);
  struct machine *m = rig_busy(scenario, &backend);
  struct pmon_session *s = rig_session(plan, backend, NULL, UINT64_MAX);
  for (unsigned i = 0; i < n; i++) {
    ok(pmon_session_event(s, i, &(struct pmon_scope){PMON_ALL, PMON_ALL}, &v));
    assert_true(v.valid && v.flags == 0);
    c->count[first + i] = v.number;
  }
  ok(pmon_session_close(s));
  pmon_backend_close(backend);
  machine_free(m);
  pmon_plan_free(plan);
  return n;
}

static void look_up(void *user, const struct expr_name *name, struct expr_value *ret)
{
  const struct counted *c = user;
  *ret = (struct expr_value){0};
  for (unsigned i = 0; i < c->n; i++)
    if (!strcmp(c->name[i], name->name)) {
      ret->number = c->count[i];
      ret->valid = true;
    }
  assert_true(ret->valid);
}

/* Checks an invariant whose events do not fit into one round, from separate runs. Returns the sum of both sides. */
static double check_apart(const struct pmon_invariant_info *invariant, const char *scenario)
{
  static struct counted c;
  struct expr *e;
  struct expr_error error;
  struct expr_value v;
  char equation[512];
  const char *sign = strstr(invariant->holds, "==");
  assert_non_null(sign);
  memset(&c, 0, sizeof c);
  c.unit = invariant->unit;
  snprintf(equation, sizeof equation, "%.*s - (%s)", (int)(sign - invariant->holds), invariant->holds, sign + 2);
  assert_int_equal(expr_parse(equation, NULL, NULL, &error, &e), 0);
  for (uint32_t i = 0; i < e->n_names; i++)
    add_name(&c, e->names[i].name);
  double sum = 0;
  for (unsigned i = 0; i < c.n;)
    i += count_some(&c, i, scenario);
  for (unsigned i = 0; i < c.n; i++)
    sum += c.count[i];
  assert_int_equal(expr_evaluate(e, look_up, &c, &v), 0);
  expr_free(e);
  if (!v.valid || fabs(v.number) > 1e-9 * sum)
    fail_msg("%s does not hold: %s, off by %g of %g", invariant->name, invariant->holds, v.number, sum);
  return sum;
}

static void invariants_hold_in_each_scenario(void **state)
{
  struct pmon_invariant_info invariant = {.size = sizeof invariant};
  struct pmon_plan *plan = rig_invariants(emr);
  uint32_t n = 0, together_n = 0;
  double moved = 0;
  bool together;
  (void)state;
  for (size_t k = 0; k < sizeof scenarios / sizeof *scenarios; k++) {
    const uint32_t checked = rig_check_invariants(plan, scenarios[k]);
    for (n = together_n = 0; !pmon_plan_invariant(plan, n, &invariant, &together); n++) {
      together_n += together;
      if (!together && k < 2)
        moved += check_apart(&invariant, scenarios[k]);
    }
    if (checked != together_n)
      fail_msg("scenario %zu: %u of %u invariants checked", k, checked, together_n);
  }
  print_message("%u invariants\n", n);
  assert_true(n > 30 && together_n > 30 && moved > 1000);
  pmon_plan_free(plan);
}

/* Invariants that cost no counters are checked; a violation caused by a wrongly set register is reported with its
 * numbers. */
static void invariant_violation_is_reported(void **state)
{
  struct pmon_plan *plan;
  struct pmon_plan_info info = {.size = sizeof info};
  struct pmon_invariant_info invariant = {.size = sizeof invariant};
  struct pmon_backend *backend;
  struct rig_broken seen = {0};
  uint32_t checked = 0;
  bool together = false, ended = false;
  (void)state;
  struct machine *m = rig_busy(scenarios[0], &backend);
  ok(pmon_plan_new(context, emr, &plan));
  ok(pmon_plan_add_events(plan, "imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/,imc/CAS_COUNT.ALL/"));
  ok(pmon_plan_add_invariants(plan, false));
  ok(pmon_plan_schedule(plan));
  ok(pmon_plan_describe(plan, &info));
  assert_int_equal(info.events, 3);
  ok(pmon_plan_invariant(plan, 0, &invariant, &together));
  assert_string_equal(invariant.name, "imc.cas-parts");
  assert_true(together);
  assert_int_equal(pmon_plan_invariant(plan, 1, &invariant, &together), PMON_E_RANGE);
  struct pmon_session *s;
  ok(pmon_session_new(plan, backend, NULL, &s));
  ok(pmon_session_start(s));
  /* Another program adds counts that never happened to counter 1 of the first controller. */
  struct pmon_address a = {.space = PMON_SPACE_MMIO, .width_bits = 64, .device = 0, .offset = 0x22808};
  uint64_t value;
  assert_int_equal(machine_read(m, &a, &value), 0);
  assert_int_equal(machine_write(m, &a, value + 5), 0);
  while (!ended)
    ok(pmon_session_run(s, UINT64_MAX, &ended));
  ok(pmon_session_check_invariants(s, rig_note_broken, &seen, &checked));
  assert_int_equal(checked, 1);
  assert_int_equal(seen.n, 1);
  assert_non_null(strstr(seen.text, "imc.cas-parts of package 0, instance 0: "));
  ok(pmon_session_close(s));
  pmon_backend_close(backend);
  machine_free(m);
  pmon_plan_free(plan);
}

/* Requested events that fit into one round share it, whether or not invariants are checked, and this round has the
 * first slice: a run of one slice gives each of them a value. */
static void requested_events_count_first(void **state)
{
  enum { SLICE = 50000, SEEDS = 10, EVENTS = 4 };
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed += TESTS_STEP) {
    const struct pmon_session_options options = {.size = sizeof options, .slice_ns = SLICE, .seed = seed};
    struct pmon_plan_info info = {.size = sizeof info};
    struct pmon_backend *backend;
    struct pmon_plan *plan;
    struct pmon_value v;
    struct machine *m = rig_busy(scenarios[0], &backend);
    ok(pmon_plan_new(context, emr, &plan));
    ok(pmon_plan_add_events(plan,
                            "imc/CAS_COUNT.RD/,cha/TOR_INSERTS.IA/,upi/RxL_FLITS.ALL_DATA/,m2m/DIRECT2UPI_TAKEN/"));
    ok(pmon_plan_add_invariants(plan, true));
    ok(pmon_plan_schedule(plan));
    ok(pmon_plan_describe(plan, &info));
    assert_true(info.rounds > 2 * EVENTS);
    /* The first slice is a fiftieth as long as later ones. */
    struct pmon_session *s = rig_session(plan, backend, &options, SLICE / 50);
    for (uint32_t i = 0; i < EVENTS; i++) {
      ok(pmon_session_event(s, i, &(struct pmon_scope){PMON_ALL, PMON_ALL}, &v));
      if (!v.valid && strstr(v.reason, "turn"))
        fail_msg("seed %u, event %u: %s", (unsigned)seed, i, v.reason);
    }
    ok(pmon_session_close(s));
    pmon_backend_close(backend);
    machine_free(m);
    pmon_plan_free(plan);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(invariants_hold_in_each_scenario),
                                     cmocka_unit_test(invariant_violation_is_reported),
                                     cmocka_unit_test(requested_events_count_first)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

/* SPDX-License-Identifier: MIT */
/*
 * The witness: the event that pmon adds to a plan whose events are all multiplexed. Tests when one is added, that it
 * takes no counter from anyone, and that it shows what rounds missed. tests/uncertainty measures how much narrower
 * intervals become.
 */
#include <string.h>
#include <pmon/set.h>
#include "machine/machine.h"
#include "src/plan/witness.h"
#include "tests/engine/rig.h"

#define CHA                                                                                                            \
  "cha/TOR_INSERTS.IA/,cha/TOR_INSERTS.IA_MISS/,cha/TOR_INSERTS.IO/,cha/LLC_LOOKUP.ALL/,cha/TOR_INSERTS.IA_HIT/,"      \
  "cha/TOR_INSERTS.IA_MISS_DRD/,cha/TOR_INSERTS.IA_MISS_RFO/,cha/TOR_INSERTS.IA_HIT_DRD/"
#define IMC "imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/,imc/ACT_COUNT.ALL/,imc/RPQ_INSERTS.PCH0/"
#define MORE_IMC ",imc/WPQ_INSERTS.PCH0/,imc/WPQ_INSERTS.PCH1/,imc/PRE_COUNT.PGT/,imc/RPQ_INSERTS.PCH1/"
/* A burst in the middle; one of two rounds counts at its beginning. */
#define BURST                                                                                                          \
  "set sockets=1 cores=2 chas=2 imcs=1 upi.links=1 iio.stacks=1 l2.size=64K\n"                                         \
  "thread 0 on core 0: sleep 600us\nthread 0 on core 0: stream modify 192K stride 64\nthread 0 on core 0: sleep "      \
  "600us\n"                                                                                                            \
  "thread 1 on core 1: random read 48K count 200k\n"

static const struct pmon_scope all = {PMON_ALL, PMON_ALL};

static struct pmon_plan *plan_of(const char *events, bool witness)
{
  struct pmon_plan *plan;
  ok(pmon_plan_new(context, emr, &plan));
  ok(pmon_plan_add_events(plan, events));
  ok(pmon_plan_set_witness(plan, witness));
  ok(pmon_plan_schedule(plan));
  return plan;
}

/* The ring events of a CBo count on counters that its request events cannot use, and show LLC hits. */
static void caching_agents_have_one_of_their_own(void **state)
{
  static const struct {
    const char *events, *first, *second;
  } cases[] = {{"cbo/LLC_LOOKUP.DATA_READ,state=0x1f/,cbo/LLC_VICTIMS.M_STATE/,cbo/LLC_VICTIMS.S_STATE/,"
                "cbo/LLC_VICTIMS.E_STATE/",
                "cbo/RING_BL_USED.UP_EVEN,umask=0xf/", "ha/TRACKER_INSERTS.ALL/"},
               {"cbo/RING_AD_USED.UP_EVEN/,cbo/RING_AD_USED.UP_ODD/,cbo/RING_AD_USED.DOWN_EVEN/,"
                "cbo/RING_AD_USED.DOWN_ODD/",
                "ha/TRACKER_INSERTS.ALL/", NULL}, /* the ring events' counters are in use */
               {"imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/,imc/ACT_COUNT/,imc/RPQ_INSERTS/,imc/WPQ_INSERTS/,"
                "imc/PRE_COUNT.PAGE_MISS/,imc/RPQ_CYCLES_NE/,imc/WPQ_CYCLES_NE/",
                "ha/TRACKER_INSERTS.ALL/", NULL}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct pmon_backend *backend;
    struct machine *m = rig_busy(
        "set platform=snbep sockets=1 cores=2 chas=2\nthread 0 on core 0: random read 48K count 20k\n", &backend);
    struct pmon_plan *plan = rig_plan(snbep, cases[i].events, NULL);
    struct pmon_session_info info = {.size = sizeof info};
    struct pmon_session *s = rig_session(plan, backend, NULL, UINT64_MAX);
    const struct pmon_event *second = pmon_plan_witness(plan, 1);
    assert_non_null(pmon_plan_witness(plan, 0));
    assert_string_equal(pmon_event_name(pmon_plan_witness(plan, 0)), cases[i].first);
    assert_true(cases[i].second ? second && !strcmp(pmon_event_name(second), cases[i].second) : !second);
    ok(pmon_session_describe(s, &info));
    assert_int_equal(info.witnesses, cases[i].second ? 2 : 1);
    ok(pmon_session_close(s));
    rig_nothing_broken(m);
    pmon_plan_free(plan);
    pmon_backend_close(backend);
    machine_free(m);
  }
}

static uint32_t witnesses(const char *events, bool witness, char name[80])
{
  struct pmon_plan_info info = {.size = sizeof info};
  struct pmon_plan *plan = plan_of(events, witness);
  ok(pmon_plan_describe(plan, &info));
  *name = '\0';
  assert_non_null(pmon_plan_event(plan, info.events - 1));
  assert_null(pmon_plan_event(plan, info.events));
  for (uint32_t i = 0; pmon_plan_witness(plan, i); i++)
    strcat(name, pmon_event_name(pmon_plan_witness(plan, i)));
  pmon_plan_free(plan);
  return info.witnesses;
}

static void a_plan_that_is_all_multiplexed_has_one(void **state)
{
  char name[80];
  (void)state;
  assert_int_equal(witnesses(CHA, true, name), 1);
  assert_string_equal(name, "imc/CAS_COUNT.ALL/");
  assert_int_equal(witnesses(IMC MORE_IMC, true, name), 1);
  assert_string_equal(name, "m2m/IMC_READS.ALL/");
  /* A requested event that counts all the time but shows no memory traffic does not replace the witness. */
  assert_int_equal(witnesses(CHA ",imc/DCLK/,upi/RxL_FLITS.ALL_DATA/", true, name), 1);
  assert_int_equal(witnesses(CHA, false, name), 0);
  assert_int_equal(witnesses("cha/TOR_INSERTS.IA/,cha/TOR_INSERTS.IO/", true, name), 0); /* one round */
  assert_int_equal(witnesses(CHA ",imc/CAS_COUNT.RD/", true, name), 0); /* a requested event serves as witness */
}

static void it_costs_no_event_a_round(void **state)
{
  struct pmon_plan_info with = {.size = sizeof with}, without = {.size = sizeof without};
  struct pmon_plan_slot_info a = {.size = sizeof a}, b = {.size = sizeof b};
  struct pmon_plan *one = plan_of(CHA "," IMC MORE_IMC, true), *other = plan_of(CHA "," IMC MORE_IMC, false);
  (void)state;
  ok(pmon_plan_describe(one, &with));
  ok(pmon_plan_describe(other, &without));
  assert_int_equal(with.rounds, without.rounds);
  assert_int_equal(with.events, without.events);
  assert_int_equal(with.slots, without.slots);
  assert_int_equal(pmon_plan_slot(one, with.slots, &a), PMON_E_RANGE);
  for (uint32_t i = 0; i < without.slots; i++) {
    ok(pmon_plan_slot(one, i, &a));
    ok(pmon_plan_slot(other, i, &b));
    assert_true(a.round == b.round && a.event == b.event && a.counter == b.counter);
  }
  assert_int_equal(pmon_plan_set_witness(one, false), PMON_E_STATE);
  pmon_plan_free(one);
  pmon_plan_free(other);
}

static uint32_t counted(const struct pmon_session *s)
{
  struct pmon_session_info info = {.size = sizeof info};
  ok(pmon_session_describe(s, &info));
  return info.witnesses;
}

/* Measures the burst; *ret_value is that of the first event, most of whose counts are in the burst. */
static void measure_burst(struct pmon_plan *plan, struct pmon_backend *backend, uint32_t witnesses,
                          struct pmon_value *ret_value)
{
  const struct pmon_session_options options = {.size = sizeof options, .slice_ns = 10000};
  struct pmon_session *s = rig_session(plan, backend, &options, UINT64_MAX);
  assert_int_equal(counted(s), witnesses);
  ok(pmon_session_event(s, 0, &all, ret_value));
  ok(pmon_session_close(s));
}

static void it_shows_what_rounds_missed_and_is_restored(void **state)
{
  struct pmon_value v[2];
  (void)state;
  for (unsigned with = 0; with < 2; with++) {
    struct pmon_backend *backend;
    struct machine *m = rig_busy(BURST, &backend);
    struct rig_registers *held = rig_registers_read(backend, emr);
    struct pmon_plan *plan = plan_of(CHA, with);
    measure_burst(plan, backend, with, &v[with]);
    rig_nothing_broken(m);
    rig_registers_same(backend, held, "after a witness");
    pmon_plan_free(plan);
    pmon_backend_close(backend);
    machine_free(m);
  }
  assert_false(v[0].valid);
  assert_true(v[1].valid && v[1].low < v[1].number && v[1].number < v[1].high);
}

static struct pmon_address control_of(const char *event, uint32_t counter)
{
  struct pmon_image image;
  struct pmon_event *e;
  ok(pmon_event_resolve(context, emr, event, &e));
  ok(pmon_event_encode(e, 0, 0, counter, &image));
  const struct pmon_address a = image.registers[image.n - 1].address;
  pmon_event_free(e);
  return a;
}

static void counters_in_use_are_left_alone(void **state)
{
  const struct pmon_address ctl = control_of("imc/CAS_COUNT.RD/", 2);
  const uint64_t control = 0xcf05; /* control of another program, which reads counter 2 of one channel */
  uint64_t still = 0;
  struct pmon_backend *backend;
  struct machine *m = rig_busy(BURST, &backend);
  struct pmon_plan *plan = plan_of(CHA, true);
  struct pmon_value v;
  (void)state;
  ok(backend->ops->write(backend, &ctl, control));
  measure_burst(plan, backend, 0, &v);
  assert_false(v.valid);
  ok(backend->ops->read(backend, &ctl, &still));
  assert_int_equal(still, control);
  pmon_plan_free(plan);
  pmon_backend_close(backend);
  machine_free(m);
}

/* A machine whose memory-mapped registers cannot be read. */
static struct pmon_backend *behind;

static int read_msr(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  (void)b;
  return a->space == PMON_SPACE_MMIO ? PMON_E_PERMISSION : behind->ops->read(behind, a, ret_value);
}

static int write_msr(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  (void)b;
  assert_int_not_equal(a->space, PMON_SPACE_MMIO);
  return behind->ops->write(behind, a, value);
}

static int wait_behind(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  (void)b;
  return behind->ops->wait(behind, until_ns, ret_now_ns, ret_ended);
}

static void close_nothing(struct pmon_backend *b)
{
  (void)b;
}

static void registers_that_cannot_be_reached_fail_no_session(void **state)
{
  static const struct pmon_backend_ops ops = {.size = sizeof ops,
                                              .name = "msr",
                                              .read = read_msr,
                                              .write = write_msr,
                                              .wait = wait_behind,
                                              .close = close_nothing};
  struct machine *m = rig_busy(BURST, &behind);
  struct pmon_backend backend = {.ops = &ops, .packages = 1};
  struct pmon_plan *plan = plan_of(CHA, true);
  struct pmon_value v;
  (void)state;
  measure_burst(plan, &backend, 0, &v);
  pmon_plan_free(plan);
  pmon_backend_close(behind);
  machine_free(m);
}

/* Counts of a second session that starts 100 us after one of CHA events, with or without a witness. */
struct second {
  double count[4];
  uint32_t left; /* witnesses of the first session at the end */
};

static struct second count_second(const char *events, bool witness)
{
  const struct pmon_session_options options = {.size = sizeof options, .slice_ns = 10000};
  struct second ret = {.left = 0};
  struct pmon_backend *backend;
  struct machine *m = rig_busy(BURST, &backend);
  struct pmon_plan *plan[2] = {plan_of(CHA, witness), plan_of(events, true)};
  struct pmon_session *s[2];
  struct pmon_value v;
  bool ended;
  for (unsigned i = 0; i < 2; i++) {
    ok(pmon_session_new(plan[i], backend, &options, &s[i]));
    ok(pmon_session_start(s[i]));
    ok(pmon_session_run(s[0], i ? 1000000 : 100000, &ended));
  }
  ok(pmon_session_read(s[1]));
  for (uint32_t i = 0; pmon_plan_event(plan[1], i); i++) {
    ok(pmon_session_event(s[1], i, &all, &v));
    assert_true(v.valid && !v.flags);
    ret.count[i] = v.number;
  }
  ret.left = counted(s[0]);
  for (unsigned i = 0; i < 2; i++) {
    ok(pmon_session_close(s[i]));
    pmon_plan_free(plan[i]);
  }
  pmon_backend_close(backend);
  machine_free(m);
  return ret;
}

static void a_later_session_counts_as_without_one(void **state)
{
  (void)state;
  for (unsigned all_counters = 0; all_counters < 2; all_counters++) {
    const char *events = all_counters ? IMC : "imc/CAS_COUNT.RD/";
    const struct second with = count_second(events, true), without = count_second(events, false);
    assert_int_equal(without.left, 0);
    assert_int_equal(with.left, !all_counters); /* without the witness's counter one is still free */
    for (unsigned i = 0; i < 4; i++)
      if (with.count[i] != without.count[i])
        fail_msg("%s, event %u: %.0f with a witness before it, %.0f without", events, i, with.count[i],
                 without.count[i]);
  }
}

/* A second session needs all four counters of the channels. */
static void play_two(unsigned first_to_close)
{
  const struct pmon_session_options options = {.size = sizeof options, .slice_ns = 10000};
  struct pmon_backend *backend;
  struct machine *m = rig_busy(BURST, &backend);
  struct rig_registers *held = rig_registers_read(backend, emr);
  struct pmon_plan *plan[2] = {plan_of(CHA, true), plan_of(IMC, true)};
  struct pmon_session *s[2];
  struct pmon_value v;
  bool ended;
  for (unsigned i = 0; i < 2; i++) {
    ok(pmon_session_new(plan[i], backend, &options, &s[i]));
    assert_int_equal(counted(s[0]), !i);
    ok(pmon_session_start(s[i]));
    ok(pmon_session_run(s[0], 100000, &ended));
  }
  ok(pmon_session_run(s[0], 1000000, &ended));
  ok(pmon_session_read(s[1]));
  for (uint32_t i = 0; pmon_plan_event(plan[1], i); i++) {
    ok(pmon_session_event(s[1], i, &all, &v));
    assert_true(v.valid && !v.flags);
  }
  for (unsigned i = 0; i < 2; i++)
    ok(pmon_session_close(s[i ^ first_to_close]));
  rig_nothing_broken(m);
  rig_registers_same(backend, held, "a witness gave way");
  pmon_plan_free(plan[0]);
  pmon_plan_free(plan[1]);
  pmon_backend_close(backend);
  machine_free(m);
}

/* A library caller sees the plan's own events only. */
static void it_is_no_event_to_callers(void **state)
{
  struct pmon_backend *backend;
  struct machine *m = rig_busy(BURST, &backend);
  struct pmon_plan *plan = plan_of(CHA, true);
  struct pmon_session *s;
  struct pmon_value v;
  (void)state;
  assert_int_equal(pmon_plan_set_scale(plan, 8, 2, "B"), PMON_E_RANGE);
  assert_false(pmon_plan_event_selected(plan, 8));
  s = rig_session(plan, backend, NULL, UINT64_MAX);
  assert_int_equal(counted(s), 1);
  ok(pmon_session_event(s, 7, &all, &v));
  assert_int_equal(pmon_session_event(s, 8, &all, &v), PMON_E_RANGE);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
  pmon_backend_close(backend);
  machine_free(m);
}

static void it_gives_way_to_a_later_session(void **state)
{
  (void)state;
  play_two(0);
  play_two(1);
}

/* An event set has values of its own events only. */
static void a_set_does_not_show_it(void **state)
{
  struct pmon_value v[9];
  struct pmon_backend *backend;
  struct machine *m = rig_busy(BURST, &backend);
  struct pmon_set *set;
  (void)state;
  ok(pmon_set_new(context, emr, backend, NULL, &set));
  for (const char *e = CHA; *e; e += strcspn(e, ",") + (e[strcspn(e, ",")] == ',')) {
    char name[80] = "";
    strncat(name, e, strcspn(e, ","));
    ok(pmon_set_add(set, name, NULL));
  }
  ok(pmon_set_start(set));
  ok(pmon_set_read(set, v, 8));
  assert_int_equal(pmon_set_read(set, v, 9), PMON_E_RANGE);
  ok(pmon_set_close(set));
  pmon_backend_close(backend);
  machine_free(m);
}

/* A waiting request counts in many cycles of a state, but once at its begin: few begins are few independent events. */
static void beginnings_are_no_cycles(void **state)
{
  static const struct {
    const char *event;
    bool states;
  } rows[] = {
      {"imc/RPQ_CYCLES_NE/", true},
      {"imc/RPQ_CYCLES_NE,thresh=1/", true},
      {"imc/RPQ_CYCLES_NE,edge_det=0/", true},
      {"imc/RPQ_CYCLES_NE,edge_det=1/", false},
      {"imc/RPQ_INSERTS/", false},
      {"imc/POWER_SELF_REFRESH/", true}, /* cycles, according to its description only */
      {"cbo/RxR_EXT_STARVED.IRQ/", true},
      {"cbo/RxR_EXT_STARVED.ISMQ_BIDS/", false}, /* unlike other umasks of the event */
      {"cbo/ISMQ_DRD_MISS_OCC/", true},
      {"ubox/LOCK_CYCLES/", false}, /* sequences, not cycles */
      {"pcu/POWER_STATE_OCCUPANCY.CORES_C6,thresh=5/", true},
      {"pcu/POWER_STATE_OCCUPANCY.CORES_C6,thresh=5,occ_edge/", false},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_event *e;
    ok(pmon_event_resolve(context, snbep, rows[i].event, &e));
    if (plan_counts_states(e) != rows[i].states)
      fail_msg("%s: %s", rows[i].event, rows[i].states ? "no cycles" : "cycles");
    pmon_event_free(e);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(beginnings_are_no_cycles),
                                     cmocka_unit_test(a_plan_that_is_all_multiplexed_has_one),
                                     cmocka_unit_test(caching_agents_have_one_of_their_own),
                                     cmocka_unit_test(it_costs_no_event_a_round),
                                     cmocka_unit_test(it_shows_what_rounds_missed_and_is_restored),
                                     cmocka_unit_test(counters_in_use_are_left_alone),
                                     cmocka_unit_test(registers_that_cannot_be_reached_fail_no_session),
                                     cmocka_unit_test(a_later_session_counts_as_without_one),
                                     cmocka_unit_test(it_is_no_event_to_callers),
                                     cmocka_unit_test(it_gives_way_to_a_later_session),
                                     cmocka_unit_test(a_set_does_not_show_it)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

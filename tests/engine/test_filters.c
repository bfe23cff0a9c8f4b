/* SPDX-License-Identifier: MIT */
/* Filter registers that another user left set: the events count as without them, and the registers are restored.
 * Filters that another user sets during the measurement are detected. */
#include <stdio.h>
#include <string.h>
#include <pmon/access.h>
#include "machine/machine.h"
#include "tests/engine/rig.h"

#define EMR                                                                                                            \
  "set sockets=1 cores=2 chas=2 imcs=1 upi.links=1 iio.stacks=1\nthread 0 on core 1: stream read 256K stride 64\n"
#define SNBEP                                                                                                          \
  "set platform=snbep numa=interleave\nthread 0 on core 0: stream read 256K stride 64\n"                               \
  "thread 1 on core 8: stream modify 256K stride 64\n"

/* Events, and the contents that all registers of these names have before. Filters of events that are not in the list
 * count, too. */
struct left_over {
  const struct pmon_platform *const *platform;
  const char *scenario, *events, *unit, *registers[4];
  uint64_t values[4];
};

static const struct left_over cases[] = {
    {&snbep,
     SNBEP,
     "qpi/RxL_FLITS_G1.DRS_DATA/,qpi/CTO_COUNT/",
     "qpi",
     {"Q_Py_PCI_PMON_PKT_MATCH0", "Q_Py_PCI_PMON_PKT_MASK0"},
     {0x1e000, 0x1e000}},
    {&snbep,
     SNBEP,
     "qpi/CTO_COUNT/,qpi/DRS.AnyDataC/",
     "qpi",
     {"Q_Py_PCI_PMON_PKT_MATCH1", "Q_Py_PCI_PMON_PKT_MASK1"},
     {0x80000, 0xf0000}},
    {&snbep,
     SNBEP,
     "ha/ADDR_OPC_MATCH.FILT/,ha/REQUESTS.READS/",
     "ha",
     {"HA_PCI_PMON_BOX_OPCODEMATCH", "HA_PCI_PMON_BOX_ADDRMATCH0", "HA_PCI_PMON_BOX_ADDRMATCH1"},
     {0x3f, 0xfffffc0, 0x3fff}},
    {&snbep,
     SNBEP,
     "cbo/LLC_LOOKUP.DATA_READ,state=0x1f/,cbo/TOR_INSERTS.MISS_ALL/,cbo/TOR_INSERTS.NID_ALL,nid=3/",
     "cbo",
     {"Cn_MSR_PMON_BOX_FILTER"},
     {UINT64_C(0x182) << 23 | 0x1}},
    {&snbep, SNBEP, "pcu/FREQ_BAND0_CYCLES,filt7_0=1/", "pcu", {"PCU_MSR_PMON_BOX_FILTER"}, {0xffffffff}},
    {&emr, EMR, "cha/TOR_INSERTS.IA/,cha/CLOCKTICKS/", "cha", {"Cn_MSR_PMON_BOX_FILTER"}, {0x1ff}},
    {&emr, EMR, "m2m/CLOCKTICKS/,m2m/DIRECT2UPI_TAKEN/", "m2m", {"M2Mn_PCI_PMON_OPCODE_MM"}, {0xfff}},
    {&emr,
     EMR,
     "m2m/IMC_READS.ALL/,m2m/CLOCKTICKS/",
     "m2m",
     {"M2Mn_PCI_PMON_ADDRMATCH0", "M2Mn_PCI_PMON_ADDRMASK0"},
     {0x1000, 0xfff000}},
};

/* Writes, or with `expected` compares, the registers of a case on all instances and packages. Returns their number. */
static unsigned each_saved_register(const struct left_over *c, struct pmon_backend *b, bool write)
{
  const struct pmon_platform *p = *c->platform;
  struct pmon_unit_info unit = {.size = sizeof unit};
  struct pmon_register_info info = {.size = sizeof info};
  struct pmon_register_id id = {0};
  unsigned n = 0;
  ok(pmon_unit_find(p, c->unit, &id.unit));
  ok(pmon_unit_describe(p, id.unit, &unit));
  for (; !pmon_register_describe(p, id.unit, id.reg, &info); id.reg++)
    for (unsigned k = 0; k < 4 && c->registers[k]; k++)
      for (id.instance = 0; !strcmp(info.name, c->registers[k]) && id.instance < unit.instances; id.instance++)
        for (uint32_t package = 0; package < 2; package++) {
          struct pmon_address a;
          uint64_t value;
          ok(pmon_register_address(p, &id, &a));
          a.package = package;
          if (b->ops->read(b, &a, &value))
            continue;
          if (write)
            ok(b->ops->write(b, &a, c->values[k]));
          else
            assert_int_equal(value, c->values[k]);
          n++;
        }
  return n;
}

static void note_line(void *user, const char *line)
{
  assert_non_null(strstr(line, "had the filter value 0x"));
  ++*(unsigned *)user;
}

static void measure(const struct left_over *c, bool left, double *counts, unsigned *ret_reported)
{
  const struct pmon_session_options options = {.size = sizeof options, .slice_ns = 2000};
  struct pmon_backend *b;
  struct machine *m = rig_busy(c->scenario, &b);
  struct pmon_plan *plan = rig_plan(*c->platform, c->events, NULL);
  struct pmon_session *session;
  const struct pmon_scope all = {.package = PMON_ALL, .instance = PMON_ALL};
  struct pmon_value v;
  bool ended;
  unsigned there = left ? each_saved_register(c, b, true) : 0, lines = 0;
  ok(pmon_session_new(plan, b, &options, &session));
  *ret_reported = pmon_session_filters(session, note_line, &lines);
  assert_int_equal(*ret_reported, lines);
  ok(pmon_session_start(session));
  ok(pmon_session_run(session, UINT64_MAX, &ended));
  for (uint32_t i = 0; pmon_plan_event(plan, i); i++) {
    ok(pmon_session_event(session, i, &all, &v));
    counts[i] = v.number;
  }
  ok(pmon_session_close(session));
  if (left) {
    assert_true(there > 0);
    assert_int_equal(lines, there);
    assert_int_equal(each_saved_register(c, b, false), there);
  }
  pmon_plan_free(plan);
  pmon_backend_close(b);
  machine_free(m);
}

static void left_over_filters_narrow_nothing(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double clean[4] = {0}, left[4] = {0};
    unsigned none, some;
    measure(&cases[i], false, clean, &none);
    measure(&cases[i], true, left, &some);
    assert_int_equal(none, 0);
    for (unsigned k = 0; k < 4; k++)
      if (clean[k] < left[k] || clean[k] > left[k])
        fail_msg("%s: event %u counts %.0f without and %.0f with left-over filters", cases[i].events, k, clean[k],
                 left[k]);
  }
}

/* Another program sets a filter during the measurement: the counts of events that it narrows are invalid, whether they
 * use the filter or not; other counts stay valid. */
static void filters_taken_meanwhile_are_noticed(void **state)
{
  static const struct {
    const char *events; /* the first one is narrowed */
    struct left_over taken;
  } taken_cases[] = {
      {"cbo/TOR_INSERTS.OPCODE,opc=0x182/,cbo/CLOCKTICKS/",
       {&snbep, SNBEP, "", "cbo", {"Cn_MSR_PMON_BOX_FILTER"}, {UINT64_C(0x180) << 23}}},
      {"qpi/CTO_COUNT/,qpi/RxL_FLITS_G1.DRS_DATA/",
       {&snbep, SNBEP, "", "qpi", {"Q_Py_PCI_PMON_PKT_MATCH0", "Q_Py_PCI_PMON_PKT_MASK0"}, {0x1c000, 0x1e000}}},
      {"qpi/CTO_COUNT,MATCH0.MC=0xe,MASK0.MC=0xf/,qpi/CLOCKTICKS/",
       {&snbep, SNBEP, "", "qpi", {"Q_Py_PCI_PMON_PKT_MASK1"}, {0xf0000}}}};
  const struct pmon_scope all = {.package = PMON_ALL, .instance = PMON_ALL};
  struct pmon_value v;
  bool ended;
  (void)state;
  for (size_t i = 0; i < sizeof taken_cases / sizeof *taken_cases; i++) {
    struct pmon_backend *b;
    struct machine *m = rig_busy(SNBEP, &b);
    struct pmon_plan *plan = rig_plan(snbep, taken_cases[i].events, NULL);
    struct pmon_session *session;
    ok(pmon_session_new(plan, b, NULL, &session));
    ok(pmon_session_start(session));
    ok(pmon_session_run(session, 5000, &ended));
    assert_false(ended);
    ok(pmon_session_event(session, 0, &all, &v));
    assert_true(v.valid && !(v.flags & PMON_VALUE_STOLEN));
    assert_true(each_saved_register(&taken_cases[i].taken, b, true) > 0);
    ok(pmon_session_run(session, UINT64_MAX, &ended));
    ok(pmon_session_event(session, 0, &all, &v));
    assert_true(!v.valid && v.flags & PMON_VALUE_STOLEN);
    ok(pmon_session_event(session, 1, &all, &v));
    assert_true(v.valid && !(v.flags & PMON_VALUE_STOLEN));
    ok(pmon_session_close(session));
    pmon_plan_free(plan);
    pmon_backend_close(b);
    machine_free(m);
  }
}

enum { SHARED = 6 };

/* Events whose unit has one filter register for all counters, and which do not all use it: each counts as if it were
 * alone, in a round of its own where another event needs another filter value. */
static const struct {
  const struct pmon_platform *const *platform;
  const char *scenario, *events[SHARED];
} shared[] = {
    {&snbep, SNBEP, {"qpi/CTO_COUNT/", "qpi/DRS.AnyDataC/", "qpi/CLOCKTICKS/"}},
    {&snbep, SNBEP, {"qpi/CTO_COUNT,MATCH0.MC=0xe,MASK0.MC=0xf/", "qpi/CTO_COUNT,MATCH0.OPC=0x0,MASK0.OPC=0xc/"}},
    {&snbep, SNBEP, {"ha/ADDR_OPC_MATCH,umask=2/", "ha/ADDR_OPC_MATCH,umask=2,opc=2/", "ha/CLOCKTICKS/"}},
    {&snbep, SNBEP, {"cbo/TOR_INSERTS.MISS_ALL,tid_en=1/", "cbo/TOR_INSERTS.MISS_ALL,tid=2/"}},
    {&snbep,
     SNBEP,
     {"cbo/TOR_INSERTS.MISS_ALL,tid_en=1/", "cbo/TOR_INSERTS.OPCODE,opc=0x182/", "cbo/TOR_INSERTS.MISS_ALL/"}},
    {&snbep, SNBEP, {"cbo/TOR_INSERTS.MISS_ALL/", "cbo/LLC_VICTIMS.M_STATE/", "cbo/CLOCKTICKS,tid_en=1/"}},
    {&snbep, /* a band takes effect at a frequency change, here before the round */
     SNBEP,
     {"pcu/FREQ_BAND0_CYCLES,filt7_0=1/", "pcu/FREQ_BAND1_CYCLES,filt15_8=0x30/", "pcu/CLOCKTICKS/",
      "pcu/CORE0_TRANSITION_CYCLES/", "pcu/FREQ_TRANS_CYCLES/", "pcu/VR_HOT_CYCLES/"}},
    {&emr, EMR, {"cha/TOR_INSERTS.IA,tid_en=1/", "cha/TOR_INSERTS.IA,tid=core1.0/", "cha/TOR_INSERTS.IA/"}},
};

/* Counts all events of a row together, or each event alone. */
static void measure_row(size_t row, bool together, double *counts)
{
  char list[400] = "";
  for (unsigned k = 0; k < SHARED && shared[row].events[k]; k++) {
    const struct left_over one = {shared[row].platform, shared[row].scenario, shared[row].events[k], NULL, {NULL}, {0}};
    unsigned none;
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k ? "," : "", shared[row].events[k]);
    if (!together)
      measure(&one, false, &counts[k], &none);
  }
  const struct left_over all = {shared[row].platform, shared[row].scenario, list, NULL, {NULL}, {0}};
  unsigned none;
  if (together)
    measure(&all, false, counts, &none);
}

static void filters_of_other_events_narrow_nothing(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
    double alone[SHARED] = {0}, together[SHARED] = {0};
    measure_row(i, false, alone);
    measure_row(i, true, together);
    for (unsigned k = 0; k < SHARED && shared[i].events[k]; k++)
      if (together[k] < 0.8 * alone[k] || together[k] > 1.2 * alone[k])
        fail_msg("%s: %.0f alone, %.0f beside the others of row %zu", shared[i].events[k], alone[k], together[k], i);
  }
}

/* The operations of the machine's backend, whose QPI match registers hidden_read() hides: they read as all ones. */
static const struct pmon_backend_ops *shown;

static int hidden_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  struct pmon_register_info info = {.size = sizeof info};
  struct pmon_register_id id;
  int status = shown->read(b, a, ret_value);
  if (!status && !pmon_register_find(snbep, a, &id) && !pmon_register_describe(snbep, id.unit, id.reg, &info) &&
      strstr(info.name, "_PMON_PKT_M"))
    *ret_value = a->width_bits < 64 ? UINT32_MAX : UINT64_MAX;
  return status;
}

/* The match registers are in another PCI function than the controls: without them their events cannot be counted, and
 * the message blames no other program. */
static void filters_that_are_hidden_cannot_be_read(void **state)
{
  const struct pmon_scope all = {.package = PMON_ALL, .instance = PMON_ALL};
  struct pmon_backend *b;
  struct machine *m = rig_busy(SNBEP, &b);
  struct pmon_plan *plan = rig_plan(snbep, "qpi/DRS.AnyDataC/,qpi/RxL_FLITS_G1.DRS_DATA/", NULL);
  struct pmon_session *session;
  struct pmon_session_info info = {.size = sizeof info};
  struct pmon_value v;
  bool ended;
  (void)state;
  ok(pmon_session_new(plan, b, NULL, &session));
  ok(pmon_session_start(session));
  ok(pmon_session_run(session, 5000, &ended));
  ok(pmon_session_event(session, 0, &all, &v));
  assert_true(v.valid);
  struct pmon_backend_ops hidden = *b->ops;
  hidden.read = hidden_read;
  shown = b->ops;
  b->ops = &hidden;
  b->sweep = NULL;
  ok(pmon_session_run(session, UINT64_MAX, &ended));
  ok(pmon_session_event(session, 0, &all, &v));
  assert_true(!v.valid && v.flags & PMON_VALUE_UNAVAILABLE && !(v.flags & PMON_VALUE_STOLEN));
  ok(pmon_session_event(session, 1, &all, &v));
  assert_true(v.valid && !(v.flags & (PMON_VALUE_UNAVAILABLE | PMON_VALUE_STOLEN)));
  ok(pmon_session_describe(session, &info));
  assert_int_equal(info.changed, 0);
  b->ops = shown;
  ok(pmon_session_close(session));
  pmon_plan_free(plan);
  pmon_backend_close(b);
  machine_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(left_over_filters_narrow_nothing),
                                     cmocka_unit_test(filters_taken_meanwhile_are_noticed),
                                     cmocka_unit_test(filters_of_other_events_narrow_nothing),
                                     cmocka_unit_test(filters_that_are_hidden_cannot_be_read)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

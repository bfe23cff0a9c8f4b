/* SPDX-License-Identifier: MIT */
/* The E5-2600's invariants and derived metrics on its machine: every invariant holds; every metric has a value or a
 * reason; values that follow from the machine's own account are equal to it. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "machine/machine.h"
#include "machine/common/totals.h"
#include "tests/engine/rig.h"

static const char *const scenarios[] = {
    "set platform=snbep llc.size=320K l2.size=64K numa=interleave directory=on\n"
    "thread 0 on core 0: stream read 512K stride 64\nthread 1 on core 1: random modify 512K count 4k shared all\n"
    "thread 2 on core 9: random modify 512K count 4k shared all\nthread 3 on core 10: stream write 256K stride 64\n"
    "thread 4 on core 2: random past-caches 64K count 2k shared all\n"
    "dma write 2GB/s partial for 30us\ndma read 4GB/s node 1 port 1 for 30us\n",
    "set platform=snbep channels=2 upi.links=1 numa=bind:1\n"
    "thread 0 on core 0: stream read 256K stride 64\nthread 0 on core 0: sleep 80us\n"
    "thread 0 on core 0: stream write 256K stride 64\nthermal from 20us for 20us\nthrottle imc0 socket 1 for 10us\n",
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios, TOR_ENTRIES = 20 };

/* Invariants whose events fit into one round; the rest are sums of classes, which tests/common/ compares. */
static void invariants_hold_in_each_scenario(void **state)
{
  struct pmon_invariant_info invariant = {.size = sizeof invariant};
  struct pmon_plan *plan = rig_invariants(snbep);
  uint32_t n = 0, together_n = 0;
  bool together;
  (void)state;
  for (; !pmon_plan_invariant(plan, n, &invariant, &together); n++)
    together_n += together;
  for (size_t k = 0; k < SCENARIOS; k++)
    assert_int_equal(rig_check_invariants(plan, scenarios[k]), together_n);
  print_message("%u invariants, %u in one round\n", n, together_n);
  assert_true(together_n > 14);
  pmon_plan_free(plan);
}

/* Returns the machine's own account, summed over both sockets. */
static struct traffic_totals account(struct machine *m)
{
  struct traffic_totals sum = {0}, one;
  for (unsigned s = 0; s < 2; s++) {
    traffic_totals(machine_traffic(m), s, &one);
    sum.cas_reads += one.cas_reads;
    sum.cas_writes += one.cas_writes;
    sum.rpq_inserts += one.rpq_inserts;
    sum.wpq_inserts += one.wpq_inserts;
    sum.m2m_writes += one.m2m_writes;
    sum.llc_victims_m += one.llc_victims_m;
    sum.activates += one.activates;
    sum.upi_sent_data_slots += one.upi_sent_data_slots;
    for (unsigned op = 0; op < OP_N; op++)
      for (unsigned i = 0; i < 4; i++)
        sum.tor[op][i >> 1][i & 1].entries += one.tor[op][i >> 1][i & 1].entries;
  }
  return sum;
}

static double entries(const struct traffic_totals *a, enum tor_op op, bool missed_only)
{
  double n = 0;
  for (unsigned i = 0; i < 4; i++)
    n += i >> 1 || !missed_only ? (double)a->tor[op][i >> 1][i & 1].entries : 0;
  return n;
}

/* Returns the value of a metric by the account; NAN: the account does not determine it. */
static double known(const char *unit, const char *name, const struct traffic_totals *a)
{
  const double all = (double)(a->cas_reads + a->cas_writes), rpq = (double)a->rpq_inserts, wpq = (double)a->wpq_inserts;
  const double devices = entries(a, OP_ITOM, false) + entries(a, OP_ITOMCACHENEAR, false);
  const struct {
    const char *unit, *name;
    double value;
  } values[] = {
      {"imc", "MEM_BW_READS", 64 * (double)a->cas_reads},
      {"imc", "MEM_BW_WRITES", 64 * (double)a->cas_writes},
      {"imc", "MEM_BW_TOTAL", 64 * all},
      {"imc", "PCT_RD_REQUESTS", rpq / (rpq + wpq)},
      {"imc", "PCT_WR_REQUESTS", wpq / (rpq + wpq)},
      {"imc", "PCT_REQUESTS_PAGE_HIT", 1 - (double)a->activates / all},
      {"cbo", "LLC_PCIE_DATA_BYTES", 64 * devices},
      {"cbo", "PCIE_DATA_BYTES", 64 * devices},
      {"cbo", "MEM_WB_BYTES", 64 * (double)a->llc_victims_m},
      {"cbo", "LLC_RFO_MISS_PCT",
       (entries(a, OP_RFO, true) + entries(a, OP_RFO_PREF, true)) /
           (entries(a, OP_RFO, false) + entries(a, OP_RFO_PREF, false))},
      {"qpi", "DATA_FROM_QPI", 8 * (double)a->upi_sent_data_slots},
  };
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    if (!strcmp(values[i].unit, unit) && !strcmp(values[i].name, name))
      return values[i].value;
  return NAN;
}

/* Measures the metric in a run of its own, with as many rounds as it needs. */
static bool check_metric(const struct pmon_metric_info *info, bool *ret_known)
{
  char name[160];
  struct pmon_plan_info plan_info = {.size = sizeof plan_info};
  struct pmon_plan_metric_info metric = {.size = sizeof metric};
  struct pmon_session_options options = {.size = sizeof options, .slice_ns = 500};
  struct pmon_backend *backend;
  struct pmon_value v;
  snprintf(name, sizeof name, "%s/%s%s", info->unit, info->name,
           strncmp(info->name, "PCT_FREQ_BAND", 13) ? "" : ".20"); /* one band at a time: the filter is latched */
  struct pmon_plan *plan = rig_plan(snbep, NULL, name);
  struct machine *m = rig_busy(scenarios[0], &backend);
  struct pmon_session *s = rig_session(plan, backend, &options, UINT64_MAX);
  ok(pmon_plan_describe(plan, &plan_info));
  ok(pmon_plan_metric(plan, 0, &metric));
  ok(pmon_session_metric(s, 0, &(struct pmon_scope){PMON_ALL, PMON_ALL}, &v));
  assert_true(v.valid ? v.number - v.number == 0 : *v.reason != 0);
  if (v.valid && !strcmp(metric.result, "ratio") && (v.number < 0 || v.low > 1 + 1e-3))
    fail_msg("%s is %g", name, v.number);
  if (v.valid && !strcmp(metric.result, "requests") &&
      v.number > TOR_ENTRIES) /* of one slice, if the metric has a value */
    fail_msg("%s is %g, of a table of %d entries", name, v.number, TOR_ENTRIES);
  const struct traffic_totals a = account(m);
  const double want = known(info->unit, info->name, &a);
  *ret_known = !isnan(want) && plan_info.rounds == 1;
  if (*ret_known && (!v.valid || fabs(v.number - want) > 1e-9 * fabs(want)))
    fail_msg("%s is %.15g (%s), not %.15g", name, v.number, v.valid ? "" : v.reason, want);
  ok(pmon_session_close(s));
  pmon_backend_close(backend);
  machine_free(m);
  pmon_plan_free(plan);
  return v.valid;
}

static void every_metric_has_its_value(void **state)
{
  struct pmon_metric_info info = {.size = sizeof info};
  unsigned n = 0, values = 0, pinned = 0;
  (void)state;
  for (uint32_t i = 0; !pmon_metric_describe(snbep, i, &info); i++) {
    bool pins;
    if (*info.stale || i % TESTS_STEP)
      continue;
    n++;
    values += check_metric(&info, &pins);
    pinned += pins;
  }
  print_message("%u metrics, %u with a value, %u of them known beforehand\n", n, values, pinned);
  assert_true(n > 70 / TESTS_STEP && values > 60 / TESTS_STEP);
  assert_true(TESTS_STEP > 1 || pinned == 10);
}

static double event_of_socket(const struct pmon_session *s, uint32_t event, uint32_t socket)
{
  struct pmon_value v;
  ok(pmon_session_event(s, event, &(struct pmon_scope){socket, PMON_ALL}, &v));
  assert_true(v.valid);
  return v.number;
}

/* Regression: local and remote metrics used one node number for all sockets, although a node local to one socket is
 * remote to the other. */
static void own_and_other_nodes_are_those_of_each_socket(void **state)
{
  static const char scenario[] = "set platform=snbep numa=interleave\nthread 0 on core 0: stream read 256K stride 64\n"
                                 "thread 1 on core 8: stream read 512K stride 64\n";
  static const char *const nodes[] = {"NODE0", "NODE1", "my_node", "other_nodes"};
  double count[4][2];
  (void)state;
  for (unsigned i = 0; i < 4; i++) {
    char event[80];
    struct pmon_backend *backend;
    snprintf(event, sizeof event, "cbo/TOR_INSERTS.NID_MISS_OPCODE,opc=DRD,nid=%s/", nodes[i]);
    struct pmon_plan *plan = rig_plan(snbep, event, NULL);
    struct machine *m = rig_busy(scenario, &backend);
    struct pmon_session *s = rig_session(plan, backend, NULL, UINT64_MAX);
    for (uint32_t socket = 0; socket < 2; socket++)
      count[i][socket] = event_of_socket(s, 0, socket);
    rig_nothing_broken(m);
    ok(pmon_session_close(s));
    pmon_backend_close(backend);
    machine_free(m);
    pmon_plan_free(plan);
  }
  for (unsigned socket = 0; socket < 2; socket++) {
    assert_true(count[2][socket] > 0 && count[3][socket] > 0);
    assert_true(count[2][socket] == count[socket][socket] && count[3][socket] == count[1 - socket][socket]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(invariants_hold_in_each_scenario),
                                     cmocka_unit_test(every_metric_has_its_value),
                                     cmocka_unit_test(own_and_other_nodes_are_those_of_each_socket)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

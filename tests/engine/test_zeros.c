/* SPDX-License-Identifier: MIT */
/*
 * All events of a link in 18 rounds of four, and traffic that is shorter than the wait of most rounds. A round without
 * a time slice during the traffic counts 0 without knowing anything: its events must not be printed as 0 with a small
 * upper bound. The true count is that of each event measured alone, all the time.
 */
#include <stdio.h>
#include <string.h>
#include "machine/machine.h"
#include "tests/engine/rig.h"

static const char *const events[] = {"qpi/CLOCKTICKS/",
                                     "qpi/DIRECT2CORE.SUCCESS/",
                                     "qpi/DIRECT2CORE.FAILURE_CREDITS/",
                                     "qpi/DIRECT2CORE.FAILURE_RBT/",
                                     "qpi/DIRECT2CORE.FAILURE_CREDITS_RBT/",
                                     "qpi/L1_POWER_CYCLES/",
                                     "qpi/RxL0P_POWER_CYCLES/",
                                     "qpi/RxL0_POWER_CYCLES/",
                                     "qpi/RxL_BYPASSED/",
                                     "qpi/RxL_CREDITS_CONSUMED_VN0.DRS/",
                                     "qpi/RxL_CREDITS_CONSUMED_VN0.NCB/",
                                     "qpi/RxL_CREDITS_CONSUMED_VN0.NCS/",
                                     "qpi/RxL_CREDITS_CONSUMED_VN0.HOM/",
                                     "qpi/RxL_CREDITS_CONSUMED_VN0.SNP/",
                                     "qpi/RxL_CREDITS_CONSUMED_VN0.NDR/",
                                     "qpi/RxL_CREDITS_CONSUMED_VNA/",
                                     "qpi/RxL_CYCLES_NE/",
                                     "qpi/RxL_FLITS_G0.IDLE/",
                                     "qpi/RxL_FLITS_G0.DATA/",
                                     "qpi/RxL_FLITS_G0.NON_DATA/",
                                     "qpi/RxL_FLITS_G1.SNP/",
                                     "qpi/RxL_FLITS_G1.HOM_REQ/",
                                     "qpi/RxL_FLITS_G1.HOM_NONREQ/",
                                     "qpi/RxL_FLITS_G1.HOM/",
                                     "qpi/RxL_FLITS_G1.DRS_DATA/",
                                     "qpi/RxL_FLITS_G1.DRS_NONDATA/",
                                     "qpi/RxL_FLITS_G1.DRS/",
                                     "qpi/RxL_FLITS_G2.NDR_AD/",
                                     "qpi/RxL_FLITS_G2.NDR_AK/",
                                     "qpi/RxL_FLITS_G2.NCB_DATA/",
                                     "qpi/RxL_FLITS_G2.NCB_NONDATA/",
                                     "qpi/RxL_FLITS_G2.NCB/",
                                     "qpi/RxL_FLITS_G2.NCS/",
                                     "qpi/RxL_INSERTS/",
                                     "qpi/RxL_INSERTS_DRS/",
                                     "qpi/RxL_INSERTS_HOM/",
                                     "qpi/RxL_INSERTS_NCB/",
                                     "qpi/RxL_INSERTS_NCS/",
                                     "qpi/RxL_INSERTS_NDR/",
                                     "qpi/RxL_INSERTS_SNP/",
                                     "qpi/RxL_OCCUPANCY/",
                                     "qpi/RxL_OCCUPANCY_DRS/",
                                     "qpi/RxL_OCCUPANCY_HOM/",
                                     "qpi/RxL_OCCUPANCY_NCB/",
                                     "qpi/RxL_OCCUPANCY_NCS/",
                                     "qpi/RxL_OCCUPANCY_NDR/",
                                     "qpi/RxL_OCCUPANCY_SNP/",
                                     "qpi/TxL0P_POWER_CYCLES/",
                                     "qpi/TxL0_POWER_CYCLES/",
                                     "qpi/TxL_BYPASSED/",
                                     "qpi/TxL_CYCLES_NE/",
                                     "qpi/TxL_FLITS_G0.IDLE/",
                                     "qpi/TxL_FLITS_G0.DATA/",
                                     "qpi/TxL_FLITS_G0.NON_DATA/",
                                     "qpi/TxL_FLITS_G1.SNP/",
                                     "qpi/TxL_FLITS_G1.HOM_REQ/",
                                     "qpi/TxL_FLITS_G1.HOM_NONREQ/",
                                     "qpi/TxL_FLITS_G1.HOM/",
                                     "qpi/TxL_FLITS_G1.DRS_DATA/",
                                     "qpi/TxL_FLITS_G1.DRS_NONDATA/",
                                     "qpi/TxL_FLITS_G1.DRS/",
                                     "qpi/TxL_FLITS_G2.NDR_AD/",
                                     "qpi/TxL_FLITS_G2.NDR_AK/",
                                     "qpi/TxL_FLITS_G2.NCB_DATA/",
                                     "qpi/TxL_FLITS_G2.NCB_NONDATA/",
                                     "qpi/TxL_FLITS_G2.NCB/",
                                     "qpi/TxL_FLITS_G2.NCS/",
                                     "qpi/TxL_INSERTS/",
                                     "qpi/TxL_OCCUPANCY/",
                                     "qpi/VNA_CREDIT_RETURNS/",
                                     "qpi/VNA_CREDIT_RETURN_OCCUPANCY/"};
enum { EVENTS = sizeof events / sizeof *events, SOCKETS = 2, ROUNDS = 18 };

static const char *const workloads[] = {
    "thread 1 on core 0: spin 500k\nthread 1 on core 0: stream read 64K stride 64\nthread 1 on core 0: spin 700k\n",
    "thread 1 on core 0: spin 800k\nthread 1 on core 0: stream read 16K stride 64\nthread 1 on core 0: spin 10k\n",
    "thread 1 on core 0: spin 100k\nthread 1 on core 0: stream read 256K stride 64\nthread 1 on core 0: spin 100k\n",
    "thread 1 on core 0: stream read 1M stride 64\nthread 1 on core 0: spin 300k\n",
    "thread 1 on core 0: random modify 1M count 30k\n"};

static void zeros_measure(const char *workload, const char *list, uint32_t n, struct pmon_value *ret)
{
  const struct pmon_session_options options = {.size = sizeof options, .slice_ns = 100000, .seed = 1};
  const struct pmon_platform *platform;
  struct pmon_backend *backend;
  char scenario[400];
  snprintf(scenario, sizeof scenario, "set platform=snbep numa=interleave\n%s", workload);
  struct machine *m = rig_busy(scenario, &backend);
  ok(pmon_platform_find(context, "snbep", &platform));
  struct pmon_plan *plan = rig_plan(platform, list, NULL);
  struct pmon_plan_info info = {.size = sizeof info};
  ok(pmon_plan_describe(plan, &info));
  assert_int_equal(info.rounds, n > 1 ? ROUNDS : 1);
  struct pmon_session *s = rig_session(plan, backend, &options, UINT64_MAX);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t socket = 0; socket < SOCKETS; socket++)
      ok(pmon_session_event(s, i, &(struct pmon_scope){socket, PMON_ALL}, &ret[i * SOCKETS + socket]));
  ok(pmon_session_close(s));
  pmon_backend_close(backend);
  machine_free(m);
  pmon_plan_free(plan);
}

static void zeros_of_unseen_bursts_are_unknown(void **state)
{
  unsigned values = 0, held = 0, zeros = 0, false_zeros = 0;
  (void)state;
  for (size_t w = 0; w < sizeof workloads / sizeof *workloads; w++) {
    struct pmon_value shared[EVENTS * SOCKETS], truth[SOCKETS];
    char list[4000] = "";
    for (uint32_t i = 0; i < EVENTS; i++)
      strcat(strcat(list, i ? "," : ""), events[i]);
    zeros_measure(workloads[w], list, EVENTS, shared);
    for (uint32_t i = 0; i < EVENTS; i++) {
      zeros_measure(workloads[w], events[i], 1, truth);
      for (uint32_t socket = 0; socket < SOCKETS; socket++) {
        const struct pmon_value *v = &shared[i * SOCKETS + socket];
        assert_true(v->valid || v->flags & PMON_VALUE_UNKNOWN || v->reason[0]);
        if (!v->valid)
          continue;
        const bool holds = v->low <= truth[socket].number && truth[socket].number <= v->high;
        values++;
        held += holds;
        zeros += v->number <= 0;
        false_zeros += v->number <= 0 && !holds;
      }
    }
  }
  print_message("%u of %u intervals contain the truth; %u zeros, %u of them false\n", held, values, zeros, false_zeros);
  assert_true(values > 100 && zeros > 10);
  assert_true(held >= 0.93 * values && false_zeros <= 0.05 * zeros);
}

/* Metrics that are differences of counts from different rounds: none of the measured quantities can be negative. */
static unsigned differences_measure(const char *scenario, const char *metrics, uint32_t n, uint64_t seed)
{
  const struct pmon_session_options options = {.size = sizeof options, .seed = seed};
  const struct pmon_platform *platform;
  struct pmon_backend *backend;
  struct pmon_value v;
  unsigned values = 0;
  struct machine *m = rig_busy(scenario, &backend);
  ok(pmon_platform_find(context, "snbep", &platform));
  struct pmon_plan *plan = rig_plan(platform, NULL, metrics);
  struct pmon_session *s = rig_session(plan, backend, &options, UINT64_MAX);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t socket = 0; socket < SOCKETS; socket++) {
      ok(pmon_session_metric(s, i, &(struct pmon_scope){socket, PMON_ALL}, &v));
      values += v.valid;
      assert_true(v.valid ? v.number >= 0 && v.low >= 0 : v.reason[0] != 0);
    }
  ok(pmon_session_close(s));
  pmon_backend_close(backend);
  machine_free(m);
  pmon_plan_free(plan);
  return values;
}

static void differences_are_never_negative(void **state)
{
  unsigned bytes = 0, latencies = 0;
  (void)state;
  for (uint64_t seed = 0; seed < 8; seed++) {
    bytes += differences_measure("set platform=snbep numa=interleave\nthread 1 on core 0: stream read 1M stride 64\n"
                                 "thread 1 on core 0: spin 100k\nthread 1 on core 0: stream read 1M stride 64\n",
                                 "DRS_WRITE_FROM_QPI_TO_NODE0,NCB_DATA_FROM_QPI_TO_NODE0", 2, seed);
    latencies += differences_measure("set platform=snbep cores=2 numa=interleave\n"
                                     "thread 0 on core 0: random read 8M count 20k\n",
                                     "AVG_INGRESS_DEPTH,AVG_TOR_DRD_HIT_LATENCY,AVG_TOR_DRD_LATENCY,"
                                     "AVG_TOR_DRD_LOC_MISS_LATENCY,AVG_TOR_DRD_REM_MISS_LATENCY",
                                     5, seed);
  }
  assert_true(bytes > 0 && latencies > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(zeros_of_unseen_bursts_are_unknown),
                                     cmocka_unit_test(differences_are_never_negative)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

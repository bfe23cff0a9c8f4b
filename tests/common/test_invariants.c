/* SPDX-License-Identifier: MIT */
/* Conservation invariants that hold for any traffic: streams, random accesses, lines shared by cores, and devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/common/double.h"
#include "machine/common/feed.h"
#include "machine/common/state.h"
#include "machine/emr/llc.h"
#include "machine/emr/monitoring.h"
#include "machine/emr/socket.h"

typedef void (*load_fn)(struct traffic *t, unsigned cores);

/* Advances the core with the earliest time. */
static unsigned turn(struct traffic *t, const unsigned *core, unsigned n)
{
  unsigned first = 0;
  for (unsigned i = 1; i < n; i++)
    if (traffic_core_time(t, core[i]) < traffic_core_time(t, core[first]))
      first = i;
  return first;
}

static void several(struct traffic *t, unsigned cores, unsigned steps, uint64_t span, unsigned how)
{
  unsigned core[] = {0, 1, cores - 1, cores / 2}, n = cores < 4 ? cores : 4;
  uint64_t seed = 88172645463325252u, place[4] = {0};
  for (unsigned i = 0; i < n; i++)
    traffic_core_wake(t, core[i]);
  for (unsigned i = 0; i < steps; i++) {
    unsigned k = turn(t, core, n);
    uint64_t r = double_random(&seed), at = how == 0 ? place[k]++ * 64 % span + k * span : r % span;
    traffic_block(t, core[k], 0x400000 + r % 4096 * 16, 16, 5);
    enum access_kind kind = how == 0 ? (i & 8 ? ACCESS_STORE : ACCESS_LOAD) : (enum access_kind)(r >> 40) % 3;
    if (how == 2 && i % 97 == 0)
      kind = i & 1 ? ACCESS_FLUSH : ACCESS_NT_STORE;
    traffic_access(t, core[k], 0x10000000 + (at & ~7ull), 8, kind);
  }
  for (unsigned i = 0; i < n; i++)
    traffic_core_idle(t, core[i]);
}

static void streams(struct traffic *t, unsigned cores)
{
  several(t, cores, 60000, 1 << 22, 0);
}
static void scattered(struct traffic *t, unsigned cores)
{
  several(t, cores, 30000, 1 << 28, 1);
}
static void shared_lines(struct traffic *t, unsigned cores)
{
  several(t, cores, 40000, 1 << 16, 2);
}

static void devices(struct traffic *t, unsigned cores)
{
  unsigned far = cores > 8 ? 1 : 0;
  assert_int_equal(traffic_dma_start(t, &(struct dma_stream){.stack = 1,
                                                             .write = true,
                                                             .bytes_per_second = 8000000000u,
                                                             .span_bytes = 1 << 22,
                                                             .until = UINT64_MAX}),
                   0);
  assert_int_equal(traffic_dma_start(t, &(struct dma_stream){.stack = 2,
                                                             .port = 3,
                                                             .node = far,
                                                             .bytes_per_second = 4000000000u,
                                                             .span_bytes = 1 << 22,
                                                             .until = UINT64_MAX}),
                   0);
  assert_int_equal(traffic_dma_start(t, &(struct dma_stream){.socket = far,
                                                             .stack = 1,
                                                             .port = 7,
                                                             .write = true,
                                                             .partial = true,
                                                             .bytes_per_second = 1000000000u,
                                                             .span_bytes = 1 << 20,
                                                             .until = UINT64_MAX}),
                   0);
  several(t, cores, 20000, 1 << 24, 1);
}

static void tor_invariants(const struct machine *m, int s, const struct traffic_totals *own)
{
  struct observed all = double_sum(m, s, "cha", CHA_TOR_INSERTS, 0),
                  ia = double_sum(m, s, "cha", CHA_TOR_INSERTS, TOR_IRQ_IA);
  assert_int_equal(ia.pulses, double_sum(m, s, "cha", CHA_TOR_INSERTS, TOR_IRQ_IA | TOR_HIT).pulses +
                                  double_sum(m, s, "cha", CHA_TOR_INSERTS, TOR_IRQ_IA | TOR_MISS).pulses);
  assert_int_equal(all.pulses, double_sum(m, s, "cha", CHA_TOR_INSERTS, TOR_LOC).pulses +
                                   double_sum(m, s, "cha", CHA_TOR_INSERTS, TOR_REM).pulses);
  uint64_t entries = 0, life = 0;
  for (unsigned op = 0; op < OP_N; op++)
    for (unsigned i = 0; i < 4; i++) {
      entries += own->tor[op][i >> 1][i & 1].entries;
      life += own->tor[op][i >> 1][i & 1].life_fs;
    }
  struct observed occupied = double_sum(m, s, "cha", CHA_TOR_OCCUPANCY, 0);
  assert_int_equal(all.pulses, entries);
  assert_int_equal(occupied.life_fs, life);
  const struct tor_total *drd = &own->tor[OP_DRD][1][0];
  uint64_t drd_attr = TOR_IRQ_IA | TOR_MISS | TOR_LOC | TOR_OPC(OPC_DRD) | TOR_DDR;
  if (drd->entries) { /* no bit of 0x102 is in all other opcodes that miss from cores */
    assert_true(double_sum(m, s, "cha", CHA_TOR_OCCUPANCY, drd_attr).life_fs >= drd->life_fs);
    assert_true(double_sum(m, s, "cha", CHA_TOR_INSERTS, drd_attr).pulses >= drd->entries);
  }
  assert_int_equal(double_sum(m, s, "cha", CHA_LLC_LOOKUP, LLC_ANY).pulses, own->llc_lookups);
  assert_int_equal(double_sum(m, s, "cha", CHA_RXC_INSERTS, 0).pulses -
                       double_sum(m, s, "cha", CHA_RXC_INSERTS, RXC_IRQ_REJ).pulses -
                       double_sum(m, s, "cha", CHA_RXC_INSERTS, RXC_PRQ_REJ).pulses,
                   own->ingress_inserts);
  assert_int_equal(double_sum(m, s, "cha", CHA_SNOOPS_SENT, 0).pulses,
                   double_sum(m, s, "cha", CHA_SNOOP_RESP, 0).pulses);
}

/* A sub-channel completes each write that it begins, whatever it does in between. */
static void mode_invariants(const struct machine *m, int s, uint8_t code)
{
  uint64_t n[8];
  for (unsigned i = 0; i < 8; i++)
    n[i] = double_sum(m, s, "imc", code, EMR_UMASK(1u << i)).pulses;
  enum { PR_SW, PR_PW, SW_PR, SW_PW, SR_PR, SR_PW, PW_SR, PW_PR };
  assert_int_equal(n[PR_PW] + n[SW_PW] + n[SR_PW], n[PW_PR] + n[PW_SR]);
  assert_int_equal(n[PR_SW], n[SW_PR] + n[SW_PW]);
  assert_int_equal(n[PW_SR], n[SR_PR] + n[SR_PW]);
}

static void memory_invariants(const struct machine *m, int s, const struct traffic_totals *own)
{
  uint64_t reads = double_sum(m, s, "imc", IMC_CAS_COUNT, CAS_RD_REG).pulses +
                   double_sum(m, s, "imc", IMC_CAS_COUNT, CAS_RD_PRE_REG).pulses;
  uint64_t writes = double_sum(m, s, "imc", IMC_CAS_COUNT, CAS_WR_NONPRE).pulses +
                    double_sum(m, s, "imc", IMC_CAS_COUNT, CAS_WR_PRE).pulses;
  /* a partial write first needs the rest of the line */
  uint64_t underfills = double_sum(m, s, "imc", IMC_CAS_COUNT, CAS_RD_UNDERFILL).pulses +
                        double_sum(m, s, "imc", IMC_CAS_COUNT, CAS_RD_PRE_UNDERFILL).pulses;
  assert_int_equal(double_sum(m, s, "m2m", M2M_IMC_WRITES, M2M_WR_PARTIAL).pulses, underfills);
  assert_int_equal(own->underfills, underfills);
  assert_int_equal(double_sum(m, s, "m2m", M2M_IMC_READS, M2M_RD_ALL).pulses, reads);
  assert_int_equal(double_sum(m, s, "m2m", M2M_IMC_WRITES, M2M_WR_ALL).pulses, writes);
  assert_int_equal(double_sum(m, s, "cha", CHA_IMC_READS_COUNT, 0).pulses, reads);
  assert_int_equal(double_sum(m, s, "cha", CHA_IMC_WRITES_COUNT, 0).pulses, writes);
  assert_int_equal(double_sum(m, s, "imc", IMC_RPQ_INSERTS, 0).pulses, reads);
  assert_int_equal(double_sum(m, s, "imc", IMC_WPQ_INSERTS, 0).pulses, writes + own->wpq_inside);
  assert_int_equal(own->wpq_inside, 0);
  assert_int_equal(own->cas_reads, reads + underfills);
  assert_int_equal(own->cas_writes, writes);
  struct observed rpq0 = double_sum(m, s, "imc", IMC_RPQ_OCCUPANCY_PCH0, 0),
                  rpq1 = double_sum(m, s, "imc", IMC_RPQ_OCCUPANCY_PCH1, 0);
  assert_int_equal(rpq0.spans + rpq1.spans, reads);
  assert_int_equal(rpq0.life_fs + rpq1.life_fs, own->rpq_wait_fs);
  assert_true(double_sum(m, s, "imc", IMC_RPQ_CYCLES_NE, 0).life_fs <= own->rpq_wait_fs);
  uint64_t act = double_sum(m, s, "imc", IMC_ACT_COUNT, 0).pulses,
           pre = double_sum(m, s, "imc", IMC_PRE_COUNT, 0).pulses;
  assert_int_equal(act, pre + own->auto_precharges + own->refresh_closed + own->rows_open);
  assert_int_equal(act + own->row_hits, reads + writes + underfills);
  assert_int_equal(double_sum(m, s, "imc", IMC_DRAM_REFRESH, 0).pulses, own->refreshes);
  assert_int_equal(double_sum(m, s, "imc", IMC_RD_CAS_PRIO, 0).pulses, reads + underfills);
  assert_int_equal(double_sum(m, s, "imc", IMC_WR_CAS_PRIO, 0).pulses, writes);
  assert_int_equal(double_sum(m, s, "imc", IMC_ACT_PRIO, 0).pulses, act);
  assert_int_equal(double_sum(m, s, "imc", IMC_CAS_MM, 0).pulses, reads + writes + underfills);
  assert_int_equal(double_sum(m, s, "imc", IMC_CAS_ISSUED_REQ_LEN, 0).pulses, reads + writes + underfills);
  /* every read and write has an importance, and out-of-order ones are also counted as critical */
  uint64_t minor = double_sum(m, s, "imc", IMC_CRIT_MINOR_CAS, 0).pulses;
  assert_int_equal(double_sum(m, s, "imc", IMC_RPQ_PRIO, 0).pulses, reads);
  assert_int_equal(double_sum(m, s, "imc", IMC_WPQ_PRIO, 0).pulses, writes + minor / 2);
  assert_int_equal(double_sum(m, s, "imc", IMC_WPQ_READ_HIT, 0).pulses, minor / 2);
  mode_invariants(m, s, IMC_MAJOR_MODE_CHANGE_PCH0);
  mode_invariants(m, s, IMC_MAJOR_MODE_CHANGE_PCH1);
  assert_int_equal(double_sum(m, s, "imc", IMC_RDB_INSERTS, 0).pulses, reads);
  assert_int_equal(double_sum(m, s, "m2m", M2M_TRACKER_OCCUPANCY, 0).spans, reads);
  assert_int_equal(double_sum(m, s, "m2m", M2M_WR_TRACKER_POSTED_OCCUPANCY, 0).spans, writes);
  assert_int_equal(double_sum(m, s, "m2m", M2M_RXC_AD_INSERTS, 0).pulses, reads + writes);
}

static void link_invariants(const struct machine *m)
{
  for (int s = 0; s < 2; s++) {
    static const uint64_t kinds[] = {FLIT_DATA, FLIT_PROTHDR, FLIT_NULL};
    for (unsigned k = 0; k < 3; k++)
      assert_int_equal(double_sum(m, s, "upi", UPI_TXL_FLITS, kinds[k]).pulses,
                       double_sum(m, 1 - s, "upi", UPI_RXL_FLITS, kinds[k]).pulses);
    assert_int_equal(double_sum(m, s, "upi", UPI_TXL_BASIC_HDR_MATCH, 0).pulses,
                     double_sum(m, s, "upi", UPI_TXL_FLITS, FLIT_PROTHDR).pulses);
    /* each request to the other socket made one TOR entry there, and so did each write and each snoop */
    assert_int_equal(double_sum(m, s, "cha", CHA_TOR_INSERTS, TOR_WBQ).pulses,
                     double_sum(m, s, "cha", CHA_REQUESTS, HA_WRITE_REMOTE).pulses);
    assert_int_equal(double_sum(m, s, "cha", CHA_TOR_INSERTS, TOR_IPQ).pulses,
                     double_sum(m, 1 - s, "cha", CHA_SNOOPS_SENT, 0).pulses);
  }
}

/* A line has 16 dwords; each read has a completion; the CHAs observed the same lines. */
static void device_invariants(const struct machine *m, const struct traffic_totals *own)
{
  uint64_t moved = own->dma_reads + own->dma_writes;
  assert_true(own->dma_reads > 100 && own->dma_writes > 100);
  assert_int_equal(double_sum(m, 0, "iio", IIO_TXN_REQ_OF_CPU, 0).pulses, moved);
  assert_int_equal(double_sum(m, 0, "iio", IIO_DATA_REQ_OF_CPU, 0).pulses, 16 * moved);
  assert_int_equal(double_sum(m, 0, "iio", IIO_COMP_BUF_INSERTS, 0).pulses, own->dma_reads);
  assert_int_equal(double_sum(m, 0, "iio", IIO_COMP_BUF_OCCUPANCY, 0).spans, own->dma_reads);
  assert_int_equal(double_sum(m, 0, "cha", CHA_TOR_INSERTS, TOR_PRQ_IOSF).pulses, moved);
}

static uint64_t monitored(struct traffic *t, unsigned socket, uint64_t event)
{
  const struct model_register r = {.socket = socket, .address = event};
  const uint64_t value = monitoring_read(t, &r);
  assert_true(value >> 63);
  return value & ~(UINT64_C(1) << 63);
}

/* The occupancy is what the tags say. The lines that cores read are no more than the look-ups; of a single socket, they
 * are local, and no more than the reads of its memory. */
static void monitoring_invariants(struct traffic *t, unsigned socket, bool single, const struct traffic_totals *own)
{
  const struct socket *s = t->socket[socket];
  const struct cache *llc = &emr_socket(s)->llc;
  const uint64_t total = monitored(t, socket, 2), local = monitored(t, socket, 3);
  uint64_t lines = 0;
  for (unsigned cha = 0; cha < t->chas; cha++)
    for (uint64_t set = 0; set <= llc->set_mask; set++)
      for (uint32_t way = 0; way < llc->ways; way++)
        lines += cache_get(llc_set(s, set, cha), way) != 0;
  assert_int_equal(monitored(t, socket, 1), lines * 64);
  assert_true(lines > 0 || !own->llc_victims);
  assert_true(local <= total && total % 64 == 0 && total / 64 <= own->llc_lookups);
  assert_true(!single || (local == total && total / 64 <= own->cas_reads));
}

static void check_invariants(const char *const *settings, load_fn load)
{
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, settings);
  load(t, traffic_cores(t));
  traffic_drain(t);
  unsigned sockets = traffic_cores(t) > 8 ? 2 : 1;
  for (unsigned s = 0; s < sockets; s++) {
    struct traffic_totals own;
    traffic_totals(t, s, &own);
    tor_invariants(m, (int)s, &own);
    memory_invariants(m, (int)s, &own);
    monitoring_invariants(t, s, sockets == 1, &own);
  }
  struct traffic_totals own, last;
  traffic_totals(t, 0, &own);
  traffic_totals(t, sockets - 1, &last);
  assert_true(own.cas_reads + last.cas_reads > 0 && own.llc_lookups > 0);
  if (load == devices)
    device_invariants(m, &own);
  if (sockets == 2) {
    link_invariants(m);
    assert_true(own.upi_sent_header_slots > 0);
  }
  traffic_free(t);
  double_free(m);
}

static const char *const one[] = {"sockets=1", "cores=8", NULL};
static const char *const two[] = {"cores=8", "numa=interleave", NULL};
static const char *const small[] = {"cores=8",      "numa=bind:1", "l2.size=64K",
                                    "llc.size=40K", "sf.sets=16",  "dram.page=closed",
                                    "cha.tor=4",    "chas=4",      NULL};

static void streams_one(void **s)
{
  (void)s;
  check_invariants(one, streams);
}
static void streams_two(void **s)
{
  (void)s;
  check_invariants(two, streams);
}
static void streams_small(void **s)
{
  (void)s;
  check_invariants(small, streams);
}
static void scattered_one(void **s)
{
  (void)s;
  check_invariants(one, scattered);
}
static void scattered_two(void **s)
{
  (void)s;
  check_invariants(two, scattered);
}
static void scattered_small(void **s)
{
  (void)s;
  check_invariants(small, scattered);
}
static void shared_one(void **s)
{
  (void)s;
  check_invariants(one, shared_lines);
}
static void shared_two(void **s)
{
  (void)s;
  check_invariants(two, shared_lines);
}
static void shared_small(void **s)
{
  (void)s;
  check_invariants(small, shared_lines);
}
static void devices_one(void **s)
{
  (void)s;
  check_invariants(one, devices);
}
static void devices_two(void **s)
{
  (void)s;
  check_invariants(two, devices);
}

/* A core that has no records at present retains a line that its non-temporal stores have not completed: the lack of
 * records may be due to the host. The end of its thread sends the line. */
static void parts_of_lines_wait(void **state)
{
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, (const char *const[]){"sockets=1", "cores=2", NULL});
  const struct traffic_totals *totals = &t->socket[0]->totals;
  (void)state;
  traffic_core_wake(t, 0);
  for (unsigned byte = 0; byte < 96; byte += 8) {
    traffic_access(t, 0, 0x10000000 + byte, 8, ACCESS_NT_STORE);
    traffic_core_idle(t, 0);
    traffic_core_wake(t, 0);
    assert_int_equal(totals->wpq_inserts, byte >= 56);
  }
  assert_int_equal(totals->underfills, 0);
  traffic_core_end(t, 0);
  assert_int_equal(totals->wpq_inserts, 2);
  traffic_free(t);
  double_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(streams_one),   cmocka_unit_test(streams_two),   cmocka_unit_test(streams_small),
      cmocka_unit_test(scattered_one), cmocka_unit_test(scattered_two), cmocka_unit_test(scattered_small),
      cmocka_unit_test(shared_one),    cmocka_unit_test(shared_two),    cmocka_unit_test(shared_small),
      cmocka_unit_test(devices_one),   cmocka_unit_test(devices_two),   cmocka_unit_test(parts_of_lines_wait),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/*
 * Conservation: counts measured by name through the machine's registers, compared with each other and with the
 * machine's own account. Invariants within one unit are facts (test_invariants.c); these relate units, sockets and
 * kinds of counters.
 */
#include <math.h>
#include "machine/machine.h"
#include "machine/common/totals.h"
#include "tests/engine/rig.h"

#define SMALL "set sockets=2 cores=4 chas=4 imcs=2 upi.links=2 iio.stacks=2\n"
#define LINE_BYTES 64

static const char *const scenarios[] = {
    SMALL "set numa=interleave\nseed 3\nthread 0 on core 0: stream read 256K stride 64 times 2\n"
          "thread 1 on core 1: random modify 512K count 6k\nthread 2 on core 5: copy 256K times 2\n"
          "thread 3 on core 6: random prefetch 1M count 3k\n",
    SMALL "set numa=interleave l2.size=64K\nthread 0 on core 0: stream write 1M stride 64 times 2\n"
          "thread 1 on core 4: stream read 64K stride 64 shared ring times 60\n"
          "thread 2 on core 5: random past-caches 256K count 10k\nthread 3 on core 2: stream flush 128K stride 64\n",
    SMALL "set numa=bind:1\nseed 5\nthread 0 on core 0: chase 512K\nthread 1 on core 1: random write 2M count 8k\n",
    SMALL "dma write 8GB/s stack 0 port 0 for 300us\ndma read 8GB/s stack 1 port 1 for 300us\n"
          "dma write 2GB/s stack 1 port 0 partial for 300us\nthread 0 on core 1: chase 512K\n"};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios, DEVICES = 3 };

/* Counts of some events, or values of metrics, for each socket, and the machine's own account of the same run. */
enum { COUNTED = 9 };
struct measured {
  double of[COUNTED][2];
  struct traffic_totals own[2];
};

/* Measures a list in one round while a scenario runs, to time until_ns (UINT64_MAX: to the end). */
static void conservation_measure(unsigned scenario, const char *events, const char *metrics, uint64_t until_ns,
                                 struct measured *ret)
{
  struct pmon_plan_info info = {.size = sizeof info};
  struct pmon_backend *backend;
  struct pmon_value v;
  struct machine *m = rig_busy(scenarios[scenario], &backend);
  struct pmon_plan *plan = rig_plan(emr, events, metrics);
  ok(pmon_plan_describe(plan, &info));
  assert_int_equal(info.rounds, 1);
  struct pmon_session *s = rig_session(plan, backend, NULL, until_ns);
  const uint32_t n = events ? info.events : info.metrics;
  assert_true(n <= COUNTED);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t socket = 0; socket < 2; socket++) {
      const struct pmon_scope scope = {socket, PMON_ALL};
      ok(events ? pmon_session_event(s, i, &scope, &v) : pmon_session_metric(s, i, &scope, &v));
      if (!v.valid)
        fail_msg("scenario %u, %s: %s", scenario, events ? events : metrics, v.reason);
      ret->of[i][socket] = v.number;
    }
  for (unsigned socket = 0; socket < 2; socket++)
    traffic_totals(machine_traffic(m), socket, &ret->own[socket]);
  ok(pmon_session_close(s));
  pmon_backend_close(backend);
  machine_free(m);
  pmon_plan_free(plan);
}

static void equal(const char *what, unsigned scenario, double left, double right)
{
  if (fabs(left - right) > 1e-6)
    fail_msg("%s, scenario %u: %.15g and %.15g", what, scenario, left, right);
}

/* The channels do what M2M requests; each column command moves a line; the account has the same numbers. */
static void memory_requests_equal_m2m_requests(void **state)
{
  struct measured m;
  double all = 0;
  (void)state;
  for (unsigned i = 0; i < SCENARIOS; i++) {
    conservation_measure(
        i,
        "m2m/IMC_READS.ALL/,m2m/IMC_WRITES.ALL/,imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/,m2m/IMC_WRITES.PARTIAL/,"
        "imc/CAS_COUNT.RD_UNDERFILL/",
        NULL, UINT64_MAX, &m);
    struct measured bytes;
    conservation_measure(i, NULL, "MEM_BW_READS,MEM_BW_WRITES,MEM_BW_TOTAL", UINT64_MAX, &bytes);
    for (unsigned s = 0; s < 2; s++) {
      equal("writes of parts of lines, and reads of the rest", i, m.of[4][s], m.of[5][s]);
      equal("reads of M2M and of the channels", i, m.of[0][s] + m.of[4][s], m.of[2][s]);
      equal("writes of M2M and of the channels", i, m.of[1][s], m.of[3][s]);
      equal("reads of the channels, own account", i, m.of[2][s], (double)m.own[s].cas_reads);
      equal("writes of the channels, own account", i, m.of[3][s], (double)m.own[s].cas_writes);
      equal("bytes read", i, bytes.of[0][s], LINE_BYTES * m.of[2][s]);
      equal("bytes written", i, bytes.of[1][s], LINE_BYTES * m.of[3][s]);
      equal("bytes", i, bytes.of[2][s], LINE_BYTES * (m.of[2][s] + m.of[3][s]));
      all += m.of[2][s] * m.of[3][s];
    }
  }
  assert_true(all > 0);
}

/* Entries of the queues either leave or remain: none remains at the end, and never more than the queues hold. */
static void queues_release_each_entry(void **state)
{
  static const uint64_t until_ns[] = {5000, 23456, 60001, UINT64_MAX};
  const double reads_held = 2 * 4 * 64, writes_held = 2 * 4 * 48; /* of both sub-channels of four channels */
  struct measured in, out;
  double inside = 0;
  (void)state;
  for (unsigned i = 0; i < SCENARIOS; i++)
    for (unsigned k = 0; k < sizeof until_ns / sizeof *until_ns; k++) {
      conservation_measure(i, "imc/RPQ_INSERTS.PCH0/,imc/RPQ_INSERTS.PCH1/,imc/WPQ_INSERTS.PCH0/,imc/WPQ_INSERTS.PCH1/",
                           NULL, until_ns[k], &in);
      conservation_measure(i, "imc/CAS_COUNT.RD_REG/,imc/CAS_COUNT.WR/", NULL, until_ns[k], &out);
      for (unsigned s = 0; s < 2; s++) {
        const double reads = in.of[0][s] + in.of[1][s] - out.of[0][s];
        const double writes = in.of[2][s] + in.of[3][s] - out.of[1][s];
        const bool end = until_ns[k] == UINT64_MAX;
        if (reads < 0 || reads > (end ? 0 : reads_held) || writes < 0 || writes > (end ? 0 : writes_held))
          fail_msg("scenario %u, socket %u, %llu ns: %g reads and %g writes inside", i, s,
                   (unsigned long long)until_ns[k], reads, writes);
        inside += writes;
      }
    }
  assert_true(inside > 0);
}

/* Occupancy divided by inserts is the mean lifetime of an entry, as the machine itself records it. */
static void occupancy_is_life_time(void **state)
{
  const double cha_ghz = 2.2;
  struct measured m;
  (void)state;
  for (unsigned i = 0; i < SCENARIOS; i++) {
    conservation_measure(i, "cha/TOR_OCCUPANCY.ALL/,cha/TOR_INSERTS.ALL/", NULL, UINT64_MAX, &m);
    for (unsigned s = 0; s < 2; s++) {
      double entries = 0, life_fs = 0;
      for (unsigned op = 0; op < OP_N; op++)
        for (unsigned k = 0; k < 4; k++) {
          entries += (double)m.own[s].tor[op][k >> 1][k & 1].entries;
          life_fs += (double)m.own[s].tor[op][k >> 1][k & 1].life_fs;
        }
      equal("entries of the TOR", i, m.of[1][s], entries);
      if (entries < 1000)
        continue;
      const double counted_ns = m.of[0][s] / m.of[1][s] / cha_ghz, own_ns = life_fs / entries * 1e-6;
      if (fabs(counted_ns - own_ns) > 1e-3 * own_ns)
        fail_msg("scenario %u, socket %u: life of %g ns counted, %g ns lived", i, s, counted_ns, own_ns);
    }
  }
}

/* Requests hit or miss, and go to this socket or the other: all counted at the same time on one machine. */
static void parts_of_requests_add_up(void **state)
{
  struct measured m, n;
  double remote = 0;
  (void)state;
  for (unsigned i = 0; i < SCENARIOS; i++) {
    conservation_measure(i, "cha/TOR_INSERTS.IA/,cha/TOR_INSERTS.IA_HIT/,cha/TOR_INSERTS.IA_MISS/", NULL, UINT64_MAX,
                         &m);
    conservation_measure(
        i, "cha/TOR_INSERTS.IA_MISS_DRD/,cha/TOR_INSERTS.IA_MISS_DRD_LOCAL/,cha/TOR_INSERTS.IA_MISS_DRD_REMOTE/", NULL,
        UINT64_MAX, &n);
    for (unsigned s = 0; s < 2; s++) {
      equal("hits and misses", i, m.of[0][s], m.of[1][s] + m.of[2][s]);
      equal("local and remote", i, n.of[0][s], n.of[1][s] + n.of[2][s]);
      equal("demand reads that miss, own account", i, n.of[2][s], (double)m.own[s].tor[OP_DRD][1][1].entries);
      remote += n.of[2][s];
    }
    assert_true(m.of[0][0] + m.of[0][1] > 100);
  }
  assert_true(remote > 1000);
}

static void sent_flits_equal_received_flits(void **state)
{
  struct measured m;
  double sent = 0;
  (void)state;
  for (unsigned i = 0; i < SCENARIOS; i++) {
    conservation_measure(i,
                         "upi/TxL_FLITS.ALL_DATA/,upi/TxL_FLITS.PROTHDR,umask=0x87/,upi/RxL_FLITS.ALL_DATA/,"
                         "upi/RxL_FLITS.PROTHDR,umask=0x87/",
                         NULL, UINT64_MAX, &m);
    for (unsigned s = 0; s < 2; s++) {
      equal("data slots", i, m.of[0][s], m.of[2][1 - s]);
      equal("header slots", i, m.of[1][s], m.of[3][1 - s]);
      equal("data slots, own account", i, m.of[0][s], (double)m.own[s].upi_sent_data_slots);
      equal("header slots, own account", i, m.of[1][s], (double)m.own[s].upi_sent_header_slots);
      sent += m.of[0][s];
    }
  }
  assert_true(sent > 1000);
}

/* Free-running counters agree with the programmable ones, each in its own unit. */
static void free_running_counters_agree(void **state)
{
  struct measured m;
  double pending = 0, written = 0;
  (void)state;
  conservation_measure(DEVICES,
                       "iio/BW_IN_PORT0/,iio/DATA_REQ_OF_CPU.MEM_WRITE.PART0/,iio/BW_OUT_PORT1/,"
                       "iio/DATA_REQ_OF_CPU.MEM_READ.PART1/",
                       NULL, UINT64_MAX, &m);
  equal("bytes that devices wrote", DEVICES, 32 * m.of[0][0], 4 * m.of[1][0]);
  equal("bytes that devices read", DEVICES, 32 * m.of[2][0], 4 * m.of[3][0]);
  equal("bytes that devices read, own account", DEVICES, 4 * m.of[3][0], (double)m.own[0].dma_read_bytes);
  assert_true(m.of[0][0] > 10000 && m.of[2][0] > 10000);
  for (unsigned i = 0; i < SCENARIOS; i++) {
    /* A controller's free-running counter is active while any queue of its channels is: at least when the queue of its
     * first pseudo channel is. tests/scenarios/emr-queues-active.scn has the sum. */
    conservation_measure(
        i,
        "imc/FRCTR_DCLK/,imc/CLOCKTICKS.DCLK/,imc/DCLK/,imc/RPQ_CYCLES/,imc0+2+4+6/RPQ_CYCLES_NE.PCH0/,"
        "imc/WPQ_CYCLES/,imc0+2+4+6/WPQ_CYCLES_NE.PCH0/,iio/IOCLK/,iio/CLOCKTICKS/",
        NULL, UINT64_MAX, &m);
    for (unsigned s = 0; s < 2; s++) {
      equal("fixed and programmable clocks", i, m.of[1][s], m.of[2][s]);
      if (m.of[0][s] <= 0 || fabs(m.of[0][s] * 2 - m.of[1][s]) > 8) /* two channels, one free-running counter */
        fail_msg("scenario %u: clocks %.15g and %.15g", i, m.of[0][s], m.of[1][s]);
      assert_true(m.of[3][s] >= m.of[4][s] && m.of[3][s] <= m.of[0][s]);
      assert_true(m.of[5][s] >= m.of[6][s] && m.of[5][s] <= m.of[0][s]);
      equal("clocks of the stacks", i, m.of[7][s], m.of[8][s]);
      pending += m.of[3][s];
      written += m.of[5][s];
    }
  }
  assert_true(pending > 1000 && written > 1000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory_requests_equal_m2m_requests),
                                     cmocka_unit_test(queues_release_each_entry),
                                     cmocka_unit_test(occupancy_is_life_time),
                                     cmocka_unit_test(parts_of_requests_add_up),
                                     cmocka_unit_test(sent_flits_equal_received_flits),
                                     cmocka_unit_test(free_running_counters_agree)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

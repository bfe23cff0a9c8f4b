/* SPDX-License-Identifier: MIT */
/* The E5-2600's traffic: invariants between its boxes for any workload, and the contents of its caches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pmon/status.h>
#include "tests/common/double.h"
#include "machine/snbep/uncore.h"
#include "tests/common/snbep.h"

static const char *const directory[] = {"platform=snbep", "llc.size=320K", "numa=interleave", "directory=on", NULL};
static const char *const small[] = {"platform=snbep", "cores=3",          "chas=3",
                                    "llc.size=20K",   "l2.size=16K",      "upi.links=1",
                                    "channels=2",     "dram.page=closed", NULL};
static const char *const alone[] = {"platform=snbep", "sockets=1", "llc.size=320K", NULL};
static const char *const *const machines[] = {snbep_plain, directory, small, alone};

static void snbep_run(struct traffic *t, unsigned steps, uint64_t span)
{
  const unsigned cores = traffic_cores(t), core[] = {0, cores - 1, 1, cores / 2};
  uint64_t seed = 4711;
  for (unsigned i = 0; i < 4; i++)
    traffic_core_wake(t, core[i]);
  for (unsigned i = 0; i < steps; i++) {
    unsigned first = 0;
    for (unsigned k = 1; k < 4; k++)
      if (traffic_core_time(t, core[k]) < traffic_core_time(t, core[first]))
        first = k;
    uint64_t r = double_random(&seed);
    enum access_kind kind = (enum access_kind)(r >> 40) % 3;
    if (i % 61 == 0)
      kind = i & 1 ? ACCESS_FLUSH : ACCESS_NT_STORE;
    traffic_block(t, core[first], 0x400000 + r % 4096 * 16, 16, 5);
    traffic_access(t, core[first], 0x10000000 + ((r >> 8) % span & ~7ull), 8, kind);
  }
  for (unsigned i = 0; i < 4; i++)
    traffic_core_idle(t, core[i]);
}

static void devices(struct traffic *t, unsigned far)
{
  assert_int_equal(traffic_dma_start(t, &(struct dma_stream){.node = far,
                                                             .write = true,
                                                             .bytes_per_second = 4000000000u,
                                                             .span_bytes = 1 << 20,
                                                             .until = UINT64_MAX}),
                   0);
  assert_int_equal(traffic_dma_start(t, &(struct dma_stream){.socket = far,
                                                             .port = 1,
                                                             .bytes_per_second = 4000000000u,
                                                             .span_bytes = 1 << 20,
                                                             .until = UINT64_MAX}),
                   0);
}

static void memory_invariants(const struct machine *m, int s, const struct traffic_totals *own)
{
  const uint64_t reads = pulses(m, s, "imc", SNB_IMC_CAS_COUNT, SNB_UMASK(0x01));
  const uint64_t writes =
      pulses(m, s, "imc", SNB_IMC_CAS_COUNT, SNB_UMASK(0x04)) + pulses(m, s, "imc", SNB_IMC_CAS_COUNT, SNB_UMASK(0x08));
  const uint64_t underfills = pulses(m, s, "imc", SNB_IMC_CAS_COUNT, SNB_UMASK(0x02));
  assert_true(reads && writes);
  assert_int_equal(reads, own->m2m_reads);
  assert_int_equal(reads, pulses(m, s, "imc", SNB_IMC_RPQ_INSERTS, 0));
  assert_int_equal(double_sum(m, s, "imc", SNB_IMC_RPQ_OCCUPANCY, 0).life_fs, own->rpq_wait_fs);
  assert_int_equal(writes, own->m2m_writes);
  assert_int_equal(writes, pulses(m, s, "imc", SNB_IMC_WPQ_INSERTS, 0));
  assert_int_equal(writes, pulses(m, s, "ha", HA_IMC_WRITES, 0));
  assert_int_equal(underfills, pulses(m, s, "ha", HA_IMC_WRITES, SNB_UMASK(0x02))); /* partial lines */
  assert_int_equal(underfills, own->underfills);
  assert_int_equal(reads + underfills, own->cas_reads);
  assert_int_equal(writes, own->cas_writes);
  assert_int_equal(pulses(m, s, "imc", SNB_IMC_ACT_COUNT, 0), own->activates);
  assert_int_equal(own->activates, own->precharges + own->auto_precharges + own->refresh_closed + own->rows_open);
  assert_int_equal(pulses(m, s, "imc", SNB_IMC_PRE_COUNT, 0), own->precharges);
}

static uint64_t clean_victims; /* sum over all machines */

/* The misses of the sockets' CBos equal the requests to the home agents. */
static void agent_invariants(const struct machine *m, const struct traffic_totals *own, unsigned sockets)
{
  uint64_t asked = 0, written = 0, flushed = 0, far = 0, inserts = 0, life = 0, snoops = 0, victims = 0, victims_m = 0;
  for (unsigned s = 0; s < sockets; s++) {
    victims += own[s].llc_victims;
    victims_m += own[s].llc_victims_m;
    for (unsigned op = 0; op < OP_N; op++)
      for (unsigned i = 0; i < 4; i++) {
        const struct tor_total *total = &own[s].tor[op][i >> 1][i & 1];
        const bool snoop = op == OP_SNPDATA || op == OP_SNPINV;
        const bool writes = op == OP_WCIL || op == OP_WCILF || op == OP_VICTIM || op == OP_WBMTOI;
        inserts += total->entries;
        life += total->life_fs;
        const bool far_device = (op == OP_ITOM || op == OP_ITOMCACHENEAR) && i & 1; /* its data follow */
        asked += i >> 1 && !writes && op != OP_CLFLUSH ? total->entries : 0;
        written += (i >> 1 && writes) || far_device ? total->entries : 0;
        far += far_device ? total->entries : 0;
        flushed += i >> 1 && op == OP_CLFLUSH ? total->entries : 0; /* a write-back of data, or a snoop */
        snoops += snoop ? total->entries : 0;
      }
  }
  assert_int_equal(inserts, pulses(m, -1, "cbo", CBO_TOR_INSERTS, 0));
  assert_int_equal(life, double_sum(m, -1, "cbo", CBO_TOR_OCCUPANCY, 0).life_fs);
  assert_int_equal(inserts, pulses(m, -1, "cbo", CBO_MISC, CBO_MISC_STARTED));
  const uint64_t questions =
      pulses(m, -1, "ha", HA_REQUESTS, HA_READS(0)) + pulses(m, -1, "ha", HA_REQUESTS, HA_READS(1));
  assert_in_range(questions, asked, asked + flushed);
  const uint64_t ha = pulses(m, -1, "ha", HA_REQUESTS, HA_WRITES(0)) + pulses(m, -1, "ha", HA_REQUESTS, HA_WRITES(1));
  assert_int_equal(questions + ha, asked + written + flushed);
  /* each victim has an entry, and a modified one has an RTID (Table 2-30) */
  clean_victims += victims - victims_m;
  assert_int_equal(pulses(m, -1, "cbo", CBO_TOR_INSERTS, CBO_TOR_EVICTION), victims);
  assert_int_equal(pulses(m, -1, "cbo", CBO_TOR_INSERTS, CBO_TOR_EVICTION | CBO_TOR_MISS), victims_m);
  /* an entry that needs no RTID is not a miss, and an entry for a snoop has no node */
  assert_int_equal(pulses(m, -1, "cbo", CBO_TOR_INSERTS, CBO_TOR_MISS), questions + ha - far);
  assert_int_equal(pulses(m, -1, "cbo", CBO_TOR_INSERTS, CBO_NID(0)) +
                       pulses(m, -1, "cbo", CBO_TOR_INSERTS, CBO_NID(1)),
                   inserts - snoops);
  assert_int_equal(pulses(m, -1, "ha", HA_TRACKER_INSERTS, 0), questions + ha);
  assert_int_equal(pulses(m, -1, "ha", HA_ADDR_OPC_MATCH, 0), questions + ha);
}

/* Each kind of message sent by one side is received by the other; a line is eight flits after one. */
static void link_invariants(const struct machine *m, int from, int to)
{
  static const struct {
    uint8_t tx, rx;
    uint64_t ext;
    unsigned kinds;
  } groups[] = {{QPI_TXL_FLITS_G0, QPI_RXL_FLITS_G0, 0, 3},
                {QPI_TXL_FLITS_G1, QPI_RXL_FLITS_G1, SNB_EXT, 5},
                {QPI_TXL_FLITS_G2, QPI_RXL_FLITS_G2, SNB_EXT, 5}};
  for (unsigned g = 0; g < 3; g++)
    for (unsigned k = g == 0; k < groups[g].kinds; k++)
      assert_int_equal(flits(m, from, groups[g].tx, groups[g].ext, 1u << k),
                       flits(m, to, groups[g].rx, groups[g].ext, 1u << k));
  const uint64_t headers = pulses(m, from, "qpi", QPI_TXL_FLITS_G1, SNB_EXT | SNB_UMASK(FLIT1_DRS_NONDATA));
  const uint64_t data = pulses(m, from, "qpi", QPI_TXL_FLITS_G1, SNB_EXT | SNB_UMASK(FLIT1_DRS_DATA));
  const uint64_t parts = pulses(m, to, "qpi", QPI_CTO_COUNT, QPI_PACKET(QPI_DRS, 0xb));
  assert_int_equal(data, 8 * headers + 2 * parts);
  assert_int_equal(flits(m, from, QPI_TXL_FLITS_G0, 0, FLIT0_DATA), data);
  assert_int_equal(flits(m, from, QPI_TXL_FLITS_G0, 0, FLIT0_NON_DATA), pulses(m, to, "qpi", QPI_CTO_COUNT, 0));
  assert_int_equal(pulses(m, from, "r3qpi", R3_RXR_INSERTS, 0), pulses(m, to, "qpi", QPI_CTO_COUNT, 0));
  assert_int_equal(pulses(m, from, "qpi", QPI_TXL_INSERTS, 0) + pulses(m, from, "qpi", QPI_TXL_BYPASSED, 0),
                   flits(m, from, QPI_TXL_FLITS_G0, 0, FLIT0_NON_DATA) + data);
}

/* RxL_OCCUPANCY of all messages is the sum of the six classes; the codes are the guide's (327043 Table 2-94). */
static void buffer_invariants(const struct machine *m)
{
  enum { RXL_OCCUPANCY = 0x0b, RXL_OCCUPANCY_DRS = 0x15, CLASSES = 6 };
  uint64_t classes = 0;
  for (uint8_t i = 0; i < CLASSES; i++)
    classes += double_sum(m, -1, "qpi", (uint8_t)(RXL_OCCUPANCY_DRS + i), SNB_EXT).life_fs;
  assert_true(classes > 0);
  assert_int_equal(double_sum(m, -1, "qpi", RXL_OCCUPANCY, 0).life_fs, classes);
}

/* Returns the flits that the sending side has counted by `at` and the receiving side has not. */
static uint64_t on_their_way(const struct traffic *t, unsigned from, fs_t at)
{
  uint64_t n = 0;
  for (unsigned i = 0; i < t->links; i++)
    for (unsigned k = 0; k < SNB_AHEAD; k++) {
      const struct snb_train *m = &snbep_socket(t->socket[from])->link[i].ahead[k];
      n += m->n ? link_flits_left(t, m, 1, at) - link_flits_left(t, m, 0, at) : 0;
    }
  return n;
}

/* Idle flits fill the rest of the time on either side: while messages are in transit, the receiver has as many more;
 * with idle devices, none. */
static void idle_invariants(const struct machine *m, struct traffic *t, bool end)
{
  const fs_t at = t->reached;
  for (unsigned s = 0; s < 2; s++) {
    const uint64_t idle = flits(m, (int)s, QPI_TXL_FLITS_G0, 0, FLIT0_IDLE), on_way = on_their_way(t, s, at);
    assert_true(idle > 0 && (!end || !on_way));
    assert_int_equal(flits(m, 1 - (int)s, QPI_RXL_FLITS_G0, 0, FLIT0_IDLE), idle + on_way);
  }
}

static void invariants(const char *const *settings, bool with_devices)
{
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, settings);
  struct traffic_totals own[2];
  const unsigned sockets = t->sockets;
  if (with_devices)
    devices(t, sockets - 1);
  snbep_run(t, 12000, 1 << 22);
  traffic_drain(t);
  for (unsigned s = 0; s < sockets; s++)
    traffic_totals(t, s, &own[s]);
  for (unsigned s = 0; s < sockets; s++)
    memory_invariants(m, (int)s, &own[s]);
  agent_invariants(m, own, sockets);
  if (sockets > 1) {
    link_invariants(m, 0, 1);
    link_invariants(m, 1, 0);
    buffer_invariants(m);
    idle_invariants(m, t, false);
    for (unsigned i = 0; i < t->n_dma; i++)
      t->dma[i].stream.until = t->reached;
    traffic_advance(t, t->reached + UINT64_C(10000000000));
    idle_invariants(m, t, true);
  }
  traffic_free(t);
  double_free(m);
}

static void test_invariants(void **state)
{
  (void)state;
  for (unsigned i = 0; i < sizeof machines / sizeof *machines; i++) {
    invariants(machines[i], false);
    invariants(machines[i], true);
  }
  assert_true(clean_victims > 1000);
}

/* The LLC is inclusive, and its core-valid bits cover each core that may have a line; a modified line is in one socket
 * only. */
static void test_inclusive(void **state)
{
  struct machine *m = double_new(1);
  struct traffic *t = double_traffic(m, small);
  unsigned seen = 0;
  (void)state;
  for (unsigned round = 0; round < 20; round++) {
    snbep_run(t, 500, 1 << 17);
    for (unsigned c = 0; c < t->n_cores; c++) {
      const struct cache *l2 = &t->core[c].l2;
      for (uint64_t i = 0; i < (l2->set_mask + 1) * l2->ways; i++) {
        const uint64_t held = cache_get(cache_set(l2, 0, i / l2->ways), (uint32_t)(i % l2->ways)), line = held >> 8;
        if (!held)
          continue;
        const struct socket *s = t->socket[t->core[c].socket], *other = t->socket[1 - t->core[c].socket];
        const uint64_t *set = snb_set(snbep_socket(s), address_cha(&t->map, line), line);
        const uint64_t *there = snb_set(snbep_socket(other), address_cha(&t->map, line), line);
        uint32_t way = 0;
        while (way < snbep_socket(s)->ways && set[way] >> 16 != line)
          way++;
        assert_true(way < snbep_socket(s)->ways);
        assert_true(set[way] >> (8 + t->core[c].index) & 1);
        if ((held & ENTRY_STATE) >= LINE_E) {
          assert_true((set[way] & ENTRY_STATE) >= LINE_E);
          assert_int_equal(set[way] >> 8 & 0xff, 1u << t->core[c].index);
          for (uint32_t k = 0; k < snbep_socket(other)->ways; k++)
            assert_true(there[k] >> 16 != line);
        }
        seen++;
      }
    }
  }
  assert_true(seen > 1000);
  traffic_free(t);
  double_free(m);
}

/* The CBo of a missing slice counts the messages at its ring stop, and those that its core sends; it has no
 * requests. */
static void test_missing_slices(void **state)
{
  static const char *const settings[] = {"platform=snbep", "sockets=1", "cores=8", "chas=2", NULL};
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, settings);
  (void)state;
  for (unsigned i = 0; i < 2000; i++)
    traffic_access(t, 5, 0x10000000 + i * 64, 8, ACCESS_LOAD);
  traffic_drain(t);
  for (unsigned i = 0; i < 8; i++) {
    assert_int_equal(t->core[i].tile, t->socket[0]->cha[i].tile);
    assert_int_equal(double_sum_one(m, 0, "cbo", i, CBO_TXR_INSERTS, SNB_UMASK(CBO_AD_CORE)).pulses > 0, i == 5);
    assert_int_equal(double_sum_one(m, 0, "cbo", i, CBO_LLC_LOOKUP, 0).pulses > 0, i < 2);
  }
  assert_true(double_sum_one(m, 0, "cbo", 5, CBO_RING_BL_USED, 0).pulses >= 4000); /* two transfers a line */
  traffic_free(t);
  double_free(m);
}

/* Without a directory, each read of local memory snoops the other socket; with one, no read of an unshared line
 * does. */
static void test_directory(void **state)
{
  static const char *const settings[][4] = {{"platform=snbep", "directory=off", "numa=bind:0", NULL},
                                            {"platform=snbep", "directory=on", "numa=bind:0", NULL}};
  (void)state;
  for (unsigned on = 0; on < 2; on++) {
    struct machine *m = double_new(0);
    struct traffic *t = double_traffic(m, settings[on]);
    for (unsigned i = 0; i < 5000; i++) {
      traffic_block(t, 0, 0x400000, 16, 5);
      traffic_access(t, 0, 0x10000000 + i * 64, 8, ACCESS_LOAD);
    }
    traffic_drain(t);
    const uint64_t reads = pulses(m, 0, "ha", HA_REQUESTS, HA_READS(0));
    const uint64_t snoops = pulses(m, 0, "qpi", QPI_TXL_FLITS_G1, SNB_EXT | SNB_UMASK(FLIT1_SNP));
    assert_true(reads >= 5000);
    assert_int_equal(snoops, on ? 0 : reads);
    assert_int_equal(pulses(m, 1, "qpi", QPI_TXL_FLITS_G1, SNB_EXT | SNB_UMASK(FLIT1_HOM_NONREQ)), snoops);
    assert_int_equal(pulses(m, 1, "cbo", CBO_LLC_LOOKUP, CBO_LOOKUP_SNOOP), snoops);
    assert_int_equal(pulses(m, 0, "ha", HA_DIRECTORY_LOOKUP, SNB_UMASK(0x02)), on ? reads : 0);
    assert_int_equal(pulses(m, -1, "ha", HA_DIRECTORY_UPDATE, 0), 0);
    traffic_free(t);
    double_free(m);
  }
}

/* A message takes the shorter direction of the ring: from the agent counter-clockwise to a CBo of the left half,
 * clockwise to one of the right half; each stop counts it once, and a line of data twice. */
static void test_ring(void **state)
{
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, snbep_plain);
  struct socket *s = t->socket[0];
  (void)state;
  fs_t at = ring_send(t, s, &(struct snb_move){.from = snbep_socket(s)->home, .to = s->cha[2].tile, .ring = SNB_BL}, 0);
  assert_true(at > 0);
  for (unsigned i = 0; i < 4; i++)
    assert_int_equal(double_sum_one(m, 0, "cbo", i, CBO_RING_BL_USED, 0).pulses, i == 2 || i == 3 ? 2 : 0);
  /* counter-clockwise is down on the left */
  assert_int_equal(double_sum_one(m, 0, "cbo", 3, CBO_RING_BL_USED, SNB_UMASK(RING_DOWN_EVEN)).pulses +
                       double_sum_one(m, 0, "cbo", 3, CBO_RING_BL_USED, SNB_UMASK(RING_DOWN_ODD)).pulses,
                   2);
  ring_send(t, s, &(struct snb_move){.from = snbep_socket(s)->home, .to = s->cha[4].tile, .ring = SNB_AD}, at);
  assert_int_equal(double_sum_one(m, 0, "cbo", 4, CBO_RING_AD_USED, SNB_UMASK(RING_DOWN_EVEN)).pulses +
                       double_sum_one(m, 0, "cbo", 4, CBO_RING_AD_USED, SNB_UMASK(RING_DOWN_ODD)).pulses,
                   1);
  ring_send(t, s, &(struct snb_move){.from = s->cha[4].tile, .to = snbep_socket(s)->home, .ring = SNB_AD}, at);
  assert_int_equal(double_sum_one(m, 0, "cbo", 4, CBO_RING_AD_USED, 0).pulses, 1); /* messages that a stop itself
                                                                                    * sends are not counted there */
  traffic_free(t);
  double_free(m);
}

/* Two messages that reach a core at once, from both directions: the core buffers the second. A third simultaneous one
 * goes round the ring once more. */
static void test_a_core_buffers_one_message(void **state)
{
  (void)state;
  for (unsigned third = 0; third < 2; third++) {
    struct machine *m = double_new(0);
    struct traffic *t = double_traffic(m, snbep_plain);
    struct socket *s = t->socket[0];
    const unsigned core = s->cha[2].tile;
    const fs_t begin = 1000 * (fs_t)t->time.uclk;
    struct snb_move move = {.from = core - 1, .to = core, .ring = SNB_AK, .side = SNB_TO_CORE};
    const fs_t first = ring_send(t, s, &move, begin);
    move.from = core + 1;
    assert_true(ring_send(t, s, &move, begin) == first + t->time.uclk);
    if (third) {
      move.from = core + 2;
      ring_send(t, s, &move, begin - t->time.hop);
    }
    assert_int_equal(double_sum_one(m, 0, "cbo", 2, CBO_RING_BOUNCES, SNB_UMASK(CBO_BOUNCE_AK)).pulses, third);
    traffic_free(t);
    double_free(m);
  }
}

/* Regression: streams of 4 GB/s in and out waited for one bank after the other to close and open, and fell behind. With
 * closed pages, consecutive lines are in different banks. */
static void test_closed_rows_sustain_the_rate(void **state)
{
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, small);
  struct traffic_totals own[2];
  (void)state;
  devices(t, 1);
  traffic_advance(t, 50000000000); /* 50 us; 64 bytes every 16 ns */
  for (unsigned s = 0; s < 2; s++)
    traffic_totals(t, s, &own[s]);
  assert_in_range(own[0].dma_writes, 3124, 3126);
  assert_in_range(own[1].dma_reads, 3124, 3126);
  assert_true(own[0].rpq_wait_fs / own[0].rpq_inserts < 100000000); /* 0.1 us */
  traffic_free(t);
  double_free(m);
}

static void test_repeated_run_is_identical(void **state)
{
  uint64_t digest[2];
  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    struct machine *m = double_new(0);
    struct traffic *t = double_traffic(m, snbep_plain);
    devices(t, 1);
    snbep_run(t, 5000, 1 << 22);
    traffic_drain(t);
    digest[i] = double_digest(m);
    traffic_free(t);
    double_free(m);
  }
  assert_int_equal(digest[0], digest[1]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_invariants),
                                     cmocka_unit_test(test_inclusive),
                                     cmocka_unit_test(test_missing_slices),
                                     cmocka_unit_test(test_directory),
                                     cmocka_unit_test(test_ring),
                                     cmocka_unit_test(test_a_core_buffers_one_message),
                                     cmocka_unit_test(test_closed_rows_sustain_the_rate),
                                     cmocka_unit_test(test_repeated_run_is_identical)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/*
 * Traffic over the E5-2600's links and in its UBox: uncacheable accesses, peer-to-peer traffic of devices, messages and
 * locks, and the states in which lines are transferred.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pmon/status.h>
#include "tests/common/double.h"
#include "machine/snbep/uncore.h"
#include "tests/common/snbep.h"

/* Numbers in 10 us at the rates below: requests of 64 bytes, except a core's reads of 8 bytes. */
enum { WRITES = 157, READS = 125, PEER_READS = 16, MESSAGES = 16 };

static void streams_run(struct traffic *t, unsigned node)
{
  struct dma_stream d = {.socket = 1,
                         .node = node,
                         .write = true,
                         .bytes_per_second = 1000000000u,
                         .span_bytes = 1 << 20,
                         .until = UINT64_C(10000000000),
                         .action = DEVICE_CORE};
  assert_int_equal(traffic_dma_start(t, &d), 0);
  d.port = 1;
  d.bytes_per_second = 100000000u;
  d.write = false;
  assert_int_equal(traffic_dma_start(t, &d), 0);
  d.port = 2;
  d.action = DEVICE_MESSAGE;
  assert_int_equal(traffic_dma_start(t, &d), 0);
  d.action = DEVICE_ATOMIC; /* the platform's devices have no such operations */
  assert_int_equal(traffic_dma_start(t, &d), PMON_E_INVALID);
  traffic_advance(t, UINT64_C(20000000000));
}

/* The registers belong to a device of socket 1, the core and the interrupts' target to `node`. */
static void past_coherence(unsigned node)
{
  const bool remote = node != 1;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, snbep_plain);
  streams_run(t, node);
  assert_int_equal(pulses(m, (int)node, "cbo", CBO_TOR_INSERTS, CBO_OPC(SNB_WCILF) | CBO_TOR_MISS), WRITES);
  assert_int_equal(pulses(m, (int)node, "cbo", CBO_TOR_INSERTS, CBO_OPC(SNB_PRD) | CBO_TOR_MISS), READS);
  assert_int_equal(pulses(m, -1, "cbo", CBO_LLC_LOOKUP, 0), 0);
  assert_int_equal(pulses(m, -1, "ha", HA_REQUESTS, 0), 0);
  assert_int_equal(pulses(m, (int)node, "ubox", UBOX_EVENT_MSG, SNB_UMASK(UBOX_MSI)), MESSAGES);
  assert_int_equal(pulses(m, -1, "ubox", UBOX_EVENT_MSG, 0), MESSAGES);
  assert_int_equal(flits(m, 0, QPI_TXL_FLITS_G2, 1, FLIT2_NCB_NONDATA), remote ? WRITES : 0);
  assert_int_equal(flits(m, 0, QPI_TXL_FLITS_G2, 1, FLIT2_NCB_DATA), remote ? 8 * WRITES : 0);
  assert_int_equal(flits(m, 1, QPI_RXL_FLITS_G2, 1, FLIT2_NCS), remote ? READS : 0);
  assert_int_equal(flits(m, 0, QPI_RXL_FLITS_G2, 1, FLIT2_NCB_NONDATA), remote ? MESSAGES : 0);
  assert_int_equal(flits(m, 0, QPI_RXL_FLITS_G2, 1, FLIT2_NCB_DATA), remote ? 10 * MESSAGES : 0);
  assert_int_equal(flits(m, 1, QPI_TXL_FLITS_G2, 1, FLIT2_NDR_AK), remote ? WRITES : 0);
  assert_int_equal(flits(m, 1, QPI_TXL_FLITS_G1, 1, FLIT1_DRS_DATA), remote ? 8 * READS : 0);
  assert_int_equal(pulses(m, 0, "r3qpi", R3_RXR_INSERTS, SNB_UMASK(RING_NCB)), remote ? WRITES : 0);
  assert_int_equal(pulses(m, 1, "r3qpi", R3_RXR_INSERTS, SNB_UMASK(RING_NCB)), remote ? MESSAGES : 0);
  assert_int_equal(pulses(m, 1, "r3qpi", R3_IIO_CREDITS_ACQUIRED, SNB_UMASK(RING_NCB)), remote ? WRITES : 0);
  assert_int_equal(pulses(m, 1, "r3qpi", R3_IIO_CREDITS_ACQUIRED, SNB_UMASK(RING_NCS)), remote ? READS : 0);
  assert_true(double_sum(m, 1, "r2pcie", RING_RXR_CYCLES_NE, SNB_UMASK(RING_NCB)).life_fs > 0);
  assert_true(double_sum(m, 1, "r2pcie", RING_RXR_CYCLES_NE, SNB_UMASK(RING_NCS)).life_fs > 0);
  assert_int_equal(double_sum(m, 0, "r2pcie", RING_RXR_CYCLES_NE, 0).life_fs, 0);
  traffic_free(t);
  double_free(m);
}

static void test_accesses_beyond_coherence(void **state)
{
  (void)state;
  past_coherence(0);
  past_coherence(1);
}

/* A device of socket 1 writes to a device of socket `peer`, and reads from it. */
static void peers(unsigned peer)
{
  const bool remote = peer != 1;
  struct dma_stream d = {.socket = 1,
                         .write = true,
                         .bytes_per_second = 1000000000u,
                         .span_bytes = 1 << 20,
                         .until = UINT64_C(10000000000),
                         .action = DEVICE_PEER,
                         .peer_socket = peer,
                         .peer_port = 1};
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, snbep_plain);
  assert_int_equal(traffic_dma_start(t, &d), 0);
  d.bytes_per_second = 100000000u;
  d.write = false;
  assert_int_equal(traffic_dma_start(t, &d), 0);
  traffic_advance(t, UINT64_C(20000000000));
  assert_int_equal(flits(m, 1, QPI_TXL_FLITS_G2, 1, FLIT2_NCB_NONDATA), remote ? WRITES : 0);
  assert_int_equal(flits(m, 0, QPI_RXL_FLITS_G2, 1, FLIT2_NCS), remote ? PEER_READS : 0);
  assert_int_equal(flits(m, 0, QPI_TXL_FLITS_G2, 1, FLIT2_NDR_AK), remote ? WRITES : 0);
  assert_int_equal(flits(m, 1, QPI_RXL_FLITS_G1, 1, FLIT1_DRS_DATA), remote ? 8 * PEER_READS : 0);
  assert_int_equal(pulses(m, 0, "r3qpi", R3_IIO_CREDITS_ACQUIRED, SNB_UMASK(RING_NCB)), remote ? WRITES : 0);
  assert_int_equal(pulses(m, 0, "r3qpi", R3_IIO_CREDITS_ACQUIRED, SNB_UMASK(RING_NCS)), remote ? PEER_READS : 0);
  assert_int_equal(pulses(m, 1, "r3qpi", R3_IIO_CREDITS_ACQUIRED, SNB_UMASK(RING_DRS)), remote ? PEER_READS : 0);
  assert_int_equal(pulses(m, 1, "r2pcie", RING_TXR_INSERTS, 0), remote ? WRITES + PEER_READS : 0);
  assert_int_equal(pulses(m, -1, "cbo", CBO_TOR_INSERTS, 0), 0);
  traffic_free(t);
  double_free(m);
}

static void test_peers(void **state)
{
  (void)state;
  peers(0);
  peers(1);
}

enum { SYSTEM_N = 10 }; /* of each kind in 10 us, at a million a second */

static void system_start(struct traffic *t, enum system_message message, unsigned socket, unsigned node)
{
  const struct dma_stream d = {.socket = socket,
                               .node = node,
                               .action = DEVICE_SYSTEM,
                               .message = message,
                               .write = true,
                               .bytes_per_second = 64000000u,
                               .span_bytes = 1 << 20,
                               .until = UINT64_C(10000000000)};
  assert_int_equal(traffic_dma_start(t, &d), 0);
}

/* A UBox counts the messages that it receives by kind. A message to the UBox of the other socket crosses a link as part
 * of a line. Only interrupts for cores are forwarded to a core. */
static void test_messages(void **state)
{
  static const struct {
    enum system_message message;
    uint8_t umask;
  } kinds[] = {{SYSTEM_WIRE, UBOX_VLW},
               {SYSTEM_IPI, UBOX_IPI},
               {SYSTEM_DOORBELL, UBOX_DOORBELL},
               {SYSTEM_PRIORITY, UBOX_INT_PRIO}};
  (void)state;
  for (unsigned i = 0; i < 8; i++) {
    const unsigned node = i & 1;
    struct machine *m = double_new(0);
    struct traffic *t = double_traffic(m, snbep_plain);
    system_start(t, kinds[i / 2].message, 1, node);
    traffic_advance(t, UINT64_C(20000000000));
    assert_int_equal(pulses(m, (int)node, "ubox", UBOX_EVENT_MSG, SNB_UMASK(kinds[i / 2].umask)), SYSTEM_N);
    assert_int_equal(pulses(m, -1, "ubox", UBOX_EVENT_MSG, 0), SYSTEM_N);
    assert_int_equal(pulses(m, -1, "ubox", UBOX_LOCK_CYCLES, 0), 0);
    assert_int_equal(flits(m, 1, QPI_TXL_FLITS_G2, 1, FLIT2_NCB_DATA), node ? 0 : 10 * SYSTEM_N);
    assert_int_equal(pulses(m, (int)node, "r2pcie", RING_TXR_INSERTS, 0),
                     kinds[i / 2].message == SYSTEM_IPI ? SYSTEM_N : 0);
    traffic_free(t);
    double_free(m);
  }
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, snbep_plain);
  const struct dma_stream d = {
      .action = DEVICE_SYSTEM, .message = SYSTEM_RDRAND, .bytes_per_second = 64, .span_bytes = 64, .until = 1};
  assert_int_equal(traffic_dma_start(t, &d), PMON_E_INVALID);
  traffic_free(t);
  double_free(m);
}

/* A lock stops the other socket and releases it: two requests, each with its response, which is forwarded on the
 * address ring. Where the master is on the other socket, the core's own two requests are added, whose responses use the
 * acknowledge ring, too. */
static void test_locks(void **state)
{
  (void)state;
  for (unsigned socket = 0; socket < 2; socket++) {
    struct machine *m = double_new(0);
    struct traffic *t = double_traffic(m, snbep_plain);
    system_start(t, SYSTEM_LOCK, socket, 0);
    traffic_advance(t, UINT64_C(20000000000));
    assert_int_equal(pulses(m, 0, "ubox", UBOX_LOCK_CYCLES, 0), SYSTEM_N);
    assert_int_equal(pulses(m, -1, "ubox", UBOX_LOCK_CYCLES, 0), SYSTEM_N);
    assert_int_equal(flits(m, 0, QPI_TXL_FLITS_G2, 1, FLIT2_NCS), 2 * SYSTEM_N);
    assert_int_equal(flits(m, 0, QPI_RXL_FLITS_G2, 1, FLIT2_NDR_AD), 2 * SYSTEM_N);
    assert_int_equal(flits(m, 1, QPI_TXL_FLITS_G2, 1, FLIT2_NCS), socket ? 2 * SYSTEM_N : 0);
    assert_int_equal(flits(m, 1, QPI_RXL_FLITS_G2, 1, FLIT2_NDR_AK), socket ? 2 * SYSTEM_N : 0);
    assert_int_equal(pulses(m, -1, "ubox", UBOX_EVENT_MSG, 0), 0);
    traffic_free(t);
    double_free(m);
  }
}

/* ---- states of lines that cross a link ---- */

static uint64_t data_packets(const struct machine *m, unsigned opcode, unsigned state)
{
  return pulses(m, 1, "qpi", QPI_CTO_COUNT, QPI_PACKET(QPI_DRS, opcode) | QPI_PACKET_RDS(state)) -
         (opcode ? 0 : pulses(m, 1, "qpi", QPI_CTO_COUNT, QPI_PACKET(QPI_DRS, 2) | QPI_PACKET_RDS(state)));
}

enum { LINES = 100 };
static void touch(struct traffic *t, unsigned core, enum access_kind kind)
{
  traffic_core_wake(t, core);
  for (unsigned i = 0; i < LINES; i++) {
    traffic_block(t, core, 0x400000, 16, 5);
    traffic_access(t, core, 0x10000000 + i * 64, 8, kind);
  }
  traffic_core_idle(t, core);
  traffic_drain(t);
}

/* Socket 1 requests lines of socket 0. A line of memory arrives in one message with the completion, in state E when no
 * other cache has it. A line of socket 0's caches arrives without the completion: in state F beside socket 0's copy, or
 * in state M when it was modified and socket 0 keeps no copy. */
static void test_line_states(void **state)
{
  static const char *const settings[] = {"platform=snbep", "numa=bind:0", "prefetch=off", NULL};
  static const struct {
    enum access_kind before, then;
    unsigned opcode, state;
    bool none;
  } cases[] = {{ACCESS_LOAD, ACCESS_LOAD, 2, QPI_RDS_E, true},
               {ACCESS_LOAD, ACCESS_LOAD, 0, QPI_RDS_F, false},
               {ACCESS_LOAD, ACCESS_STORE, 0, QPI_RDS_E, false},
               {ACCESS_STORE, ACCESS_STORE, 0, QPI_RDS_M, false},
               {ACCESS_STORE, ACCESS_LOAD, 0, QPI_RDS_F, false}};
  (void)state;
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct machine *m = double_new(0);
    struct traffic *t = double_traffic(m, settings);
    if (!cases[i].none)
      touch(t, 0, cases[i].before);
    touch(t, t->cores, cases[i].then);
    const uint64_t written = pulses(m, 0, "ha", HA_IMC_WRITES, 0);
    assert_in_range(data_packets(m, cases[i].opcode, cases[i].state), LINES, LINES + 2);
    /* a modified line that both sockets keep is written to memory; one that is passed on is not */
    assert_int_equal(written, cases[i].before == ACCESS_STORE && cases[i].then == ACCESS_LOAD ? LINES : 0);
    /* a clean line that the other socket's store invalidates */
    assert_int_equal(pulses(m, 0, "cbo", CBO_MISC, CBO_MISC_RSPI),
                     cases[i].before == ACCESS_LOAD && cases[i].then == ACCESS_STORE ? LINES : 0);
    assert_in_range(pulses(m, 0, "ha", HA_TXR_AD, SNB_UMASK(0x01)), cases[i].opcode ? 0 : LINES,
                    cases[i].opcode ? 0 : LINES + 1); /* the code has arrived already, too */
    traffic_free(t);
    double_free(m);
  }
}

/* All entries are held: the entry that is free first is taken, wherever it is, at that time. */
static void test_the_first_free_entry_is_taken(void **state)
{
  (void)state;
  for (unsigned first = 0; first < 3; first++)
    for (uint8_t next = 0; next < 3; next++) {
      struct snb_hold hold[3] = {{0, 30}, {0, 30}, {0, 30}};
      struct snb_queue q = {.hold = NULL, .next = next};
      snb_queue_init(&q, hold, 3);
      hold[first].until = 10;
      fs_t at = 5;
      assert_int_equal(snb_queue_find(&q, &at), first);
      assert_int_equal(at, 10);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_accesses_beyond_coherence),
                                     cmocka_unit_test(test_peers),
                                     cmocka_unit_test(test_messages),
                                     cmocka_unit_test(test_locks),
                                     cmocka_unit_test(test_line_states),
                                     cmocka_unit_test(test_the_first_free_entry_is_taken)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/*
 * What filters and matchers of the E5-2600's boxes select, and the occupancy of counter 0, by accesses as software
 * makes them. The test makes up the reports to the boxes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/machine/snbep.h"

/* Inserts of every kind, and the counts of a control with a filter. */
struct tor {
  uint64_t attr;
  uint16_t tid;
  uint32_t n;
};

static void test_cbo_filters(void **state)
{
  static const struct tor inserts[] = {
      {CBO_OPC(SNB_DRD) | CBO_NID(0), 2, 1},
      {CBO_OPC(SNB_DRD) | CBO_NID(1) | CBO_TOR_MISS, 2, 10},
      {CBO_OPC(SNB_RFO) | CBO_NID(0) | CBO_TOR_MISS, 5, 100},
      {CBO_OPC(SNB_WBMTOI) | CBO_NID(1) | CBO_TOR_WB, 5, 1000},
      {CBO_NID(0) | CBO_TOR_EVICTION, 0x1e, 10000},
      {CBO_NID(1) | CBO_TOR_MISS, 0x1e, 100000},
  };
  static const struct {
    uint32_t umask, filter, more, n;
  } asked[] = {
      {0x01, 0x182u << 23, 0, 11},
      {0x03, 0x182u << 23, 0, 10},
      {0x04, 0, 0, 10000},
      {0x10, 0, 0, 1000},
      {0x0a, 0, 0, 100110},
      {0x41, 0x182u << 23 | 2 << 10, 0, 10},
      {0x41, 0x182u << 23 | 1 << 10, 0, 1},
      {0x43, 0x182u << 23 | 1 << 10, 0, 0},
      {0x48, 1 << 10, 0, 10101},
      {0x48, 3 << 10, 0, 111111},
      {0x4a, 2 << 10, 0, 100010},
      {0x44, 2 << 10, 0, 0},
      {0x50, 2 << 10, 0, 1000},
      {0x01, 0, 0, 0},
      {0x0a, 5, TID_EN, 100},
      {0x0a, 0x1e, TID_EN, 100000},
  };
  struct machine *m = *state;
  struct block *b = machine_block(m, 0, "cbo", 0);
  uint64_t now = 0;
  for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
    msr_put(m, 0, 0xd14, asked[i].filter);
    msr_put(m, 0, 0xd10, EN | asked[i].more | asked[i].umask << 8 | 0x35);
    msr_put(m, 0, 0xd16, 0);
    for (unsigned k = 0; k < sizeof inserts / sizeof *inserts; k++)
      block_pulse(b, CBO_TOR_INSERTS, inserts[k].attr, inserts[k].tid, now + NS, inserts[k].n);
    run_to(m, now += 10 * NS);
    if (msr_get(m, 0, 0xd16) != asked[i].n)
      fail_msg("row %u: %u counted", i, (unsigned)msr_get(m, 0, 0xd16));
  }
}

/* LLC_LOOKUP needs umask bit 0 and a state in the filter; several states and nodes add up. */
static void test_lookup(void **state)
{
  static const struct {
    uint32_t umask, filter, n;
  } asked[] = {
      {0x03, 0x1f << 18, 111}, {0x03, 0x01 << 18, 1},    {0x03, 0x0c << 18, 110},   {0x03, 0, 0},
      {0x02, 0x1f << 18, 0},   {0x05, 0x1f << 18, 1000}, {0x09, 0x1f << 18, 10000}, {0x41, 0x1f << 18 | 2 << 10, 10100},
  };
  struct machine *m = *state;
  struct block *b = machine_block(m, 0, "cbo", 0);
  uint64_t now = 0;
  for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
    msr_put(m, 0, 0xd14, asked[i].filter);
    msr_put(m, 0, 0xd10, EN | asked[i].umask << 8 | CBO_LLC_LOOKUP);
    msr_put(m, 0, 0xd16, 0);
    block_pulse(b, CBO_LLC_LOOKUP, CBO_LOOKUP_ANY | CBO_LOOKUP_READ | CBO_STATE(CBO_I) | CBO_NID(0), 0, now + NS, 1);
    block_pulse(b, CBO_LLC_LOOKUP, CBO_LOOKUP_ANY | CBO_LOOKUP_READ | CBO_STATE(CBO_M) | CBO_NID(0), 0, now + NS, 10);
    block_pulse(b, CBO_LLC_LOOKUP, CBO_LOOKUP_ANY | CBO_LOOKUP_READ | CBO_STATE(CBO_E) | CBO_NID(1), 0, now + NS, 100);
    block_pulse(b, CBO_LLC_LOOKUP, CBO_LOOKUP_ANY | CBO_LOOKUP_WRITE | CBO_STATE(CBO_M) | CBO_NID(0), 0, now + NS,
                1000);
    block_pulse(b, CBO_LLC_LOOKUP, CBO_LOOKUP_ANY | CBO_LOOKUP_SNOOP | CBO_STATE(CBO_S) | CBO_NID(1), 0, now + NS,
                10000);
    run_to(m, now += 10 * NS);
    assert_int_equal(msr_get(m, 0, 0xd16), asked[i].n);
  }
}

/* LLC_VICTIMS with the node filter alone: lines in every state, but no fills that evict no line. */
static void test_victims(void **state)
{
  static const struct {
    uint32_t umask, filter, n;
  } asked[] = {
      {0x01, 0, 1},         {0x08, 0, 11000},   {0x40, 1 << 10, 11},   {0x40, 2 << 10, 100},
      {0x40, 3 << 10, 111}, {0x41, 3 << 10, 1}, {0x48, 1 << 10, 1000}, {0x4f, 2 << 10, 10100},
  };
  struct machine *m = *state;
  struct block *b = machine_block(m, 0, "cbo", 0);
  uint64_t now = 0;
  for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
    msr_put(m, 0, 0xd14, asked[i].filter);
    msr_put(m, 0, 0xd10, EN | asked[i].umask << 8 | CBO_LLC_VICTIMS);
    msr_put(m, 0, 0xd16, 0);
    block_pulse(b, CBO_LLC_VICTIMS, CBO_VICTIM_M | CBO_NID(0), 0, now + NS, 1);
    block_pulse(b, CBO_LLC_VICTIMS, CBO_VICTIM_E | CBO_NID(0), 0, now + NS, 10);
    block_pulse(b, CBO_LLC_VICTIMS, CBO_VICTIM_S | CBO_NID(1), 0, now + NS, 100);
    block_pulse(b, CBO_LLC_VICTIMS, CBO_VICTIM_MISS | CBO_NID(0), 0, now + NS, 1000);
    block_pulse(b, CBO_LLC_VICTIMS, CBO_VICTIM_MISS | CBO_NID(1), 0, now + NS, 10000);
    run_to(m, now += 10 * NS);
    if (msr_get(m, 0, 0xd16) != asked[i].n)
      fail_msg("row %u: %u counted", i, (unsigned)msr_get(m, 0, 0xd16));
  }
}

static void test_one_filter(void **state)
{
  static const struct {
    uint32_t value;
    unsigned broken;
  } written[] = {
      {0x182u << 23, 0},
      {0x182u << 23 | 3 << 10, 0},
      {0x1f << 18 | 1 << 10, 0},
      {5, 0},
      {0x182u << 23 | 0x1f << 18, 1},
      {0x182u << 23 | 5, 1},
      {0x1f << 18 | 5, 1},
  };
  struct machine *m = *state;
  const struct machine_violation *list;
  for (unsigned i = 0; i < sizeof written / sizeof *written; i++) {
    machine_violations_clear(m);
    msr_put(m, 1, 0xd54, written[i].value);
    assert_int_equal(machine_violations(m, &list), written[i].broken);
    if (written[i].broken)
      assert_string_equal(list[0].name, "C2_MSR_PMON_BOX_FILTER");
  }
}

/* Only counter 0 has occupancies; the other counters observe them by COUNTER0_OCCUPANCY, with a threshold. */
static void test_counter0_occupancy(void **state)
{
  struct machine *m = *state;
  struct block *b = machine_block(m, 0, "cbo", 0);
  msr_put(m, 0, 0xd14, 0x182u << 23);
  msr_put(m, 0, 0xd10, EN | 0x0136);
  msr_put(m, 0, 0xd11, EN | CBO_COUNTER0_OCCUPANCY);
  msr_put(m, 0, 0xd12, EN | THRESH(1) | EDGE | CBO_COUNTER0_OCCUPANCY);
  msr_put(m, 0, 0xd13, EN | THRESH(2) | INVERT | CBO_COUNTER0_OCCUPANCY);
  block_span(b, CBO_TOR_OCCUPANCY, CBO_OPC(SNB_DRD) | CBO_NID(0), 0, 10 * NS, 30 * NS, 1);
  block_span(b, CBO_TOR_OCCUPANCY, CBO_OPC(SNB_DRD) | CBO_NID(0), 0, 20 * NS, 40 * NS, 1);
  block_span(b, CBO_TOR_OCCUPANCY, CBO_OPC(SNB_RFO) | CBO_NID(0), 0, 20 * NS, 90 * NS, 1);
  block_span(b, CBO_TOR_OCCUPANCY, CBO_OPC(SNB_DRD) | CBO_NID(0), 0, 60 * NS, 70 * NS, 1);
  run_to(m, 100 * NS);
  assert_int_equal(msr_get(m, 0, 0xd16), 50);
  assert_int_equal(msr_get(m, 0, 0xd17), 50);
  assert_int_equal(msr_get(m, 0, 0xd18), 2);
  assert_int_equal(msr_get(m, 0, 0xd19), 90);
  msr_put(m, 0, 0xd10, 0); /* counter 0 has nothing to follow */
  block_span(b, CBO_TOR_OCCUPANCY, CBO_OPC(SNB_DRD) | CBO_NID(0), 0, 110 * NS, 120 * NS, 1);
  run_to(m, 200 * NS);
  assert_int_equal(msr_get(m, 0, 0xd17), 50);
  msr_put(m, 0, 0xd11, EN | 0x0136); /* and counter 1 itself has no occupancy */
  block_span(b, CBO_TOR_OCCUPANCY, CBO_OPC(SNB_DRD) | CBO_NID(0), 0, 210 * NS, 220 * NS, 1);
  run_to(m, 300 * NS);
  assert_int_equal(msr_get(m, 0, 0xd17), 50);
}

static void test_ha_match(void **state)
{
  struct machine *m = *state;
  struct block *b = machine_block(m, 1, "ha", 0);
  struct pmon_address ctl = pci(14, 1, 0xd8, 32), ctr = pci(14, 1, 0xa0, 64), low = pci(14, 1, 0x40, 32);
  struct pmon_address high = pci(14, 1, 0x44, 32), opcode = pci(14, 1, 0x48, 32);
  const uint64_t address = UINT64_C(0x1234567fc0);
  ctl.package = ctr.package = low.package = high.package = opcode.package = 1;
  put_at(m, low, 0x34567000);
  put_at(m, high, 0x12);
  put_at(m, opcode, 2);
  put_at(m, ctl, EN | 0x0320);
  block_pulse(b, HA_ADDR_OPC_MATCH, SNB_UMASK(3) | HA_MATCH_ADDRESS(address) | HA_MATCH_OPCODE(2), 0, 1 * NS, 1);
  block_pulse(b, HA_ADDR_OPC_MATCH, SNB_UMASK(3) | HA_MATCH_ADDRESS(address) | HA_MATCH_OPCODE(4), 0, 1 * NS, 10);
  block_pulse(b, HA_ADDR_OPC_MATCH, SNB_UMASK(3) | HA_MATCH_ADDRESS(address + 4096) | HA_MATCH_OPCODE(2), 0, 1 * NS,
              100);
  run_to(m, 10 * NS);
  assert_int_equal(get_at(m, ctr), 1);
}

static void packet(struct block *b, uint64_t what, uint64_t at, uint32_t n)
{
  block_pulse(b, QPI_CTO_COUNT, SNB_EXT | what, 0, at, n);
}

/* Matches of whole fields of a message: class, opcode, target, state of the data. */
static void test_qpi_match(void **state)
{
  static const struct {
    uint32_t match0, mask0, match1, mask1, n;
  } asked[] = {
      {0, 0, 0, 0, 1111},
      {0x1c00, 0x1e00, 0, 0, 1101},
      {0x1c00, 0x1fe0, 0, 0, 1100},
      {0x1c80, 0x1fe0, 0, 0, 1},
      {0x1c00, 0x1fe0, 0x80000, 0xf0000, 100},
      {0x1c00 | 1 << 13, 0x1fe0 | 0x1f << 13, 0, 0, 1000},
      {0x0040, 0x1fe0, 0, 0, 10},
      {0x0040, 0x1fe0, 3, 0xf, 10},
      {0x0040, 0x1fe0, 2, 0xf, 0},
  };
  struct machine *m = *state;
  struct block *b = machine_block(m, 0, "qpi", 1);
  uint64_t now = 0;
  put_at(m, pci(9, 2, 0xd8, 32), EN | 1 << 21 | 0x38);
  for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
    put_at(m, pci(9, 6, 0x228, 32), asked[i].match0);
    put_at(m, pci(9, 6, 0x238, 32), asked[i].mask0);
    put_at(m, pci(9, 6, 0x22c, 32), asked[i].match1);
    put_at(m, pci(9, 6, 0x23c, 32), asked[i].mask1);
    put_at(m, pci(9, 2, 0xa0, 64), 0);
    packet(b, QPI_PACKET(QPI_DRS, 4), now + NS, 1);
    packet(b, QPI_PACKET(QPI_HOM0, 2) | QPI_PACKET_RNID(3), now + NS, 10);
    packet(b, QPI_PACKET(QPI_DRS, 0) | QPI_PACKET_RDS(QPI_RDS_M), now + NS, 100);
    packet(b, QPI_PACKET(QPI_DRS, 0) | QPI_PACKET_RDS(QPI_RDS_E) | QPI_PACKET_DNID(1), now + NS, 1000);
    run_to(m, now += 10 * NS);
    if (get_at(m, pci(9, 2, 0xa0, 64)) != asked[i].n)
      fail_msg("row %u: %u counted", i, (unsigned)get_at(m, pci(9, 2, 0xa0, 64)));
  }
  put_at(m, pci(9, 2, 0xd8, 32), EN | 0x38); /* without the ninth bit it is a different event */
  put_at(m, pci(9, 2, 0xa0, 64), 0);
  packet(b, QPI_PACKET(QPI_DRS, 4), now + NS, 1);
  run_to(m, now + 10 * NS);
  assert_int_equal(get_at(m, pci(9, 2, 0xa0, 64)), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_cbo_filters),        TEST(test_lookup),   TEST(test_victims),   TEST(test_one_filter),
      TEST(test_counter0_occupancy), TEST(test_ha_match), TEST(test_qpi_match),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

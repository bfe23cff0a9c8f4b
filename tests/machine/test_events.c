/* SPDX-License-Identifier: MIT */
/*
 * The machine's event codes, counter limits and selection of events against the fact files, which were typed from the
 * guide independently.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include "machine/emr/attr.h"
#include "machine/emr/match.h"
#include "machine/emr/units.h"
#include "tests/machine/facts.h"

static bool next(const struct facts *f, const char *unit, struct pmon_event_cursor *c, struct pmon_event_info *info)
{
  uint32_t u = UINT32_MAX;
  if (unit)
    assert_int_equal(pmon_unit_find(f->platform, unit, &u), 0);
  info->size = sizeof *info;
  return pmon_event_next(f->platform, u, c, info);
}

#define E(unit, prefix, name)                                                                                          \
  {                                                                                                                    \
    unit, #name, prefix##_##name                                                                                       \
  }
static const struct {
  const char *unit, *name;
  unsigned code;
} codes[] = {
    E("cha", CHA, LLC_LOOKUP),
    E("cha", CHA, TOR_INSERTS),
    E("cha", CHA, TOR_OCCUPANCY),
    E("cha", CHA, LLC_VICTIMS),
    E("cha", CHA, SF_EVICTION),
    E("cha", CHA, REQUESTS),
    E("cha", CHA, SNOOPS_SENT),
    E("cha", CHA, DIR_LOOKUP),
    E("cha", CHA, DIR_UPDATE),
    E("cha", CHA, BYPASS_CHA_IMC),
    E("cha", CHA, IMC_READS_COUNT),
    E("cha", CHA, OSB),
    E("cha", CHA, IMC_WRITES_COUNT),
    E("cha", CHA, SNOOP_RESP),
    E("cha", CHA, SNOOP_RESP_LOCAL),
    E("cha", CHA, MISC),
    E("cha", CHA, HITME_LOOKUP),
    E("cha", CHA, HITME_HIT),
    E("cha", CHA, HITME_MISS),
    E("cha", CHA, HITME_UPDATE),
    E("cha", CHA, WB_PUSH_MTOI),
    E("cha", CHA, READ_NO_CREDITS),
    E("cha", CHA, WRITE_NO_CREDITS),
    E("cha", CHA, DIRECT_GO),
    E("cha", CHA, DIRECT_GO_OPC),
    E("cha", CHA, XPT_PREF),
    {"cha", "RxC_INSERTS", CHA_RXC_INSERTS},
    {"cha", "RxC_OCCUPANCY", CHA_RXC_OCCUPANCY},
    E("imc", IMC, ACT_COUNT),
    E("imc", IMC, PRE_COUNT),
    E("imc", IMC, CAS_COUNT),
    E("imc", IMC, CAS_MM),
    E("imc", IMC, CAS_ISSUED_REQ_LEN),
    E("imc", IMC, MAJOR_MODES),
    E("imc", IMC, RPQ_INSERTS),
    E("imc", IMC, PREEMPTION),
    E("imc", IMC, RPQ_CYCLES_NE),
    E("imc", IMC, RPQ_CYCLES_FULL_PCH0),
    E("imc", IMC, RPQ_CYCLES_FULL_PCH1),
    E("imc", IMC, RPQ_PRIO),
    E("imc", IMC, WPQ_PRIO),
    E("imc", IMC, WPQ_INSERTS),
    E("imc", IMC, WPQ_CYCLES_NE),
    E("imc", IMC, WPQ_CYCLES_FULL_PCH0),
    E("imc", IMC, WPQ_CYCLES_FULL_PCH1),
    E("imc", IMC, WPQ_READ_HIT),
    E("imc", IMC, WPQ_WRITE_HIT),
    E("imc", IMC, RDB_INSERTS),
    E("imc", IMC, RD_CAS_PRIO),
    E("imc", IMC, WR_CAS_PRIO),
    E("imc", IMC, ACT_PRIO),
    E("imc", IMC, DRAM_PRE_ALL),
    E("imc", IMC, DRAM_REFRESH),
    E("imc", IMC, POWER_SELF_REFRESH),
    E("imc", IMC, POWER_THROTTLE_CYCLES),
    E("imc", IMC, POWER_CKE_CYCLES),
    E("imc", IMC, RPQ_OCCUPANCY_PCH0),
    E("imc", IMC, RPQ_OCCUPANCY_PCH1),
    E("imc", IMC, WPQ_OCCUPANCY_PCH0),
    E("imc", IMC, WPQ_OCCUPANCY_PCH1),
    E("imc", IMC, MAJOR_MODE_CHANGE_PCH0),
    E("imc", IMC, MAJOR_MODE_CHANGE_PCH1),
    E("imc", IMC, POWER_CHANNEL_PPD),
    E("imc", IMC, POWER_CRIT_THROTTLE_CYCLES),
    E("imc", IMC, PCLS),
    E("m2m", M2M, IMC_READS),
    E("m2m", M2M, IMC_WRITES),
    E("m2m", M2M, DIRECTORY_LOOKUP),
    E("m2m", M2M, DIRECTORY_UPDATE),
    E("m2m", M2M, DIRECTORY_HIT),
    E("m2m", M2M, DIRECTORY_MISS),
    E("m2m", M2M, TAG_HIT),
    E("m2m", M2M, TRACKER_INSERTS),
    E("m2m", M2M, TRACKER_OCCUPANCY),
    E("m2m", M2M, WR_TRACKER_INSERTS),
    E("m2m", M2M, WR_TRACKER_POSTED_INSERTS),
    E("m2m", M2M, WR_TRACKER_POSTED_OCCUPANCY),
    {"upi", "TxL_FLITS", UPI_TXL_FLITS},
    {"upi", "RxL_FLITS", UPI_RXL_FLITS},
    {"upi", "TxL_BASIC_HDR_MATCH", UPI_TXL_BASIC_HDR_MATCH},
    {"upi", "RxL_BASIC_HDR_MATCH", UPI_RXL_BASIC_HDR_MATCH},
    {"upi", "RxL0_POWER_CYCLES", UPI_RXL0_POWER_CYCLES},
    {"upi", "TxL0_POWER_CYCLES", UPI_TXL0_POWER_CYCLES},
    {"upi", "RxL0P_POWER_CYCLES", UPI_RXL0P_POWER_CYCLES},
    {"upi", "TxL0P_POWER_CYCLES", UPI_TXL0P_POWER_CYCLES},
    {"upi", "RxL_INSERTS", UPI_RXL_INSERTS},
    {"upi", "RxL_BYPASSED", UPI_RXL_BYPASSED},
    {"upi", "RxL_OCCUPANCY", UPI_RXL_OCCUPANCY},
    {"upi", "TxL_INSERTS", UPI_TXL_INSERTS},
    {"upi", "TxL_BYPASSED", UPI_TXL_BYPASSED},
    {"upi", "TxL_OCCUPANCY", UPI_TXL_OCCUPANCY},
    {"upi", "RxL_CRC_ERRORS", UPI_RXL_CRC_ERRORS},
    {"upi", "RxL_CRC_LLR_REQ_TRANSMIT", UPI_RXL_CRC_LLR_REQ_TRANSMIT},
    {"upi", "RxL_CREDITS_CONSUMED_VNA", UPI_RXL_CREDITS_CONSUMED_VNA},
    E("upi", UPI, DIRECT_ATTEMPTS),
    E("upi", UPI, L1_POWER_CYCLES),
    E("upi", UPI, PHY_INIT_CYCLES),
    E("upi", UPI, POWER_L1_REQ),
    E("iio", IIO, DATA_REQ_OF_CPU),
    E("iio", IIO, TXN_REQ_OF_CPU),
    E("iio", IIO, NUM_REQ_OF_CPU),
    E("iio", IIO, IOMMU0),
    E("iio", IIO, NUM_REQ_OF_CPU_BY_TGT),
    E("iio", IIO, DATA_REQ_BY_CPU),
    E("iio", IIO, TXN_REQ_BY_CPU),
    E("iio", IIO, COMP_BUF_INSERTS),
    E("iio", IIO, COMP_BUF_OCCUPANCY),
    E("iio", IIO, OUTBOUND_CL_REQS_ISSUED),
    E("iio", IIO, OUTBOUND_TLP_REQS_ISSUED),
    E("iio", IIO, INBOUND_ARB_REQ),
    E("iio", IIO, INBOUND_ARB_WON),
    {"iio", "NUM_OUSTANDING_REQ_FROM_CPU", IIO_NUM_OUTSTANDING_REQ_FROM_CPU},
    E("iio", IIO, PWT_OCCUPANCY),
    E("iio", IIO, IOMMU1),
    E("iio", IIO, IOMMU3),
    E("irp", IRP, CACHE_TOTAL_OCCUPANCY),
    E("irp", IRP, TRANSACTIONS),
    E("irp", IRP, SNOOP_RESP),
    E("irp", IRP, FAF_INSERTS),
    E("irp", IRP, FAF_OCCUPANCY),
    E("irp", IRP, FAF_FULL),
    E("irp", IRP, FAF_TRANSACTIONS),
    E("irp", IRP, MISC0),
    {"irp", "IRP_ALL", IRP_ALL},
    E("pcu", PCU, POWER_STATE_OCCUPANCY_CORES_C0),
    E("pcu", PCU, POWER_STATE_OCCUPANCY_CORES_C6),
    E("pcu", PCU, PKG_RESIDENCY_C0_CYCLES),
    E("pcu", PCU, PKG_RESIDENCY_C6_CYCLES),
    E("pcu", PCU, FREQ_TRANS_CYCLES),
    E("pcu", PCU, PROCHOT_INTERNAL_CYCLES),
    E("pcu", PCU, PROCHOT_EXTERNAL_CYCLES),
    E("pcu", PCU, VR_HOT_CYCLES),
    E("pcu", PCU, FREQ_MAX_LIMIT_THERMAL_CYCLES),
    E("pcu", PCU, FREQ_MAX_POWER_CYCLES),
    E("pcu", PCU, DEMOTIONS),
    E("pcu", PCU, FIVR_PS_PS0_CYCLES),
    E("pcu", PCU, TOTAL_TRANSITION_CYCLES),
    E("pcu", PCU, CORE_TRANSITION_CYCLES),
};

static void test_codes(void **state)
{
  for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++) {
    struct pmon_event_cursor c = {0};
    struct pmon_event_info info;
    bool found = false;
    while (!found && next(*state, codes[i].unit, &c, &info))
      found = !strcmp(info.event, codes[i].name);
    if (!found || info.code != codes[i].code)
      fail_msg("%s/%s: the machine says %#x, the facts %#x", codes[i].unit, codes[i].name, codes[i].code,
               found ? info.code : 0);
  }
}

static unsigned machine_counters(const struct pmon_unit *u, unsigned code)
{
  for (const struct unit_limit *l = u->limits; l && l->code; l++)
    if (l->code == code)
      return l->counters;
  return (1u << u->counters) - 1;
}

/* A row of the facts may be narrower than its event (some umasks), but never wider than the machine's counting. */
static void test_limits(void **state)
{
  for (const struct pmon_unit *u = emr_units; u->name; u++) {
    struct pmon_event_cursor c = {0};
    struct pmon_event_info info;
    if (!u->counters) /* events of the cores and the power unit that have no control */
      continue;
    unsigned rows = 0, limited[256] = {0};
    while (next(*state, u->name, &c, &info)) {
      unsigned machine = machine_counters(u, info.code);
      if (info.kind != PMON_EVENT_PROGRAMMED)
        continue;
      rows++;
      if (info.counters & ~machine)
        fail_msg("%s/%s: the machine counts it on %#x only, the facts allow %#x", u->name, info.event, machine,
                 info.counters);
      limited[info.code & 0xff] |= info.counters;
    }
    assert_int_not_equal(rows, 0);
    for (unsigned code = 1; code < 256; code++)
      if (limited[code] && limited[code] != machine_counters(u, code))
        fail_msg("%s code %#x: the facts allow %#x, the machine %#x", u->name, code, limited[code],
                 machine_counters(u, code));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_codes, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_limits, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

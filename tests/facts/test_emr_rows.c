/* SPDX-License-Identifier: MIT */
/*
 * The memory, I/O, link and power events of Emerald Rapids against a second reading of the guide: the number of rows in
 * its tables, and single rows typed again from the tables and from the event files' published encodings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "src/facts/db.h"
#include "src/facts/index.h"

static const struct db *const db = &db_builtin;

static uint32_t set_of(const char *name)
{
  uint32_t platform = db_find_platform(db, "emr", 3);
  assert_int_not_equal(platform, DB_NONE);
  uint32_t set = db_find_set(db, platform, name, strlen(name));
  assert_int_not_equal(set, DB_NONE);
  return set;
}

static uint32_t event_of(const char *set, const char *name)
{
  uint32_t event = db_find_event(db, set_of(set), name, strlen(name));
  assert_int_not_equal(event, DB_NONE);
  return event;
}

/* Rows of the guide's tables, counted in its text; rows that only the event files have carry a source. */
static void row_count_equals_the_guide(void **state)
{
  (void)state;
  static const struct {
    const char *set;
    uint32_t events, umasks, fixed;
  } guide[] = {
      {"imc", 69, 250, 4}, {"iio", 20, 212, 17}, {"upi", 36, 105, 0},    {"pcu", 36, 0, 0},
      {"ubox", 0, 0, 1},   {"irp", 31, 33, 0},   {"m2pcie", 35, 165, 0}, {"m3upi", 57, 343, 0},
      {"mdf", 8, 25, 0},   {"cxlcm", 9, 49, 0},  {"cxldp", 2, 7, 0},
  };
  for (size_t i = 0; i < sizeof guide / sizeof *guide; i++) {
    struct db_span events = db->sets[set_of(guide[i].set)].events;
    uint32_t n_events = 0, n_umasks = 0, n_fixed = 0;
    for (uint32_t e = events.first; e < events.first + events.n; e++) {
      const struct db_event *event = &db->events[e];
      if (event->fixed_role != PMON_ROLE_N) {
        n_fixed++;
        continue;
      }
      if (event->origin.source)
        continue;
      n_events++;
      for (uint32_t u = event->umasks.first; u < event->umasks.first + event->umasks.n; u++)
        n_umasks += !db_umask_extra(db, &db->umasks[u])->origin.source;
    }
    assert_int_equal(n_events, guide[i].events);
    assert_int_equal(n_umasks, guide[i].umasks);
    assert_int_equal(n_fixed, guide[i].fixed);
  }
}

static uint64_t setting_of(struct db_span settings, const char *name)
{
  for (uint32_t i = settings.first; i < settings.first + settings.n; i++)
    if (!strcmp(db_text(db, db->settings[i].name), name))
      return db->settings[i].value;
  return 0;
}

static void rows_equal_the_tables(void **state)
{
  (void)state;
  static const struct {
    const char *set, *event, *umask;
    uint32_t counters;
    uint64_t code, value;
    const char *field;
    uint64_t setting;
  } rows[] = {
      {"imc", "CAS_COUNT", "RD", 0xf, 0x05, 0xcf, NULL, 0},
      {"imc", "CAS_COUNT", "WR", 0xf, 0x05, 0xf0, NULL, 0},
      {"imc", "CLOCKTICKS", "DCLK", 0xf, 0x01, 0x01, NULL, 0},
      {"imc", "ACT_COUNT", "WR", 0xf, 0x02, 0x22, NULL, 0},
      {"imc", "PRE_COUNT", "PGT", 0xf, 0x03, 0x88, NULL, 0},
      {"imc", "SB_ACCESSES", "REJECTS", 0xf, 0xd2, 0x0a, NULL, 0},
      {"imc", "DRAM_REFRESH", "HIGH_ALL", 0xf, 0x45, 0x24, NULL, 0},
      {"imc", "WR_CAS_PRIO", "STARVED_PCH1", 0xf, 0x27, 0x20, NULL, 0},
      {"iio", "DATA_REQ_OF_CPU", "MEM_READ.PART0", 0x3, 0x83, 0x04, "ch_mask", 0x001},
      {"iio", "DATA_REQ_OF_CPU", "CMPD.IOMMU0", 0x3, 0x83, 0x80, "ch_mask", 0x100},
      {"iio", "DATA_REQ_OF_CPU", "MSG.IOMMU1", 0x3, 0x83, 0x40, "ch_mask", 0x200},
      {"iio", "TXN_REQ_OF_CPU", "PEER_READ.PART0", 0xf, 0x84, 0x08, "fc_mask", 0x7},
      {"iio", "COMP_BUF_INSERTS", "CMPD.PART7", 0xf, 0xc2, 0x04, "ch_mask", 0x080},
      {"iio", "COMP_BUF_OCCUPANCY", "CMPD.PART3", 0xc, 0xd5, 0x08, "ch_mask", 0x008},
      {"iio", "NUM_OUSTANDING_REQ_FROM_CPU", "TO_IO", 0xc, 0xc5, 0x08, "ch_mask", 0x0ff},
      {"iio", "IOMMU1", "PWC_2M_HITS", 0xf, 0x41, 0x02, NULL, 0},
      {"upi", "TxL_FLITS", "ALL_DATA", 0xf, 0x02, 0x0f, NULL, 0},
      {"upi", "RxL_FLITS", "NON_DATA", 0xf, 0x03, 0x97, NULL, 0},
      {"upi", "RxL_BASIC_HDR_MATCH", "RSP_DATA_OPC", 0xf, 0x05, 0x0c, "umask_ext", 0x1},
      {"upi", "TxL_BASIC_HDR_MATCH", "RSPCNFLT", 0xf, 0x04, 0xaa, "umask_ext", 0x1},
      {"ubox", "M2U_MISC3", "TxC_CYCLES_FULL_AKC", 0x1, 0x4f, 0x02, NULL, 0},
      {"irp", "MISC0", "2ND_ATOMIC_INSERT", 0x3, 0x1e, 0x10, NULL, 0},
      {"m2pcie", "LOCAL_SHAR_P2P_CRD_RETURNED", "AGENT_5", 0xf, 0x44, 0x20, NULL, 0},
      {"m2pcie", "TxC_CYCLES_NE", "PMM_DISTRESS_0", 0x3, 0x23, 0x80, NULL, 0},
      {"m3upi", "WB_OCC_COMPARE", "BOTHNONZERO_RT_GT_LOCALDEST_VN0", 0xf, 0x7e, 0x81, NULL, 0},
      {"m3upi", "RxC_HELD", "VN1", 0x7, 0x50, 0x02, NULL, 0},
      {"m3upi", "TxC_AD_FLQ_OCCUPANCY", "VN1_RSP", 0x1, 0x1c, 0x40, NULL, 0},
      {"mdf", "RxR_FULL", "IV", 0xf, 0x11, 0x10, NULL, 0},
      {"cxlcm", "RxC_FLITS", "VALID_MSG", 0xf0, 0x4b, 0x80, NULL, 0},
      {"cxldp", "TxC_AGF_INSERTS", "M2S_DATA", 0xf, 0x02, 0x20, NULL, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint32_t e = event_of(rows[i].set, rows[i].event);
    uint32_t u = db_find_umask(db, e, rows[i].umask, strlen(rows[i].umask));
    assert_int_not_equal(u, DB_NONE);
    assert_int_equal(db->events[e].code, rows[i].code);
    assert_int_equal(db->events[e].counters, rows[i].counters);
    assert_int_equal(db->umasks[u].value, rows[i].value);
    if (rows[i].field)
      assert_int_equal(setting_of(db->umasks[u].settings, rows[i].field), rows[i].setting);
  }
}

/* Code and counters of events without umasks, as printed. */
static void plain_events_equal_the_tables(void **state)
{
  (void)state;
  static const struct {
    const char *set, *event;
    uint32_t counters;
    uint64_t code;
  } rows[] = {
      {"imc", "HCLOCKTICKS", 0xf, 0x01},
      {"imc", "WPQ_CYCLES_FULL_PCH1", 0xf, 0x16},
      {"pcu", "FREQ_MAX_POWER_CYCLES", 0xf, 0x05},
      {"pcu", "PMAX_THROTTLED_CYCLES", 0x1, 0x06},
      {"pcu", "POWER_STATE_OCCUPANCY_CORES_C6", 0xf, 0x37},
      {"upi", "RxL_CRC_ERRORS", 0xf, 0x0b},
      {"upi", "TxL0P_POWER_CYCLES_LL_ENTER", 0xf, 0x28},
      {"irp", "TxS_REQUEST_OCCUPANCY", 0x3, 0x0c},
      {"m3upi", "TxC_AK_FLQ_OCCUPANCY", 0x1, 0x1e},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct db_event *e = &db->events[event_of(rows[i].set, rows[i].event)];
    assert_int_equal(e->code, rows[i].code);
    assert_int_equal(e->counters, rows[i].counters);
    assert_int_equal(e->umasks.n, 0);
  }
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(row_count_equals_the_guide),
      cmocka_unit_test(rows_equal_the_tables),
      cmocka_unit_test(plain_events_equal_the_tables),
  };
  return cmocka_run_group_tests_name("emr rows", tests, NULL, NULL);
}

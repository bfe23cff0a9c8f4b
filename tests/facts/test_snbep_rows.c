/* SPDX-License-Identifier: MIT */
/*
 * The E5-2600's events against a second reading, which a script extracted from the guide's event lists and from its
 * tables ordered by code, as far as the text has them; and the number of rows of each unit.
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

static const struct {
  const char *set, *event;
  uint64_t code, ext;
  uint32_t counters, max_inc;
} rows[] = {
    {"cbo", "CLOCKTICKS", 0x00, 0, 0xf, 1},
    {"cbo", "COUNTER0_OCCUPANCY", 0x1f, 0, 0xe, 20},
    {"cbo", "ISMQ_DRD_MISS_OCC", 0x21, 0, 0x3, 20},
    {"cbo", "LLC_LOOKUP", 0x34, 0, 0x3, 1},
    {"cbo", "LLC_VICTIMS", 0x37, 0, 0x3, 1},
    {"cbo", "MISC", 0x39, 0, 0x3, 1},
    {"cbo", "RING_AD_USED", 0x1b, 0, 0xc, 1},
    {"cbo", "RING_AK_USED", 0x1c, 0, 0xc, 1},
    {"cbo", "RING_BL_USED", 0x1d, 0, 0xc, 1},
    {"cbo", "RING_BOUNCES", 0x05, 0, 0x3, 1},
    {"cbo", "RING_IV_USED", 0x1e, 0, 0xc, 1},
    {"cbo", "RING_SRC_THRTL", 0x07, 0, 0x3, 1},
    {"cbo", "RxR_EXT_STARVED", 0x12, 0, 0x3, 1},
    {"cbo", "RxR_INSERTS", 0x13, 0, 0x3, 1},
    {"cbo", "RxR_IPQ_RETRY", 0x31, 0, 0x3, 1},
    {"cbo", "RxR_IRQ_RETRY", 0x32, 0, 0x3, 1},
    {"cbo", "RxR_ISMQ_RETRY", 0x33, 0, 0x3, 1},
    {"cbo", "RxR_OCCUPANCY", 0x11, 0, 0x1, 20},
    {"cbo", "TOR_INSERTS", 0x35, 0, 0x3, 1},
    {"cbo", "TOR_OCCUPANCY", 0x36, 0, 0x1, 20},
    {"cbo", "TxR_ADS_USED", 0x04, 0, 0x3, 1},
    {"cbo", "TxR_INSERTS", 0x02, 0, 0x3, 1},
    {"ha", "ADDR_OPC_MATCH", 0x20, 0, 0xf, 1},
    {"ha", "CLOCKTICKS", 0x00, 0, 0xf, 1},
    {"ha", "CONFLICT_CYCLES", 0x0b, 0, 0xf, 1},
    {"ha", "DIRECT2CORE_COUNT", 0x11, 0, 0xf, 1},
    {"ha", "DIRECT2CORE_CYCLES_DISABLED", 0x12, 0, 0xf, 1},
    {"ha", "DIRECT2CORE_TXN_OVERRIDE", 0x13, 0, 0xf, 1},
    {"ha", "DIRECTORY_LOOKUP", 0x0c, 0, 0xf, 1},
    {"ha", "DIRECTORY_UPDATE", 0x0d, 0, 0xf, 1},
    {"ha", "IGR_NO_CREDIT_CYCLES", 0x22, 0, 0xf, 1},
    {"ha", "IMC_RETRY", 0x1e, 0, 0xf, 1},
    {"ha", "IMC_WRITES", 0x1a, 0, 0xf, 1},
    {"ha", "REQUESTS", 0x01, 0, 0xf, 1},
    {"ha", "RPQ_CYCLES_NO_REG_CREDITS", 0x15, 0, 0xf, 4},
    {"ha", "TAD_REQUESTS_G0", 0x1b, 0, 0xf, 2},
    {"ha", "TAD_REQUESTS_G1", 0x1c, 0, 0xf, 2},
    {"ha", "TRACKER_INSERTS", 0x06, 0, 0xf, 1},
    {"ha", "TxR_AD", 0x0f, 0, 0xf, 1},
    {"ha", "TxR_AD_CYCLES_FULL", 0x2a, 0, 0xf, 1},
    {"ha", "TxR_AK_CYCLES_FULL", 0x32, 0, 0xf, 1},
    {"ha", "TxR_AK_NDR", 0x0e, 0, 0xf, 1},
    {"ha", "TxR_BL", 0x10, 0, 0xf, 1},
    {"ha", "TxR_BL_CYCLES_FULL", 0x36, 0, 0xf, 1},
    {"ha", "WPQ_CYCLES_NO_REG_CREDITS", 0x18, 0, 0xf, 4},
    {"imc", "ACT_COUNT", 0x01, 0, 0xf, 1},
    {"imc", "CAS_COUNT", 0x04, 0, 0xf, 1},
    {"imc", "DRAM_PRE_ALL", 0x06, 0, 0xf, 1},
    {"imc", "DRAM_REFRESH", 0x05, 0, 0xf, 1},
    {"imc", "ECC_CORRECTABLE_ERRORS", 0x09, 0, 0xf, 1},
    {"imc", "MAJOR_MODES", 0x07, 0, 0xf, 1},
    {"imc", "POWER_CHANNEL_DLLOFF", 0x84, 0, 0xf, 1},
    {"imc", "POWER_CHANNEL_PPD", 0x85, 0, 0xf, 4},
    {"imc", "POWER_CKE_CYCLES", 0x83, 0, 0xf, 16},
    {"imc", "POWER_CRITICAL_THROTTLE_CYCLES", 0x86, 0, 0xf, 1},
    {"imc", "POWER_SELF_REFRESH", 0x43, 0, 0xf, 1},
    {"imc", "POWER_THROTTLE_CYCLES", 0x41, 0, 0xf, 1},
    {"imc", "PREEMPTION", 0x08, 0, 0xf, 1},
    {"imc", "PRE_COUNT", 0x02, 0, 0xf, 1},
    {"imc", "RPQ_CYCLES_FULL", 0x12, 0, 0xf, 1},
    {"imc", "RPQ_CYCLES_NE", 0x11, 0, 0xf, 1},
    {"imc", "RPQ_INSERTS", 0x10, 0, 0xf, 1},
    {"imc", "RPQ_OCCUPANCY", 0x80, 0, 0xf, 22},
    {"imc", "WPQ_CYCLES_FULL", 0x22, 0, 0xf, 1},
    {"imc", "WPQ_CYCLES_NE", 0x21, 0, 0xf, 1},
    {"imc", "WPQ_INSERTS", 0x20, 0, 0xf, 1},
    {"imc", "WPQ_OCCUPANCY", 0x81, 0, 0xf, 32},
    {"imc", "WPQ_READ_HIT", 0x23, 0, 0xf, 1},
    {"imc", "WPQ_WRITE_HIT", 0x24, 0, 0xf, 1},
    {"pcu", "CLOCKTICKS", 0x00, 0, 0xf, 1},
    {"pcu", "CORE0_TRANSITION_CYCLES", 0x03, 1, 0xf, 1},
    {"pcu", "CORE1_TRANSITION_CYCLES", 0x04, 1, 0xf, 1},
    {"pcu", "CORE2_TRANSITION_CYCLES", 0x05, 1, 0xf, 1},
    {"pcu", "CORE3_TRANSITION_CYCLES", 0x06, 1, 0xf, 1},
    {"pcu", "CORE4_TRANSITION_CYCLES", 0x07, 1, 0xf, 1},
    {"pcu", "CORE5_TRANSITION_CYCLES", 0x08, 1, 0xf, 1},
    {"pcu", "CORE6_TRANSITION_CYCLES", 0x09, 1, 0xf, 1},
    {"pcu", "CORE7_TRANSITION_CYCLES", 0x0a, 1, 0xf, 1},
    {"pcu", "DEMOTIONS_CORE0", 0x1e, 0, 0xf, 1},
    {"pcu", "DEMOTIONS_CORE1", 0x1f, 0, 0xf, 1},
    {"pcu", "DEMOTIONS_CORE2", 0x20, 0, 0xf, 1},
    {"pcu", "DEMOTIONS_CORE3", 0x21, 0, 0xf, 1},
    {"pcu", "DEMOTIONS_CORE4", 0x22, 0, 0xf, 1},
    {"pcu", "DEMOTIONS_CORE5", 0x23, 0, 0xf, 1},
    {"pcu", "DEMOTIONS_CORE6", 0x24, 0, 0xf, 1},
    {"pcu", "DEMOTIONS_CORE7", 0x25, 0, 0xf, 1},
    {"pcu", "FREQ_BAND0_CYCLES", 0x0b, 0, 0xf, 1},
    {"pcu", "FREQ_BAND1_CYCLES", 0x0c, 0, 0xf, 1},
    {"pcu", "FREQ_BAND2_CYCLES", 0x0d, 0, 0xf, 1},
    {"pcu", "FREQ_BAND3_CYCLES", 0x0e, 0, 0xf, 1},
    {"pcu", "FREQ_MAX_CURRENT_CYCLES", 0x07, 0, 0xf, 1},
    {"pcu", "FREQ_MAX_LIMIT_THERMAL_CYCLES", 0x04, 0, 0xf, 1},
    {"pcu", "FREQ_MAX_OS_CYCLES", 0x06, 0, 0xf, 1},
    {"pcu", "FREQ_MAX_POWER_CYCLES", 0x05, 0, 0xf, 1},
    {"pcu", "FREQ_MIN_IO_P_CYCLES", 0x01, 1, 0xf, 1},
    {"pcu", "FREQ_MIN_PERF_P_CYCLES", 0x02, 1, 0xf, 1},
    {"pcu", "FREQ_TRANS_CYCLES", 0x00, 1, 0xf, 1},
    {"pcu", "MEMORY_PHASE_SHEDDING_CYCLES", 0x2f, 0, 0xf, 1},
    {"pcu", "POWER_STATE_OCCUPANCY", 0x80, 0, 0xf, 8},
    {"pcu", "PROCHOT_EXTERNAL_CYCLES", 0x0a, 0, 0xf, 1},
    {"pcu", "PROCHOT_INTERNAL_CYCLES", 0x09, 0, 0xf, 1},
    {"pcu", "TOTAL_TRANSITION_CYCLES", 0x0b, 1, 0xf, 1},
    {"pcu", "VOLT_TRANS_CYCLES_CHANGE", 0x03, 0, 0xf, 1},
    {"pcu", "VOLT_TRANS_CYCLES_DECREASE", 0x02, 0, 0xf, 1},
    {"pcu", "VOLT_TRANS_CYCLES_INCREASE", 0x01, 0, 0xf, 1},
    {"pcu", "VR_HOT_CYCLES", 0x32, 0, 0xf, 1},
    {"qpi", "CLOCKTICKS", 0x14, 0, 0xf, 1},
    {"qpi", "CTO_COUNT", 0x38, 1, 0xf, 2},
    {"qpi", "DIRECT2CORE", 0x13, 0, 0xf, 1},
    {"qpi", "L1_POWER_CYCLES", 0x12, 0, 0xf, 1},
    {"qpi", "RxL0P_POWER_CYCLES", 0x10, 0, 0xf, 1},
    {"qpi", "RxL0_POWER_CYCLES", 0x0f, 0, 0xf, 1},
    {"qpi", "RxL_BYPASSED", 0x09, 0, 0xf, 1},
    {"qpi", "RxL_CREDITS_CONSUMED_VN0", 0x1e, 1, 0xf, 1},
    {"qpi", "RxL_CREDITS_CONSUMED_VNA", 0x1d, 1, 0xf, 1},
    {"qpi", "RxL_CYCLES_NE", 0x0a, 0, 0xf, 1},
    {"qpi", "RxL_FLITS_G0", 0x01, 0, 0xf, 2},
    {"qpi", "RxL_FLITS_G1", 0x02, 1, 0xf, 2},
    {"qpi", "RxL_FLITS_G2", 0x03, 1, 0xf, 2},
    {"qpi", "RxL_INSERTS", 0x08, 0, 0xf, 1},
    {"qpi", "RxL_INSERTS_DRS", 0x09, 1, 0xf, 1},
    {"qpi", "RxL_INSERTS_HOM", 0x0c, 1, 0xf, 1},
    {"qpi", "RxL_INSERTS_NCB", 0x0a, 1, 0xf, 1},
    {"qpi", "RxL_INSERTS_NCS", 0x0b, 1, 0xf, 1},
    {"qpi", "RxL_INSERTS_NDR", 0x0e, 1, 0xf, 1},
    {"qpi", "RxL_INSERTS_SNP", 0x0d, 1, 0xf, 1},
    {"qpi", "RxL_OCCUPANCY", 0x0b, 0, 0xf, 128},
    {"qpi", "RxL_OCCUPANCY_DRS", 0x15, 1, 0xf, 128},
    {"qpi", "RxL_OCCUPANCY_HOM", 0x18, 1, 0xf, 128},
    {"qpi", "RxL_OCCUPANCY_NCB", 0x16, 1, 0xf, 128},
    {"qpi", "RxL_OCCUPANCY_NCS", 0x17, 1, 0xf, 128},
    {"qpi", "RxL_OCCUPANCY_NDR", 0x1a, 1, 0xf, 128},
    {"qpi", "RxL_OCCUPANCY_SNP", 0x19, 1, 0xf, 128},
    {"qpi", "TxL0P_POWER_CYCLES", 0x0d, 0, 0xf, 1},
    {"qpi", "TxL0_POWER_CYCLES", 0x0c, 0, 0xf, 1},
    {"qpi", "TxL_BYPASSED", 0x05, 0, 0xf, 1},
    {"qpi", "TxL_CYCLES_NE", 0x06, 0, 0xf, 1},
    {"qpi", "TxL_FLITS_G0", 0x00, 0, 0xf, 2},
    {"qpi", "TxL_FLITS_G1", 0x00, 1, 0xf, 2},
    {"qpi", "TxL_FLITS_G2", 0x01, 1, 0xf, 2},
    {"qpi", "TxL_INSERTS", 0x04, 0, 0xf, 1},
    {"qpi", "TxL_OCCUPANCY", 0x07, 0, 0xf, 1},
};

static uint32_t set_of(const char *name)
{
  uint32_t platform = db_find_platform(db, "snbep", 5);
  assert_int_not_equal(platform, DB_NONE);
  uint32_t set = db_find_set(db, platform, name, strlen(name));
  assert_int_not_equal(set, DB_NONE);
  return set;
}

static uint64_t ext_of(const struct db_event *e)
{
  for (uint32_t i = e->settings.first; i < e->settings.first + e->settings.n; i++)
    if (!strcmp(db_text(db, db->settings[i].name), "ev_sel_ext"))
      return db->settings[i].value;
  return 0;
}

static void rows_equal_the_guide(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint32_t row = db_find_event(db, set_of(rows[i].set), rows[i].event, strlen(rows[i].event));
    if (row == DB_NONE)
      fail_msg("no event %s", rows[i].event);
    const struct db_event *e = &db->events[row];
    if (e->code != rows[i].code || ext_of(e) != rows[i].ext || e->counters != rows[i].counters ||
        e->max_inc != rows[i].max_inc)
      fail_msg("%s: code 0x%llx ext %llu counters 0x%x max %u", rows[i].event, (unsigned long long)e->code,
               (unsigned long long)ext_of(e), e->counters, e->max_inc);
  }
}

/* 179 programmed events of the guide with 305 umasks, 56 of Intel's event file with 113; in addition messages and
 * counters with fixed events. */
static void each_unit_has_the_expected_rows(void **state)
{
  (void)state;
  static const struct {
    const char *set;
    uint32_t events, umasks, fixed;
  } sets[] = {
      {"ubox", 3 + 4, 9 + 13, 1},  {"cbo", 22 + 3, 83 + 9, 0},
      {"ha", 23 + 15, 54 + 49, 0}, {"imc", 24, 33, 1},
      {"pcu", 37, 3, 2},           {"qpi", 38 + 3, 42 + 12, 0},
      {"qpi_messages", 2, 18, 0},  {"r2pcie", 10 + 4, 22 + 12, 0},
      {"r3qpi", 22, 59, 0},        {"irp", 27, 18, 0},
  };
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    struct db_span events = db->sets[set_of(sets[i].set)].events;
    uint32_t umasks = 0, fixed = 0;
    for (uint32_t e = events.first; e < events.first + events.n; e++) {
      fixed += db->events[e].fixed_role != PMON_ROLE_N;
      umasks += db->events[e].umasks.n;
    }
    assert_int_equal(events.n - fixed, sets[i].events);
    assert_int_equal(umasks, sets[i].umasks);
    assert_int_equal(fixed, sets[i].fixed);
  }
}

/* A metric that a table of the guide defines cites the table, although its equation is another source's. */
static void metrics_of_the_guide_cite_their_table(void **state)
{
  (void)state;
  static const struct {
    const char *name, *table;
  } metrics[] = {
      {"AVG_TOR_DRD_LATENCY", "327043 Table 2-15"}, {"LLC_PCIE_DATA_BYTES", "327043 Table 2-15"},
      {"PCT_CYCLES_BL_FULL", "327043 Table 2-41"},  {"MEM_BW_READS", "327043 Table 2-65"},
      {"CYC_FREQ_OS_LTD", "327043 Table 2-82"},     {"DRS_M_FROM_QPI", "327043 Table 2-95"},
  };
  const uint32_t platform = db_find_platform(db, "snbep", 5);
  assert_int_not_equal(platform, DB_NONE);
  const struct db_span all = db->platforms[platform].metrics;
  for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
    const char *cite = "none";
    for (uint32_t m = all.first; m < all.first + all.n; m++)
      if (!strcmp(db_text(db, db->metrics[m].name), metrics[i].name))
        cite = db_text(db, db->metrics[m].origin.cite);
    assert_string_equal(cite, metrics[i].table);
  }
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_equal_the_guide),
      cmocka_unit_test(each_unit_has_the_expected_rows),
      cmocka_unit_test(metrics_of_the_guide_cite_their_table),
  };
  return cmocka_run_group_tests_name("snbep rows", tests, NULL, NULL);
}

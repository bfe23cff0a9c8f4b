/* SPDX-License-Identifier: MIT */
/* Register images of the E5-2600: filters, the ninth bit of codes, messages, companion events, metrics. The values were
 * computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/encode.h>
#include <pmon/event.h>
#include <pmon/metric.h>
#include <pmon/plan.h>
#include <pmon/platform.h>
#include "src/platform/platform.h"

static struct pmon_context *context;
static const struct pmon_platform *snbep;

static int snbep_set_up(void **state)
{
  (void)state;
  return pmon_context_new(&context) == PMON_OK && pmon_platform_find(context, "snbep", &snbep) == PMON_OK ? 0 : -1;
}

static int snbep_tear_down(void **state)
{
  (void)state;
  pmon_context_free(context);
  return 0;
}

static void snbep_encode(const char *text, struct pmon_image *image)
{
  struct pmon_event *e = NULL;
  if (pmon_event_resolve(context, snbep, text, &e) != PMON_OK)
    fail_msg("%s: %s", text, pmon_context_error(context));
  uint32_t counter = 0;
  while (!(pmon_event_counters(e) >> counter & 1))
    counter++;
  assert_int_equal(pmon_event_encode(e, 0, 0, counter, image), PMON_OK);
  pmon_event_free(e);
}

/* Returns the value that the image writes to an address; 0: none. */
static uint64_t value_at(const struct pmon_image *image, uint64_t offset)
{
  uint64_t value = 0;
  for (uint32_t i = 0; i < image->n; i++)
    value = image->registers[i].address.offset == offset ? image->registers[i].value : value;
  return value;
}

/* Returns the value that the image of an event writes to an address; fails the test when there is none. */
static uint64_t written(const struct pmon_image *image, const char *text, uint64_t offset)
{
  for (uint32_t i = 0; i < image->n; i++)
    if (image->registers[i].address.offset == offset)
      return image->registers[i].value;
  fail_msg("%s writes nothing to 0x%llx", text, (unsigned long long)offset);
  return 0;
}

static void images_equal_hand_computed_values(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    uint64_t offset, value;
    uint32_t n, width;
  } rows[] = {
      {"cbo/LLC_VICTIMS.M_STATE/", 0xd10, 0x400137, 1, 44},
      {"cbo/TOR_INSERTS.OPCODE,opc=RFO,tid=core3.1/", 0xd10, 0x480135, 2, 44},
      {"cbo/TOR_INSERTS.OPCODE,opc=RFO,tid=core3.1/", 0xd14, 0xc0000007, 2, 44},
      {"uncore_cbox/event=0x36,umask=0x3,filter_opc=0x182/", 0xd14, 0xc1000000, 2, 44},
      {"uncore_cbox/event=0x36,umask=0x3,config1=0xc1000000/", 0xd14, 0xc1000000, 2, 44},
      {"snbep_unc_cbo0::UNC_C_LLC_LOOKUP:DATA_READ:STATE_MESIF", 0xd14, 0x7c0000, 2, 44},
      {"cbo/LLC_LOOKUP.DATA_READ,state=I/", 0xd14, 0x40000, 2, 44},
      {"cbo/TOR_OCCUPANCY.NID_OPCODE,opc=DRd,nid=NODE1/", 0xd14, 0xc1000800, 2, 44},
      {"cbo/COUNTER0_OCCUPANCY,edge_det,thresh=1/", 0xd11, 0x0144001f, 1, 44},
      {"UNC_H_REQUESTS.READS", 0xd8, 0x400301, 1, 48},
      {"ha/ADDR_OPC_MATCH.FILT,lo_addr=0x48d15e,hi_addr=0x1,opc=0x3/", 0x40, 0x12345780, 4, 48},
      {"ha/ADDR_OPC_MATCH,umask=1,lo_addr=0x48d15e,hi_addr=0x1/", 0x44, 0x1, 3, 48},
      {"ha/ADDR_OPC_MATCH,umask=2,opc=0x3/", 0x48, 0x3, 2, 48},
      {"imc/CAS_COUNT.RD/", 0xd8, 0x400304, 1, 48},
      {"uncore_imc/event=0xff,umask=0x00/", 0xf0, 0x400000, 1, 48},
      {"ubox/CLOCKTICKS/", 0xc08, 0x400000, 1, 48},
      {"pcu/CORE7_TRANSITION_CYCLES/", 0xc30, 0x60000a, 1, 48},
      {"pcu/POWER_STATE_OCCUPANCY.CORES_C6,thresh=5,occ_edge/", 0xc30, 0x8540c080, 1, 48},
      {"uncore_pcu/event=0x80,umask=0x40/", 0xc30, 0x404080, 1, 48},
      {"UNC_P_FREQ_BAND1_CYCLES:ff=20", 0xc34, 0x1400, 2, 48},
      {"pcu/FREQ_BAND3_CYCLES,filter_band3=30/", 0xc34, 0x1e000000, 2, 48},
      {"uncore_qpi/event=0x102,umask=0x8/", 0xd8, 0x600802, 1, 48},
      {"qpi/DRS.DataC_M/", 0x228, 0x1c00, 5, 48},
      {"qpi/DRS.DataC_M/", 0x238, 0x1fe0, 5, 48},
      {"qpi/DRS.DataC_M/", 0x22c, 0x80000, 5, 48},
      {"qpi/DRS.DataC_M/", 0x23c, 0xf0000, 5, 48},
      {"qpi/DRS.DataC_F_FrcAckCnflt/", 0x228, 0x1c20, 5, 48},
      {"qpi/DRS.AnyDataC/", 0x238, 0x1f80, 4, 48},
      {"qpi/DRS.WbEData/", 0x228, 0x1cc0, 4, 48},
      {"qpi/DRS.AnyResp/", 0x238, 0x1e00, 4, 48},
      {"qpi/DRS.AnyResp11flits/", 0x228, 0x1d00, 4, 48},
      {"qpi/NCB.AnyMsg9flits/", 0x228, 0x1800, 4, 48},
      {"qpi/NCB.AnyInt/", 0x228, 0x1900, 4, 48},
      {"qpi/DRS.AnyDataC,match_dnid=3,mask_dnid=0x1f/", 0x238, 0x3ff80, 4, 48},
      {"qpi/CTO_COUNT,match_mc=SNP,match_opc=SnpData,mask_mc=0xf,mask_opc=0xf/", 0x228, 0x640, 3, 48},
      {"qpi/CTO_COUNT,match0=0x1c80,mask0=0x1fe0/", 0x238, 0x1fe0, 3, 48},
      {"uncore_qpi/event=0x138,config1=0x8000000001c00,config2=0xf000000001fe0/", 0x23c, 0xf0000, 5, 48},
      {"r2pcie/TxR_INSERTS/", 0xd8, 0x400024, 1, 44},
      {"r3qpi/RxR_OCCUPANCY.NCS/", 0xd8, 0x402013, 1, 44},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_image image;
    snbep_encode(rows[i].text, &image);
    uint64_t value = written(&image, rows[i].text, rows[i].offset);
    if (value != rows[i].value || image.n != rows[i].n || image.width_bits != rows[i].width)
      fail_msg("%s: 0x%llx, %u registers, %u bits", rows[i].text, (unsigned long long)value, image.n, image.width_bits);
  }
}

static void required_filters_are_requested(void **state)
{
  (void)state;
  static const struct {
    const char *text, *says;
  } rows[] = {
      {"cbo/TOR_INSERTS.OPCODE/", "TOR_INSERTS counts only with the filter opc set"},
      {"cbo/TOR_INSERTS.NID_OPCODE,opc=RFO/", "TOR_INSERTS counts only with the filter nid set"},
      {"cbo/LLC_LOOKUP.DATA_READ/", "LLC_LOOKUP counts only with the filter state set"},
      {"uncore_cbox/event=0x35,umask=0x1/", "TOR_INSERTS counts only with the filter opc set"},
      {"pcu/FREQ_BAND0_CYCLES/", "FREQ_BAND0_CYCLES counts only with the filter filt7_0 set"},
      {"cbo/CLOCKTICKS,opc=RFO/", "CLOCKTICKS is not filtered by opc"},
      {"pcu/CLOCKTICKS,umask=0x41/", "umask"},
      {"qpi/DRS.AnyDataC,mc=0xc/", "DRS.AnyDataC matches mc=0xe, not 0xc; other values can be matched with CTO_COUNT"},
      {"qpi/DRS.AnyDataC,match0=0x20/", "DRS.AnyDataC matches MC=0xe, not 0x0"},
      {"qpi/DRS.AnyDataC,match_opc=4/", "DRS.AnyDataC matches match_opc=0x0, not 0x4"},
      {"qpi/CTO_COUNT,match0=0x100001c80/", "Q_Py_PCI_PMON_PKT_MATCH0 has 32 bits"},
      {"qpi/CTO_COUNT,match0=0x1g/", "match0 is a whole register: a number of up to 64 bits is expected, not \"0x1g\""},
      {"cbo/config1=abc/", "config1 is a whole register: a number"},
      {"cbo/TOR_INSERTS,umask=OPCODE,opc=RFO/", "; it is a umask: use cbo/TOR_INSERTS.OPCODE,opc=RFO/"},
      {"qpi/CTO_COUNT,match0=0x1c81/", "bits 2:0 of Q_Py_PCI_PMON_PKT_MATCH0 are reserved"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_event *e = NULL;
    assert_true(pmon_event_resolve(context, snbep, rows[i].text, &e) < 0);
    if (!strstr(pmon_context_error(context), rows[i].says))
      fail_msg("%s: %s", rows[i].text, pmon_context_error(context));
  }
  struct pmon_image image;
  snbep_encode("cbo/TOR_INSERTS.MISS_ALL/", &image);
  assert_int_equal(image.n, 1);
}

/* A control register alone does not distinguish a message event from CTO_COUNT. */
static void codes_resolve_to_the_plain_event(void **state)
{
  (void)state;
  static const struct {
    const char *text, *event;
  } rows[] = {
      {"uncore_qpi/event=0x138/", "qpi/CTO_COUNT/"},
      {"uncore_pcu/event=0x100/", "pcu/FREQ_TRANS_CYCLES/"},
      {"uncore_pcu/event=0x0/", "pcu/CLOCKTICKS/"},
      {"uncore_qpi/event=0x0,umask=0x6/", "qpi/TxL_FLITS_G0.DATA+NON_DATA/"},
      {"uncore_pcu/event=0x80,occ_sel=2/", "pcu/POWER_STATE_OCCUPANCY.CORES_C3/"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_event *e = NULL;
    assert_int_equal(pmon_event_resolve(context, snbep, rows[i].text, &e), PMON_OK);
    assert_string_equal(pmon_event_name(e), rows[i].event);
    pmon_event_free(e);
  }
}

/* Every metric with an equation can be planned; those without one state the reason. */
static void every_metric_can_be_planned(void **state)
{
  (void)state;
  const struct db *facts = snbep->db;
  uint32_t stale = 0;
  for (uint32_t i = 0; i < snbep->row->metrics.n; i++) {
    const struct db_metric *m = &facts->metrics[snbep->row->metrics.first + i];
    struct pmon_plan *plan;
    char name[128];
    snprintf(name, sizeof name, "%s/%s", db_text(facts, facts->units[m->unit].name), db_text(facts, m->name));
    assert_int_equal(pmon_plan_new(context, snbep, &plan), PMON_OK);
    int status = pmon_plan_add_metrics(plan, name);
    if (m->flags & DB_STALE)
      stale++;
    else if (!strncmp(name, "pcu/PCT_FREQ_BAND", 17)) { /* a session allows one frequency per band */
      assert_int_equal(status, PMON_E_AMBIGUOUS);
      assert_non_null(strstr(pmon_context_error(context), "needs one parameter value per session, 12 to 35"));
      pmon_plan_free(plan);
      strcat(name, ".20");
      assert_int_equal(pmon_plan_new(context, snbep, &plan), PMON_OK);
      assert_int_equal(status = pmon_plan_add_metrics(plan, name), PMON_OK);
      assert_int_equal(pmon_plan_schedule(plan), PMON_OK);
    } else if (status || (status = pmon_plan_schedule(plan)) != 0)
      fail_msg("%s: %s", name, pmon_context_error(context));
    assert_int_equal(status < 0, (m->flags & DB_STALE) != 0);
    pmon_plan_free(plan);
    assert_int_equal(pmon_metric_takes_one_value(snbep, i), !strncmp(name, "pcu/PCT_FREQ_BAND", 17));
  }
  assert_false(pmon_metric_takes_one_value(snbep, snbep->row->metrics.n));
  assert_int_equal(snbep->row->metrics.n,
                   92 + 8 + 12 + 24 +
                       20); /* of the guide, our own, of other tools, of cores, power and temperature, of groups */
  assert_int_equal(stale, 2);
}

static void one_value_of_a_parameter_has_a_name(void **state)
{
  (void)state;
  static const char *const names[] = {"imc/PCT_CYCLES_DRAM_RANK3_IN_CKE", "qpi/DATA_FROM_QPI_TO_NODE1",
                                      "pcu/PCT_FREQ_BAND2.20", "qpi/DRS_DataC_FROM_QPI_TO_NODE0"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct pmon_plan *plan;
    assert_int_equal(pmon_plan_new(context, snbep, &plan), PMON_OK);
    if (pmon_plan_add_metrics(plan, names[i]) != PMON_OK)
      fail_msg("%s: %s", names[i], pmon_context_error(context));
    pmon_plan_free(plan);
  }
}

static int schedule(const char *events, uint32_t *ret_rounds)
{
  struct pmon_plan *plan;
  struct pmon_plan_info info = {.size = sizeof info};
  assert_int_equal(pmon_plan_new(context, snbep, &plan), PMON_OK);
  assert_int_equal(pmon_plan_add_events(plan, events), PMON_OK);
  int status = pmon_plan_schedule(plan);
  pmon_plan_describe(plan, &info);
  *ret_rounds = info.rounds;
  pmon_plan_free(plan);
  return status;
}

/* COUNTER0_OCCUPANCY continues counter 0's count: by itself its count would be meaningless. */
static void a_follower_stays_with_the_event_it_follows(void **state)
{
  (void)state;
  uint32_t rounds;
  assert_int_equal(schedule("cbo/COUNTER0_OCCUPANCY,thresh=1/", &rounds), PMON_E_UNSCHEDULABLE);
  assert_non_null(strstr(pmon_context_error(context), "depends on the event of counter 0"));
  assert_int_equal(schedule("cbo/RxR_OCCUPANCY.IRQ/,cbo/COUNTER0_OCCUPANCY,thresh=1/", &rounds), PMON_E_UNSCHEDULABLE);
  assert_int_equal(
      schedule("{cbo/RxR_OCCUPANCY.IRQ/,cbo/COUNTER0_OCCUPANCY,thresh=1/,cbo/COUNTER0_OCCUPANCY,thresh=7/}", &rounds),
      PMON_OK);
  assert_int_equal(rounds, 1);
}

/* 327043 Table 2-91: a bit whose mask is 0 is not compared. A match field gets a full mask unless a mask is written,
 * and the event's name resolves to the same registers again. */
static void a_match_has_a_mask(void **state)
{
  static const struct {
    const char *text, *name;
    uint64_t match0, mask0, mask1;
  } rows[] = {
      {"qpi/CTO_COUNT,mc=0xe/", "qpi/CTO_COUNT,MC=0xe/", 0x1c00, 0x1e00, 0},
      {"qpi/CTO_COUNT,mc=0/", "qpi/CTO_COUNT,MC=0x0/", 0, 0x1e00, 0},
      {"qpi/CTO_COUNT,match_mc=DRS,match_rds=1/", "qpi/CTO_COUNT,MC=0xe,RDS=0x1/", 0x1c00, 0x1e00, 0xf0000},
      {"qpi/CTO_COUNT,mc=0xe,mask_mc=8/", "qpi/CTO_COUNT,MC=0xe,Q_Py_PCI_PMON_PKT_MASK0.MC=0x8/", 0x1c00, 0x1000, 0},
      {"qpi/CTO_COUNT,mc=0xe,opc=1,mask_mc=8/", "", 0x1c20, 0x11e0, 0},
      {"qpi/CTO_COUNT,match0=0x1c00/", "qpi/CTO_COUNT,MC=0xe,Q_Py_PCI_PMON_PKT_MASK0.MC=0x0/", 0x1c00, 0, 0},
      {"qpi/CTO_COUNT,mc=0xe,mask0=0x1000/", "", 0x1c00, 0x1000, 0},
      {"qpi/CTO_COUNT,mc=0xe,mask0=0/", "", 0x1c00, 0, 0},
      {"qpi/CTO_COUNT,mc=0xe,mask0=0x10/",
       "qpi/CTO_COUNT,MC=0xe,Q_Py_PCI_PMON_PKT_MASK0.MC=0x0,Q_Py_PCI_PMON_PKT_MASK0.VNW=0x2/", 0x1c00, 0x10, 0},
      {"uncore_qpi/event=0x138,match_mc=0xe,config2=0/", "", 0x1c00, 0, 0},
      {"uncore_qpi/event=0x138,config1=0x1c00,config2=0x1e00/", "", 0x1c00, 0x1e00, 0},
      {"qpi/DRS.AnyDataC/", "qpi/DRS.AnyDataC/", 0x1c00, 0x1f80, 0},
      {"qpi/DRS.AnyDataC,opc=2/", "qpi/DRS.AnyDataC,OPC=0x2/", 0x1c40, 0x1fe0, 0},
      {"qpi/DRS.AnyDataC,dnid=3/", "", 0x1c00 | 3 << 13, 0x1f80 | 0x1f << 13, 0},
      {"qpi/DRS.AnyDataC,match0=0x1c40/", "", 0x1c40, 0x1f80, 0},
      {"qpi/DRS.AnyDataC,mask0=0x1e00/", "", 0x1c00, 0x1e00, 0},
      {"qpi/DRS.DataC_M,mask1=0/", "", 0x1c00, 0x1fe0, 0},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_image image;
    struct pmon_event *e = NULL;
    char name[256];
    assert_int_equal(pmon_event_resolve(context, snbep, rows[i].text, &e), PMON_OK);
    snprintf(name, sizeof name, "%s", pmon_event_name(e));
    pmon_event_free(e);
    if (*rows[i].name)
      assert_string_equal(name, rows[i].name);
    for (unsigned k = 0; k < 2; k++) {
      const char *text = k ? name : rows[i].text;
      snbep_encode(text, &image);
      if (value_at(&image, 0x228) != rows[i].match0 || value_at(&image, 0x238) != rows[i].mask0 ||
          value_at(&image, 0x23c) != rows[i].mask1)
        fail_msg("%s", text);
    }
  }
}

/* Two message events need the packet filter with different values. */
static void one_kind_of_message_at_a_time(void **state)
{
  (void)state;
  uint32_t rounds;
  assert_int_equal(schedule("qpi/DRS.WbIData/,qpi/DRS.WbSData/,qpi/CLOCKTICKS/", &rounds), PMON_OK);
  assert_int_equal(rounds, 2);
  assert_int_equal(schedule("cbo/TOR_INSERTS.OPCODE,opc=RFO/,cbo/TOR_INSERTS.MISS_OPCODE,opc=RFO/", &rounds), PMON_OK);
  assert_int_equal(rounds, 1);
  /* One criterion of the CBo's filter at a time (2.3.3.3): an event of a thread excludes an event with another
   * criterion. */
  assert_int_equal(schedule("cbo/TOR_INSERTS.MISS_ALL,tid=2/,cbo/TOR_INSERTS.OPCODE,opc=RFO/", &rounds), PMON_OK);
  assert_int_equal(rounds, 2);
  assert_int_equal(schedule("cbo/TOR_INSERTS.MISS_ALL,tid=2/,cbo/TOR_INSERTS.MISS_ALL/", &rounds), PMON_OK);
  assert_int_equal(rounds, 1);
}

/* Each of the home agent's two comparisons has an umask bit, and can share a round with an event of the other
 * comparison. */
static void comparisons_of_the_home_agent_are_apart(void **state)
{
  static const struct {
    const char *events;
    uint32_t rounds;
  } rows[] = {
      {"ha/ADDR_OPC_MATCH,umask=1,lo_addr=5/,ha/ADDR_OPC_MATCH,umask=2,opc=2/", 1},
      {"ha/ADDR_OPC_MATCH,umask=1,hi_addr=5/,ha/ADDR_OPC_MATCH,umask=2/", 1},
      {"ha/ADDR_OPC_MATCH,umask=1,lo_addr=5/,ha/ADDR_OPC_MATCH,umask=1/", 2},
      {"ha/ADDR_OPC_MATCH,umask=2,opc=2/,ha/ADDR_OPC_MATCH,umask=2/", 2},
      {"ha/ADDR_OPC_MATCH,umask=3,lo_addr=5,opc=2/,ha/ADDR_OPC_MATCH,umask=2,opc=2/", 1},
      {"ha/ADDR_OPC_MATCH,umask=3,lo_addr=5,opc=2/,ha/ADDR_OPC_MATCH,umask=2/", 2},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint32_t rounds;
    assert_int_equal(schedule(rows[i].events, &rounds), PMON_OK);
    if (rounds != rows[i].rounds)
      fail_msg("%s: %u rounds", rows[i].events, rounds);
  }
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(images_equal_hand_computed_values),
      cmocka_unit_test(required_filters_are_requested),
      cmocka_unit_test(a_match_has_a_mask),
      cmocka_unit_test(codes_resolve_to_the_plain_event),
      cmocka_unit_test(every_metric_can_be_planned),
      cmocka_unit_test(one_value_of_a_parameter_has_a_name),
      cmocka_unit_test(a_follower_stays_with_the_event_it_follows),
      cmocka_unit_test(one_kind_of_message_at_a_time),
      cmocka_unit_test(comparisons_of_the_home_agent_are_apart),
  };
  return cmocka_run_group_tests_name("snbep images", tests, snbep_set_up, snbep_tear_down);
}

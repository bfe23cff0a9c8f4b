/* SPDX-License-Identifier: MIT */
/* The errors for filters that do not act on their event: they name the umasks and events on which the filters act, and
 * suggest a text with one of them, which is a valid event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/event.h>
#include <pmon/platform.h>

static struct pmon_context *context;

static int advice_set_up(void **state)
{
  (void)state;
  return pmon_context_new(&context);
}

static int advice_tear_down(void **state)
{
  (void)state;
  pmon_context_free(context);
  return 0;
}

/* The text after `use ` in the error is a valid event. */
static void check_advice(const struct pmon_platform *p, const char *text)
{
  const char *use = strstr(pmon_context_error(context), "use ");
  char advised[512];
  struct pmon_event *e = NULL;
  snprintf(advised, sizeof advised, "%s", use ? use + 4 : "");
  if (!use || pmon_event_resolve(context, p, advised, &e) != PMON_OK)
    fail_msg("%s: advised is %s: %s", text, advised, pmon_context_error(context));
  pmon_event_free(e);
}

static const struct {
  const char *text, *says;
} rows[] = {
    {"qpi/CLOCKTICKS,mc=0xe/", "mc does not act on CLOCKTICKS, but on CTO_COUNT; use qpi/CTO_COUNT,mc=0xe/"},
    {"qpi/CLOCKTICKS,mc=0/", "mc does not act on CLOCKTICKS"},
    {"qpi/CLOCKTICKS,config1=0x1c00/", "MC does not act on CLOCKTICKS"},
    {"ha/REQUESTS.READS,lo_addr=5/",
     "lo_addr does not act on REQUESTS.READS, but on ADDR_OPC_MATCH; use ha/ADDR_OPC_MATCH,umask=0x1,lo_addr=5,"
     "hi_addr=0/"},
    {"ha/REQUESTS.READS,opc=RdData/",
     "opc does not act on REQUESTS.READS, but on ADDR_OPC_MATCH; use ha/ADDR_OPC_MATCH,umask=0x2,opc=RdData/"},
    {"ha0/REQUESTS.READS,opc=RdData,edge_det=1,thresh=1/",
     "; use ha0/ADDR_OPC_MATCH,umask=0x2,opc=RdData,edge_det=1,thresh=1/"},
    {"ha/REQUESTS.READS,opc=RdData,lo_addr=0x40,hi_addr=1/",
     "; use ha/ADDR_OPC_MATCH.FILT,opc=RdData,lo_addr=0x40,hi_addr=1/"},
    {"ha/REQUESTS,umask=3,opc=1/", "; use ha/ADDR_OPC_MATCH,umask=0x2,opc=1/"},
    {"snbep_unc_ha::UNC_H_REQUESTS:READS:opc=2", "; use snbep_unc_ha::UNC_H_ADDR_OPC_MATCH:umask=0x2:opc=2"},
    {"REQUESTS.READS{opc=2}", "; use ADDR_OPC_MATCH{umask=0x2}{opc=2}"},
    {"REQUESTS.READS with:OPCODEMATCH.opc=2", "; use ADDR_OPC_MATCH{umask=0x2} with:OPCODEMATCH.opc=2"},
    {"ha/config=0x301,opc=2/", "; use ha/config=0x220,opc=2/"},
    {"ha/REQUESTS.READS,opc=RdCur/", "opc does not act on REQUESTS.READS"},
    {"ha/REQUESTS.READS,lo_addr=0/", "lo_addr does not act on REQUESTS.READS"},
    {"ha/ADDR_OPC_MATCH,umask=1,opc=1/",
     "opc does not act on ADDR_OPC_MATCH, but with the umask FILT; use ha/ADDR_OPC_MATCH,umask=0x2,opc=1/"},
    {"ha/ADDR_OPC_MATCH,umask=2,hi_addr=1/", "hi_addr does not act on ADDR_OPC_MATCH"},
    {"ha/ADDR_OPC_MATCH,umask=2,lo_addr=1/", "lo_addr does not act on ADDR_OPC_MATCH"},
    {"pcu/CLOCKTICKS,band1=3/",
     "band1 does not act on CLOCKTICKS, but on FREQ_BAND1_CYCLES; use pcu/FREQ_BAND1_CYCLES,band1=3/"},
    {"cbo/TOR_INSERTS.MISS_ALL,opc=RFO/", "opc does not act on TOR_INSERTS.MISS_ALL, but with the umasks OPCODE, "
                                          "MISS_OPCODE, NID_OPCODE and NID_MISS_OPCODE; "
                                          "use cbo/TOR_INSERTS.MISS_OPCODE,opc=RFO/"},
    {"cbo/config=0xa35,opc=0x180/", "; use cbo/config=0x335,opc=0x180/"},
    {"uncore_cbox/event=0x35,umask=0xa,filter_opc=0x180/",
     "filter_opc does not act on TOR_INSERTS.MISS_ALL, but with the umasks OPCODE, MISS_OPCODE, NID_OPCODE and "
     "NID_MISS_OPCODE; use uncore_cbox/event=0x35,umask=0x3,filter_opc=0x180/"},
    {"snbep_unc_cbo0::UNC_C_TOR_INSERTS:MISS_ALL:OPC_RFO",
     "; use snbep_unc_cbo0::UNC_C_TOR_INSERTS:MISS_OPCODE:OPC_RFO"},
    {"cbo/TOR_INSERTS.MISS_ALL,tid=2,opc=RFO/", "opc does not act on TOR_INSERTS.MISS_ALL, but with the umasks "
                                                "OPCODE, MISS_OPCODE, NID_OPCODE and NID_MISS_OPCODE, "
                                                "not together with tid; use cbo/TOR_INSERTS.MISS_OPCODE,opc=RFO/"},
    {"cbo/TOR_INSERTS.EVICTION,tid_en=1,nid=1,tid=2/",
     "not together with tid_en; use cbo/TOR_INSERTS.NID_EVICTION,nid=1/"},
    {"snbep_unc_cbo0::UNC_C_TOR_INSERTS:MISS_ALL:cf=2:tf:opc=RFO",
     "not together with cf; use snbep_unc_cbo0::UNC_C_TOR_INSERTS:MISS_OPCODE:opc=RFO"},
    {"cbo/CLOCKTICKS,tid=0,tid_en=0/", "tid does not act on CLOCKTICKS without tid_en=1"},
    {"cbo/CLOCKTICKS,tid=2,tid_en=0/", "tid does not act on CLOCKTICKS without tid_en=1"},
    {"cbo/TOR_INSERTS.MISS_ALL,state=M/",
     "TOR_INSERTS.MISS_ALL is not filtered by state, but by tid; it acts on LLC_LOOKUP: use "
     "cbo/LLC_LOOKUP.DATA_READ,state=M/"},
    {"cbo/LLC_LOOKUP.DATA_READ,state=I,nid=1/", "; use cbo/LLC_LOOKUP.DATA_READ+NID,state=I,nid=1/"},
    {"cbo/LLC_VICTIMS.M_STATE,nid=1/", "; use cbo/LLC_VICTIMS.M_STATE+NID,nid=1/"},
    {"cbo3/LLC_VICTIMS.m_state,nid=1,edge_det=1,thresh=1/",
     "; use cbo3/LLC_VICTIMS.m_state+NID,nid=1,edge_det=1,thresh=1/"},
    {"uncore_cbox_2/event=0x37,umask=0x3,nid=1/", "; use uncore_cbox_2/event=0x37,umask=0x43,nid=1/"},
    {"snbep_unc_cbo0::UNC_C_LLC_VICTIMS:M_STATE:nf=1",
     "nf does not act on LLC_VICTIMS.M_STATE, but with the umask NID; use "
     "snbep_unc_cbo0::UNC_C_LLC_VICTIMS:M_STATE:NID:nf=1"},
    {"pcu/CLOCKTICKS,filter_band1=3/", "filter_band1 does not act on CLOCKTICKS, but on FREQ_BAND1_CYCLES; use "
                                       "pcu/FREQ_BAND1_CYCLES,filter_band1=3/"},
    {"uncore_qpi_1/event=0x14,mc=0xe/", "; use uncore_qpi_1/event=0x138,mc=0xe/"},
};

static void another_umask_or_event_is_advised(void **state)
{
  const struct pmon_platform *snbep;
  (void)state;
  assert_int_equal(pmon_platform_find(context, "snbep", &snbep), PMON_OK);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_event *e = NULL;
    assert_int_equal(pmon_event_resolve(context, snbep, rows[i].text, &e), PMON_E_CONFLICT);
    if (!strstr(pmon_context_error(context), rows[i].says))
      fail_msg("%s: %s", rows[i].text, pmon_context_error(context));
    if (strstr(rows[i].says, "use "))
      check_advice(snbep, rows[i].text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(another_umask_or_event_is_advised)};
  return cmocka_run_group_tests(tests, advice_set_up, advice_tear_down);
}

/* SPDX-License-Identifier: MIT */
/* Events in likwid's spelling, EVENT_UMASK:COUNTER:OPTIONS, are those of pmon's own names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pmon/pmon.h>

static struct pmon_context *context;

static const struct pmon_platform *platform(const char *name)
{
  const struct pmon_platform *p;
  assert_int_equal(pmon_platform_find(context, name, &p), PMON_OK);
  return p;
}

static void assert_event(const struct pmon_platform *p, const char *text, const char *name)
{
  struct pmon_event *e = NULL;
  if (pmon_event_resolve(context, p, text, &e))
    fail_msg("%s: %s", text, pmon_context_error(context));
  assert_string_equal(pmon_event_name(e), name);
  pmon_event_free(e);
}

static void assert_refused(const struct pmon_platform *p, const char *text, int status, const char *error)
{
  struct pmon_event *e = NULL;
  assert_int_equal(pmon_event_resolve(context, p, text, &e), status);
  assert_string_equal(pmon_context_error(context), error);
}

/* Names, boxes, fixed counters, options, and any case. */
static void test_names(void **state)
{
  (void)state;
  static const char *const snbep[][2] = {
      {"CAS_COUNT_RD:MBOX0C0", "imc0/CAS_COUNT.RD/"},
      {"cas_count_wr:mbox3c1", "imc3/CAS_COUNT.WR/"},
      {"DRAM_CLOCKTICKS:MBOX0FIX", "imc0/CLOCKTICKS/"},
      {"UNCORE_CLOCK:UBOXFIX", "ubox/CLOCKTICKS/"},
      {"CBOX_CLOCKTICKS:CBOX7C0", "cbo7/CLOCKTICKS/"},
      {"TOR_INSERTS_MISS_OPCODE:CBOX0C0:OPCODE=0x182", "cbo0/TOR_INSERTS.MISS_OPCODE,opc=0x182/"},
      {"LLC_VICTIMS_M_STATE:CBOX1C1:THRESHOLD=0x2:EDGEDETECT:INVERT",
       "cbo1/LLC_VICTIMS.M_STATE,thresh=0x2,invert=0x1,edge_det=0x1/"},
      {"RXL_FLITS_G1_DRS_DATA:SBOX1C1", "qpi1/RxL_FLITS_G1.DRS_DATA/"},
      {"REQUESTS_READS:BBOX0C0", "ha/REQUESTS.READS/"},
      {"R2PCIE_RXR_CYCLES_NE_DRS:PBOX0", "r2pcie/RxR_CYCLES_NE.DRS/"},
      {"POWER_STATE_OCCUPANCY_CORES_C0:WBOX3", "pcu/POWER_STATE_OCCUPANCY.CORES_C0/"},
      {"CPU_CLK_UNHALTED_CORE:FIXC1", "core/CPU_CLK_UNHALTED_THREAD/"},
      {"PWR_PKG_ENERGY:PWR0", "rapl/PKG_ENERGY/"},
      {"PWR_PP0_ENERGY:PWR1", "rapl/CORES_ENERGY/"},
  };
  static const char *const emr[][2] = {
      {"CAS_COUNT_RD:MBOX7C0", "imc7/CAS_COUNT.RD/"},
      {"DRAM_CLOCKTICKS:MBOX1FIX", "imc1/DCLK/"},
      {"TOR_INSERTS_IA_MISS_DRD:CBOX10C3:TID=0x19", "cha10/TOR_INSERTS.IA_MISS_DRD,tid_en=0x1,tid=0x19/"},
      {"CHA_REQUESTS_READS:CBOX0C0", "cha0/REQUESTS.READS/"},
      {"RXL_FLITS_ALL_DATA:UPI0C0", "upi0/RxL_FLITS.ALL_DATA/"},
      {"RXL_FLITS_ALL_DATA:SBOX0C0", "upi0/RxL_FLITS.ALL_DATA/"},
      {"UPI_CLOCKTICKS:UPI3C0", "upi3/CLOCKTICKS/"},
      {"DATA_REQ_OF_CPU_MEM_READ_PART0:IIO3C0", "iio3/DATA_REQ_OF_CPU.MEM_READ.PART0/"},
      {"IMC_READS_ALL:M2M2C1", "m2m2/IMC_READS.ALL/"},
  };
  for (size_t i = 0; i < sizeof snbep / sizeof *snbep; i++)
    assert_event(platform("snbep"), snbep[i][0], snbep[i][1]);
  for (size_t i = 0; i < sizeof emr / sizeof *emr; i++)
    assert_event(platform("emr"), emr[i][0], emr[i][1]);
}

/* Errors name pmon's unit, and have no column, which would be that of another text. */
static void test_refused_names(void **state)
{
  (void)state;
  assert_refused(platform("snbep"), "CAS_COUNT_RX:MBOX0C0", PMON_E_UNKNOWN,
                 "imc has no event \"CAS_COUNT_RX\"; did you mean CAS_COUNT?");
  assert_refused(platform("snbep"), "CAS_COUNT_RD:MBOX9C0", PMON_E_RANGE, "imc has instances 0 to 3");
  assert_int_equal(pmon_context_error_column(context), 0);
  assert_refused(platform("snbep"), "TOR_INSERTS_MISS_OPCODE:CBOX0C0", PMON_E_CONFLICT,
                 "TOR_INSERTS counts only with the filter opc set; add opc=VALUE");
  /* no counter of likwid, or none with these words: the text is read as before */
  assert_refused(platform("emr"), "CAS_COUNT:MBOX", PMON_E_UNKNOWN,
                 "column 11: imc has no umask or attribute \"MBOX\"; expected PCH0, PCH1, RD_REG, RD_PRE_REG, "
                 "RD_UNDERFILL, RD_PRE_UNDERFILL, RD, WR_NONPRE, WR_PRE, WR or ALL");
  assert_int_equal(pmon_context_error_column(context), 11);
}

int main(void)
{
  static const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_refused_names)};
  if (pmon_context_new(&context))
    return 1;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  pmon_context_free(context);
  return failed;
}

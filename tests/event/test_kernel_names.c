/* SPDX-License-Identifier: MIT */
/*
 * Names shown by `perf list` and texts accepted by perf: those in the events folders of the kernel's PMUs (typed from
 * Linux 6.12, uncore_snbep.c), those of perf's tables in lower case, and raw codes with a PMU's number.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/pmon.h>

static const struct {
  const char *platform, *text, *name;
} rows[] = {
    {"emr", "uncore_imc_0/clockticks/", "imc0/HCLOCKTICKS/"}, /* the kernel's event is 1 without umask */
    {"emr", "uncore_imc_7/cas_count_read/", "imc7/CAS_COUNT.RD/"},
    {"emr", "uncore_imc/cas_count_write/", "imc/CAS_COUNT.WR/"},
    {"emr", "uncore_imc/cas_count_read,thresh=2/", "imc/CAS_COUNT.RD,thresh=0x2/"},
    {"emr", "uncore_imc_free_running_0/dclk/", "imc0/FRCTR_DCLK/"}, /* one PMU for both channels of a controller */
    {"emr", "uncore_imc_free_running_3/rpq_cycles/", "imc6/RPQ_CYCLES/"},
    {"emr", "uncore_imc_free_running_1/event=0xff,umask=0x21/", "imc2/WPQ_CYCLES/"},
    {"emr", "uncore_iio_free_running_0/bw_in_port0/", "iio0/BW_IN_PORT0/"},
    {"emr", "uncore_iio_free_running_9/ioclk/", "iio9/IOCLK/"},
    {"emr", "uncore_iio_free_running/bw_in_port7/", "iio/BW_IN_PORT7/"},
    {"emr", "uncore_cha_3/event=0x35,umask=0x1/", "cha3/TOR_INSERTS.IRQ_IA/"},
    {"emr", "unc_cha_tor_inserts.ia_miss_drd", "cha/TOR_INSERTS.IA_MISS_DRD/"},
    {"emr", "uncore_ubox/event=0x42,umask=0x8/", "ubox/EVENT_MSG.DOORBELL_RCVD/"}, /* perf's tables name this PMU */
    {"emr", "imc/cas_count_read/", "imc/CAS_COUNT.RD/"}, /* perf ignores the prefix of the PMU */
    {"emr", "imc_3/cas_count_write,thresh=2/", "imc3/CAS_COUNT.WR,thresh=0x2/"},
    {"emr", "iio_free_running_1/bw_in_port0/", "iio1/BW_IN_PORT0/"},
    {"emr", "imc/clockticks/", "imc/CLOCKTICKS.DCLK/"}, /* the guide's event comes first */
    {"emr", "uncore_cha/r135/", "cha/TOR_INSERTS.IRQ_IA/"},
    {"emr", "uncore_cha_3/r0xC817FE00000135,edge/", "cha3/TOR_INSERTS.IA_MISS_DRD,edge_det=0x1/"},
    {"snbep", "cbox_1/r335,filter_opc=0x182/", "cbo1/TOR_INSERTS.MISS_OPCODE,opc=0x182/"},
    {"emr", "cas_count_read", "imc/CAS_COUNT.RD/"}, /* perf takes it without the PMU, too */
    {"emr", "Cas_Count_Write", "imc/CAS_COUNT.WR/"},
    {"snbep", "drs_data", "qpi/RxL_FLITS_G1.DRS_DATA/"},
    {"emr", "power/energy-pkg/", "rapl/PKG_ENERGY/"},
    {"emr", "power/energy-ram/", "rapl/DRAM_ENERGY/"},
    {"emr", "cstate_pkg/c6-residency/", "cstate/PKG_C6_CYCLES/"},
    {"emr", "cstate_core/c6-residency/", "core/CORE_C6_CYCLES/"},
    {"emr", "msr/aperf/", "core/APERF/"},
    {"emr", "cpu/instructions/", "core/INST_RETIRED_ANY/"},
    {"snbep", "power/energy-cores/", "rapl/CORES_ENERGY/"},
    {"snbep", "cstate_pkg/c3-residency/", "cstate/PKG_C3_CYCLES/"},
    {"snbep", "cstate_core/c7-residency/", "core/CORE_C7_CYCLES/"},
    {"spr", "power/energy-pkg/", "rapl/PKG_ENERGY/"},
    {"spr", "uncore_imc_1/cas_count_read/", "imc1/CAS_COUNT.RD/"},
    {"spr", "uncore_hbm_3/event=0x5,umask=0xcf/", "hbm3/CAS_COUNT.RD/"},
    {"spr", "uncore_mchbm/event=0x5,umask=0xf0/", "hbm/CAS_COUNT.WR/"},
    {"spr", "unc_mchbm_cas_count.rd", "hbm/CAS_COUNT.RD/"},
    {"snbep", "uncore_imc_0/clockticks/", "imc0/CLOCKTICKS/"},
    {"snbep", "uncore_imc_3/cas_count_read/", "imc3/CAS_COUNT.RD/"},
    {"snbep", "uncore_imc_1/cas_count_write/", "imc1/CAS_COUNT.WR/"},
    {"snbep", "uncore_qpi_0/clockticks/", "qpi0/CLOCKTICKS/"},
    {"snbep", "uncore_qpi_0/txl_flits_active/", "qpi0/TxL_FLITS_G0.DATA+NON_DATA/"},
    {"snbep", "uncore_qpi_1/drs_data/", "qpi1/RxL_FLITS_G1.DRS_DATA/"},
    {"snbep", "uncore_qpi_1/ncb_data/", "qpi1/RxL_FLITS_G2.NCB_DATA/"},
    {"snbep", "uncore_cbox_2/event=0x35,umask=0x3,filter_opc=0x182/", "cbo2/TOR_INSERTS.MISS_OPCODE,opc=0x182/"},
    {"snbep", "snbep_unc_cbo0::UNC_C_TOR_INSERTS.OPCODE.OPC_RFO", "cbo0/TOR_INSERTS.OPCODE,opc=0x180/"}, /* libpfm4 */
    {"snbep", "UNC_M_CAS_COUNT.RD.e.t=1", "imc/CAS_COUNT.RD,thresh=0x1,edge_det=0x1/"},
    {"snbep", "iMC.CAS_COUNT.RD", "imc/CAS_COUNT.RD/"}, /* ucevent */
    {"snbep", "QPI_LL.RxL_FLITS_G1.DRS_DATA", "qpi/RxL_FLITS_G1.DRS_DATA/"},
    {"montecito", "montecito::BUS_MEMORY.ALL.SELF", "pmu/BUS_MEMORY.ALL.SELF/"},
    {"snbep", "uncore_pcu/event=0x80,occ_sel=1/", "pcu/POWER_STATE_OCCUPANCY.CORES_C0/"},
};

static const struct {
  const char *text;
  int status;
  const char *says;
} refused[] = {
    {"imc/cas_count_reads/", PMON_E_UNKNOWN, "imc has no event \"cas_count_reads\""},
    {"cha/rd/", PMON_E_UNKNOWN, "cha has no event \"rd\""}, /* no raw code: it has no decimal digit */
    {"cha/r13g/", PMON_E_UNKNOWN, "cha has no event \"r13g\""},
    {"cha/r11111111111111111/", PMON_E_SYNTAX, "a number of up to 64 bits"},
    {"r1a8", PMON_E_UNKNOWN, "emr has no event \"r1a8\""}, /* without a PMU it is a code of the cores */
    {"uncore_imc_free_running_4/rpq_cycles/", PMON_E_RANGE, "imc has instances 0 to 7"},
    {"uncore_imc_free_running_99999/rpq_cycles/", PMON_E_UNKNOWN, "has no unit"},
    {"uncore_imc_free_running_/rpq_cycles/", PMON_E_UNKNOWN, "has no unit"},
    {"uncore_/event=1/", PMON_E_UNKNOWN, "has no unit"},
    {"uncore_uncore_cha/event=1/", PMON_E_UNKNOWN, "has no unit"},
    {"uncore_imc/cas_count_reads/", PMON_E_UNKNOWN, "no event"},
    {"uncore_imc_free_running_3/rpq_cycles,foo=1/", PMON_E_UNKNOWN, "no attribute \"foo\""},
    {"uncore_imc_3/cas_count_read,foo=1/", PMON_E_UNKNOWN, "imc has no attribute \"foo\""},
    {"UNC_M_CAS_COUNT.NOPE", PMON_E_UNKNOWN, "CAS_COUNT has no umask \"NOPE\"; expected "},
    {"cas_count_reads", PMON_E_UNKNOWN, "no event"},
    {"unc_m_cas_count.rd:u", PMON_E_UNKNOWN, "imc has no modifier \"u\"; leave it out"},
    {"uncore_imc_0/cas_count_read/k", PMON_E_UNKNOWN, "imc has no modifier \"k\"; leave it out"},
    {"uncore_imc_0/cas_count_read/:u", PMON_E_UNKNOWN, "imc has no modifier \"u\"; leave it out"},
    {"uncore_cha/event=0x35,umask=1/ukD", PMON_E_SYNTAX, "only u and k are known"},
    {"UNC_M_CAS_COUNT.RD:D", PMON_E_UNKNOWN, "imc has no modifier \"D\"; leave it out"},
    {"uncore_imc/event=5,umask=0xcf,name=reads/", PMON_E_UNKNOWN, "-m NAME=EVENT"},
    {"uncore_imc/cas_count_read,percore/", PMON_E_UNKNOWN, "no attribute \"percore\""},
    {"clockticks", PMON_E_AMBIGUOUS, "several units"},                   /* an event's name comes before the kernel's */
    {"CAS_COUNT_RD", PMON_E_UNKNOWN, "did you mean imc/CAS_COUNT.RD/?"}, /* likwid's spelling without a counter */
    {"UNC_M_CAS_COUNT_RD", PMON_E_UNKNOWN, "did you mean imc/CAS_COUNT.RD/?"},
    {"upi/TxL_FLITS_ALL_DATA/", PMON_E_UNKNOWN, "did you mean upi/TxL_FLITS.ALL_DATA/?"},
};

static void names_of_the_kernel_resolve(void **state)
{
  struct pmon_context *context = *state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct pmon_platform *platform;
    struct pmon_event *event;
    assert_int_equal(pmon_platform_find(context, rows[i].platform, &platform), 0);
    if (pmon_event_resolve(context, platform, rows[i].text, &event))
      fail_msg("%s: %s", rows[i].text, pmon_context_error(context));
    assert_string_equal(pmon_event_name(event), rows[i].name);
    pmon_event_free(event);
  }
}

/* libpfm4's and pfmon's names for Montecito, whose parts are joined by underscores. */
static void names_of_libpfm4_have_hints(void **state)
{
  static const char *const names[][2] = {
      {"CPU_OP_CYCLES_ALL", "did you mean pmu/CPU_OP_CYCLES.ALL/?"},
      {"BUS_MEMORY_ALL_SELF", "did you mean pmu/BUS_MEMORY.ALL.SELF/?"},
      {"DATA_EAR_CACHE_LAT16", "it is a sample source: pmon sample --source dcache=CYCLES"},
      {"L1I_EAR_TLB_VHPT", "it is a sample source: pmon sample --source itlb=LEVELS"},
      {"BUS_MEMORY:NOPE", "no umask or attribute \"NOPE\"; expected EQ_128BYTE.EITHER, "},
  };
  const struct pmon_platform *montecito;
  struct pmon_event *event;
  assert_int_equal(pmon_platform_find(*state, "montecito", &montecito), 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    assert_int_equal(pmon_event_resolve(*state, montecito, names[i][0], &event), PMON_E_UNKNOWN);
    if (!strstr(pmon_context_error(*state), names[i][1]))
      fail_msg("%s: %s", names[i][0], pmon_context_error(*state));
  }
}

static void others_are_refused(void **state)
{
  struct pmon_context *context = *state;
  const struct pmon_platform *emr;
  assert_int_equal(pmon_platform_find(context, "emr", &emr), 0);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    struct pmon_event *event = NULL;
    const int status = pmon_event_resolve(context, emr, refused[i].text, &event);
    if (status != refused[i].status || !strstr(pmon_context_error(context), refused[i].says))
      fail_msg("%s: status %d: %s", refused[i].text, status, pmon_context_error(context));
  }
}

static int open_context(void **state)
{
  return pmon_context_new((struct pmon_context **)state);
}

static int close_context(void **state)
{
  pmon_context_free(*state);
  return 0;
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_of_the_kernel_resolve),
      cmocka_unit_test(names_of_libpfm4_have_hints),
      cmocka_unit_test(others_are_refused),
  };
  return cmocka_run_group_tests_name("kernel names", tests, open_context, close_context);
}

/* SPDX-License-Identifier: MIT */
/*
 * Which occurrences the rows of the guide's umask tables select. A row's bits come from the fact files; the expectation
 * is derived from its name, and every kind of occurrence is offered to it.
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
#include "tests/machine/access.h"
#include "tests/machine/facts.h"

static uint64_t control(const struct pmon_event_info *info)
{
  uint64_t ctl = info->code | info->umask_value << 8 | info->ext << 32;
  for (uint32_t i = 0; i < info->n_fields; i++)
    if (!strcmp(info->fields[i].name, "ch_mask"))
      ctl |= info->fields[i].value << 36;
    else if (!strcmp(info->fields[i].name, "fc_mask"))
      ctl |= info->fields[i].value << 48;
  return ctl;
}

/* Returns the control register value that selects an event and umask, by name. */
static uint64_t row(const struct facts *f, const char *unit, const char *event, const char *umask)
{
  struct pmon_event_cursor c = {0};
  struct pmon_event_info info = {.size = sizeof info};
  uint32_t u;
  assert_int_equal(pmon_unit_find(f->platform, unit, &u), 0);
  while (pmon_event_next(f->platform, u, &c, &info))
    if (!strcmp(info.event, event) && info.umask && !strcmp(info.umask, umask))
      return control(&info);
  fail_msg("no %s/%s.%s", unit, event, umask);
  return 0;
}

static const struct {
  const char *name;
  unsigned opc;
} opcodes[] = {
    {"CRD", 0x101},         {"CRD_PREF", 0x111},     {"DRD", 0x102},           {"DRD_PREF", 0x112},
    {"DRD_OPT", 0x104},     {"DRD_OPT_PREF", 0x114}, {"DRDPTE", 0x106},        {"RFO", 0x100},
    {"RFO_PREF", 0x110},    {"ITOM", 0x188},         {"ITOMCACHENEAR", 0x1a8}, {"LLCPREFCODE", 0x199},
    {"LLCPREFDATA", 0x19a}, {"LLCPREFRFO", 0x198},   {"WCIL", 0x10d},          {"WCILF", 0x10c},
    {"PCIRDCUR", 0x11e},    {"CLFLUSH", 0x118},      {"CLFLUSHOPT", 0x11a},    {"SPECITOM", 0x18a},
    {"WBMTOI", 0x184},      {"UCRDF", 0x10e},        {"WIL", 0x10f},
};
enum { OPCODES = sizeof opcodes / sizeof *opcodes };

/* The parts of a name; -1: the name does not state this. */
struct meaning {
  int io, miss, remote, pmm, opcode;
};

static bool understand(const char *umask, struct meaning *k)
{
  char text[64], *token, *save = NULL, opcode[64] = "";
  *k = (struct meaning){-1, -1, -1, -1, -1};
  snprintf(text, sizeof text, "%s", umask);
  for (token = strtok_r(text, "_", &save); token; token = strtok_r(NULL, "_", &save)) {
    if (!strcmp(token, "IA") || !strcmp(token, "IO"))
      k->io = token[1] == 'O';
    else if (!strcmp(token, "HIT") || !strcmp(token, "MISS"))
      k->miss = *token == 'M';
    else if (!strcmp(token, "LOCAL") || !strcmp(token, "REMOTE"))
      k->remote = *token == 'R';
    else if (!strcmp(token, "DDR") || !strcmp(token, "PMM"))
      k->pmm = *token == 'P';
    else
      snprintf(opcode + strlen(opcode), sizeof opcode - strlen(opcode), "%s%s", *opcode ? "_" : "", token);
  }
  for (int i = 0; i < OPCODES; i++)
    if (!strcmp(opcodes[i].name, opcode))
      k->opcode = i;
  return k->io >= 0 && (k->opcode >= 0 || !*opcode);
}

static void offer_entries(const struct pmon_event_info *info, const struct meaning *k)
{
  static const uint64_t targets[] = {TOR_DDR, TOR_PMM, TOR_MMIO};
  const uint64_t ctl = control(info);
  for (int bits = 0; bits < 16; bits++)
    for (int opcode = 0; opcode < OPCODES; opcode++)
      for (int target = 0; target < 3; target++) {
        int io = bits & 1, miss = bits >> 1 & 1, remote = bits >> 2 & 1, other = bits >> 3;
        uint64_t attr = (io ? TOR_PRQ_IOSF : TOR_IRQ_IA) | (miss ? TOR_MISS : TOR_HIT) | (remote ? TOR_REM : TOR_LOC) |
                        targets[target] | TOR_OPC(opcodes[opcode].opc) | (other ? TOR_NM : TOR_NOT_NM);
        bool want = k->io == io && (k->miss < 0 || k->miss == miss) && (k->remote < 0 || k->remote == remote) &&
                    (k->pmm < 0 || k->pmm == target) && (k->opcode < 0 || k->opcode == opcode);
        if (cha_weight(ctl, attr) != want)
          fail_msg("%s.%s (%#llx): %d for %#llx", info->event, info->umask, (unsigned long long)ctl, !want,
                   (unsigned long long)attr);
      }
}

static void test_tor(void **state)
{
  const struct facts *f = *state;
  struct pmon_event_cursor c = {0};
  struct pmon_event_info info = {.size = sizeof info};
  unsigned seen = 0;
  uint32_t u;
  assert_int_equal(pmon_unit_find(f->platform, "cha", &u), 0);
  while (pmon_event_next(f->platform, u, &c, &info)) {
    struct meaning k;
    if (strncmp(info.event, "TOR_", 4) || !info.umask || !understand(info.umask, &k) || info.unsure)
      continue;
    offer_entries(&info, &k);
    seen++;
  }
  assert_in_range(seen, 150, 1000);
  /* an entry without a target passes if all targets are selected, not if some are */
  assert_int_equal(cha_weight(row(f, "cha", "TOR_INSERTS", "IA"), TOR_IRQ_IA | TOR_HIT | TOR_LOC), 1);
  assert_int_equal(cha_weight(row(f, "cha", "TOR_INSERTS", "IA_MISS_DRD_DDR"), TOR_IRQ_IA | TOR_MISS | TOR_OPC(0x102)),
                   0);
}

/* Table 2-89: which look-ups its rows count. -1: any. */
static const struct {
  const char *umask;
  int op, remote_agent, snoop, home;
  bool miss;
} lookups[] = {
    {"DATA_READ_ALL", 0, -1, -1, -1, 0},  {"DATA_READ_LOCAL", 0, 0, -1, 0, 0},
    {"RFO_LOCAL", 2, 0, -1, 0, 0},        {"RFO", 2, -1, 0, -1, 0},
    {"WRITE_LOCAL", 1, 0, -1, 0, 0},      {"WRITE_REMOTE", 1, -1, -1, 1, 0},
    {"ALL_REMOTE", -1, -1, -1, 1, 0},     {"MISS_ALL", -1, -1, -1, -1, 1},
    {"DATA_READ_MISS", 0, -1, -1, -1, 1},
};

static void test_lookup(void **state)
{
  static const uint64_t ops[] = {LLC_DRD, LLC_WRITE, LLC_RFO, LLC_CRD, LLC_FLUSH_INV};
  static const uint64_t origins[] = {LLC_LOCAL, LLC_LOCAL | LLC_COREPREF, LLC_LOCAL | LLC_LLCPREF, LLC_REMOTE_NONSNOOP,
                                     LLC_REMOTE_SNOOP};
  static const uint64_t states[] = {LLC_STATE_I, LLC_STATE_SF_E, LLC_STATE_S, LLC_STATE_M, LLC_STATE_F};
  for (unsigned r = 0; r < sizeof lookups / sizeof *lookups; r++) {
    uint64_t ctl = row(*state, "cha", "LLC_LOOKUP", lookups[r].umask);
    for (int i = 0; i < 5 * 5 * 5 * 2; i++) {
      int op = i % 5, origin = i / 5 % 5, st = i / 25 % 5, home = i / 125;
      uint64_t attr = ops[op] | origins[origin] | states[st] | (home ? LLC_HOM_REMOTE : LLC_HOM_LOCAL);
      bool want = (lookups[r].op < 0 || lookups[r].op == op) && (lookups[r].home < 0 || lookups[r].home == home) &&
                  (lookups[r].remote_agent < 0 || lookups[r].remote_agent == (origin > 2)) &&
                  (lookups[r].snoop < 0 || lookups[r].snoop == (origin == 4)) && (!lookups[r].miss || st == 0);
      if (cha_weight(ctl, attr) != want)
        fail_msg("LLC_LOOKUP.%s (%#llx): %d for %#llx", lookups[r].umask, (unsigned long long)ctl, !want,
                 (unsigned long long)attr);
    }
  }
}

/* Subsets and wholes: for each occurrence, the subsets' weights add up to that of the whole. */
static void check_parts(const struct facts *f, const char *unit, const char *event, const char *whole,
                        const char *const *parts, uint64_t attr, uint32_t (*weight)(uint64_t, uint64_t))
{
  uint32_t sum = 0;
  for (; *parts; parts++)
    sum += weight(row(f, unit, event, *parts), attr);
  assert_int_equal(sum, 1);
  assert_int_equal(weight(row(f, unit, event, whole), attr), 1);
}

static void test_memory(void **state)
{
  static const uint64_t cas[] = {CAS_RD_REG,           CAS_RD_PRE_REG, CAS_RD_UNDERFILL,
                                 CAS_RD_PRE_UNDERFILL, CAS_WR_NONPRE,  CAS_WR_PRE};
  for (unsigned p = 0; p < 2; p++) {
    for (unsigned k = 0; k < 6; k++) {
      uint64_t attr = cas[k] | CAS_PCH(p);
      check_parts(*state, "imc", "CAS_COUNT", "ALL", (const char *[]){"RD", "WR", NULL}, attr, imc_weight);
      check_parts(*state, "imc", "CAS_COUNT", "ALL", (const char *[]){"PCH0", "PCH1", NULL}, attr, imc_weight);
      assert_int_equal(imc_weight(row(*state, "imc", "CAS_COUNT", "RD"), attr), k < 4);
      assert_int_equal(imc_weight(row(*state, "imc", "CAS_COUNT", "PCH1"), attr), p);
      assert_int_equal(imc_weight(row(*state, "imc", "CAS_COUNT", "WR_PRE"), attr), k == 5);
    }
    check_parts(*state, "imc", "ACT_COUNT", "ALL", (const char *[]){"RD", "WR", "UFILL", NULL}, ACT_UFILL(p),
                imc_weight);
    check_parts(*state, "imc", "ACT_COUNT", "ALL", (const char *[]){"RD_PCH0", "RD_PCH1", "WR", "UFILL", NULL},
                ACT_RD(p), imc_weight);
    check_parts(*state, "imc", "PRE_COUNT", "ALL", (const char *[]){"RD", "WR", "UFILL", "PGT", NULL}, PRE_PGT(p),
                imc_weight);
    check_parts(*state, "imc", "PRE_COUNT", "ALL", (const char *[]){"RD", "WR", "UFILL", "PGT", NULL}, PRE_WR(p),
                imc_weight);
    assert_int_equal(imc_weight(row(*state, "imc", "DRAM_REFRESH", "HIGH_ALL"), REFRESH_HIGH(p)), 1);
    assert_int_equal(imc_weight(row(*state, "imc", "DRAM_REFRESH", "PANIC_ALL"), REFRESH_HIGH(p)), 0);
    check_parts(*state, "m2m", "IMC_READS", "ALL", (const char *[]){"CH0_ALL", "CH1_ALL", NULL},
                M2M_RD_CH(p) | M2M_RD_ALL | M2M_RD_NORMAL | M2M_RD_DDR_AS_MEM, m2m_weight);
    check_parts(*state, "m2m", "IMC_WRITES", "ALL", (const char *[]){"FULL", "PARTIAL", NULL},
                M2M_WR_CH(p) | M2M_WR_ALL | M2M_WR_PARTIAL | M2M_WR_DDR_AS_MEM, m2m_weight);
    assert_int_equal(m2m_weight(row(*state, "m2m", "IMC_WRITES", "NI"), M2M_WR_CH(p) | M2M_WR_ALL | M2M_WR_FULL), 0);
    assert_int_equal(m2m_weight(row(*state, "m2m", "IMC_WRITES", "NI"), M2M_WR_CH(p) | M2M_WR_NI), 1);
  }
}

static void test_links(void **state)
{
  uint64_t data = row(*state, "upi", "TxL_FLITS", "ALL_DATA"), rest = row(*state, "upi", "TxL_FLITS", "NON_DATA");
  uint64_t null = row(*state, "upi", "RxL_FLITS", "ALL_NULL"), idle = row(*state, "upi", "RxL_FLITS", "IDLE");
  assert_int_equal(upi_weight(data, FLIT_DATA | FLIT_SLOTS), 3);
  assert_int_equal(upi_weight(data, FLIT_PROTHDR | FLIT_SLOT(0)), 0);
  assert_int_equal(upi_weight(row(*state, "upi", "TxL_FLITS", "SLOT0") | row(*state, "upi", "TxL_FLITS", "DATA"),
                              FLIT_DATA | FLIT_SLOTS),
                   1);
  assert_int_equal(upi_weight(row(*state, "upi", "TxL_FLITS", "DATA"), FLIT_DATA | FLIT_SLOTS), 0);
  assert_int_equal(upi_weight(rest, FLIT_PROTHDR | FLIT_SLOT(0) | FLIT_SLOT(1)), 2);
  assert_int_equal(upi_weight(rest, FLIT_LLCRD | FLIT_SLOT(2)), 1);
  assert_int_equal(upi_weight(rest, FLIT_DATA | FLIT_SLOTS), 0);
  assert_int_equal(upi_weight(null, FLIT_NULL | FLIT_SLOTS), 3);
  assert_int_equal(upi_weight(idle, FLIT_LLCTRL | FLIT_SLOT(0)), 1);
  for (unsigned opcode = 0; opcode < 16; opcode++) {
    uint64_t attr = HDR_CLASS(UPI_RSP2) | HDR_OPCODE(opcode);
    assert_int_equal(upi_weight(row(*state, "upi", "RxL_BASIC_HDR_MATCH", "RSP_NODATA"), attr), 1);
    assert_int_equal(upi_weight(row(*state, "upi", "RxL_BASIC_HDR_MATCH", "RSP_DATA"), attr), 0);
    assert_int_equal(upi_weight(row(*state, "upi", "RxL_BASIC_HDR_MATCH", "RSPI"), attr), opcode == 2);
    assert_int_equal(upi_weight(row(*state, "upi", "RxL_BASIC_HDR_MATCH", "RSPCNFLT"), attr), opcode == 10);
  }
  for (unsigned part = 0; part < 8; part++) {
    uint64_t attr = IIO_MEM_READ | IIO_PART(part) | IIO_FC_NONPOSTED;
    assert_int_equal(iio_weight(row(*state, "iio", "DATA_REQ_OF_CPU", "MEM_READ.PART3"), attr), part == 3);
    assert_int_equal(iio_weight(row(*state, "iio", "DATA_REQ_OF_CPU", "MEM_WRITE.PART3"), attr), 0);
    assert_int_equal(iio_weight(row(*state, "iio", "DATA_REQ_OF_CPU", "MEM_READ.PART3") & ~IIO_FC_NONPOSTED, attr), 0);
  }
}

static void test_victims(void **state)
{
  uint64_t attr = VICTIM_M | VICTIM_IA | VICTIM_REMOTE;
  check_parts(*state, "cha", "LLC_VICTIMS", "ALL", (const char *[]){"LOCAL_ALL", "REMOTE_ALL", NULL}, attr, cha_weight);
  check_parts(*state, "cha", "LLC_VICTIMS", "ALL", (const char *[]){"M_STATE", "E_STATE", "S_STATE", NULL}, attr,
              cha_weight);
  assert_int_equal(cha_weight(row(*state, "cha", "LLC_VICTIMS", "LOCAL_M"), attr), 0);
  assert_int_equal(cha_weight(row(*state, "cha", "LLC_VICTIMS", "REMOTE_M"), attr), 1);
  assert_int_equal(cha_weight(row(*state, "cha", "LLC_VICTIMS", "IO"), attr), 0);
}

/* 2.9.1: an M3UPI counts either events of its mesh stop or others; the first enabled counter decides. */
static void test_one_set(void **state)
{
  (void)state;
  enum { M3UPI0 = 30 << 8 | 5 << 3 | 1, CTR0 = 0xa8, CTL0 = 0xd8, OWN_CLOCK = 0x01, MESH_CLOCK = 0xc0 };
  static const struct {
    uint64_t control[2];
    bool counts[2];
  } cases[] = {{{OWN_CLOCK, MESH_CLOCK}, {true, false}}, {{MESH_CLOCK, OWN_CLOCK}, {true, false}},
               {{0, MESH_CLOCK}, {false, true}},         {{0, OWN_CLOCK}, {false, true}},
               {{OWN_CLOCK, OWN_CLOCK}, {true, true}},   {{MESH_CLOCK, MESH_CLOCK}, {true, true}}};
  struct machine *m;
  char error[200];
  assert_int_equal(machine_new(NULL, error, sizeof error, &m), 0);
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (unsigned k = 0; k < 2; k++) {
      put_at(m, wide(PMON_SPACE_PCI, M3UPI0, CTL0 + 8 * k, 64), cases[i].control[k]);
      put_at(m, wide(PMON_SPACE_PCI, M3UPI0, CTR0 + 8 * k, 64), 0);
    }
    run_to(m, machine_now_fs(m) + 1000000000);
    for (unsigned k = 0; k < 2; k++)
      assert_int_equal(get_at(m, wide(PMON_SPACE_PCI, M3UPI0, CTR0 + 8 * k, 64)) > 0, cases[i].counts[k]);
  }
  machine_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_tor, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_lookup, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_memory, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_links, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_victims, set_up, tear_down),
      cmocka_unit_test(test_one_set),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

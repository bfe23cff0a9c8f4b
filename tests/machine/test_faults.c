/* SPDX-License-Identifier: MIT */
/* Faults of the monitoring hardware: each has its documented effect, on the named objects only, from its time or access
 * on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "machine/config.h"
#include "machine/emr/attr.h"
#include "machine/pmon/block.h"
#include "tests/machine/access.h"

enum {
  GLOBAL_CTL = 0x2ff0,
  GLOBAL_STATUS0 = 0x2ff2,
  CHA0 = 0x2000,
  CHA_STEP = 0x10,
  CTL = 2,
  CTR = 8,
  STATUS = 1,
  UPI0 = 30 << 8 | 1 << 3 | 1,
  STRIDE = 64,
  READS_LOCAL = 0x0150
};
static const uint64_t FULL = UINT64_C(1) << 48, FRZ_OVF = 1 << 20, US = 1000000000;

static int faults_set_up(void **state)
{
  struct machine_config config;
  char error[200];
  machine_config_init(&config);
  config.value[CONFIG_SOCKETS] = 2;
  config.value[CONFIG_FREEZE_DELAY] = 0;
  return machine_new(&config, error, sizeof error, (struct machine **)state);
}

static int faults_tear_down(void **state)
{
  machine_free(*state);
  return 0;
}

static struct machine_fault fault_of(enum fault_kind kind, const char *unit, int instance)
{
  struct machine_fault f = {.kind = kind, .instance = instance, .counter = -1};
  strcpy(f.unit, unit);
  return f;
}

static void fault_add(struct machine *m, struct machine_fault f)
{
  char error[200] = "";
  assert_int_equal(machine_fault_add(m, &f, error, sizeof error), 0);
}

static void count_reads(struct machine *m, unsigned cha, unsigned n, uint64_t from)
{
  for (unsigned i = 0; i < n; i++)
    block_pulse(machine_block(m, 0, "cha", cha), CHA_REQUESTS, HA_READ_LOCAL, 0, from + i * 1000000, 1);
}

static void program_cha(struct machine *m, unsigned cha, uint64_t more)
{
  msr_put(m, 0, CHA0 + cha * CHA_STEP, 1);
  msr_put(m, 0, CHA0 + cha * CHA_STEP + CTL, READS_LOCAL | more);
  msr_put(m, 0, CHA0 + cha * CHA_STEP, 0);
}

static uint64_t counted(struct machine *m, unsigned cha)
{
  return msr_get(m, 0, CHA0 + cha * CHA_STEP + CTR);
}

/* 1,000 reads in 1 us at each of three CHAs; the faults begin in the middle of that time, or concern another CHA. */
static void test_counters(void **state)
{
  struct machine *m = *state;
  struct machine_fault stuck = fault_of(FAULT_STUCK, "cha", 0), twice = fault_of(FAULT_DOUBLE, "cha", 1);
  stuck.at_fs = twice.at_fs = US / 2;
  fault_add(m, stuck);
  fault_add(m, twice);
  for (unsigned i = 0; i < 3; i++) {
    program_cha(m, i, 0);
    count_reads(m, i, 1000, 0);
  }
  run_to(m, 2 * US);
  assert_int_equal(counted(m, 0), 500);
  assert_int_equal(counted(m, 1), 1500);
  assert_int_equal(counted(m, 2), 1000);
  msr_put(m, 0, CHA0 + CTR, 7); /* software still reaches it */
  assert_int_equal(counted(m, 0), 7);
}

static unsigned pmis;
static void on_pmi(void *arg, const struct machine_pmi *pmi)
{
  (void)arg;
  (void)pmi;
  pmis++;
}

/* The counter of CHA 0 wraps with an interrupt and a freeze, unless its overflow is lost. */
static void overflow_once(struct machine *m, struct machine_fault f, unsigned want_pmis, uint64_t want_count)
{
  pmis = 0;
  machine_listen(m, on_pmi, NULL);
  fault_add(m, f);
  program_cha(m, 0, FRZ_OVF);
  msr_put(m, 0, CHA0 + CTR, FULL - 10);
  count_reads(m, 0, 100, 0);
  run_to(m, US);
  assert_int_equal(pmis, want_pmis);
  assert_int_equal(machine_pmis(m, 0), want_pmis);
  assert_int_equal(counted(m, 0), want_count);
}

static void test_overflow_lost(void **state)
{
  overflow_once(*state, fault_of(FAULT_NO_OVERFLOW, "cha", 0), 0, 90);
  assert_int_equal(msr_get(*state, 0, CHA0 + STATUS), 0);
  assert_int_equal(msr_get(*state, 0, GLOBAL_STATUS0), 0);
}

static void test_interrupt_lost(void **state)
{
  overflow_once(*state, fault_of(FAULT_PMI_LOST, "", -1), 0, 0);
  assert_int_equal(msr_get(*state, 0, CHA0 + STATUS), 1);
}

static void test_interrupt_doubled(void **state)
{
  overflow_once(*state, fault_of(FAULT_PMI_DOUBLE, "", -1), 2, 0);
}

static void test_interrupt_of_the_other_socket(void **state)
{
  struct machine_fault f = fault_of(FAULT_PMI_LOST, "", -1);
  f.socket = 1;
  overflow_once(*state, f, 1, 0);
}

static void test_freeze_is_ignored(void **state)
{
  struct machine *m = *state;
  fault_add(m, fault_of(FAULT_NO_FREEZE, "cha", 1));
  for (unsigned i = 0; i < 2; i++) {
    program_cha(m, i, 0);
    msr_put(m, 0, CHA0 + i * CHA_STEP, 1);
    count_reads(m, i, 100, 0);
  }
  run_to(m, US);
  assert_int_equal(counted(m, 0), 0);
  assert_int_equal(counted(m, 1), 100);
}

/* Software's third access finds the counter at its maximum, the next one at 0. */
static void test_wrap_at_a_read(void **state)
{
  struct machine *m = *state;
  struct pmon_backend *b;
  struct machine_fault f = fault_of(FAULT_WRAP, "cha", 0);
  const struct pmon_address a = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = CHA0 + CTR};
  static const uint64_t want[] = {0, 0, (UINT64_C(1) << 48) - 1, 0, 0};
  uint64_t value;
  f.counter = 0;
  f.after = 2;
  fault_add(m, f);
  assert_int_equal(machine_backend_new(m, &b), 0);
  machine_faults_aside(m, true); /* pmon's own accesses do not count as software's */
  for (unsigned i = 0; i < 5; i++)
    assert_int_equal(b->ops->read(b, &a, &value), 0);
  machine_faults_aside(m, false);
  for (unsigned i = 0; i < sizeof want / sizeof *want; i++) {
    assert_int_equal(b->ops->read(b, &a, &value), 0);
    assert_int_equal(value, want[i]);
  }
  assert_int_equal(msr_get(m, 0, CHA0 + STATUS), 1);
  b->ops->close(b);
}

static void test_gone(void **state)
{
  struct machine *m = *state;
  const struct pmon_address msr = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = CHA0 + CTR};
  uint64_t value;
  struct machine_fault link = fault_of(FAULT_GONE, "upi", 0);
  link.at_fs = US;
  fault_add(m, link);
  assert_int_not_equal(get_at(m, wide(PMON_SPACE_PCI, UPI0, 0, 32)), UINT32_MAX);
  run_to(m, US);
  assert_int_equal(get_at(m, wide(PMON_SPACE_PCI, UPI0, 0, 32)), UINT32_MAX); /* and so is its header */
  assert_int_equal(get_at(m, wide(PMON_SPACE_PCI, UPI0, 0x318, 32)), UINT32_MAX);
  put_at(m, wide(PMON_SPACE_PCI, UPI0, 0x318, 32), 1);
  assert_int_not_equal(get_at(m, wide(PMON_SPACE_PCI, UPI0 + 8, 0, 32)), UINT32_MAX);
  fault_add(m, fault_of(FAULT_GONE, "cha", 0));
  assert_int_equal(machine_read(m, &msr, &value), PMON_E_NO_DEVICE);
  assert_int_equal(machine_write(m, &msr, 0), PMON_E_NO_DEVICE);
  assert_int_equal(counted(m, 1), 0);
}

static void test_msr_on_one_processor(void **state)
{
  struct machine *m = *state;
  fault_add(m, (struct machine_fault){.kind = FAULT_MSR, .number = CHA0 + CTL, .processor = 3});
  assert_true(machine_fault_hits_msr(m, 3, CHA0 + CTL));
  assert_false(machine_fault_hits_msr(m, 2, CHA0 + CTL));
  assert_false(machine_fault_hits_msr(m, 3, CHA0 + CTR));
}

static uint64_t page_word(struct machine *m, uint32_t socket, unsigned entry, unsigned word)
{
  struct pmon_address a = wide(PMON_SPACE_MMIO, PMON_BAR_DISCOVERY, entry * STRIDE + 8 * word, 64);
  a.package = socket;
  return get_at(m, a);
}

/* Entries 1 to 3 are CHAs 0 to 2. */
static void test_page(void **state)
{
  struct machine *m = *state;
  const uint64_t first = page_word(m, 0, 1, 1), second = page_word(m, 0, 2, 1), id = page_word(m, 0, 2, 2);
  struct machine_fault late = fault_of(FAULT_PAGE_LATE, "", -1), stride = fault_of(FAULT_PAGE_STRIDE, "", -1);
  assert_int_equal(first, CHA0);
  late.at_fs = US;
  fault_add(m, late);
  assert_true(page_word(m, 0, 1, 1) == UINT64_MAX);
  assert_int_equal(page_word(m, 1, 1, 1), CHA0); /* the other socket is unaffected */
  run_to(m, US);
  assert_int_equal(page_word(m, 0, 1, 1), first);
  stride.number = 3;
  fault_add(m, stride);
  assert_int_equal(page_word(m, 0, 0, 0) >> 8 & 0xff, 3);
  stride.number = 8;
  fault_add(m, stride);
  fault_add(m, fault_of(FAULT_PAGE_DUPLICATE, "cha", 1));
  assert_int_equal(page_word(m, 0, 2, 2), id);
  assert_int_equal(page_word(m, 0, 3, 2), id);
  assert_int_equal(page_word(m, 0, 3, 1), second);
}

static void test_page_short(void **state)
{
  struct machine *m = *state;
  struct machine_fault f = fault_of(FAULT_PAGE_SHORT, "", -1);
  const uint64_t global = page_word(m, 0, 0, 0);
  f.number = 2;
  fault_add(m, f);
  assert_int_equal(page_word(m, 0, 0, 0), global); /* the page still states how many units there are */
  assert_int_not_equal(page_word(m, 0, 2, 0), 0);
  assert_int_equal(page_word(m, 0, 3, 0), 0);
}

/* A link's configuration address names a bus of the socket. */
static void test_page_foreign(void **state)
{
  struct machine *m = *state;
  unsigned at = 1;
  while (page_word(m, 0, at, 1) == page_word(m, 1, at, 1)) /* MSRs have the same numbers on both sockets */
    at++;
  fault_add(m, fault_of(FAULT_PAGE_FOREIGN, "imc", -1));
  fault_add(m, fault_of(FAULT_PAGE_FOREIGN, "upi", -1));
  fault_add(m, fault_of(FAULT_PAGE_FOREIGN, "m2m", -1));
  assert_true(page_word(m, 0, at, 1) == page_word(m, 1, at, 1));
}

/* Faults of entries find these also when the page states a wrong stride. */
static void test_page_entries_after_wrong_stride(void **state)
{
  struct machine *m = *state;
  const uint64_t id = page_word(m, 0, 2, 2);
  struct machine_fault stride = fault_of(FAULT_PAGE_STRIDE, "", -1), shorter = fault_of(FAULT_PAGE_SHORT, "", -1);
  fault_add(m, stride); /* 0 words */
  fault_add(m, fault_of(FAULT_PAGE_DUPLICATE, "cha", 1));
  assert_int_equal(page_word(m, 0, 3, 2), id);
  fault_add(m, fault_of(FAULT_PAGE_FOREIGN, "cha", -1));
  assert_int_equal(page_word(m, 0, 1, 1), CHA0);
  shorter.number = UINT64_MAX;
  fault_add(m, shorter);
  assert_int_equal(page_word(m, 0, 3, 2), id);
  shorter.number = 2;
  fault_add(m, shorter);
  assert_int_equal(page_word(m, 0, 2, 2), id);
  assert_int_equal(page_word(m, 0, 3, 2), 0);
}

static void refuse(struct machine *m, struct machine_fault f, const char *want)
{
  char error[200] = "";
  assert_int_equal(machine_fault_add(m, &f, error, sizeof error), PMON_E_RANGE);
  assert_string_equal(error, want);
}

static void test_refusals(void **state)
{
  struct machine *m = *state;
  struct machine_fault f = fault_of(FAULT_STUCK, "cha", 0);
  refuse(m, fault_of(FAULT_STUCK, "cbo", 0), "fault stuck: the machine has no cbo0 in socket 0");
  f.counter = 9;
  refuse(m, f, "fault stuck: cha has 4 counters; expected a counter from 0 to 3, not 9");
  f.socket = 2;
  refuse(m, f, "fault stuck: the machine has no socket 2");
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, faults_set_up, faults_tear_down)
  const struct CMUnitTest tests[] = {
      EACH(test_counters),
      EACH(test_overflow_lost),
      EACH(test_interrupt_lost),
      EACH(test_interrupt_doubled),
      EACH(test_freeze_is_ignored),
      EACH(test_interrupt_of_the_other_socket),
      EACH(test_wrap_at_a_read),
      EACH(test_gone),
      EACH(test_page),
      EACH(test_msr_on_one_processor),
      EACH(test_page_short),
      EACH(test_page_foreign),
      EACH(test_page_entries_after_wrong_stride),
      EACH(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Address ranges (coarse and fine), opcode matchers and tag channels, data ranges, sets; and the programming rules for
 * them. */
#include "tests/montecito/bench.h"

#define EVERY (UINT64_C(0xf) << 48 | ((UINT64_C(1) << 41) - 1))
#define MASK_ALL (UINT64_C(0xf) << 56 | ((UINT64_C(1) << 56) - 1)) /* all levels, all bits compared */

static void range(struct bench *b, unsigned pair, uint64_t address, uint64_t mask)
{
  montecito_thread_register_set(b->m, b->thread, MONTECITO_IBR + 2 * pair, address);
  montecito_thread_register_set(b->m, b->thread, MONTECITO_IBR + 2 * pair + 1, mask);
}

/* Retires a bundle of three plain instructions at each address. */
static void walk(struct bench *b, uint64_t first, uint64_t last)
{
  for (uint64_t ip = first; ip <= last; ip += 16) {
    char text[64];
    snprintf(text, sizeof text, "b 0x%llx mii alu alu nop\n", (unsigned long long)ip);
    bench_run(b, text);
  }
}

/* The four steps of 3.3.5.4. */
static void test_fine_mode(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_count(b, 4, 0x08, 0);
  range(b, 0, 0x10100, MASK_ALL);
  range(b, 2, 0x10160, MASK_ALL);
  bench_set_pmc(b, 32, EVERY);          /* ig_ad, inv: 0 */
  bench_set_pmc(b, 38, 0xdb6 & ~0x82u); /* ranges 0 and 2 on */
  bench_set_pmc(b, 38, bench_pmc(b, 38) | 1 << 13);
  walk(b, 0x100e0, 0x10190);
  assert_int_equal(bench_pmd(b, 4), 5 * 3); /* both limits are outside: 0x10110 to 0x10150 */
  walk(b, 0x20100, 0x20190);                /* other bits 63:16 */
  assert_int_equal(bench_pmd(b, 4), 5 * 3);
  assert_int_equal(montecito_machine_violations_total(b->m), 0);
  range(b, 2, 0x20160, MASK_ALL);
  walk(b, 0x30000, 0x30000);
  assert_int_equal(bench_blamed(b, "PMC38", "fine"), 1); /* limits in different 64 KB regions */
}

static void test_coarse_and_inverted(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_count(b, 4, 0x08, 0);
  bench_count(b, 5, 0x40, 0); /* fetches: in 32 bytes */
  range(b, 0, 0x4000, MASK_ALL & ~UINT64_C(0xff));
  bench_set_pmc(b, 38, 0xdb6 & ~2u);
  walk(b, 0x3fc0, 0x4130);
  assert_int_equal(bench_pmd(b, 4), 24 * 3); /* ig_ad is still 1 */
  bench_set_pmc(b, 32, EVERY);
  bench_set_pmd(b, 4, 0);
  bench_set_pmd(b, 5, 0);
  walk(b, 0x3fc0, 0x4130);
  assert_int_equal(bench_pmd(b, 4), 16 * 3);
  assert_int_equal(bench_pmd(b, 5), 8);
  bench_set_pmc(b, 32, EVERY | UINT64_C(1) << 56);
  bench_set_pmd(b, 4, 0);
  walk(b, 0x3fc0, 0x4130);
  assert_int_equal(bench_pmd(b, 4), 8 * 3);
  montecito_thread_register_set(b->m, 0, MONTECITO_IBR + 1,
                                UINT64_C(8) << 56 | (MASK_ALL & 0xffffffffffff00)); /* level 3 only */
  bench_set_pmc(b, 32, EVERY);
  bench_set_pmd(b, 4, 0);
  walk(b, 0x3fc0, 0x4130);
  assert_int_equal(bench_pmd(b, 4), 0);
}

/* Channel 1 has range 1 and matcher 1, channel 2 range 2 and matcher 0 (Figure 3-5). */
static void test_tag_channels(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  for (unsigned n = 0; n < 4; n++)
    bench_count(b, 4 + n, 0x08, n);
  range(b, 1, 0x5000, MASK_ALL);
  bench_set_pmc(b, 38, 0xdb6 & ~0x10u);
  bench_set_pmc(b, 34, UINT64_C(1) << 48 | 0xff); /* branches; the low 8 bits do not matter */
  bench_set_pmc(b, 35, 0x1234500);
  bench_set_pmc(b, 32, UINT64_C(3) << 56 | UINT64_C(0xc) << 48 | ((UINT64_C(1) << 41) - 1)); /* M and I */
  bench_run(b, "b 0x5000 mbb nop br@0x1234567=0x9000 br@0x1235567=0x9000\n"
               "b 0x6000 mib nop alu br@0x1234500=0x9000\n");
  assert_int_equal(bench_pmd(b, 4), 6); /* ig_ad: channel 0 takes all */
  assert_int_equal(bench_pmd(b, 5), 1); /* range and opcode */
  assert_int_equal(bench_pmd(b, 6), 3); /* M, M, A */
  assert_int_equal(bench_pmd(b, 7), 2); /* matcher 1 without a range */
  bench_set_pmc(b, 36, 0xfffffff0 | 8);
  bench_set_pmc(b, 32, UINT64_C(3) << 56 | UINT64_C(4) << 48 | ((UINT64_C(1) << 41) - 1)); /* I alone: no A */
  bench_run(b, "b 0x6000 mib nop alu br@0x1234500=0x9000\n");
  assert_int_equal(bench_pmd(b, 6), 3);
  assert_int_equal(bench_pmd(b, 7), 5);
}

/* Ranges 2 and 3 apply to channels 2 and 3 only; here without opcodes (Figure 3-5). */
static void test_ranges_of_channels_2_and_3(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  for (unsigned n = 0; n < 4; n++)
    bench_count(b, 4 + n, 0x08, n);
  bench_set_pmc(b, 36, 0xffffffff);
  range(b, 2, 0x5000, MASK_ALL);
  range(b, 3, 0x6000, MASK_ALL & ~UINT64_C(0xff));
  bench_set_pmc(b, 38, 0xdb6 & ~0x480u);
  walk(b, 0x5000, 0x5010);
  walk(b, 0x60f0, 0x6110);
  assert_int_equal(bench_pmd(b, 4), 15);
  assert_int_equal(bench_pmd(b, 5), 15);
  assert_int_equal(bench_pmd(b, 6), 3);
  assert_int_equal(bench_pmd(b, 7), 3);
  /* fine mode: pairs 1 and 3 are the limits of range 1, and channel 3 has none */
  range(b, 1, 0x5000, MASK_ALL);
  range(b, 3, 0x5030, MASK_ALL);
  bench_set_pmc(b, 38, (0xdb6 & ~0x410u) | 1 << 13);
  walk(b, 0x5000, 0x5030);
  assert_int_equal(bench_pmd(b, 4), 27);
  assert_int_equal(bench_pmd(b, 5), 21); /* 0x5010 and 0x5020 */
}

/* Each pair of DBRs has its own enable and selection; several pairs are combined by OR (3.3.7). */
static void test_data_pairs(void **state)
{
  struct bench *b = *state;
  const uint64_t none = 0x78fefefefe; /* no pair enabled */
  bench_run(b, "timing explicit\n");
  bench_count(b, 5, 0xcd, 0);
  for (unsigned n = 0; n < 4; n++) {
    montecito_thread_register_set(b->m, 0, MONTECITO_DBR + 2 * n, 0x80000 + 0x1000 * n);
    montecito_thread_register_set(b->m, 0, MONTECITO_DBR + 2 * n + 1, 0xfffffffffff000);
  }
  for (unsigned n = 0; n < 4; n++) {
    bench_set_pmd(b, 5, 0);
    bench_set_pmc(b, 41, (none | UINT64_C(1) << (45 + n)) & ~(UINT64_C(8) << 8 * n));
    bench_run(b,
              "b 0x5000 mmi ld=0x80008,tlb1 ld=0x81008,tlb1 nop\nb 0x5010 mmi ld=0x82008,tlb1 ld=0x83008,tlb1 nop\n");
    assert_int_equal(bench_pmd(b, 5), 1);
  }
  bench_set_pmd(b, 5, 0);
  bench_set_pmc(b, 41, (none | UINT64_C(5) << 45) & ~UINT64_C(0x080008));
  bench_run(b, "b 0x5000 mmi ld=0x80008,tlb1 ld=0x81008,tlb1 nop\nb 0x5010 mmi ld=0x82008,tlb1 ld=0x83008,tlb1 nop\n");
  assert_int_equal(bench_pmd(b, 5), 2);
}

/* Table 3-6: data reads of the L3, by the state in which the line was found. */
static void test_mesi(void **state)
{
  struct bench *b = *state;
  static const struct {
    unsigned mask, count;
  } states[] = {{1, 1}, {2, 1}, {4, 2}, {8, 0}, {5, 3}, {15, 4}};
  bench_run(b, "timing explicit\n");
  for (unsigned i = 0; i < 6; i++)
    bench_set_pmc(b, 4 + i, UINT64_C(0x200000f) | 0xdd << 8 | 0xb << 16 | (uint64_t)states[i].mask << 27);
  bench_run(b, "b 0x5000 mib ld=0x800000,mem nop nop\nb 0x5010 mib ld=0x810000,l3 nop nop\n"
               "b 0x5020 mib ld=0x820000,l3,shared nop nop\nb 0x5030 mib ld=0x800000,l3 nop nop\nstall exe.gr 400\n");
  for (unsigned i = 0; i < 6; i++)
    assert_int_equal(bench_pmd(b, 4 + i), states[i].count);
}

static void test_data_range(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_count(b, 4, 0xd1, 0);
  bench_count(b, 5, 0xcd, 0);
  montecito_thread_register_set(b->m, 0, MONTECITO_DBR, 0x80000);
  montecito_thread_register_set(b->m, 0, MONTECITO_DBR + 1, 0xfffffffffff000);
  bench_set_pmc(b, 41, 0x2078fefefefe & ~UINT64_C(8)); /* cfgdtag0 = 10: data only */
  bench_run(b, "b 0x5000 mmi ld=0x80008,tlb1 ld=0x81008,tlb1 nop\nb 0x5010 mmi ld=0x80ff8,tlb1 ld=0x7ff8,tlb1 nop\n");
  assert_int_equal(bench_pmd(b, 5), 2);
  range(b, 0, 0x5000, MASK_ALL);
  bench_set_pmc(b, 32, EVERY);
  bench_set_pmc(b, 38, 0xdb6 & ~2u);
  bench_set_pmc(b, 41, 0x2078fefefefe & ~UINT64_C(0x18)); /* 00: all of them */
  bench_run(b, "b 0x5000 mmi ld=0x80008,tlb1 ld=0x81008,tlb1 nop\nb 0x5010 mmi ld=0x80ff8,tlb1 ld=0x7ff8,tlb1 nop\n");
  assert_int_equal(bench_pmd(b, 5), 3);
  bench_set_pmc(b, 41, 0x2078fefefefe & ~UINT64_C(0x10)); /* 01: instructions only */
  bench_run(b, "b 0x5000 mmi ld=0x80008,tlb1 ld=0x81008,tlb1 nop\nb 0x5010 mmi ld=0x80ff8,tlb1 ld=0x7ff8,tlb1 nop\n");
  assert_int_equal(bench_pmd(b, 5), 5);
  assert_int_equal(bench_pmd(b, 4), 0); /* another L1D set than PMC5's */
  assert_true(bench_blamed(b, "PMC4", "es") > 0);
  montecito_thread_register_set(b->m, 0, MONTECITO_DBR + 1, UINT64_C(1) << 63);
  bench_set_pmc(b, 41, 0x2078fefefefe & ~UINT64_C(0x18));
  bench_run(b, "b 0x5000 mii nop nop nop\n");
  assert_int_equal(bench_blamed(b, "PMC41", "cfgdtag"), 1);
}

static void test_l2d_sets(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_count(b, 4, 0xe6, 1); /* set 2, reads */
  bench_count(b, 5, 0xe6, 2); /* uses the umask of PMC4 */
  bench_count(b, 7, 0xf0, 0); /* set 7, but PMC6 counts nothing */
  bench_run(b, "b 0x5000 mmi ldf=0x80000 st=0x90000 nop\n");
  assert_int_equal(bench_pmd(b, 4), 1);
  assert_int_equal(bench_pmd(b, 5), 1);
  assert_int_equal(bench_pmd(b, 7), 0);
  assert_int_equal(bench_blamed(b, "PMC5", "umask"), 1);
  assert_int_equal(bench_blamed(b, "PMC7", "es"), 1);
  bench_count(b, 6, 0xf0, 1);
  bench_run(b, "b 0x5000 mmi ldf=0x80000 st=0x90000 nop\n");
  assert_int_equal(bench_pmd(b, 6), 1);
  bench_count(b, 10, 0xe6, 1);
  bench_run(b, "b 0x5000 mmi ldf=0x80000 st=0x90000 nop\n");
  assert_int_equal(bench_pmd(b, 10), 0);
  assert_int_equal(bench_blamed(b, "PMC10", "es"), 1);
}

static void test_values_that_are_wrong(void **state)
{
  static const struct {
    unsigned n;
    uint64_t value;
    const char *name, *field;
  } rows[] = {{36, 0xffffff, "PMC36", "reserved"}, {38, 0xdb7, "PMC38", "reserved"}, {41, 0, "PMC41", "reserved"},
              {37, 0x4000, "PMC37", "reserved"},   {39, 0x8f, "PMC39", "ds"},        {42, 0x10f, "PMC42", "mode"},
              {4, 0x1000008, "PMC4", "ism"},       {40, 0xf, "PMC40", "ism"}};
  struct bench *b = *state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    montecito_machine_violations_clear(b->m);
    bench_set_pmc(b, rows[i].n, rows[i].value);
    assert_int_equal(bench_blamed(b, rows[i].name, rows[i].field), 1);
    assert_int_equal(montecito_machine_violations_total(b->m), 1);
  }
  montecito_machine_violations_clear(b->m);
  bench_set_pmd(b, 4, UINT64_C(1) << 47);
  assert_int_equal(bench_blamed(b, "PMD4", "ov"), 1);
  bench_set_pmc(b, 0, 0x11);
  bench_set_pmc(b, 0, 0x10);
  assert_int_equal(bench_blamed(b, "PMC0", "overflow"), 1);
}

static void test_values_that_do_not_go_together(void **state)
{
  struct bench *b = *state;
  range(b, 0, 0x4000, MASK_ALL);
  bench_count(b, 4, 0xff, 0); /* no such event */
  bench_count(b, 5, 0xca, 6); /* an undefined unit mask */
  bench_set_pmc(b, 32, EVERY);
  bench_set_pmc(b, 38, 0xdb6 & ~2u);
  bench_set_pmc(b, 41, 0x78fefefefe); /* no DBR pair is enabled */
  bench_set_pmc(b, 37, 0xf | 1 << 13 | 0x81 << 5);
  bench_run(b, "b 0x4000 mii nop nop nop\n");
  assert_int_equal(bench_blamed(b, "PMC4", "es"), 1);
  assert_int_equal(bench_blamed(b, "PMC5", "umask"), 1);
  assert_int_equal(bench_blamed(b, "PMC41", "en_dbrp"), 1);
  assert_int_equal(bench_blamed(b, "PMC37", "umask"), 1);
  assert_int_equal(montecito_machine_violations_total(b->m), 4);
}

static void test_banked_counters(void **state)
{
  struct bench *b = *state;
  bench_count(b, 10, 0xdc, 0);
  bench_count(b, 4, 0xdc, 0);
  bench_run(b, "signal L3_MISSES 1 5\nswitch timer\nsignal L3_MISSES 1 5\n"); /* of thread 0, while in the background */
  assert_int_equal(bench_pmd(b, 4), 10);
  assert_int_equal(bench_pmd(b, 10), 5);
  assert_int_equal(bench_blamed(b, "PMC10", "es"), 1);
}

/* The loads and stores of the register stack have the tags of the instruction that causes them (Table 4-108: IAR, OPC),
 * a load of the VHPT has another data address than the load that misses. */
static void test_tags_of_accesses_that_instructions_cause(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_count(b, 4, 0x20, 3); /* RSE_REFERENCES_RETIRED.ALL */
  bench_count(b, 5, 0xcd, 0); /* LOADS_RETIRED */
  range(b, 0, 0x4000, MASK_ALL);
  bench_set_pmc(b, 32, EVERY);
  bench_set_pmc(b, 38, 0xdb6 & ~2u);
  bench_set_pmc(b, 41, 0x2078fefefefe & ~UINT64_C(0x10)); /* cfgdtag0 = 01: instructions only */
  bench_run(b, "b 0x4000 mii alloc nop nop ;;\nrse stores=2 at=0x9000 current=8 dirty=8\n");
  assert_int_equal(bench_pmd(b, 4), 2);
  bench_run(b, "b 0x5000 mii alloc nop nop ;;\nrse stores=2 at=0x9100 current=8 dirty=8\n");
  assert_int_equal(bench_pmd(b, 4), 2);
  bench_set_pmc(b, 32, EVERY | UINT64_C(3) << 56);
  bench_set_pmc(b, 38, 0xdb6);
  bench_set_pmc(b, 41, 0x2078fefefefe);
  bench_set_pmd(b, 5, 0);
  bench_run(b, "b 0x5000 mii ld=0x100000,walk nop nop ;;\n");
  assert_int_equal(bench_pmd(b, 5), 2); /* the load and the walker's */
  montecito_thread_register_set(b->m, 0, MONTECITO_DBR, 0x100000);
  montecito_thread_register_set(b->m, 0, MONTECITO_DBR + 1, (UINT64_C(1) << 56) - 1);
  bench_set_pmc(b, 41, 0x2078fefefefe & ~UINT64_C(8)); /* 10: data only */
  bench_set_pmd(b, 5, 0);
  bench_run(b, "b 0x5000 mii ld=0x100000,walk nop nop ;;\n");
  assert_int_equal(bench_pmd(b, 5), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_set_up, bench_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_fine_mode),
      TEST(test_coarse_and_inverted),
      TEST(test_tag_channels),
      TEST(test_data_range),
      TEST(test_ranges_of_channels_2_and_3),
      TEST(test_data_pairs),
      TEST(test_mesi),
      TEST(test_l2d_sets),
      TEST(test_values_that_are_wrong),
      TEST(test_values_that_do_not_go_together),
      TEST(test_banked_counters),
      TEST(test_tags_of_accesses_that_instructions_cause),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

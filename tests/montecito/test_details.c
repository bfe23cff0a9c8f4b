/* SPDX-License-Identifier: MIT */
/* Details of the guide that affect counts: per-thread state, flushes, walks, faults, freezes and tagging. */
#include "tests/montecito/bench.h"

/* 2.4: each thread has its own return stack: the other thread's calls do not displace its addresses. */
static void a_return_stack_is_its_threads(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_count(b, 4, 0x5b, 11);     /* returns with a wrong target */
  for (unsigned i = 0; i < 4; i++) /* the predictor learns that they are taken */
    bench_run(b, "b 0x5000 mib nop nop call=0x9000,taken\nb 0x9000 mib nop nop ret=0x5010,taken\n");
  bench_set_pmd(b, 4, 0);
  bench_run(b, "b 0x5000 mib nop nop call=0x9000,taken\nswitch timer\nthread 1\n");
  for (unsigned i = 0; i < 8; i++)
    bench_run(b, "b 0x6000 mib nop nop call=0x9000,taken\n");
  bench_run(b, "switch timer\nthread 0\nb 0x9000 mib nop nop ret=0x5010,taken\n");
  assert_int_equal(bench_pmd(b, 4), 0);
}

/* fc: the line is removed from all caches, and a modified line is written to memory. */
static void fc_flushes_the_line(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_count(b, 4, 0xcb, 0); /* L2D_MISSES */
  bench_count(b, 5, 0x92, 7); /* BUS_WR_WB of whole lines */
  bench_count(b, 6, 0x4a, 0); /* L1I_SNOOP */
  bench_run(b, "b 0x5000 mii st=0x800000 nop nop\nstall exe.gr 400\nb 0x5010 mii ld=0x800000 nop nop\n");
  assert_int_equal(bench_pmd(b, 4), 1);
  bench_run(b, "b 0x5020 mii fc=0x800040 nop nop\nstall exe.gr 10\n");
  assert_int_equal(bench_pmd(b, 5), 1);
  assert_int_equal(bench_pmd(b, 6), 1);
  bench_run(b, "b 0x5030 mii ld=0x800000 nop nop\nstall exe.gr 400\nb 0x5040 mii fc=0x800000 nop nop\n");
  assert_int_equal(bench_pmd(b, 4), 2);
  assert_int_equal(bench_pmd(b, 5), 1);
}

/* 2.3.3.2, 2.7.4: a snoop removes both halves of an instruction line from the L1I, and with them their predictions. */
static void a_snoop_takes_both_halves(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_count(b, 4, 0x42, 0); /* L2I_DEMAND_READS */
  bench_run(b, "b 0x9000 mii nop nop nop\nb 0x9040 mii nop nop nop\nb 0x9000 mii nop nop nop\n"
               "b 0x9040 mii nop nop nop\n");
  assert_int_equal(bench_pmd(b, 4), 2);
  bench_run(b, "snoop read 0x9000\nb 0x9000 mii nop nop nop\nb 0x9040 mii nop nop nop\n");
  assert_int_equal(bench_pmd(b, 4), 4);
}

/* br.many: both of its prefetches count in every event that counts prefetches. */
static void prefetch_counts_agree(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_count(b, 4, 0x44, 0);
  bench_count(b, 5, 0x45, 0);
  bench_count(b, 6, 0x5f, 0);
  bench_count(b, 7, 0x78, 14);
  bench_run(b, "b 0x5000 mib nop nop br=0x9000,taken,many\nstall exe.gr 400\n");
  for (unsigned i = 4; i < 8; i++)
    assert_int_equal(bench_pmd(b, i), 2);
}

/* 4.15: a nop that is predicated off does not count in NOPS_RETIRED; in a B slot it does not count as squashed
 * either. */
static void nops_that_are_off(void **state)
{
  struct bench *b = *state;
  bench_count(b, 4, 0x50, 0);
  bench_count(b, 5, 0x51, 0);
  bench_count(b, 6, 0x08, 0);
  bench_run(b, "timing explicit\nb 0x5000 mib nop nop,off nop,off\nb 0x5010 mib nop nop nop\n");
  assert_int_equal(bench_pmd(b, 4), 4);
  assert_int_equal(bench_pmd(b, 5), 1);
  assert_int_equal(bench_pmd(b, 6), 6);
}

/* LOADS_RETIRED includes loads of the VHPT; a check load counts when it missed in ALAT and L1D. */
static void retired_loads(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_count(b, 5, 0xcd, 0);
  bench_run(b, "b 0x5000 mii ldc=0x800000,l1,tlb1 nop nop\nb 0x5010 mii ldc=0x800000,fail,l1,tlb1 nop nop\n");
  assert_int_equal(bench_pmd(b, 5), 0);
  bench_run(b, "b 0x5020 mii ldc=0x800000,fail,l2,tlb1 nop nop\nb 0x5030 mii st=0x900000,l2,walk nop nop\n");
  assert_int_equal(bench_pmd(b, 5), 2);
}

/* Table 2-8, note 4: a floating-point load takes one more cycle at each level. */
static void floating_loads_take_a_cycle_more(void **state)
{
  static const struct {
    const char *where;
    unsigned cycles;
  } levels[] = {{"l2", 6}, {"l3", 15}, {"mem", 201}};
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  for (unsigned i = 0; i < 3; i++) {
    char line[120];
    bench_set_pmc(b, 0, 0);
    bench_set_pmc(b, 40, 0x200000f);
    snprintf(line, sizeof line, "b 0x5000 mii ldf=0x%x,%s,tlb1 nop nop\nstall exe.fr 300\n", 0x800000 + 4096 * i,
             levels[i].where);
    bench_run(b, line);
    bench_set_pmc(b, 0, 1);
    assert_int_equal(bench_pmd(b, 33) & 0x1fff, levels[i].cycles);
    bench_set_pmd(b, 33, 0);
    bench_set_pmd(b, 36, 0);
  }
}

/* CPU_CPL_CHANGES counts the first change after a register write like any other. */
static void a_level_changes_right_after_unfreezing(void **state)
{
  struct bench *b = *state;
  bench_set_pmc(b, 0, 1);
  bench_count(b, 4, 0x13, 15);
  bench_set_pmc(b, 0, 0);
  bench_run(b, "psr 0x300200004\nb 0x5000 mii nop nop nop\npsr 0x200004\n");
  assert_int_equal(bench_pmd(b, 4), 2);
}

/* 2.4.3.1.2: 16 entries of the L2DTLB are reserved for a thread, whatever the other thread accesses. */
static void a_thread_keeps_sixteen_translations(void **state)
{
  struct bench *b = *state;
  char line[100];
  bench_run(b, "timing explicit\n");
  for (unsigned i = 0; i < 16; i++) {
    snprintf(line, sizeof line, "b 0x5000 mii st=0x%x nop nop\n", 0x1000000 + i * 0x4000);
    bench_run(b, line);
  }
  bench_run(b, "switch timer\nthread 1\n");
  for (unsigned i = 0; i < 500; i++) {
    snprintf(line, sizeof line, "b 0x5000 mii st=0x%x nop nop\n", 0x4000000 + i * 0x4000);
    bench_run(b, line);
  }
  bench_run(b, "switch timer\nthread 0\n");
  bench_count(b, 5, 0xc1, 0);
  for (unsigned i = 0; i < 16; i++) {
    snprintf(line, sizeof line, "b 0x5000 mii st=0x%x nop nop\n", 0x1000000 + i * 0x4000);
    bench_run(b, line);
  }
  assert_int_equal(bench_pmd(b, 5), 0);
}

/* 3.3.10.2: the last entry has the time of the delay's end, also within a stall. */
static void a_delay_that_ends_in_a_stall(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_set_pmc(b, 42, 20 << 11 | 4 << 8 | 0xf);
  bench_set_pmd(b, 38, 0);
  bench_run(b, "b 0x5000 mii nop nop nop\n");
  bench_set_pmc(b, 0, 1);
  bench_run(b, "stall exe.gr 100\n");
  const unsigned n = bench_pmd(b, 38) & 15;
  assert_true(n >= 2);
  const uint64_t extension = bench_pmd(b, 39) >> ((n - 1) * 8) & 15;
  const uint64_t elapsed = bench_pmd(b, 48 + n - 1) >> 60 | extension >> 2 << 4;
  assert_true(elapsed == 20 || elapsed == 21);
}

/* Table 3-9: with PSR.is set, an enabled range tags nothing; without a range, everything is tagged. */
static void ia32_code_is_in_no_range(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\nibr 0 0x5000\nibr 1 0x0ffffffffffff000\n");
  bench_count(b, 4, 0x08, 0);
  bench_run(b, "psr 0x400200004\nb 0x5000 mii nop nop nop\n");
  assert_int_equal(bench_pmd(b, 4), 3);
  bench_set_pmc(b, 32, bench_pmc(b, 32) & ~(UINT64_C(3) << 56));
  bench_set_pmc(b, 38, 0xdb4);
  bench_run(b, "b 0x5010 mii nop nop nop\npsr 0x200004\nb 0x5020 mii nop nop nop\n");
  assert_int_equal(bench_pmd(b, 4), 6);
}

/* DATA_DEBUG_REGISTER_FAULT: with PSR.db set, a load faults if r is set, a store if w is set. */
static void debug_faults_are_counted(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\ndbr 0 0x800000\ndbr 1 0x8ffffffffffffff8\n");
  bench_count(b, 4, 0x52, 0);
  bench_run(b, "b 0x5000 mii ld=0x800000 nop nop\n");
  assert_int_equal(bench_pmd(b, 4), 0);
  bench_run(b, "psr 0x1202004\nb 0x5010 mii st=0x800000 nop nop\nb 0x5020 mii ld=0x800008 nop nop\n");
  assert_int_equal(bench_pmd(b, 4), 0);
  bench_run(b, "b 0x5020 mii lfetch=0x800000 nop nop\n");
  assert_int_equal(bench_pmd(b, 4), 0); /* lfetch does not fault */
  bench_run(b, "b 0x5030 mii ld=0x800000 nop nop\n");
  assert_int_equal(bench_pmd(b, 4), 1);
  assert_int_equal(montecito_thread_register_get(b->m, 0, MONTECITO_PSR) & PSR_IC, 0);
}

/* ALAT_CAPACITY_MISS: an advanced load that displaces an entry according to the stream, and one that does not. */
static void full_alats_are_counted(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_count(b, 4, 0x58, 1);
  bench_run(b, "b 0x5000 mii lda=0x500080,alatfull nop nop\nb 0x5010 mii lda=0x5000c0 nop nop\n");
  assert_int_equal(bench_pmd(b, 4), 1);
}

/* BUS_DATA_CYCLE: the four clocks of a line that another agent transfers belong to no core of this processor. */
static void data_of_other_agents_are_of_any_agent(void **state)
{
  static const unsigned expected[] = {0, 0, 0, 4}; /* EITHER, IO, SELF, ANY */
  struct bench *b = *state;
  for (unsigned umask = 0; umask < 4; umask++) {
    bench_count(b, 4, 0x88, umask);
    bench_run(b, "bus brl other 0x100000\nstall exe.gr 1000\n");
    assert_int_equal(bench_pmd(b, 4), expected[umask]);
    bench_run(b, "pmd 4 0\n");
  }
}

/* 4.15, Table 3-6: on a banked counter, .all makes CPU_OP_CYCLES lose one cycle at each thread switch, and does not
 * count the other thread. The two threads' counts and the number of switches add up to all cycles. */
static void all_on_a_banked_counter_loses_a_cycle_a_switch(void **state)
{
  struct bench *b = *state;
  uint64_t with[2], without[2], cycles;
  bench_run(b, "timing explicit\n");
  bench_count(b, 6, 0x12, 0);
  bench_set_pmc(b, 6, bench_pmc(b, 6) | UINT64_C(1) << 26);
  bench_count(b, 7, 0x0c, 7);
  bench_set_pmc(b, 7, bench_pmc(b, 7) | UINT64_C(1) << 26);
  for (unsigned t = 0; t < 2; t++) {
    b->thread = (uint8_t)t;
    bench_count(b, 10, 0x12, 0);
    bench_count(b, 11, 0x12, 0);
    bench_set_pmc(b, 11, bench_pmc(b, 11) | UINT64_C(1) << 26);
  }
  bench_run(b, "thread 0\nstall exe.gr 100\nswitch timer 20\nthread 1\nstall exe.gr 50\nswitch hint\nthread 0\n"
               "stall exe.gr 7\nswitch timer 1\nthread 1\nstall exe.gr 3\n");
  for (unsigned t = 0; t < 2; t++) {
    b->thread = (uint8_t)t;
    without[t] = bench_pmd(b, 10);
    with[t] = bench_pmd(b, 11);
  }
  b->thread = 0;
  cycles = bench_pmd(b, 6);
  assert_int_equal(cycles, 100 + 20 + 50 + 15 + 7 + 1 + 3);
  assert_int_equal(without[0] + without[1], cycles);
  assert_int_equal(with[0], without[0] - 2);
  assert_int_equal(with[1], without[1] - 1);
  assert_int_equal(with[0] + with[1] + bench_pmd(b, 7), cycles);
}

/* 4.15: L1I_READS counts each demand fetch: of a taken branch's target, also in the same block; of two blocks whose
 * bundles issue in one cycle. */
static void fetches_are_counted(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_run(b, "b 0x5010 mii nop nop nop\nb 0x5020 mii nop nop nop\nb 0x6000 mii nop nop nop\n");
  bench_run(b, "stall exe.gr 400\n");
  bench_count(b, 4, 0x40, 0);
  for (unsigned i = 0; i < 4; i++)
    bench_run(b, "b 0x6000 mib nop nop br=0x6000,taken\n");
  bench_run(b, "b 0x6000 mib nop nop br=0x6000\nb 0x6010 mii nop nop nop\nstall exe.gr 1\n");
  assert_int_equal(bench_pmd(b, 4), 4); /* the block was the last one at first */
  bench_run(b, "b 0x5010 mii nop nop nop\n+b 0x5020 mii nop nop nop ;;\nstall exe.gr 2\n");
  assert_int_equal(bench_pmd(b, 4), 6);
}

/* 4.15: L1DTLB_TRANSFER counts each access of two in a cycle, whose transfers are one after the other. */
static void transfers_are_counted(void **state)
{
  struct bench *b = *state;
  bench_count(b, 5, 0xc0, 0);
  bench_run(b, "b 0x5000 mmi ld=0x100000,tlb2 ld=0x200000,tlb2 nop\nstall exe.gr 400\n");
  assert_int_equal(bench_pmd(b, 5), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_set_up, bench_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {TEST(a_return_stack_is_its_threads),
                                     TEST(fc_flushes_the_line),
                                     TEST(a_snoop_takes_both_halves),
                                     TEST(prefetch_counts_agree),
                                     TEST(nops_that_are_off),
                                     TEST(retired_loads),
                                     TEST(floating_loads_take_a_cycle_more),
                                     TEST(a_level_changes_right_after_unfreezing),
                                     TEST(a_thread_keeps_sixteen_translations),
                                     TEST(a_delay_that_ends_in_a_stall),
                                     TEST(ia32_code_is_in_no_range),
                                     TEST(debug_faults_are_counted),
                                     TEST(data_of_other_agents_are_of_any_agent),
                                     TEST(full_alats_are_counted),
                                     TEST(fetches_are_counted),
                                     TEST(transfers_are_counted),
                                     TEST(all_on_a_banked_counter_loses_a_cycle_a_switch)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

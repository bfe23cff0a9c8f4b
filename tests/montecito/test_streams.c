/* SPDX-License-Identifier: MIT */
/* Generated streams: invariants between events, the machine's own account, the same stream from the same seed; texts
 * that are not a stream are refused. */
#include <pmon/status.h>
#include "tests/montecito/bench.h"

enum { BUNDLES = 40000 };

static void generate(struct bench *b, unsigned workload, uint64_t seed)
{
  struct montecito_source *s;
  char error[200] = "";
  bool ended;
  assert_int_equal(montecito_generator_new(workload, BUNDLES, seed, &s), 0);
  montecito_machine_attach(b->m, s);
  assert_int_equal(montecito_machine_run(b->m, UINT64_MAX, &ended, error, sizeof error), 0);
  assert_true(ended);
}

static struct bench fresh(void)
{
  struct bench b = {0};
  assert_int_equal(montecito_machine_new(&b.m), 0);
  return b;
}

/* 4.4, 4.6: each cycle retires or is a bubble; bubbles have five kinds; syllables. */
static void test_cycles(void **state)
{
  (void)state;
  for (unsigned w = 0; w < WORKLOAD_THREADS; w++) {
    struct bench b = fresh();
    bench_count(&b, 4, 0x12, 0);
    bench_count(&b, 5, 0xca, 0); /* L1D set 2 */
    bench_count(&b, 6, 0x00, 0);
    bench_count(&b, 7, 0x00, 1);
    bench_count(&b, 8, 0x01, 0);
    bench_count(&b, 9, 0x02, 0);
    bench_count(&b, 10, 0x04, 0);
    bench_count(&b, 11, 0x08, 0);
    bench_count(&b, 12, 0x49, 0);
    bench_count(&b, 13, 0x4d, 0);
    bench_count(&b, 14, 0x4e, 15);
    bench_count(&b, 15, 0x08, 0);
    bench_set_pmc(&b, 15, bench_pmc(&b, 15) | 3 << 20); /* cycles with more than three */
    generate(&b, w, 7);
    const uint64_t cycles = bench_pmd(&b, 4), bubbles = bench_pmd(&b, 6);
    const struct montecito_account a = montecito_machine_account(b.m, 0);
    assert_int_equal(cycles, a.cycles);
    assert_int_equal(bench_pmd(&b, 11), a.instructions);
    assert_int_equal(bubbles,
                     bench_pmd(&b, 5) + bench_pmd(&b, 7) + bench_pmd(&b, 8) + bench_pmd(&b, 9) + bench_pmd(&b, 10));
    assert_int_equal(6 * (cycles - bench_pmd(&b, 12)), bench_pmd(&b, 13) + bench_pmd(&b, 14));
    assert_int_equal(a.bundles, cycles - bubbles + bench_pmd(&b, 15)); /* pairs retire six */
    montecito_machine_free(b.m);
  }
}

/* Table 4-126: each cause has its bit of the umask: a stop, no second bundle without one, a taken branch, a long
 * instruction. */
static void test_syllables_by_cause(void **state)
{
  static const struct {
    unsigned umask;
    uint64_t count;
  } rows[] = {{1, 3}, {2, 6}, {4, 3}, {8, 1}, {3, 9}, {5, 6}, {12, 4}, {15, 13}};
  (void)state;
  struct bench b = fresh();
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
    bench_count(&b, 4 + i, 0x4e, rows[i].umask);
  bench_run(&b, "timing explicit\n"
                "b 0x4000 mii plain plain plain ;;\n"
                "b 0x4010 mii plain plain plain\n"
                "b 0x4020 mib plain plain br=0x8000,taken\n"
                "b 0x8000 mlx plain plain\n");
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
    if (bench_pmd(&b, 4 + i) != rows[i].count)
      fail_msg("umask %u counts %llu, not %llu", rows[i].umask, (unsigned long long)bench_pmd(&b, 4 + i),
               (unsigned long long)rows[i].count);
  montecito_machine_free(b.m);
}

/* Templates M;MI and MI;I: the slots after the stop retire in the next cycle, which a second bundle can share. The six
 * syllables of each cycle are dispersed, or the stop's (4.4). */
static void test_stops_within_bundles(void **state)
{
  static const struct {
    const char *lines;
    uint64_t cycles, dispersed, explicit_stops, all;
  } rows[] = {
      {"b 0x4000 m;mi plain plain plain ;;\n", 2, 3, 5 + 1 + 3, 9},
      {"b 0x4000 mi;i plain plain plain ;;\n", 2, 3, 4 + 2 + 3, 9},
      {"b 0x4000 mi;i plain plain plain\n+b 0x4010 mii plain plain plain\n", 2, 6, 4 + 2, 6},
      {"b 0x4000 mii plain plain plain\n+b 0x4010 m;mi plain plain plain\n+b 0x4020 mii plain plain plain\n", 2, 9,
       2 + 1, 3},
      {"b 0x4000 mi;i plain plain plain\n+b 0x4010 mi;i plain plain plain\n", 3, 6, 4 + 3 + 2, 12},
      {"b 0x4000 mi;i plain plain,off plain\nb 0x4010 mlx plain plain ;;\n", 3, 5, 4 + 2 + 3, 13},
  };
  (void)state;
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct bench b = fresh();
    bench_count(&b, 4, 0x12, 0);
    bench_count(&b, 5, 0x4d, 0);
    bench_count(&b, 6, 0x4e, 1);
    bench_count(&b, 7, 0x4e, 15);
    bench_count(&b, 8, 0x08, 0);
    bench_run(&b, "timing explicit\n");
    bench_run(&b, rows[i].lines);
    assert_int_equal(bench_pmd(&b, 4), rows[i].cycles);
    assert_int_equal(bench_pmd(&b, 5), rows[i].dispersed);
    assert_int_equal(bench_pmd(&b, 6), rows[i].explicit_stops);
    assert_int_equal(bench_pmd(&b, 7), rows[i].all);
    assert_int_equal(bench_pmd(&b, 5) + bench_pmd(&b, 7), 6 * rows[i].cycles);
    assert_int_equal(bench_pmd(&b, 8), rows[i].dispersed);
    montecito_machine_free(b.m);
  }
}

/* The group after a stop waits for a result of the group before it. */
static void test_a_stop_within_a_bundle_waits_for_results(void **state)
{
  (void)state;
  struct bench b = fresh();
  bench_count(&b, 4, 0x02, 0);
  bench_run(&b, "b 0x4000 m;mi ld=0x800000,l2,tlb1,used plain plain ;; l1 tlb1\n");
  assert_int_equal(bench_pmd(&b, 4), 4);
  montecito_machine_free(b.m);
}

/* An instruction whose predicate is false retires as squashed, except a branch, which is not taken. */
static void test_false_predicates(void **state)
{
  (void)state;
  struct bench b = fresh();
  bench_count(&b, 4, 0x51, 0);
  bench_count(&b, 5, 0x08, 0);
  bench_count(&b, 6, 0x4e, 4); /* three syllables after a taken branch */
  bench_run(&b, "timing explicit\n"
                "b 0x4000 mib plain,off plain br=0x8000,taken\n"
                "b 0x8000 mib plain plain br=0x4000,off\n"
                "b 0x8010 mii plain nop,off plain,off\n");
  assert_int_equal(bench_pmd(&b, 4), 3);
  assert_int_equal(bench_pmd(&b, 5), 9);
  assert_int_equal(bench_pmd(&b, 6), 3);
  montecito_machine_free(b.m);
}

static void test_memory(void **state)
{
  (void)state;
  for (unsigned w = 0; w < WORKLOAD_THREADS; w++) {
    struct bench b = fresh();
    bench_count(&b, 4, 0xe6, 3);
    bench_count(&b, 5, 0xc7, 0);
    bench_count(&b, 6, 0xdb, 0);
    bench_count(&b, 7, 0xdc, 0);
    bench_count(&b, 8, 0xb0, 0);
    bench_count(&b, 9, 0xb1, 0);
    bench_count(&b, 10, 0xdd, 15);
    bench_count(&b, 11, 0xde, 15);
    bench_count(&b, 12, 0xdd, 14);
    bench_count(&b, 13, 0xde, 14);
    bench_count(&b, 14, 0xc5, 0);
    bench_count(&b, 15, 0xcb, 0);
    generate(&b, w, 3);
    const struct montecito_account a = montecito_machine_account(b.m, 0);
    assert_int_equal(bench_pmd(&b, 5), a.l1d_misses);
    assert_int_equal(bench_pmd(&b, 6), bench_pmd(&b, 10) + bench_pmd(&b, 11)); /* the L3 is read or written */
    assert_int_equal(bench_pmd(&b, 7), bench_pmd(&b, 12) + bench_pmd(&b, 13));
    assert_int_equal(bench_pmd(&b, 4), bench_pmd(&b, 8) + bench_pmd(&b, 9)); /* hits and misses: all */
    assert_int_equal(bench_pmd(&b, 15), a.l2d_misses);
    assert_true(bench_pmd(&b, 15) <= bench_pmd(&b, 8)); /* without secondary ones */
    assert_true(bench_pmd(&b, 14) >= a.loads + a.stores);
    assert_int_equal(montecito_machine_violations_total(b.m), 0);
    montecito_machine_free(b.m);
  }
}

static void test_branches(void **state)
{
  struct bench b = fresh();
  uint64_t paths = 0;
  (void)state;
  for (unsigned i = 0; i < 4; i++) {
    bench_count(&b, 4 + i, 0x5b, 4 * i); /* all, IP-relative, return, indirect */
    bench_count(&b, 8 + i, 0x54, i);
    bench_count(&b, 12 + i, 0x5b, i);
  }
  generate(&b, WORKLOAD_MIXED, 5);
  for (unsigned i = 0; i < 4; i++)
    paths += bench_pmd(&b, 8 + i);
  assert_int_equal(bench_pmd(&b, 4), montecito_machine_account(b.m, 0).branches);
  assert_int_equal(bench_pmd(&b, 4), bench_pmd(&b, 5) + bench_pmd(&b, 6) + bench_pmd(&b, 7));
  assert_int_equal(bench_pmd(&b, 4), paths);
  assert_int_equal(bench_pmd(&b, 4), bench_pmd(&b, 13) + bench_pmd(&b, 14) + bench_pmd(&b, 15));
  assert_int_equal(bench_pmd(&b, 14) + bench_pmd(&b, 15), montecito_machine_account(b.m, 0).mispredicted);
  montecito_machine_free(b.m);
}

/* Little's theorem (4.11.2): outstanding reads, summed over cycles, are their number times 200 cycles. */
static void test_reads_outstanding(void **state)
{
  struct bench b = fresh();
  (void)state;
  bench_count(&b, 4, 0xb4, 0);
  bench_count(&b, 5, 0xb5, 0);
  bench_count(&b, 6, 0x8b, 14); /* all reads of memory, of this core */
  generate(&b, WORKLOAD_CHASE, 2);
  assert_true(bench_pmd(&b, 6) > 1000);
  assert_int_equal(bench_pmd(&b, 4) * 8 + bench_pmd(&b, 5), bench_pmd(&b, 6) * 200);
  montecito_machine_free(b.m);
}

static void test_other_core_observes_the_bus(void **state)
{
  struct bench b = fresh();
  (void)state;
  b.thread = 2;
  bench_count(&b, 4, 0x87, 0); /* either core */
  bench_count(&b, 5, 0x87, 2); /* this one */
  bench_count(&b, 6, 0x87, 3);
  bench_run(
      &b, "thread 0\nbus brl self\nbus bwl self\nbus brl io\nthread 2\nstall exe.gr 5\nbus bil self\nstall exe.gr 5\n");
  b.thread = 2;
  assert_int_equal(bench_pmd(&b, 5), 1);
  assert_int_equal(bench_pmd(&b, 4), 3);
  assert_int_equal(bench_pmd(&b, 6), 4);
  montecito_machine_free(b.m);
}

static void test_same_seed_same_stream(void **state)
{
  struct bench a = fresh(), b = fresh(), c = fresh();
  struct montecito_account x, y, z;
  (void)state;
  generate(&a, WORKLOAD_MIXED, 11);
  generate(&b, WORKLOAD_MIXED, 11);
  generate(&c, WORKLOAD_MIXED, 12);
  x = montecito_machine_account(a.m, 0);
  y = montecito_machine_account(b.m, 0);
  z = montecito_machine_account(c.m, 0);
  assert_memory_equal(&x, &y, sizeof x);
  assert_true(memcmp(&x, &z, sizeof x) != 0);
  montecito_machine_free(a.m);
  montecito_machine_free(b.m);
  montecito_machine_free(c.m);
}

static void test_texts_that_are_refused(void **state)
{
  static const char *const texts[] = {"b",
                                      "b 0x1000",
                                      "b 0x1000 mii nop nop",
                                      "b 0x1000 mxx nop nop nop",
                                      "b 0x1000 mii br=0 nop nop",
                                      "b 0x1000 mii ld=x nop nop",
                                      "b 0x1000 mii nop@0x20000000000 nop nop",
                                      "b 0x1000 mii ld=1,lat=0 nop nop",
                                      "b 0x1000 mii ld,nowhere nop nop",
                                      "b 0x1000 mii nop nop nop soon",
                                      "stall why 3",
                                      "stall",
                                      "stall exe.gr -1",
                                      "switch never",
                                      "halt x",
                                      "rse loads",
                                      "rse loads=200",
                                      "snoop read",
                                      "bus brl",
                                      "bus what self",
                                      "signal NOTHING 1",
                                      "signal L3_READS.NONE 1",
                                      "signal L3_READS",
                                      "psr",
                                      "ibr 8 0",
                                      "pmc 4",
                                      "thread 4",
                                      "thread",
                                      "interrupt now",
                                      "timing fast",
                                      "frobnicate 1 2"};
  struct bench b = fresh();
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct montecito_record r;
    char error[200] = "";
    bool any;
    assert_true(montecito_stream_parse_line(texts[i], &b.thread, &r, &any, error, sizeof error) < 0);
    assert_true(*error);
  }
  for (unsigned i = 0; i < 2; i++) {
    struct montecito_record r;
    char error[200] = "";
    bool any;
    assert_int_equal(montecito_stream_parse_line(i ? "b 0x1008 mii nop nop nop" : "stall exe.gr 1", &b.thread, &r, &any,
                                                 error, sizeof error),
                     0);
    r.thread = i ? 0 : 1; /* in the background; an address between bundles */
    assert_int_equal(montecito_machine_apply(b.m, &r, error, sizeof error), PMON_E_INVALID);
    assert_true(*error);
  }
  montecito_machine_free(b.m);
}

/* An unknown word: the message names the kind of word and lists the expected ones. */
static void unknown_words_are_reported_with_the_expected_ones(void **state)
{
  static const struct {
    const char *text, *error;
  } cases[] = {
      {"timing fast", "timing 'fast': expected explicit or model"},
      {"switch never", "switch cause 'never': expected l3miss, timer, hint, low_power or debug"},
      {"snoop it 1", "snoop kind 'it': expected read or invalidate"},
      {"bus brl all", "bus agent 'all': expected self, io or other"},
      {"bus what self", "bus kind 'what': expected brl, bril, bil, bwl, brp, bwp, brc, ior, iow or bccl"},
      {"rse never=1", "rse 'never': expected loads, stores, at, current or dirty"},
      {"rse loads=97", "rse: expected a number from 0 to 96, not: '97'"},
      {"timing model 1", "expected nothing more, not: '1'"},
      {"b 0 iii nop nop nop",
       "template 'iii': expected mii, mi;i, mlx, mmi, m;mi, mfi, mmf, mib, mbb, bbb, mmb or mfb"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct montecito_record r;
    char error[200] = "";
    uint8_t thread = 0;
    bool any;
    assert_true(montecito_stream_parse_line(cases[i].text, &thread, &r, &any, error, sizeof error) < 0);
    assert_string_equal(error, cases[i].error);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cycles),
      cmocka_unit_test(test_syllables_by_cause),
      cmocka_unit_test(test_stops_within_bundles),
      cmocka_unit_test(test_a_stop_within_a_bundle_waits_for_results),
      cmocka_unit_test(test_false_predicates),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_branches),
      cmocka_unit_test(test_reads_outstanding),
      cmocka_unit_test(test_other_core_observes_the_bus),
      cmocka_unit_test(test_same_seed_same_stream),
      cmocka_unit_test(test_texts_that_are_refused),
      cmocka_unit_test(unknown_words_are_reported_with_the_expected_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Event address registers and trace buffer on hand-written streams: the expected contents are derived from Tables 3-16
 * to 3-33, not from the machine. */
#include "tests/montecito/bench.h"

enum { DEAR_ON = 0x0200000f, PLM = 0xf };

static void freeze(struct bench *b)
{
  montecito_machine_close_cycles(b->m);
  bench_set_pmc(b, 0, 1);
}

static void test_dear_cache(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\nb 0x4000 mmi alu nop nop\n");
  bench_set_pmc(b, 40, DEAR_ON | 1 << 16); /* at least 8 cycles */
  bench_count(b, 4, 0xc8, 0);
  bench_run(b, "b 0x4010 mmi ld=0x6008,l2,lat=5 nop nop\n" /* too short, and it occupies the EAR for 5 */
               "stall exe.gr 10\n"
               "b 0x4020 mmi nop nop nop\n"
               "+b 0x4030 mmi nop ld=0x7010,l3,lat=21 nop\n"  /* second bundle, slot 1 */
               "b 0x4040 mmi ld=0x8000,mem,lat=300 nop nop\n" /* overlaps: it is not monitored */
               "stall exe.gr 30\n");
  freeze(b);
  assert_int_equal(bench_pmd(b, 32), 0x7010);
  assert_int_equal(bench_pmd(b, 33), 1 << 14 | 21);
  assert_int_equal(bench_pmd(b, 36), 0x4020 | 1 << 3 | 1 << 2 | 1);
  assert_int_equal(bench_pmd(b, 4), 1);
}

static void test_dear_latency_overflows(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_set_pmc(b, 40, DEAR_ON | 10 << 16); /* at least 4096 */
  bench_run(b, "b 0x4000 mfi ldf=0x9000,mem,lat=8200 nop nop\nstall exe.fr 9000\n");
  freeze(b);
  assert_int_equal(bench_pmd(b, 33), 1 << 14 | 1 << 13 | (8200 & 0x1fff));
}

static void test_dear_gap(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_set_pmc(b, 40, DEAR_ON);
  bench_count(b, 4, 0xc8, 0);
  /* the first takes 4 cycles; a miss 6 clocks after it is too close, one 7 after it is not */
  bench_run(b, "b 0x4000 mii ld=0x100,l2,lat=4 nop nop\nstall exe.gr 5\nb 0x4010 mii ld=0x200,l2,lat=4 nop nop\n"
               "b 0x4020 mii ld=0x300,l2,lat=4 nop nop\nstall exe.gr 20\n");
  freeze(b);
  assert_int_equal(bench_pmd(b, 32), 0x300);
  assert_int_equal(bench_pmd(b, 4), 2);
}

static void test_dear_tlb(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_set_pmc(b, 40, DEAR_ON | 1 << 7 | 1 << 18); /* page walks */
  bench_run(b, "b 0x4000 mii ld=0x100,tlb2 nop nop\n");
  bench_set_pmc(b, 0, 1);
  assert_int_equal(bench_pmd(b, 33), 0);
  bench_set_pmc(b, 0, 0);
  bench_run(b, "b 0x4000 mii st=0x200,walk nop nop\nb 0x4010 mii ld=0x300,tlbfault nop nop\n");
  bench_set_pmc(b, 0, 1);
  assert_int_equal(bench_pmd(b, 33) >> 14, 2);
  assert_int_equal(bench_pmd(b, 32), 0x200);
  assert_int_equal(bench_pmd(b, 36), 0x4000 | 8);
  bench_set_pmd(b, 33, 0);
  bench_set_pmd(b, 36, 0);
  bench_set_pmc(b, 40, DEAR_ON | 1 << 7 | 14 << 16);
  bench_set_pmc(b, 0, 0);
  bench_run(b, "b 0x4010 mii ld=0x300,tlbfault nop nop\n");
  bench_set_pmc(b, 0, 1);
  assert_int_equal(bench_pmd(b, 33) >> 14, 3);
  bench_set_pmd(b, 33, 0);
  bench_set_pmd(b, 36, 0);
  bench_set_pmc(b, 0, 0);
  bench_run(b, "rse loads=1 at=0x5550000\n"); /* belongs to no instruction */
  bench_set_pmc(b, 0, 1);
  assert_int_equal(bench_pmd(b, 33) >> 14, 2);
  assert_int_equal(bench_pmd(b, 32), 0x5550000);
  assert_int_equal(bench_pmd(b, 36) & 8, 0);
  assert_int_equal(montecito_machine_violations_total(b->m), 0);
}

static void test_dear_alat_and_pmc39(void **state)
{
  struct bench *b = *state;
  bench_set_pmc(b, 40, DEAR_ON | 2 << 7);
  bench_set_pmc(b, 39, PLM);
  bench_run(b, "timing explicit\nb 0x4000 mmi chka nop nop\nb 0x4010 mmi nop ldc=0x10,fail nop\n");
  freeze(b);
  assert_int_equal(bench_pmd(b, 33) >> 14, 1);
  assert_int_equal(bench_pmd(b, 36), 0x4010 | 8 | 1);
  assert_int_equal(bench_blamed(b, "PMC39", "-"), 1);
  bench_set_pmc(b, 0, 0); /* stat and vl were not cleared */
  assert_int_equal(bench_blamed(b, "PMC0", "fr"), 1);
}

static void test_iear(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_set_pmc(b, 37, PLM | 1 << 13 | 0xfc << 5); /* at least 16 cycles */
  bench_count(b, 4, 0x43, 0);
  bench_run(
      b, "b 0x4050 mii nop nop nop l2,lat=7\nstall fe.imiss 7\nb 0x9070 mii nop nop nop l3,lat=20\nstall fe.imiss 30\n"
         "b 0xa000 mii nop nop nop isb\n");
  freeze(b);
  assert_int_equal(bench_pmd(b, 34), 0x9060 | 1);
  assert_int_equal(bench_pmd(b, 35), 20);
  assert_int_equal(bench_pmd(b, 4), 1);
  bench_set_pmc(b, 37, PLM | 2 << 5); /* TLB: the page walker */
  bench_set_pmc(b, 0, 0);
  bench_run(b, "b 0xb000 mii nop nop nop tlb2\nb 0xc0e0 mii nop nop nop walk\n");
  freeze(b);
  assert_int_equal(bench_pmd(b, 34), 0xc0e0 | 2);
}

/* ---- trace buffer ---- */

enum { ALL_BRANCHES = PLM | 3 << 8 | 3 << 10 | 3 << 12 };

static void test_trace(void **state)
{
  struct bench *b = *state;
  bench_set_pmc(b, 39, ALL_BRANCHES);
  bench_count(b, 4, 0x11, 0);
  bench_run(b,
            "timing explicit\n"
            "b 0x1000 mib nop nop br=0x2000,taken,right\n" /* 0: source */
            "b 0x2000 mii nop nop nop\n"                   /* 1: target */
            "b 0x2010 mii nop nop nop\n"
            "+b 0x2020 mbb nop br=0x0,right br=0x3000,taken,wrongtarget\n" /* 2: not taken; 3: second bundle, wrong */
            "b 0x3000 mib nop nop br=0x4000,taken,right\n" /* 4: immediately after: no target entry before it */
            "stall exe.gr 3\n"
            "b 0x4000 mib nop nop ret=0x5000,taken,wrongpath,fp\n" /* 5: target, 6: source, too late to replace it */
            "b 0x5000 mii nop nop nop\n");                         /* 7: target */
  freeze(b);
  assert_int_equal(bench_pmd(b, 38), 8);
  assert_int_equal(bench_pmd(b, 48), 0x1000 | 2 << 2 | 1);
  assert_int_equal(bench_pmd(b, 49), 0x2000 | 2);
  assert_int_equal(bench_pmd(b, 50), 0x2010 | 3 << 2 | 1);
  assert_int_equal(bench_pmd(b, 51), 0x2010 | 2 << 2 | 3);
  assert_int_equal(bench_pmd(b, 52), 0x3000 | 2 << 2 | 1);
  assert_int_equal(bench_pmd(b, 53), 0x4000 | 2);
  assert_int_equal(bench_pmd(b, 54), 0x4000 | 2 << 2 | 3);
  assert_int_equal(bench_pmd(b, 55), 0x5000 | 2);
  /* nibbles of 48, 56, 49, 57, ...: b1 for entries 2 and 3, brflush for 3 and 6 */
  assert_int_equal(bench_pmd(b, 39), UINT64_C(1) << 16 | UINT64_C(3) << 24 | UINT64_C(2) << 48);
  assert_int_equal(bench_pmd(b, 4), 8);
}

static void test_trace_wraps(void **state)
{
  struct bench *b = *state;
  bench_set_pmc(b, 39, ALL_BRANCHES);
  bench_run(b, "timing explicit\n");
  for (unsigned i = 0; i < 9; i++) {
    char text[128];
    snprintf(text, sizeof text, "b 0x%x000 mib nop nop br=0x%x800,taken,right\nb 0x%x800 mii nop nop nop\n", i + 1,
             i + 1, i + 1);
    bench_run(b, text);
  }
  freeze(b);
  assert_int_equal(bench_pmd(b, 38), 1 << 5 | 2); /* 18 entries */
  assert_int_equal(bench_pmd(b, 48), 0x9000 | 2 << 2 | 1);
  assert_int_equal(bench_pmd(b, 50), 0x2000 | 2 << 2 | 1);
  bench_set_pmd(b, 38, 0);
  assert_int_equal(bench_pmd(b, 38), 0);
}

/* Returns which of five branches a setting of the masks captures (3.3.10.1.1): right taken, right not taken, wrong path
 * taken, wrong target, return. */
static unsigned kept(struct bench *b, uint64_t pmc39)
{
  unsigned mask = 0;
  bench_set_pmc(b, 0, 1);
  bench_set_pmd(b, 38, 0);
  bench_set_pmc(b, 39, pmc39);
  bench_set_pmc(b, 0, 0);
  bench_run(b, "b 0x1000 mib nop nop br=0x2000,taken,right\nb 0x2000 mii nop nop nop\n"
               "b 0x1010 mib nop nop br=0x2000,right\nb 0x1020 mib nop nop br=0x2000,taken,wrongpath\n"
               "b 0x2000 mii nop nop nop\nb 0x1030 mib nop nop ind=0x2000,taken,wrongtarget\nb 0x2000 mii nop nop nop\n"
               "b 0x1040 mib nop nop ret=0x2000,taken,right\nb 0x2000 mii nop nop nop\n");
  freeze(b);
  for (unsigned i = 0; i < (bench_pmd(b, 38) & 15); i++)
    if (bench_pmd(b, 48 + i) & 1)
      mask |= 1u << (bench_pmd(b, 48 + i) >> 4 & 15);
  return mask;
}

static void test_trace_filters(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  assert_int_equal(kept(b, ALL_BRANCHES), 0x1f);
  assert_int_equal(kept(b, PLM | 3 << 8 | 2 << 10 | 2 << 12), 0x13); /* all correctly predicted branches */
  assert_int_equal(kept(b, PLM | 3 << 8 | 3 << 10 | 1 << 12), 0x04); /* wrong path */
  assert_int_equal(kept(b, PLM | 3 << 8 | 1 << 10 | 3 << 12), 0x08); /* wrong target */
  assert_int_equal(kept(b, PLM | 3 << 8 | 1 << 10 | 1 << 12), 0);    /* both: nothing */
  assert_int_equal(kept(b, PLM | 1 << 8 | 3 << 10 | 3 << 12), 0x02); /* not taken */
  assert_int_equal(kept(b, PLM | 3 << 10 | 3 << 12), 0);
  assert_int_equal(kept(b, ALL_BRANCHES | 1 << 14), 0x07); /* IP-relative */
  assert_int_equal(kept(b, ALL_BRANCHES | 2 << 14), 0x10); /* returns */
  assert_int_equal(kept(b, ALL_BRANCHES | 3 << 14), 0x08); /* other indirect ones */
  assert_int_equal(kept(b, ALL_BRANCHES ^ 7), 0);          /* level 3 is enabled; the code runs at 0 */
}

static void test_exceptions_and_checks(void **state)
{
  struct bench *b = *state;
  bench_set_pmc(b, 39, PLM); /* no branches: the trace buffer captures the other events */
  bench_run(b, "timing explicit\nb 0x1000 mii chks,fail nop nop\nb 0x8000 mii nop nop nop\nb 0x8010 mii chks nop nop\n"
               "b 0x8020 mib nop nop br=0x1000,taken,right\nb 0x1000 mii nop nop,fault nop\nb 0x9000 mib nop nop rfi\n"
               "b 0x1000 mii nop nop nop\n");
  freeze(b);
  assert_int_equal(bench_pmd(b, 38), 5);
  assert_int_equal(bench_pmd(b, 48), 0x1000 | 3);
  assert_int_equal(bench_pmd(b, 49), 0x8000 | 2);
  assert_int_equal(bench_pmd(b, 50), 0x1000 | 1 << 2 | 3);
  assert_int_equal(bench_pmd(b, 51), 0x9000 | 2 << 2 | 3); /* the rfi at the target, in the next clock */
  assert_int_equal(bench_pmd(b, 52), 0x1000 | 2);
}

static void test_ip_ear(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_set_pmc(b, 42, PLM | 4 << 8 | 3 << 11); /* three cycles after the freeze */
  bench_set_pmc(b, 39, ALL_BRANCHES);           /* has no effect */
  bench_count(b, 4, 0x50, 0);
  bench_set_pmc(b, 4, bench_pmc(b, 4) | 1 << 5);
  bench_set_pmd(b, 4, (UINT64_C(1) << 47) - 4);
  bench_run(b, "b 0x123450 mii alu alu alu\nstall exe.gr 70\nb 0x123460 mii nop nop alu\nb 0x123470 mii nop nop alu\n"
               "b 0x123480 mii alu alu alu\nb 0x123490 mii alu alu alu\nb 0x1234a0 mii alu alu alu\n"
               "b 0x1234b0 mii alu alu alu\n");
  assert_int_equal(bench_pmc(b, 0), 1 << 4 | 1);
  assert_int_equal(bench_pmd(b, 38), 7);
  assert_int_equal(bench_pmd(b, 49), UINT64_C(15) << 60 | UINT64_C(0x123) << 8 | 0x46);
  assert_int_equal(bench_pmd(b, 39) >> 8 & 15, 3 << 2); /* 63 cycles, saturated */
  assert_int_equal(bench_pmd(b, 50), UINT64_C(1) << 60 | UINT64_C(0x123) << 8 | 0x47);
  assert_int_equal(bench_pmd(b, 53), UINT64_C(1) << 60 | UINT64_C(0x123) << 8 | 0x4a); /* third cycle after */
  assert_int_equal(bench_pmd(b, 54) & 0xff, 0x4a);                                     /* the last one, ef = 0 */
}

static void test_ip_ear_early_freeze(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_set_pmc(b, 42, PLM | 4 << 8 | 200 << 11);
  bench_count(b, 4, 0x50, 0);
  bench_set_pmc(b, 4, bench_pmc(b, 4) | 1 << 5);
  bench_set_pmd(b, 4, (UINT64_C(1) << 47) - 1);
  bench_run(b, "b 0x1000 mii nop alu alu\nstall exe.gr 10\nswitch timer 15\n");
  const unsigned last = (unsigned)((bench_pmd(b, 38) - 1) & 15);
  assert_int_equal(bench_pmd(b, 39) >> ((last & 7) * 8) & 1, 1);
  assert_int_equal(bench_pmd(b, 48 + last) & 0xff, 200 - 10 - 15);
}

/* Returns the extension bits of an entry (Table 3-33): entries 0 and 8 share a byte, and so on. */
static unsigned extension(struct bench *b, unsigned entry)
{
  return (unsigned)(bench_pmd(b, 39) >> ((entry & 7) * 8 + (entry & 8 ? 4 : 0))) & 15;
}

static void bundles(struct bench *b, unsigned from, unsigned n)
{
  char line[64];
  for (unsigned i = 0; i < n; i++) {
    snprintf(line, sizeof line, "b 0x%x mii alu nop nop\n", from + 16 * i);
    bench_run(b, line);
  }
}

/* Sixteen entries, of which the oldest is overwritten; PMD38 points to it, and its full bit stays set. */
static void test_ip_ear_wraps(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_set_pmc(b, 0, 1);
  bench_set_pmc(b, 42, PLM | 4 << 8);
  bench_set_pmc(b, 0, 0);
  bundles(b, 0x5000, 20);
  freeze(b);
  assert_int_equal(bench_pmd(b, 38) & 32, 32);
  const unsigned oldest = bench_pmd(b, 38) & 15, young = (oldest - 1) & 15;
  assert_in_range(oldest, 4, 5); /* 20 bundles, and an entry at the freeze */
  assert_int_equal(bench_pmd(b, 48 + oldest) >> 8 & 0xfffff, 0x5);
  assert_int_equal(bench_pmd(b, 48 + oldest) & 0xff, oldest);
  for (unsigned i = 0; i < 16; i++)
    assert_int_equal(extension(b, i) & 1, 0);
  assert_int_equal(bench_pmd(b, 48 + young) & 0xff, 0x13);
}

/* A pipe flush since the previous entry is recorded in the next entry, and in no other. */
static void test_ip_ear_records_flushes(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_set_pmc(b, 42, PLM | 4 << 8);
  bench_run(b, "b 0x1000 mii alu nop nop\nb 0x1010 mib nop nop br=0x2000,taken,wrongpath\n"
               "stall flush.bru 6\nb 0x2000 mii alu nop nop\nb 0x2010 mii alu nop nop\nb 0x2020 mii alu nop nop\n");
  freeze(b);
  unsigned flushed = 0, at = 0;
  for (unsigned i = 0; i < (bench_pmd(b, 38) & 15); i++)
    if (extension(b, i) & 2) {
      flushed++;
      at = bench_pmd(b, 48 + i) >> 8 & 0xf;
    }
  assert_int_equal(flushed, 1);
  assert_int_equal(at, 2); /* 0x2000, seven cycles later */
}

/* Privilege levels that the mask excludes are not recorded. If PSR disables monitoring while a freeze is pending, the
 * IP-EAR freezes early and shows the rest of the delay; when monitoring resumes, so does the IP-EAR. */
static void test_ip_ear_and_psr(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_set_pmc(b, 42, 1 | 4 << 8 | 100 << 11); /* level 0 alone */
  bench_run(b, "b 0x1000 mii alu nop nop\npsr 0x300200004\nb 0x1010 mii alu nop nop\npsr 0x200004\n"
               "b 0x1020 mii alu nop nop\n");
  montecito_machine_close_cycles(b->m);
  bench_count(b, 4, 0x50, 0);
  bench_set_pmc(b, 4, bench_pmc(b, 4) | 1 << 5);
  bench_set_pmd(b, 4, (UINT64_C(1) << 47) - 1);
  bench_run(b, "b 0x1030 mii nop alu alu\nstall exe.gr 30\npsr 0x200000\nstall exe.gr 30\n"); /* clears PSR.up */
  const unsigned n = bench_pmd(b, 38) & 15, last = n - 1;
  for (unsigned i = 0; i < last; i++)
    assert_int_not_equal(bench_pmd(b, 48 + i) & 0xff, 0x01); /* 0x1010 */
  assert_int_equal(extension(b, last) & 1, 1);
  assert_in_range(bench_pmd(b, 48 + last) & 0xff, 68, 71);
  bench_run(b, "b 0x1040 mii alu nop nop\n");
  assert_int_equal(bench_pmd(b, 38) & 15, n); /* frozen */
  bench_run(b, "psr 0x200004\n");
  bench_set_pmc(b, 4, 0);
  bench_set_pmc(b, 0, 0);
  bundles(b, 0x1050, 2);
  montecito_machine_close_cycles(b->m);
  bench_set_pmc(b, 0, 1);
  assert_true((bench_pmd(b, 38) & 15) > n);
}

/* After software freezes the monitors, the IP-EAR continues as long as after an overflow: three cycles and a last
 * entry. */
static void test_ip_ear_software_freeze(void **state)
{
  struct bench *b = *state;
  bench_run(b, "timing explicit\n");
  bench_set_pmc(b, 42, PLM | 4 << 8 | 3 << 11);
  bundles(b, 0x6000, 2);
  freeze(b);
  assert_int_equal(bench_pmd(b, 38), 2);
  bundles(b, 0x6020, 6);
  montecito_machine_close_cycles(b->m);
  assert_int_equal(bench_pmd(b, 38), 6);
  for (unsigned i = 0; i < 5; i++)
    assert_int_equal(bench_pmd(b, 48 + i) & 0xff, i);
  assert_int_equal(extension(b, 5) & 1, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_set_up, bench_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_dear_cache),
      TEST(test_dear_latency_overflows),
      TEST(test_dear_gap),
      TEST(test_dear_tlb),
      TEST(test_dear_alat_and_pmc39),
      TEST(test_iear),
      TEST(test_trace),
      TEST(test_trace_wraps),
      TEST(test_trace_filters),
      TEST(test_exceptions_and_checks),
      TEST(test_ip_ear),
      TEST(test_ip_ear_early_freeze),
      TEST(test_ip_ear_wraps),
      TEST(test_ip_ear_records_flushes),
      TEST(test_ip_ear_and_psr),
      TEST(test_ip_ear_software_freeze),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

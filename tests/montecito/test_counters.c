/* SPDX-License-Identifier: MIT */
/* The counters against a second implementation that works cycle by cycle, on random programs and signals. */
#include "tests/montecito/bench.h"
#include "tests/montecito/naive.h"

enum { ROUNDS = 300, STEPS = 60 };

static uint64_t random_state = 88172645463325252u;

static unsigned roll(unsigned below)
{
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (unsigned)(random_state >> 11) % below;
}

static const uint8_t codes[] = {0xdc, 0x54, 0x50, 0x87, 0x9e, 0x7f, 0xb7, 0xb5,
                                0xdd, 0xcd, 0xce, 0xd1, 0xe6, 0xea, 0xf0};

static unsigned any_code(void)
{
  return codes[roll(sizeof codes)];
}

/* Returns mostly a control that counts something; sometimes one that does not. */
static uint64_t any_control(void)
{
  const uint64_t plm = roll(8) ? 1 + roll(15) : 0, ism = roll(10) ? 2 : roll(4), threshold = roll(3) ? 0 : roll(8);
  return plm | (uint64_t)roll(2) << 4 | (uint64_t)roll(2) << 5 | (uint64_t)roll(2) << 6 | (uint64_t)any_code() << 8 |
         (uint64_t)roll(16) << 16 | threshold << 20 | ism << 24 | (uint64_t)roll(2) << 26 | (uint64_t)roll(16) << 27;
}

static void counters_program(struct bench *b, struct naive *s)
{
  for (unsigned t = 0; t < 2; t++) {
    b->thread = (uint8_t)t;
    bench_set_pmc(b, 0, 1);
    for (unsigned i = 4; i < 16; i++) {
      s->pmc[t][i] = any_control();
      if (i == 5 && roll(2))
        s->pmc[t][i] = (s->pmc[t][i] & ~UINT64_C(0xff0f)) | 0xcd0f; /* selects an L1D set */
      if ((i == 4 || i == 6) && roll(2))
        s->pmc[t][i] = (s->pmc[t][i] & ~UINT64_C(0xff0f)) | (roll(2) ? 0xe60fu : 0xea0fu);
      s->pmd[t][i] = roll(2) ? (UINT64_C(1) << 47) - 1 - roll(12) : roll(1000);
      bench_set_pmc(b, i, s->pmc[t][i]);
      bench_set_pmd(b, i, s->pmd[t][i]);
      if (!(s->pmc[t][i] & 0xf))
        s->pmd[t][i] = 0; /* not stored while the counter is off */
    }
    s->pmc[t][0] = 0;
    bench_set_pmc(b, 0, 0);
  }
  b->thread = 0;
}

static void set_psr(struct bench *b, struct naive *s, unsigned t)
{
  s->psr[t] = (uint64_t)roll(2) << 2 | (uint64_t)roll(2) << 21 | (uint64_t)roll(4) << 32;
  montecito_thread_register_set(b->m, t, MONTECITO_PSR, s->psr[t]);
}

static void counters_take(struct bench *b, const struct montecito_record *r)
{
  char error[200] = "";
  if (montecito_machine_apply(b->m, r, error, sizeof error))
    fail_msg("%s", error);
}

static void signals(struct bench *b, struct naive *s)
{
  const unsigned code = any_code(), umasks = roll(65536), n = 1 + roll(8), cycles = 1 + roll(roll(4) ? 4 : 40);
  const unsigned thread = roll(2);
  counters_take(b, &(struct montecito_record){.kind = RECORD_SIGNAL,
                                              .thread = (uint8_t)thread,
                                              .a = (uint8_t)code,
                                              .n = n,
                                              .value = umasks | (uint64_t)cycles << 16});
  for (unsigned i = 0; i < cycles; i++)
    naive_cycle(s, code, umasks, n, thread);
}

static void unfreeze(struct bench *b, struct naive *s)
{
  const unsigned t = roll(2);
  b->thread = (uint8_t)t;
  s->pmc[t][0] = roll(3) ? 0 : roll(16) << 4;
  bench_set_pmc(b, 0, s->pmc[t][0]);
  b->thread = 0;
}

static void switch_threads(struct bench *b, struct naive *s)
{
  counters_take(b, &(struct montecito_record){.kind = RECORD_SWITCH, .thread = (uint8_t)s->active, .a = SWITCH_TIMER});
  s->active = !s->active;
}

static void counters_compare(struct bench *b, const struct naive *s, unsigned round)
{
  montecito_machine_close_cycles(b->m);
  for (unsigned t = 0; t < 2; t++) {
    b->thread = (uint8_t)t;
    for (unsigned i = 4; i < 16; i++)
      if ((bench_pmd(b, i) & ((UINT64_C(1) << 47) - 1)) != s->pmd[t][i])
        fail_msg("round %u: thread %u PMD%u is 0x%llx, expected 0x%llx (PMC 0x%llx)", round, t, i,
                 (unsigned long long)bench_pmd(b, i), (unsigned long long)s->pmd[t][i],
                 (unsigned long long)s->pmc[t][i]);
    assert_int_equal(bench_pmc(b, 0), s->pmc[t][0]);
  }
  b->thread = 0;
}

static void test_naive(void **state)
{
  struct bench *b = *state;
  struct naive s = {.psr = {4 | 1 << 21, 4 | 1 << 21}};
  uint64_t counted = 0, frozen = 0;
  for (unsigned round = 0; round < ROUNDS; round++) {
    counters_program(b, &s);
    for (unsigned i = 0; i < STEPS; i++) {
      switch (roll(30)) {
      case 0:
      case 3: set_psr(b, &s, roll(2)); break;
      case 1: unfreeze(b, &s); break;
      case 2: switch_threads(b, &s); break;
      default: signals(b, &s); break;
      }
    }
    counters_compare(b, &s, round);
    for (unsigned i = 4; i < 16; i++)
      counted += s.pmd[0][i] != 0;
    frozen += s.pmc[0][0] & 1;
  }
  assert_in_range(counted, ROUNDS, 12 * ROUNDS);
  assert_in_range(frozen, ROUNDS / 20, ROUNDS - 1);
}

static void test_overflow(void **state)
{
  struct bench *b = *state;
  bench_set_pmd(b, 4, (UINT64_C(1) << 47) - 3);
  bench_count(b, 4, 0x50, 0);
  bench_set_pmc(b, 4, bench_pmc(b, 4) | 1 << 4 | 1 << 5);
  bench_count(b, 5, 0xdc, 0);
  assert_int_equal(bench_pmd(b, 4), (uint64_t)-3); /* as a signed number */
  bench_run(b, "signal L3_MISSES 1 1\nsignal NOPS_RETIRED 2 4\nsignal L3_MISSES 1 1\n");
  assert_int_equal(bench_pmc(b, 0), 1 << 4 | 1); /* 2 + 2: the second cycle was the last */
  assert_int_equal(bench_pmd(b, 4), 1);
  assert_int_equal(bench_pmd(b, 5), 1); /* frozen by then */
  assert_true(montecito_interrupt_pending(b->m, 0));
  assert_false(montecito_interrupt_deliverable(b->m, 0)); /* PMV.m is set at reset */
  assert_int_equal(montecito_pin_pulses(b->m, 0), 1);
  montecito_thread_register_set(b->m, 0, MONTECITO_PMV, 0xd2);
  montecito_thread_register_set(b->m, 0, MONTECITO_PSR, PSR_UP | PSR_I | PSR_IC);
  assert_true(montecito_interrupt_deliverable(b->m, 0));
  montecito_thread_register_set(b->m, 0, MONTECITO_TPR, 13 << 4);
  assert_false(montecito_interrupt_deliverable(b->m, 0)); /* class 13 is masked */
  bench_set_pmc(b, 0, 0);
  assert_false(montecito_interrupt_pending(b->m, 0));
}

/* The cycles of a stall are counted at once, up to the cycle in which a counter freezes the others; each stall is
 * counted by the counters that are enabled by then. */
static void test_overflow_in_stall(void **state)
{
  struct bench *b = *state;
  bench_count(b, 4, 0x12, 0);
  bench_count(b, 5, 0x49, 0);
  bench_set_pmd(b, 4, (UINT64_C(1) << 47) - 10);
  bench_run(b, "stall exe.gr 3\nstall exe.gr 25\n");
  assert_int_equal(bench_pmd(b, 4), 18);
  assert_int_equal(bench_pmd(b, 5), 28);
  assert_int_equal(bench_pmc(b, 0), 1 << 4); /* no freeze was requested */
  bench_set_pmc(b, 0, 0);
  bench_set_pmd(b, 4, (UINT64_C(1) << 47) - 10);
  bench_set_pmc(b, 4, bench_pmc(b, 4) | 1 << 5);
  bench_run(b, "stall exe.gr 3\nstall exe.gr 25\n");
  assert_int_equal(bench_pmd(b, 4), 0);
  assert_int_equal(bench_pmd(b, 5), 28 + 10);
  assert_int_equal(bench_pmc(b, 0), 1 << 4 | 1);
  bench_run(b, "stall exe.gr 5\n");
  assert_int_equal(bench_pmd(b, 5), 28 + 10);
}

static void on_interrupt(void *arg, unsigned thread, uint64_t cycle)
{
  uint64_t *seen = arg;
  seen[0]++;
  seen[1] = thread;
  seen[2] = cycle;
}

/* 3.3.11: an interrupt is taken when nothing masks it, immediately or as soon as the mask is cleared; once until PMC0
 * is cleared. */
static void test_interrupts_are_taken(void **state)
{
  struct bench *b = *state;
  uint64_t seen[3] = {0};
  montecito_machine_on_interrupt(b->m, on_interrupt, seen);
  montecito_thread_register_set(b->m, 0, MONTECITO_PSR, PSR_UP | PSR_IC);
  montecito_thread_register_set(b->m, 0, MONTECITO_PMV, 0xd2);
  bench_set_pmd(b, 4, (UINT64_C(1) << 47) - 2);
  bench_count(b, 4, 0x50, 0);
  bench_set_pmc(b, 4, bench_pmc(b, 4) | 1 << 5);
  bench_run(b, "signal NOPS_RETIRED 1 4\n");
  assert_int_equal(bench_pmc(b, 0), 1 << 4 | 1);
  assert_int_equal(seen[0], 0); /* PSR.i is 0 */
  montecito_thread_register_set(b->m, 0, MONTECITO_PSR, PSR_UP | PSR_IC | PSR_I);
  bench_run(b, "stall exe.gr 1\n");
  assert_int_equal(seen[0], 1);
  bench_run(b, "stall exe.gr 5\n");
  assert_int_equal(seen[0], 1);
  bench_set_pmd(b, 4, (UINT64_C(1) << 47) - 2);
  bench_set_pmc(b, 0, 0);
  const uint64_t before = montecito_machine_cycle(b->m);
  bench_run(b, "signal NOPS_RETIRED 1 4\n");
  assert_int_equal(seen[0], 2);
  assert_int_equal(seen[1], 0);
  assert_int_equal(seen[2], before + 2); /* with the second nop, not the fourth */
  assert_int_equal(montecito_interrupts(b->m, 0), 2);
  assert_int_equal(montecito_interrupts(b->m, 1), 0);
}

static void test_privilege_of_readers(void **state)
{
  struct bench *b = *state;
  const struct pmon_address a = bench_address(b, PMON_SPACE_PMD, 6);
  uint64_t value;
  bench_count(b, 6, 0x50, 0);
  bench_set_pmd(b, 6, 77);
  montecito_thread_register_set(b->m, 0, MONTECITO_PSR, PSR_UP | UINT64_C(3) << PSR_CPL_SHIFT);
  assert_int_equal(montecito_machine_read_user(b->m, &a, &value), 0);
  assert_int_equal(value, 77);
  bench_set_pmc(b, 6, bench_pmc(b, 6) | 1 << 6); /* pm */
  assert_int_equal(montecito_machine_read_user(b->m, &a, &value), 0);
  assert_int_equal(value, 0);
}

static void test_interruptions_take_dcr_pp(void **state)
{
  struct bench *b = *state;
  bench_count(b, 4, 0x50, 0);
  bench_set_pmc(b, 4, bench_pmc(b, 4) | 1 << 6);
  bench_run(b, "psr 0x300200000\nsignal NOPS_RETIRED 1\ndcr 0\ninterrupt\nsignal NOPS_RETIRED 1\n"
               "b 0x1000 mib alu nop rfi\nsignal NOPS_RETIRED 1\n");
  assert_int_equal(bench_pmd(b, 4), 2); /* not in the handler; its nop does not count either */
  assert_int_equal(montecito_thread_register_get(b->m, 0, MONTECITO_PSR), 0x300200000);
}

static void test_halted_cycles(void **state)
{
  struct bench *b = *state;
  bench_count(b, 10, 0x18, 0);
  bench_count(b, 4, 0x12, 0);
  bench_run(b, "stall exe.gr 7\nhalt 100\n");
  assert_int_equal(bench_pmd(b, 10), 100);
  assert_int_equal(bench_pmd(b, 4), 7);
  bench_count(b, 11, 0x18, 0);
  bench_run(b, "halt 100\n");
  assert_int_equal(bench_pmd(b, 11), 0); /* only PMD10 can count it */
  assert_int_equal(bench_blamed(b, "PMC11", "es"), 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_naive, bench_set_up, bench_tear_down),
      cmocka_unit_test_setup_teardown(test_overflow, bench_set_up, bench_tear_down),
      cmocka_unit_test_setup_teardown(test_overflow_in_stall, bench_set_up, bench_tear_down),
      cmocka_unit_test_setup_teardown(test_privilege_of_readers, bench_set_up, bench_tear_down),
      cmocka_unit_test_setup_teardown(test_interrupts_are_taken, bench_set_up, bench_tear_down),
      cmocka_unit_test_setup_teardown(test_interruptions_take_dcr_pp, bench_set_up, bench_tear_down),
      cmocka_unit_test_setup_teardown(test_halted_cycles, bench_set_up, bench_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* The threads' registers as text: a saved state is restored and continues alike; an invalid state is refused as a
 * whole. */
#include <stdlib.h>
#include <pmon/status.h>
#include "tests/montecito/bench.h"

static char *save(const struct bench *b)
{
  char *text = NULL;
  size_t n;
  FILE *f = open_memstream(&text, &n);
  assert_non_null(f);
  assert_int_equal(montecito_machine_state_save(b->m, f), 0);
  fclose(f);
  return text;
}

/* Counters close to overflow, ranges, EARs, a trace; then instructions of both threads, so that all registers have
 * contents. */
static const char busy[] =
    "timing explicit\npmv 0xd2\npsr 0x206004\nibr 0 0x1000\nibr 1 0x0fffffffffff0000\ndbr 2 0x8000\n"
    "dbr 3 0x0fffffffffff0000\n"
    "pmd 4 0x7fffffffffc0\npmc 4 0x200081f\npmd 10 5\npmc 10 0x200120f\npmc 37 0x260f\npmc 40 0x200000f\npmc 39 "
    "0x3f0f\n"
    "b 0x1000 mii alu alu nop\nb 0x1010 mmi ld=0x8000,mem alu nop\nb 0x1020 mib alu nop br=0x1000,taken\n"
    "b 0x1000 mii alu alu nop\nstall exe.gr 300\nswitch timer\nthread 1\npmd 5 7\npmc 5 0x200120f\n"
    "b 0x9000 mii alu alu nop\nthread 2\npmc 42 0x500f\nb 0x5000 mii alu alu nop\n";
static const char more[] =
    "thread 1\nb 0x9010 mii alu alu nop\nstall exe.gr 7\nswitch hint\nthread 0\nb 0x1010 mib alu nop br=0x1000,taken\n"
    "b 0x1000 mii alu alu nop\nthread 2\nb 0x5010 mii alu alu nop\nthread 0\n";

static void saved_registers_are_restored(void **state)
{
  struct bench *one = *state, two = {0};
  char error[200] = "";
  assert_int_equal(montecito_machine_new(&two.m), 0);
  char *reset = save(&two);
  bench_run(one, busy);
  char *text = save(one);
  assert_string_not_equal(text, reset);
  assert_non_null(strstr(text, "\n1 ACTIVE 0x1\n"));
  assert_non_null(strstr(text, "\n0 IBR0 0x1000\n"));
  assert_non_null(strstr(text, "\n2 PMC42 0x500f\n"));
  if (montecito_machine_state_load(two.m, text, strlen(text), error, sizeof error))
    fail_msg("%s", error);
  char *again = save(&two);
  assert_string_equal(text, again);
  /* Caches and latencies are not registers: the account does not use them. */
  bench_run(&two, "thread 1\ntiming explicit\nthread 2\ntiming explicit\n");
  bench_run(one, "thread 0\npmc 37 0\npmc 40 0\npmc 39 0\n");
  bench_run(&two, "thread 0\npmc 37 0\npmc 40 0\npmc 39 0\n");
  bench_run(one, more);
  bench_run(&two, more);
  for (unsigned n = 4; n < 16; n++)
    assert_int_equal(bench_pmd(one, n), bench_pmd(&two, n));
  assert_true(bench_pmd(one, 4) != 0 && bench_pmd(one, 10) != 0);
  assert_int_equal(bench_pmc(one, 0), bench_pmc(&two, 0));
  free(reset), free(text), free(again);
  montecito_machine_free(two.m);
}

/* Every writable register contains a different pattern. */
static void every_register_is_listed(void **state)
{
  struct bench *one = *state, two = {0};
  static const uint8_t spaces[] = {PMON_SPACE_PMC, PMON_SPACE_PMD, PMON_SPACE_IBR, PMON_SPACE_DBR};
  char error[200] = "";
  unsigned met = 0;
  assert_int_equal(montecito_machine_new(&two.m), 0);
  for (one->thread = 0; one->thread < MONTECITO_THREADS; one->thread++)
    for (unsigned i = 0; i < 4 * 64; i++) {
      const struct pmon_address a = bench_address(one, spaces[i / 64], i % 64);
      met += !montecito_machine_write(one->m, &a, (UINT64_C(0x9e3779b97f4a7c15) * (i + one->thread + 1)) | 1);
    }
  assert_int_equal(met, MONTECITO_THREADS * (4 + 12 + 11 + 12 + 7 + 16 + 2 * 8));
  char *text = save(one);
  assert_int_equal(montecito_machine_state_load(two.m, text, strlen(text), error, sizeof error), 0);
  for (one->thread = two.thread = 0; one->thread < MONTECITO_THREADS; one->thread = ++two.thread)
    for (unsigned i = 0; i < 4 * 64; i++) {
      const struct pmon_address a = bench_address(one, spaces[i / 64], i % 64);
      uint64_t x, y;
      if (!montecito_machine_read(one->m, &a, &x)) {
        assert_int_equal(montecito_machine_read(two.m, &a, &y), 0);
        assert_int_equal(x, y);
      }
    }
  free(text);
  montecito_machine_free(two.m);
}

static void non_state_input_is_refused(void **state)
{
  static const struct {
    const char *text;
    int status;
    const char *error;
  } cases[] = {
      {"platform emr\n", PMON_E_CONFLICT, "line 1: the state is for another platform: 'emr'"},
      {"platform montecito\n0 PMC16 1\n", PMON_E_UNKNOWN, "line 2: this machine has no register 'PMC16'"},
      {"4 PMC4 1\n", PMON_E_UNKNOWN, "line 1: this machine has no thread '4'"},
      {"0 PMC4 0x80\n", PMON_E_RANGE, "line 1: the register does not have all bits of '0x80'"},
      {"0 PMC0 1 frozen\n", PMON_E_RANGE, "line 1: `frozen` does not apply to the register 'PMC0'"},
      {"0 PMD4\n", PMON_E_SYNTAX, "line 1: expected a thread, a register and its value, not 'PMD4'"},
  };
  struct bench *b = *state;
  char *before = save(b);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char error[200] = "", text[200];
    snprintf(text, sizeof text, "0 PMD5 77\n%s", cases[i].text);
    assert_int_equal(montecito_machine_state_load(b->m, cases[i].text, strlen(cases[i].text), error, sizeof error),
                     cases[i].status);
    assert_string_equal(error, cases[i].error);
    assert_int_equal(montecito_machine_state_load(b->m, text, strlen(text), error, sizeof error), cases[i].status);
  }
  char *after = save(b);
  assert_string_equal(before, after);
  free(before), free(after);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(saved_registers_are_restored, bench_set_up, bench_tear_down),
      cmocka_unit_test_setup_teardown(every_register_is_listed, bench_set_up, bench_tear_down),
      cmocka_unit_test_setup_teardown(non_state_input_is_refused, bench_set_up, bench_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

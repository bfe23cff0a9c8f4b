/* SPDX-License-Identifier: MIT */
/* The machine's parameters: each has an effect, the defaults are the guide's values, and inconsistent values are
 * refused. */
#include <pmon/status.h>
#include "machine/montecito/config.h"
#include "tests/montecito/bench.h"

enum { RESULTS = 17 };

static void new_machine(struct bench *b, const struct montecito_config *config)
{
  char error[200] = "";
  *b = (struct bench){0};
  if (montecito_machine_new_configured(config, error, sizeof error, &b->m))
    fail_msg("%s", error);
}

/* Accesses data in `n` places, `step` bytes apart, twice; then code likewise. */
static void touch(struct bench *b, unsigned n, uint64_t step)
{
  char line[120];
  for (unsigned i = 0; i < 2 * n; i++) {
    snprintf(line, sizeof line, "b 0x5000 mii ld=0x%llx,used nop nop\n",
             (unsigned long long)(0x10000000 + i % n * step));
    bench_run(b, line);
  }
  for (unsigned i = 0; i < 2 * n; i++) {
    snprintf(line, sizeof line, "b 0x%llx mii nop nop nop\n", (unsigned long long)(0x20000000 + i % n * step));
    bench_run(b, line);
  }
}

/* Branches of which two share an entry of a second-level predictor with 4096 entries, but not with 8192. Four lines of
 * the same set evict both lines from the L1I. */
static void branches(struct bench *b)
{
  for (unsigned i = 0; i < 8; i++)
    bench_run(b, "b 0x100000 mib nop nop br=0x110010,taken\nb 0x200000 mib nop nop nop\nb 0x201000 mib nop nop nop\n"
                 "b 0x202000 mib nop nop nop\nb 0x203000 mib nop nop nop\n"
                 "b 0x110010 mib nop nop br=0x100000\nb 0x200000 mib nop nop nop\nb 0x201000 mib nop nop nop\n"
                 "b 0x202000 mib nop nop nop\nb 0x203000 mib nop nop nop\n");
}

/* Measures what the parameters affect: cycles, misses of each level, and outstanding bus transactions. */
static void run_all(struct bench *b, uint64_t result[RESULTS])
{
  bench_count(b, 4, 0x9f, 0); /* SI_RQ_LIVE_REQ_LO */
  bench_count(b, 5, 0xa2, 0); /* SI_WRITEQ_LIVE_REQ_LO */
  bench_count(b, 6, 0x88, 3); /* BUS_DATA_CYCLE */
  bench_count(b, 7, 0x0f, 5); /* long stalls before a switch */
  for (unsigned n = 64; n <= 1024; n *= 4)
    touch(b, n, n == 64 ? 4096 : n == 256 ? 16384 : 128);
  touch(b, 6, 4096);
  touch(b, 10, 1 << 17);
  touch(b, 20, 1 << 20);
  touch(b, 1024, 256);
  branches(b);
  bench_run(b, "b 0x5000 mii ld=0x700000,uc,used nop nop\nb 0x5010 mii srlz nop nop\nb 0x5020 mii nop,fault nop nop\n"
               "b 0x5030 mii fc=0x10000000 nop nop\nb 0x5040 mii st=0x10000000,mem nop nop\nstall exe.gr 500\n"
               "b 0x5050 mii fc=0x10000000 nop nop\nbus brl self\nbus bwl self\nstall exe.gr 100\nswitch timer\n");
  const struct montecito_account a = montecito_machine_account(b->m, 0);
  montecito_core_share(b->m, 0, true);
  b->thread = 1;
  bench_run(b, "stall exe.gr 15000\n");
  uint8_t cause;
  const bool slice_over = montecito_switch_wanted(b->m, 0, &cause);
  b->thread = 0;
  const uint64_t results[RESULTS] = {a.cycles,        a.l1i_misses,    a.l1d_misses,   a.l2d_misses,    a.l3_misses,
                                     a.itlb_misses,   a.dtlb_misses,   a.mispredicted, bench_pmd(b, 4), bench_pmd(b, 5),
                                     bench_pmd(b, 6), bench_pmd(b, 7), slice_over};
  memcpy(result, results, sizeof results);
}

static void each_parameter_has_an_effect(void **state)
{
  struct montecito_config config;
  struct bench b;
  uint64_t usual[RESULTS], changed[RESULTS];
  (void)state;
  montecito_config_init(&config);
  new_machine(&b, &config);
  run_all(&b, usual);
  montecito_machine_free(b.m);
  for (unsigned i = 0; i < montecito_parameters.n; i++) {
    const struct config_parameter *p = &montecito_parameters.parameter[i];
    if (i == MONTECITO_PROGRAM_BUNDLES) /* applies to programs, not to streams: tests/montecito/exec/programs.sh */
      continue;
    for (unsigned larger = 0; larger < 2; larger++) {
      const uint64_t value = larger ? p->default_value * 2 : p->default_value / 2;
      montecito_config_init(&config);
      config.value[i] = (uint32_t)value;
      /* a cache with another number of ways keeps its number of sets */
      if (strstr(p->name, ".ways"))
        config.value[i - 1] = config.value[i - 1] * (uint32_t)value / (uint32_t)p->default_value;
      if (value < p->least || value > p->most || montecito_config_check(&config, (char[200]){0}, 200))
        continue;
      new_machine(&b, &config);
      run_all(&b, changed);
      montecito_machine_free(b.m);
      if (memcmp(usual, changed, sizeof usual))
        break;
      if (larger)
        fail_msg("%s has no effect", p->name);
    }
  }
}

/* Tables 2-8 and 2-9, 2.4.1. */
static void defaults_are_those_of_the_guide(void **state)
{
  static const struct {
    unsigned id;
    uint32_t value;
  } rows[] = {{MONTECITO_L1I_SIZE, 16384},  {MONTECITO_L1D_SIZE, 16384},   {MONTECITO_L2I_SIZE, 1048576},
              {MONTECITO_L2D_SIZE, 262144}, {MONTECITO_L3_SIZE, 12582912}, {MONTECITO_L3_WAYS, 12},
              {MONTECITO_L2I_WAYS, 8},      {MONTECITO_L2D_WAYS, 8},       {MONTECITO_L1D_WAYS, 4},
              {MONTECITO_L1I_WAYS, 4},      {MONTECITO_L2I_LATENCY, 7},    {MONTECITO_L2D_LATENCY, 5},
              {MONTECITO_L3_LATENCY, 14},   {MONTECITO_SWITCH_CYCLES, 15}};
  struct montecito_config config;
  (void)state;
  montecito_config_init(&config);
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_int_equal(config.value[rows[i].id], rows[i].value);
  assert_in_range(config.value[MONTECITO_MEMORY_LATENCY], 180, 225);
}

static void values_are_checked(void **state)
{
  static const struct {
    const char *text, *error;
    int status;
  } rows[] = {
      {"l3.size=10M", "6M or 12M", PMON_E_RANGE},           {"l2d.ways=6", "multiple of 4", PMON_E_RANGE},
      {"page.size=12K", "power of two", PMON_E_RANGE},      {"predictor.entries=100", "power of two", PMON_E_RANGE},
      {"l2dtlb.entries=4", "from 40 to 128", PMON_E_RANGE}, {"l2d.ways=x", "expected a number", PMON_E_SYNTAX},
      {"ways=8", "no such parameter", PMON_E_UNKNOWN}};
  (void)state;
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct montecito_config config;
    char error[200] = "";
    montecito_config_init(&config);
    int status = montecito_config_parse(&config, rows[i].text, error, sizeof error);
    if (!status)
      status = montecito_config_check(&config, error, sizeof error);
    assert_int_equal(status, rows[i].status);
    if (!strstr(error, rows[i].error))
      fail_msg("%s: \"%s\" lacks \"%s\"", rows[i].text, error, rows[i].error);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_parameter_has_an_effect),
                                     cmocka_unit_test(defaults_are_those_of_the_guide),
                                     cmocka_unit_test(values_are_checked)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

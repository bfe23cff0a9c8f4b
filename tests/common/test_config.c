/* SPDX-License-Identifier: MIT */
/* Parameters by name, the messages for refused ones, and determinism: the same calls give the same reports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/status.h>
#include "tests/common/double.h"
#include "machine/config.h"
#include "machine/common/feed.h"

static void every_value_is_read_back(void **state)
{
  (void)state;
  struct machine_config c, d = {.given = {false}};
  char text[32], line[96], error[256];
  machine_config_init(&c);
  memset(d.value, 0xff, sizeof d.value);
  unsigned n = 0;
  for (const struct config_parameter *p; (p = machine_config_parameter(n)); n++) {
    const uint64_t values[] = {p->least, p->most, p->default_value};
    for (unsigned k = 0; k < 3; k++) {
      machine_config_format(n, values[k], text, sizeof text);
      snprintf(line, sizeof line, "%s=%s", p->name, text);
      assert_int_equal(machine_config_parse(&d, line, error, sizeof error), PMON_OK);
      assert_int_equal(d.value[n], values[k]);
    }
    assert_true(p->least <= p->default_value && p->default_value <= p->most && *p->meaning);
  }
  assert_int_equal(n, CONFIG_N);
  assert_memory_equal(c.value, d.value, sizeof c.value);
  assert_int_equal(machine_config_check(&c, error, sizeof error), PMON_OK);
}

static void units_and_words(void **state)
{
  (void)state;
  struct machine_config c;
  char error[256];
  static const struct {
    const char *text;
    unsigned id;
    uint64_t value;
  } good[] = {
      {"llc.size=5M", CONFIG_LLC_SIZE, 5 << 20},   {"core.ghz=2.45", CONFIG_CORE_GHZ, 2450},
      {"L1D.SIZE=0x8000", CONFIG_L1D_SIZE, 32768}, {"numa=bind:1", CONFIG_NUMA, 3},
      {"numa=Interleave", CONFIG_NUMA, 1},         {"llc.policy=fill", CONFIG_LLC_POLICY, 1},
      {"dram.cl=14.125", CONFIG_DRAM_CL, 14125},   {"prefetch=off", CONFIG_PREFETCH, 0},
  };
  static const struct {
    const char *text;
    int status;
  } bad[] = {
      {"cores=65", PMON_E_RANGE},
      {"cores=", PMON_E_SYNTAX},
      {"cores=8x", PMON_E_SYNTAX},
      {"llc.polic=fill", PMON_E_UNKNOWN},
      {"llc.policy=full", PMON_E_UNKNOWN},
      {"numa=bind:2", PMON_E_RANGE},
      {"numa=bind", PMON_E_UNKNOWN},
      {"skx", PMON_E_UNKNOWN},
      {"l2.size=99999999999999999999", PMON_E_RANGE},
      {"l2.size=17179869184G", PMON_E_RANGE},
      {"cores=-1", PMON_E_SYNTAX},
  };
  machine_config_init(&c);
  for (unsigned i = 0; i < sizeof good / sizeof *good; i++) {
    assert_int_equal(machine_config_parse(&c, good[i].text, error, sizeof error), PMON_OK);
    assert_int_equal(c.value[good[i].id], good[i].value);
  }
  for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct machine_config before = c;
    *error = 0;
    assert_int_equal(machine_config_parse(&c, bad[i].text, error, sizeof error), bad[i].status);
    assert_true(*error);
    assert_memory_equal(&before, &c, sizeof c);
  }
}

static void inconsistent_values_are_refused(void **state)
{
  (void)state;
  static const char *const sets[] = {"dram.trefi=259",  "l1d.size=33K",    "l2.ways=15",
                                     "imcs=3",          "dram.wpq_low=40", "l2.size=0",
                                     "llc.policy=fill", "llc.ways=1",      "sf.sets=1000"};
  char error[256];
  for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++) {
    struct machine_config c;
    machine_config_init(&c);
    assert_int_equal(machine_config_parse(&c, sets[i], error, sizeof error), PMON_OK);
    *error = 0;
    assert_int_equal(machine_config_check(&c, error, sizeof error), PMON_E_RANGE);
    assert_true(*error);
  }
}

#define SNBEP_MOST "this processor has at most 8 cores, 8 LLC slices (chas) and 2 links (upi.links)"
#define EMR_REQUIRED "this processor requires dram.subchannels=2 and directory=on"
static void parameters_that_do_not_suit_the_processor_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *platform, *set, *refused;
  } sets[] = {{"snbep", "sf.sets=64", "sf.sets: has no effect on snbep; omit it"},
              {"snbep", "llc.policy=fill", "llc.policy: has no effect on snbep; omit it"},
              {"snbep", "core.walks=on", "core.walks: has no effect on snbep; omit it"},
              {"snbep", "direct2core=off", NULL},
              {"snbep", "sf.sets=1", NULL}, /* the machine's own value */
              {"emr", "direct2core=off", "direct2core: has no effect on emr; omit it"},
              {"spr", "direct2core=off", "direct2core: has no effect on spr; omit it"},
              /* limits of a processor */
              {"snbep", "chas=16", "chas: " SNBEP_MOST},
              {"snbep", "upi.links=3", "upi.links: " SNBEP_MOST},
              {"emr", "dram.subchannels=1", "dram.subchannels: " EMR_REQUIRED},
              {"emr", "directory=off", "directory: " EMR_REQUIRED},
              {"emr", "sf.sets=64", NULL}};
  for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++) {
    struct machine_config c;
    char error[256] = "";
    machine_config_init(&c);
    assert_int_equal(machine_config_parse(&c, sets[i].set, error, sizeof error), PMON_OK);
    assert_int_equal(machine_config_change(&c, sets[i].platform), PMON_OK);
    assert_int_equal(machine_config_check(&c, error, sizeof error), sets[i].refused ? PMON_E_RANGE : PMON_OK);
    assert_string_equal(error, sets[i].refused ? sets[i].refused : "");
  }
}

static uint64_t digest(const char *const *settings)
{
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, settings);
  uint64_t seed = 77;
  assert_int_equal(traffic_dma_start(t, &(struct dma_stream){.node = 1,
                                                             .write = true,
                                                             .bytes_per_second = 1000000000,
                                                             .span_bytes = 1 << 20,
                                                             .until = UINT64_MAX}),
                   PMON_OK);
  for (unsigned c = 0; c < 4; c++)
    traffic_core_wake(t, c);
  for (unsigned i = 0; i < 20000; i++) {
    uint64_t r = double_random(&seed);
    traffic_block(t, i & 3, 0x400000 + (r & 0xff0), 20, 6);
    traffic_access(t, i & 3, 0x10000000 + r % (1 << 25), 8, (enum access_kind)(r >> 44 & 1));
  }
  traffic_drain(t);
  uint64_t d = double_digest(m);
  traffic_free(t);
  double_free(m);
  return d;
}

static void repeated_run_is_identical(void **state)
{
  (void)state;
  static const char *const plain[] = {"cores=4", NULL}, *const other[] = {"cores=4", "seed=2", NULL};
  uint64_t first = digest(plain);
  assert_true(first == digest(plain));
  assert_true(first != digest(other));
}

static void invalid_streams_are_refused(void **state)
{
  (void)state;
  struct machine *m = double_new(1);
  struct traffic *t = double_traffic(m, NULL);
  static const struct dma_stream bad[] = {
      {.socket = 2, .write = true, .bytes_per_second = 1, .span_bytes = 4096, .until = 1},
      {.stack = 10, .write = true, .bytes_per_second = 1, .span_bytes = 4096, .until = 1},
      {.port = 8, .write = true, .bytes_per_second = 1, .span_bytes = 4096, .until = 1},
      {.node = 2, .write = true, .bytes_per_second = 1, .span_bytes = 4096, .until = 1},
      {.write = true, .bytes_per_second = 0, .span_bytes = 4096, .until = 1},
      {.write = true, .bytes_per_second = 1, .span_bytes = 63, .until = 1},
  };
  for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(traffic_dma_start(t, &bad[i]), PMON_E_INVALID);
  traffic_free(t);
  double_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_value_is_read_back),
      cmocka_unit_test(units_and_words),
      cmocka_unit_test(inconsistent_values_are_refused),
      cmocka_unit_test(parameters_that_do_not_suit_the_processor_are_refused),
      cmocka_unit_test(repeated_run_is_identical),
      cmocka_unit_test(invalid_streams_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

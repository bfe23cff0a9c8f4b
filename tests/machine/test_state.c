/* SPDX-License-Identifier: MIT */
/* The register state as text: a saved state is restored completely; an invalid state is refused as a whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/access.h>
#include <pmon/status.h>
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/pmon/state.h"
#include "machine/pmon/save.h"

static struct machine *make(const char *platform)
{
  struct machine_config config;
  struct machine *m;
  char error[200] = "";
  assert_int_equal(machine_config_preset(&config, platform), 0);
  if (machine_new(&config, error, sizeof error, &m))
    fail_msg("%s", error);
  return m;
}

static char *save(const struct machine *m)
{
  char *text = NULL;
  size_t n;
  FILE *f = open_memstream(&text, &n);
  assert_non_null(f);
  assert_int_equal(machine_state_save(m, f), 0);
  fclose(f);
  return text;
}

/* Every register of every socket gets a different pattern in all its bits; some blocks are frozen. */
static void disturb(struct machine *m)
{
  for (unsigned s = 0; s < m->n_sockets; s++)
    for (uint32_t i = 0; i < m->map.n; i++) {
      const struct reg *r = &m->map.regs[i];
      const struct reg_layout *l = r->rows->layout;
      uint64_t value = ((uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) + s) & (l->rw | l->wo);
      struct pmon_address a = {
          .package = s, .space = r->space, .width_bits = r->rows->width_bits, .device = r->device, .offset = r->base};
      if (r->rows->role == REG_CTL || r->rows->role == REG_FIXED_CTL)
        value &= l->rw;
      if (value)
        assert_int_equal(machine_write(m, &a, value), 0);
    }
}

static void state_round_trip(const char *platform)
{
  struct machine *one = make(platform), *two = make(platform);
  char error[200] = "";
  disturb(one);
  char *text = save(one), *reset = save(two);
  assert_string_not_equal(text, reset);
  assert_non_null(strstr(text, " frozen\n"));
  if (machine_state_load(two, text, strlen(text), error, sizeof error))
    fail_msg("%s", error);
  char *again = save(two);
  assert_string_equal(text, again);
  /* and the counters continue alike */
  bool ended;
  assert_int_equal(machine_run(one, 1000000000, &ended, error, sizeof error), 0);
  assert_int_equal(machine_run(two, 1000000000, &ended, error, sizeof error), 0);
  char *later = save(one), *later_too = save(two);
  assert_string_equal(later, later_too);
  free(text), free(reset), free(again), free(later), free(later_too);
  machine_free(one);
  machine_free(two);
}

static void saved_registers_are_restored(void **state)
{
  (void)state;
  state_round_trip("emr");
  state_round_trip("snbep");
}

/* A truncated file, cut between two lines or inside one, changes nothing. */
static void a_cut_state_is_refused(void **state)
{
  static const char *const platforms[] = {"emr", "snbep", "spr"};
  char error[200] = "";
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    struct machine *m = make(platforms[i]);
    char *text = save(m);
    const size_t n = strlen(text);
    for (size_t k = 0, lines = 0; k < n - 2; k++) {
      lines += text[k] == '\n';
      if (k < n - 300 && (text[k] != '\n' || lines % 100))
        continue;
      assert_int_not_equal(machine_state_load(m, text, k + 1, error, sizeof error), 0);
    }
    assert_int_equal(machine_state_load(m, text, n, error, sizeof error), 0);
    char *after = save(m);
    assert_string_equal(text, after);
    free(text), free(after);
    machine_free(m);
  }
}

/* Removes the lines of energy from a state: a register does not hold the fraction of its increment, so that a loaded
 * machine is up to one increment behind. */
static void drop_energy(char *text)
{
  char *to = text;
  for (const char *line = text; *line;) {
    const size_t n = strcspn(line, "\n") + (line[strcspn(line, "\n")] != 0);
    const char *const energy = strstr(line, "_ENERGY_STATUS ");
    if (!energy || energy >= line + n) {
      memmove(to, line, n);
      to += n;
    }
    line += n;
  }
  *to = 0;
}

/* State that only the hardware sets: overflow bits at both levels, a freeze by overflow, free-running counters. */
static void hardware_set_bits_are_restored(void **state)
{
  static const struct {
    const char *platform, *start;
  } kinds[] = {
      {"emr", "0 C0_MSR_PMON_CTR0 0xffffffffff00\n0 C0_MSR_PMON_CTL0 0x100001\n0 C1_MSR_PMON_CTL0 0x1\nend 3\n"},
      {"snbep", "0 C0_MSR_PMON_CTR0 0xfffffffff00\n0 C0_MSR_PMON_CTL0 0x400000\nend 2\n"}};
  char error[200] = "";
  bool ended;
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    struct machine *one = make(kinds[i].platform), *two = make(kinds[i].platform);
    if (machine_state_load(one, kinds[i].start, strlen(kinds[i].start), error, sizeof error))
      fail_msg("%s", error);
    assert_int_equal(machine_run(one, UINT64_C(50000000000), &ended, error, sizeof error), 0);
    char *text = save(one);
    if (!i) {
      assert_non_null(strstr(text, "0 U_MSR_PMON_GLOBAL_CTL 0x0 frozen\n")); /* 30 ns after the overflow: 66 cycles */
      assert_non_null(strstr(text, "0 U_MSR_PMON_GLOBAL_STATUS0 0x10\n"));
      assert_non_null(strstr(text, "0 C0_MSR_PMON_UNIT_STATUS 0x1\n"));
      assert_non_null(strstr(text, "0 C0_MSR_PMON_CTR0 0x42\n"));
      assert_non_null(strstr(text, "0 C1_MSR_PMON_CTR0 0x142\n"));
    }
    if (machine_state_load(two, text, strlen(text), error, sizeof error))
      fail_msg("%s", error);
    char *again = save(two);
    assert_string_equal(text, again);
    /* the sockets that kept counting count alike, the frozen one does not count */
    assert_int_equal(machine_run(one, UINT64_C(100000000000), &ended, error, sizeof error), 0);
    assert_int_equal(machine_run(two, UINT64_C(50000000000), &ended, error, sizeof error), 0);
    char *later = save(one), *later_too = save(two);
    drop_energy(later);
    drop_energy(later_too);
    assert_string_equal(later, later_too);
    assert_string_not_equal(text, later); /* free-running counters continued */
    free(text), free(again), free(later), free(later_too);
    machine_free(one);
    machine_free(two);
  }
}

static void non_state_input_is_refused(void **state)
{
  static const struct {
    const char *text;
    int status;
    const char *error;
  } cases[] = {
      {"platform vax\n", PMON_E_CONFLICT, "line 1: the state is for another platform: 'vax'"},
      {"platform emr\n0 C0_MSR_PMON_CTL0\n", PMON_E_SYNTAX,
       "line 2: expected a socket, a register and its value, not 'C0_MSR_PMON_CTL0'"},
      {"# nothing\n\n0 C0_MSR_PMON_CTL0 1x\n", PMON_E_SYNTAX, "line 3: expected a number, not '1x'"},
      {"0 C0_MSR_PMON_CTL9 1\n", PMON_E_UNKNOWN, "line 1: this machine has no register 'C0_MSR_PMON_CTL9'"},
      {"2 C0_MSR_PMON_CTL0 1\n", PMON_E_UNKNOWN, "line 1: this machine has no socket '2'"},
      {"0 C0_MSR_PMON_CTR0 0x1000000000000\n", PMON_E_RANGE,
       "line 1: the register does not have all bits of '0x1000000000000'"},
      {"0 C0_MSR_PMON_CTR0 1 frozen\n", PMON_E_RANGE,
       "line 1: `frozen` does not apply to the register 'C0_MSR_PMON_CTR0'"},
      {"0 C0_MSR_PMON_CTR0 1 2 3 4\n", PMON_E_SYNTAX, "line 1: expected a socket, a register and its value, not '3'"},
      {"0 C0_MSR_PMON_CTR0 1\nend 2\n", PMON_E_SYNTAX,
       "line 2: the file is incomplete: the number of registers before `end` is not '2'"},
      {"0 C0_MSR_PMON_CTR0 1\nend 1\nend 1\n", PMON_E_SYNTAX, "line 3: expected nothing after `end`, not 'end'"},
  };
  struct machine *m = make("emr");
  char *before = save(m);
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char error[200] = "", text[200];
    /* a valid line before it is discarded, too */
    snprintf(text, sizeof text, "%s", cases[i].text);
    assert_int_equal(machine_state_load(m, text, strlen(text), error, sizeof error), cases[i].status);
    assert_string_equal(error, cases[i].error);
    char *good = strchr(text, 0);
    snprintf(good, sizeof text - strlen(text), "0 C1_MSR_PMON_CTR0 5\n");
    assert_int_equal(machine_state_load(m, text, strlen(text), error, sizeof error), cases[i].status);
  }
  char *after = save(m);
  assert_string_equal(before, after);
  free(before), free(after);
  machine_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(saved_registers_are_restored), cmocka_unit_test(a_cut_state_is_refused),
      cmocka_unit_test(hardware_set_bits_are_restored), cmocka_unit_test(non_state_input_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

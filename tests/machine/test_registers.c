/* SPDX-License-Identifier: MIT */
/*
 * Every register of each platform: the machine's own transcription of the guide against the fact files, compared by the
 * effects of reads and writes. Neither side has a register that the other one lacks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/pmon/map.h"

struct masks {
  uint64_t rw, ro, wo, w1c, w0c, rsvd, ign, reset, all;
};
struct walk {
  struct pmon_context *context;
  const struct pmon_platform *platform;
  struct machine *m;
  unsigned count; /* registers of both sockets that the walk must visit: all of the facts */
};

typedef void visit_fn(struct walk *w, const struct pmon_register_info *info, const struct masks *k,
                      struct pmon_address a);

static int set_up_platform(void **state, const char *name, unsigned count)
{
  static struct walk w;
  struct machine_config config;
  char error[200];
  memset(&w, 0, sizeof w);
  w.count = count;
  assert_int_equal(pmon_context_new(&w.context), 0);
  assert_int_equal(pmon_platform_find(w.context, name, &w.platform), 0);
  assert_int_equal(machine_config_preset(&config, name), 0);
  assert_int_equal(machine_new(&config, error, sizeof error, &w.m), 0);
  *state = &w;
  return 0;
}

static int registers_set_up(void **state)
{
  return set_up_platform(state, "emr", 2 * (1743 + 64 * 10 + 5 + 2 + 2 + 2 + 3));
}

static int set_up_snbep(void **state)
{
  return set_up_platform(state, "snbep", 2 * (240 + 8 * 12 + 6 + 4 + 2));
}

static int registers_tear_down(void **state)
{
  struct walk *w = *state;
  machine_free(w->m);
  pmon_context_free(w->context);
  return 0;
}

static struct masks masks_of(const struct walk *w, uint32_t unit, uint32_t reg, const struct pmon_register_info *info)
{
  struct masks k = {.all = info->width_bits == 64 ? UINT64_MAX : UINT32_MAX};
  struct pmon_field_info f = {.size = sizeof f};
  for (uint32_t i = 0; pmon_field_describe(w->platform, unit, reg, i, &f) == 0; i++) {
    uint64_t bits = (UINT64_MAX >> (63 - f.hi + f.lo)) << f.lo;
    if (*f.overlay)
      continue;
    *(!strcmp(f.access, "rw")                                  ? &k.rw
      : !strcmp(f.access, "ro")                                ? &k.ro
      : !strcmp(f.access, "wo")                                ? &k.wo
      : !strcmp(f.access, "w1c")                               ? &k.w1c
      : !strcmp(f.access, "w0c")                               ? &k.w0c
      : !strcmp(f.access, "rsvd") || !strcmp(f.access, "virt") ? &k.rsvd
                                                               : &k.ign) |= bits;
    k.reset |= f.reset << f.lo;
  }
  assert_int_equal(k.rw | k.ro | k.wo | k.w1c | k.w0c | k.rsvd | k.ign, k.all);
  return k;
}

static unsigned each_register(struct walk *w, visit_fn *visit)
{
  struct pmon_unit_info u = {.size = sizeof u};
  unsigned n = 0;
  for (uint32_t unit = 0; pmon_unit_describe(w->platform, unit, &u) == 0; unit++)
    for (uint32_t reg = 0; reg < u.registers; reg++) {
      struct pmon_register_info info = {.size = sizeof info};
      struct masks k;
      assert_int_equal(pmon_register_describe(w->platform, unit, reg, &info), 0);
      k = masks_of(w, unit, reg, &info);
      for (uint32_t i = 0; i < u.instances * info.count; i++) {
        struct pmon_register_id id = {unit, reg, i / info.count, i % info.count};
        struct pmon_address a;
        assert_int_equal(pmon_register_address(w->platform, &id, &a), 0);
        for (a.package = 0; a.package < 2; a.package++, n++)
          visit(w, &info, &k, a);
      }
    }
  return n;
}

static uint64_t registers_get(struct walk *w, struct pmon_address a)
{
  uint64_t value = 0;
  assert_int_equal(machine_read(w->m, &a, &value), 0);
  return value;
}

static void registers_put(struct walk *w, struct pmon_address a, uint64_t value)
{
  assert_int_equal(machine_write(w->m, &a, value), 0);
}

/* Returns the value that a read must return after `value` was written to a register that contained 0. */
static uint64_t expected(const struct masks *k, uint64_t value)
{
  return value & k->rw;
}

static void check_violation(struct walk *w, const struct pmon_register_info *info, const struct masks *k,
                            uint64_t value)
{
  const struct machine_violation *list;
  uint64_t reserved = 0;
  for (size_t i = machine_violations(w->m, &list); i--;)
    if (!strcmp(list[i].field, "reserved"))
      reserved |= list[i].bits;
  if (reserved != (value & k->rsvd))
    fail_msg("%s: reserved bits %llx, facts say %llx", info->name, (unsigned long long)reserved,
             (unsigned long long)(value & k->rsvd));
  machine_violations_clear(w->m);
}

/* Status registers whose reset value no document states, and values of the kernel. */
static bool shows_state(const char *layout)
{
  return !strncmp(layout, "UNCORE_", 7) || !strncmp(layout, "RESCTRL_", 8) || strstr(layout, "THERM_STATUS") ||
         !strcmp(layout, "TEMPERATURE_TARGET");
}

static void visit_values(struct walk *w, const struct pmon_register_info *info, const struct masks *k,
                         struct pmon_address a)
{
  static const uint64_t values[] = {UINT64_MAX, 0, 0x5555555555555555, 0xaaaaaaaaaaaaaaaa, 0x0123456789abcdef};
  a.width_bits = (uint8_t)info->width_bits;
  if (info->role == PMON_ROLE_INFO) {
    uint64_t is = registers_get(w, a);
    if ((k->reset & 0xffff) == 0x8086 && is != k->reset) /* vendor and device */
      fail_msg("%s: %llx read, facts say %llx", info->name, (unsigned long long)is, (unsigned long long)k->reset);
    return;
  }
  if (shows_state(info->layout)) {
    const uint64_t is = registers_get(w, a);
    const struct machine_violation *list;
    assert_true(is && !(is & ~k->all));
    registers_put(w, a, UINT64_MAX & k->all);
    assert_int_equal(registers_get(w, a), is);
    machine_violations_clear(w->m);
    registers_put(w, a, is & ~k->w0c); /* software may clear log bits */
    if (strstr(info->layout, "THERM_STATUS") && (!k->w0c || machine_violations(w->m, &list)))
      fail_msg("%s: its log bits cannot be cleared", info->name);
    machine_violations_clear(w->m);
    return;
  }
  assert_int_equal(registers_get(w, a), k->reset);
  for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
    uint64_t value = values[i] & k->all;
    registers_put(w, a, value);
    if (registers_get(w, a) != expected(k, value))
      fail_msg("%s: %llx written, %llx read, facts say %llx", info->name, (unsigned long long)value,
               (unsigned long long)registers_get(w, a), (unsigned long long)expected(k, value));
    if (info->role != PMON_ROLE_FREERUNNING)
      check_violation(w, info, k, value);
    machine_violations_clear(w->m);
  }
  registers_put(w, a, 0);
  assert_int_equal(registers_get(w, a), 0);
}

static void test_values(void **state)
{
  struct walk *w = *state;
  assert_int_equal(each_register(w, visit_values), w->count);
}

/* Pairs of dwords: each half alone, the high half first, as drivers write controls. */
static void visit_halves(struct walk *w, const struct pmon_register_info *info, const struct masks *k,
                         struct pmon_address a)
{
  struct pmon_address high = a;
  const uint64_t value = 0xfedcba9876543210 & ~(uint64_t)0xff;
  if (a.space == PMON_SPACE_MSR || a.space == PMON_SPACE_RESCTRL || info->width_bits != 64 ||
      info->role == PMON_ROLE_INFO)
    return;
  a.width_bits = high.width_bits = 32;
  high.offset += 4;
  registers_put(w, high, value >> 32);
  assert_int_equal(registers_get(w, high), expected(k, value) >> 32);
  assert_int_equal(registers_get(w, a), 0);
  registers_put(w, a, (uint32_t)value);
  assert_int_equal(registers_get(w, a), (uint32_t)expected(k, value));
  assert_int_equal(registers_get(w, high), expected(k, value) >> 32);
  a.width_bits = 64;
  assert_int_equal(registers_get(w, a), expected(k, value));
  registers_put(w, a, 0);
}

static void test_halves(void **state)
{
  assert_int_not_equal(each_register(*state, visit_halves), 0);
}

/* Checks the header of a register's PCI function: vendor Intel; class system peripheral or performance counters. */
static void visit_function(struct walk *w, const struct pmon_register_info *info, const struct masks *k,
                           struct pmon_address a)
{
  (void)k;
  if (a.space != PMON_SPACE_PCI)
    return;
  a.width_bits = 32;
  a.offset = 0;
  const uint64_t id = registers_get(w, a);
  a.offset = 8;
  const uint64_t class_code = registers_get(w, a) >> 16;
  if ((id & 0xffff) != 0x8086 || (class_code != 0x0880 && class_code != 0x1101))
    fail_msg("%s: id 0x%08x, class 0x%04x", info->name, (unsigned)id, (unsigned)class_code);
}

static void test_functions(void **state)
{
  assert_int_not_equal(each_register(*state, visit_function), 0);
}

static void test_each_machine_register_is_in_the_facts(void **state)
{
  struct walk *w = *state;
  for (uint32_t i = 0; i < w->m->map.n; i++) {
    const struct reg *r = &w->m->map.regs[i];
    struct pmon_address a = {
        .space = r->space, .device = r->device, .offset = r->base, .width_bits = r->rows->width_bits};
    struct pmon_register_id id;
    char name[64];
    map_name(r, &w->m->sockets[0], name, sizeof name);
    if (pmon_register_find(w->platform, &a, &id))
      fail_msg("%s is in no fact file", name);
    /* The citation of a violation */
    const char *section = r->rows->layout->section;
    if (strncmp(section, "Table ", 6) && strncmp(section, "SDM4 ", 5))
      fail_msg("%s cites \"%s\"", name, section);
  }
}

static struct pmon_address msr(uint64_t number)
{
  return (struct pmon_address){.space = PMON_SPACE_MSR, .width_bits = 64, .offset = number};
}

/* Tables 1-3 and 1-5: the reset bits. */
static void test_resets(void **state)
{
  struct walk *w = *state;
  registers_put(w, msr(0x2032), 0x1234);
  registers_put(w, msr(0x2038), 77);
  registers_put(w, msr(0x2039), 78);
  registers_put(w, msr(0x2032), 0x21234);
  assert_int_equal(registers_get(w, msr(0x2032)), 0x1234);
  assert_int_equal(registers_get(w, msr(0x2038)), 0);
  registers_put(w, msr(0x2038), 79);
  registers_put(w, msr(0x2030), 0x100);
  assert_int_equal(registers_get(w, msr(0x2032)), 0);
  assert_int_equal(registers_get(w, msr(0x2038)), 79);
  registers_put(w, msr(0x2032), 0x1234);
  registers_put(w, msr(0x2030), 0x200);
  assert_int_equal(registers_get(w, msr(0x2032)), 0x1234);
  assert_int_equal(registers_get(w, msr(0x2038)) | registers_get(w, msr(0x2039)), 0);
}

static void test_refused(void **state)
{
  struct walk *w = *state;
  struct pmon_address bad[] = {msr(0x1234),
                               msr(0x200c),
                               msr(0x2030),
                               msr(0x2030),
                               msr(0x2030),
                               {.space = PMON_SPACE_PCI, .device = 30 << 8 | 20 << 3, .width_bits = 32},
                               {.space = PMON_SPACE_MMIO, .device = 1, .offset = 0x22860, .width_bits = 32},
                               {.space = PMON_SPACE_MMIO, .device = 0, .offset = 0x22802, .width_bits = 32},
                               {.space = PMON_SPACE_PMC, .width_bits = 64}};
  uint64_t value;
  bad[2].package = 2;
  bad[3].width_bits = 32;
  bad[4].space = 99;
  for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_true(machine_read(w->m, &bad[i], &value) < 0);
    assert_non_null(machine_error(w->m));
    w->m->refused.why = NULL;
    assert_true(machine_write(w->m, &bad[i], 0) < 0);
    assert_non_null(machine_error(w->m));
  }
}

/* The error names the address space, also for the first space number that no machine has. */
static void test_refused_spaces_have_names(void **state)
{
  static const struct {
    uint8_t space;
    const char *name;
  } rows[] = {{PMON_SPACE_MSR, "socket 0, MSR 0:0x1234"},
              {PMON_SPACE_PMD, "socket 0, PMD 0:0x1234"},
              {PMON_SPACE_PMD + 1, "socket 0, space ? 0:0x1234"},
              {99, "socket 0, space ? 0:0x1234"}};
  struct walk *w = *state;
  uint64_t value;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct pmon_address a = {.space = rows[i].space, .width_bits = 64, .offset = 0x1234};
    assert_true(machine_read(w->m, &a, &value) < 0);
    assert_ptr_equal(strstr(machine_error(w->m), rows[i].name), w->m->error);
  }
}

/* Section 2.2.4, Table 1-5: a control value that is not allowed is recorded with the rule. */
static void test_violations(void **state)
{
  struct walk *w = *state;
  const struct machine_violation *list;
  registers_put(w, msr(0x2033), 0x0136);   /* TOR_OCCUPANCY: counter 0 only */
  registers_put(w, msr(0x2034), 0x840050); /* invert and edge_det, no threshold */
  registers_put(w, msr(0x3800), 1);        /* free-running */
  assert_int_equal(machine_violations(w->m, &list), 3);
  assert_string_equal(list[0].name, "C3_MSR_PMON_CTL1");
  assert_string_equal(list[0].field, "ev_sel");
  assert_int_equal(list[0].value, 0x0136);
  assert_string_equal(list[1].field, "thresh");
  assert_int_equal(list[1].bits, 0x840000);
  assert_string_equal(list[2].name, "IIO0_MSR_PMON_FRCTR_BW_IN_P0");
  assert_int_equal(machine_violations_total(w->m), 3);
  machine_violations_clear(w->m);
  registers_put(w, msr(0x2032), 0x0136);
  assert_int_equal(machine_violations(w->m, &list), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_values, registers_set_up, registers_tear_down),
      cmocka_unit_test_setup_teardown(test_halves, registers_set_up, registers_tear_down),
      cmocka_unit_test_setup_teardown(test_each_machine_register_is_in_the_facts, registers_set_up,
                                      registers_tear_down),
      cmocka_unit_test_setup_teardown(test_resets, registers_set_up, registers_tear_down),
      cmocka_unit_test_setup_teardown(test_refused, registers_set_up, registers_tear_down),
      cmocka_unit_test_setup_teardown(test_refused_spaces_have_names, registers_set_up, registers_tear_down),
      cmocka_unit_test_setup_teardown(test_violations, registers_set_up, registers_tear_down),
      cmocka_unit_test_setup_teardown(test_values, set_up_snbep, registers_tear_down),
      cmocka_unit_test_setup_teardown(test_functions, registers_set_up, registers_tear_down),
      cmocka_unit_test_setup_teardown(test_halves, set_up_snbep, registers_tear_down),
      cmocka_unit_test_setup_teardown(test_each_machine_register_is_in_the_facts, set_up_snbep, registers_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Captures: taken of the emulated machine and through the access_methods, loaded, and hostile ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include "machine/capture.h"
#include "machine/config.h"
#include "tests/hardware/tree.h"

static const char *const small_emr[] = {"sockets=2",   "cores=1",      "chas=3", "imcs=4",
                                        "upi.links=2", "iio.stacks=1", NULL};
static const char *const small_snbep[] = {"sockets=2", "cores=2", "chas=5", "channels=2", "upi.links=1", NULL};
static struct pmon_context *context;
static const struct pmon_platform *platform;

static void capture_begin(const char *name)
{
  assert_int_equal(pmon_context_new(&context), 0);
  assert_int_equal(pmon_platform_find(context, name, &platform), 0);
}

static struct machine *new_machine(const char *name, const char *const *settings)
{
  struct machine_config config;
  struct machine *m = NULL;
  char error[256] = "";
  machine_config_init(&config);
  assert_int_equal(machine_config_preset(&config, name), 0);
  for (; *settings; settings++)
    assert_int_equal(machine_config_parse(&config, *settings, error, sizeof error), 0);
  if (machine_new(&config, error, sizeof error, &m))
    fail_msg("%s", error);
  return m;
}

static struct pmon_capture *capture_take(struct pmon_backend *b)
{
  const struct pmon_capture_source source = {.size = sizeof source, .backend = b};
  struct pmon_capture *c = NULL;
  assert_int_equal(pmon_capture_take(platform, &source, &c), 0);
  return c;
}

static struct pmon_capture *take_machine(struct machine *m)
{
  struct pmon_backend *b;
  assert_int_equal(machine_backend_new(m, &b), 0);
  struct pmon_capture *c = capture_take(b);
  pmon_backend_close(b);
  return c;
}

static char *text_of_capture(const struct pmon_capture *c)
{
  const size_t n = pmon_capture_format(c, NULL, 0);
  char *text = malloc(n + 1);
  assert_non_null(text);
  assert_int_equal(pmon_capture_format(c, text, n + 1), n);
  assert_int_equal(strlen(text), n);
  return text;
}

static struct pmon_capture *parse(const char *text)
{
  struct pmon_capture *c = NULL;
  if (pmon_capture_parse(context, "test", text, strlen(text), &c))
    fail_msg("%s", pmon_context_error(context));
  return c;
}

static void capture_note(void *user, const char *text)
{
  snprintf(user, 200, "%s", text);
}

/* A machine made like the capture; how many registers it could not take, and the last of them. */
static struct machine *capture_load(const struct pmon_capture *c, int *ret_unlike, char diagnostic[200])
{
  struct machine_config config;
  struct machine *m = NULL;
  char error[256] = "";
  *diagnostic = 0;
  if (machine_capture_configure(c, &config, error, sizeof error) || machine_new(&config, error, sizeof error, &m))
    fail_msg("%s", error);
  *ret_unlike = machine_capture_load(m, c, capture_note, diagnostic);
  return m;
}

/* Something in every kind of register. */
static void write_registers(struct machine *m, bool emr)
{
  static const struct {
    struct pmon_address a;
    uint64_t value;
  } writes[] = {
      {{.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x2012}, 0x400000135},
      {{.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x2018}, 0x123456789abc},
      {{.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x200e}, 0x3ff},
      {{.package = 1, .space = PMON_SPACE_PCI, .width_bits = 32, .device = 30 << 8 | 1 << 3 | 1, .offset = 0x354},
       0x30},
      {{.space = PMON_SPACE_MMIO, .width_bits = 32, .device = 2, .offset = 0x22844}, 0x2ff}};
  static const struct {
    struct pmon_address a;
    uint64_t value;
  } early[] = {
      {{.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0xd04}, 0x10100},
      {{.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0xd16}, 0x123456789},
      {{.package = 1, .space = PMON_SPACE_PCI, .width_bits = 32, .device = 63 << 8 | 16 << 3 | 1, .offset = 0xd8},
       0x400304}};
  const size_t n = emr ? sizeof writes / sizeof *writes : sizeof early / sizeof *early;
  for (size_t i = 0; i < n; i++)
    assert_int_equal(machine_write(m, emr ? &writes[i].a : &early[i].a, emr ? writes[i].value : early[i].value), 0);
}

static void capture_round_trip(const char *name, const char *const *settings, const char *expected)
{
  char diagnostic[200];
  int unlike = -1;
  capture_begin(name);
  struct machine *m = new_machine(name, settings), *again;
  write_registers(m, !strcmp(name, "emr"));
  struct pmon_capture *first = take_machine(m);
  char *text = text_of_capture(first);
  struct pmon_capture *read = parse(text);
  char *text_again = text_of_capture(read);
  assert_string_equal(text, text_again);
  assert_non_null(strstr(text, expected));
  again = capture_load(read, &unlike, diagnostic);
  if (unlike)
    fail_msg("%d registers are not as captured: %s", unlike, diagnostic);
  struct pmon_capture *second = take_machine(again);
  char *text_second = text_of_capture(second);
  assert_string_equal(text, text_second);
  free(text);
  free(text_again);
  free(text_second);
  pmon_capture_free(first);
  pmon_capture_free(read);
  pmon_capture_free(second);
  machine_free(m);
  machine_free(again);
  pmon_context_free(context);
}

static void test_a_machine_from_a_capture_captures_identically(void **state)
{
  (void)state;
  capture_round_trip("emr", small_emr, "msr 0x2018              64  0x123456789abc        Cn_MSR_PMON_CTR0");
  capture_round_trip("snbep", small_snbep, "msr 0xd04               64  0x10100 ");
}

/* Through the access_methods of a system of files: the same registers, and the functions and pages too. */
static void test_measures_through_each_access_method(void **state)
{
  (void)state;
  struct tree tree;
  struct pmon_backend *b;
  char diagnostic[200];
  int unlike = -1;
  capture_begin("emr");
  tree_make(&tree, "emr", small_emr);
  const struct pmon_address filter = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x200e};
  assert_int_equal(machine_write(tree.machine, &filter, 0x155), 0);
  tree_file(&tree, "dev/cpu/msr_batch", "");
  assert_int_equal(pmon_backend_direct_open(&tree.system, NULL, &b), 0);
  struct pmon_capture *access_methods = capture_take(b), *machine = take_machine(tree.machine);
  assert_true(tree.batches > 2);
  pmon_backend_close(b);
  struct machine *like = capture_load(access_methods, &unlike, diagnostic);
  if (unlike)
    fail_msg("%d registers are not as captured: %s", unlike, diagnostic);
  struct pmon_capture *again = take_machine(like);
  const struct pmon_captured *r, *s, *t;
  uint32_t n = 0;
  for (uint32_t i = 0, k = 0, l = 0; (r = pmon_capture_register(access_methods, i)); i++, n++) {
    while ((s = pmon_capture_register(machine, k)) && memcmp(&s->address, &r->address, sizeof r->address))
      k++; /* the CXL ports, which no access_method leads to */
    while ((t = pmon_capture_register(again, l)) && memcmp(&t->address, &r->address, sizeof r->address))
      l++;
    if (!s || !t)
      fail_msg("%s of %s %u: %s", r->name, r->unit, r->instance,
               s ? "the loaded machine has none" : "only behind the access_methods");
    assert_string_equal(r->name, s->name);
    assert_int_equal(r->value, s->value);
    assert_int_equal(r->value, t->value);
  }
  assert_true(n > 500);
  const struct pmon_captured_function *f, *g;
  for (uint32_t i = 0; (f = pmon_capture_function(access_methods, i)) || pmon_capture_function(machine, i); i++) {
    g = pmon_capture_function(machine, i);
    assert_true(f && g && f->package == g->package && f->device == g->device); /* members: padding may differ */
    assert_true(f->vendor == g->vendor && f->id == g->id && f->class_code == g->class_code);
  }
  for (uint32_t p = 0, words = 0, more = 0; p < 2; p++) {
    const uint64_t *page = pmon_capture_page(access_methods, p, &words), *other = pmon_capture_page(machine, p, &more);
    assert_true(page && words > 100 && words == more);
    assert_memory_equal(page, other, words * sizeof *page);
  }
  pmon_capture_free(access_methods);
  pmon_capture_free(machine);
  pmon_capture_free(again);
  machine_free(like);
  tree_end(&tree);
  pmon_context_free(context);
}

/* A backend that lets nothing be read but what a capture is to hold. */
struct guard {
  struct pmon_backend backend;
  struct pmon_backend *inner;
  unsigned reads;
};

static int guard_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  struct guard *g = (struct guard *)(void *)b;
  struct pmon_register_id id;
  struct pmon_address low = *a;
  const bool header = a->space == PMON_SPACE_PCI && (a->offset == 0 || a->offset == 8);
  const bool page = a->space == PMON_SPACE_MMIO && a->device == 16;
  low.offset -= 4;
  g->reads++;
  if (!header && !page && pmon_register_find(platform, a, &id) && pmon_register_find(platform, &low, &id))
    fail_msg("%s 0x%lx was read", pmon_space_name(a->space), (unsigned long)a->offset);
  return g->inner->ops->read(g->inner, a, ret_value);
}

static int guard_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  (void)b;
  (void)a;
  (void)value;
  fail_msg("a capture writes");
  return PMON_E_PERMISSION;
}

static void test_nothing_else_is_read_and_nothing_written(void **state)
{
  (void)state;
  static const struct pmon_backend_ops ops = {sizeof ops, "guard", guard_read, guard_write, NULL, NULL};
  struct guard g = {.backend = {.ops = &ops, .packages = 2}};
  capture_begin("snbep");
  struct machine *m = new_machine("snbep", small_snbep);
  assert_int_equal(machine_backend_new(m, &g.inner), 0);
  pmon_capture_free(capture_take(&g.backend));
  assert_true(g.reads > 1000);
  pmon_backend_close(g.inner);
  machine_free(m);
  pmon_context_free(context);
}

static const char head[] = "pmon-capture 2\npackage 0 id 0 cpu 0 online 2\n";

static void test_refused_input(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    int status;
    const char *why;
  } cases[] = {
      {"", PMON_E_SYNTAX, "not a capture"},
      {"# nothing\n", PMON_E_SYNTAX, "not a capture"},
      {"platform emr\n", PMON_E_SYNTAX, "line 1: expected pmon-capture, not 'platform'"},
      {"pmon-capture 3\n", PMON_E_RANGE, "a version"},
      {"pmon-capture 1\n", PMON_E_RANGE, "a version"},
      {"pmon-capture 2 x\n", PMON_E_SYNTAX, "expected the line's end, not 'x'"},
      {"pmon-capture 2\nwhat\n", PMON_E_SYNTAX, "line 2: a unit line must precede"},
      {"pmon-capture 2\ncpu GenuineIntel 6 207\n", PMON_E_SYNTAX, "a stepping"},
      {"pmon-capture 2\ncpu Genuine-Intel-X 6 207 1\n", PMON_E_SYNTAX, "12 letters"},
      {"pmon-capture 2\ncpu a 1 2 3\ncpu a 1 2 3\n", PMON_E_CONFLICT, "duplicate processor"},
      {"pmon-capture 2\npackage 1 id 0 cpu 0 online 2\n", PMON_E_SYNTAX, "next package's number"},
      {"pmon-capture 2\nunit 0 cha 0\n", PMON_E_SYNTAX, "earlier package, not '0'"},
      {"*function 0 30:0 1 2 3\n", PMON_E_SYNTAX, "a device such as 30:1.0"},
      {"*function 0 30:0.1 1 2 0x10000\n", PMON_E_SYNTAX, "16 bits"},
      {"*function 0 30:0.1 1 2 3\nfunction 0 30:0.1 1 2 3\n", PMON_E_CONFLICT, "duplicate function"},
      {"*words 0 1\n", PMON_E_SYNTAX, "a page line must precede"},
      {"*page 0 65537\n", PMON_E_SYNTAX, "1 to 65536"},
      {"*page 0 0\n", PMON_E_RANGE, "without words"},
      {"*page 0 8\npage 0 8\n", PMON_E_CONFLICT, "duplicate page"},
      {"*page 0 8\nwords 8 1\n", PMON_E_SYNTAX, "a word of the page"},
      {"*page 0 8\nwords 7 1 2\n", PMON_E_RANGE, "no such word"},
      {"*page 0 8\nwords 0 1\nwords 0 1\n", PMON_E_CONFLICT, "duplicate word"},
      {"*page 0 8\nwords 0 1 2 3 4 5\n", PMON_E_SYNTAX, "line's end"},
      {"*unit 0 cha\n", PMON_E_SYNTAX, "an instance's number"},
      {"*unit 0 a-name-that-is-too-long 0\n", PMON_E_SYNTAX, "a unit's name"},
      {"*unit 0 a\x01 0\n", PMON_E_SYNTAX, "a unit's name"},
      {"*unit 0 u 0\n msr 0x2000 32 0 R\n", PMON_E_RANGE, "64 bits"},
      {"*unit 0 u 0\n msr 0x2000 64 0\n", PMON_E_SYNTAX, "the register's name"},
      {"*unit 0 u 0\n msr 0x100000000 64 0 R\n", PMON_E_RANGE, "past the end"},
      {"*unit 0 u 0\n pci 30:0.0 4096 32 0 R\n", PMON_E_RANGE, "past the end"},
      {"*unit 0 u 0\n pci 30:0.0 2 32 0 R\n", PMON_E_RANGE, "multiple of 4"},
      {"*unit 0 u 0\n pci 30:0.0 4 16 0 R\n", PMON_E_RANGE, "32 or 64"},
      {"*unit 0 u 0\n pci 30:0.0 4 32 0x100000000 R\n", PMON_E_SYNTAX, "of the register's width"},
      {"*unit 0 u 0\n mmio MEM+0x0 32 0 R\n", PMON_E_SYNTAX, "a place such as"},
      {"*unit 0 u 0\n msr 1 64 0 R\n msr 1 64 0 S\n", PMON_E_CONFLICT, "two registers have the address of S of u 0"},
      {"*unit 0 u 0\n pci 30:0.0 8 64 0 R\n pci 30:0.0 12 32 0 S\n", PMON_E_CONFLICT, "two registers"},
      {"*", PMON_E_SYNTAX, "not whole: its last line"},
      {"*unit 0 u 0\n msr 1 64 0 R\n", PMON_E_SYNTAX, "not whole: its last line"},
      {"*unit 0 u 0\n msr 1 64 0 R\nend 2\n", PMON_E_SYNTAX, "another number of registers"},
      {"*end 0\nend 0\n", PMON_E_SYNTAX, "nothing behind the end"}};
  capture_begin("emr");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct pmon_capture *c = NULL;
    char text[256];
    const bool headed = cases[i].text[0] == '*';
    snprintf(text, sizeof text, "%s%s", headed ? head : "", cases[i].text + headed);
    int status = pmon_capture_parse(context, "test", text, strlen(text), &c);
    if (status != cases[i].status || c || !strstr(pmon_context_error(context), cases[i].why))
      fail_msg("%s: %d %s", cases[i].text, status, pmon_context_error(context));
  }
  pmon_context_free(context);
}

/* Cut between two lines or inside one. */
static void test_cut_captures_are_refused(void **state)
{
  (void)state;
  capture_begin("emr");
  struct machine *m = new_machine("emr", small_emr);
  struct pmon_capture *whole = take_machine(m), *c = NULL;
  char *text = text_of_capture(whole);
  const size_t n = strlen(text);
  for (size_t k = 0, lines = 0; k < n - 2; k++) {
    lines += text[k] == '\n';
    if (k >= n - 300 || (text[k] == '\n' && lines % 100 == 0))
      assert_int_not_equal(pmon_capture_parse(context, "cut", text, k + 1, &c), 0);
  }
  assert_int_equal(pmon_capture_parse(context, "whole", text, n, &c), 0);
  pmon_capture_free(c);
  pmon_capture_free(whole);
  free(text);
  machine_free(m);
  pmon_context_free(context);
}

static void test_backend_stores_written_values(void **state)
{
  (void)state;
  static const char text[] =
      "pmon-capture 2\nplatform emr\npackage 0 id 0 cpu 0 online 2\nfunction 0 30:1.1 0x8086 0x3241 0x880\n"
      "page 0 8\nwords 0 0x100000002 5\nunit 0 cha 0\nmsr 0x2002 64 0x400335 CTL\nmsr 0x2001 64 0x3 STATUS\n"
      "unit 0 upi 0\npci 30:1.1 0x350 64 0x3000000101 CTL\nmsr 0x2003 64 PMON_E_IO LOST\nend 4\n";
  struct pmon_address a = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x2002};
  struct pmon_backend *b;
  uint64_t value = 0, now;
  bool ended = false;
  capture_begin("emr");
  struct pmon_capture *c = parse(text);
  assert_int_equal(pmon_backend_capture_new(c, platform, &b), 0);
  assert_int_equal(b->ops->write(b, &a, UINT64_MAX), 0);
  assert_int_equal(b->ops->read(b, &a, &value), 0);
  assert_int_equal(value & 0xff, 0xff);
  assert_int_equal(value >> 17 & 1, 0); /* the reset bit keeps nothing */
  a.offset = 0x2001;
  assert_int_equal(b->ops->write(b, &a, 1), 0); /* ones clear there, and nothing overflowed since */
  a.offset = 0x2003;
  assert_int_equal(b->ops->read(b, &a, &value), PMON_E_IO);
  assert_non_null(strstr(b->error_text, "when the capture was taken"));
  a.offset = 0x2004;
  assert_int_equal(b->ops->read(b, &a, &value), PMON_E_NO_DEVICE);
  a = (struct pmon_address){.space = PMON_SPACE_PCI, .width_bits = 32, .device = 30 << 8 | 1 << 3 | 1, .offset = 0x354};
  assert_int_equal(b->ops->read(b, &a, &value), 0);
  assert_int_equal(value, 0x30);
  a.offset = 0;
  assert_int_equal(b->ops->read(b, &a, &value), 0);
  assert_int_equal(value, 0x32418086);
  a = (struct pmon_address){.space = PMON_SPACE_MMIO, .width_bits = 32, .device = 16, .offset = 4};
  assert_int_equal(b->ops->read(b, &a, &value), 0);
  assert_int_equal(value, 1);
  assert_int_equal(b->ops->wait(b, 0, &now, &ended), 0);
  assert_false(ended);
  assert_int_equal(b->ops->wait(b, UINT64_MAX, &now, &ended), 0);
  assert_true(ended && now);
  pmon_backend_close(b);
  pmon_capture_free(c);
  pmon_context_free(context);
}

static void test_impossible_captures_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *text, *why;
  } cases[] = {
      {"pmon-capture 2\nplatform montecito\npackage 0 id 0 cpu 0 online 2\nend 0\n", "no emulated machine"},
      {"pmon-capture 2\nplatform emr\npackage 0 id 0 cpu 0 online 2\npackage 1 id 1 cpu 0 online 2\n"
       "package 2 id 2 cpu 0 online 2\nend 0\n",
       "one or two"},
      {"pmon-capture 2\nplatform emr\npackage 0 id 0 cpu 0 online 2\npackage 1 id 1 cpu 0 online 2\nunit 0 cha 0\n"
       "msr 0x2002 64 0 CTL\nend 1\n",
       "another number"}};
  capture_begin("emr");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct machine_config config;
    char error[256] = "";
    struct pmon_capture *c = parse(cases[i].text);
    assert_int_not_equal(machine_capture_configure(c, &config, error, sizeof error), 0);
    assert_non_null(strstr(error, cases[i].why));
    pmon_capture_free(c);
  }
  char diagnostic[200];
  int unlike = 0;
  struct pmon_capture *c = parse("pmon-capture 2\nplatform emr\npackage 0 id 0 cpu 0 online 2\nunit 0 cha 0\n"
                                 "msr 0x2002 64 0x335 CTL\nmsr 0x2008 64 0xffff000000000001 WIDE\n"
                                 "msr 0x7777 64 0x1 STRANGE\nend 3\n");
  struct machine *m = capture_load(c, &unlike, diagnostic);
  assert_int_equal(unlike, 2);
  assert_string_equal(diagnostic, "package 0, cha 0, STRANGE: the machine has no such register");
  uint64_t value = 0;
  const struct pmon_address wide = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x2008};
  assert_int_equal(machine_read(m, &wide, &value), 0);
  assert_int_equal(value, 1);
  machine_free(m);
  pmon_capture_free(c);
  pmon_context_free(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_machine_from_a_capture_captures_identically),
      cmocka_unit_test(test_measures_through_each_access_method),
      cmocka_unit_test(test_nothing_else_is_read_and_nothing_written),
      cmocka_unit_test(test_refused_input),
      cmocka_unit_test(test_cut_captures_are_refused),
      cmocka_unit_test(test_backend_stores_written_values),
      cmocka_unit_test(test_impossible_captures_are_refused),
  };
  return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}

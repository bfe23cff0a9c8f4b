/* SPDX-License-Identifier: MIT */
/* Captures: of the emulated machine and through the access methods; loading; hostile captures. */
#include "machine/capture.h"
#include "machine/config.h"
#include "tests/capture/captures.h"

/* Writes a value into every kind of register. */
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

/* Through the access methods of a system of files: the same registers, plus functions and pages. */
/* A function without a line does not exist, whatever registers of it the capture has. Behind a discovery page that is
 * shorter than the machine's, none of the machine's words appear. */
static void test_what_a_capture_lacks_is_not_there(void **state)
{
  static const char text[] = "pmon-capture 2\nplatform emr\npackage 0 id 0 cpu 0 online 0\n"
                             "function 0 30:1.1 0x8086 0x3241 0x880\npage 0 8\nwords 0 0x8e0800 0x2ff0 0x8002\n"
                             "unit 0 ubox 0\n  pci 31:30.3 0x94 32 0x3f CAPID6\nend 1\n";
  const struct pmon_address there = {.space = PMON_SPACE_PCI, .width_bits = 32, .device = 30 << 8 | 1 << 3 | 1},
                            absent = {.space = PMON_SPACE_PCI, .width_bits = 32, .device = 31 << 8 | 30 << 3 | 3};
  struct pmon_address page = {.space = PMON_SPACE_MMIO, .width_bits = 64, .device = PMON_BAR_DISCOVERY};
  char diagnostic[200];
  uint64_t value = 1;
  int unlike = 0;
  (void)state;
  capture_begin("emr");
  struct pmon_capture *c = parse(text);
  struct machine *m = capture_load(c, &unlike, diagnostic);
  assert_int_equal(machine_read(m, &there, &value), 0);
  assert_int_equal(value, 0x32418086);
  assert_int_not_equal(machine_read(m, &absent, &value), 0);
  assert_int_equal(unlike, 1);
  assert_non_null(strstr(diagnostic, "no such PCI function"));
  assert_int_equal(machine_read(m, &page, &value), 0);
  assert_int_equal(value, 0x8e0800);
  for (page.offset = 24; page.offset < 4096; page.offset += 8) {
    assert_int_equal(machine_read(m, &page, &value), 0);
    assert_int_equal(value, 0);
  }
  machine_free(m);
  pmon_capture_free(c);
  pmon_context_free(context);
}

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
      k++; /* no access method reaches the CXL ports */
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
    assert_true(f && g && f->package == g->package &&
                f->device == g->device); /* compares members: padding may differ */
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

/* A backend that permits reads only of what a capture contains. */
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
  assert_int_equal(value >> 17 & 1, 0); /* the reset bit reads as 0 */
  a.offset = 0x2001;
  assert_int_equal(b->ops->write(b, &a, 1), 0); /* writing ones clears it, and no counter has overflowed since */
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
  a.offset = 64; /* after the eight words of the page */
  assert_int_not_equal(b->ops->read(b, &a, &value), 0);
  assert_int_equal(b->ops->wait(b, 0, &now, &ended), 0);
  assert_false(ended);
  assert_int_equal(b->ops->wait(b, UINT64_MAX, &now, &ended), 0);
  assert_true(ended && now);
  pmon_backend_close(b);
  pmon_capture_free(c);
  pmon_context_free(context);
}

/* Captures with devices have a newer format version; captures without devices keep the old one. */
static void test_devices_are_in_a_capture(void **state)
{
  (void)state;
  static const char without[] = "pmon-capture 2\npackage 0 id 0 cpu 0 online 2\nend 0\n";
  struct pmon_device d = {.size = sizeof d,
                          .unit = "iio",
                          .instance = 2,
                          .port = 1,
                          .address = "0000:18:00.0",
                          .name = "Drive A # of\ta rack ",
                          .vendor = 0x144d,
                          .id = 0xa80a,
                          .class_code = 0x010802};
  struct pmon_capture_info info = {.size = sizeof info};
  capture_begin("emr");
  struct pmon_capture *c = parse(without);
  char *text = text_of_capture(c);
  assert_non_null(strstr(text, "pmon-capture 2\n"));
  free(text);
  assert_int_equal(pmon_capture_device(c, 0, &d), PMON_E_RANGE);
  assert_int_equal(pmon_capture_add_device(c, &d), 0);
  assert_int_equal(pmon_capture_add_device(c, &d), PMON_E_CONFLICT);
  assert_int_equal(pmon_capture_add_device(c, NULL), PMON_E_INVALID);
  d.address = "0000:19:00.0";
  d.port = UINT32_MAX;
  d.name = NULL;
  assert_int_equal(pmon_capture_add_device(c, &d), 0);
  d.package = 1;
  d.address = "0000:20:00.0";
  assert_int_equal(pmon_capture_add_device(c, &d), PMON_E_RANGE);
  d.package = 0;
  d.address = "20:00.0";
  assert_int_equal(pmon_capture_add_device(c, &d), PMON_E_RANGE);
  text = text_of_capture(c);
  assert_non_null(strstr(text, "pmon-capture 3\n"));
  assert_non_null(strstr(text, "\ndevice 0 iio 2 1 0000:18:00.0 0x144d 0xa80a 0x10802 Drive A ? of?a rack\n"
                               "device 0 iio 2 - 0000:19:00.0 0x144d 0xa80a 0x10802\n"));
  struct pmon_capture *again = parse(text);
  char *text_again = text_of_capture(again);
  assert_string_equal(text, text_again);
  assert_int_equal(pmon_capture_describe(again, &info), 0);
  assert_int_equal(info.devices, 2);
  assert_int_equal(pmon_capture_device(again, 1, &d), 0);
  assert_int_equal(d.port, UINT32_MAX);
  assert_string_equal(d.address, "0000:19:00.0");
  assert_string_equal(d.name, "");
  assert_int_equal(pmon_capture_device(again, 2, &d), PMON_E_RANGE);
  free(text);
  free(text_again);
  pmon_capture_free(c);
  pmon_capture_free(again);
  pmon_context_free(context);
}

/* A capture includes the machine's own limits; a machine made from it has memory of that rate. */
static void test_limits_are_in_a_capture(void **state)
{
  (void)state;
  static const char without[] = "pmon-capture 2\nplatform emr\npackage 0 id 0 cpu 0 online 1\nend 0\n";
  static const struct {
    struct pmon_limit limit;
    int status;
  } rows[] = {{{"ddr", PMON_ALL, 4800e6}, 0},
              {{"ddr", PMON_ALL, 1}, PMON_E_CONFLICT},
              {{"channels", 0, 6}, 0},
              {{"channels", 1, 6}, PMON_E_RANGE},
              {{"Channels", 0, 6}, PMON_E_RANGE},
              {{"", 0, 6}, PMON_E_RANGE},
              {{"core", 0, 0}, PMON_E_RANGE},
              {{"core", 0, 1e16}, PMON_E_RANGE},
              {{"abcdefghijklmnop", 0, 1}, PMON_E_RANGE},
              {{NULL, 0, 6}, PMON_E_INVALID}};
  struct pmon_limit l;
  char error[200];
  struct machine_config config;
  capture_begin("emr");
  struct pmon_capture *c = parse(without);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_int_equal(pmon_capture_add_machine_limit(c, &rows[i].limit), rows[i].status);
  char *text = text_of_capture(c);
  assert_non_null(strstr(text, "pmon-capture 3\n"));
  assert_non_null(strstr(text, "\nlimit ddr - 4800000000\nlimit channels 0 6\n"));
  struct pmon_capture *again = parse(text);
  char *text_again = text_of_capture(again);
  assert_string_equal(text, text_again);
  assert_int_equal(pmon_capture_machine_limit(again, 1, &l), 0);
  assert_string_equal(l.name, "channels");
  assert_int_equal(l.package, 0);
  assert_true(l.number == 6);
  assert_int_equal(pmon_capture_machine_limit(again, 2, &l), PMON_E_RANGE);
  assert_int_equal(machine_capture_configure(again, &config, error, sizeof error), 0);
  assert_int_equal(config.value[CONFIG_DRAM_GHZ], 2400);
  free(text);
  free(text_again);
  pmon_capture_free(c);
  pmon_capture_free(again);
  pmon_context_free(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_devices_are_in_a_capture),
                                     cmocka_unit_test(test_limits_are_in_a_capture),
                                     cmocka_unit_test(test_a_machine_from_a_capture_captures_identically),
                                     cmocka_unit_test(test_what_a_capture_lacks_is_not_there),
                                     cmocka_unit_test(test_measures_through_each_access_method),
                                     cmocka_unit_test(test_nothing_else_is_read_and_nothing_written),
                                     cmocka_unit_test(test_backend_stores_written_values)};
  return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}

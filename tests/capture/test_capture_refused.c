/* SPDX-License-Identifier: MIT */
/* Refused captures: wrong lines, truncated files, contents that no machine has. */
#include "tests/capture/captures.h"

static const char head[] = "pmon-capture 2\npackage 0 id 0 cpu 0 online 2\n";

struct refused {
  const char *text; /* after * the head is inserted */
  int status;
  const char *why;
};

static void check_refused(const struct refused *cases, size_t n)
{
  capture_begin("emr");
  for (size_t i = 0; i < n; i++) {
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

static void test_refused_input(void **state)
{
  (void)state;
  static const struct refused cases[] = {
      {"", PMON_E_SYNTAX, "not a capture"},
      {"# nothing\n", PMON_E_SYNTAX, "not a capture"},
      {"platform emr\n", PMON_E_SYNTAX, "line 1: expected pmon-capture, not 'platform'"},
      {"pmon-capture 4\n", PMON_E_RANGE, "a version"},
      {"pmon-capture 1\n", PMON_E_RANGE, "a version"},
      {"pmon-capture 2 x\n", PMON_E_SYNTAX, "expected end of line, not 'x'"},
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
      {"*page 0 0\n", PMON_E_RANGE, "a page has at least 1 word"},
      {"*page 0 8\npage 0 8\n", PMON_E_CONFLICT, "duplicate page"},
      {"*page 0 8\nwords 8 1\n", PMON_E_SYNTAX, "a word of the page"},
      {"*page 0 8\nwords 7 1 2\n", PMON_E_RANGE, "no such word"},
      {"*page 0 8\nwords 0 1\nwords 0 1\n", PMON_E_CONFLICT, "duplicate word"},
      {"*page 0 8\nwords 0 1 2 3 4 5\n", PMON_E_SYNTAX, "end of line"},
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
      {"*", PMON_E_SYNTAX, "incomplete: its last line"},
      {"*unit 0 u 0\n msr 1 64 0 R\n", PMON_E_SYNTAX, "incomplete: its last line"},
      {"*unit 0 u 0\n msr 1 64 0 R\nend 2\n", PMON_E_SYNTAX, "its number of registers does not match"},
      {"*end 0\nend 0\n", PMON_E_SYNTAX, "nothing after the end"}};
  check_refused(cases, sizeof cases / sizeof *cases);
}

static void test_refused_devices(void **state)
{
  (void)state;
  static const struct refused cases[] = {
      {"*device 1 iio 2 0 0000:17:00.0 1 2 3\n", PMON_E_SYNTAX, "earlier package, not '1'"},
      {"*device 0 I/O 2 0 0000:17:00.0 1 2 3\n", PMON_E_SYNTAX, "a unit's name"},
      {"*device 0 iio 64 0 0000:17:00.0 1 2 3\n", PMON_E_SYNTAX, "an instance's number"},
      {"*device 0 iio 2 32 0000:17:00.0 1 2 3\n", PMON_E_SYNTAX, "a port's number, or -"},
      {"*device 0 iio 2 0 17:00.0 1 2 3\n", PMON_E_SYNTAX, "a PCI address (0000:17:00.0)"},
      {"*device 0 iio 2 0 0000:17:00.0 0x10000 2 3\n", PMON_E_SYNTAX, "a vendor of 16 bits"},
      {"*device 0 iio 2 0 0000:17:00.0 1 2 0x1000000\n", PMON_E_SYNTAX, "a class of 24 bits"},
      {"*device 0 iio 2 0 0000:17:00.0 1 2\n", PMON_E_SYNTAX, "a class of 24 bits"},
      {"*device 0 iio 2 0 0000:17:00.0 1 2 3 A\ndevice 0 iio 2 1 0000:17:00.0 1 2 3 B\n", PMON_E_CONFLICT,
       "duplicate device"}};
  check_refused(cases, sizeof cases / sizeof *cases);
}

static void test_too_many_functions_are_refused(void **state)
{
  enum { MOST = 1 << 13, LINE = 40 };
  (void)state;
  capture_begin("emr");
  char *text = malloc((MOST + 2) * LINE);
  struct pmon_capture *c = NULL;
  assert_non_null(text);
  size_t n = (size_t)sprintf(text, "%s", head);
  for (unsigned i = 0; i <= MOST; i++)
    n += (size_t)sprintf(text + n, "function 0 %u:%u.%u 1 2 3\n", i >> 8, i >> 3 & 31, i & 7);
  assert_int_equal(pmon_capture_parse(context, "test", text, n, &c), PMON_E_RANGE);
  assert_non_null(strstr(pmon_context_error(context), "too many functions"));
  free(text);
  pmon_context_free(context);
}

/* Truncated between two lines or within one. */
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
       "another package has a different number"}};
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused_input), cmocka_unit_test(test_refused_devices),
                                     cmocka_unit_test(test_too_many_functions_are_refused),
                                     cmocka_unit_test(test_cut_captures_are_refused),
                                     cmocka_unit_test(test_impossible_captures_are_refused)};
  return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}

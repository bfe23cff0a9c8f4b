/* SPDX-License-Identifier: MIT */
/* The discovery page: the machine's page agrees with the tables, and hostile pages do no harm. */
#include "tests/hardware/discovery_rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void test_page_and_tables_agree(void **state)
{
  (void)state;
  struct observed findings = {0};
  struct pmon_discovery *d;
  assert_int_equal(pmon_discovery_read(backend, 0, discovery_note, &findings, &d), 0);
  assert_int_equal(findings.n, 0);
  struct pmon_discovery_info info = {.size = sizeof info};
  pmon_discovery_describe(d, &info);
  assert_int_equal(info.units, 142);
  assert_int_equal(info.global_ctl, 0x2ff0);
  const struct pmon_discovery_place place = {sizeof place, backend, 0, false};
  if (pmon_discovery_compare(d, emr, &place, discovery_note, &findings))
    fail_msg("%s", findings.all);
  pmon_discovery_free(d);
}

/* Changes each field of one entry: the comparison reports this field, and only this. */
static void test_each_disagreement_is_reported(void **state)
{
  (void)state;
  static const struct {
    unsigned word, shift;
    const char *expect;
  } cases[] = {
      {0, 1, "counters in the page"},           {0, 8, "offset of the controls"},        {0, 16, "bits in the page"},
      {0, 24, "offset of the counters"},        {0, 32, "offset of the status"},         {1, 0, "address"},
      {2, 4, "this type is not in the tables"}, {2, 20, "not in the tables, which have"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t changed[WORDS];
    struct observed findings = {0};
    struct pmon_discovery *d;
    memcpy(changed, page, sizeof changed);
    for (size_t k = 1; k * 8 < page_words; k++)
      if ((changed[8 * k + 2] & 0xffffffff) == (3u << 16 | 0u)) /* cha 3 */
        changed[8 * k + cases[i].word] ^= UINT64_C(4) << cases[i].shift;
    assert_int_equal(pmon_discovery_parse(changed, page_words, discovery_note, &findings, &d), 0);
    assert_true(pmon_discovery_compare(d, emr, NULL, discovery_note, &findings) >= 1);
    if (!strstr(findings.all, cases[i].expect))
      fail_msg("\"%s\" is not among: %s", cases[i].expect, findings.all);
    pmon_discovery_free(d);
  }
}

static void test_non_discovery_pages_are_refused(void **state)
{
  (void)state;
  static const struct {
    uint64_t words[3];
    size_t n;
    const char *why;
  } cases[] = {{{0, 0, 0}, 3, "zero"},
               {{UINT64_MAX, UINT64_MAX, UINT64_MAX}, 3, "ones"},
               {{1, 1, 1}, 2, "shorter"},
               {{0x0000000000010100, 0x2ff0, 0}, 3, "stride"},
               {{0xc000000000010800, 0x2ff0, 0}, 3, "access type"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct observed findings = {0};
    struct pmon_discovery *d = NULL;
    assert_int_equal(pmon_discovery_parse(cases[i].words, cases[i].n, discovery_note, &findings, &d), PMON_E_SYNTAX);
    assert_null(d);
    assert_non_null(strstr(findings.last, cases[i].why));
  }
}

/* The global entry, a valid entry, and one with an error, which is left out. */
static void test_reasons_of_entries_that_are_left_out(void **state)
{
  (void)state;
  static const struct {
    uint64_t words[3];
    const char *why;
  } cases[] = {{{0x08300000, 0x3000, 1}, "number of counters is out of range"},
               {{0x08000204, 0x3000, 1}, "width of its counters is out of range"},
               {{0x08300204, 0, 1}, "address is out of range"},
               {{0x08300004, 0x3000, 1}, "overlap its other registers"},
               {{0xc000000008300204, 0x3000, 1}, "access type is unknown"},
               {{0x08300204, 0x3000, 0}, "describes the same unit"},
               {{0x08300204, 0x2000, 1}, "has the same address"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t words[24] = {[0] = 0x20800, [1] = 0x2ff0, [8] = 0x08300204, [9] = 0x2000};
    struct pmon_discovery_info info = {.size = sizeof info};
    struct observed findings = {0};
    struct pmon_discovery *d;
    memcpy(words + 16, cases[i].words, sizeof cases[i].words);
    assert_int_equal(pmon_discovery_parse(words, 24, discovery_note, &findings, &d), 0);
    pmon_discovery_describe(d, &info);
    assert_int_equal(info.units, 1);
    if (!strstr(findings.all, cases[i].why))
      fail_msg("\"%s\" is not among: %s", cases[i].why, findings.all);
    pmon_discovery_free(d);
  }
}

static void test_a_page_that_ends_early(void **state)
{
  (void)state;
  for (size_t n = 3; n < 80; n++) {
    struct observed findings = {0};
    struct pmon_discovery *d;
    assert_int_equal(pmon_discovery_parse(page, n, discovery_note, &findings, &d), 0);
    assert_non_null(strstr(findings.last, "ends before"));
    struct pmon_discovery_info info = {.size = sizeof info};
    pmon_discovery_describe(d, &info);
    assert_true(info.units <= n / 8);
    pmon_discovery_free(d);
  }
}

/* Writes the page as a platform, and loads it. */
static const struct pmon_platform *load_platform(const struct pmon_discovery *d)
{
  static const char *const suffixes[] = {"platform", "reg", "unit"};
  static char text[65536];
  char folder[] = "/tmp/pmon-page-XXXXXX", path[128];
  assert_non_null(mkdtemp(folder));
  for (int part = 0; part < 3; part++) {
    size_t n = pmon_discovery_platform(d, (enum pmon_platform_part)part, "mine", text, sizeof text);
    assert_true(n < sizeof text);
    snprintf(path, sizeof path, "%s/mine.%s", folder, suffixes[part]);
    FILE *f = fopen(path, "w");
    assert_true(f && fwrite(text, 1, n, f) == n && !fclose(f));
  }
  snprintf(path, sizeof path, "%s/mine.platform", folder);
  if (pmon_context_load(context, path))
    fail_msg("%s", pmon_context_error(context));
  for (int part = 0; part < 3; part++) {
    snprintf(path, sizeof path, "%s/mine.%s", folder, suffixes[part]);
    unlink(path);
  }
  rmdir(folder);
  return pmon_platform_get(context, 0);
}

/* Without facts: a platform is made from the page, and its raw events encode to the page's registers. */
static void test_a_platform_from_the_page(void **state)
{
  (void)state;
  struct pmon_discovery *d;
  struct pmon_event *event;
  struct pmon_image image;
  assert_int_equal(pmon_discovery_read(backend, 0, NULL, NULL, &d), 0);
  const struct pmon_platform *mine = load_platform(d);
  assert_true(pmon_discovery_lists(d, mine));
  if (pmon_event_resolve(context, mine, "type0/config=0x335/", &event))
    fail_msg("%s", pmon_context_error(context));
  assert_int_equal(pmon_event_encode(event, 0, 2, 1, &image), 0);
  assert_int_equal(image.registers[image.n - 1].address.offset, 0x2020 + 2 + 1);
  assert_int_equal(image.registers[image.n - 1].value & 0xffff, 0x335);
  assert_int_equal(image.counter.offset, 0x2020 + 8 + 1);
  assert_int_equal(image.width_bits, 48);
  pmon_event_free(event);
  /* A type's number is separated from its unit's: type 1 has ten units, and there are types 11 to 13. */
  assert_int_equal(pmon_event_resolve(context, mine, "type1_3/config=1/", &event), 0);
  assert_string_equal(pmon_event_name(event), "type1_3/ev_sel=0x1/");
  pmon_event_free(event);
  assert_int_equal(pmon_event_resolve(context, mine, "type13/config=1/", &event), 0);
  assert_string_equal(pmon_event_name(event), "type13/ev_sel=0x1/");
  pmon_event_free(event);
  pmon_discovery_free(d);
}

/* More units of a type than an event can select, a unit with fewer counters, a unit with another numbering: none is
 * left out. */
static void test_every_unit_of_a_page_is_in_its_platform(void **state)
{
  enum { UNITS = 72, ODD = 70 };
  static const struct {
    const char *name;
    uint32_t instances, counters;
  } expected[] = {{"type0", 64, 4}, {"type0a", 7, 4}, {"type0b", 1, 2}};
  uint64_t words[8 * (UNITS + 1)] = {(uint64_t)UNITS << 16 | 8 << 8, 0x2ff0, 0x8002};
  struct pmon_discovery *d;
  struct pmon_unit_info info = {.size = sizeof info};
  uint32_t unit;
  (void)state;
  for (uint64_t i = 0; i < UNITS; i++) {
    words[8 * (i + 1)] = UINT64_C(0x108300204) & (i == ODD ? ~UINT64_C(6) : UINT64_MAX);
    words[8 * (i + 1)] |= i == ODD ? 2 : 0;
    words[8 * (i + 1) + 1] = 0x2000 + 16 * i;
    words[8 * (i + 1) + 2] = (i == 5 ? 99 : i) << 16;
  }
  assert_int_equal(pmon_discovery_parse(words, sizeof words / sizeof *words, NULL, NULL, &d), 0);
  const struct pmon_platform *mine = load_platform(d);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    assert_int_equal(pmon_unit_find(mine, expected[i].name, &unit), 0);
    assert_int_equal(pmon_unit_describe(mine, unit, &info), 0);
    assert_int_equal(info.instances, expected[i].instances);
    assert_int_equal(info.counters, expected[i].counters);
  }
  assert_true(pmon_discovery_lists(d, mine));
  assert_false(pmon_discovery_lists(d, emr));
  pmon_discovery_free(d);
  words[8 * 72 + 1]++;
  assert_int_equal(pmon_discovery_parse(words, sizeof words / sizeof *words, NULL, NULL, &d), 0);
  assert_false(pmon_discovery_lists(d, mine));
  pmon_discovery_free(d);
}

/* Types without tables have Linux' names; stacks have port masks; CXL units have wide controls. The words of the page
 * are those of a processor after Emerald Rapids. */
static void test_types_have_names_and_fields(void **state)
{
  enum { N = 5 };
  static const uint64_t msr = 0x0000000108300204, pci = 0x8000007008303004, mmio = 0x4000008808304808;
  static const struct {
    uint64_t word0, address, id;
    const char *event;
    uint64_t control, counter, value;
  } rows[N] = {{msr, 0x3020, 1, "iio/ev_sel=0x83,umask=4,ch_mask=0x80,fc_mask=7/", 0x3022, 0x3028, 0x7080000000483},
               {pci, 0x87e60438, 16, "b2cmi/ev_sel=0x24,umask=1/", 0x468, 0x440, 0x124},
               {mmio, 0xea000000, 17, "b2cxl/ev_sel=1,umask_ext=3/", 0x48, 0x8, 0x300000001},
               {msr, 0x2800, 20, "mdf/ev_sel=2/", 0x2802, 0x2808, 2},
               {mmio, 0xe8022800, 6, "imc/ev_sel=5,umask=0xcf/", 0x48, 0x8, 0xcf05}};
  uint64_t words[8 * (N + 1)] = {(uint64_t)N << 16 | 8 << 8, 0x2ff0, 0x8002};
  struct pmon_discovery *d;
  (void)state;
  for (uint64_t i = 0; i < N; i++) {
    words[8 * (i + 1)] = rows[i].word0;
    words[8 * (i + 1) + 1] = rows[i].address;
    words[8 * (i + 1) + 2] = rows[i].id;
  }
  assert_int_equal(pmon_discovery_parse(words, sizeof words / sizeof *words, NULL, NULL, &d), 0);
  const struct pmon_platform *mine = load_platform(d);
  for (size_t i = 0; i < N; i++) {
    struct pmon_event *event;
    struct pmon_image image;
    if (pmon_event_resolve(context, mine, rows[i].event, &event))
      fail_msg("%s: %s", rows[i].event, pmon_context_error(context));
    assert_int_equal(pmon_event_encode(event, 0, 0, 1, &image), 0);
    const struct pmon_address *a = &image.registers[image.n - 1].address;
    const bool msrs = a->space == PMON_SPACE_MSR, wide = rows[i].id == 17 || rows[i].id == 16;
    const uint64_t mask = msrs ? UINT64_MAX : 0xfff, first = rows[i].control & mask;
    const uint64_t base = msrs || rows[i].id == 16 ? 0 : rows[i].address & mask;
    if ((a->offset & mask) != first + base +
                                  (msrs   ? 1
                                   : wide ? 8
                                          : 4) ||
        (image.counter.offset & mask) != rows[i].counter + base + (msrs ? 1 : 8) ||
        image.registers[image.n - 1].value != rows[i].value)
      fail_msg("%s: control 0x%llx, counter 0x%llx, value 0x%llx", rows[i].event, (unsigned long long)a->offset,
               (unsigned long long)image.counter.offset, (unsigned long long)image.registers[image.n - 1].value);
    pmon_event_free(event);
  }
  pmon_discovery_free(d);
}

/* Runs the fuzzer's harness on the machine's page with bytes overwritten: hostile pages without a fuzzer. */
static void test_hostile_pages(void **state)
{
  (void)state;
  uint64_t random = 88172645463325252u;
  uint8_t bytes[8 * WORDS];
  for (int run = 0; run < 300; run++) {
    memcpy(bytes, page, sizeof bytes);
    for (int i = 0; i < 1 + run % 40; i++) {
      random ^= random << 13, random ^= random >> 7, random ^= random << 17;
      bytes[random % (i % 3 ? 8 * page_words : 24)] = (uint8_t)(random >> 40);
    }
    assert_int_equal(LLVMFuzzerTestOneInput(bytes, 8 * page_words - random % 9), 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_page_and_tables_agree),
                                     cmocka_unit_test(test_each_disagreement_is_reported),
                                     cmocka_unit_test(test_non_discovery_pages_are_refused),
                                     cmocka_unit_test(test_reasons_of_entries_that_are_left_out),
                                     cmocka_unit_test(test_a_page_that_ends_early),
                                     cmocka_unit_test(test_hostile_pages),
                                     cmocka_unit_test(test_a_platform_from_the_page),
                                     cmocka_unit_test(test_every_unit_of_a_page_is_in_its_platform),
                                     cmocka_unit_test(test_types_have_names_and_fields)};
  return cmocka_run_group_tests_name("discovery", tests, discovery_set_up, discovery_tear_down);
}

/* SPDX-License-Identifier: MIT */
/* Platforms that differ from a discovery page: the reports, and the files that a repair writes. */
#include "tests/hardware/discovery_rig.h"

static void discovery_write_file_of(const struct pmon_platform *platform, const char *folder, const char *name,
                                    enum pmon_platform_part part, const struct pmon_discovery *d)
{
  static char text[65536];
  char path[128];
  const struct pmon_discovery_place place = {sizeof place, backend, 0, false};
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  size_t n = pmon_discovery_repair(
      d, platform, &place,
      &(struct pmon_repair_text){sizeof(struct pmon_repair_text), part, "fixed", text, sizeof text});
  assert_true(n && n < sizeof text && f && fwrite(text, 1, n, f) == n && !fclose(f));
}

static void discovery_write_file(const char *folder, const char *name, enum pmon_platform_part part,
                                 const struct pmon_discovery *d)
{
  discovery_write_file_of(emr, folder, name, part, d);
}

/* The facts have the events of high-bandwidth memory; the page has the addresses. */
static void test_units_without_addresses_get_those_of_the_page(void **state)
{
  (void)state;
  uint64_t words[8 * 3] = {UINT64_C(2) << 16 | 8 << 8, 0x2ff0, 0x8002};
  char folder[] = "/tmp/pmon-hbm-XXXXXX", path[128];
  const struct pmon_platform *spr;
  struct observed findings = {0};
  struct pmon_discovery *d;
  struct pmon_event *event;
  struct pmon_image image;
  for (uint64_t i = 0; i < 2; i++) {
    words[8 * (i + 1)] = 0x4000005c08304004;
    words[8 * (i + 1) + 1] = 0xec141c00 + 0x4000 * i;
    words[8 * (i + 1) + 2] = i << 16 | 14;
  }
  const struct pmon_discovery_place place = {sizeof place, backend, 0, true};
  assert_int_equal(pmon_platform_find(context, "spr", &spr), 0);
  assert_int_equal(pmon_discovery_parse(words, sizeof words / sizeof *words, NULL, NULL, &d), 0);
  assert_true(pmon_discovery_compare(d, spr, &place, discovery_note, &findings) >= 2);
  assert_non_null(strstr(findings.all, "hbm 1: the tables have no addresses of this unit; the page's is 0xec145c00"));
  assert_non_null(mkdtemp(folder));
  discovery_write_file_of(spr, folder, "fixed.platform", PMON_PART_PLATFORM, d);
  discovery_write_file_of(spr, folder, "fixed.unit", PMON_PART_UNITS, d);
  snprintf(path, sizeof path, "%s/fixed.platform", folder);
  if (pmon_context_load(context, path))
    fail_msg("%s", pmon_context_error(context));
  unlink(path);
  snprintf(path, sizeof path, "%s/fixed.unit", folder);
  unlink(path);
  rmdir(folder);
  const struct pmon_platform *fixed = pmon_platform_get(context, 0);
  if (pmon_event_resolve(context, fixed, "UNC_MCHBM_CAS_COUNT.RD", &event) || pmon_event_encode(event, 0, 1, 2, &image))
    fail_msg("%s", pmon_context_error(context));
  assert_int_equal(image.registers[image.n - 1].address.offset, 0xec145c00 + 0x48);
  assert_int_equal(image.registers[image.n - 1].value & 0xffff, 0xcf05);
  assert_int_equal(image.counter.offset, 0xec145c00 + 0x18);
  pmon_event_free(event);
  pmon_discovery_free(d);
}

/* A page with units at other addresses than the tables: after the repair there is no difference, and events use the
 * page's addresses. */
static void test_disagreements_can_be_repaired(void **state)
{
  (void)state;
  static const struct {
    uint32_t type, id, word;
    uint64_t xor ;
  } changes[] = {{0, 1, 1, 0x2010 ^ 0x5010},
                 {6, 1, 1, 0x1000},
                 {7, ALL, 0, UINT64_C(4) << 32},
                 {8, 0, 1, 0x40 << 12},
                 {4, 0, 0, 4 ^ 6}};
  char folder[] = "/tmp/pmon-repair-XXXXXX", path[128];
  struct pmon_discovery *d;
  struct observed before = {0}, after = {0};
  const struct pmon_discovery_place place = {sizeof place, backend, 0, true};
  uint64_t *words = malloc(page_words * 8);
  assert_non_null(words);
  memcpy(words, page, page_words * 8);
  for (size_t w = 8; w + 3 <= page_words; w += 8)
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
      if ((words[w + 2] & 0xffff) == changes[i].type &&
          (changes[i].id == ALL || (words[w + 2] >> 16 & 0xffff) == changes[i].id))
        words[w + changes[i].word] ^= changes[i].xor ;
  assert_int_equal(pmon_discovery_parse(words, page_words, discovery_note, &before, &d), 0);
  if (pmon_discovery_compare(d, emr, &place, discovery_note, &before) != 8)
    fail_msg("%s", before.all);
  assert_non_null(mkdtemp(folder));
  discovery_write_file(folder, "fixed.platform", PMON_PART_PLATFORM, d);
  discovery_write_file(folder, "fixed.unit", PMON_PART_UNITS, d);
  snprintf(path, sizeof path, "%s/fixed.platform", folder);
  if (pmon_context_load(context, path))
    fail_msg("%s", pmon_context_error(context));
  unlink(path);
  snprintf(path, sizeof path, "%s/fixed.unit", folder);
  unlink(path);
  rmdir(folder);
  const struct pmon_platform *fixed = pmon_platform_get(context, 0);
  if (pmon_discovery_compare(d, fixed, &place, discovery_note, &after))
    fail_msg("%s", after.last);
  struct pmon_event *event;
  struct pmon_image image;
  assert_int_equal(pmon_event_resolve(context, fixed, "cha/TOR_INSERTS.IA_MISS_DRD/", &event), 0);
  assert_int_equal(pmon_event_encode(event, 0, 1, 0, &image), 0);
  assert_int_equal(image.registers[image.n - 1].address.offset, 0x5012);
  pmon_event_free(event);
  pmon_discovery_free(d);
  free(words);
}

/* A difference in the number of units, by the capability registers: a CHA that the page lists twice. */
static void test_instance_counts_compared_with_the_page(void **state)
{
  (void)state;
  static const struct {
    const char *unit;
    uint32_t n;
  } cases[] = {{"cha", 64}, {"upi", 4}, {"imc", 8}};
  struct pmon_discovery *d;
  struct observed findings = {0};
  uint32_t unit, n = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(pmon_unit_find(emr, cases[i].unit, &unit), 0);
    assert_int_equal(pmon_unit_count(backend, 0, emr, unit, &n), 0);
    assert_int_equal(n, cases[i].n);
  }
  assert_int_equal(pmon_unit_find(emr, "pcu", &unit), 0);
  assert_int_equal(pmon_unit_count(backend, 0, emr, unit, &n), PMON_E_NO_DATA);
  uint64_t *words = malloc(page_words * 8);
  assert_non_null(words);
  memcpy(words, page, page_words * 8);
  for (size_t w = 8; w + 3 <= page_words; w += 8)
    if ((words[w + 2] & 0xffffffff) == 5 << 16) /* cha 5 */
      words[w] = words[w + 1] = words[w + 2] = 0;
  assert_int_equal(pmon_discovery_parse(words, page_words, discovery_note, &findings, &d), 0);
  assert_int_equal(pmon_discovery_compare(
                       d, emr, &(struct pmon_discovery_place){sizeof(struct pmon_discovery_place), backend, 0, true},
                       discovery_note, &findings),
                   1);
  assert_string_equal(findings.last, "cha: 63 in the page, 64 by the capability registers and BARs");
  pmon_discovery_free(d);
  free(words);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_disagreements_can_be_repaired),
                                     cmocka_unit_test(test_instance_counts_compared_with_the_page),
                                     cmocka_unit_test(test_units_without_addresses_get_those_of_the_page)};
  return cmocka_run_group_tests_name("discovery", tests, discovery_set_up, discovery_tear_down);
}

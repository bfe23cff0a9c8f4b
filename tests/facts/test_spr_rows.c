/* SPDX-License-Identifier: MIT */
/*
 * Sapphire Rapids equals Emerald Rapids, with differences: by Intel's event files only Emerald Rapids has the rows
 * below, which are typed from the files; every other row is the same on both.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/pmon.h>

/* Umasks of both TOR_INSERTS (0x35) and TOR_OCCUPANCY (0x36), with the umask's extension. The files have other values
 * for four of the extensions (data/audit/files-differences.tsv). */
static const struct {
  const char *umask;
  uint64_t value, extension;
} emr_only[] = {
    {"IA_MISS_DRD_CXL_EXP_LOCAL", 0x01, 0x20c81682},        {"IA_MISS_RFO_CXL_EXP_LOCAL", 0x01, 0x20c80682},
    {"RRQ_MISS_RDCUR_CXL_EXP_LOCAL", 0x40, 0x20e80682},     {"RRQ_MISS_RDCODE_CXL_EXP_LOCAL", 0x40, 0x20e80e82},
    {"RRQ_MISS_RDDATA_CXL_EXP_LOCAL", 0x40, 0x20e81682},    {"RRQ_MISS_RDINVOWN_OPT_CXL_EXP_LOCAL", 0x40, 0x20e82682},
    {"RRQ_MISS_INVXTOM_CXL_EXP_LOCAL", 0x40, 0x20e87e82},   {"IA_MISS_LLCPREFDATA_CXL_EXP_LOCAL", 0x01, 0x20ccd682},
    {"IA_MISS_LLCPREFRFO_CXL_EXP_LOCAL", 0x01, 0x20ccc682}, {"IA_MISS_RFO_PREF_CXL_EXP_LOCAL", 0x01, 0x20c88682},
    {"IA_MISS_DRD_PREF_CXL_EXP_LOCAL", 0x01, 0x20c89682}};

static struct pmon_context *context;
static const struct pmon_platform *emr, *spr;

static void resolve(const struct pmon_platform *platform, const char *name, int expected,
                    struct pmon_event_info *ret_info)
{
  struct pmon_event *event = NULL;
  if (pmon_event_resolve(context, platform, name, &event) != expected)
    fail_msg("%s: %s", name, pmon_context_error(context));
  if (!expected)
    assert_int_equal(pmon_event_describe(event, ret_info), 0);
  pmon_event_free(event);
}

static void expanders_begin_with_emerald_rapids(void **state)
{
  static const char *const events[] = {"TOR_INSERTS", "TOR_OCCUPANCY"};
  char name[128];
  (void)state;
  for (size_t i = 0; i < 2 * sizeof emr_only / sizeof *emr_only; i++) {
    struct pmon_event_info info = {.size = sizeof info};
    snprintf(name, sizeof name, "UNC_CHA_%s.%s", events[i & 1], emr_only[i / 2].umask);
    resolve(spr, name, PMON_E_UNKNOWN, NULL);
    resolve(emr, name, 0, &info);
    assert_int_equal(info.code, 0x35 + (i & 1));
    assert_int_equal(info.umask_value, emr_only[i / 2].value);
    assert_int_equal(info.ext, emr_only[i / 2].extension);
  }
}

/* Compares rows that `a` has and `b` lacks or has with other values: those of CXL expanders, and of units that only one
 * of them has. */
static unsigned compare(const struct pmon_platform *a, const struct pmon_platform *b, unsigned *ret_rows)
{
  struct pmon_event_cursor at = {0}, there;
  struct pmon_event_info row = {.size = sizeof row}, same = {.size = sizeof same};
  unsigned differ = 0;
  for (*ret_rows = 0; pmon_event_next(a, UINT32_MAX, &at, &row); ++*ret_rows) {
    const struct pmon_event_info wanted = row;
    uint32_t unit;
    bool found = false;
    if (!pmon_unit_find(b, wanted.unit, &unit)) {
      there = (struct pmon_event_cursor){0};
      while (!found && pmon_event_next(b, unit, &there, &same))
        found = !strcmp(same.event, wanted.event) && !same.umask == !wanted.umask &&
                (!same.umask || !strcmp(same.umask, wanted.umask)) && same.code == wanted.code &&
                same.umask_value == wanted.umask_value && same.ext == wanted.ext && same.counters == wanted.counters;
    }
    const bool expected = (wanted.umask && strstr(wanted.umask, "_CXL_EXP_LOCAL")) || !strcmp(wanted.unit, "hbm");
    if (!found != expected)
      fail_msg("%s/%s.%s/: %s on the other", wanted.unit, wanted.event, wanted.umask ? wanted.umask : "",
               found ? "the same" : "missing or different");
    differ += !found;
  }
  return differ;
}

static void all_other_rows_are_the_same(void **state)
{
  unsigned emr_rows, spr_rows;
  (void)state;
  const unsigned expanders = compare(emr, spr, &emr_rows), hbm = compare(spr, emr, &spr_rows);
  assert_int_equal(expanders, 32); /* 22 in the files, and ten only in 817509 */
  assert_true(emr_rows - expanders == spr_rows - hbm && emr_rows > 3000);
}

static void the_processor_is_found_by_its_model(void **state)
{
  static const uint32_t signature[3] = {6, 0x8f, 8};
  const struct pmon_platform *found;
  struct pmon_platform_info info = {.size = sizeof info};
  (void)state;
  assert_int_equal(pmon_platform_find_cpu(context, "GenuineIntel", signature, &found), 0);
  assert_ptr_equal(found, spr);
  pmon_platform_describe(spr, &info);
  assert_string_equal(info.base, "spr"); /* a machine of its own */
}

static int open_context(void **state)
{
  (void)state;
  return pmon_context_new(&context) || pmon_platform_find(context, "emr", &emr) ||
         pmon_platform_find(context, "spr", &spr);
}

static int close_context(void **state)
{
  (void)state;
  pmon_context_free(context);
  return 0;
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(expanders_begin_with_emerald_rapids),
      cmocka_unit_test(all_other_rows_are_the_same),
      cmocka_unit_test(the_processor_is_found_by_its_model),
  };
  return cmocka_run_group_tests_name("spr rows", tests, open_context, close_context);
}

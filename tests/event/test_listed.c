/* SPDX-License-Identifier: MIT */
/* Looking up an event by its whole listed name gives the same result as resolving the name's parts, on all
 * platforms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include "src/facts/full_name.h"
#include "src/platform/platform.h"

static const char *const names[] = {"emr", "snbep", "montecito"};

/* Encodes the event into a fully initialised image, including padding. */
static void listed_encode(const struct pmon_event *e, struct pmon_image *image)
{
  memset(image, 0, sizeof *image);
  uint32_t counters = pmon_event_counters(e);
  assert_true(counters != 0);
  assert_int_equal(pmon_event_encode(e, 1, 0, (uint32_t)__builtin_ctz(counters), image), PMON_OK);
}

static void assert_same_event(const struct pmon_event *a, const struct pmon_event *b)
{
  struct pmon_image one, other;
  listed_encode(a, &one);
  listed_encode(b, &other);
  assert_string_equal(pmon_event_name(a), pmon_event_name(b));
  assert_int_equal(pmon_event_counters(a), pmon_event_counters(b));
  assert_int_equal(pmon_event_get_kind(a), pmon_event_get_kind(b));
  assert_true(pmon_event_instances(a) == pmon_event_instances(b));
  assert_int_equal(one.n, other.n);
  assert_memory_equal(&one.counter, &other.counter, sizeof one.counter);
  for (uint32_t i = 0; i < one.n; i++) {
    assert_memory_equal(&one.registers[i].address, &other.registers[i].address, sizeof one.registers[i].address);
    assert_true(one.registers[i].value == other.registers[i].value);
    assert_true(one.registers[i].mask == other.registers[i].mask);
  }
}

static const struct db_listed *listed(const struct pmon_platform *p, const char *text)
{
  bool prefixed;
  return db_find_listed(p->db, (uint32_t)(p->row - p->db->platforms), text_of(text), &prefixed);
}

/* A leading blank has no effect, except that the name is not looked up as a whole. */
static void test_whole_and_parts_agree(void **state)
{
  struct pmon_context *c = *state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const struct pmon_platform *p;
    struct pmon_event_cursor at = {0};
    struct pmon_event_info info = {.size = sizeof info};
    uint32_t found = 0, all = 0;
    assert_int_equal(pmon_platform_find(c, names[i], &p), PMON_OK);
    while (pmon_event_next(p, UINT32_MAX, &at, &info)) {
      char text[512] = " ";
      snprintf(text + 1, sizeof text - 1, "%s/%s%s%s/", info.unit, info.event, info.umask ? "." : "",
               info.umask ? info.umask : "");
      struct pmon_event *whole = NULL, *parts = NULL;
      assert_null(listed(p, text));
      int status = pmon_event_resolve(c, p, text, &parts);
      assert_int_equal(pmon_event_resolve(c, p, text + 1, &whole), status);
      all += status == PMON_OK;
      if (listed(p, text + 1)) {
        assert_int_equal(status, PMON_OK);
        assert_string_equal(pmon_event_name(whole), text + 1);
        found++;
      }
      if (status == PMON_OK)
        assert_same_event(whole, parts);
      pmon_event_free(whole);
      pmon_event_free(parts);
    }
    print_message("%s: %u of %u events by their whole names\n", names[i], found, all);
    assert_true(all > 0 && found * 100 >= all * 97);
  }
}

/* Resolves a text as a whole and, with a leading blank, in parts: the same event, or the same failure. Returns true for
 * an event. */
static bool agrees(struct pmon_context *c, const struct pmon_platform *p, const char *text)
{
  char blank[512];
  struct pmon_event *whole = NULL, *parts = NULL;
  snprintf(blank, sizeof blank, " %s", text);
  const int status = pmon_event_resolve(c, p, blank, &parts);
  if (pmon_event_resolve(c, p, text, &whole) != status)
    fail_msg("%s: not as in parts", text);
  if (status == PMON_OK)
    assert_same_event(whole, parts);
  pmon_event_free(whole);
  pmon_event_free(parts);
  return status == PMON_OK;
}

static void to_lower(char *text)
{
  for (; *text; text++)
    *text = *text >= 'A' && *text <= 'Z' ? (char)(*text + 'a' - 'A') : *text;
}

/* Names of event files, and libpfm4's names without an instance, with the first, the last, and one beyond the last. */
static void test_prefixed_names_agree(void **state)
{
  struct pmon_context *c = *state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const struct pmon_platform *p;
    struct pmon_event_cursor at = {0};
    struct pmon_event_info info = {.size = sizeof info};
    uint32_t found = 0, all = 0;
    assert_int_equal(pmon_platform_find(c, names[i], &p), PMON_OK);
    while (pmon_event_next(p, UINT32_MAX, &at, &info)) {
      uint32_t unit;
      struct pmon_unit_info u = {.size = sizeof u};
      char name[256], text[512];
      assert_int_equal(pmon_unit_find(p, info.unit, &unit), PMON_OK);
      assert_int_equal(pmon_unit_describe(p, unit, &u), PMON_OK);
      snprintf(name, sizeof name, "%s%s%s%s", u.prefix, info.event, info.umask ? "." : "",
               info.umask ? info.umask : "");
      all += agrees(c, p, name);
      found += listed(p, name) != NULL;
      to_lower(name);
      agrees(c, p, name);
      if (!*u.pfm)
        continue;
      const uint32_t instances[] = {0, u.instances ? u.instances - 1 : 0, u.instances, 100};
      for (size_t k = 0; k <= sizeof instances / sizeof *instances; k++) {
        char number[16] = "";
        if (k)
          snprintf(number, sizeof number, "%u", instances[k - 1]);
        snprintf(text, sizeof text, "%s%s::%s%s%s%s", u.pfm, number, u.prefix, info.event, info.umask ? ":" : "",
                 info.umask ? info.umask : "");
        agrees(c, p, text);
      }
    }
    print_message("%s: %u of %u events by their names in event files\n", names[i], found, all);
    assert_true(strcmp(names[i], "montecito") == 0 || (all > 0 && found * 100 >= all * 90));
  }
}

/* Similar names are not listed names; the hash maps upper and lower case, and separators and the characters below them
 * in the code, to the same value. */
static void test_similar_names_are_not_listed(void **state)
{
  static const char *const near[] = {
      "cha/TOR_INSERTS.IA_MISS_DRD",
      "cha/TOR_INSERTS.IA_MISS_DR/",
      "cha/TOR_INSERTS.IA_MISS_DRD//",
      "cha/TOR_INSERTS/",
      "cha/tor_inserts.IA_MISS_DRD/",
      "cha0/TOR_INSERTS.IA_MISS_DRD/",
      "chaxTOR_INSERTS.IA_MISS_DRD/",
      "",
      "/",
      "//",
      "cha/TOR_INSERTS\x0eIA_MISS_DRD/",
      "cha\x0fTOR_INSERTS.IA_MISS_DRD/",
      "cha/TOR_INSERTS.IA_MISS_DRD\x0f",
      "CHA/TOR_INSERTS.IA_MISS_DRD/",
      "snbep_unc_cbo::UNC_C_TOR_INSERTS:ALL",
  };
  const struct pmon_platform *p;
  assert_int_equal(pmon_platform_find(*state, "emr", &p), PMON_OK);
  assert_non_null(listed(p, "cha/TOR_INSERTS.IA_MISS_DRD/"));
  for (size_t i = 0; i < sizeof near / sizeof *near; i++)
    assert_null(listed(p, near[i]));
  const struct pmon_platform *other; /* names belong to their platform only */
  assert_int_equal(pmon_platform_find(*state, "snbep", &other), PMON_OK);
  assert_null(listed(other, "cha/TOR_INSERTS.IA_MISS_DRD/"));
}

/* Units whose facts no second source confirms. */
static void test_unsure_units(void **state)
{
  static const char *const unsure[] = {"cxlcm", "cxldp"};
  struct pmon_unit_info info = {.size = sizeof info};
  const struct pmon_platform *p;
  uint32_t n = 0;
  assert_int_equal(pmon_platform_find(*state, "emr", &p), PMON_OK);
  for (uint32_t i = 0; !pmon_unit_describe(p, i, &info); i++)
    if (info.unsure) {
      assert_true(n < sizeof unsure / sizeof *unsure);
      assert_string_equal(info.name, unsure[n++]);
    }
  assert_int_equal(n, sizeof unsure / sizeof *unsure);
}

static int listed_set_up(void **state)
{
  struct pmon_context *c;
  int status = pmon_context_new(&c);
  *state = c;
  return status;
}

static int listed_tear_down(void **state)
{
  pmon_context_free(*state);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_whole_and_parts_agree),
      cmocka_unit_test(test_prefixed_names_agree),
      cmocka_unit_test(test_similar_names_are_not_listed),
      cmocka_unit_test(test_unsure_units),
  };
  return cmocka_run_group_tests(tests, listed_set_up, listed_tear_down);
}

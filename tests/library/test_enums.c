/* SPDX-License-Identifier: MIT */
/*
 * Calls each public function that takes an enum with a number that the enum does not have: the number is refused, never
 * taken for another value. test_machine.c tests the kinds of accesses that a callback gives to the machine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include "tests/engine/fake.h"

static struct pmon_context *context;
static const struct pmon_platform *emr, *montecito;
static struct fake fake;

static int setup(void **state)
{
  (void)state;
  if (pmon_context_new(&context) || pmon_platform_find(context, "emr", &emr) ||
      pmon_platform_find(context, "montecito", &montecito))
    return -1;
  fake_init(&fake, emr);
  return 0;
}

static int teardown(void **state)
{
  (void)state;
  pmon_context_free(context);
  return 0;
}

static int count_bytes(void *user, const char *bytes, size_t n)
{
  (void)bytes;
  *(size_t *)user += n;
  return 0;
}

static void reports(void **state)
{
  (void)state;
  struct pmon_report *report = NULL;
  struct pmon_report_head head = {.size = sizeof head, .platform = "emr", .freeze = PMON_FREEZE_BOUNDARIES + 1};
  struct pmon_report_row row = {.size = sizeof row, .name = "EVENT", .value = {.valid = true}};
  size_t written = 0;
  assert_int_equal(pmon_report_new(&head, &report), PMON_E_INVALID);
  head.freeze = UINT32_MAX;
  assert_int_equal(pmon_report_new(&head, &report), PMON_E_INVALID);
  assert_null(report);
  head.freeze = PMON_FREEZE_BOUNDARIES;
  assert_int_equal(pmon_report_new(&head, &report), 0);
  row.value.flags = PMON_VALUE_PARTIAL << 1;
  assert_int_equal(pmon_report_add(report, &row), PMON_E_INVALID);
  row.value.flags = PMON_VALUE_VANISHED | PMON_VALUE_UNCERTAIN | PMON_VALUE_SCALED;
  assert_int_equal(pmon_report_add(report, &row), 0);
  assert_int_equal(pmon_report_arrange(report, (enum pmon_order)(PMON_ORDER_NAME + 1), 0), PMON_E_INVALID);
  assert_int_equal(pmon_report_arrange(report, (enum pmon_order) - 1, 0), PMON_E_INVALID);
  assert_int_equal(pmon_report_arrange(report, PMON_ORDER_NAME, 0), 0);
  assert_int_equal(
      pmon_report_format(report, (enum pmon_format)(PMON_FORMAT_CSV_WIDE_HEADER + 1), count_bytes, &written),
      PMON_E_INVALID);
  assert_int_equal(pmon_report_format(report, (enum pmon_format) - 1, count_bytes, &written), PMON_E_INVALID);
  assert_int_equal(written, 0);
  pmon_report_free(report);
}

static void sessions(void **state)
{
  (void)state;
  struct pmon_plan *plan;
  struct pmon_session *session = NULL;
  struct pmon_sample_source source = {.size = sizeof source, .kind = PMON_SOURCE_N};
  struct pmon_session_options options = {.size = sizeof options, .freeze = PMON_FREEZE_BOUNDARIES + 1};
  struct pmon_report_head head = {.size = sizeof head, .platform = "emr"};
  struct pmon_report *report;
  assert_int_equal(pmon_plan_new(context, emr, &plan), 0);
  assert_int_equal(pmon_plan_add_events(plan, "imc/CAS_COUNT.RD/"), 0);
  assert_int_equal(pmon_plan_schedule(plan), 0);
  assert_int_equal(pmon_session_new(plan, &fake.backend, &options, &session), PMON_E_INVALID);
  assert_string_equal(pmon_context_error(context), "freeze scope 5: expected a value of enum pmon_freeze");
  options.freeze = PMON_FREEZE_BEST;
  options.source = &source;
  options.every_count = 100;
  assert_int_equal(pmon_session_new(plan, &fake.backend, &options, &session), PMON_E_INVALID);
  assert_non_null(strstr(pmon_context_error(context), "sample source 8: expected a value"));
  assert_null(session);
  assert_int_equal(pmon_session_new(plan, &fake.backend, NULL, &session), 0);
  assert_int_equal(pmon_report_new(&head, &report), 0);
  assert_int_equal(pmon_report_add_session(report, session, plan, PMON_IN_TOTAL << 1), PMON_E_INVALID);
  pmon_report_free(report);
  assert_int_equal(pmon_session_close(session), 0);
  pmon_plan_free(plan);
}

static void discovered_platforms(void **state)
{
  (void)state;
  const uint64_t empty_page[3] = {0x301, 0x2ff0, 0};
  struct pmon_discovery *page;
  char text[200] = "before";
  struct pmon_repair_text out = {.size = sizeof out,
                                 .part = (enum pmon_platform_part)(PMON_PART_UNITS + 1),
                                 .name = "x",
                                 .text = text,
                                 .text_size = sizeof text};
  assert_int_equal(pmon_discovery_parse(empty_page, 3, NULL, NULL, &page), 0);
  assert_int_equal(pmon_discovery_platform(page, out.part, "x", text, sizeof text), 0);
  assert_string_equal(text, "");
  strcpy(text, "before");
  assert_int_equal(pmon_discovery_repair(page, emr, NULL, &out), 0);
  assert_string_equal(text, "");
  out.part = PMON_PART_REGISTERS; /* a repaired platform has the registers of the platform that it imports */
  strcpy(text, "before");
  assert_int_equal(pmon_discovery_repair(page, emr, NULL, &out), 0);
  assert_string_equal(text, "");
  assert_true(pmon_discovery_platform(page, PMON_PART_UNITS, "x", text, sizeof text) > 0);
  pmon_discovery_free(page);
}

static void addresses_and_names(void **state)
{
  (void)state;
  const struct pmon_address nowhere = {.space = 99, .offset = 0x10, .width_bits = 64};
  struct pmon_register_id id;
  struct pmon_backend *allow;
  uint64_t address, size;
  assert_int_equal(pmon_register_find(emr, &nowhere, &id), PMON_E_UNKNOWN);
  assert_int_equal(pmon_bar_address(&fake.backend, 0, PMON_BARS, &address, &size), PMON_E_RANGE);
  assert_int_equal(pmon_backend_allow_new(&fake.backend, emr, &allow), 0);
  assert_int_equal(allow->ops->write(allow, &nowhere, 1), PMON_E_PERMISSION);
  free(allow); /* the wrapper alone: closing it would also close the fake */
  assert_string_equal(pmon_space_name(99), "?");
  assert_string_equal(pmon_role_name(PMON_ROLE_N), "?");
  assert_null(pmon_sample_source_name(PMON_SOURCE_N));
  assert_null(pmon_sample_source_event(PMON_SOURCE_N));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reports),
      cmocka_unit_test(sessions),
      cmocka_unit_test(discovered_platforms),
      cmocka_unit_test(addresses_and_names),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

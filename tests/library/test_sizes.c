/* SPDX-License-Identifier: MIT */
/* Structs that begin with their size, from callers that know fewer members than the library, or more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include "tests/engine/fake.h"

static struct fake fake;

static void sizes(void **state)
{
  (void)state;
  struct {
    struct pmon_unit_info info;
    uint64_t newer[4];
  } u;
  struct {
    struct pmon_session_options options;
    uint64_t newer;
  } o = {.options.size = sizeof o};
  struct pmon_context *context;
  const struct pmon_platform *emr;
  struct pmon_plan *plan;
  struct pmon_session *session;
  assert_int_equal(pmon_context_new(&context), 0);
  assert_int_equal(pmon_platform_find(context, "emr", &emr), 0);
  assert_int_equal(pmon_plan_new(context, emr, &plan), 0);
  assert_int_equal(pmon_plan_add_events(plan, "imc/CAS_COUNT.RD/"), 0);
  assert_int_equal(pmon_plan_schedule(plan), 0);
  fake_init(&fake, emr);

  memset(&u, 0xee, sizeof u);
  u.info.size = offsetof(struct pmon_unit_info, title);
  assert_int_equal(pmon_unit_describe(emr, 0, &u.info), 0);
  assert_non_null(u.info.name);
  assert_int_equal(u.info.size, offsetof(struct pmon_unit_info, title));
  for (size_t i = u.info.size; i < sizeof u; i++)
    assert_int_equal(((unsigned char *)&u)[i], 0xee);

  memset(&u, 0xee, sizeof u);
  u.info.size = sizeof u - sizeof u.newer[0];
  assert_int_equal(pmon_unit_describe(emr, 0, &u.info), 0);
  for (size_t i = 0; i < 3; i++)
    assert_int_equal(u.newer[i], 0);
  assert_int_equal(u.newer[3], UINT64_C(0xeeeeeeeeeeeeeeee));

  assert_int_equal(pmon_session_new(plan, &fake.backend, &o.options, &session), 0);
  assert_int_equal(pmon_session_close(session), 0);
  o.newer = 1;
  assert_int_equal(pmon_session_new(plan, &fake.backend, &o.options, &session), PMON_E_UNSUPPORTED);
  assert_non_null(strstr(pmon_context_error(context), "does not have"));
  pmon_plan_free(plan);
  pmon_context_free(context);
}

static void ignore_line(void *user, const char *line)
{
  (void)user;
  (void)line;
}

/* A user's backend whose operations state no size: none is called. */
static void backends_without_a_size(void **state)
{
  (void)state;
  struct pmon_context *context;
  const struct pmon_platform *emr;
  struct pmon_plan *plan;
  struct pmon_session *session;
  struct pmon_backend *wrapper = NULL;
  uint32_t registers;
  assert_int_equal(pmon_context_new(&context), 0);
  assert_int_equal(pmon_platform_find(context, "emr", &emr), 0);
  assert_int_equal(pmon_plan_new(context, emr, &plan), 0);
  assert_int_equal(pmon_plan_add_events(plan, "imc/CAS_COUNT.RD/"), 0);
  assert_int_equal(pmon_plan_schedule(plan), 0);
  fake_init(&fake, emr);
  struct pmon_backend_ops ops = *fake.backend.ops;
  struct pmon_backend backend = {.ops = &ops, .packages = 1};
  for (int i = 0; i < 2; i++) {
    ops.size = i ? offsetof(struct pmon_backend_ops, close) : 0;
    assert_int_equal(pmon_session_new(plan, &backend, NULL, &session), PMON_E_INVALID);
    assert_non_null(strstr(pmon_context_error(context), "size"));
    assert_int_equal(pmon_restore(context, &backend, "/nonexistent/journal", &registers), PMON_E_INVALID);
    assert_int_equal(pmon_backend_trace_new(&backend, ignore_line, NULL, &wrapper), PMON_E_INVALID);
    assert_int_equal(pmon_backend_allow_new(&backend, emr, &wrapper), PMON_E_INVALID);
    assert_int_equal(pmon_backend_dry_new(&backend, ignore_line, NULL, &wrapper), PMON_E_INVALID);
    assert_int_equal(pmon_backend_inject_new(&backend, 0, &wrapper), PMON_E_INVALID);
  }
  assert_null(wrapper);
  pmon_plan_free(plan);
  pmon_context_free(context);
}

static void discovery_structs(void **state)
{
  (void)state;
  const uint64_t empty_page[3] = {0x301, 0x2ff0, 0};
  struct pmon_context *context;
  const struct pmon_platform *emr;
  struct pmon_discovery *page;
  struct {
    struct pmon_discovery_place place;
    uint64_t newer;
  } p = {.place.size = sizeof p.place};
  char text[4000] = "before";
  struct pmon_repair_text out = {.part = PMON_PART_PLATFORM, .name = "x", .text = text, .text_size = sizeof text};
  assert_int_equal(pmon_context_new(&context), 0);
  assert_int_equal(pmon_platform_find(context, "emr", &emr), 0);
  assert_int_equal(pmon_discovery_parse(empty_page, 3, NULL, NULL, &page), 0);
  const int differences = pmon_discovery_compare(page, emr, &p.place, NULL, NULL);
  assert_true(differences > 0);
  assert_int_equal(pmon_discovery_compare(page, emr, NULL, NULL, NULL), differences);
  assert_int_equal(pmon_discovery_repair(page, emr, &p.place, &out), 0); /* the text's struct has no size */
  assert_string_equal(text, "before");
  out.size = sizeof out;
  assert_true(pmon_discovery_repair(page, emr, &p.place, &out) > 0);
  p.place.size = 0;
  assert_int_equal(pmon_discovery_compare(page, emr, &p.place, NULL, NULL), PMON_E_INVALID);
  assert_int_equal(pmon_discovery_repair(page, emr, &p.place, &out), 0);
  assert_string_equal(text, "");
  p.place.size = sizeof p;
  assert_int_equal(pmon_discovery_compare(page, emr, &p.place, NULL, NULL), differences);
  p.newer = 1;
  assert_int_equal(pmon_discovery_compare(page, emr, &p.place, NULL, NULL), PMON_E_UNSUPPORTED);
  pmon_discovery_free(page);
  pmon_context_free(context);
}

static void systems_without_a_size(void **state)
{
  (void)state;
  const struct pmon_system system = {.size = 0, .dev = "/dev", .sys = "/sys", .proc = "/proc", .end_fd = -1};
  struct pmon_reason reason = {.text = ""};
  struct pmon_backend *backend = NULL;
  assert_int_equal(pmon_backend_direct_open(&system, &reason, &backend), PMON_E_INVALID);
  assert_int_equal(pmon_backend_perf_open(&system, &reason, &backend), PMON_E_INVALID);
  assert_int_equal(pmon_access_method_open(0, &system, &reason, &backend), PMON_E_INVALID);
  assert_null(backend);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(sizes), cmocka_unit_test(backends_without_a_size),
                                     cmocka_unit_test(discovery_structs), cmocka_unit_test(systems_without_a_size)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

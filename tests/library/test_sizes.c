/* SPDX-License-Identifier: MIT */
/* Structs that begin with their size, of callers that know fewer members than the library, or more. */
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

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(sizes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

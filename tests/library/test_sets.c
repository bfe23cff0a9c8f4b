/* SPDX-License-Identifier: MIT */
/*
 * Calls event sets in each wrong state and with each wrong argument: the status is that of the header, the text names
 * the cause, values are not changed, and the set works afterwards.
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
static const struct pmon_platform *emr;
static struct fake fake;

static int setup(void **state)
{
  (void)state;
  return pmon_context_new(&context) || pmon_platform_find(context, "emr", &emr);
}

static int teardown(void **state)
{
  (void)state;
  pmon_context_free(context);
  return 0;
}

static void check(int line, int status, int want, const char *text)
{
  if (status != want || pmon_context_error_status(context) != want || !strstr(pmon_context_error(context), text))
    fail_msg("line %d: %s \"%s\", expected %s \"%s\"", line, pmon_status_name(status), pmon_context_error(context),
             pmon_status_name(want), text);
}
#define FAILS(call, want, text) check(__LINE__, (call), (want), (text))

/* A set of one event on a new backend. */
static struct pmon_set *new_set(const struct pmon_session_options *options)
{
  struct pmon_set *set;
  uint32_t place = 99;
  fake_init(&fake, emr);
  assert_int_equal(pmon_set_new(context, emr, &fake.backend, options, &set), 0);
  assert_int_equal(pmon_set_add(set, "imc/CAS_COUNT.RD/", &place), 0);
  assert_int_equal(place, 0);
  return set;
}

static void arguments_of_new(void **state)
{
  (void)state;
  struct {
    struct pmon_session_options options;
    uint64_t newer;
  } larger = {.options.size = sizeof larger, .newer = 1};
  struct pmon_session_options none = {.size = 0};
  struct pmon_set *set = NULL;
  fake_init(&fake, emr);
  assert_int_equal(pmon_set_new(NULL, emr, &fake.backend, NULL, &set), PMON_E_INVALID);
  FAILS(pmon_set_new(context, NULL, &fake.backend, NULL, &set), PMON_E_INVALID, "platform");
  FAILS(pmon_set_new(context, emr, NULL, NULL, &set), PMON_E_INVALID, "backend");
  FAILS(pmon_set_new(context, emr, &fake.backend, &none, &set), PMON_E_INVALID, "size");
  FAILS(pmon_set_new(context, emr, &fake.backend, &larger.options, &set), PMON_E_UNSUPPORTED, "");
  assert_null(set);
  assert_int_equal(fake.reads + fake.writes, 0);
}

static void what_cannot_be_added(void **state)
{
  (void)state;
  static const struct {
    const char *event;
    int status;
    const char *text;
  } rows[] = {{"", PMON_E_SYNTAX, ""},
              {"imc/NOSUCH/", PMON_E_UNKNOWN, "NOSUCH"},
              {"nosuch/CAS_COUNT.RD/", PMON_E_UNKNOWN, "nosuch"},
              {"imc/CAS_COUNT.NOSUCH/", PMON_E_UNKNOWN, "NOSUCH"},
              {"imc/CAS_COUNT.RD,nosuch=1/", PMON_E_UNKNOWN, "nosuch"},
              {"imc/CAS_COUNT.RD,thresh=100000/", PMON_E_RANGE, "thresh"},
              {"imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/", PMON_E_SYNTAX, ""}};
  struct pmon_set *set = new_set(NULL);
  struct pmon_value value;
  uint32_t place = 99;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const int status = pmon_set_add(set, rows[i].event, &place);
    if (status != rows[i].status || !strstr(pmon_context_error(context), rows[i].text) || place != 99)
      fail_msg("%s: %s, %s, place %u", rows[i].event, pmon_status_name(status), pmon_context_error(context), place);
  }
  /* The set is unchanged: the existing event keeps its place, and the next event gets the next one. */
  assert_int_equal(pmon_set_add(set, "imc/CAS_COUNT.RD/", &place), 0);
  assert_int_equal(place, 0);
  assert_int_equal(pmon_set_add(set, "imc/CAS_COUNT.WR/", &place), 0);
  assert_int_equal(place, 1);
  assert_int_equal(pmon_set_start(set), 0);
  FAILS(pmon_set_add(set, "cha/CLOCKTICKS/", &place), PMON_E_STATE, "cha/CLOCKTICKS/");
  assert_int_equal(pmon_set_stop(set, &value, 1), 0);
  FAILS(pmon_set_add(set, "cha/CLOCKTICKS/", &place), PMON_E_STATE, "before the set is first started");
  assert_int_equal(pmon_set_close(set), 0);
}

static void calls_in_the_wrong_state(void **state)
{
  (void)state;
  struct pmon_set *set;
  struct pmon_value values[3], before[3];
  memset(values, 0xa5, sizeof values);
  memcpy(before, values, sizeof values);
  fake_init(&fake, emr);
  assert_int_equal(pmon_set_new(context, emr, &fake.backend, NULL, &set), 0);
  FAILS(pmon_set_start(set), PMON_E_STATE, "empty");
  assert_int_equal(pmon_set_close(set), 0);
  set = new_set(NULL);
  assert_null(pmon_set_session(set));
  FAILS(pmon_set_read(set, values, 1), PMON_E_STATE, "not started");
  FAILS(pmon_set_stop(set, values, 1), PMON_E_STATE, "not started");
  FAILS(pmon_set_reset(set), PMON_E_STATE, "not started");
  assert_int_equal(fake.writes, 0);
  assert_int_equal(pmon_set_start(set), 0);
  FAILS(pmon_set_start(set), PMON_E_STATE, "begun");
  FAILS(pmon_set_read(set, values, 2), PMON_E_RANGE, "2 values requested for 1");
  FAILS(pmon_set_stop(set, values, 3), PMON_E_RANGE, "3 values requested for 1");
  assert_memory_equal(values, before, sizeof values);
  assert_int_equal(pmon_set_read(set, NULL, 0), 0); /* it continues to count */
  assert_int_equal(pmon_set_stop(set, NULL, 0), 0);
  FAILS(pmon_set_stop(set, values, 1), PMON_E_STATE, "stopped");
  assert_memory_equal(values, before, sizeof values);
  assert_int_equal(pmon_set_read(set, values, 1), 0);
  assert_true(values[0].valid);
  assert_int_equal(pmon_set_start(set), 0);
  assert_int_equal(pmon_set_close(set), 0);
  assert_int_equal(pmon_set_close(NULL), 0);
}

/* Invalid options are refused at the first start; the set can be closed, and registers are not changed. */
static void options_that_start_refuses(void **state)
{
  (void)state;
  static const struct {
    struct pmon_session_options options;
    int status;
    const char *text;
  } rows[] = {{{.freeze = 99}, PMON_E_INVALID, "freeze scope 99"},
              {{.packages = UINT64_C(1) << 60}, PMON_E_RANGE, "packages"},
              {{.every_count = 1, .every_event = 7}, PMON_E_RANGE, "event 7"},
              {{.every_count = UINT64_MAX}, PMON_E_RANGE, ""},
              {{.journal = "/nonexistent/folder/journal"}, PMON_E_IO, "/nonexistent/folder/journal"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_session_options options = rows[i].options;
    char name[80] = "";
    options.size = sizeof options;
    struct pmon_set *set = new_set(&options);
    const int status = pmon_set_start(set);
    if (status != rows[i].status || !strstr(pmon_context_error(context), rows[i].text))
      fail_msg("row %zu: %s: %s", i, pmon_status_name(status), pmon_context_error(context));
    assert_null(pmon_set_session(set));
    assert_int_equal(pmon_set_read(set, NULL, 0), PMON_E_STATE);
    assert_int_equal(pmon_set_close(set), 0);
    assert_int_equal(fake_changed(&fake, name, sizeof name), 0);
  }
}

/* Whichever access of start, read, reset and stop fails: the call returns its status, and values are not changed. */
static void accesses_that_fail(void **state)
{
  (void)state;
  uint64_t most = 1, refused[4] = {0};
  for (uint64_t n = 0; n <= most; n++) {
    struct pmon_backend *faulty;
    struct pmon_value value, before;
    char name[80] = "";
    memset(&value, 0xa5, sizeof value);
    before = value;
    struct pmon_set *set;
    fake_init(&fake, emr);
    assert_int_equal(pmon_backend_inject_new(&fake.backend, n, &faulty), 0);
    assert_int_equal(pmon_set_new(context, emr, faulty, NULL, &set), 0);
    assert_int_equal(pmon_set_add(set, "imc/CAS_COUNT.RD/", NULL), 0);
    int step = 0, status = pmon_set_start(set);
    for (; !status && step < 3; step++)
      status = step == 0   ? pmon_set_read(set, &value, 1)
               : step == 1 ? pmon_set_reset(set)
                           : pmon_set_stop(set, &value, 1);
    if (status) {
      assert_int_equal(status, PMON_E_IO);
      refused[step]++;
      if (step < 2) /* the start or the reading itself */
        assert_memory_equal(&value, &before, sizeof value);
    }
    most = n ? most : pmon_backend_inject_accesses(faulty);
    const int closed = pmon_set_close(set);
    assert_true(!closed || closed == PMON_E_IO);
    if (fake_changed(&fake, name, sizeof name))
      fail_msg("access %llu of %llu: %s is not restored", (unsigned long long)n, (unsigned long long)most, name);
    free(faulty); /* the wrapper alone */
  }
  assert_true(refused[0] && refused[1] && refused[2] && refused[3]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arguments_of_new),         cmocka_unit_test(what_cannot_be_added),
      cmocka_unit_test(calls_in_the_wrong_state), cmocka_unit_test(options_that_start_refuses),
      cmocka_unit_test(accesses_that_fail),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

/* SPDX-License-Identifier: MIT */
/* Checks that a failing call reports its reason: in the context's error record, where it replaces an earlier call's
 * error; or elsewhere, with the record unchanged. */
#ifndef TESTS_LIBRARY_FAILS_H
#define TESTS_LIBRARY_FAILS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/pmon.h>

static struct pmon_context *context;

/* Leaves an unrelated failure in the error record. */
static inline void leave_stale_error(void)
{
  const struct pmon_platform *none;
  assert_int_equal(pmon_platform_find(context, "stale", &none), PMON_E_UNKNOWN);
  assert_non_null(strstr(pmon_context_error(context), "stale"));
}

static inline void check_record(int line, int got, int want, const char *text)
{
  const char *error = pmon_context_error(context);
  if (got != want || !strstr(error, text) || strstr(error, "stale") || pmon_context_error_status(context) != want)
    fail_msg("line %d: got %s \"%s\", expected %s \"%s\"", line, pmon_status_name(got), error, pmon_status_name(want),
             text);
}

static inline void check_text(int line, int got, int want, const char *error, const char *text)
{
  if (got != want || !error || !strstr(error, text))
    fail_msg("line %d: got %s \"%s\", expected %s \"%s\"", line, pmon_status_name(got), error ? error : "(no text)",
             pmon_status_name(want), text);
  if (!strstr(pmon_context_error(context), "stale"))
    fail_msg("line %d: the context's error record was changed: %s", line, pmon_context_error(context));
}

/* A call that writes its error into the context's record. */
#define FAILS(call, status, text) (leave_stale_error(), check_record(__LINE__, (call), (status), (text)))

/* A call without a context: its error text is in `where`, or the status is all that it reports (""). */
#define FAILS_OUTSIDE(call, status, where, text)                                                                       \
  do {                                                                                                                 \
    leave_stale_error();                                                                                               \
    const int status_ = (call);                                                                                        \
    check_text(__LINE__, status_, (status), (where), (text));                                                          \
  } while (0)

#endif

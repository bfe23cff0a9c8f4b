/* SPDX-License-Identifier: MIT */
/* Shared by all tests of sessions: a context with the platforms, plans, and calls that must succeed. */
#ifndef TESTS_ENGINE_BASE_H
#define TESTS_ENGINE_BASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pmon/pmon.h>

/* Shared by the whole group of tests; rig_begin() and rig_end() are the group's set-up and tear-down. */
extern struct pmon_context *context;
extern const struct pmon_platform *emr, *snbep, *montecito;
int rig_begin(void **state);
int rig_end(void **state);

/* Fails the test, with the context's error text, when a call did not succeed. */
void ok(int status);

/* Returns a scheduled plan; events or metrics may be NULL. */
struct pmon_plan *rig_plan(const struct pmon_platform *platform, const char *events, const char *metrics);

#endif

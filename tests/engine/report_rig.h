/* SPDX-License-Identifier: MIT */
/* Shared by the tests of reports: a sink for the text, and rows. */
#ifndef TESTS_ENGINE_REPORT_RIG_H
#define TESTS_ENGINE_REPORT_RIG_H

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/report.h>
#include "src/output/report.h"

static inline int report_take(void *user, const char *bytes, size_t n)
{
  strncat(user, bytes, n);
  return 0;
}

static inline void report_add(struct pmon_report *r, const char *name, const char *unit, uint32_t package,
                              const struct pmon_value *v)
{
  struct pmon_report_row row = {.size = sizeof row,
                                .name = name,
                                .unit = unit,
                                .package = package,
                                .instance = PMON_ALL,
                                .instance_unit = "imc",
                                .value = *v};
  assert_int_equal(pmon_report_add(r, &row), 0);
}

#endif

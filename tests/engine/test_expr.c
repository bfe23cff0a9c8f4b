/* SPDX-License-Identifier: MIT */
/* Metric equations: values, reasons instead of values, errors with their column, and hostile texts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <cmocka.h>
#include <pmon/status.h>
#include "src/base/text.h"
#include "src/metric/expr.h"

static bool is_unit(void *user, const char *word, size_t length)
{
  (void)user;
  return (length == 3 && !strncasecmp(word, "imc", 3)) || (length == 3 && !strncasecmp(word, "cha", 3));
}

static void lookup(void *user, const struct expr_name *name, struct expr_value *v)
{
  static const struct {
    const char *name;
    double number, sigma;
  } known[] = {{"A", 10, 1},      {"B", 4, 2}, {"ZERO", 0, 0}, {"NONE.X", 0, 0}, {"CAS_COUNT.RD", 1000, 0},
               {"HUGE", 1e308, 0}};
  (void)user;
  v->valid = true;
  if (name->kind == EXPR_INTERVAL) {
    v->number = 2;
    return;
  }
  if (name->kind == EXPR_CLOCK) {
    v->number = !strcmp(name->unit, "cha") ? 2.2e9 : 1;
    return;
  }
  if (name->kind == EXPR_PACKAGES || name->kind == EXPR_THREADS) {
    v->number = 2;
    return;
  }
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (name->name && !strcmp(name->name, known[i].name)) {
      v->number = known[i].number;
      v->sigma = known[i].sigma;
      return;
    }
  v->valid = name->name && strlen(name->name) >= 60;
  if (!v->valid)
    snprintf(v->reason, sizeof v->reason, "%s was not measured", name->name);
}

static struct expr_value expr_value_of(const char *text)
{
  struct expr *e;
  struct expr_error error;
  struct expr_value v;
  int status = expr_parse(text, is_unit, NULL, &error, &e);
  if (status)
    print_error("%s: column %u: %s\n", text, error.column, error.text);
  assert_int_equal(status, 0);
  assert_int_equal(expr_evaluate(e, lookup, NULL, &v), 0);
  expr_free(e);
  return v;
}

static void numbers(void **state)
{
  static const struct {
    const char *text;
    double want;
  } rows[] = {{"1", 1},
              {"1 + 2 * 3", 7},
              {"(1 + 2) * 3", 9},
              {"10 - 3 - 2", 5},
              {"100 / 10 / 5", 2},
              {"-2 * -3", 6},
              {"2 - -3", 5},
              {"0x10 + 1e3", 1016},
              {".5*4", 2},
              {"A/B", 2.5},
              {"A / B", 2.5},
              {"imc/CAS_COUNT.RD * 64", 64000},
              {"CAS_COUNT.RD * 64 / SAMPLE_INTERVAL", 32000},
              {"ROUND(A / B, 0)", 3},
              {"round(A/3, 2)", 3.33},
              {"ROUND (A/3)", 3},
              {"MIN(A, B, 7)", 4},
              {"max(A, B)", 10},
              {"IF(imc/CAS_COUNT.RD/ > 3, 1, 2)", 1},
              {"IF(imc/CAS_COUNT.RD/<=3, 1, 2)", 2},
              {"IF(imc/CAS_COUNT.RD/ == 1000, 1, 2)", 1},
              {"IF(imc/CAS_COUNT.RD/!=1000, 1, 2)", 2},
              {"CLOCK_HZ(cha) / 1e9", 2.2},
              {"A{edge_det,thresh=0x1} + B", 14},
              {"sample_interval", 2},
              {"ZERO / A", 0},
              {"0 * -1", 0}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct expr_value v = expr_value_of(rows[i].text);
    if (!v.valid || fabs(v.number - rows[i].want) > 1e-9 * fabs(rows[i].want) ||
        signbit(v.number) != signbit(rows[i].want))
      fail_msg("%s is %g (%s), not %g", rows[i].text, v.number, v.reason, rows[i].want);
  }
}

static void reasons_instead_of_numbers(void **state)
{
  static const struct {
    const char *text, *want;
  } rows[] = {{"A / ZERO", "denominator zero, ZERO counted 0"},
              {"A / (ZERO + ZERO)", "denominator zero, ZERO"},
              {"A / (A - A + ZERO)", "denominator zero: of A, ZERO"},
              {"A / (ZERO * PACKAGES)", "denominator zero: of ZERO, PACKAGES"},
              {"A / (THREADS_PER_CORE * ZERO)", "denominator zero: of THREADS_PER_CORE, ZERO"},
              {"A / 0", "denominator zero"},
              {"A + MISSING * 2", "MISSING was not measured"},
              {"HUGE * 100", "the result is out of range"},
              {"0 / 0", "denominator zero"},
              {"MAX(A, B / ZERO)", "denominator zero, ZERO counted 0"}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct expr_value v = expr_value_of(rows[i].text);
    assert_false(v.valid);
    assert_string_equal(v.reason, rows[i].want);
  }
}

/* A name that does not fit is left out, never cut. */
static void reasons_have_whole_names(void **state)
{
  char name[3][141], text[500];
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    memset(name[i], 'Z' - (int)i, sizeof *name - 1);
    name[i][i < 2 ? 60 : 140] = 0;
  }
  snprintf(text, sizeof text, "A / (%s * ZERO * %s * %s)", name[0], name[1], name[2]);
  assert_string_equal(expr_value_of(text).reason,
                      "denominator zero: of ZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZ, ZERO, "
                      "YYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYY and more");
  snprintf(text, sizeof text, "A / (ZERO * %s * %s)", name[2], name[0]);
  assert_string_equal(expr_value_of(text).reason, "denominator zero: of ZERO and more");
  snprintf(text, sizeof text, "A / %s%s", name[2], name[0]);
  assert_string_equal(expr_value_of(text).reason, "denominator zero");
}

/* Any other text ends after a word, visibly. */
static void long_texts_end_after_a_word(void **state)
{
  char text[16];
  (void)state;
  text_copy(text, sizeof text, "fifteen letters");
  assert_string_equal(text, "fifteen letters");
  text_copy(text, sizeof text, "sixteen letters.");
  assert_string_equal(text, "sixteen...");
  text_copy(text, sizeof text, "a word; another one");
  assert_string_equal(text, "a word...");
  text_copy(text, sizeof text, "aaaaaaaaaaa\u00e4\u00e4\u00e4\u00e4");
  assert_string_equal(text, "aaaaaaaaaaa...");
}

static void deviations_are_propagated(void **state)
{
  (void)state;
  assert_true(fabs(expr_value_of("A + B").sigma - 3) < 1e-12);
  assert_true(fabs(expr_value_of("A * 5").sigma - 5) < 1e-12);
  assert_true(fabs(expr_value_of("A / B").sigma - hypot(0.25, 10.0 * 2 / 16)) < 1e-12);
  assert_true(expr_value_of("CAS_COUNT.RD * 64").sigma == 0);
}

static void names_keep_their_parts(void **state)
{
  (void)state;
  struct expr *e;
  struct expr_error error;
  assert_int_equal(expr_parse("imc/E.SUB{ edge_det , thresh=0x1 } + E with:R.opc=0x182 * RxL.{umask,opc}={0x1C,1}",
                              is_unit, NULL, &error, &e),
                   0);
  assert_int_equal(e->n_names, 3);
  assert_string_equal(e->names[0].unit, "imc");
  assert_string_equal(e->names[0].name, "E.SUB");
  assert_string_equal(e->names[0].attributes, "edge_det,thresh=0x1");
  assert_null(e->names[1].unit);
  assert_string_equal(e->names[1].with, "R.opc=0x182");
  assert_int_equal(e->names[1].column, 38);
  assert_string_equal(e->names[2].name, "RxL");
  assert_string_equal(e->names[2].attributes, "umask=0x1C,opc=1");
  expr_free(e);
}

static void errors_have_columns(void **state)
{
  static const struct {
    const char *text;
    uint32_t column;
    const char *part;
  } rows[] = {{"", 1, "ends"},
              {"ROUND(A, B)", 10, "a number"},
              {"A +", 4, "ends"},
              {"A B", 3, "operator"},
              {"(A", 3, "')'"},
              {"A)", 2, "operator"},
              {"A * / B", 5, "number"},
              {"12abc", 1, "not a number"},
              {"FOO(A)", 1, "no function"},
              {"A{", 3, "ends"},
              {"A{}", 3, "empty"},
              {"A. + 1", 2, "ends in '.'"},
              {"ROUND(A, 99)", 10, "digits"},
              {"1e999", 1, "too large"},
              {"A.{x,y}={1}", 12, "length"},
              {"A.{x}", 6, "'={'"},
              {"A + \x01", 5, "0x01"},
              {"CLOCK_HZ()", 10, "unit"},
              {"A with: + B", 8, "empty"},
              {"MIN(A B)", 7, "')'"},
              {"A/", 3, "ends"}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct expr *e;
    struct expr_error error;
    assert_int_equal(expr_parse(rows[i].text, is_unit, NULL, &error, &e), PMON_E_SYNTAX);
    if (error.column != rows[i].column || !strstr(error.text, rows[i].part))
      fail_msg("%s: column %u: %s", rows[i].text, error.column, error.text);
  }
}

static void deep_and_long_texts_are_refused(void **state)
{
  (void)state;
  struct expr *e;
  struct expr_error error;
  char *text = malloc(EXPR_MAX_TEXT + 2);
  memset(text, '(', EXPR_MAX_TEXT + 1);
  text[EXPR_MAX_TEXT + 1] = 0;
  assert_int_equal(expr_parse(text, NULL, NULL, &error, &e), PMON_E_SYNTAX);
  assert_non_null(strstr(error.text, "longer than 65536 characters"));
  text[EXPR_MAX_TEXT] = 0;
  assert_int_equal(expr_parse(text, NULL, NULL, &error, &e), PMON_E_SYNTAX);
  assert_null(strstr(error.text, "characters"));
  text[5000] = 0;
  assert_int_equal(expr_parse(text, NULL, NULL, &error, &e), PMON_E_SYNTAX);
  assert_int_equal(error.column, EXPR_MAX_DEPTH + 1);
  for (int i = 0; i < 30000; i++)
    memcpy(text + 2 * i, "1+", 2);
  text[59999] = 0;
  assert_int_equal(expr_parse(text, NULL, NULL, &error, &e), PMON_E_SYNTAX);
  assert_non_null(strstr(error.text, "terms"));
  free(text);
}

/* Any text either parses and evaluates to a finite number or a reason, or is refused with a column inside it. */
static void random_texts_are_safe(void **state)
{
  static const char *const parts[] = {"A", "B",    "ZERO",  "+",      "-",         "*",  "/",     "(", ")",
                                      "{", "}",    ",",     "ROUND(", "MAX(",      " ",  "1",     "0", "e9",
                                      ".", "imc/", "with:", "=",      "CLOCK_HZ(", "\t", "9e307", "~", ".{"};
  uint32_t seed = 12345, parsed = 0;
  (void)state;
  for (int round = 0; round < 20000; round++) {
    char text[256] = "";
    for (int n = 0; n < 1 + round % 12; n++) {
      seed = seed * 1664525 + 1013904223;
      strcat(text, parts[(seed >> 16) % (round % 3 ? 9 : 27)]);
    }
    struct expr *e;
    struct expr_error error;
    if (expr_parse(text, is_unit, NULL, &error, &e)) {
      assert_in_range(error.column, 1, strlen(text) + 1);
      continue;
    }
    struct expr_value v;
    assert_int_equal(expr_evaluate(e, lookup, NULL, &v), 0);
    assert_true(v.valid ? isfinite(v.number) && isfinite(v.sigma) : v.reason[0] != 0);
    expr_free(e);
    parsed++;
  }
  assert_true(parsed > 500);
}

static void parameters_are_replaced(void **state)
{
  static const struct {
    const char *text, *want;
  } rows[] = {{"POWER.RANKx / max(DCLK, 0x1C)", "POWER.RANK5 / max(DCLK, 0x1C)"},
              {"RANKx_IN", "RANK5_IN"},
              {"E.{umask,dnid} = {0xE,x}", "E.{umask,dnid} = {0xE,5}"},
              {"TxL_FLITS", "TxL_FLITS"},
              {"index", "index"}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *s = expr_substitute(rows[i].text, 'x', 5);
    assert_string_equal(s, rows[i].want);
    free(s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers),
                                     cmocka_unit_test(reasons_instead_of_numbers),
                                     cmocka_unit_test(reasons_have_whole_names),
                                     cmocka_unit_test(long_texts_end_after_a_word),
                                     cmocka_unit_test(deviations_are_propagated),
                                     cmocka_unit_test(names_keep_their_parts),
                                     cmocka_unit_test(errors_have_columns),
                                     cmocka_unit_test(deep_and_long_texts_are_refused),
                                     cmocka_unit_test(random_texts_are_safe),
                                     cmocka_unit_test(parameters_are_replaced)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

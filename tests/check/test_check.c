/* SPDX-License-Identifier: MIT */
/* The checker on the short logs of rules.cases: for each rule of each platform, one case violates it and one case
 * satisfies it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include "machine/check/check.h"
#include "machine/check/log.h"

/* One case of rules.cases. */
struct one {
  char platform[16], rule[40], field[48];
  bool broken;
  uint32_t line;
  char *log;
  size_t n;
};
enum { CASES_MAX = 480, FILE_MAX = 1 << 18 };

static char text[FILE_MAX];
static struct one cases[CASES_MAX];
static size_t n_cases;

static struct pmon_context *context;

static void read_case(char *line, uint32_t number)
{
  struct one *o = &cases[n_cases++];
  char kind[8] = "", field[48] = "";
  assert_true(n_cases < CASES_MAX);
  *o = (struct one){.line = number};
  if (sscanf(line, "%15s %39s %7s %47[^\n]", o->platform, o->rule, kind, field) < 3 ||
      (strcmp(kind, "broken") && strcmp(kind, "kept")))
    fail_msg("line %u of rules.cases: %s", number, line);
  o->broken = !strcmp(kind, "broken");
  memcpy(o->field, field, sizeof field);
}

static int check_set_up(void **state)
{
  FILE *f = fopen(CASES, "r");
  size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
  uint32_t number = 0;
  (void)state;
  if (f)
    fclose(f);
  assert_in_range(n, 1, sizeof text - 2);
  for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
    *end = 0;
    number++;
    if (*line == ' ' && n_cases) {
      struct one *o = &cases[n_cases - 1];
      o->log = o->log ? o->log : line;
      o->n = (size_t)(end - o->log);
    } else if (*line && *line != '#') {
      read_case(line, number);
    }
    *end = '\n';
  }
  return pmon_context_new(&context);
}

static int check_tear_down(void **state)
{
  (void)state;
  pmon_context_free(context);
  return 0;
}

/* The checker after the lines of a log, which may be extended. */
static struct checker *check_stream(const char *name, const char *lines, size_t n)
{
  const struct pmon_platform *p;
  struct access_log log;
  struct checker *c;
  char error[300];
  assert_int_equal(pmon_platform_find(context, name, &p), 0);
  if (log_parse("log", lines, n, error, sizeof error, &log))
    fail_msg("%s", error);
  assert_int_equal(check_new(p, &c), 0);
  assert_int_equal(log_take_notes(&log, c, error, sizeof error), 0);
  for (size_t i = 0; i < log.n; i++)
    if (log.at[i].kind == LOG_STATE)
      check_system(c, log.at[i].address.package, (enum check_register)log.at[i].address.offset, log.at[i].value);
    else if (log.at[i].kind >= LOG_WAIT)
      check_wait(c, log.at[i].time_ns);
    else
      check_access(c, &(struct check_access){log.at[i].time_ns, log.at[i].kind == LOG_WRITE, log.at[i].address,
                                             log.at[i].value});
  log_fini(&log);
  return c;
}

static struct checker *check_judge(const char *name, const char *lines, size_t n)
{
  struct checker *c = check_stream(name, lines, n);
  check_end(c);
  return c;
}

static const struct check_finding *check_find(const struct checker *c, const char *rule)
{
  const struct check_finding *list;
  size_t n = check_findings(c, &list);
  for (size_t i = 0; i < n; i++)
    if (!strcmp(list[i].rule, rule))
      return &list[i];
  return NULL;
}

static void each_violation_is_found(void **state)
{
  (void)state;
  for (const struct one *o = cases; o < cases + n_cases; o++) {
    if (!o->broken)
      continue;
    struct checker *c = check_judge(o->platform, o->log, o->n);
    const struct check_finding *f = check_find(c, o->rule);
    if (!f)
      fail_msg("line %u: %s of %s is not found", o->line, o->rule, o->platform);
    if (strcmp(*f->missing ? f->missing : f->field, o->field))
      fail_msg("line %u: %s of %s is found in '%s'", o->line, o->rule, o->platform, f->field);
    assert_true(*f->name && *f->cite && *f->brief);
    check_free(c);
  }
}

static void followed_rules_have_no_violation(void **state)
{
  (void)state;
  for (const struct one *o = cases; o < cases + n_cases; o++) {
    const struct check_finding *list;
    if (o->broken)
      continue;
    struct checker *c = check_judge(o->platform, o->log, o->n);
    size_t n = check_findings(c, &list);
    for (size_t i = 0; i < n; i++)
      if (!list[i].advice || !strcmp(o->rule, "-") || !strcmp(o->rule, list[i].rule))
        fail_msg("line %u of %s: %s at %s %s", o->line, o->platform, list[i].rule, list[i].name, list[i].field);
    check_free(c);
  }
}

/* The rules that fire in the violating cases are the rules of the facts, and each rule has a satisfying case, too. */
static void each_rule_has_violating_and_correct_cases(void **state)
{
  static const char *const platforms[] = {"emr", "snbep", "montecito"};
  struct pmon_rule_info g = {.size = sizeof g};
  const struct pmon_platform *p;
  uint32_t n = 0;
  (void)state;
  for (size_t k = 0; k < 3; k++) {
    assert_int_equal(pmon_platform_find(context, platforms[k], &p), 0);
    for (uint32_t i = 0; !pmon_rule_describe(p, i, &g); i++, n++) {
      bool broken = false, kept = false;
      for (const struct one *o = cases; o < cases + n_cases; o++) {
        bool mine = !strcmp(o->platform, platforms[k]) && !strcmp(o->rule, g.name);
        struct checker *c = mine ? check_judge(o->platform, o->log, o->n) : NULL;
        broken |= mine && o->broken && check_find(c, g.name);
        kept |= mine && !o->broken && !check_find(c, g.name);
        check_free(c);
      }
      if (!broken || !kept)
        fail_msg("%s of %s is never %s", g.name, platforms[k], broken ? "kept" : "broken");
    }
  }
  assert_true(n > 100);
}

static void findings_name_line_and_register(void **state)
{
  static const char log[] = "5 write 1 msr 0x2012 64 0x800001\n7 write 1 msr 0x2012 64 0x800001\n";
  struct checker *c = check_judge("emr", log, sizeof log - 1);
  const struct check_finding *f = check_find(c, "sw.invert-threshold");
  (void)state;
  assert_non_null(f);
  assert_string_equal(f->name, "Cn_MSR_PMON_CTL0");
  assert_int_equal(f->address.package, 1);
  assert_int_equal(f->address.offset, 0x2012);
  assert_int_equal(f->value, 0x800001);
  assert_int_equal(f->bits, 0xff000000);
  assert_int_equal(f->time_ns, 5);
  assert_int_equal(f->access, 1);
  assert_int_equal(f->times, 2);
  assert_false(f->advice);
  assert_int_equal(check_errors(c), 1);
  assert_int_equal(check_accesses(c), 2);
  check_free(c);
}

/* The missing access is the write that unfreezes; the read of a counter that could not count is not reported. */
static void a_box_that_stays_frozen_is_an_error_at_its_control(void **state)
{
  static const char log[] = "0 write 0 pci 63:14.1 0xf4 32 0x10000\n"
                            "5 write 0 pci 63:14.1 0xf4 32 0x10100\n"
                            "6 write 0 pci 63:14.1 0xd8 32 0x400001\n"
                            "1000 wait\n"
                            "1000 write 0 pci 63:14.1 0xd8 32 0x1\n"
                            "1000 read 0 pci 63:14.1 0xa0 32 0x0\n"
                            "1000 read 0 pci 63:14.1 0xa4 32 0x0\n";
  struct checker *c = check_judge("snbep", log, sizeof log - 1);
  const struct check_finding *f = check_find(c, "sw.unfreeze");
  (void)state;
  assert_non_null(f);
  assert_string_equal(f->name, "HA_PCI_PMON_BOX_CTL");
  assert_int_equal(f->access, 2);
  assert_int_equal(f->time_ns, 5);
  assert_int_equal(f->value, 0x10100);
  assert_null(check_find(c, "sw.read-off"));
  assert_int_equal(check_errors(c), 1);
  check_end(c);
  assert_int_equal(f->times, 1);
  check_free(c);
}

/* A driver that sets up CBos 0 to 4 and 7: the other CBos are reported as left out, each after its neighbour's set-up,
 * but not an absent one. */
static void a_unit_that_is_left_out_is_named(void **state)
{
  static const char log[] = "# units 0\n"
                            "1 write 0 pci 63:14.1 0xf4 32 0x10000\n"
                            "2 write 0 msr 0xc24 64 0x10000\n"
                            "3 write 0 pci 63:19.1 0xf4 32 0x10000\n"
                            "4 write 0 pci 63:19.5 0xf4 32 0x10000\n"
                            "5 write 0 pci 63:19.6 0xf4 32 0x10000\n"
                            "6 write 0 msr 0xd04 64 0x10000\n"
                            "7 write 0 msr 0xd24 64 0x10000\n"
                            "8 write 0 msr 0xd44 64 0x10000\n"
                            "9 write 0 msr 0xd64 64 0x10000\n"
                            "10 write 0 msr 0xd84 64 0x10000\n"
                            "11 write 0 msr 0xde4 64 0x10000\n"
                            "12 write 0 msr 0xd84 64 0x10100\n";
  const struct check_finding *list;
  const struct check_absent *absent;
  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    struct checker *c = check_stream("snbep", log, sizeof log - 1);
    if (i) {
      assert_int_equal(check_set_absent(c, 0, "cbo", 5), 0);
      assert_int_equal(check_set_absent(c, 0, "cbo", 5), 0);
      assert_int_equal(check_set_absent(c, 0, "cha", 5), PMON_E_INVALID);
      assert_int_equal(check_set_absent(c, 0, "cbo", 8), PMON_E_INVALID);
    }
    check_end(c);
    const size_t n = check_findings(c, &list);
    assert_int_equal(n, 2 - i);
    for (size_t k = 0; k < n; k++) {
      assert_string_equal(list[k].rule, "sw.left-out");
      assert_string_equal(list[k].name, "Cn_MSR_PMON_BOX_CTL");
      assert_int_equal(list[k].address.offset, k + i ? 0xdc4 : 0xda4);
      assert_int_equal(list[k].access, 10);
      assert_int_equal(list[k].time_ns, 10);
    }
    assert_true((absent = check_absent(c, 0)) ? i && absent->instance == 5 : !i);
    assert_null(check_absent(c, 1));
    check_free(c);
  }
}

/* A request that cannot occur is refused with its line number: it would never be met, and thus never be judged. */
static void what_cannot_be_asked_for_is_refused(void **state)
{
  static const struct {
    const char *line, *error;
    int status;
  } rows[] = {
      {"# asked 0 cbo 7 ev_sel=0xff umask=0xff thresh=0x1f", "", 0},
      {"# asked 0 cbo 8 ev_sel=1", "line 2: the platform has no unit cbo8", PMON_E_UNKNOWN},
      {"# asked 0 cha 0 ev_sel=1", "line 2: the platform has no unit cha0", PMON_E_UNKNOWN},
      {"# asked 0 cbo 3 ev_sel=0x1ff", "line 2: ev_sel=0x1ff does not fit into the field, whose largest value is 0xff",
       PMON_E_INVALID},
      {"# asked 0 cbo 3 ev_sel=1 umask=1 ev_sel=2", "line 2: the field ev_sel is given twice; remove one of the values",
       PMON_E_INVALID},
      {"# asked 0 cbo 3 ev_sel=1 nothing=1",
       "line 2: the controls of cbo have no field nothing; `pmon -p snbep registers cbo` lists their fields",
       PMON_E_INVALID},
      {"# absent 0 cbo 3\n# asked 0 cbo 3 ev_sel=1",
       "line 3: cbo3 of package 0 is absent according to line 2; remove the wrong line", PMON_E_INVALID},
      {"# asked 0 cbo 3 ev_sel=1\n# absent 0 cbo 3",
       "line 2: cbo3 of package 0 is absent according to line 3; remove the wrong line", PMON_E_INVALID},
      {"# units 0\n# asked 1 cbo 3 ev_sel=1",
       "line 3: no line `# units` names package 1; correct the number, or add `# units 1`", PMON_E_INVALID},
      {"# absent 2 cbo 3\n# units 0",
       "line 2: no line `# units` names package 2; correct the number, or add `# units 2`", PMON_E_INVALID},
      {"# absent 1 cbo 3\n# asked 0 cbo 3 ev_sel=1", "", 0},
      {"# asked 0 cbo 3 umask=1", "line 2: ev_sel is missing; add ev_sel=CODE, the event's code", PMON_E_INVALID},
  };
  const struct pmon_platform *p;
  (void)state;
  assert_int_equal(pmon_platform_find(context, "snbep", &p), 0);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char lines[200], error[300] = "";
    struct access_log log;
    struct checker *c;
    snprintf(lines, sizeof lines, "# pmon-log 1\n%s\n0 wait\n", rows[i].line);
    assert_int_equal(log_parse("log", lines, strlen(lines), error, sizeof error, &log), 0);
    assert_int_equal(check_new(p, &c), 0);
    *error = 0;
    assert_int_equal(log_take_notes(&log, c, error, sizeof error), rows[i].status);
    assert_string_equal(error, rows[i].error);
    check_free(c);
    log_fini(&log);
  }
}

/* A counter of each package that counts one in each of many measurements: comparing all pairs for each pair would take
 * minutes. The explained count is that of the last measurement. */
static void many_equal_counts_are_compared_in_a_moment(void **state)
{
  enum { MEASUREMENTS = 60000 };
  const struct pmon_platform *p;
  struct checker *c = NULL;
  (void)state;
  assert_int_equal(pmon_platform_find(context, "snbep", &p), 0);
  assert_int_equal(check_new(p, &c), 0);
  assert_int_equal(check_count(c, &(struct check_count){.package = 0, .printed = 700000, .right = 1}), 0);
  for (uint64_t i = 0; i < MEASUREMENTS; i++) {
    const uint64_t other = i + 1 < MEASUREMENTS ? i : i + 699999;
    check_wait(c, i);
    for (uint32_t package = 0; package < 2; package++)
      check_access(c, &(struct check_access){
                          .time_ns = i,
                          .address = {.space = PMON_SPACE_MSR, .package = package, .offset = 0xd16, .width_bits = 64},
                          .value = package ? other : i});
  }
  check_end(c);
  const struct check_finding *f = check_find(c, "sw.count-package");
  assert_non_null(f);
  assert_int_equal(f->time_ns, MEASUREMENTS - 1);
  assert_int_equal(f->address.package, 1);
  check_free(c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_violation_is_found),
                                     cmocka_unit_test(followed_rules_have_no_violation),
                                     cmocka_unit_test(each_rule_has_violating_and_correct_cases),
                                     cmocka_unit_test(findings_name_line_and_register),
                                     cmocka_unit_test(a_box_that_stays_frozen_is_an_error_at_its_control),
                                     cmocka_unit_test(a_unit_that_is_left_out_is_named),
                                     cmocka_unit_test(what_cannot_be_asked_for_is_refused),
                                     cmocka_unit_test(many_equal_counts_are_compared_in_a_moment)};
  return cmocka_run_group_tests(tests, check_set_up, check_tear_down);
}

/* SPDX-License-Identifier: MIT */
/* The benches without a guest: checks and bench files are read or refused, a guest's output is judged, and the matrix
 * and the values are printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "cli/bench/matrix.h"
#include "cli/bench/tool.h"

static char message[512];

/* Replaces the command's function. */
int cli_fail(const struct cli *cli, const char *format, ...)
{
  va_list args;
  (void)cli;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  return CLI_USAGE;
}

void cli_note(const struct cli *cli, const char *format, ...)
{
  (void)cli, (void)format;
}

int cli_fail_memory(const struct cli *cli)
{
  return cli_fail(cli, "no memory");
}

static const char checks[] = "# a comment\n"
                             "check one: the first\n"
                             "inject imc0 CAS_COUNT.RD 100\n"
                             "later imc0 CAS_COUNT.RD 23 socket 1\n"
                             "count uncore_imc_0/event=4,umask=3/ 100 23\n"
                             "round\n"
                             "run echo 'it is' >/tmp/x\n"
                             "hold cbo2 RxR_OCCUPANCY.IRQ 3 socket 1 for 10ns\n"
                             "while step; echo \"$1\"; step\n"
                             "group\n"
                             "count uncore_cbox_2/event=0x11/ 0 0x51\n"
                             "count uncore_cbox_2/event=0/ 7\n"
                             "must ! grep -q '^5' /tmp/x\n"
                             "check two sockets 2 processors 4: the second\n"
                             "must true\n";

/* Returns the text that a writer writes. */
static char *written(void (*write)(const void *user, struct out *out), const void *user)
{
  struct out *out = calloc(1, sizeof *out);
  assert_non_null(out);
  write(user, out);
  out->buffer[out->n] = 0;
  char *text = strdup(out->buffer);
  free(out);
  assert_non_null(text);
  return text;
}

static void write_scenario(const void *user, struct out *out)
{
  suite_write_scenario(user, "snbep", out);
}

static void write_script(const void *user, struct out *out)
{
  const struct bench_shape shape = {1, 2};
  suite_write_script(user, &shape, NULL, out);
}

static void assert_has(const char *text, const char *part)
{
  if (!strstr(text, part))
    fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void test_suite(void **state)
{
  struct bench_suite s = {.n_checks = 0};
  const struct bench_shape one = {1, 2}, two = {2, 4};
  (void)state;
  assert_int_equal(suite_parse(NULL, "file", checks, &s), CLI_DONE);
  assert_int_equal(s.n_checks, 2);
  assert_int_equal(s.rounds, 3);
  assert_string_equal(s.check[1].brief, "the second");
  assert_int_equal(s.line[7].want[1], 0x51);
  assert_true(suite_has(&s, 0, &one, NULL) && !suite_has(&s, 1, &one, NULL) && suite_has(&s, 1, &two, NULL));
  assert_true(suite_has(&s, 1, &two, "one,two") && !suite_has(&s, 1, &two, "one,tw") &&
              !suite_has(&s, 1, &two, "twof"));
  char *scenario = written(write_scenario, &s), *script = written(write_script, &s);
  assert_string_equal(scenario, "set platform=snbep\n"
                                "inject imc0 CAS_COUNT.RD 100 at 2500ns\n"
                                "inject imc0 CAS_COUNT.RD 23 socket 1 at 4500ns\n"
                                "hold cbo2 RxR_OCCUPANCY.IRQ 3 socket 1 from 6500ns for 10ns\n");
  assert_has(script, "echo '@round 0'\nreach 2000\nmeasure 'step; step' -e 'uncore_imc_0/event=4,umask=3/'\n");
  assert_has(script, "reach 6000\necho 'it is' >/tmp/x\nmeasure 'step; echo \"$1\"; step' "
                     "-e '{uncore_cbox_2/event=0x11/,uncore_cbox_2/event=0/}'\n"
                     "must 9 '! grep -q '\\''^5'\\'' /tmp/x'\n");
  assert_null(strstr(script, "@round 2")); /* its check needs two sockets */
  free(scenario);
  free(script);
  suite_free(&s);
}

static void test_suite_refused(void **state)
{
  static const char *const rows[][2] = {
      {"\ninject imc0 X 1\n", "file:2: expected a check line before this line"},
      {"check one\n", "file:1: expected check NAME [sockets N] [processors N]: DESCRIPTION"},
      {"check one sockets many: x\n", "file:1: expected check NAME [sockets N] [processors N]: DESCRIPTION"},
      {"check one: x\ncount uncore_imc_0/event=4/\n", "file:2: expected count EVENT COUNT [COUNT ON SOCKET 1]"},
      {"check one: x\ncount uncore_imc_0/event=4/ -1\n", "file:2: expected count EVENT COUNT [COUNT ON SOCKET 1]"},
      {"check one: x\ncounts a 1\n", "file:2: expected check, round, inject"},
      {"events cbo\n", "file:1: the number of events is missing"}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct bench_suite s = {.n_checks = 0};
    assert_int_equal(suite_parse(NULL, "file", rows[i][0], &s), CLI_USAGE);
    assert_has(message, rows[i][1]);
    suite_free(&s);
  }
}

/* Prints a cell in which the first check's second round has a wrong count, a missing count and a failing command. */
static const char output[] = "@round 0\n# started on a day\n\n"
                             "S0;1;100;;uncore_imc_0/event=4,umask=3/;1;100.00;;\n"
                             "S1;1;23;;uncore_imc_0/event=4,umask=3/;1;100.00;;\n"
                             "@round 1\n"
                             "S0;1;0;;uncore_cbox_2/event=0x11/;1;100.00;;\n"
                             "S1;1;<not counted>;;uncore_cbox_2/event=0x11/;0;0.00;;\n"
                             "Error: no such PMU\n"
                             "@must 9 1\n50 <&>\n"
                             "@round 2\n@must 10 0\n";
static const char report[] = "known HA_PCI_PMON_BOX_CTL = 0x3\n"
                             "error Cn_MSR_PMON_CTL0 = 0x100000 (package 0)\n       reserved bits [sw.reserved; 2.1]\n"
                             "pmon vm: 12 accesses checked: 1 violation, 0 advisories\n";

static void cell_make(struct bench_cell *c, struct bench_suite *s)
{
  *s = (struct bench_suite){.n_checks = 0};
  assert_int_equal(suite_parse(NULL, "file", checks, s), CLI_DONE);
  *c = (struct bench_cell){
      .platform = "snbep", .label = "k.deb", .suite = s, .shape = {2, 4}, .exit_code = 122, .seconds = 20};
  c->check = calloc(s->n_checks + 1, sizeof *c->check);
  assert_non_null(c->check);
}

static void test_judge(void **state)
{
  struct bench_suite s;
  struct bench_cell c;
  (void)state;
  cell_make(&c, &s);
  assert_true(cell_judge(&c, output, report, NULL));
  assert_int_equal(c.check[0].verdict, BENCH_FAILED);
  assert_int_equal(c.check[0].good, 3);
  assert_int_equal(c.check[0].of, 7);
  assert_int_equal(c.check[1].verdict, BENCH_PASSED);
  assert_int_equal(c.check[2].verdict, BENCH_FAILED);
  assert_int_equal(c.n_failures, 5);
  assert_string_equal(c.failure[0].text, "uncore_cbox_2/event=0x11/ on socket 1: <not counted>, expected 81");
  assert_string_equal(c.failure[1].text,
                      "uncore_cbox_2/event=0/ on socket 0: no count, expected 7; Error: no such PMU");
  assert_string_equal(c.failure[3].text, "! grep -q '^5' /tmp/x: exit code 1; 50 <&>");
  assert_string_equal(c.failure[4].text,
                      "error Cn_MSR_PMON_CTL0 = 0x100000 (package 0): reserved bits [sw.reserved; 2.1]");
  cell_free(&c);
  suite_free(&s);
}

/* A guest that panicked after the first round. */
static void test_judge_panic(void **state)
{
  struct bench_suite s;
  struct bench_cell c;
  (void)state;
  cell_make(&c, &s);
  c.exit_code = 123;
  assert_true(cell_judge(&c, "@round 0\nS0;1;100;;uncore_imc_0/event=4,umask=3/;1;100.00;;\n",
                         "pmon vm: the guest ended before its command did\npmon vm: 3 accesses checked: 0\n", NULL));
  assert_int_equal(c.check[1].verdict, BENCH_ABSENT);
  assert_int_equal(c.check[2].verdict, BENCH_ABSENT);
  const struct cell_failure *last = &c.failure[c.n_failures - 1];
  assert_int_equal(last->check, BENCH_GUEST);
  assert_has(last->text, "panic (exit code 123): pmon vm: the guest ended before its command did");
  cell_free(&c);
  suite_free(&s);
}

/* A guest that exits normally without having run one of its checks has not passed this check. */
static void test_judge_absent(void **state)
{
  struct bench_suite s;
  struct bench_cell c;
  (void)state;
  cell_make(&c, &s);
  c.exit_code = 0;
  assert_true(cell_judge(&c, "", "", "one"));
  assert_int_equal(c.check[0].verdict, BENCH_ABSENT);
  assert_int_equal(c.check[1].verdict, BENCH_SKIPPED);
  assert_int_equal(c.n_failures, 1);
  assert_string_equal(c.failure[0].text, "the script ended without running check one");
  cell_free(&c);
  suite_free(&s);
}

/* A unit that a driver leaves out is an error, although it is only advice for other software; a finding that the
 * baseline contains is none. */
static void test_judge_left_out(void **state)
{
  static const char text[] = "known Cn_MSR_PMON_BOX_CTL = 0x0\n       leaves out none [sw.left-out; 327043 1.3]\n"
                             "advice Cn_MSR_PMON_CTR0 = 0x0\n       has been enabled [sw.read-off; 327043 2.1]\n"
                             "advice HA_PCI_PMON_BOX_CTL = 0x0\n       leaves out none [sw.left-out; 327043 1.3]\n";
  struct bench_suite s;
  struct bench_cell c;
  (void)state;
  cell_make(&c, &s);
  c.exit_code = 0;
  assert_true(cell_judge(&c, "", text, ""));
  assert_int_equal(c.check[2].verdict, BENCH_FAILED);
  assert_int_equal(c.check[2].good, 0);
  assert_int_equal(c.n_failures, 1);
  assert_string_equal(c.failure[0].text, "advice HA_PCI_PMON_BOX_CTL = 0x0: leaves out none [sw.left-out; 327043 1.3]");
  cell_free(&c);
  suite_free(&s);
}

static void write_matrix(const void *user, struct out *out)
{
  matrix_write_text(user, out);
}

static void test_matrix(void **state)
{
  struct bench_suite s;
  struct bench_cell c[2];
  (void)state;
  cell_make(&c[0], &s);
  assert_true(cell_judge(&c[0], output, report, NULL));
  suite_free(&s);
  cell_make(&c[1], &s);
  c[0].suite = &s;
  c[1].shape = (struct bench_shape){1, 1};
  c[1].exit_code = 0;
  assert_true(cell_judge(&c[1],
                         "@round 0\nS0;1;100;;uncore_imc_0/event=4,umask=3/;1;100.00;;\n@round 1\n"
                         "S0;1;0;;uncore_cbox_2/event=0x11/;1;1;;\nS0;1;7;;uncore_cbox_2/event=0/;1;1;;\n@must 9 0\n",
                         "", NULL));
  const struct bench_matrix m = {c, 2, "my.ko", NULL, "my.checks", NULL, NULL};
  char *text = written(write_matrix, &m), *json = written(matrix_write_json, &m),
       *junit = written(matrix_write_junit, &m);
  assert_has(
      text,
      "                    [1] snbep, 2 sockets      [2] snbep, 1 socket\n"
      "one                 FAILED 3/7                passed 4/4\n"
      "two                 passed 1/1                -\n"
      "rules               FAILED 0/1                passed 1/1\n"
      "\n[1] one: the first\n"
      "    again: pmon -p snbep bench-driver --sockets 2 --kernel k.deb --module my.ko --checks my.checks --check one\n"
      "    uncore_cbox_2/event=0x11/ on socket 1: <not counted>, expected 81\n");
  assert_has(json, "{\"name\":\"one\",\"verdict\":\"passed\",\"good\":4,\"of\":4,\"failures\":[]}");
  assert_has(json, "{\"name\":\"two\",\"verdict\":\"skipped\",\"good\":0,\"of\":0,\"failures\":[]}");
  assert_has(json, "\"passed\":false,\"error\":null,\"seconds\":20,");
  assert_has(
      junit,
      "<testsuite name=\"snbep, 2 sockets, kernel k.deb\" tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"0\"");
  assert_has(junit, "exit code 1; 50 &lt;&amp;&gt;");
  free(text);
  free(json);
  free(junit);
  cell_free(&c[0]);
  cell_free(&c[1]);
  suite_free(&s);
}

static void test_number(void **state)
{
  static const struct {
    const char *text;
    double is;
  } rows[] = {{"12", 12},  {"  1,234,567 x", 1234567}, {"-0.5e3", -500}, {"35 K ", 35000}, {"1.5M", 1.5e6}, {"2 MB", 2},
              {"7 G", 7e9}};
  double got;
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_true(tool_number(rows[i].text, strlen(rows[i].text), &got));
    assert_true(got == rows[i].is);
  }
  assert_false(tool_number("none", 4, &got));
  /* Columns of CSV: a match ends before the next comma. */
  assert_true(tool_number("25600,0,0,5120", 5, &got));
  assert_true(got == 25600);
  assert_true(tool_number("64 M", 2, &got));
  assert_true(got == 64e6);
}

/* A number at the limit of its tolerance is right, and the next one is wrong; per cent of 0 is 0. */
static void test_tolerance(void **state)
{
  static const struct {
    const char *value, *output;
    enum tool_verdict verdict;
  } rows[] = {{"n 100 29% n (.*)", "n 129", TOOL_RIGHT},
              {"n 100 29% n (.*)", "n 71", TOOL_RIGHT},
              {"n 100 29% n (.*)", "n 129.001", TOOL_WRONG},
              {"n 100 29% n (.*)", "n 70.999", TOOL_WRONG},
              {"n -200 58% n (.*)", "n -316", TOOL_RIGHT},
              {"n -200 58% n (.*)", "n 316", TOOL_WRONG},
              {"n 1500 0.1% n (.*)", "n 1,501.5", TOOL_RIGHT},
              {"n 1500 0.1% n (.*)", "n 1,501.6", TOOL_WRONG},
              {"n 0 1% n (.*)", "n 0", TOOL_RIGHT},
              {"n 0 1% n (.*)", "n 0.005", TOOL_WRONG},
              {"n 3000000 0 n (.*)", "n 3M", TOOL_RIGHT},
              {"n 3000000 0 n (.*)", "n 3000001", TOOL_WRONG}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct bench_tool t = {.n = 0};
    assert_int_equal(tool_add_value(NULL, "value", rows[i].value, &t), CLI_DONE);
    tool_judge(&t, rows[i].output);
    assert_int_equal(t.value[0].verdict, rows[i].verdict);
    tool_free(&t);
  }
}

static const char bench[] = "platform snbep\n"
                            "option --sockets 2\n"
                            "with likwid-perfctr\n"
                            "scenario inject imc0 CAS_COUNT.RD 100 at 1us\n"
                            "command tool | cat\n"
                            "value exact 100 0 reads *([0-9]+)\n"
                            "value near 1000 1% ^b ([0-9,]+)\n"
                            "value far 1000 0.9% ^b ([0-9,]+)\n"
                            "wrong another event, 2.6\n"
                            "value column 7 0 Part0,([0-9]+)\n"
                            "value none 5 0 nothing ([0-9]+)\n";

static void test_tool(void **state)
{
  struct bench_tool t = {.n = 0};
  (void)state;
  assert_int_equal(tool_parse(NULL, "file", bench, &t), CLI_DONE);
  assert_string_equal(t.options.text[1], "2");
  tool_judge(&t, "a reads  100\nb 1,010\nPart0,7,0\n");
  const enum tool_verdict verdicts[] = {TOOL_RIGHT, TOOL_RIGHT, TOOL_WRONG, TOOL_RIGHT, TOOL_MISSING};
  for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
    assert_int_equal(t.value[i].verdict, verdicts[i]);
  assert_false(tool_passed(&t)); /* one value is missing */
  char *text = written(tool_write_text, &t), *json = written(tool_write_json, &t),
       *junit = written(tool_write_junit, &t);
  assert_has(text, "+1.00 %  right\n");
  assert_has(text, "wrong, known\n    another event, 2.6\n");
  assert_has(text, "-            -  missing\n");
  assert_has(json, "{\"name\":\"far\",\"verdict\":\"wrong\",\"expected\":\"1000\",\"value\":\"1010\"");
  assert_has(junit, "name=\"none\"><failure");
  assert_has(junit, "name=\"far\"><skipped");
  t.n--;
  assert_true(tool_passed(&t));
  tool_judge(&t, "a reads  100\nb 1000\nPart0,7,0\n"); /* the known fault has been fixed: the file lists a fault that
                                                        * no longer occurs */
  assert_false(tool_passed(&t));
  t.n++;
  free(text);
  free(json);
  free(junit);
  tool_free(&t);
}

static void test_tool_refused(void **state)
{
  static const char *const rows[][2] = {{"value a ten 0 x", "file:1: the count is not a number"},
                                        {"value a 10 1 x", "file:1: the tolerance is neither 0 nor a percentage"},
                                        {"value a 10 -1% x", "file:1: the tolerance is neither 0 nor a percentage"},
                                        {"\nvalue a 10 1% (x", "file:2: the regular expression is not valid"},
                                        {"value a 10 1%", "file:1: the regular expression is not valid"},
                                        {"wrong x", "file:1: `wrong REASON` must follow a value"},
                                        {"values", "file:1: expected platform"}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct bench_tool t = {.n = 0};
    assert_int_equal(tool_parse(NULL, "file", rows[i][0], &t), CLI_USAGE);
    assert_has(message, rows[i][1]);
    tool_free(&t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_suite),       cmocka_unit_test(test_suite_refused), cmocka_unit_test(test_judge),
      cmocka_unit_test(test_judge_panic), cmocka_unit_test(test_judge_absent),  cmocka_unit_test(test_judge_left_out),
      cmocka_unit_test(test_matrix),      cmocka_unit_test(test_number),        cmocka_unit_test(test_tolerance),
      cmocka_unit_test(test_tool),        cmocka_unit_test(test_tool_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

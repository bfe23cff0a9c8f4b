/* SPDX-License-Identifier: MIT */
/* Logs: a written log is read back; the error for an invalid log states the line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include "machine/check/log.h"

static const char text[] = "0 read 0 msr 0x2008 64 0x5\n0 write 1 pci 30:1.1 0x318 32 0x1\n"
                           "0 write 0 mmio MEM3+0x2a840 32 0x101\n0 read 0 mmio CXL+0x8 64 0x0\n"
                           "0 read 2 pmc 4 64 0x7\n1000 wait\n1000 read 0 pmd 63 64 0xffffffffffffffff\n"
                           "1100 state 3 psr 0x4\n1100 state 0 tpr 0x0\n1200 end\n";

static void written_data_is_read_back(void **state)
{
  struct access_log log;
  char error[300], line[160], all[1024] = "";
  (void)state;
  assert_int_equal(log_parse("log", text, strlen(text), error, sizeof error, &log), 0);
  assert_int_equal(log.n, 10);
  assert_int_equal(log.packages, 4);
  for (size_t i = 0; i < log.n; i++) {
    log_format(&log.at[i], line, sizeof line);
    strcat(strcat(all, line), "\n");
  }
  assert_string_equal(all, text);
  log_fini(&log);
}

static void non_log_input_is_refused(void **state)
{
  static const struct {
    const char *text, *error;
  } cases[] = {
      {"x wait\n", "log: line 1: expected a time in nanoseconds, not 'x'"},
      {"# comment\n\n0 peek 0\n", "log: line 3: expected read, write, wait, end or state, not 'peek'"},
      {"0 read 64 msr 0 64 0\n", "log: line 1: expected a package, not '64'"},
      {"0 read 0 mem 0 64 0\n", "log: line 1: expected msr, pci, mmio, pmc, pmd, ibr, dbr or resctrl, not 'mem'"},
      {"0 read 0 pci 30:32.0 0 64 0\n", "log: line 1: expected a device such as 30:1.0, not '30:32.0'"},
      {"0 read 0 pci 30 0 64 0\n", "log: line 1: expected a device such as 30:1.0, not '30'"},
      {"0 read 0 mmio MEM0 64 0\n", "log: line 1: expected a place such as MEM0+0x22840, not 'MEM0'"},
      {"0 read 0 mmio MEMX+0 64 0\n", "log: line 1: expected a place such as MEM0+0x22840, not 'MEMX+0'"},
      {"0 read 0 msr 0 33 0\n", "log: line 1: expected a width of 32 or 64, not ' 0'"},
      {"0 read 0 msr 0 32 0x100000000\n", "log: line 1: expected a value, not '0x100000000'"},
      {"0 read 0 msr 0 64\n", "log: line 1: expected a value, not ''"},
      {"0 read 0 msr 0 64 0 PMON_E_IO again\n", "log: line 1: expected the line's end, not 'again'"},
      {"0 state 64 psr 0\n", "log: line 1: expected a package, not '64'"},
      {"0 state 0 pmc 0\n", "log: line 1: expected psr, dcr, pmv or tpr, not 'pmc'"},
      {"0 state 0 tpr\n", "log: line 1: expected a value, not ''"},
      {"0 state 0 tpr 1 2\n", "log: line 1: expected the line's end, not '2'"},
      {"# pmon-log 2\n0 wait\n", "log: line 1: expected \"# pmon-log 1\", the version that pmon reads, not "
                                 "'# pmon-log 2'"},
      {"# absent 64 cha 5\n", "log: line 1: expected a package, not '64'"},
      {"# absent 0\n", "log: line 1: expected a unit, not ''"},
      {"# counted 0 1 2 junk\n", "log: line 1: expected the line's end, not 'junk'"},
      {"# counted 0 x 1\n", "log: line 1: expected the printed count, not 'x'"},
      {"# counted 0 1\n", "log: line 1: expected the correct count, not ''"},
      {"# asked 0 cha\n", "log: line 1: expected a unit's number, not ''"},
      {"# asked 0 cha 1 ev_sel\n", "log: line 1: expected FIELD=VALUE, eight at most, not 'ev_sel'"},
      {"# asked 0 cha 1 ev_sel=x\n", "log: line 1: expected FIELD=VALUE, eight at most, not 'ev_sel=x'"},
      {"# asked 0 a_name_that_is_longer_than_any 1\n",
       "log: line 1: expected a unit, not 'a_name_that_is_longer_than_any'"},
      {"# absent 0 cha x\n", "log: line 1: expected a unit's number, not 'x'"},
      {"0 wait 5\n", "log: line 1: expected the line's end, not '5'"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct access_log log;
    char error[300] = "";
    assert_int_equal(log_parse("log", cases[i].text, strlen(cases[i].text), error, sizeof error, &log), PMON_E_SYNTAX);
    assert_string_equal(error, cases[i].error);
    assert_null(log.at);
  }
}

static void notes_are_comments(void **state)
{
  static const char lines[] =
      "# pmon-log 1\n# units 1\n# absent 1 cha 5\n# absent 0 imc 12\n# counted 1 7 5\n# units x\n#absent\n"
      "# asked 1 cha 5 ev_sel=0x37 umask=3\n0 wait\n";
  struct access_log log;
  char error[300] = "";
  (void)state;
  assert_int_equal(log_parse("log", lines, strlen(lines), error, sizeof error, &log), 0);
  assert_int_equal(log.n, 1);
  assert_int_equal(log.n_absent, 2);
  assert_string_equal(log.absent[0].unit, "cha");
  assert_int_equal(log.absent[0].package, 1);
  assert_int_equal(log.absent[0].instance, 5);
  assert_string_equal(log.absent[1].unit, "imc");
  assert_int_equal(log.absent[1].instance, 12);
  assert_int_equal(log.units_known, 2);
  assert_int_equal(log.n_counts, 1);
  assert_int_equal(log.counts[0].package, 1);
  assert_int_equal(log.counts[0].printed, 7);
  assert_int_equal(log.counts[0].right, 5);
  assert_int_equal(log.n_asked, 1);
  assert_int_equal(log.asked[0].line, 8);
  assert_int_equal(log.asked[0].is.package, 1);
  assert_int_equal(log.asked[0].is.instance, 5);
  assert_string_equal(log.asked[0].is.unit, "cha");
  assert_int_equal(log.asked[0].is.n, 2);
  assert_string_equal(log.asked[0].is.field[1].name, "umask");
  assert_int_equal(log.asked[0].is.field[1].value, 3);
  log_fini(&log);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(written_data_is_read_back),
                                     cmocka_unit_test(non_log_input_is_refused), cmocka_unit_test(notes_are_comments)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* The command while each of its calls fails in turn: its output is complete, or states what is missing and why. */
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <unistd.h>
#include "tests/hardware/command.h"

static char whole[sizeof output];
static int whole_code;

static unsigned calls_count(const char *text, const char *part)
{
  unsigned n = 0;
  for (const char *at = text; (at = strstr(at, part)); at++)
    n++;
  return n;
}

static const char no_term[] = "has no term for";

static bool says_why(void)
{
  static const char *const words[] = {"Operation not permitted", "refused the access", "Input/output error",
                                      "the transfer was incomplete", "neither CPUID nor /proc/cpuinfo", "No such file",
                                      "Permission denied", "No such device", "was removed", "units exists",
                                      "the firmware hides them", "hides it", "the firmware may hide it",
                                      "no PCI function announces", "unavailable,the counter cannot be read",
                                      /* on a busy host, a command can end before an event's turn */
                                      "it got no time slice", " PMON_E_", no_term};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strstr(output, words[i]))
      return true;
  return false;
}

/* True if a session left its journal; `away`: removes it. */
static bool glob_journals(bool away)
{
  char pattern[100];
  glob_t found = {0};
  snprintf(pattern, sizeof pattern, "%s/*.journal", tree.root);
  glob(pattern, 0, NULL, &found);
  const bool any = found.gl_pathc;
  for (size_t i = 0; away && i < found.gl_pathc; i++)
    unlink(found.gl_pathv[i]);
  globfree(&found);
  return any;
}

static bool has_journal(void)
{
  return glob_journals(false);
}

/* Runs the command once undisturbed, and once with each `step`-th open or access failing. `same`: true if the output is
 * as complete as the undisturbed one; NULL: it may be less. */
struct trial {
  const char *line;
  bool opens;
  unsigned step;
  bool (*same)(void);
};

/* Fails the test unless the exit code is one for failures: 1, the measurement failed; 3, no permission or no such
 * hardware. 2 is for an event that the kernel's PMU does not have: a file of its formats does not exist. */
static void calls_check(const struct trial *t, const char *what, int code)
{
  if (code >= 100 || code < 0 || (code == 2 && !strstr(output, no_term)) || has_journal())
    fail_msg("%s, %s: %d, registers or a journal are left, or it was no failure: %s", t->line, what, code, output);
  if (made->left_open)
    fail_msg("%s, %s: %d files are left open", t->line, what, made->left_open);
  if (code != whole_code ? !says_why() : t->same && !t->same() && !says_why())
    fail_msg("%s, %s: %d, says less and not why: %s", t->line, what, code, output);
}

static uint64_t begin_trial(const struct trial *t)
{
  tree.fail_open = tree.fail_access = tree.gone_from = 0;
  setenv("XDG_RUNTIME_DIR", tree.root, 1);
  whole_code = run(t->line);
  if (whole_code && whole_code != NO_VALUE)
    fail_msg("%s: %s", t->line, output);
  strcpy(whole, output);
  const uint64_t n = t->opens ? made->opens : made->accesses;
  assert_true(n > 20);
  return n;
}

/* Runs the command once for each call, with the failures in rotation, so that all are covered: an open is refused in
 * three ways, and its file stays shut; an access fails in three ways, or the device is gone from this access on. */
static void fail_in_rotation(const struct trial *t)
{
  static const int errors[] = {EPERM, ENOENT, EACCES};
  static const enum tree_fault faults[] = {TREE_EPERM, TREE_EIO, TREE_SHORT, TREE_ENODEV};
  const uint64_t n = begin_trial(t);
  unsigned turn = 0;
  for (uint64_t i = 1; i <= n; i += (uint64_t)t->step * TESTS_STEP, turn++) {
    char what[64];
    tree.open_error = errors[turn % 3];
    tree.stays_shut = true;
    tree.fault = faults[turn % 4];
    tree.fail_open = t->opens ? tree.opens + i : 0;
    tree.fail_access = !t->opens && tree.fault != TREE_ENODEV ? tree.accesses + i : 0;
    tree.gone_from = !t->opens && tree.fault == TREE_ENODEV ? tree.accesses + i : 0;
    const int code = run(t->line);
    snprintf(what, sizeof what, "%s %u, turn %u", t->opens ? "open" : "access", (unsigned)i, turn % 12);
    if (tree.gone_from && glob_journals(true)) {
      if (!strstr(output, "could not be restored") || !strstr(output, "pmon restore"))
        fail_msg("%s, %s: %d, what remains is not reported: %s", t->line, what, code, output);
      continue;
    }
    calls_check(t, what, code);
  }
  tree.fail_open = tree.fail_access = tree.gone_from = 0;
  tree.open_error = 0;
  tree.stays_shut = false;
}

static void fail_each(const struct trial *t, enum tree_fault fault)
{
  const uint64_t n = begin_trial(t);
  tree.fault = fault;
  for (uint64_t i = 1; i <= n; i += (uint64_t)t->step * TESTS_STEP) {
    char what[32];
    tree.fail_open = t->opens ? tree.opens + i : 0;
    tree.fail_access = t->opens ? 0 : tree.accesses + i;
    const int code = run(t->line);
    snprintf(what, sizeof what, "call %u", (unsigned)i);
    calls_check(t, what, code);
  }
  tree.fail_open = tree.fail_access = 0;
}

/* Returns the number of Linux perf counters without counting time: others used the counters, or, if that lasts, the CPU
 * is offline. Which of the two is reported depends on how long the command took. */
static unsigned without_time(const char *text)
{
  return calls_count(text, "it got no time slice on the counters") + calls_count(text, "the counter cannot be read");
}

/* True if there is a row for each value; the machine's clocks do not run here, so that none has a number, and each has
 * its reason. */
static bool same_rows(void)
{
  static const char *const parts[] = {"\n", ",stuck,"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (calls_count(output, parts[i]) != calls_count(whole, parts[i]))
      return false;
  return without_time(output) == without_time(whole);
}

static bool same_text(void)
{
  return !strcmp(output, whole);
}

/* A capture states for each register why it is missing; a function without any register has at most one line, which is
 * left out if its file cannot be read. A function without a file does not exist. */
static bool says_as_many(void)
{
  return (tree.fail_open && tree.open_error == ENOENT) || calls_count(output, "\n  ") >= calls_count(whole, "\n  ");
}

static void test_registers(void **state)
{
  static const char line[] = "stat -p emr --backend direct --csv -e "
                             "cha0/CLOCKTICKS/,upi0/CLOCKTICKS/,imc0/CAS_COUNT.RD/ -- true";
  (void)state;
  begin();
  fail_each(&(struct trial){line, true, 1, same_rows}, TREE_EPERM);
  fail_in_rotation(&(struct trial){line, false, 1, same_rows}); /* test_each fails each access in each way */
  tree_end(&tree);
}

static void test_each_access_method(void **state)
{
  static const char *const lines[] = {"stat -p emr --backend msr --csv -e cha0/CLOCKTICKS/ -- true",
                                      "stat -p emr --backend pci --csv -e upi0/CLOCKTICKS/ -- true",
                                      "stat -p emr --backend mmio --csv -e imc0/CAS_COUNT.RD/ -- true",
                                      "stat -p emr --backend perf --csv -e upi/CLOCKTICKS/ -- true"};
  (void)state;
  begin_kernel(NULL);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    fail_in_rotation(&(struct trial){lines[i], true, 1, same_rows});
    if (i < 3)
      fail_in_rotation(&(struct trial){lines[i], false, 1, same_rows});
  }
  tree_end(&tree);
}

static void test_linux_perf(void **state)
{
  (void)state;
  begin_kernel(NULL);
  fail_each(&(struct trial){"stat -p emr --backend perf --csv -e upi/CLOCKTICKS/,m2m/CLOCKTICKS/ -- true", true, 1,
                            same_rows},
            TREE_EPERM);
  tree_end(&tree);
}

static void test_doctor(void **state)
{
  (void)state;
  begin_kernel(NULL);
  fail_each(&(struct trial){"doctor", true, 3, same_text}, TREE_EPERM);
  fail_each(&(struct trial){"doctor", false, 13, same_text}, TREE_EPERM);
  tree_end(&tree);
}

/* Commands that look at everything access every register, in loops over packages, instances and counters: a step of a
 * large prime reaches each kind of register and each of the four failures. */
static void test_failures_during_complete_walks(void **state)
{
  (void)state;
  begin();
  fail_in_rotation(&(struct trial){"doctor", true, 1, same_text});
  fail_in_rotation(&(struct trial){"doctor", false, 37, same_text});
  fail_in_rotation(&(struct trial){"capture", true, 1, says_as_many});
  fail_in_rotation(&(struct trial){"capture", false, 61, NULL});
  tree_end(&tree);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_registers),
      cmocka_unit_test(test_each_access_method),
      cmocka_unit_test(test_linux_perf),
      cmocka_unit_test(test_doctor),
      cmocka_unit_test(test_failures_during_complete_walks),
  };
  return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
